package sequential

import (
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// payoff is the payoff of a game in turns: the first player maximises it.
type payoff struct {
	exact.Payoff
	roles  int
	random machine.Role // chance, or machine.NoRole
	alone  bool         // all other roles minimise, for any goals
}

// errNobody is returned for games without players.
var errNobody = fmt.Errorf("expected a role besides %s, found none", machine.RandomRole)

func newPayoff(names *machine.Names) (*payoff, error) {
	p := &payoff{roles: len(names.Roles), random: names.Chance()}
	p.Other = machine.NoRole
	players := names.Players()
	switch len(players) {
	case 0:
		return p, errNobody
	case 1:
	case 2:
		p.Other = players[1]
	default:
		return p, fmt.Errorf("%w: more than two roles", search.ErrNotZeroSum)
	}
	p.First = players[0]
	return p, nil
}

// newParanoidPayoff returns the payoff of one role against all others.
func newParanoidPayoff(names *machine.Names, role machine.Role) *payoff {
	p := &payoff{roles: len(names.Roles), random: names.Chance(), alone: true}
	p.First, p.Other = role, machine.NoRole
	return p
}

// maximises reports whether a role, or machine.NoRole, is on the maximising side.
func (p *payoff) maximises(r machine.Role) bool {
	if p.alone {
		return r == p.First
	}
	return r != p.Other
}

// values returns the interval of each role for an interval of the maximiser.
func (p *payoff) values(v search.Interval) []search.Interval { return p.Values(p.roles, v) }
