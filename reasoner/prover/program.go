package prover

import (
	"fmt"

	"stackmate/gdl"
	"stackmate/internal/scc"
)

// program is the rules of a game, ready for evaluation.
type program struct {
	terms     *terms
	facts     *store     // rules without conditions
	relations []relation // by functor; those that come later have no rules
	nested    int        // conditions that are evaluated inside each other at most, recursion aside

	init, holds, does, next, legal, goal, terminal functor
}

// relation is what is known of a relation before evaluation.
type relation struct {
	rules     []*rule // those with conditions
	component int     // relations that recur on each other have the same
	lifetime  lifetime
}

// maxNested bounds program.nested: evaluation keeps a stack frame of some 400 bytes
// for each of these conditions, and a goroutine whose stack comes near a gigabyte
// ends the process.
const maxNested = 200_000

func newProgram(t *terms, g *gdl.Game) *program {
	p := &program{
		terms: t, facts: newStore(t),
		init: t.functor("init", 1), holds: t.functor("true", 1), does: t.functor("does", 2),
		next: t.functor("next", 1), legal: t.functor("legal", 2),
		goal: t.functor("goal", 2), terminal: t.functor("terminal", 0),
	}
	var rules []*rule
	for _, rule := range g.Rules {
		if r := t.rule(rule); len(r.body) == 0 {
			p.facts.insert(t.instance(&r.head, nil))
		} else {
			rules = append(rules, r)
		}
	}
	p.relations = make([]relation, len(t.signatures))
	uses := make([][]int, len(p.relations))
	for _, r := range rules {
		h := r.relation()
		p.relations[h].rules = append(p.relations[h].rules, r)
		for i := range r.body {
			if r.body[i].isAtom() {
				uses[h] = append(uses[h], int(r.body[i].atom.functor))
			}
		}
	}
	p.order(uses)
	return p
}

// order finds the components of the relations, and from the lowest component
// upwards how long answers stay the same and how deep evaluation nests. Uses
// lists, for each relation, those in the bodies of its rules.
func (p *program) order(uses [][]int) {
	p.relations[p.holds].lifetime, p.relations[p.does].lifetime = position, jointMove
	nested := make([]int, len(uses))
	for i, component := range scc.Components(len(uses), func(f int) []int { return uses[f] }) {
		var life lifetime
		depth, longest := 0, 0
		for _, f := range component {
			r := &p.relations[f]
			r.component = i
			life = max(life, r.lifetime)
			for _, below := range uses[f] {
				life, depth = max(life, p.relations[below].lifetime), max(depth, nested[below])
			}
			for _, rule := range r.rules {
				longest = max(longest, len(rule.body)+1)
			}
		}
		for _, f := range component {
			p.relations[f].lifetime, nested[f] = life, depth+longest
		}
		p.nested = max(p.nested, depth+longest)
	}
}

// check refuses rules that nest too deep to be evaluated.
func (p *program) check() error {
	if p.nested > maxNested {
		return fmt.Errorf("the rules depend on each other through %d conditions in a row, "+
			"the interpreter of the rules follows at most %d", p.nested, maxNested)
	}
	return nil
}

// isDerived tells whether a relation has rules with conditions.
func (p *program) isDerived(f functor) bool {
	return int(f) < len(p.relations) && len(p.relations[f].rules) > 0
}
