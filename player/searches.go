package player

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
)

// findings are what the searches know of a position; nil is nothing.
type findings struct {
	exact, sampled *search.Result
	refuted        []machine.Move     // moves of the role to move that are proved mistakes
	ranking        []montecarlo.Tried // its moves by how much they were sampled
}

// The searches that know more than their results say.
type (
	refuter interface{ Refuted() []machine.Move }
	ranker  interface {
		Ranking(machine.Role) []montecarlo.Tried
	}
)

// report is what one of them comes back with.
type report struct {
	from   search.Searcher
	result search.Result
	err    error
}

// searches is the most that run side by side, those beside the exact one counted as one.
const searches = 3

// tieTime is how long the sampling search may go on to tell moves apart that
// are proved to be equally good or bad, if the clock allows it.
const tieTime = time.Second

// running is a search under way in a goroutine of its own.
type running struct {
	search.Searcher
	memory  int64
	ended   atomic.Bool // it has come back, or was left behind, whichever was first
	interim atomic.Pointer[search.Result]
}

// launch starts a search, which reports when it is done. There is none (nil)
// if no memory is left for it.
func (t *thinker) launch(ctx context.Context, s search.Searcher, at position, reports chan<- report) *running {
	r := &running{Searcher: s, memory: t.memory.share()}
	if slices.Contains(t.beside, s) {
		r.memory /= int64(len(t.beside))
	}
	if r.memory == 0 {
		return nil
	}
	lim := search.Limits{MaxBytes: r.memory, Seed: t.seed, Progress: func(known search.Result) { r.interim.Store(&known) }}
	working := ctx
	if s != t.sampler && t.shares() {
		working = newSparing(ctx, t.exactWork)
	}
	go func() {
		var result search.Result
		err := guard.Do(func() (err error) {
			result, err = s.Search(working, at.machine, at.state, lim)
			return err
		})
		if deadline, ok := ctx.Deadline(); ok && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.margins.stopped(time.Since(deadline))
		}
		if !r.ended.CompareAndSwap(false, true) {
			t.memory.lose(-r.memory) // what it held since it was left behind
		}
		reports <- report{s, result, err}
	}()
	return r
}

// leave takes note that a search does not come back in time. It goes on until it
// looks at its context.
func (t *thinker) leave(r *running) {
	t.log.Warn().Msg("a search does not stop in time and is left behind")
	t.memory.lose(r.memory)
	if !r.ended.CompareAndSwap(false, true) {
		t.memory.lose(-r.memory) // it has come back just now
	}
}

// search runs the searches side by side until ctx is done or the position is
// settled for the role to move. It returns at.give at the latest.
func (t *thinker) search(clock context.Context, at position) findings {
	ctx, settle := context.WithCancel(clock)
	defer settle()
	reports := make(chan report, 2+len(t.beside))
	under := map[search.Searcher]*running{}
	for _, s := range append([]search.Searcher{t.sampler, t.exact}, t.beside...) {
		if s == nil {
			continue
		}
		if r := t.launch(ctx, s, at, reports); r != nil {
			under[s] = r
		}
	}
	var f findings
	var late, tie <-chan time.Time // late: the searches have been told to stop
	stopped := ctx.Done()
	for len(under) > 0 {
		select {
		case r := <-reports:
			delete(under, r.from)
			if t.file(at, &f, r); t.isSettled(f, at) {
				settle()
			} else if settles(f.exact, at.role) && tie == nil {
				tie = time.After(tieTime)
			}
		case <-tie:
			settle()
		case <-stopped:
			stopped, late = nil, time.After(unwindingTime(clock, at.give, time.Now()))
		case <-late:
			t.abandon(&f, under)
			return f
		}
	}
	return f
}

// unwindingTime is how long searches that have been told to stop may take to come
// back: until give, less a little for what is left to do then. Where they were told
// before their time, because all is known, that is no reason to wait for longer.
func unwindingTime(clock context.Context, give, now time.Time) time.Duration {
	deadline, ok := clock.Deadline()
	if !ok || give.IsZero() {
		return unhurried
	}
	return scaled(unwindingShare, give.Sub(deadline)) + min(0, deadline.Sub(now))
}

// unhurried is how long searches may take to come back where no move waits.
const unhurried = 500 * time.Millisecond

// file takes a report into the findings, and its line into the plan.
func (t *thinker) file(at position, f *findings, r report) {
	if r.err != nil {
		fault(t.log.Info(), r.err).Msg("search")
		var p *guard.Panic
		switch {
		case r.from != t.sampler:
		case t.mind.deepens: // the game is none for it
			t.mind = t.mind.unlearnt()
			t.sampler = t.newSampler()
		case errors.As(r.err, &p):
			t.sampler = t.newSampler() // who knows what it has left behind
		}
		if r.from != t.sampler {
			t.exact, t.beside = t.instead(r.err), nil
		}
		return
	}
	if t.class.Players == 1 {
		t.plan.improve(at, &r.result)
	}
	if r.from == t.sampler {
		f.sampled = &r.result
		if s, ok := r.from.(ranker); ok {
			f.ranking = s.Ranking(at.role)
		}
		return
	}
	if f.exact == nil || settles(&r.result, at.role) || r.result.Values[at.role].Lower > f.exact.Values[at.role].Lower {
		f.exact = &r.result
	}
	if s, ok := r.from.(refuter); ok {
		f.refuted = append(f.refuted, s.Refuted()...)
	}
}

