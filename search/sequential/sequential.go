// Package sequential solves games in which at most one role has a choice at a time, with or without chance. Its main
// search is Bounded Alpha-Beta (the paper of that name, Algorithm 1 and Theorem 1). It returns an interval of
// width at most ε that contains the minimax value. The package owns window arithmetic, move
// ordering and iterative deepening; it knows state machines, never rules or text.
//
// Infinite matches have no known value: it may be 0 to 100 points for each role. So bounds are proved by finite
// trees alone. A lower bound for a role says that the role forces an end with at least this goal in finitely many
// joint moves. An upper bound says that the other roles force an end with at most this goal. If a role gains by an
// infinite match, the value stays unsolved. All exact searches keep to this definition, except plans of one role, to which an
// infinite match is worth nothing (facts.FindPlan). Package arrival finds the moves that reach the end.
//
// Supported: one role, or two roles with constant sum; in addition the role "random", alone at a position or
// together with one player. Not supported: two players that choose simultaneously (search.ErrNotSequential), goals
// without a constant sum (search.ErrNotZeroSum), three players or more (search.ErrNotZeroSum).
package sequential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
	"stackmate/search/threads"
)

// Refinement is an improvement on the literal Algorithm 1. All refinements are on by default; Config.Without
// switches them off for ablation.
type Refinement uint

// The refinements.
const (
	Table      Refinement = 1 << iota // transposition table
	Ordering                          // move ordering: table move, history, number of replies
	Lookahead                         // bounds of all children before the first is searched
	NullWindow                        // null windows for later children
	Deepening                         // iterative deepening: depth 1, 2, 3, 4, 6, 9, 13, 19 …
	Ahead                             // children expanded in one batch
	Probing                           // one action after each reply of chance, before complete searches (Star2)
	Foresight                         // decisive moves settle positions without a search
)

// Literal switches off all refinements: Algorithm 1 as printed.
const Literal = Table | Ordering | Lookahead | NullWindow | Deepening | Ahead | Probing | Foresight

// Config configures the search. The zero value solves exactly.
type Config struct {
	// Epsilon is the tolerance ε in goal points: the search stops at
	// Upper − Lower ≤ ε.
	Epsilon float64
	// ShareEpsilon passes the tolerance that the first children of a chance node do not use on to the later children
	// (Eq. 26). It pays for large ε only: the unused tolerance of the last child is missing
	// above (docs/lab/turns.md).
	ShareEpsilon bool
	// Halves splits the search: it first decides whether the value is in one half of the range, and then searches
	// this half. This takes fewer nodes (docs/lab/turns.md), but the other half stays without bounds for a
	// long time. The first half is the upper half if the mean goal of random games is clearly above the
	// middle.
	Halves bool
	// Falling lowers the tolerance from half the range of the goals to Epsilon (falling.go). Halves excludes it.
	Falling bool
	// Threads is the number of threads, which share a table; 0 and 1 mean one thread. Proved bounds do
	// not depend on it. The number of nodes, and the choice between equal moves, do with more than one thread.
	// Without a table one thread is used.
	Threads int
	// Without lists the refinements to leave out.
	Without Refinement

	// horizon is the guessed value of positions beyond the depth; nil means the middle of the goals.
	horizon *float64
}

// deepeningStep divides the depth: an iteration is deeper than the last one by this quotient. Steps of a half cost
// 10 to 27 % fewer nodes than steps of a third on small sequential games (docs/lab/turns.md). Both exceed the depth
// of the shortest win equally little.
const deepeningStep = 2

// step returns the increase in depth of the next iteration.
func step(depth int) int { return max(1, depth/deepeningStep) }

// Solver is Bounded Alpha-Beta with a transposition table that persists between calls of Search with the same machine
// and memory limit. Searches of a new Solver with a node limit, on one thread, are reproducible. The maximiser is
// the first role that is not chance. A Solver belongs to one goroutine.
type Solver struct {
	config    Config
	newPayoff func(*machine.Names) (*payoff, error)

	machine  machine.Machine
	maxBytes int64
	stack    int64 // bytes for the expansions of one path
	table    *table.Shared
	payoff   *payoff
	packing  packing
	cuts     [2]int64 // of the last search
	alone    int64    // see crew
	tick     int64    // see crew
	decisive *decisive
	seed     uint64     // seed of the random games of prior
	prior    [][]int64  // initial scores of fluents, by role; nil without priors
	hopeful  bool       // see crew
	endless  [2]*Solver // see boundEndless
	last     root       // of the last search
}

