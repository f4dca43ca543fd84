package sequential

import (
	"context"
	"sync"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// Foresight: a machine with decisive moves (facts.Decisive) determines whether a role wins within two joint moves, and
// otherwise the moves that do not lose at once. It does so in the pass that evaluates the position. Effects:
//
//	earlier values          a child is settled four plies before the end instead of two, as its children
//	                        are expanded before the search of any child
//	fewer moves             losing moves are left out; a single remaining move is forced and
//	                        takes no depth, as in quiescence searches
//
// A search of few nodes ends before the circuit is ready. The root is expanded without foresight: there all moves are needed.
//
// Foresight requires two roles without chance. A role wins if it gets its greatest possible goal
// (play.Expander.Foreseeing); the other role gets the remainder of the sum. The best goal at an end
// proves no more: a match may go on for ever (package comment).

// decisive holds a machine with decisive moves, which is created on first use.
type decisive struct {
	of      machine.Machine
	once    sync.Once
	machine machine.Machine // nil if there is none
}

// newDecisive returns nil for games without foresight.
func newDecisive(m machine.Machine, p *payoff, without Refinement) *decisive {
	if p.Other < 0 || p.random >= 0 || without&(Foresight|Lookahead) != 0 {
		return nil
	}
	return &decisive{of: m}
}

func (d *decisive) get(ctx context.Context) machine.Machine {
	d.once.Do(func() { d.machine = facts.Decisive(ctx, d.of, false) })
	return d.machine
}

// foresee gives this worker the machine with decisive moves, if there is such a machine and the sum of the goals is
// known.
func (r *run) foresee() {
	d := r.crew.decisive
	sum, known := r.Sum.Known()
	if d == nil || r.foreseeing != nil || !known {
		return
	}
	if m := d.get(r.crew.ctx); m != nil {
		r.foreseeing = r.expander.Foreseeing(m, int32(sum))
	}
}

// innerExpander returns the expander for positions below the root.
func (r *run) innerExpander() *play.Expander {
	if r.foreseeing != nil {
		return r.foreseeing
	}
	return r.expander
}
