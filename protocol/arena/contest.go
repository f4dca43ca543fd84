package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"

	"github.com/rs/zerolog"
)

const (
	// unlimitedWait limits the wait for replies if a clock has no limit.
	unlimitedWait = time.Hour
	// farewell limits the wait for replies to STOP and ABORT.
	farewell = 3 * time.Second
)

// contest is a running match.
type contest struct {
	*Manager
	setting Setting
	ctx     context.Context
	rules   *gdl.Game  // in the names that the players receive
	names   scrambling // of the rules
	rng     *machine.Rand
	at      *play.History
	players []Player   // by role
	seats   []opponent // by role; nil for the role random
	*narrator
	told [][]gdl.Term // joint moves sent to the players: one element for each PLAY and STOP
	log  zerolog.Logger

	startErrors []string
	next        *Record // the part in progress: of the start, or of a turn
}

// narrator publishes a record part by part.
type narrator struct {
	record *Record
	listen func(part *Record) error // Setting.Tell, or nil
	untold error                    // the error that ended listen
}

// tell appends part and passes it to Setting.Tell, whose error it returns.
func (n *narrator) tell(part *Record) error {
	if part.Ended() {
		whole := *n.record
		whole.Append(part)
		part.Summary = new(whole.Result())
	}
	n.record.Append(part)
	if n.listen != nil && n.untold == nil {
		n.untold = n.listen(part)
	}
	return n.untold
}

// tellNext publishes the part in progress, if any.
func (c *contest) tellNext() error {
	part := c.next
	if c.next = nil; part == nil {
		return nil
	}
	return c.tell(part)
}

// errInterrupted ends a match whose context has ended.
var errInterrupted = errors.New("interrupted")

// Resigned is a cancellation cause of a match's context: the role loses, all others win.
type Resigned struct{ Role, Reason string }

func (r *Resigned) Error() string { return r.Role + " " + r.Reason }

// interruption returns the cause of the context's end, or errInterrupted if it has none.
func (c *contest) interruption() error {
	if cause := context.Cause(c.ctx); !errors.Is(cause, c.ctx.Err()) {
		return cause
	}
	return errInterrupted
}

// seat creates the opponent of each role.
func (c *contest) seat() error {
	var reasons []error
	for _, r := range c.machine.Names().Players() {
		p := c.players[r]
		if p.New == nil {
			c.seats[r] = &remote{name: p.Name, url: p.URL, id: c.record.Match}
			continue
		}
		seat, err := newLocal(p.New)
		if err != nil {
			c.startErrors[r] = Unreadable
			reasons = append(reasons, fmt.Errorf("player %s cannot be made: %w", p.Name, err))
			continue
		}
		c.seats[r] = seat
	}
	return errors.Join(reasons...)
}

// hold plays from START to STOP. It returns the reason if the match cannot begin or continue.
func (c *contest) hold() error {
	err := c.seat()
	if err == nil {
		err = c.start()
	}
	if err != nil && c.setting.Forfeit && c.ctx.Err() == nil {
		return c.forfeit(err, func(r machine.Role) bool { return c.startErrors[r] == Unreadable })
	}
	if err == nil {
		err = c.play()
	}
	if resigned, ok := errors.AsType[*Resigned](err); ok {
		return c.forfeit(err, func(r machine.Role) bool { return c.roles[r] == resigned.Role })
	}
	return err
}

// play plays from the first position to STOP.
func (c *contest) play() error {
	c.told = [][]gdl.Term{nil}
	for _, joint := range c.setting.After {
		c.told = append(c.told, c.terms(joint))
	}
	for {
		c.next.States = [][]string{c.at.Facts()}
		c.next.StateTimes = []time.Time{time.Now().Round(0)}
		if err := c.tellNext(); err != nil {
			return err
		}
		if err := c.at.Fault(); err != nil {
			return err
		}
		if c.at.IsOver() {
			return c.finish()
		}
		if c.record.Turns == c.setting.MaxTurns {
			return fmt.Errorf("the match is not over after %d turns", c.setting.MaxTurns)
		}
		joint, err := c.turn()
		if err != nil {
			return err
		}
		c.told = append(c.told, c.terms(joint))
		if err := c.at.Advance(joint); err != nil {
			return err
		}
	}
}

