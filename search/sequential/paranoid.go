package sequential

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/goals"
)

// Paranoid runs Bounded Alpha-Beta for each role as if all other roles were allied against it (Sturtevant and Korf,
// 2000). The result is the guarantee of each role, in sequential games of any number of roles and any goals.
// With two players and a constant sum the guarantee is the value. It belongs to one goroutine.
type Paranoid struct {
	config  Config
	solvers []*Solver // by role; nil for chance
	machine *fixedRoles
}

// fixedRoles is a machine without symmetries: a symmetry may exchange the maximising role with
// an opponent.
type fixedRoles struct{ machine.Machine }

// Unwrap implements machine.Wrapper.
func (m *fixedRoles) Unwrap() machine.Machine { return m.Machine }

// Symmetries implements facts.Symmetric.
func (*fixedRoles) Symmetries() []facts.Symmetry { return nil }

var _ search.Searcher = (*Paranoid)(nil)

// NewParanoid returns a paranoid search.
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

// prepare creates the solver of each player if the machine is new.
func (p *Paranoid) prepare(m machine.Machine, players []machine.Role) {
	if p.machine != nil && p.machine.Machine == m {
		return
	}
	p.machine, p.solvers = &fixedRoles{m}, make([]*Solver, len(m.Names().Roles))
	for _, role := range players {
		p.solvers[role] = New(p.config)
		p.solvers[role].newPayoff = func(names *machine.Names) (*payoff, error) {
			return newParanoidPayoff(names, role), nil
		}
	}
}
