package sequential

import (
	"context"
	"sync"

	"stackmate/reasoner/machine"
)

// Foresight: a machine with decisive moves (machine.Analysis) tells of each position, in the
// pass that evaluates it, whether a role wins within two joint moves, and else which moves
// do not lose at once. So
//
//	a child is settled      four plies before the end instead of two: its own children,
//	                        which are expanded before any is searched, are looked at
//	fewer are searched      moves that lose at once are not; where one is left, it is
//	                        forced and takes no depth, as in the quiescence searches of
//	                        other games
//
// A search of few nodes is done before the circuit is there. The root, and the positions of
// the line, are expanded without: all moves are wanted there, and the end of the game.
//
// It is for two roles without chance. A role wins where it gets all that there is
// (machine.Expander.Foreseeing), and the other role gets what the sum of the goals leaves.
// The best goal at an end proves no more: a match may go on for ever (package comment).

// decisive is a machine with decisive moves, made when somebody asks for it.
type decisive struct {
	of      machine.Machine
	once    sync.Once
	machine machine.Machine // nil if there is none
}

// newDecisive is nil for games that foresight is not for.
func newDecisive(m machine.Machine, p *payoff, without Refinement) *decisive {
	if p.minimiser < 0 || p.random >= 0 || without&(Foresight|Lookahead) != 0 {
		return nil
	}
	return &decisive{of: m}
}

func (d *decisive) get(ctx context.Context) machine.Machine {
	d.once.Do(func() { d.machine = d.of.Decisive(ctx, false) })
	return d.machine
}

// foresee makes this worker use foresight, if there is any and the sum of the goals is
// known.
func (r *run) foresee() {
	d, sum := r.crew.decisive, r.sum.Load()
	if d == nil || r.foreseeing != nil || sum == 0 {
		return
	}
	if m := d.get(r.crew.ctx); m != nil {
		r.foreseeing = r.expander.Foreseeing(m, int32(sum-1))
	}
}

// beyond is the expander of positions that are not the root.
func (r *run) beyond() *machine.Expander {
	if r.foreseeing != nil {
		return r.foreseeing
	}
	return r.expander
}
