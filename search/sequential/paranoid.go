package sequential

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/goals"
)

// Paranoid is Bounded Alpha-Beta for one role after the other, as if all others had joined
// against it (Sturtevant and Korf, 2000): what each can guarantee, in games of turns of any
// number of roles and goals of any sum. With two players and a constant sum that is the
// value. It belongs to one goroutine.
type Paranoid struct {
	config  Config
	solvers []*Solver // by role; nil for chance
	machine *fixedRoles
}

// fixedRoles is a machine without symmetries: some may exchange roles that are against the
// one searched for.
type fixedRoles struct{ machine.Machine }

// Symmetries implements machine.Machine.
func (*fixedRoles) Symmetries() []machine.Symmetry { return nil }

var _ search.Searcher = (*Paranoid)(nil)

// NewParanoid makes a paranoid search. Goals of the configuration are those of
// every role.
func NewParanoid(c Config) *Paranoid { return &Paranoid{config: c} }

// Search implements search.Searcher. The interval of a role contains its guarantee, and its
// strategy guarantees the lower end (search.Guarantee).
func (p *Paranoid) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	players := m.Names().Players()
	if len(players) == 0 {
		return search.Result{}, errNobody
	}
	p.prepare(m, players)
	threads := p.solvers[players[0]].threads()
	return goals.ByRole(ctx, m.Names(), threads, lim, func(ctx context.Context, i int, lim search.Limits) (search.Result, error) {
		return p.solvers[players[i]].Search(ctx, p.machine, s, lim)
	})
}

// prepare makes the solvers of all players, unless those of the last search are theirs.
func (p *Paranoid) prepare(m machine.Machine, players []machine.Role) {
	if p.machine != nil && p.machine.Machine == m {
		return
	}
	p.machine, p.solvers = &fixedRoles{m}, make([]*Solver, len(m.Names().Roles))
	for _, role := range players {
		p.solvers[role] = New(p.config)
		p.solvers[role].newPayoff = func(names *machine.Names, goals search.Interval) (*payoff, error) {
			return newParanoidPayoff(names, goals, role), nil
		}
	}
}
