package sequential

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
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

// NewParanoid makes a paranoid search. Evaluate and Goals of the configuration are those of
// every role.
func NewParanoid(c Config) *Paranoid { return &Paranoid{config: c} }

// Search implements search.Searcher. The interval of a role contains what it can guarantee
// whatever the others do, and its strategy guarantees the lower end; what all get together
// is another matter. The roles share time, nodes and memory. The line is that of the
// first player's search.
func (p *Paranoid) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	names := m.Names()
	players := names.Players()
	if p.machine == nil || p.machine.Machine != m {
		p.machine, p.solvers = &fixedRoles{m}, make([]*Solver, len(names.Roles))
		for _, role := range players {
			p.solvers[role] = New(p.config)
			p.solvers[role].newPayoff = func(names *machine.Names, goals search.Interval) (*payoff, error) {
				return newParanoidPayoff(names, goals, role), nil
			}
		}
	}
	total := search.Result{
		Values: make([]search.Interval, len(names.Roles)), Strategies: make([][]search.Weighted, len(names.Roles)), Proved: true,
	}
	for i, role := range players {
		share, end := ctx, context.CancelFunc(func() {})
		left := len(players) - i
		if deadline, ok := ctx.Deadline(); ok {
			share, end = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		}
		own := lim
		own.MaxBytes /= int64(len(players))
		if lim.MaxNodes > 0 {
			own.MaxNodes = max(1, (lim.MaxNodes-total.Nodes)/int64(left))
		}
		r, err := p.solvers[role].Search(share, p.machine, s, own)
		end()
		if err != nil {
			return search.Result{}, err
		}
		total.Values[role], total.Strategies[role] = r.Values[role], r.Strategies[role]
		total.Proved = total.Proved && r.Proved
		if total.Unfinished == nil {
			total.Unfinished = r.Unfinished
		}
		if i == 0 {
			total.Line = r.Line
		}
		total.Nodes, total.TableHits = total.Nodes+r.Nodes, total.TableHits+r.TableHits
		total.PeakBytes, total.Evictions = total.PeakBytes+r.PeakBytes, total.Evictions+r.Evictions
	}
	total.Elapsed = time.Since(began)
	return total, nil
}
