package player

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/solve"
)

// report is a result of a search: the last one or an interim one.
type report struct {
	from   search.Searcher
	result search.Result
	err    error
	last   bool         // the search has returned
	after  machine.Move // move to the position that was searched; NoMove stands for the root
}

// searches is the number of memory shares: the sampler, the first exact search, and all other exact searches.
const searches = 3

// tieTime bounds the search after the value is settled, which ranks moves of equal proved value.
const tieTime = time.Second

// running is a search in its own goroutine.
type running struct {
	search.Searcher
	memory  int64
	ended   atomic.Bool // returned or abandoned, whichever came first
	interim atomic.Pointer[search.Result]
}

// round is the work of all searches on one position.
type round struct {
	*thinker
	root    *root
	reports chan report
	closed  chan struct{} // closed when no goroutine receives reports any more
	active  map[search.Searcher]*running
	begun   map[search.Searcher]bool
	starved bool // a search could not begin, as abandoned searches hold the memory
}

// search runs the searches in parallel until clock is done or the position is settled for the role to move. It
// returns at.give at the latest. If no memory is left for a search, it waits for abandoned searches to
// return memory.
func (t *thinker) search(clock context.Context, at position) *root {
	ctx, settle := context.WithCancel(clock)
	defer settle()
	r := &round{
		thinker: t, root: t.newRoot(at), active: map[search.Searcher]*running{}, begun: map[search.Searcher]bool{},
		reports: make(chan report), closed: make(chan struct{}),
	}
	defer close(r.closed)
	if !t.isSettled(r.root) {
		r.launchAll(ctx)
	}
	var late, tie <-chan time.Time // late fires when interrupted searches must have returned
	stopped := ctx.Done()
	for len(r.active) > 0 || r.starved && ctx.Err() == nil {
		var returned <-chan struct{}
		if r.starved && ctx.Err() == nil {
			returned = r.memory.awaitReturn()
			r.launchAll(ctx) // before the wait: memory may have been returned in the meantime
		}
		select {
		case <-returned:
		case got := <-r.reports:
			if r.record(got); got.err != nil && ctx.Err() == nil {
				r.launchAll(ctx) // the replacement of a failed search
			}
			switch {
			case t.isSettled(r.root):
				settle()
			case r.root.settled() != nil && tie == nil:
				tie = time.After(tieTime)
			}
		case <-tie:
			settle()
		case <-stopped:
			stopped, late = nil, time.After(unwindingTime(clock, at.give, time.Now()))
		case <-late:
			r.abandonAll()
			return r.root
		}
	}
	return r.root
}

// launchAll starts the searches of the thinker that have not begun.
func (r *round) launchAll(ctx context.Context) {
	r.starved = false
	for _, s := range append([]search.Searcher{r.sampler}, r.exact...) {
		if s != nil && !r.begun[s] {
			r.launch(ctx, s, r.granted(s))
		}
	}
}

// launch starts a search, which reports its result. Without memory it marks the round as starved instead.
func (r *round) launch(ctx context.Context, s search.Searcher, memory int64) {
	if r.starved = r.starved || memory == 0; memory == 0 {
		return
	}
	r.begun[s] = true
	run := &running{Searcher: s, memory: memory}
	r.active[s] = run
	// If the sum of the goals is not proved, an exact search proves facts about this role's goal alone.
	own := []machine.Role{r.root.role}
	lim := search.Limits{MaxBytes: memory, Seed: r.seed, Wanted: own, Progress: func(known search.Result) {
		run.interim.Store(&known)
		r.keepFavourite(&known)
	}}
	working, exact, done := ctx, slices.Contains(r.exact, s), func() {}
	if exact && r.exactShare < 1 && r.class.Players > 1 {
		working, done = context.WithTimeout(ctx, scaled(r.exactShare, timeLeft(ctx, time.Now())))
	}
	go func() {
		defer done()
		got := report{from: s, after: machine.NoMove}
		got.err = guard.Do(func() (err error) {
			got.result, err = s.Search(working, r.root.machine, r.root.state, lim)
			if err == nil && exact {
				r.proveOthers(working, s, got, lim)
			}
			return err
		})
		if deadline, ok := ctx.Deadline(); ok && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			r.margins.stopped(time.Since(deadline))
		}
		if !run.ended.CompareAndSwap(false, true) {
			r.memory.lose(-memory) // returns the memory of an abandoned search
		}
		got.last = true
		r.send(got)
	}()
}

// favourite is the move that the latest search prefers in a position.
type favourite struct {
	at   machine.State
	move machine.Move
}

// keepFavourite stores the most probable move of an interim result in the experience of the match, as
// fallback if no search returns in time.
func (r *round) keepFavourite(known *search.Result) {
	strategy := r.root.strategy(known)
	if r.experience == nil || len(strategy) == 0 {
		return
	}
	most := slices.MaxFunc(strategy, func(a, b search.Weighted) int { return cmp.Compare(a.Probability, b.Probability) })
	r.experience.favourite.Store(&favourite{r.root.state, most.Move})
}