var _ search.Searcher = (*Solver)(nil)

// New returns a solver.
func New(c Config) *Solver {
	return &Solver{config: c, newPayoff: newPayoff, alone: aloneNodes, tick: tickNodes, seed: 1}
}

// Search implements search.Searcher. Besides the errors for unsupported games it returns errors for positions in
// which a role has no legal move.
func (v *Solver) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	if err := v.prepare(m, lim.MaxBytes); err != nil {
		return search.Result{}, err
	}
	if v.prior == nil && v.config.Without&Ordering == 0 {
		v.prior, v.hopeful = v.payoff.prior(ctx, m, s, v.seed)
	}
	c := v.crew(ctx, m, s, lim)
	r := c.workers[0]
	promised := r.promise(s)
	c.deepen()
	endless := !r.isDone()
	if endless {
		v.boundEndless(ctx, m, s, lim, r)
	}
	v.last = r.root
	res := c.report()
	if endless && !r.isDone() {
		res.Unfinished = cmp.Or(r.unseen, exact.ErrTooDeep)
	}
	v.cuts = [2]int64{}
	for _, w := range c.workers {
		v.cuts[0], v.cuts[1] = v.cuts[0]+w.cuts[0], v.cuts[1]+w.cuts[1]
	}
	if c.err() == nil && v.breaks(promised, res) {
		return v.exactly(func() (search.Result, error) { return v.Search(ctx, m, s, lim) })
	}
	return res, c.err()
}

// prepare creates the payoff and the table, unless machine and memory limit are unchanged.
func (v *Solver) prepare(m machine.Machine, maxBytes int64) error {
	if v.machine == m && v.maxBytes == maxBytes {
		return nil
	}
	p, err := v.newPayoff(m.Names())
	if err != nil {
		return err
	}
	if v.machine != m {
		v.prior, v.hopeful = nil, false
	}
	v.machine, v.maxBytes, v.payoff, v.packing = m, maxBytes, p, packingOf(m, p)
	v.decisive = newDecisive(m, p, v.config.Without)
	tables, stack := search.Divide(maxBytes, m.Info().Batch*int64(v.threads()))
	v.table, v.stack = table.NewShared(m, v.packing.bits, tables), stack
	return nil
}

func (v *Solver) threads() int {
	if v.config.Without&Table != 0 {
		return 1
	}
	return max(v.config.Threads, 1)
}

// crew returns the workers of a Search of position s.
func (v *Solver) crew(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) *crew {
	c := &crew{ctx: ctx, position: s, table: v.table, began: time.Now(), told: time.Now(), tell: lim.Progress, noLine: lim.NoLine, alone: v.alone, tick: v.tick, decisive: v.decisive, hopeful: v.hopeful}
	workers := int64(v.threads())
	if v.stack > 0 {
		workers = min(workers, max(v.stack/workerStack, 1))
	}
	if workers > 1 {
		c.busy = new(threads.Busy)
	}
	nodes := lim.MaxNodes
	if nodes > 0 {
		nodes = max(nodes/workers, 1)
	}
	for range workers {
		c.workers = append(c.workers, v.worker(c, m, v.stack/workers, nodes))
	}
	c.workers[0].prepare()
	c.tracks = c.workers[0].start(facts.GoalValues(m))
	if v.table.Stats().Entries > 0 { // kept entries do not contain the sum of the goals
		if err := v.payoff.Find(ctx, m); err != nil {
			c.workers[0].fail("%w", err)
		}
	}
	return c
}

// worker returns a worker with a number of bytes for expansions and a limit of nodes.
func (v *Solver) worker(c *crew, m machine.Machine, bytes, nodes int64) *run {
	r := &run{
		crew:     c,
		Config:   v.config,
		payoff:   v.payoff,
		packing:  v.packing,
		table:    v.table,
		words:    len(m.Initial()),
		parallel: m.Info().Parallel,
		limit:    nodes,
		history:  newHistory(m, v.prior),
		shown:    newFrame(len(m.Initial())),
	}
	r.prepare = sync.OnceFunc(func() {
		players := [2]machine.Role{v.payoff.First, v.payoff.Other}
		if v.payoff.Other < 0 {
			players[1] = v.payoff.First
		}
		r.canon = table.NewCanon(m, players, false)
		r.expander = play.NewExpander(m)
		r.expander.Limit(c.ctx, bytes, childBytes(len(m.Initial())))
	})
	r.outcome = unknown
	r.probe, r.due = -1, c.tick
	r.packed = make([]uint64, 2*v.table.ValueWords())
	r.merge = r.packing.merge
	return r
}

