package web

import (
	"fmt"
	"slices"
	"time"

	"stackmate/protocol/arena"
)

// People may have clocks. Without an increment the limit is the time of each move; when it runs out, a random
// legal move is made as soon as the other people have chosen or run out of time. With an increment the limit is the
// time of the whole match, and grows by the increment after each move; when it runs out, the match is lost. A clock
// runs while its role is to choose and no seat is free.

// bound is a range of seconds.
type bound struct {
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	Usual float64 `json:"usual"`
}

// clockBounds are the ranges of the clocks of a table: of players for a move, of people, of the increment.
var clockBounds = map[string]bound{"clock": {0.1, 600, 2}, "limit": {0.1, 24 * 3600, 0}, "increment": {0, 600, 0}}

// check reports a clock that is out of its bounds. 0 stands for the usual value.
func (o *opening) check() error {
	for name, value := range map[string]*float64{"clock": &o.Clock, "limit": &o.Limit, "increment": &o.Increment} {
		b := clockBounds[name]
		if *value == 0 {
			*value = b.Usual
		} else if !(*value >= b.Least && *value <= b.Most) {
			return fmt.Errorf("%s: want %g to %g seconds, got %g", name, b.Least, b.Most, *value)
		}
	}
	return nil
}

// seconds returns a number of seconds as a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// clockView is a clock as the page shows it, by the time of the server.
type clockView struct {
	Left float64   `json:"left"` // seconds, when it was last stopped
	Due  time.Time `json:"due,omitzero"`
}

func (t *table) clockViews() []*clockView {
	if t.Limit <= 0 {
		return nil
	}
	views := make([]*clockView, len(t.seats))
	for r, s := range t.seats {
		if s.isOfPeople() {
			views[r] = &clockView{Left: s.left.Seconds()}
			if !s.since.IsZero() {
				views[r].Due = s.since.Add(s.left)
			}
		}
	}
	return views
}

// runClocks starts and stops clocks.
func (t *table) runClocks() {
	if t.Limit <= 0 {
		return
	}
	halted := t.over || t.resigned != "" || slices.ContainsFunc(t.seats, func(s seat) bool { return s.kind == vacant })
	t.timer.Stop()
	var due time.Time
	for r := range t.seats {
		s := &t.seats[r]
		runs := !halted && s.kind == person && s.asked && !s.chosen && !s.flagged
		if !runs {
			t.stopClock(s)
			continue
		}
		if s.since.IsZero() {
			s.since = time.Now()
		}
		if end := s.since.Add(s.left); due.IsZero() || end.Before(due) {
			due = end
		}
	}
	if !due.IsZero() {
		t.timer = time.AfterFunc(time.Until(due), func() { _ = t.change(t.flag) })
	}
}

// stopClock stops a clock. Its move is over if there is a choice, which may still be withdrawn.
func (t *table) stopClock(s *seat) {
	if !s.since.IsZero() {
		s.left = max(0, s.left-time.Since(s.since))
		s.since = time.Time{}
	}
}

// wind gives the roles that have chosen the time for the next move.
func (t *table) wind() {
	for r := range t.seats {
		s := &t.seats[r]
		if t.stopClock(s); t.Increment <= 0 {
			s.left = seconds(t.Limit)
		} else if s.asked && t.legal != nil && len(t.legal[r]) > 1 {
			s.left += seconds(t.Increment)
		}
	}
}

// flag ends the choice of each role whose clock has run out, or the match.
func (t *table) flag() error {
	for r := range t.seats {
		s := &t.seats[r]
		switch {
		case s.since.IsZero() || time.Until(s.since.Add(s.left)) > 0:
		case t.Increment > 0:
			t.giveUp(r, "ran out of time")
			return nil
		default:
			s.flagged = true
		}
	}
	t.seal()
	return nil
}

// giveUp ends the match: a role has lost it.
func (t *table) giveUp(r int, reason string) {
	t.resigned = t.at.Names.Roles[r]
	t.end(&arena.Resigned{Role: t.resigned, Reason: reason})
}
