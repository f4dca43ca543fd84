package sequential

import (
	"context"
	"slices"
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

// NewParanoid makes a paranoid search. Goals of the configuration are those of
// every role.
func NewParanoid(c Config) *Paranoid { return &Paranoid{config: c} }

// firstTurn is the number of nodes of a role's first turn, some tens of milliseconds; each
// later turn has twice as many.
const firstTurn = 1 << 14

// Search implements search.Searcher. The interval of a role contains what it can guarantee
// whatever the others do, and its strategy guarantees the lower end; what all get together
// is another matter. The roles take turns until all are done, and share the memory. The line
// is that of the first player's search.
func (p *Paranoid) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	players := m.Names().Players()
	if len(players) == 0 {
		return search.Result{}, errNobody
	}
	p.prepare(m, players)
	lim.MaxBytes /= int64(len(players))
	found, done := make([]search.Result, len(players)), make([]bool, len(players))
	var spent search.Counters
	for turn := int64(firstTurn); slices.Contains(done, false); turn *= 2 {
		for i, role := range players {
			if done[i] {
				continue
			}
			own := lim
			if own.MaxNodes = turn; lim.MaxNodes > 0 {
				own.MaxNodes = min(turn, max(1, (lim.MaxNodes-spent.Nodes)/int64(len(players)-i)))
			}
			r, err := p.solvers[role].Search(ctx, p.machine, s, own)
			if err != nil {
				return search.Result{}, err
			}
			found[i] = r
			spent.Nodes, spent.TableHits = spent.Nodes+r.Nodes, spent.TableHits+r.TableHits
			// One of the threads stops when it has done its share of the nodes.
			done[i] = r.Unfinished != nil || r.Nodes < own.MaxNodes/int64(p.solvers[role].threads()) ||
				ctx.Err() != nil || lim.MaxNodes > 0 && spent.Nodes >= lim.MaxNodes || p.isWithin(r.Values[role])
		}
	}
	spent.Elapsed = time.Since(began)
	return merged(m.Names(), players, found, spent), nil
}

// isWithin tells whether the interval is as narrow as wanted.
func (p *Paranoid) isWithin(v search.Interval) bool { return v.Upper-v.Lower <= p.config.Epsilon }

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

// merged puts together what was found of each player.
func merged(names *machine.Names, players []machine.Role, found []search.Result, spent search.Counters) search.Result {
	total := search.Result{
		Values: make([]search.Interval, len(names.Roles)), Strategies: make([][]search.Weighted, len(names.Roles)),
		Proved: true, Line: found[0].Line, Counters: spent,
	}
	for i, role := range players {
		r := &found[i]
		total.Values[role], total.Strategies[role] = r.Values[role], r.Strategies[role]
		total.Proved = total.Proved && r.Proved
		if total.Unfinished == nil {
			total.Unfinished = r.Unfinished
		}
		total.PeakBytes, total.Evictions = total.PeakBytes+r.PeakBytes, total.Evictions+r.Evictions
	}
	return total
}