// each calls f for all players concurrently, waits for all calls and returns their errors by role. F must return soon
// after its context ends.
func (c *contest) each(wait context.Context, f func(ctx context.Context, role machine.Role, o opponent) error) []error {
	failures := make([]error, len(c.seats))
	var all sync.WaitGroup
	for r, o := range c.seats {
		if o != nil {
			all.Go(func() {
				failures[r] = guard.Do(func() error { return f(wait, machine.Role(r), o) })
			})
		}
	}
	all.Wait()
	return failures
}

// start sends START to all players. It returns an error if a player is unreachable or busy. A late player may catch
// up.
func (c *contest) start() error {
	wait, cancel := protocol.WithClock(c.ctx, time.Now(), c.waiting(c.setting.StartClock))
	defer cancel()
	failures := c.each(wait, func(ctx context.Context, r machine.Role, o opponent) error {
		m := c.invitation(r)
		for {
			err := o.start(ctx, m)
			if !c.setting.Forfeit || !errors.Is(err, errBusy) || !protocol.Sleep(ctx, askAgain) {
				return err
			}
		}
	})
	if c.ctx.Err() != nil {
		return c.interruption()
	}
	var reasons []error
	for r, err := range failures {
		switch {
		case err == nil:
		case errors.Is(err, protocol.ErrLate):
			c.startErrors[r] = TimedOut
			c.log.Warn().Str("player", c.record.Players[r]).Msg("player not ready at the end of the start clock")
		default:
			c.startErrors[r] = Unreadable
			reasons = append(reasons, fmt.Errorf("player %s cannot start: %w", c.record.Players[r], err))
		}
	}
	return errors.Join(reasons...)
}

// askAgain is the interval between START messages to a busy player.
const askAgain = 500 * time.Millisecond

// invitation returns the START of a role.
func (c *contest) invitation(r machine.Role) protocol.Match {
	m := protocol.Match{
		ID: c.record.Match, Role: c.rules.Roles[r].String(), Game: c.rules,
		Start: time.Now(), StartClock: c.setting.StartClock, PlayClock: c.setting.PlayClock,
		Log: c.log.With().Str("player", c.record.Players[r]).Logger(),
	}
	switch {
	case c.players[r].New == nil && len(c.setting.After) > 0:
		m.Game = c.rules.BegunAt(c.terms(c.at.Facts()))
	case !c.setting.Scramble:
		m.Machine = c.machine
	}
	if c.players[r].Untimed {
		m.PlayClock = 0
	}
	return m
}

// forfeit ends a match if players cannot begin or have resigned: the other players win.
func (c *contest) forfeit(reason error, loses func(machine.Role) bool) error {
	part := &Record{Turns: c.record.Turns, Completed: true, Forfeit: true, Reason: oneLine(reason)}
	for r := range c.roles {
		goal := machine.MaxGoal
		if loses(machine.Role(r)) || machine.Role(r) == c.machine.Names().Chance() {
			goal = 0
		}
		part.Goals = append(part.Goals, goal)
	}
	if err := errors.Join(c.tellNext(), c.tell(part)); err != nil {
		return err
	}
	c.log.Info().Str("reason", part.Reason).Msg("match forfeited")
	c.dismiss()
	return nil
}

// oneLine returns the text of an error for a record.
func oneLine(err error) string {
	return protocol.Printable(strings.ReplaceAll(err.Error(), "\n", "; "), maxReason)
}

// dismiss sends ABORT to all players.
func (c *contest) dismiss() {
	wait, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), farewell)
	defer cancel()
	c.each(wait, func(ctx context.Context, _ machine.Role, o opponent) error { o.abort(ctx); return nil })
}

// waiting returns the time limit for replies under a clock.
func (c *contest) waiting(clock time.Duration) time.Duration {
	if clock == 0 {
		return unlimitedWait
	}
	return clock + c.setting.Grace
}

