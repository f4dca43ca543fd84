// Package maxn searches turn-based games in which each of any number of roles maximises its own goal: backward
// induction over n-tuples of values (max^n; Luckhardt and Irani, 1986), with chance and goals of any sum. It knows
// state machines, never rules or text.
//
// The result is one equilibrium of the game. If a role has several best moves, they may have different values for other
// roles, and there are other equilibria: among equal moves the search prefers a move that ends the game, then the
// first one in the machine's order.
package maxn

import (
	"context"
	"math"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
)

// The search is depth first. It prunes the remaining moves of a node once the choosing role has a move of the maximum goal.
// Shallow pruning (Korf, 1991) needs a bound of the sum of all goals, which rules do not give; deep pruning is unsound.
//
// Invariant: value returns the tuple of the equilibrium, unless the search is stopped.
// Cost: an expansion and a table access per node; memory for a path of expansions.

const (
	// progressNodes is the number of nodes between two reports, some milliseconds.
	progressNodes = 1 << 12
)

// Config says how to search.
type Config struct {
	// NoTable does without the transposition table.
	NoTable bool
}

// Searcher is max^n with a table that lasts from one search to the next on the same machine.
// It belongs to one goroutine. Searches with a node limit are reproducible.
type Searcher struct {
	config   Config
	machine  machine.Machine
	maxBytes int64
	table    *table.Shared
	stack    int64
}

var _ search.Searcher = (*Searcher)(nil)

// New makes a searcher.
func New(c Config) *Searcher { return &Searcher{config: c} }

// run is one Search.
type run struct {
	Config
	ctx      context.Context
	machine  machine.Machine
	expander *play.Expander
	table    *table.Shared
	random   machine.Role
	roles    int
	limit    int64
	tell     func(search.Result) // progress; may be nil
	plies    []*ply
	packed   []uint64 // for an entry, twice
	memory   []uint64 // for a key

	nodes, hits int64
	stopped     bool
	cause       error // of that, if it is a bound of the search's own
	err         error
}

// ply is the working memory of one position on the path.
type ply struct {
	expansion play.Expansion
	play.Turn           // the choosing role
	best      []float64 // by role: the tuple of the best move so far
	tuple     []float64 // by role: value of the present move
	chosen    int       // the best move
}

// Search implements search.Searcher. Positions where two roles choose at once are an error
// (search.ErrNotSequential).
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	r := s.prepare(ctx, m, lim)
	res := search.Result{Values: make([]search.Interval, r.roles), Strategies: make([][]search.Weighted, r.roles), Concept: search.Equilibrium, Proved: true}
	over, goals := r.expander.Look(q)
	if over {
		for role, g := range goals {
			if machine.Role(role) != r.random {
				res.Values[role] = search.Exact(float64(search.Points(g)))
			}
		}
	} else {
		r.root(&res, q, r.value(q, 0), lim.NoLine)
	}
	res.Nodes, res.TableHits, res.Elapsed = r.nodes, r.hits, time.Since(began)
	stats := r.table.Stats()
	res.PeakBytes, res.Evictions = stats.Bytes+r.expander.Bytes(), stats.Evictions
	res.Unfinished = r.cause
	return res, r.err
}

// prepare keeps the table of an earlier search where it still holds.
func (s *Searcher) prepare(ctx context.Context, m machine.Machine, lim search.Limits) *run {
	roles := len(m.Names().Roles)
	if s.machine != m || s.maxBytes != lim.MaxBytes {
		s.machine, s.maxBytes = m, lim.MaxBytes
		var tables int64
		tables, s.stack = search.Divide(lim.MaxBytes, m.Info().Batch)
		s.table = table.NewShared(m, 64*(roles+1), tables)
	}
	r := &run{
		Config: s.config, ctx: ctx, machine: m, expander: play.NewExpander(m), table: s.table, random: m.Names().Chance(),
		roles: roles, limit: lim.MaxNodes, tell: lim.Progress, packed: make([]uint64, 2*(roles+1)), memory: make([]uint64, len(m.Initial())),
	}
	r.expander.Limit(ctx, s.stack, int64(8*roles))
	return r
}

func (r *run) isStopped() bool { return r.err != nil || r.stopped }

func (r *run) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *run) ply(depth int) *ply {
	for len(r.plies) <= depth {
		r.plies = append(r.plies, &ply{best: make([]float64, r.roles), tuple: make([]float64, r.roles)})
	}
	return r.plies[depth]
}

// value finds the tuple of q, which is not terminal, and leaves it in the ply, unless the
// search is stopped.
func (r *run) value(q machine.State, at int) bool {
	p := r.ply(at)
	if r.recall(q, p) && at > 0 {
		return true
	}
	if at == exact.MaxPly {
		r.stopped, r.cause = true, exact.ErrTooDeep
	}
	if !r.open(p, q) {
		return false
	}
	first := r.nodes
	if r.nodes++; r.tell != nil && r.nodes%progressNodes == 0 {
		r.tell(search.Result{Counters: search.Counters{Nodes: r.nodes, TableHits: r.hits, PeakBytes: r.table.Stats().Bytes}})
	}
	if !r.choose(p, at) {
		return false
	}
	r.remember(q, p, r.nodes-first)
	return true
}

