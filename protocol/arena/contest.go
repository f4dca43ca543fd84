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

	"github.com/rs/zerolog"
)

const (
	// unlimitedWait bounds the waiting where a clock has no limit.
	unlimitedWait = time.Hour
	// farewell bounds the waiting for the replies to STOP and ABORT.
	farewell = 3 * time.Second
)

// contest is one match under way.
type contest struct {
	*Manager
	setting Setting
	ctx     context.Context
	rules   *gdl.Game  // as the players know them
	names   scrambling // of rules
	rng     *machine.Rand
	batch   machine.Batch
	seats   []opponent // by role; nil for the role random
	record  *Record
	told    [][]gdl.Term // what the players have been told: one element for each PLAY and STOP
	log     zerolog.Logger

	startErrors []string
	next        *Record // the part under way: of the start, or of a turn
	untold      error   // why nobody takes the record any longer
}

// tell continues the record. The error is that of whoever wants to know of it.
func (c *contest) tell(part *Record) error {
	if part.Ended() {
		whole := *c.record
		whole.Append(part)
		summary := whole.Result()
		part.Summary = &summary
	}
	c.record.Append(part)
	if c.setting.Tell != nil && c.untold == nil {
		c.untold = c.setting.Tell(part)
	}
	return c.untold
}

// tellNext tells the part under way, if there is one.
func (c *contest) tellNext() error {
	part := c.next
	if c.next = nil; part == nil {
		return nil
	}
	return c.tell(part)
}

// errInterrupted ends a match whose context has ended.
var errInterrupted = errors.New("interrupted")

// seat gives the players their roles.
func (c *contest) seat(players []Player) error {
	var reasons []error
	for r := range c.roles {
		if machine.Role(r) == c.machine.Names().Chance() {
			continue
		}
		p := players[0]
		players = players[1:]
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

// hold plays from START to STOP. The error is the reason why the match cannot
// begin or go on.
func (c *contest) hold(players []Player) error {
	err := c.seat(players)
	if err == nil {
		err = c.start()
	}
	if err != nil && c.setting.Forfeit && !errors.Is(err, errInterrupted) {
		return c.forfeit(err)
	}
	if err != nil {
		return err
	}
	var joint []machine.Move
	for {
		c.batch.Evaluate(1)
		state := make(machine.State, c.machine.Words())
		c.batch.Store(state, 1)
		c.next.States = [][]string{c.machine.Names().AppendFluents([]string{}, state)}
		c.next.StateTimes = []time.Time{time.Now().Round(0)}
		if err := c.tellNext(); err != nil {
			return err
		}
		switch err := machine.Unknown(c.batch, 0); {
		case err != nil:
			return err
		case c.batch.Terminal()[0]&1 != 0:
			return c.finish(joint)
		case c.batch.Stuck()[0]&1 != 0:
			return fmt.Errorf("a fault of the rules: %s has no legal move", c.stuckRoles())
		case c.record.Turns == c.setting.MaxTurns:
			return fmt.Errorf("the match is not over after %d turns", c.setting.MaxTurns)
		}
		if joint = c.turn(joint); joint == nil {
			return errInterrupted
		}
		c.advance(joint)
	}
}

// each calls f for every player at once, waits for all and returns their errors by
// role. F returns soon after its context has ended.
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

// start tells all players of the match. The error says why the match cannot
// begin: a player who cannot be reached or is busy. A late one may catch up.
func (c *contest) start() error {
	compiled := c.machine
	if c.setting.Scramble || !c.begins.Equal(c.machine.Initial()) { // it is another game to the players
		compiled = nil
	}
	wait, cancel := protocol.WithClock(c.ctx, time.Now(), c.waiting(c.setting.StartClock))
	defer cancel()
	failures := c.each(wait, func(ctx context.Context, r machine.Role, o opponent) error {
		m := protocol.Match{
			ID: c.record.Match, Role: c.rules.Roles[r].String(), Game: c.rules,
			Start: time.Now(), StartClock: c.setting.StartClock, PlayClock: c.setting.PlayClock,
			Machine: compiled, Log: c.log.With().Str("player", c.record.Players[r]).Logger(),
		}
		if c.setting.Forfeit {
			return startWhenFree(ctx, o, m)
		}
		return o.start(ctx, m)
	})
	if c.ctx.Err() != nil {
		return errInterrupted
	}
	var reasons []error
	for r, err := range failures {
		switch {
		case err == nil:
		case errors.Is(err, protocol.ErrLate):
			c.startErrors[r] = TimedOut
			c.log.Warn().Str("player", c.record.Players[r]).Msg("not ready at the end of the start clock")
		default:
			c.startErrors[r] = Unreadable
			reasons = append(reasons, fmt.Errorf("player %s cannot start: %w", c.record.Players[r], err))
		}
	}
	return errors.Join(reasons...)
}

// forfeit ends a match that some players cannot begin: the others have won it.
func (c *contest) forfeit(reason error) error {
	part := &Record{Completed: true, Reason: protocol.Printable(strings.ReplaceAll(reason.Error(), "\n", "; "), maxReason)}
	for r, o := range c.seats {
		goal := 0
		if o != nil && c.startErrors[r] != Unreadable {
			goal = machine.MaxGoal
		}
		part.Goals = append(part.Goals, goal)
	}
	if err := errors.Join(c.tellNext(), c.tell(part)); err != nil {
		return err
	}
	c.log.Warn().Str("reason", part.Reason).Msg("the match is forfeited")
	c.dismiss()
	return nil
}

// dismiss tells all players that the match will not go on.
func (c *contest) dismiss() {
	wait, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), farewell)
	defer cancel()
	c.each(wait, func(ctx context.Context, _ machine.Role, o opponent) error { o.abort(ctx); return nil })
}

