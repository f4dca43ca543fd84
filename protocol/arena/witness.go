package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// Who played, as far as an endpoint knows.
const (
	servedHere = "(served)"
	elsewhere  = "(elsewhere)"
)

// Times within which a witness finds positions by the rules.
const (
	loadingTime = 10 * time.Second
	stepTime    = 5 * time.Second
)

// witness records a match that an endpoint plays: all but what the others thought, took and sent.
// Positions are found by the rules; where these take too long, the record goes on without.
type witness struct {
	*narrator
	at     *prover.Position // nil if it is not known
	self   int
	clock  time.Duration
	asked  time.Time
	answer *protocol.Note // to the last PLAY
	last   []string       // joint move
}

// Witness is that of protocol.Endpoint.Record: it records the match in the folder, turn by turn.
func (a *Archive) Witness(m protocol.Match) (func(protocol.Note) error, error) {
	w := &witness{narrator: &narrator{record: &Record{}, listen: a.Recorder()}, clock: m.PlayClock}
	rules := RulesText(m.Game)
	head := &Record{
		Match: m.Start.UTC().Format("20060102T150405.000") + "-" + protocol.SafeID(m.ID), Game: m.ID,
		Rules: HashRules(rules), Rulesheet: rules, StartTime: m.Start.Round(0),
		StartClock: m.StartClock.Seconds(), PlayClock: m.PlayClock.Seconds(),
	}
	head.Roles = protocol.Texts(m.Game.Roles)
	for r, role := range head.Roles {
		player := elsewhere
		switch role {
		case machine.RandomRole:
			player = Chance
		case m.Role:
			player, w.self = servedHere, r
		}
		head.Players = append(head.Players, player)
	}
	if err := w.tell(head); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadingTime)
	defer cancel()
	first := &Record{StartErrors: make([]string, len(head.Roles))}
	if at, err := prover.Begin(ctx, m.Game); err == nil {
		w.at = at
		w.show(first, m.Start)
	}
	return w.note, w.tell(first)
}

// show adds where the match stands.
func (w *witness) show(part *Record, at time.Time) {
	if w.at != nil {
		part.States, part.StateTimes = [][]string{w.at.Facts}, []time.Time{at.Round(0)}
	}
}

// note records what has happened.
func (w *witness) note(n protocol.Note) error {
	switch n.Command {
	case "":
		w.answer = &n
		return nil
	case protocol.Abort:
		return w.tell(&Record{Turns: w.record.Turns, Aborted: true, Reason: protocol.Printable(n.Reason, maxReason)})
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	if len(n.Joint) == len(w.record.Roles) && !w.isRepeated(ctx, n.Joint) {
		if err := w.tell(w.turn(ctx, n)); err != nil {
			return err
		}
	}
	if n.Command == protocol.Stop {
		return w.tell(w.end(ctx))
	}
	w.asked, w.answer = n.At, nil
	return nil
}

// isRepeated tells whether a joint move is the last one, told again.
func (w *witness) isRepeated(ctx context.Context, joint []gdl.Term) bool {
	texts := protocol.Texts(joint)
	if !slices.Equal(texts, w.last) || w.at == nil {
		w.last = texts
		return false
	}
	fault, err := w.at.Fault(ctx, texts)
	return err == nil && fault != ""
}

// turn makes the part of a joint move, which follows on the last answer.
func (w *witness) turn(ctx context.Context, n protocol.Note) *Record {
	roles := len(w.record.Roles)
	faults, times := make([]string, roles), make([]float64, roles)
	var why []*protocol.Explanation
	joint := protocol.Texts(n.Joint)
	if a := w.answer; a != nil {
		took := a.At.Sub(w.asked)
		times[w.self] = took.Round(time.Millisecond).Seconds()
		switch {
		case a.Err != nil:
			faults[w.self] = Unreadable
		case a.Move.String() == joint[w.self]:
		case w.clock > 0 && took > w.clock:
			faults[w.self] = TimedOut
		default: // the manager has put another move in its place
			faults[w.self] = Illegal + excerpt(a.Move.String())
		}
		if a.Why != nil {
			why = make([]*protocol.Explanation, roles)
			why[w.self] = a.Why
		}
	} else if !w.asked.IsZero() {
		faults[w.self] = TimedOut
	}
	part := &Record{
		Moves: [][]string{joint}, Errors: [][]string{faults}, ReplyTimes: [][]float64{times}, Explanations: [][]*protocol.Explanation{why},
	}
	if w.at != nil && w.at.Advance(ctx, joint) != nil {
		w.at = nil
	}
	w.show(part, n.At)
	return part
}

// end makes the last part: with goals where the game is over by the rules, or else the reason why there are none.
func (w *witness) end(ctx context.Context) *Record {
	goals, err := w.goals(ctx)
	if err != nil {
		return &Record{Turns: w.record.Turns, Aborted: true, Reason: protocol.Printable(err.Error(), maxReason)}
	}
	return &Record{Turns: w.record.Turns, Completed: true, Goals: goals}
}

func (w *witness) goals(ctx context.Context) (goals []int, err error) {
	if w.at == nil {
		return nil, errors.New("the positions are not known: the rules take too long")
	}
	if over, err := w.at.IsOver(ctx); err != nil || !over {
		return nil, errors.Join(errors.New("stopped before the end"), err)
	}
	for r, role := range w.record.Roles {
		goal, err := w.at.Goal(ctx, r)
		if err != nil || goal == int(machine.NoGoal) {
			return nil, errors.Join(fmt.Errorf("%s has no single goal at the end", role), err)
		}
		goals = append(goals, goal)
	}
	return goals, nil
}
