package arena

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/trace"
)

// A record is redundant: the moves determine the goals, all other fields the summary. Replay compares them, so that
// only correct goals are counted.

// Name gives the record the roles of the rules, and replaces numbers by roles. It returns an error if the record has
// other roles. Unrecorded players are named "unknown".
func (r *Record) Name(roles []string) error {
	if !r.Unnamed {
		if !slices.Equal(r.Roles, roles) {
			return fmt.Errorf("recorded roles %v, the rules have %v", r.Roles, roles)
		}
		return nil
	}
	// A match aborted at its start has no moves, errors or goals.
	if n := len(r.Roles); n > len(roles) || n < len(roles) && len(r.Moves)+len(r.Goals)+len(r.Errors) > 0 {
		return fmt.Errorf("recorded moves or goals of %d roles, the rules have %v", n, roles)
	}
	r.Roles = slices.Clone(roles)
	for len(r.Players) < len(roles) {
		r.Players = append(r.Players, unknownPlayer)
	}
	if r.Summary != nil { // the summary is computed, not read
		r.Summary = new(r.Result())
	}
	return nil
}

// Counted returns the summary of an ended match. The player of the role random is named Chance, regardless of the
// manager's name for it.
func (r *Record) Counted() Result {
	s := r.Result()
	if r.Summary != nil {
		s = *r.Summary
	}
	s.Players = slices.Clone(s.Players)
	for role, name := range r.Roles {
		if name == machine.RandomRole && role < len(s.Players) {
			s.Players[role] = Chance
		}
	}
	return s
}

// Consistent returns an error about a contradiction within the record: goals out of range, or turns or a summary that
// differ from its moves, errors and goals.
func (r *Record) Consistent() error {
	turns, s := len(r.Moves), r.Summary
	for role, goal := range r.Goals {
		if goal < 0 || goal > machine.MaxGoal {
			return fmt.Errorf("expected goals from 0 to %d, found %d of %s", machine.MaxGoal, goal, r.Roles[role])
		}
	}
	switch {
	case turns > 0 && r.Turns != turns:
		return fmt.Errorf("the record has %d turns, but %d moves", r.Turns, turns)
	case len(r.States) > turns+1 || len(r.Errors) > turns || len(r.ReplyTimes) > turns:
		return fmt.Errorf("expected positions, errors and times of %d turns, found more", turns)
	case s == nil:
		return nil
	}
	own := r.Result()
	differ := func(name string, summary, own any) error {
		return fmt.Errorf("the summary has %s %v, the record %v", name, summary, own)
	}
	switch {
	case s.Match != own.Match || s.Game != own.Game:
		return differ("match", s.Match+" of "+s.Game, own.Match+" of "+own.Game)
	case !slices.Equal(s.Players, own.Players):
		return differ("players", s.Players, own.Players)
	case !slices.Equal(s.Goals, own.Goals):
		return differ("goals", s.Goals, own.Goals)
	case s.Turns != own.Turns:
		return differ("turns", s.Turns, own.Turns)
	case s.Aborted != own.Aborted:
		return differ("aborted", s.Aborted, own.Aborted)
	case r.Errors != nil && !(slices.Equal(s.Errors, own.Errors) && slices.Equal(s.Late, own.Late) &&
		slices.Equal(s.Illegal, own.Illegal) && slices.Equal(s.Failed, own.Failed)):
		return differ("errors", s.Errors, own.Errors)
	case r.ReplyTimes != nil && !slices.EqualFunc(s.Slowest, own.Slowest, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }):
		return differ("slowest moves", s.Slowest, own.Slowest)
	}
	return nil
}

// Replay plays the record on the machine of its rules, whose text has one of the hashes. The error names the first
// difference: in roles, moves, positions, the end, its goals, the summary or the hash. A role without a single goal
// counts as 0, as in managers.
func (r *Record) Replay(m machine.Machine, hashes ...string) error {
	named := *r
	if err := named.Name(m.Names().Roles); err != nil {
		return err
	}
	if err := trace.Replay(m, named.Trace()); err != nil {
		return err
	}
	if r.Completed && !r.Forfeit {
		at, err := play.Follow(m, slices.Concat(r.Opening, r.Moves))
		if err != nil {
			return err
		}
		if !at.IsOver() {
			return errors.New("the record is completed, but by the rules the match is not over")
		}
		for role, goal := range at.Goals() {
			if role < len(r.Goals) && int32(r.Goals[role]) != max(0, goal) {
				return fmt.Errorf("recorded goal %d of %s, by the rules it is %d", r.Goals[role], named.Roles[role], max(0, goal))
			}
		}
	}
	if err := named.Consistent(); err != nil {
		return err
	}
	if r.Rules != "" && len(hashes) > 0 && !slices.Contains(hashes, r.Rules) {
		return fmt.Errorf("recorded with the rules of SHA-256 %.12s…, these have %.12s…", r.Rules, hashes[0])
	}
	return nil
}

// Trace returns the moves and positions of the record from the initial position of the rules, to compare machines.
// Records lack legal moves and positions during an opening; Replay compares the end.
func (r *Record) Trace() *trace.Match {
	m := &trace.Match{Game: r.Game, Roles: r.Roles, Final: trace.Final{Terminal: r.Completed && !r.Forfeit, Unjudged: true}}
	for _, joint := range r.Opening {
		m.Steps = append(m.Steps, trace.Step{Joint: joint})
	}
	for turn, joint := range r.Moves {
		step := trace.Step{Joint: joint}
		if turn < len(r.States) {
			step.State = r.States[turn]
		}
		m.Steps = append(m.Steps, step)
	}
	if len(r.States) > len(r.Moves) {
		m.Final.State = r.States[len(r.Moves)]
	}
	return m
}
