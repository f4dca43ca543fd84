package reference

import (
	"stackmate/gdl"
)

// program is the rules of a game, ready for evaluation.
type program struct {
	terms     *terms
	facts     *store              // rules without conditions
	rules     map[functor][]*rule // the others, by relation
	component map[functor]functor // the relations that recur on each other have one value
	onState   map[functor]bool    // what depends on `true`
	onMoves   map[functor]bool    // what depends on `does`

	init, holds, does, next, legal, goal, terminal functor
}

func newProgram(t *terms, g *gdl.Game) *program {
	p := &program{
		terms: t, facts: newStore(t), rules: make(map[functor][]*rule),
		init: t.functor("init", 1), holds: t.functor("true", 1), does: t.functor("does", 2),
		next: t.functor("next", 1), legal: t.functor("legal", 2),
		goal: t.functor("goal", 2), terminal: t.functor("terminal", 0),
	}
	uses := make(map[functor][]functor)
	for _, rule := range g.Rules {
		r := t.rule(rule)
		if len(r.body) == 0 {
			p.facts.insert(t.instance(&r.head, nil))
			continue
		}
		h := r.relation()
		p.rules[h] = append(p.rules[h], r)
		for _, l := range r.body {
			if l.isAtom() {
				uses[h] = append(uses[h], l.atom.functor)
			}
		}
	}
	p.component = make(map[functor]functor)
	p.onState, p.onMoves = map[functor]bool{p.holds: true}, map[functor]bool{p.does: true}
	for r := range p.rules {
		below := reachable(uses, r)
		p.onState[r], p.onMoves[r] = below[p.holds], below[p.does]
		p.component[r] = r
		for b := range below {
			if b < p.component[r] && reachable(uses, b)[r] {
				p.component[r] = b
			}
		}
	}
	return p
}

// reachable is what can be reached from a relation in one step or more.
func reachable(uses map[functor][]functor, from functor) map[functor]bool {
	seen := make(map[functor]bool)
	todo := []functor{from}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range uses[last] {
			if !seen[r] {
				seen[r] = true
				todo = append(todo, r)
			}
		}
	}
	return seen
}

// changes tells whether a relation depends on the position or on moves.
func (p *program) changes(f functor) bool { return p.onState[f] || p.onMoves[f] }
