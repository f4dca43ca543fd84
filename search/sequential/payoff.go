package sequential

import (
	"context"
	"fmt"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// payoff maps the goals of all roles to the value that the search maximises.
type payoff struct {
	roles     int
	maximiser machine.Role
	minimiser machine.Role // machine.NoRole if there is a single player
	random    machine.Role // chance, or machine.NoRole
	alone     bool         // all other roles minimise, for any goals
	goals     search.Interval

	sum atomic.Int64 // sum of the two players' goals plus 1; 0 before the first terminal position
}

// errNobody is returned for games without players.
var errNobody = fmt.Errorf("%w: no role but chance", search.ErrNotSequential)

func newPayoff(names *machine.Names, goals search.Interval) (*payoff, error) {
	p := &payoff{roles: len(names.Roles), minimiser: machine.NoRole, random: names.Chance(), goals: goals}
	players := names.Players()
	switch len(players) {
	case 0:
		return p, errNobody
	case 1:
	case 2:
		p.minimiser = players[1]
	default:
		return p, fmt.Errorf("%w: more than two roles", search.ErrNotZeroSum)
	}
	p.maximiser = players[0]
	return p, nil
}

// newParanoidPayoff returns the payoff of one role against all others.
func newParanoidPayoff(names *machine.Names, goals search.Interval, role machine.Role) *payoff {
	return &payoff{
		roles: len(names.Roles), maximiser: role, minimiser: machine.NoRole, random: names.Chance(), alone: true, goals: goals,
	}
}

// maximises reports whether a role, or machine.NoRole, is on the maximising side.
func (p *payoff) maximises(r machine.Role) bool {
	if p.alone {
		return r == p.maximiser
	}
	return r != p.minimiser
}

// maximiserGoal returns the maximiser's goal in a terminal position. It returns an error for a goal outside the range, and
// search.ErrNotZeroSum if the sum of the goals differs from an earlier sum.
func (p *payoff) maximiserGoal(goals []int32) (float64, error) {
	g := search.Points(goals[p.maximiser])
	if float64(g) < p.goals.Lower || float64(g) > p.goals.Upper {
		return 0, fmt.Errorf("expected goals from %g to %g points, found a goal of %d points", p.goals.Lower, p.goals.Upper, g)
	}
	if p.minimiser < 0 {
		return float64(g), nil
	}
	sum := int64(g + search.Points(goals[p.minimiser]))
	if p.sum.Load() == 0 {
		p.sum.CompareAndSwap(0, sum+1)
	}
	if first := p.sum.Load() - 1; sum != first {
		return 0, fmt.Errorf("%w: the goals of one terminal position add up to %d, of another to %d", search.ErrNotZeroSum, sum, first)
	}
	return float64(g), nil
}

// findSum finds the sum of the goals by a random game, if no terminal position has been seen. Without time it does not.
func (p *payoff) findSum(ctx context.Context, m machine.Machine) error {
	if p.sum.Load() > 0 {
		return nil
	}
	goals := machine.RandomGoals(ctx, m, m.Initial())
	if goals == nil {
		return nil
	}
	_, err := p.maximiserGoal(goals)
	return err
}

// values returns the interval of each role for an interval of the maximiser. The interval of chance
// is 0.
func (p *payoff) values(v search.Interval) []search.Interval {
	out := make([]search.Interval, p.roles)
	out[p.maximiser] = v
	switch {
	case p.minimiser < 0:
	case p.sum.Load() > 0:
		sum := float64(p.sum.Load() - 1)
		out[p.minimiser] = search.Interval{Lower: sum - v.Upper, Upper: sum - v.Lower}
	default:
		out[p.minimiser] = p.goals
	}
	return out
}
