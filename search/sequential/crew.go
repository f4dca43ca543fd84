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

// Several threads search the same position to the same depth, each with frames, history
// and an expander of its own, and one table. Whoever is first to complete the iteration
// ends it for all: what the others have found by then is in the table.
//
// They find different things to do by telling each other which children they are at: one
// that somebody else is searching is put off until its siblings are done, and by then is
// mostly in the table (ABDADA, Weill 1996, in the simple form of Kerrigan: what is put off
// is told by a small table of hashes beside the transposition table). The first child of a
// position is never put off, since the windows of its siblings depend on it: so nobody
// searches what the first child would have made needless (young brothers wait). Nor is any
// where one child is expected to be enough (ahead.go): there workers search the same one
// together, since the second would be searched for nothing if the first closes the window. A
// worker that others have outrun, who know the value of a position on its path, goes back
// to it.
//
// A search of few nodes is done before the others would have begun: they join the first one
// later.
//
// Invariant: what is proved holds whoever proves it, so every number of threads finds the
// same value. With one thread nothing is put off, and the search is reproducible.

// crew is one Search.
type crew struct {
	threads.Crew
	ctx      context.Context
	workers  []*run // the first one reports
	position machine.State
	table    *table.Shared
	busy     *threads.Busy       // nil for a single worker
	tell     func(search.Result) // progress; may be nil

	alone int64 // nodes of the first worker before it is joined by the others
	tick  int64 // nodes of a worker between two looks at the clock and at what others know

	began, told time.Time // of the search, and of the last report
	decisive    *decisive // shared by the workers
	hopeful     bool      // random games end clearly above the middle of the goals in the mean
	depth       int       // of the iteration
	iteration   time.Time
	lasted      [2]time.Duration // the last two iterations, the last one first
}

// aloneNodes is the number of nodes below which a search is not worth the memory that
// several threads take, some milliseconds.
const aloneNodes = 4096

// tickNodes is the number of nodes between two looks at the clock, a millisecond or so,
// and progressTime the time between two reports.
const (
	tickNodes    = 1024
	progressTime = time.Second
)

// isOver tells whether all workers must unwind.
func (c *crew) isOver() bool { return c.IsOver() || c.ctx.Err() != nil }

// err is why the search failed, or nil.
func (c *crew) err() error {
	for _, w := range c.workers {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// deepen searches the position to growing depth until the interval is proved to be no
// wider than ε, the whole tree fits, or the search is stopped. Where it would fit
// but for positions that are too wide, that is an error.
func (c *crew) deepen() {
	r := c.workers[0]
	r.root.value = value{r.Goals, r.Goals}
	if terminal, goals := r.expander.Look(c.position); terminal {
		r.root.value = r.terminal(goals)
		return
	}
	c.depth = 1
	if r.Without&Deepening != 0 {
		c.depth = r.Depth
	}
	c.iteration = time.Now()
	for !r.isDone() {
		asked, half := r.ask()
		first := c.together(func(_ int, w *run) {
			w.horizon, w.unseen = false, nil
			w.outcome = w.search(c.position, c.depth, asked)
		})
		c.lasted = [2]time.Duration{time.Since(c.iteration), c.lasted[0]}
		if first == nil {
			for _, w := range slices.Backward(c.workers) { // of their guesses the first one's count
				r.root.learn(w.outcome, w.frame(0), true)
			}
			break
		}
		r.root.learn(first.outcome, first.frame(0), false)
		r.unseen = first.unseen
		if _, again := r.ask(); half && !again && !r.isDone() {
			c.iteration = time.Now()
			continue // the other half, as deep
		}
		if !first.horizon || c.depth == r.Depth {
			break
		}
		c.iteration = time.Now()
		c.show()
		c.depth = min(c.depth+step(c.depth), r.Depth)
	}
	if !r.isDone() && r.unseen != nil {
		r.fail("%w", r.unseen)
	}
}

// ask is the window to search next, and whether that is half of what the value may be.
func (r *run) ask() (w window, half bool) {
	p := r.root.value.proved
	w = window{r.Goals.Lower, r.Goals.Upper, r.Epsilon}
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

// report is what is known now. It is called by the first worker.
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
	res.Depth = c.depth
	return res
}

// show tells of progress, and how long the iteration goes on if it takes as many times as
// long as the last one as that took of the one before. Iterations that the table answers, after
// a search was resumed, say nothing of that.
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

// progress shows it if it is time to. It leaves the counters as they are.
func (c *crew) progress() {
	if time.Since(c.told) >= progressTime {
		hits := c.workers[0].hits
		c.show()
		c.workers[0].hits = hits
	}
}

// together lets every worker do the same until one completes it, which is returned: nil
// if all were stopped, or one has failed.
func (c *crew) together(do func(i int, w *run)) *run {
	first := c.Together(len(c.workers), func(i int) (bool, error) {
		w := c.workers[i]
		defer w.publish()
		if i == 0 && w.nodes >= c.alone {
			c.Join()
		}
		w.prepare()
		do(i, w)
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

// shared is what a worker lets the others know of its counters.
type shared struct{ nodes, hits, looked, bytes atomic.Int64 }

func (r *run) publish() {
	r.shared.nodes.Store(r.nodes)
	r.shared.hits.Store(r.hits)
	r.shared.looked.Store(r.looked)
	if r.expander != nil {
		r.shared.bytes.Store(r.expander.Bytes())
	}
}

// count counts a node. Now and then it lets others know, and learns from them.
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

// isElsewhere tells whether another worker is searching child c of f.
func (r *run) isElsewhere(f *frame, c int) bool {
	if f.children.Terminal[c] {
		return false
	}
	return r.crew.busy.Has(f.keys[c].Hash())
}

// enter tells the other workers that this one searches child c of f, and leave that it
// does no longer.
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

// defers tells whether action a of f is to be put off, because another worker is
// searching it and all are expected to be searched. It is put off once, until all others are done.
func (r *run) defers(f *frame, a int) bool {
	if r.crew.busy == nil || !f.ahead.expectAll || f.Replies > 1 || f.scores[a] < deferredScore/2 || !r.isElsewhere(f, f.ChildNumber(a, 0)) {
		return false
	}
	f.scores[a] += deferredScore
	return true
}

// deferredScore is added to that of an action that is put off: it is then below every
// other.
const deferredScore = -2 * tableScore

// question is what a position is searched for.
type question struct {
	key    *key
	depth  int
	window window
}

// isOutrun looks, now and then, whether another worker has answered one of the questions
// above a ply. If so this one unwinds to that position.
func (r *run) isOutrun(ply int) bool {
	if r.crew.busy == nil || r.nodes%threads.OutrunNodes != 0 {
		return false
	}
	horizon := r.horizon
	for above := 1; above < ply; above++ { // the actions of the root are wanted
		q := &r.frames[above].asked
		if v, _ := r.recall(q.key, q.depth); q.window.isClosed(v.guess) {
			r.outrun, r.answer = above, v
			return true
		}
		r.horizon = horizon // what is not used guesses nothing
	}
	return false
}

// caughtUp is the value of the position at a ply, of which v is known, when the search
// unwinds: the answer of another worker if that is the reason.
func (r *run) caughtUp(ply int, v value) value {
	if r.outrun != ply || ply == 0 {
		return v
	}
	r.outrun = 0
	return r.answer
}
