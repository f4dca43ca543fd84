package player

import (
	"context"
	"errors"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// findings are what the searches know of a position; nil is nothing.
type findings struct {
	exact, sampled *search.Result
	refuted        []machine.Move    // moves of the role to move that are proved mistakes
	ranking        []machine.Move    // its moves by how much they were sampled
	missing        []search.Searcher // that have not come back yet
}

// The searches that know more than their results say.
type (
	refuter interface{ Refuted() []machine.Move }
	ranker  interface {
		Ranking(machine.Role) []machine.Move
	}
)

// report is what one of them comes back with.
type report struct {
	from   search.Searcher
	result search.Result
	err    error
}

// tieTime is how long the sampling search may go on to tell moves apart that
// are proved to be equally good or bad, if the clock allows it.
const tieTime = time.Second

// search runs the searches side by side until ctx is done or the position is
// settled for the role to move.
func (t *thinker) search(clock context.Context, at position) findings {
	began := time.Now()
	ctx, settle := context.WithCancel(clock)
	defer settle()
	reports := make(chan report, searches)
	running := 0
	for _, s := range []search.Searcher{t.sampler, t.exact, t.diver} {
		if s == nil {
			continue
		}
		running++
		go func() {
			r, err := s.Search(ctx, at.machine, at.state, t.limits())
			reports <- report{s, r, err}
		}()
	}
	f := findings{missing: []search.Searcher{t.sampler, t.exact, t.diver}}
	var late, tie <-chan time.Time // late: the searches have been told to stop
	stopped := ctx.Done()
	for running > 0 {
		select {
		case r := <-reports:
			running--
			if t.file(at, &f, r); t.isSettled(f, at.role) {
				settle()
			} else if settles(f.exact, at.role) && tie == nil {
				tie = time.After(tieTime)
			}
		case <-tie:
			settle()
		case <-stopped:
			wait := unwinding
			if clock.Err() != nil {
				wait = min(wait, time.Duration(unwindingShare*float64(time.Since(began))))
			}
			stopped, late = nil, time.After(wait)
		case <-late:
			t.abandon(f)
			return f
		}
	}
	return f
}

// file takes a report into the findings, and its line into the plan.
func (t *thinker) file(at position, f *findings, r report) {
	f.missing = slices.DeleteFunc(f.missing, func(s search.Searcher) bool { return s == r.from })
	if r.err != nil {
		t.log.Info().Err(r.err).Msg("search")
		if r.from != t.sampler {
			t.exact, t.diver = t.instead(r.err), nil
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

// abandon leaves searches behind that do not return in time: they go on until
// they look at their context, and new ones take their place.
func (t *thinker) abandon(f findings) {
	t.log.Warn().Msg("a search does not stop in time and is left behind")
	for _, s := range f.missing {
		switch {
		case s == nil:
		case s == t.sampler:
			t.sampler = t.newSampler()
		case s == t.exact:
			t.exact = t.exactSearch()
		case s == t.diver:
			t.diver = t.newDiver()
		}
	}
}

// isSettled tells whether there is nothing left to find out for role: its value
// is proved, and there is no use in telling equally good moves apart. There is
// where all is lost, and in games of turns: the other player may still go wrong.
func (t *thinker) isSettled(f findings, role machine.Role) bool {
	switch {
	case settles(f.sampled, role):
		return true
	case !settles(f.exact, role):
		return false
	}
	turns := t.class.Players == 2 && !t.class.Simultaneous
	value := f.exact.Values[role].Lower
	return value >= perfect || value > hopeless && !turns
}

// hopeless is the goal that is as bad as any, perfect the best there is.
const (
	hopeless = 0
	perfect  = 100
)

// settles tells whether r proves the value for role and says how to get it.
func settles(r *search.Result, role machine.Role) bool {
	return r != nil && r.Proved && r.Values[role].Solved() && len(r.Strategies) > int(role) && len(r.Strategies[role]) > 0
}

// decide picks the result to follow and says whose it is.
func (t *thinker) decide(at position, f findings) (string, *search.Result) {
	e, s := f.exact, f.sampled
	role := at.role
	switch {
	case s == nil || len(s.Strategies) == 0:
		return "exact", e
	case e == nil || len(e.Strategies) <= int(role) || len(e.Strategies[role]) == 0:
		return "sampled", s
	case settles(e, role) && e.Values[role].Lower >= perfect:
		return "exact", e
	case settles(e, role) && e.Values[role].Lower > hopeless && !t.isAsGood(at, s.Strategies[role], e.Values[role].Lower):
		return "exact", e
	case e.Proved && !settles(s, role) && e.Values[role].Lower > hopeless && e.Values[role].Lower >= s.Values[role].Upper:
		return "exact", e
	}
	return "sampled", s
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
	ctx, cancel := context.WithTimeout(context.Background(), unwinding)
	defer cancel()
	r, err := t.exact.Search(ctx, at.machine, child, t.limits())
	return err == nil && r.Proved && r.Values[at.role].Lower >= value
}

// instead is the exact search to use where the present one does not apply.
func (t *thinker) instead(reason error) search.Searcher {
	if errors.Is(reason, search.ErrNotSequential) && t.class.Players == 2 && !t.class.Simultaneous {
		t.class.Simultaneous = true
		return t.exactSearch()
	}
	return nil
}