// abandon leaves searches behind that do not return in time, with what they have
// said so far; new ones take their place.
func (t *thinker) abandon(f *findings, under map[search.Searcher]*running) {
	for s, r := range under {
		t.leave(r)
		known := r.interim.Load()
		switch s {
		case t.sampler:
			t.sampler = t.newSampler()
			f.sampled = known
		case t.exact:
			t.exact = t.exactSearch(0)
			if f.exact == nil {
				f.exact = known
			}
		default:
			if i := slices.Index(t.beside, s); i >= 0 {
				t.beside[i] = t.exactSearch(1 + i)
			}
		}
	}
}

// isSettled tells whether there is nothing left to find out for role: its value
// is proved, and there is no use in telling equally good moves apart. There is
// where all is lost, and in games of turns: the other player may still go wrong. A
// player alone has to know a whole plan, too: moves that are best one by one may go
// round in circles.
func (t *thinker) isSettled(f findings, at position) bool {
	known := f.exact
	switch {
	case settles(f.sampled, at.role):
		known = f.sampled
	case !settles(f.exact, at.role):
		return false
	}
	value := known.Values[at.role].Lower
	if t.class.Players == 1 {
		return t.plan.fits(at) && t.plan.goal >= value
	}
	if known == f.sampled {
		return true
	}
	turns := t.class.Players == 2 && !t.class.Simultaneous
	return value >= bestGoal || value > worstGoal && !turns
}

// worstGoal and bestGoal are the ends of the range of goals.
const (
	worstGoal = 0
	bestGoal  = machine.MaxGoal
)

// settles tells whether r proves the value for role and says how to get it.
func settles(r *search.Result, role machine.Role) bool {
	return r != nil && r.Proved && r.Values[role].Solved() && len(r.Strategies) > int(role) && len(r.Strategies[role]) > 0
}

// decide picks the result to follow and says whose it is, and why.
func (t *thinker) decide(at position, f findings) (who decider, why string, r *search.Result) {
	e, s := f.exact, f.sampled
	role := at.role
	switch {
	case s == nil || len(s.Strategies) == 0:
		return byExact, "the sampling search has not come back", e
	case e == nil || len(e.Strategies) <= int(role) || len(e.Strategies[role]) == 0:
		return bySampling, t.bySamples(s, role), s
	}
	value, solved := e.Values[role].Lower, settles(e, role)
	switch {
	case solved && value >= bestGoal:
		return byExact, "the exact search has proved the best goal", e
	case settles(s, role):
	case solved && value <= worstGoal:
		return bySampling, "all is proved lost: the move that playouts find hardest to answer", s
	case solved && t.isAsGood(at, s.Strategies[role], value):
		return bySampling, "of the moves that are proved best, the one that is best by playouts", s
	case solved:
		return byExact, "the exact search has proved the value", e
	case e.Proved && value > worstGoal && value >= s.Values[role].Upper:
		return byExact, "the exact search has proved as much as the playouts promise", e
	}
	return bySampling, t.bySamples(s, role), s
}

// bySamples is why the sampling search decides where the exact one knows nothing better.
func (t *thinker) bySamples(r *search.Result, role machine.Role) string {
	switch {
	case settles(r, role):
		return "the sampling search has proved the value"
	case t.mind.evaluator == nil:
		return "nothing is proved that decides: the best by playouts"
	case t.mind.deepens:
		return "nothing is proved that decides: the best by deepening and by what was learnt in the start clock"
	case t.mind.weight == 0:
		return "nothing is proved that decides: the best by what was learnt in the start clock"
	}
	return "nothing is proved that decides: the best by playouts and by what was learnt in the start clock"
}

// isAsGood tells whether the exact search proves that a pure strategy of the
// role to move gives it value too, the others having no choice.
func (t *thinker) isAsGood(at position, strategy []search.Weighted, value float64) bool {
	if len(strategy) != 1 || t.class.Simultaneous {
		return false
	}
	b := at.machine.NewBatch()
	b.Load(at.state, 1)
	b.Evaluate(1)
	for r := range at.machine.Names().Roles {
		role := machine.Role(r)
		legal := b.AppendLegal(nil, 0, role)
		switch {
		case role == at.role:
			b.Choose(0, role, strategy[0].Move)
		case len(legal) == 1:
			b.Choose(0, role, legal[0])
		default:
			return false
		}
	}
	b.Advance(1)
	child := make(machine.State, at.machine.Words())
	b.Store(child, 1)
	if t.exact == nil {
		return false
	}
	limit := tieCheck
	if !at.give.IsZero() {
		limit = min(limit, time.Until(at.give)/4)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	reports := make(chan report, 1)
	under := t.launch(ctx, t.exact, position{machine: at.machine, state: child}, reports)
	if under == nil {
		return false
	}
	select {
	case r := <-reports:
		return r.err == nil && r.result.Proved && r.result.Values[at.role].Lower >= value
	case <-time.After(2 * limit):
		t.leave(under)
		t.exact = t.exactSearch(0)
		return false
	}
}

// tieCheck is the time to see whether another move is as good as the best one.
const tieCheck = 100 * time.Millisecond
