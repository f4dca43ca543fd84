package web

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stackmate/protocol"
	"stackmate/protocol/arena"
)

// recording is the record of a table as far as its match has come: each turn is in the file as soon as it has
// been played.
type recording struct {
	opening int             // joint moves before the position in which the match begins
	number  int             // of the table's records
	parts   []*arena.Record // the first part, the first position, then turns; nil before the first one
	tell    func(part *arena.Record) error
	ended   bool
}

// facts are those that are true after so many joint moves.
func (t *table) facts(turn int) [][]string {
	return [][]string{t.machine.Names().AppendFluents([]string{}, t.history.states[turn])}
}

// keep records the turn that was just played, and the end of the match.
func (t *table) keep() {
	rec := &t.record
	turn := len(t.joints) - 1
	now := time.Now().Round(0)
	if rec.parts == nil {
		rec.parts = []*arena.Record{t.recordHead(), {
			StartErrors: make([]string, len(t.seats)), States: t.facts(rec.opening), StateTimes: []time.Time{now},
		}}
		t.beginRecord()
	}
	why := t.why[turn]
	if !slices.ContainsFunc(why, func(x *protocol.Explanation) bool { return x != nil }) {
		why = nil
	}
	part := &arena.Record{
		Moves: [][]string{t.joints[turn]}, States: t.facts(turn + 1), StateTimes: []time.Time{now}, Errors: [][]string{t.faults},
		ReplyTimes: [][]float64{t.spent}, Explanations: [][]*protocol.Explanation{why},
	}
	rec.parts = append(rec.parts, part)
	t.write(part)
	if t.goals != nil {
		t.write(rec.end(&arena.Record{Completed: true, Goals: t.goals}))
	} else if len(t.joints) >= arena.DefaultMaxTurns {
		t.notes = fmt.Sprintf("the match is not over after %d turns", len(t.joints))
		t.abortRecord(t.notes)
	}
}

func (t *table) recordHead() *arena.Record {
	text := string(t.history.text)
	head := &arena.Record{
		Game: t.history.name, Rules: arena.HashRules(text), Rulesheet: text, Opening: slices.Clone(t.joints[:t.record.opening]),
		StartTime: time.Now().Round(0), PlayClock: t.clock.Seconds(), Roles: t.machine.Names().Roles,
	}
	for _, s := range t.seats {
		name := s.kind
		switch name {
		case chance:
			name = arena.Chance
		case vacant:
			name = person // who takes it later
		}
		head.Players = append(head.Players, name)
	}
	return head
}

// beginRecord writes the parts to a record of their own.
func (t *table) beginRecord() {
	rec := &t.record
	rec.number++
	head := *rec.parts[0]
	if head.Match = arena.SafeID("page." + t.history.name + "." + t.id); rec.number > 1 {
		head.Match += fmt.Sprint(".", rec.number)
	}
	rec.parts[0], rec.tell, rec.ended = &head, t.Archive.Recorder(), false
	t.write(rec.parts...)
}

// write continues the record. If that fails the match goes on without.
func (t *table) write(parts ...*arena.Record) {
	for _, part := range parts {
		if err := t.record.tell(part); err != nil {
			t.Log.Error().Err(err).Msg("a table goes on without its record")
			t.notes = "the match cannot be recorded"
			t.record.tell = func(*arena.Record) error { return nil }
			return
		}
	}
}

// whole is the record in one piece.
func (rec *recording) whole() *arena.Record {
	whole := &arena.Record{}
	for _, part := range rec.parts {
		whole.Append(part)
	}
	return whole
}

// end makes the last part of the record.
func (rec *recording) end(last *arena.Record) *arena.Record {
	whole := rec.whole()
	last.Turns, rec.ended = whole.Turns, true
	whole.Append(last)
	summary := whole.Result()
	last.Summary = &summary
	return last
}

// abortRecord ends the record of a match that does not go on.
func (t *table) abortRecord(reason string) {
	if t.record.parts != nil && !t.record.ended {
		t.write(t.record.end(&arena.Record{Aborted: true, Reason: reason}))
	}
}

// takeBack lets the record be of so many joint moves. If the match was over, its record stays, and what follows
// is another match.
func (t *table) takeBack(joints int) {
	rec := &t.record
	former := *rec
	if former.ended {
		rec.opening = joints
	}
	turns := joints - rec.opening
	rec.opening = min(rec.opening, joints)
	if rec.parts = nil; turns > 0 {
		rec.parts = slices.Clone(former.parts[:2+turns])
		t.beginRecord()
	}
	if former.parts == nil || former.ended {
		return
	}
	err := former.tell(former.end(&arena.Record{Aborted: true, Reason: "moves were taken back"}))
	if err = errors.Join(err, t.Archive.Discard(former.parts[0].Match)); err != nil {
		t.Log.Error().Err(err).Msg("the record of moves that were taken back")
	}
}