// send sends a report unless the round has ended.
func (r *round) send(got report) {
	select {
	case r.reports <- got:
	case <-r.closed:
	}
}

// proveOthers continues an exact search that has proved a value between worstGoal and bestGoal, in a position in
// which only this role has a choice. It solves the position after each other move and reports the value.
func (r *round) proveOthers(ctx context.Context, s search.Searcher, got report, lim search.Limits) {
	at := r.root
	if value := got.result.Values[at.role].Lower; at.others == nil || !at.settles(&got.result) || value <= worstGoal || value >= bestGoal {
		return
	}
	r.send(got)
	b, child := at.machine.NewNarrowBatch(), make(machine.State, len(at.machine.Initial()))
	for _, m := range at.legal {
		if ctx.Err() != nil {
			return
		}
		if m == at.strategy(&got.result)[0].Move {
			continue
		}
		joint := slices.Clone(at.others)
		joint[at.role] = m
		b.Load(at.state, 1)
		play.Step(b, joint)
		b.Store(child, 1)
		if found, err := s.Search(ctx, at.machine, child, lim); err == nil && found.Proved {
			found.Line = append([][]machine.Move{joint}, found.Line...)
			r.send(report{from: s, result: found, after: m})
		}
	}
}

// record enters a report at the root. An error makes it replace the search.
func (r *round) record(got report) {
	if got.last {
		delete(r.active, got.from)
		r.root.nodes += got.result.Nodes
	}
	switch {
	case got.err != nil:
		r.replace(got.from, got.err)
	case got.after != machine.NoMove:
		r.root.bound(got.after, got.result.Values[r.root.role])
		r.root.follow(&got.result)
	case slices.Contains(r.exact, got.from):
		r.root.note(r.title(got.from), &got.result)
	default:
		r.root.noteSamples(r.title(got.from), &got.result)
	}
}

// title returns the name of a search in the literature.
func (t *thinker) title(s search.Searcher) string {
	if i := slices.Index(t.exact, s); i >= 0 {
		return solve.Title(t.methods[i])
	}
	return t.samplerTitle()
}

// replace replaces a failed search, unless it has been replaced before.
func (t *thinker) replace(failed search.Searcher, reason error) {
	guard.Log(t.log.Info(), reason).Msg("a search failed")
	var p *guard.Panic
	switch {
	case slices.Contains(t.exact, failed):
		t.reclassify(failed, reason)
	case failed != t.sampler:
	case errors.As(reason, &p):
		t.sampler = t.newSampler() // a panic may have left the old search inconsistent
	case errors.Is(reason, play.ErrTooWide):
		t.adopt(approach{}) // playouts need no list of all joint moves
	}
}

// abandon abandons a search that does not return in time. The search keeps its memory until it checks its context.
func (r *round) abandon(s search.Searcher, run *running) {
	r.log.Warn().Str("search", r.title(s)).Msg("a search did not stop in time and is abandoned")
	r.memory.lose(run.memory)
	if !run.ended.CompareAndSwap(false, true) {
		r.memory.lose(-run.memory) // the search has returned in the meantime
	}
}

// abandonAll abandons all searches that have not returned, enters their interim results and creates new searches in
// their places.
func (r *round) abandonAll() {
	for s, run := range r.active {
		r.abandon(s, run)
		delete(r.grants, s)
		known := run.interim.Load()
		if known != nil {
			r.root.nodes += known.Nodes
		}
		switch i := slices.Index(r.exact, s); {
		case i >= 0:
			if known != nil {
				r.root.note(r.title(s), known)
			}
			r.exact[i] = r.exactSearch(r.methods[i])
		case known != nil:
			r.root.noteSamples(r.title(s), known)
		}
		if s == r.sampler {
			r.sampler = r.newSampler()
		}
	}
}

// unwindingTime returns the time for interrupted searches to return: a share of the time until give, which
// leaves time for the decision. A search interrupted before its deadline gets no extra time.
func unwindingTime(clock context.Context, give, now time.Time) time.Duration {
	deadline, ok := clock.Deadline()
	if !ok || give.IsZero() {
		return unhurried
	}
	return scaled(unwindingShare, give.Sub(deadline)) + min(0, deadline.Sub(now))
}

// unhurried is the time for interrupted searches to return if no move is due.
const unhurried = 500 * time.Millisecond

// isSettled reports whether further search gains nothing: the value for the role is proved, and a ranking of
// equally good moves has no use. A ranking is useful in sequential games, as the opponent may still err,
// unless the sampling search has proved the value itself. A single player needs a whole line: moves that are
// best one by one may cycle.
func (t *thinker) isSettled(r *root) bool {
	known := r.settled()
	if r.alone {
		k := r.soonest()
		return k != nil && (known != nil || k.Bounds.Lower >= bestGoal)
	}
	if known == nil {
		return false
	}
	value := known.Values[r.role].Lower
	return value >= bestGoal || known == r.sampled || value > worstGoal && !(t.class.InTurns() && t.class.Players == 2)
}
