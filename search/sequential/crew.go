package sequential

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
	"stackmate/search/threads"
)

// Parallel search: all threads search the same position to the same depth. Each has its own frames, history
// and expander; they share the transposition table. The first worker that completes the iteration
// ends it for all, as the table has the other workers' results.
//
// Work is divided by deferred moves (ABDADA, Weill 1996, simplified by Kerrigan): a small hash table lists the children
// under search. A child that another worker searches is deferred until its siblings are done; by then the table
// mostly has its value. The first child is never deferred, since the windows of its siblings depend
// on it (young brothers wait). Children of expected cut nodes are not deferred either (ahead.go): all workers
// search the first child together, since a cutoff would make work on the second useless. If another worker has
// answered the question of a position on its path, a worker unwinds to this position.
//
// The first worker searches alone at first, as small searches end before others would have begun. The other workers
// join later.
//
// Invariant: proved bounds do not depend on the worker, so the value does not depend on the number of threads. A search
// with one thread defers nothing and is reproducible.

// crew is the state of one Search.
type crew struct {
	threads.Crew
	ctx      context.Context
	workers  []*run // the first worker reports
	position machine.State
	table    *table.Shared
	busy     *threads.Busy       // nil for a single worker
	tell     func(search.Result) // receives progress; may be nil
	noLine   bool                // results have no principal variation

	alone int64 // nodes of the first worker before the others join
	tick  int64 // nodes of a worker between two checks of the clock and of the other workers

	began, told time.Time // start of the search, and time of the last report
	decisive    *decisive // shared by the workers
	tracks      []track   // the track of the falling tolerance first
	hopeful     bool      // random games suggest a value clearly above the middle of the range
	depth       int       // of the iteration
	iteration   time.Time
	lasted      [2]time.Duration // durations of the last two iterations, the latest first
}

// aloneNodes is the number of nodes below which a search does not justify several threads: their memory
// takes some milliseconds.
const aloneNodes = 4096

// workerStack is the least memory for the expansions of a worker that does not search alone: a path of exact.MaxPly positions
// of few moves.
const workerStack = 8 << 20

// tickNodes is the number of nodes between two checks of the clock, about a millisecond; progressTime is the time
// between two reports.
const (
	tickNodes    = 1024
	progressTime = time.Second
)

// isOver reports whether all workers must unwind.
func (c *crew) isOver() bool { return c.IsOver() || c.ctx.Err() != nil }

