package layers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/internal/recent"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/matrix"
)

// game is a game with its layers.
type game struct {
	machine    machine.Machine
	root       machine.State
	symmetries []symmetry
	exact.Payoff
	config  Config
	workers []*worker

	groups   [][]int // groups of bits of which exactly one is set in positions of random games
	packings recent.Cache[string, *packing]
	layers   []*layer
	near     atomic.Int64 // layer of the last position found

	ctx      context.Context
	limits   search.Limits
	started  time.Time
	counters search.Counters
	peak     atomic.Int64 // peak memory
	synced   chan error   // holds the result of the last sync
}

// worker is the state of one goroutine.
type worker struct {
	game     *game
	expander *play.Expander
	lp       matrix.Engine
	dst      []play.Expansion
	states   []uint64
	matrix   []float64

	keys buffer       // of a layer under construction
	held atomic.Int64 // memory of keys

	looked []int // layers without the position
	games  int64 // matrix games solved
	spent  time.Duration
}

// drop frees the memory of the keys.
func (w *worker) drop() {
	w.keys = buffer{}
	w.held.Store(0)
}

// batchPositions is the number of positions expanded together.
const batchPositions = 64

func newGame(m machine.Machine, root machine.State, config Config) (*game, error) {
	first, other, err := search.Opponents(m.Names())
	if err != nil {
		return nil, err
	}
	g := &game{
		machine: m, root: slices.Clone(root), config: config,
		Payoff: exact.Payoff{First: first, Other: other},
	}
	for _, y := range facts.Symmetries(m) {
		g.addSymmetry(y)
	}
	for range config.Threads {
		lp, err := config.Engine()
		if err != nil {
			return nil, err
		}
		g.workers = append(g.workers, &worker{
			game: g, expander: play.NewExpander(m), lp: lp,
			dst: make([]play.Expansion, batchPositions), states: make([]uint64, 0, batchPositions*len(m.Initial())),
		})
	}
	return g, nil
}

// addSymmetry adds a symmetry if it fixes or exchanges the players.
func (g *game) addSymmetry(y facts.Symmetry) {
	exchanges := g.Other != machine.NoRole && y.Roles[g.First] == g.Other
	if !exchanges && y.Roles[g.First] != g.First {
		return
	}
	to := make([]int, 64*len(g.machine.Initial()))
	for b := range to {
		to[b] = b
	}
	for f, image := range y.Fluents {
		to[f] = int(image)
	}
	g.symmetries = append(g.symmetries, symmetry{to, exchanges})
}

// points returns the goal of the first player in a terminal position. It checks the assumptions of the search:
// every player has a goal, and the goals have a constant sum.
func (g *game) points(goals []int32) (float64, error) {
	v := goals[g.First]
	if v < 0 || g.Other != machine.NoRole && goals[g.Other] < 0 {
		return 0, search.ErrGoals
	}
	return g.Of(goals)
}

// begin starts a search.
func (g *game) begin(ctx context.Context, lim search.Limits) {
	g.ctx, g.limits, g.started, g.counters = ctx, lim, time.Now(), search.Counters{}
	g.synced = make(chan error, 1)
	g.synced <- nil
	for _, w := range g.workers {
		w.begin(ctx)
	}
}

// begin prepares the worker for work until ctx ends.
func (w *worker) begin(ctx context.Context) {
	w.keys.reset() // left from an aborted task
	w.expander.Limit(ctx, 0, 0)
	w.lp.Within(ctx)
}

// solve builds and solves the missing layers.
func (g *game) solve() error {
	if over, _ := g.workers[0].expander.Look(g.root); over {
		return nil
	}
	err := g.enumerate()
	if err == nil {
		err = g.induce()
	}
	return cmp.Or(err, <-g.synced)
}

// Work on a layer is divided into blocks. Large blocks come first, since each costs messages, a file and a
// merger. Small blocks come last, which shortens the wait for the last one.
const (
	blockShare = 10 // fraction of the remaining positions
	maxBlock   = 1 << 19
)

var minBlock = 1 << 13 // variable for tests