// turn sends the previous joint move to all players, collects their moves and replaces missing and illegal moves by
// random ones.
func (c *contest) turn() (joint []string, err error) {
	wait, cancel := protocol.WithClock(c.ctx, time.Now(), c.waiting(c.setting.PlayClock))
	defer cancel()
	replies := make([]string, len(c.seats))
	times := make([]float64, len(c.seats))
	why := make([]*protocol.Explanation, len(c.seats))
	failures := c.each(wait, func(ctx context.Context, r machine.Role, o opponent) (err error) {
		if c.players[r].Untimed {
			ctx = c.ctx
		}
		asked := time.Now()
		var said *protocol.Explanation
		replies[r], said, err = o.play(ctx, c.told)
		times[r] = time.Since(asked).Round(time.Millisecond).Seconds()
		why[r] = c.names.explained(said)
		return err
	})
	if c.ctx.Err() != nil {
		return nil, c.interruption()
	}
	joint = make([]string, len(c.seats))
	faults := make([]string, len(c.seats))
	for r, o := range c.seats {
		if o != nil {
			joint[r], faults[r] = c.judge(machine.Role(r), replies[r], failures[r])
		}
		if joint[r] == "" {
			legal := c.at.Legal(machine.Role(r))
			joint[r] = legal[c.rng.Intn(len(legal))]
		}
	}
	if !slices.ContainsFunc(why, func(e *protocol.Explanation) bool { return e != nil }) {
		why = nil
	}
	c.next = &Record{
		Moves: [][]string{joint}, Errors: [][]string{faults}, ReplyTimes: [][]float64{times},
		Explanations: [][]*protocol.Explanation{why},
	}
	return joint, nil
}

// judge returns the legal move of a player's reply, or a fault.
func (c *contest) judge(r machine.Role, reply string, err error) (move, fault string) {
	log := c.log.With().Str("player", c.record.Players[r]).Int("turn", c.record.Turns).Logger()
	switch {
	case errors.Is(err, protocol.ErrLate):
		log.Warn().Msg("no move within the play clock")
		return "", TimedOut
	case err != nil:
		log.Warn().Err(err).Msg("no move")
		return "", Unreadable
	}
	if term, err := protocol.ParseMove(reply); err == nil {
		if move, ok := c.at.Find(r, c.names.back(term).String()); ok {
			return c.at.Names.MoveText(r, move), ""
		}
	}
	log.Warn().Str("reply", excerpt(reply)).Msg("illegal move")
	return "", Illegal + excerpt(reply)
}

// maxExcerpt limits the quoted text of a player's invalid reply, in bytes.
const maxExcerpt = 80

func excerpt(reply string) string { return protocol.Printable(reply, maxExcerpt) }

// terms translates moves or fluents of the machine into the players' names.
func (c *contest) terms(texts []string) []gdl.Term {
	var terms []gdl.Term
	for _, text := range texts {
		term, _ := gdl.ParseTerm(text) // text printed by gdl
		terms = append(terms, c.names.there(term))
	}
	return terms
}

// finish records the goals and sends STOP to all players.
func (c *contest) finish() error {
	part := &Record{Turns: c.record.Turns, Completed: true}
	for r, g := range c.at.Goals() {
		if g == machine.NoGoal {
			part.Reason = "a fault of the rules: " + c.roles[r] + " has no single goal at the end"
			c.log.Warn().Msg(part.Reason)
			g = 0
		}
		part.Goals = append(part.Goals, int(g))
	}
	if err := c.tell(part); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), farewell)
	defer cancel()
	c.each(wait, func(ctx context.Context, _ machine.Role, o opponent) error { o.stop(ctx, c.told); return nil })
	c.log.Info().Strs("players", c.record.Players).Ints("goals", c.record.Goals).
		Int("turns", c.record.Turns).Msg("match completed")
	return nil
}

// maxReason limits the reason in a record, in bytes.
const maxReason = 300

// abort ends the match with a reason and sends ABORT to all players.
func (c *contest) abort(reason error) {
	text := oneLine(reason)
	_ = c.tellNext()
	if !c.record.Ended() {
		_ = c.tell(&Record{Turns: c.record.Turns, Aborted: true, Reason: text}) // Match returns the error
	}
	c.dismiss()
	event := c.log.Info()
	if p, ok := errors.AsType[*guard.Panic](reason); ok {
		event = c.log.Error().Bytes("stack", p.Stack)
	}
	event.Str("reason", text).Msg("match aborted")
}