// open expands q and determines the choosing role.
func (r *run) open(p *ply, q machine.State) bool {
	r.stopped = r.stopped || r.ctx.Err() != nil || r.limit > 0 && r.nodes >= r.limit
	if r.isStopped() {
		return false
	}
	if err := r.expander.Expand(&p.expansion, q); err != nil {
		if r.stopped = r.ctx.Err() != nil; !r.stopped {
			r.fail(err)
		}
		return false
	}
	turn, ok := p.expansion.Turn(r.random)
	if p.Turn = turn; !ok {
		r.fail(search.ErrNotSequential)
	}
	return ok
}

// choose finds the best move; it tries moves that end the game first.
func (r *run) choose(p *ply, at int) bool {
	found := false
	for _, ends := range []bool{true, false} {
		for a := range p.Actions {
			if r.ends(p, a) != ends {
				continue
			}
			if !r.move(p, a, at) {
				return false
			}
			if !found || p.tuple[p.Decider] > p.best[p.Decider] {
				found, p.chosen = true, a
				copy(p.best, p.tuple)
			}
			if p.Actions > 1 && p.best[p.Decider] >= machine.MaxGoal {
				return true
			}
		}
	}
	return true
}

// ends reports whether every reply to move a ends the game.
func (r *run) ends(p *ply, a int) bool {
	for k := range p.Replies {
		if !p.expansion.Terminal[p.ChildNumber(a, k)] {
			return false
		}
	}
	return true
}

// move finds the tuple of move a: the mean over the replies of chance, on the grid of exact.Snap, so that equal means are
// equal as numbers.
func (r *run) move(p *ply, a, at int) bool {
	clear(p.tuple)
	for k := range p.Replies {
		c := p.ChildNumber(a, k)
		if p.expansion.Terminal[c] {
			r.add(p.tuple, p.expansion.ChildGoals(c))
			continue
		}
		if !r.value(p.expansion.Child(c), at+1) {
			return false
		}
		for role, v := range r.ply(at + 1).best {
			p.tuple[role] += v
		}
	}
	for role, sum := range p.tuple {
		p.tuple[role] = exact.Snap(sum / float64(p.Replies))
	}
	return true
}

// add adds goals to a tuple.
func (r *run) add(tuple []float64, goals []int32) {
	for role, g := range goals {
		if machine.Role(role) != r.random {
			tuple[role] += float64(search.Points(g))
		}
	}
}

// recall reads the value of q from the table.
func (r *run) recall(q machine.State, p *ply) bool {
	if r.NoTable || !r.table.Lookup(r.packed, r.table.Key(r.memory, q)) {
		return false
	}
	r.hits++
	p.chosen = int(r.packed[0])
	for role := range p.best {
		p.best[role] = math.Float64frombits(r.packed[1+role])
	}
	return true
}

// remember stores the tuple of q, which is exact.
func (r *run) remember(q machine.State, p *ply, cost int64) {
	if r.NoTable {
		return
	}
	r.packed[0] = uint64(p.chosen)
	for role, v := range p.best {
		r.packed[1+role] = math.Float64bits(v)
	}
	r.table.Update(r.packed, r.table.Key(r.memory, q), cost, func(_, _ []uint64) {})
}

// root writes values, strategies and the line of position q, which was searched.
func (r *run) root(res *search.Result, q machine.State, exact, noLine bool) {
	p := r.ply(0)
	for role := range res.Values {
		switch {
		case machine.Role(role) == r.random:
		case exact:
			res.Values[role] = search.Exact(p.best[role])
		default:
			res.Values[role] = search.GoalRange
		}
	}
	if p.expansion.Children == 0 {
		return
	}
	for role, moves := range p.expansion.Moves {
		if machine.Role(role) != r.random {
			move := moves[0]
			if machine.Role(role) == p.Decider {
				move = moves[p.chosen]
			}
			res.Strategies[role] = []search.Weighted{{Move: move, Probability: 1}}
		}
	}
	if exact && !noLine {
		res.Line = r.line(q)
	}
}

// line follows the best moves from q as far as the table knows them.
func (r *run) line(q machine.State) [][]machine.Move {
	p := r.plies[0]
	known := true // of the root, without a look into the table
	line, _, _ := search.Walk(r.expander, q, func(e *play.Expansion, q machine.State) (int, bool) {
		turn, ok := e.Turn(r.random)
		if !ok || turn.Replies > 1 {
			return 0, false
		}
		chosen := 0
		if turn.Actions > 1 {
			known = known || r.recall(q, p)
			chosen = p.chosen
		}
		ok, known = known || turn.Actions == 1, false
		return turn.ChildNumber(chosen, 0), ok
	})
	return line
}
