package reference

import (
	"slices"

	"stackmate/gdl"
)

// program is a game ready for evaluation. Each list of evaluators is in the
// order of the strata.
type program struct {
	terms    *terms
	fixed    []*evaluator // what depends on neither `true` nor `does`
	position []*evaluator // what depends on `true` only
	moves    []*evaluator // what depends on `does`
	possible *evaluator   // the last two without their negations

	init, holds, does, next, legal, goal, terminal functor
}

func newProgram(t *terms, g *gdl.Game) *program {
	p := &program{
		terms: t,
		init:  t.functor("init", 1), holds: t.functor("true", 1), does: t.functor("does", 2),
		next: t.functor("next", 1), legal: t.functor("legal", 2),
		goal: t.functor("goal", 2), terminal: t.functor("terminal", 0),
	}
	var rules []*rule
	for _, r := range g.Rules {
		rules = append(rules, t.rule(r))
	}
	onMoves := dependents(rules, p.does)
	onState := dependents(rules, p.holds)
	level := strata(rules)
	var fixed, position, moves, possible []*rule
	for _, r := range rules {
		switch h := r.relation(); {
		case onMoves[h]:
			moves = append(moves, r)
		case onState[h]:
			position = append(position, r)
		default:
			fixed = append(fixed, r)
			continue
		}
		possible = append(possible, r.relaxed(func(f functor) bool { return onMoves[f] || onState[f] }))
	}
	p.fixed = byStratum(fixed, level)
	p.position = byStratum(position, level)
	p.moves = byStratum(moves, level)
	p.possible = newEvaluator(possible)
	return p
}

// dependents is the set of relations that depend on the given one, itself
// included.
func dependents(rules []*rule, on functor) map[functor]bool {
	out := map[functor]bool{on: true}
	for grown := true; grown; {
		grown = false
		for _, r := range rules {
			if out[r.relation()] {
				continue
			}
			for _, l := range r.body {
				if l.isAtom() && out[l.atom.functor] {
					out[r.relation()], grown = true, true
				}
			}
		}
	}
	return out
}

// strata gives each relation a number, not less than that of any relation it
// depends on and greater than that of any it negates.
func strata(rules []*rule) map[functor]int {
	level := make(map[functor]int)
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			for _, l := range r.body {
				if !l.isAtom() {
					continue
				}
				least := level[l.atom.functor]
				if l.op == gdl.Not {
					least++
				}
				if level[r.relation()] < least {
					level[r.relation()], changed = least, true
				}
			}
		}
	}
	return level
}

// byStratum makes an evaluator of the rules of each stratum.
func byStratum(rules []*rule, level map[functor]int) []*evaluator {
	groups := make(map[int][]*rule)
	for _, r := range rules {
		groups[level[r.relation()]] = append(groups[level[r.relation()]], r)
	}
	var numbers []int
	for n := range groups {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var out []*evaluator
	for _, n := range numbers {
		out = append(out, newEvaluator(groups[n]))
	}
	return out
}

// relaxed is r without the negations of changing relations.
func (r *rule) relaxed(changes func(functor) bool) *rule {
	out := *r
	out.body = slices.DeleteFunc(slices.Clone(r.body), func(l literal) bool {
		return l.op == gdl.Not && changes(l.atom.functor)
	})
	return &out
}

func (l *literal) isAtom() bool { return l.op == gdl.Holds || l.op == gdl.Not }