// err returns the error of the search, or nil.
func (c *crew) err() error {
	for _, w := range c.workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// deepen searches the position by iterative deepening. It ends when the proved interval is at most ε wide, the whole
// tree is searched, or the search is stopped.
func (c *crew) deepen() {
	r := c.workers[0]
	r.root.value = unknown
	if terminal, goals := r.expander.Look(c.position); terminal {
		r.root.value = r.terminal(goals)
		return
	}
	c.iteration = time.Now()
	for !r.isDone() && len(c.tracks) > 0 {
		i, before := c.next(), r.nodes
		c.depth, r.tolerance = c.tracks[i].depth, c.tracks[i].tolerance
		asked, half := r.ask()
		first := c.together(func(w *run) {
			w.horizon, w.unseen = false, nil
			w.outcome = w.search(c.position, c.depth, asked)
		})
		c.lasted = [2]time.Duration{time.Since(c.iteration), c.lasted[0]}
		if first == nil {
			for _, w := range slices.Backward(c.workers) { // the first worker's guesses count
				r.root.learn(w.outcome, w.frame(0), true)
			}
			break
		}
		r.root.learn(first.outcome, first.frame(0), false)
		r.unseen = first.unseen
		c.tracks[i].nodes += r.nodes - before
		c.iteration = time.Now()
		if _, again := r.ask(); half && !again && !r.isDone() {
			continue // the other half, at the same depth
		}
		if c.advance(i, first.horizon); len(c.tracks) > 0 && !r.isDone() {
			c.show()
		}
	}
}

// ask returns the next window, and whether it is a half of the range.
func (r *run) ask() (w window, half bool) {
	p := r.root.value.proved
	w = window{0, machine.MaxGoal, r.tolerance}
	middle := (w.alpha + w.beta) / 2
	switch half = r.Halves && p.Lower+r.Epsilon < middle && middle+r.Epsilon < p.Upper; {
	case half && r.crew.hopeful:
		w.alpha = middle
	case half:
		w.beta = middle
	case r.Halves:
		w = w.narrowed(p)
	}
	return w, half
}

// report returns the present result. The first worker calls it.
func (c *crew) report() search.Result {
	r := c.workers[0]
	res := r.result(c.position)
	stats := c.table.Stats()
	res.Elapsed, res.PeakBytes, res.Evictions = time.Since(c.began), stats.Bytes, stats.Evictions
	r.publish()
	for _, w := range c.workers {
		res.Nodes += w.shared.nodes.Load()
		res.TableHits += w.shared.hits.Load()
		res.Positions += w.shared.looked.Load()
		res.PeakBytes += w.shared.bytes.Load()
	}
	res.Depth, res.Epsilon = c.depth, r.Epsilon
	if len(c.tracks) > 0 {
		res.Epsilon = c.tracks[0].tolerance
	}
	return res
}

// show reports progress. The remaining time of the iteration is extrapolated from the durations of the last two
// iterations. Iterations that the table answers, in a resumed search, do not count.
func (c *crew) show() {
	if c.tell == nil {
		return
	}
	res := c.report()
	if before, last := c.lasted[1], c.lasted[0]; before > progressTime {
		res.Left = max(0, time.Duration(float64(last)*float64(last)/float64(before))-time.Since(c.iteration))
	}
	c.tell(res)
	c.told = time.Now()
}

// progress calls show at intervals of progressTime. It does not change the counters.
func (c *crew) progress() {
	if time.Since(c.told) >= progressTime {
		hits := c.workers[0].hits
		c.show()
		c.workers[0].hits = hits
	}
}

// together runs do on every worker until a worker completes it, and returns this worker. It returns nil if all workers
// were stopped, or a worker has failed.
func (c *crew) together(do func(w *run)) *run {
	first := c.Together(len(c.workers), func(i int) (bool, error) {
		w := c.workers[i]
		defer w.publish()
		if i == 0 && w.nodes >= c.alone {
			c.Join()
		}
		w.prepare()
		do(w)
		return !w.isStopped(), w.err
	}, func(i int, err error) { c.workers[i].fail("%w", err) })
	if c.err() != nil || first < 0 {
		return nil
	}
	for _, w := range c.workers {
		w.stopped = c.ctx.Err() != nil
	}
	return c.workers[first]
}

// shared holds the published counters of a worker.
type shared struct{ nodes, hits, looked, bytes atomic.Int64 }

func (r *run) publish() {
	r.shared.nodes.Store(r.nodes)
	r.shared.hits.Store(r.hits)
	r.shared.looked.Store(r.looked)
	if r.expander != nil {
		r.shared.bytes.Store(r.expander.Bytes())
	}
}

// count counts a node. At intervals it publishes the counters and reads the other workers'.
func (r *run) count() {
	if r.nodes++; r.nodes < r.due {
		return
	}
	r.due = r.nodes + r.crew.tick
	r.publish()
	r.foresee()
	if r != r.crew.workers[0] {
		return
	}
	if r.nodes >= r.crew.alone {
		r.crew.Join()
	}
	r.crew.progress()
}

// isElsewhere reports whether another worker is searching child c of f.
func (r *run) isElsewhere(f *frame, c int) bool {
	if f.children.Terminal[c] {
		return false
	}
	return r.crew.busy.Has(f.keys[c].Hash())
}

// enter marks child c of f as under search by this worker, and leave removes the
// mark.
func (r *run) enter(f *frame, c int) {
	if r.crew.busy != nil && !f.children.Terminal[c] {
		r.crew.busy.Enter(f.keys[c].Hash())
	}
}

func (r *run) leave(f *frame, c int) {
	if r.crew.busy != nil && !f.children.Terminal[c] {
		r.crew.busy.Leave(f.keys[c].Hash())
	}
}

// defers reports whether action a of f is deferred, because another worker is searching it and all actions are expected
// to be searched. An action is deferred once, behind all others.
func (r *run) defers(f *frame, a int) bool {
	if r.crew.busy == nil || !f.ahead.expectAll || f.Replies > 1 || f.scores[a] < deferredScore/2 || !r.isElsewhere(f, f.ChildNumber(a, 0)) {
		return false
	}
	f.scores[a] += deferredScore
	return true
}

// deferredScore is added to the score of a deferred action, which ranks it below all
// others.
const deferredScore = -2 * tableScore

// question is the goal of a position's search.
type question struct {
	key    *key
	depth  int
	window window
}

// isOutrun checks, at intervals, and reports whether another worker has answered a question above a ply. Then the
// search unwinds to that position.
func (r *run) isOutrun(ply int) bool {
	if r.crew.busy == nil || r.nodes%threads.OutrunNodes != 0 {
		return false
	}
	horizon := r.horizon
	for above := 1; above < ply; above++ { // the root needs all its actions
		q := &r.frames[above].asked
		if v, _ := r.recall(q.key, q.depth); q.window.isClosed(v.guess) {
			r.outrun, r.answer = above, v
			return true
		}
		r.horizon = horizon // an unused answer has no guess
	}
	return false
}

// caughtUp returns the value of the position at a ply after unwinding: the answer of another worker if it was the
// reason, else v.
func (r *run) caughtUp(ply int, v value) value {
	if r.outrun != ply || ply == 0 {
		return v
	}
	r.outrun = 0
	return r.answer
}
