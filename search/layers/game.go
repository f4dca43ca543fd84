package layers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/matrix"
)

// game is a game with its layers.
type game struct {
	machine    machine.Machine
	root       machine.State
	symmetries []symmetry
	first      machine.Role // the players
	other      machine.Role // machine.NoRole in a game of one
	chance     machine.Role // machine.NoRole if there is none
	config     Config
	workers    []*worker

	groups [][]int // of which exactly one bit is set in the positions of random games
	layers []*layer
	near   int          // layer of the last position found
	sum    atomic.Int64 // of the goals in every terminal position, and 1; 0 as long as none was met

	ctx      context.Context
	limits   search.Limits
	started  time.Time
	counters search.Counters
	mu       sync.Mutex // guards what follows
	peak     int64
}

// worker is what one goroutine works with.
type worker struct {
	game     *game
	number   int
	expander *machine.Expander
	lp       matrix.Engine
	dst      []machine.Expansion
	states   []uint64
	matrix   []float64

	held  int64 // memory of a layer that is being made, guarded by the game's mutex
	games int64 // matrix games solved
	spent time.Duration
}

// batchPositions are expanded together.
const batchPositions = 64

func newGame(m machine.Machine, root machine.State, config Config) (*game, error) {
	first, other, err := search.Opponents(m.Names())
	if err != nil {
		return nil, err
	}
	g := &game{
		machine: m, root: slices.Clone(root), config: config,
		first: first, other: other, chance: m.Names().Chance(),
	}
	for _, y := range m.Symmetries() {
		g.addSymmetry(y)
	}
	for i := range config.Threads {
		lp, err := config.Engine()
		if err != nil {
			return nil, err
		}
		g.workers = append(g.workers, &worker{
			game: g, number: i, expander: machine.NewExpander(m), lp: lp,
			dst: make([]machine.Expansion, batchPositions), states: make([]uint64, 0, batchPositions*m.Words()),
		})
	}
	return g, nil
}

// addSymmetry keeps a symmetry that leaves the players in their places or exchanges them.
func (g *game) addSymmetry(y machine.Symmetry) {
	exchanges := g.other != machine.NoRole && y.Roles[g.first] == g.other
	if !exchanges && y.Roles[g.first] != g.first {
		return
	}
	to := make([]int, 64*g.machine.Words())
	for b := range to {
		to[b] = b
	}
	for f, image := range y.Fluents {
		to[f] = int(image)
	}
	g.symmetries = append(g.symmetries, symmetry{to, exchanges})
}

// points is the goal of the first player in a terminal position. It checks what the search relies on:
// goals of constant sum.
func (g *game) points(goals []int32) (float64, error) {
	v := search.Points(goals[g.first])
	if g.other == machine.NoRole {
		return float64(v), nil
	}
	sum := int64(v + search.Points(goals[g.other]))
	if known := g.sum.Load(); known != sum+1 && !g.sum.CompareAndSwap(0, sum+1) && g.sum.Load() != sum+1 {
		return 0, fmt.Errorf("%w: found goals of %d and %d after others with the sum %d",
			search.ErrNotZeroSum, v, sum-int64(v), g.sum.Load()-1)
	}
	return float64(v), nil
}

// begin begins a search.
func (g *game) begin(ctx context.Context, lim search.Limits) {
	g.ctx, g.limits, g.started, g.counters = ctx, lim, time.Now(), search.Counters{}
	for _, w := range g.workers {
		w.games, w.spent = 0, 0
		w.expander.Limit(g.ctx, 0, 0)
		w.lp.Within(g.ctx)
	}
}

// solve makes the layers and solves them, as far as that is not done yet.
func (g *game) solve() error {
	if over, _ := g.workers[0].expander.Look(g.root); over {
		return nil
	}
	if err := g.enumerate(); err != nil {
		return err
	}
	return g.induce()
}

// blockPositions are worked at by one worker, one after the other.
const blockPositions = 1 << 12

