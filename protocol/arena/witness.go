package arena

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// Names of the players in an endpoint's records.
const (
	servedHere = "(served)"
	elsewhere  = "(elsewhere)"
)

// Time limits for computing positions from the rules.
const (
	loadingTime = 10 * time.Second
	stepTime    = 5 * time.Second
)

// witness records a match played by an endpoint, without the other players' explanations, times and replies. It
// computes the positions from the rules, and skips illegal joint moves. If the rules take too long, the record
// continues without positions, and with every joint move that has one move per role.
type witness struct {
	*narrator
	at     *prover.Position // nil if unknown
	self   int
	clock  time.Duration
	asked  time.Time      // arrival of the first PLAY since the last turn
	answer *protocol.Note // to that PLAY
}

// Witness implements protocol.Endpoint.Record: it records the match in the folder, turn by turn.
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

// show adds the position to a part.
func (w *witness) show(part *Record, at time.Time) {
	if w.at != nil {
		part.States, part.StateTimes = [][]string{w.at.Facts}, []time.Time{at.Round(0)}
	}
}

// note records an event of the match.
func (w *witness) note(n protocol.Note) error {
	switch n.Command {
	case "":
		if n.Asked.Equal(w.asked) {
			w.answer = &n
		}
		return nil
	case protocol.Abort:
		return w.tell(&Record{Turns: w.record.Turns, Aborted: true, Reason: protocol.Printable(n.Reason, maxReason)})
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	legal := w.isLegal(ctx, n.Joint)
	if legal {
		if err := w.tell(w.turn(ctx, n)); err != nil {
			return err
		}
	}
	if n.Command == protocol.Stop {
		return w.tell(w.end(ctx))
	}
	if legal || w.asked.IsZero() {
		w.asked, w.answer = n.At, nil
	}
	return nil
}

// isLegal reports whether a joint move is legal in the position, or has one move per role if the position is unknown.
func (w *witness) isLegal(ctx context.Context, joint []gdl.Term) bool {
	if w.at != nil {
		fault, err := w.at.Fault(ctx, protocol.Texts(joint))
		if err == nil {
			return fault == ""
		}
		w.at = nil
	}
	return len(joint) == len(w.record.Roles)
}

// turn returns the part of a legal joint move, with the fault of the answer before.
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
		default: // the manager has replaced the move
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

// end returns the last part: with goals if the game is over by the rules, else with the reason for their absence.
func (w *witness) end(ctx context.Context) *Record {
	goals, err := w.goals(ctx)
	if err != nil {
		return &Record{Turns: w.record.Turns, Aborted: true, Reason: protocol.Printable(err.Error(), maxReason)}
	}
	return &Record{Turns: w.record.Turns, Completed: true, Goals: goals}
}

func (w *witness) goals(ctx context.Context) (goals []int, err error) {
	if w.at == nil {
		return nil, errors.New("the positions are unknown: the rules take too long")
	}
	if over, err := w.at.IsOver(ctx); err != nil || !over {
		return nil, errors.Join(errors.New("stopped before a terminal position"), err)
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