// blocks returns the first positions of the blocks of a layer of n positions, and n. They depend on n
// alone.
func blocks(n int) (starts []int) {
	for first := 0; first < n; first += max(minBlock, min(maxBlock, (n-first)/blockShare)) {
		starts = append(starts, first)
	}
	return append(starts, n)
}

// each distributes the blocks of a layer of n positions to the workers, or to maxTasks goroutines with w =
// nil if helpers work. It reports progress and returns the first error, which cancels the other blocks.
func (g *game) each(depth, n int, do func(ctx context.Context, w *worker, first, last int) error) error {
	started := time.Now()
	workers, starts := g.workers, blocks(n)
	if g.config.Elsewhere != nil {
		workers = make([]*worker, maxTasks)
	}
	ctx, stop := context.WithCancelCause(g.ctx)
	defer stop(nil)
	var next, done atomic.Int64
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1))
				if i >= len(starts) {
					return
				}
				first, last := starts[i-1], starts[i]
				if err := do(ctx, w, first, last); err != nil {
					stop(err)
				}
				done.Add(int64(last - first))
			}
		})
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return context.Cause(ctx)
		case <-tick.C:
			if done := done.Load(); done > 0 {
				g.reportProgress(depth, done, time.Duration(float64(time.Since(started))*float64(int64(n)-done)/float64(done)))
			}
		}
	}
}

// reportEvery is the time between two reports.
const reportEvery = time.Second / 10

// reportProgress calls Limits.Progress if it is set.
func (g *game) reportProgress(depth int, positions int64, left time.Duration) {
	if g.limits.Progress == nil {
		return
	}
	c := g.counters
	c.Nodes, c.Depth, c.Left, c.PeakBytes, c.Elapsed = c.Nodes+positions, depth, left, g.peak.Load(), time.Since(g.started)
	g.limits.Progress(search.Result{Values: g.Values(len(g.machine.Names().Roles), search.GoalRange), Proved: true, Counters: c})
}

// saveLayer accounts for the new layer d and writes it to the folder, if there is one.
func (g *game) saveLayer(d int) error {
	if err := g.charge(0); err != nil || g.config.Folder == "" {
		return err
	}
	if err := g.save(g.path(d, "positions"), g.layers[d]); err != nil {
		return err
	}
	return g.sync(g.path(d, "positions"))
}

// bufferKeys returns the number of keys that a worker sorts at a time.
func (g *game) bufferKeys() int {
	const most, least, bytes, share = 1 << 22, 1 << 10, 16, 8
	if g.limits.MaxBytes == 0 {
		return most
	}
	return int(min(most, max(least, g.limits.MaxBytes/int64(bytes*share*len(g.workers)))))
}

// charge returns an error if the layers, the keys of the workers and bytes together exceed the memory
// limit.
func (g *game) charge(bytes int64) error {
	all := g.bytes() + bytes
	for _, w := range g.workers {
		all += w.held.Load()
	}
	for peak := g.peak.Load(); all > peak && !g.peak.CompareAndSwap(peak, all); peak = g.peak.Load() {
	}
	if most := g.limits.MaxBytes; most == 0 || all <= most {
		return nil
	}
	return fmt.Errorf("%w: layer %d exceeds %d MiB together with its neighbour (without a folder: with all layers)",
		search.ErrMemory, len(g.layers), g.limits.MaxBytes>>20)
}

// bytes returns the memory of the layers.
func (g *game) bytes() int64 {
	all := int64(0)
	for _, l := range g.layers {
		all += l.bytes()
	}
	return all
}

// ensureLoaded loads the keys of layer d and, if values is set, its values and its index.
func (g *game) ensureLoaded(d int, values bool) error {
	if g.config.Folder != "" {
		if err := g.load(d, values); err != nil {
			return err
		}
	}
	if values {
		g.layers[d].index()
	}
	return g.charge(0)
}

// unloadExcept unloads all layers except first to last, if there is a folder.
func (g *game) unloadExcept(first, last int) {
	for d, l := range g.layers {
		if g.config.Folder != "" && (d < first || d > last) {
			l.drop()
		}
	}
}