// each hands out the numbers below n to the workers, in blocks, and reports progress with a layer meanwhile. It returns
// the first error.
func (g *game) each(depth, n int, work func(w *worker, first, last int) error) error {
	started := time.Now()
	ctx, stop := context.WithCancelCause(g.ctx)
	defer stop(nil)
	var next, done atomic.Int64
	var all sync.WaitGroup
	for _, w := range g.workers {
		all.Go(func() {
			for ctx.Err() == nil {
				first := int(next.Add(blockPositions)) - blockPositions
				if first >= n {
					return
				}
				last := min(first+blockPositions, n)
				if err := work(w, first, last); err != nil {
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
				g.tell(depth, done, time.Duration(float64(time.Since(started))*float64(int64(n)-done)/float64(done)))
			}
		}
	}
}

// reportEvery is the time between two reports.
const reportEvery = time.Second / 10

// tell reports progress to whoever asked for it.
func (g *game) tell(depth int, positions int64, left time.Duration) {
	if g.limits.Progress == nil {
		return
	}
	c := g.counters
	c.Nodes, c.Depth, c.Left, c.PeakBytes, c.Elapsed = c.Nodes+positions, depth, left, g.most(), time.Since(g.started)
	g.limits.Progress(search.Result{Values: g.values(search.Interval{Upper: machine.MaxGoal}), Proved: true, Counters: c})
}

// keep books layer d, which was made or solved: it is written to the folder, where there is one.
func (g *game) keep(d int) error {
	for _, w := range g.workers {
		w.held = 0
	}
	if err := g.take(nil, 0); err != nil {
		return err
	}
	switch {
	case g.config.Folder == "":
		return nil
	case g.layers[d].solved:
		return g.saveValues(d)
	}
	return g.save(d)
}

// bufferKeys is the room for keys that a worker sorts at a time.
func (g *game) bufferKeys() int {
	const most, least, bytes, share = 1 << 22, 1 << 10, 16, 8
	if g.limits.MaxBytes == 0 {
		return most
	}
	return int(min(most, max(least, g.limits.MaxBytes/int64(bytes*share*len(g.workers)))))
}

// take books that a worker holds so much memory, unless it is nil, and says if all is too much.
func (g *game) take(w *worker, bytes int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w != nil {
		w.held = bytes
	}
	all := g.bytes()
	for _, w := range g.workers {
		all += w.held
	}
	g.peak = max(g.peak, all)
	if most := g.limits.MaxBytes; most == 0 || all <= most {
		return nil
	}
	return fmt.Errorf("%w: layer %d takes more than %d MiB with its neighbour, or without a folder with all others",
		search.ErrMemory, len(g.layers), g.limits.MaxBytes>>20)
}

// bytes is the memory of the layers.
func (g *game) bytes() int64 {
	all := int64(0)
	for _, l := range g.layers {
		all += l.bytes()
	}
	return all
}

// most is the most memory that was in use.
func (g *game) most() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.peak
}

// recall makes the keys of layer d, and its values with an index where they are wanted, ready in memory.
func (g *game) recall(d int, values bool) error {
	if g.config.Folder != "" {
		if err := g.load(d, values); err != nil {
			return err
		}
	}
	if values {
		g.layers[d].index()
	}
	return g.take(nil, 0)
}

// forget leaves all layers to the folder but those from first to last.
func (g *game) forget(first, last int) {
	for d, l := range g.layers {
		if g.config.Folder != "" && (d < first || d > last) {
			l.drop()
		}
	}
}

// values are those of all roles, given that of the first player. Chance has no stake in the game: its value is 0
// by convention.
func (g *game) values(v search.Interval) []search.Interval {
	values := make([]search.Interval, len(g.machine.Names().Roles))
	values[g.first] = v
	if g.other != machine.NoRole {
		values[g.other] = search.Interval{Upper: machine.MaxGoal}
		if sum := g.sum.Load() - 1; sum >= 0 {
			values[g.other] = search.Interval{Lower: float64(sum) - v.Upper, Upper: float64(sum) - v.Lower}
		}
	}
	return values
}
