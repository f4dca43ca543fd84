// Package sequential solves games in which at most one role has a choice at a
// time, with or without chance: Bounded Alpha-Beta (the paper of that name,
// Algorithm 1 and Theorem 1), which returns an interval of width at most ε that
// contains the minimax value. It owns the window arithmetic, the ordering of
// moves and the deepening; it knows state machines, never rules or text.
//
// Matches without end: what they are worth is not known, from 0 to 100 points for each
// role. So bounds are proved by finite trees alone. A lower bound for a role says that the
// role forces an end with at least that goal in finitely many joint moves, whatever the
// others do; an upper bound, that the others force an end with at most that goal. Where a
// role may go on for ever, and gains by that, the value is not solved. All exact searches
// keep to this; package arrival finds the moves that reach the end.
//
// Supported: one role, or two roles with constant sum; in addition the role
// "random", alone at a position or together with one player. Not supported:
// two players choosing at once (search.ErrNotSequential), goals that do not add
// up (search.ErrNotZeroSum), three players or more (search.ErrNotZeroSum).
package sequential

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
	"stackmate/search/threads"
)

// Refinement is something that Bounded Alpha-Beta does better than the literal
// Algorithm 1. All are on; Config.Without switches them off for ablation.
type Refinement uint

// The refinements.
const (
	Table      Refinement = 1 << iota // remember positions
	Ordering                          // table move, history, replies left
	Lookahead                         // bounds of all children before the first is searched
	NullWindow                        // later children first have to beat the best one at all
	Deepening                         // depth 1, 2, 3, 4, 6, 9, 13, 19 …
	Ahead                             // children expanded together
	Probing                           // one action of each reply of chance, before all of any (Star2)
	Foresight                         // positions that decisive moves decide are not searched
)

// Literal switches every refinement off: Algorithm 1 as printed.
const Literal = Table | Ordering | Lookahead | NullWindow | Deepening | Ahead | Probing | Foresight

// Config says what to solve. The zero value solves exactly.
type Config struct {
	// Epsilon is the tolerance ε in goal points: the search may stop as soon as
	// Upper − Lower ≤ ε.
	Epsilon float64
	// Depth bounds the number of choices on a path; zero means as far as the
	// stack allows (maxPly).
	Depth int
	// Goals is the range of all goals; the zero value means 0 to 100.
	Goals search.Interval
	// ShareEpsilon hands the tolerance that the first children of a chance node
	// leave over to the later ones (Eq. 26). It pays for large ε only: what the
	// last child wastes is missing above (docs/lab/turns.md).
	ShareEpsilon bool
	// Halves asks for one half of the values before the other one: whether the value is above the middle, or
	// at least there, and then what it is. That takes fewer nodes (docs/lab/turns.md), but for a long
	// time nothing is known of the other half. The upper half is the first
	// one where random games end clearly above the middle in the mean.
	Halves bool
	// Threads is how many search at the same time, on one table; 0 and 1 are one.
	// What is proved does not depend on it; the number of nodes, and which of several
	// equal moves is found, do for more than one. Without a table there is one.
	Threads int
	// Without names the refinements to do without.
	Without Refinement

	// horizon, if not nil, is the guess for positions beyond the depth; nil is the middle of the goals.
	horizon *float64
}

// maxPly bounds the stack: positions with a choice on one path. Deeper
// positions count as unknown. 2000 is ten times the length of the longest games
// in common use and some tens of megabytes of frames.
const maxPly = 2000

// errTooDeep is why a search ends that its depth alone has kept from the value.
var errTooDeep = fmt.Errorf("there are positions more than %d plies deep", maxPly)

// deepeningStep: an iteration goes deeper than the last one by one ply in so many.
// Steps of a half cost 10 to 27 % fewer nodes than steps of a third on small games of
// turns (docs/lab/turns.md), and miss the shortest win by as little.
const deepeningStep = 2

// step is how many plies deeper than the last one an iteration goes.
func step(depth int) int { return max(1, depth/deepeningStep) }

// Solver is Bounded Alpha-Beta with a memory: its transposition table lasts
// from one Search to the next as long as the machine and the limit of memory
// are the same. Searches of a fresh Solver with a node limit, on one thread, are
// reproducible. The role that maximises is the first that is not chance. A Solver
// belongs to one goroutine.
type Solver struct {
	config    Config
	newPayoff func(*machine.Names, search.Interval) (*payoff, error)

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
	seed     uint64     // of the random games that prior comes from
	prior    [][]int64  // scores of fluents to begin with, by role; nil for none
	hopeful  bool       // see crew
	endless  [2]*Solver // see boundEndless
	last     root       // of the last search
}

var _ search.Searcher = (*Solver)(nil)

// New makes a solver.
func New(c Config) *Solver {
	if c.Goals == (search.Interval{}) {
		c.Goals = search.Interval{Lower: 0, Upper: 100}
	}
	if c.Depth == 0 || c.Depth > maxPly {
		c.Depth = maxPly
	}
	return &Solver{config: c, newPayoff: newPayoff, alone: aloneNodes, tick: tickNodes, seed: 1}
}