// run is a worker: the state of one goroutine in a Search.
type run struct {
	crew    *crew
	prepare func() // creates canon and expander on the first call
	Config
	*payoff
	packing
	table    *table.Shared
	packed   []uint64                  // memory for an entry
	wanted   []table.Key               // children to look up
	merge    func(value, old []uint64) // packing.merge
	canon    *table.Canon
	expander *play.Expander
	// foreseeing expands positions below the root with foresight; nil without foresight.
	foreseeing *play.Expander
	words      int
	parallel   bool
	frames     []*frame
	history    *history
	root       root
	shown      *frame // frame of the position in the result

	tolerance float64 // ε of the iteration
	gap       float64 // the smallest gap between two goals

	limit   int64
	nodes   int64
	due     int64 // number of nodes at which counters are published
	shared  shared
	hits    int64
	looked  int64    // number of positions, see search.Counters
	outcome value    // of the last call of search
	cuts    [2]int64 // windows closed by the first action searched, and by a later one
	horizon bool     // a position beyond the depth had a guessed value
	probe   int      // ply whose positions search their first action only; or -1
	unseen  error    // reason why a position was guessed: it is too wide, or the path to it fills the stack
	outrun  int      // ply to unwind to, as another worker knows its value; or 0
	answer  value    // this value
	stopped bool     // ctx is done, or another worker has completed the iteration
	err     error
}

// root is the knowledge of the searched position after the last complete iteration and the interrupted iteration
// after it.
type root struct {
	value   value
	actions []value // by move of the role that chooses; empty if the root is forced

	maximise bool // the role that chooses is the maximiser
}

// search searches the root, depth choices deep.
func (r *run) search(s machine.State, depth int, w window) value {
	f := r.frame(0)
	r.find(&f.key, f.image, s)
	return r.position(s, &f.key, nil, 0, 0, depth, w)
}

func (r *run) isDone() bool {
	return r.root.isSettled(r.Epsilon) || r.isStopped()
}

// learn enters the outcome of an iteration; earlier proved bounds still hold. Only proved bounds of an interrupted
// iteration count, as its guesses mix two depths.
func (t *root) learn(v value, f *frame, broken bool) {
	if f.Actions > 0 && len(t.actions) != f.Actions {
		t.actions = append([]value(nil), f.values...)
	}
	update := func(old, new value) value {
		if broken {
			return old.tightened(new.proved)
		}
		return new.tightened(old.proved)
	}
	t.value = update(t.value, v)
	for a := range min(len(t.actions), f.Actions) {
		t.actions[a] = update(t.actions[a], f.values[a])
	}
}

// isStopped reports whether the search must unwind. Results returned during unwinding still hold: unsearched positions
// have unknown values.
func (r *run) isStopped() bool {
	return r.err != nil || r.limit > 0 && r.nodes >= r.limit || r.stopped || r.outrun > 0
}

// expand expands s into f. If parent is not nil, s is its child c; if of is not nil, s is child c of this expansion.
// It returns false if the search must unwind, or s is too wide. The context is checked before each expansion.
func (r *run) expand(f *frame, s machine.State, parent *frame, of *play.Expansion, c int) bool {
	if r.stopped = r.stopped || r.crew.isOver(); r.stopped {
		return false
	}
	if parent != nil && r.isAhead(parent, c) {
		f.children = &parent.ahead.expansions[c]
		return true
	}
	f.children = &f.own
	isRoot := f == r.frame(0)
	x := r.expander
	if !isRoot {
		x = r.innerExpander()
	}
	var err error
	if of != nil {
		err = x.ExpandChild(&f.own, s, of, c)
	} else {
		err = x.Expand(&f.own, s)
	}
	switch {
	case err == nil:
		return true
	case r.crew.isOver():
		r.stopped = true
	case errors.Is(err, play.ErrTooWide) && !isRoot:
		r.unseen = err
	default:
		r.fail("%w", err)
	}
	return false
}

func (r *run) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}