// waiting is how long to wait for replies under a clock.
func (c *contest) waiting(clock time.Duration) time.Duration {
	if clock == 0 {
		return unlimitedWait
	}
	return clock + c.setting.Grace
}

// turn tells all players the joint move before (nil at first), collects their
// moves and fills in for those that fail. The joint move is nil if the match is
// interrupted.
func (c *contest) turn(before []machine.Move) []machine.Move {
	c.told = append(c.told, c.terms(before))
	wait, cancel := protocol.WithClock(c.ctx, time.Now(), c.waiting(c.setting.PlayClock))
	defer cancel()
	replies := make([]string, len(c.seats))
	times := make([]float64, len(c.seats))
	why := make([]*protocol.Explanation, len(c.seats))
	failures := c.each(wait, func(ctx context.Context, r machine.Role, o opponent) (err error) {
		asked := time.Now()
		var said *protocol.Explanation
		replies[r], said, err = o.play(ctx, c.told)
		times[r] = time.Since(asked).Round(time.Millisecond).Seconds()
		why[r] = c.names.explained(said)
		return err
	})
	if c.ctx.Err() != nil {
		return nil
	}
	joint := make([]machine.Move, len(c.seats))
	moves := make([]string, len(c.seats))
	faults := make([]string, len(c.seats))
	var legal []machine.Move
	for r, o := range c.seats {
		legal = c.batch.AppendLegal(legal[:0], 0, machine.Role(r))
		joint[r] = machine.NoMove
		if o != nil {
			joint[r], faults[r] = c.judge(machine.Role(r), replies[r], failures[r], legal)
		}
		if joint[r] == machine.NoMove {
			joint[r] = legal[c.rng.Intn(len(legal))]
		}
		moves[r] = c.machine.Names().MoveText(machine.Role(r), joint[r])
	}
	if !slices.ContainsFunc(why, func(e *protocol.Explanation) bool { return e != nil }) {
		why = nil
	}
	c.next = &Record{
		Moves: [][]string{moves}, Errors: [][]string{faults}, ReplyTimes: [][]float64{times},
		Explanations: [][]*protocol.Explanation{why},
	}
	return joint
}

// judge finds the move that a player's reply means, or what is wrong with it.
func (c *contest) judge(r machine.Role, reply string, err error, legal []machine.Move) (machine.Move, string) {
	log := c.log.With().Str("player", c.record.Players[r]).Int("turn", c.record.Turns).Logger()
	switch {
	case errors.Is(err, protocol.ErrLate):
		log.Warn().Msg("no move in time")
		return machine.NoMove, TimedOut
	case err != nil:
		log.Warn().Err(err).Msg("no move")
		return machine.NoMove, Unreadable
	}
	if term, err := protocol.ParseMove(reply); err == nil {
		move, ok := c.machine.Names().Move(r, c.names.back(term).String())
		if ok && slices.Contains(legal, move) {
			return move, ""
		}
	}
	log.Warn().Str("reply", excerpt(reply)).Msg("an illegal move")
	return machine.NoMove, Illegal + excerpt(reply)
}

// maxExcerpt is how much of a player's faulty reply is shown, in bytes.
const maxExcerpt = 80

func excerpt(reply string) string { return protocol.Printable(reply, maxExcerpt) }

// terms writes a joint move in the names that the players know.
func (c *contest) terms(joint []machine.Move) []gdl.Term {
	var terms []gdl.Term
	for r, m := range joint {
		// The table of moves holds what gdl has printed.
		t, _ := gdl.ParseTerm(c.machine.Names().MoveText(machine.Role(r), m))
		terms = append(terms, c.names.there(t))
	}
	return terms
}

func (c *contest) advance(joint []machine.Move) {
	for r, m := range joint {
		c.batch.Choose(0, machine.Role(r), m)
	}
	c.batch.Advance(1)
}

// stuckRoles names the roles without a legal move.
func (c *contest) stuckRoles() string {
	var stuck []string
	for r, name := range c.roles {
		if len(c.batch.AppendLegal(nil, 0, machine.Role(r))) == 0 {
			stuck = append(stuck, name)
		}
	}
	return strings.Join(stuck, ", ")
}

// finish records the goals and tells all players that the match is over.
func (c *contest) finish(last []machine.Move) error {
	part := &Record{Turns: c.record.Turns, Completed: true}
	goals := make([]int32, len(c.roles))
	c.batch.Goals(goals, 0)
	for r, g := range goals {
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
	c.told = append(c.told, c.terms(last))
	wait, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), farewell)
	defer cancel()
	c.each(wait, func(ctx context.Context, _ machine.Role, o opponent) error { o.stop(ctx, c.told); return nil })
	c.log.Info().Strs("players", c.record.Players).Ints("goals", c.record.Goals).
		Int("turns", c.record.Turns).Msg("the match is over")
	return nil
}

// maxReason bounds the reason in a record, in bytes.
const maxReason = 300

// abort ends the match for a reason and tells all players so.
func (c *contest) abort(reason error) {
	text := protocol.Printable(strings.ReplaceAll(reason.Error(), "\n", "; "), maxReason)
	_ = c.tellNext()
	if !c.record.Ended() {
		_ = c.tell(&Record{Turns: c.record.Turns, Aborted: true, Reason: text}) // Match returns the error
	}
	c.dismiss()
	event := c.log.Warn().Str("reason", text)
	var p *guard.Panic
	if errors.As(reason, &p) {
		event = event.Bytes("stack", p.Stack)
	}
	event.Msg("the match was aborted")
}