// Search implements search.Searcher. Besides the errors of the class of games
// it reports positions in which a role has no legal move and goals outside
// Config.Goals.
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
	endless := !r.isDone() && r.Depth == maxPly
	if endless {
		v.boundEndless(ctx, m, s, lim, r)
	}
	v.last = r.root
	res := c.report()
	if endless && !r.isDone() {
		res.Unfinished = errTooDeep
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

// prepare keeps the table of an earlier search where it still holds.
func (v *Solver) prepare(m machine.Machine, maxBytes int64) error {
	if v.machine == m && v.maxBytes == maxBytes {
		return nil
	}
	p, err := v.newPayoff(m.Names(), v.config.Goals)
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

// crew makes the workers of one Search of position s.
func (v *Solver) crew(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) *crew {
	c := &crew{ctx: ctx, position: s, table: v.table, began: time.Now(), told: time.Now(), tell: lim.Progress, alone: v.alone, tick: v.tick, decisive: v.decisive, hopeful: v.hopeful}
	workers := int64(v.threads())
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
	if v.payoff.minimiser >= 0 && v.payoff.sum.Load() == 0 && v.table.Stats().Entries > 0 { // what was kept does not tell the sum of the goals
		if err := v.payoff.findSum(ctx, m); err != nil {
			c.workers[0].fail("%w", err)
		}
	}
	return c
}

// worker makes one of them, which may take so many bytes for expansions.
func (v *Solver) worker(c *crew, m machine.Machine, bytes, nodes int64) *run {
	r := &run{
		crew:     c,
		Config:   v.config,
		payoff:   v.payoff,
		packing:  v.packing,
		table:    v.table,
		words:    m.Words(),
		parallel: m.Info().Parallel,
		limit:    nodes,
		history:  newHistory(m, v.prior),
		shown:    newFrame(m.Words()),
	}
	r.prepare = sync.OnceFunc(func() {
		players := [2]machine.Role{v.payoff.maximiser, v.payoff.minimiser}
		if v.payoff.minimiser < 0 {
			players[1] = v.payoff.maximiser
		}
		r.canon = table.NewCanon(m, players, false)
		r.expander = machine.NewExpander(m)
		r.expander.Limit(c.ctx, bytes, childBytes(m.Words()))
	})
	r.outcome = value{r.Goals, r.Goals}
	r.probe, r.due = -1, c.tick
	r.packed = make([]uint64, 2*v.table.ValueWords())
	r.merge = r.packing.merge
	r.best = func(k *key) machine.Move {
		_, best := r.recall(k, 0)
		return best
	}
	r.bounds = func(k *key) search.Interval {
		known, _ := r.recall(k, 0)
		return known.proved
	}
	return r
}

// run is what one goroutine does in a Search.
type run struct {
	crew    *crew
	prepare func() // makes canon and expander, the first time
	Config
	*payoff
	packing
	table    *table.Shared
	packed   []uint64                  // memory for an entry
	wanted   []table.Key               // children that are looked up
	merge    func(value, old []uint64) // that of packing
	canon    *table.Canon
	expander *machine.Expander
	// foreseeing, if not nil, expands what is not the root.
	foreseeing *machine.Expander
	words      int
	parallel   bool
	frames     []*frame
	history    *history
	root       root
	shown      *frame                     // of the position in the result
	best       func(*key) machine.Move    // that the table knows
	bounds     func(*key) search.Interval // that it knows to be proved

	limit   int64
	nodes   int64
	due     int64 // the number of nodes at which others are told
	shared  shared
	hits    int64
	looked  int64    // positions, see search.Counters
	outcome value    // of the last call of search
	cuts    [2]int64 // windows closed by the first action searched, and by a later one
	horizon bool     // a position beyond the depth was guessed
	probe   int      // the ply whose positions are probed: their first action is searched; or -1
	unseen  error    // why a position was guessed that is too wide to be searched
	outrun  int      // the ply to unwind to, since another worker knows its value; or 0
	answer  value    // which is this
	stopped bool     // ctx is done, or another worker has completed the iteration
	err     error
}

// root is what the last complete iteration, and the one broken off after it,
// know of the position searched.
type root struct {
	value   value
	actions []value // by move of the role that chooses; empty if the root is forced

	maximise bool // whether the role that chooses is the one that maximises
}

// search searches the root, depth choices deep.
func (r *run) search(s machine.State, depth int, w window) value {
	f := r.frame(0)
	r.find(&f.key, f.image, s)
	return r.position(s, &f.key, nil, 0, 0, depth, w)
}

func (r *run) isDone() bool {
	p := r.root.value.proved
	return p.Upper-p.Lower <= r.Epsilon || r.isStopped()
}

// learn takes over the outcome of an iteration. What was proved before still
// holds. Of an iteration that was broken off only proofs count, as its guesses mix two depths.
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

// isStopped tells whether the search must unwind. Everything that it returns
// while unwinding still holds: what was not searched counts as unknown.
func (r *run) isStopped() bool {
	return r.err != nil || r.limit > 0 && r.nodes >= r.limit || r.stopped || r.outrun > 0
}

// expand expands s, which is child c of an expansion if that is not nil, and of parent, into f. It
// returns false if the search must unwind, and where s is too wide. The context is
// looked at before each expansion.
func (r *run) expand(f *frame, s machine.State, parent *frame, of *machine.Expansion, c int) bool {
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
		x = r.beyond()
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
	case errors.Is(err, machine.ErrTooWide) && !isRoot:
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
