package solve

import (
	"context"
	"errors"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// runners are the methods of Auto for a class of games. The first method searches alone for headStart. If it has not
// solved the game by then, or has given up, the methods beside it start.
type runners struct {
	first  string
	beside []string
}

// headStart suffices for most games that the first method solves.
const headStart = 250 * time.Millisecond

// besideShare divides the memory of the first method: the quotient is for each method beside it.
const besideShare = 8

// runnersOf returns the methods for games of class c, or false if there are none.
func runnersOf(c Class) (runners, bool) {
	methods := solving(c)
	switch {
	case methods == nil:
		return runners{}, false
	case c.Players == 1 && !c.Chance:
		return runners{first: methods[0], beside: methods[1:]}, true
	}
	return runners{first: methods[0]}, true
}

// outcome is the result of a method.
type outcome struct {
	method string
	result search.Result
	err    error
}

// race runs methods in parallel until one solves position q, or all have ended. It returns the first result that
// solves it, or else the combined bounds. With a limit of nodes the methods run in succession, so that the result is
// reproducible.
func (s *Solver) race(ctx context.Context, r runners, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan outcome)
	running := 0
	start := func(method string, lim search.Limits) {
		running++
		go func() {
			o := outcome{method: method}
			o.err = guard.Do(func() (err error) {
				o.result, err = s.searchers[method].Search(working, m, q, lim)
				return err
			})
			ended <- o
		}()
	}
	others := lim
	others.Progress, others.MaxBytes = nil, lim.MaxBytes/besideShare
	startBeside := func() {
		for _, method := range r.beside {
			start(method, others)
		}
		r.beside = nil
	}
	start(r.first, lim)
	var head <-chan time.Time
	if len(r.beside) > 0 && lim.MaxNodes == 0 {
		timer := time.NewTimer(headStart)
		defer timer.Stop()
		head = timer.C
	}
	var failed error
	var known []outcome
	for running > 0 {
		select {
		case <-head:
			startBeside()
		case o := <-ended:
			running--
			switch {
			case o.err != nil && (o.method == r.first || errors.Is(o.err, search.ErrGoals)):
				failed = o.err
				stop()
			case o.err != nil: // this method does not support the game
			case s.isEnough(o):
				known = append([]outcome{o}, known...)
				stop()
			default:
				known = append(known, o)
				if o.method == r.first && working.Err() == nil && o.result.Unfinished != nil {
					head = nil
					startBeside()
				}
			}
		}
	}
	if failed != nil && !s.isSolvedBy(known) {
		s.used = r.first
		return search.Result{}, failed
	}
	return s.together(known), nil
}

// isEnough reports whether the result of a method is solved, or proved within the tolerance.
func (s *Solver) isEnough(o outcome) bool {
	r := o.result
	return r.Solved() || r.Proved && len(r.Values) > 0 && s.epsilon > 0 && areWithin(r.Values, s.epsilon, o.method)
}

func (s *Solver) isSolvedBy(known []outcome) bool {
	return len(known) > 0 && s.isEnough(known[0])
}

// together returns the first result if it is exact enough, or else the result with the narrowest intervals, with the
// bounds of all methods.
func (s *Solver) together(known []outcome) search.Result {
	best := known[0]
	if !s.isEnough(best) {
		for _, o := range known[1:] {
			if width(o.result) < width(best.result) {
				best = o
			}
		}
	}
	r := best.result
	for _, o := range known { // bounds of the value hold for the best end, too
		if !s.isEnough(best) && o.result.Concept == search.BestEnd {
			r.Concept = search.BestEnd
		}
	}
	for _, o := range known {
		if o.result.Proved && r.Proved && (o.result.Concept == r.Concept || r.Concept == search.BestEnd) {
			for role, v := range o.result.Values {
				r.Values[role] = r.Values[role].Meet(v)
			}
		}
	}
	s.used = best.method
	return r
}

// width returns the sum of the widths of the intervals of all roles.
func width(r search.Result) float64 {
	sum := 0.0
	for _, v := range r.Values {
		sum += v.Upper - v.Lower
	}
	return sum
}
