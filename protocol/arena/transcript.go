package arena

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// A transcript is what an endpoint has heard and answered in a match. It holds all of a
// record but what the others thought, took and sent: a record is made of it line by line,
// by playing the joint moves that were told with the rules that came with START.

// Who played, as far as a transcript tells.
const (
	servedHere = "(served)"
	elsewhere  = "(elsewhere)"
)

// partReader reads the parts of a file: a record, or a transcript or a match of an archive that becomes one.
type partReader struct {
	path     string
	outline  bool // without positions and goals
	follower *follower
}

// next reads a line and returns the parts that it makes.
func (p *partReader) next(in *json.Decoder) ([]*Record, error) {
	var line struct {
		Record
		protocol.TranscriptLine
	}
	var text json.RawMessage
	if err := in.Decode(&text); err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte(`"matchId"`)) {
		r, err := readGGP(text)
		return []*Record{r}, err
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	if line.Number == 0 {
		return []*Record{&line.Record}, nil
	}
	if p.follower == nil {
		p.follower = &follower{id: strings.TrimSuffix(filepath.Base(p.path), filepath.Ext(p.path)), outline: p.outline}
	}
	return p.follower.line(line.TranscriptLine), nil
}

// follower makes a record of a transcript.
type follower struct {
	id      string
	outline bool

	game    *gdl.Game
	roles   []string
	respell func([]gdl.Term) []gdl.Term
	prover  *prover.Prover
	facts   []string
	self    int
	clock   time.Duration
	asked   protocol.TranscriptLine // the PLAY that was told last
	answer  protocol.TranscriptLine // to it
	over    bool
}

// Times within which a transcript is followed.
const (
	loadingTime = 10 * time.Second
	stepTime    = 5 * time.Second
)

// line takes the next line.
func (f *follower) line(l protocol.TranscriptLine) []*Record {
	if l.Request == "" {
		if l.Number == f.asked.Number {
			f.answer = l
		}
		return nil
	}
	m, err := protocol.ParseMessage(l.Request)
	if err != nil || f.over || (f.game == nil) != (m.Command == protocol.Start) {
		return nil
	}
	switch m.Command {
	case protocol.Start:
		return f.start(l, m)
	case protocol.Play, protocol.Stop:
		return f.told(l, m)
	case protocol.Abort:
		return f.end("aborted by the manager")
	}
	return nil
}

// start makes the first parts: who plays, and the first position.
func (f *follower) start(l protocol.TranscriptLine, m protocol.Message) []*Record {
	ctx, cancel := context.WithTimeout(context.Background(), loadingTime)
	defer cancel()
	game, _, err := gdl.Load(ctx, m.ID, []byte(m.Rules))
	if err != nil {
		return nil
	}
	f.game, f.respell, f.clock = game, protocol.Respell(game), m.PlayClock
	head := &Record{
		Match: f.id, Game: m.ID, Rules: HashRules(m.Rules), Rulesheet: m.Rules, StartTime: l.Time,
		StartClock: m.StartClock.Seconds(), PlayClock: m.PlayClock.Seconds(),
	}
	for r, role := range game.Roles {
		player := elsewhere
		switch {
		case role.String() == machine.RandomRole:
			player = Chance
		case strings.EqualFold(role.String(), m.Role):
			player, f.self = servedHere, r
		}
		f.roles, head.Players = append(f.roles, role.String()), append(head.Players, player)
	}
	head.Roles = f.roles
	if f.outline {
		return []*Record{head}
	}
	f.prover = prover.New(game)
	if f.facts, err = f.prover.Initial(ctx); err != nil {
		return append([]*Record{head}, f.end("the transcript cannot be followed: "+err.Error())...)
	}
	return []*Record{head, {StartErrors: make([]string, len(f.roles)), States: [][]string{f.facts}, StateTimes: []time.Time{l.Time}}}
}

// told makes the part of the turn whose joint move a PLAY or STOP tells.
func (f *follower) told(l protocol.TranscriptLine, m protocol.Message) []*Record {
	if l.Request == f.asked.Request { // sent again
		return nil
	}
	before, answer := f.asked, f.answer
	f.asked, f.answer = l, protocol.TranscriptLine{}
	var parts []*Record
	if len(m.Joint) > 0 {
		part, err := f.turn(l.Time, f.respell(m.Joint), before, answer)
		if err != nil {
			return f.end("the transcript cannot be followed: " + err.Error())
		}
		parts = append(parts, part)
	}
	if m.Command == protocol.Stop {
		parts = append(parts, f.end("")...)
	}
	return parts
}

// turn plays a joint move, which follows on what was answered before.
func (f *follower) turn(at time.Time, joint []gdl.Term, before, answer protocol.TranscriptLine) (*Record, error) {
	n := len(f.roles)
	if len(joint) != n {
		return nil, fmt.Errorf("found a joint move of %d moves for %d roles", len(joint), n)
	}
	part := &Record{Moves: [][]string{nil}, Errors: [][]string{make([]string, n)}, ReplyTimes: [][]float64{make([]float64, n)}, Explanations: [][]*protocol.Explanation{nil}}
	for _, move := range joint {
		part.Moves[0] = append(part.Moves[0], move.String())
	}
	if answer.Number > 0 {
		took := answer.Time.Sub(before.Time)
		part.ReplyTimes[0][f.self] = took.Round(time.Millisecond).Seconds()
		switch reply, err := protocol.ParseMove(answer.Reply); {
		case answer.Status != http.StatusOK || err != nil:
			part.Errors[0][f.self] = Unreadable
		case f.respell([]gdl.Term{reply})[0].String() == part.Moves[0][f.self]:
		case f.clock > 0 && took > f.clock:
			part.Errors[0][f.self] = TimedOut
		default: // the manager has put another move in its place
			part.Errors[0][f.self] = Illegal + excerpt(answer.Reply)
		}
		if answer.Why != nil {
			part.Explanations[0] = make([]*protocol.Explanation, n)
			part.Explanations[0][f.self] = answer.Why
		}
	}
	if f.outline {
		return part, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	facts, err := f.prover.Next(ctx, f.facts, part.Moves[0])
	if err != nil {
		return nil, err
	}
	f.facts = facts
	part.States, part.StateTimes = [][]string{facts}, []time.Time{at}
	return part, nil
}

// end makes the last part: with goals where the match is over, or else the reason why it
// is not.
func (f *follower) end(reason string) []*Record {
	f.over = true
	if f.outline {
		return []*Record{{Completed: reason == "", Aborted: reason != "", Reason: reason}}
	}
	part := &Record{Aborted: true, Reason: protocol.Printable(reason, maxReason)}
	if reason != "" {
		return []*Record{part}
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	over, err := f.prover.Terminal(ctx, f.facts)
	var goals []int
	for _, role := range f.roles {
		goal := 0
		if err == nil {
			goal, err = f.prover.Goal(ctx, f.facts, role)
		}
		goals = append(goals, goal)
	}
	switch {
	case err != nil:
		part.Reason = protocol.Printable("the end cannot be told: "+err.Error(), maxReason)
	case !over:
		part.Reason = "stopped before the end"
	default:
		return []*Record{{Completed: true, Goals: slices.Clip(goals)}}
	}
	return []*Record{part}
}
