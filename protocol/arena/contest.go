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
	"stackmate/protocol"
	"stackmate/reasoner/machine"

	"github.com/rs/zerolog"
)

const (
	// grace is how long past a clock the manager waits, for the way there and
	// back.
	grace = time.Second
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
}

// seat gives the players their roles. It returns why that fails, if it does.
func (c *contest) seat(players []Player) (reason string) {
	for r, name := range c.roles {
		if name == machine.RandomRole {
			c.record.Players[r] = chance
			continue
		}
		p := players[0]
		players = players[1:]
		c.record.Players[r] = p.Name
		if p.New == nil {
			c.seats[r] = &remote{name: p.Name, url: p.URL, id: c.record.Match}
			continue
		}
		seat, err := newLocal(p.New)
		if err != nil {
			return fmt.Sprintf("player %s cannot be made: %v", p.Name, err)
		}
		c.seats[r] = seat
	}
	return ""
}

// run plays from START to STOP.
func (c *contest) run() {
	if reason := c.start(); reason != "" {
		c.abort(reason)
		return
	}
	var joint []machine.Move
	for {
		c.batch.Evaluate(1)
		state := make(machine.State, c.machine.Words())
		c.batch.Store(state, 1)
		c.record.States = append(c.record.States, c.machine.Names().AppendFluents([]string{}, state))
		c.record.StateTimes = append(c.record.StateTimes, time.Now())
		switch {
		case c.batch.Terminal()[0]&1 != 0:
			c.finish(joint)
			return
		case c.batch.Stuck()[0]&1 != 0:
			c.abort("a fault of the rules: " + c.stuckRole() + " has no legal move")
			return
		case c.record.Turns == c.setting.MaxTurns:
			c.abort(fmt.Sprintf("the match is not over after %d turns", c.setting.MaxTurns))
			return
		}
		if joint = c.turn(joint); c.ctx.Err() != nil {
			c.abort("interrupted")
			return
		}
		c.advance(joint)
	}
}

// each calls f for every player at once and waits for all, until wait ends.
func (c *contest) each(wait context.Context, f func(ctx context.Context, role machine.Role, o opponent)) {
	var all sync.WaitGroup
	for r, o := range c.seats {
		if o != nil {
			all.Go(func() { f(wait, machine.Role(r), o) })
		}
	}
	all.Wait()
}

// start tells all players of the match. It returns why the match cannot begin,
// if so: a player who cannot be reached or is busy. A late one may catch up.
func (c *contest) start() (reason string) {
	compiled := c.machine
	if c.setting.Scramble {
		compiled = nil
	}
	wait, cancel := protocol.WithClock(c.ctx, time.Now(), waiting(c.setting.StartClock))
	defer cancel()
	failures := make([]error, len(c.seats))
	c.each(wait, func(ctx context.Context, r machine.Role, o opponent) {
		failures[r] = o.start(ctx, protocol.Match{
			ID: c.record.Match, Role: c.rules.Roles[r].String(), Game: c.rules,
			Start: time.Now(), StartClock: c.setting.StartClock, PlayClock: c.setting.PlayClock,
			Machine: compiled, Log: c.log.With().Str("player", c.record.Players[r]).Logger(),
		})
	})
	if c.ctx.Err() != nil {
		return "interrupted"
	}
	for r, err := range failures {
		switch {
		case err == nil:
		case errors.Is(err, protocol.ErrLate):
			c.record.StartErrors[r] = timedOut
			c.log.Warn().Str("player", c.record.Players[r]).Msg("not ready at the end of the start clock")
		default:
			c.record.StartErrors[r] = unreadable
			reason = fmt.Sprintf("player %s cannot start: %v", c.record.Players[r], err)
		}
	}
	return reason
}

// waiting is how long to wait for replies under a clock.
func waiting(clock time.Duration) time.Duration {
	if clock == 0 {
		return unlimitedWait
	}
	return clock + grace
}

// turn tells all players the joint move before (nil at first), collects their
// moves and fills in for those that fail.
func (c *contest) turn(before []machine.Move) []machine.Move {
	c.told = append(c.told, c.terms(before))
	wait, cancel := protocol.WithClock(c.ctx, time.Now(), waiting(c.setting.PlayClock))
	defer cancel()
	replies := make([]string, len(c.seats))
	failures := make([]error, len(c.seats))
	c.each(wait, func(ctx context.Context, r machine.Role, o opponent) {
		replies[r], failures[r] = o.play(ctx, c.told)
	})
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
		moves[r] = c.machine.Names().Moves[r][joint[r]]
	}
	if c.ctx.Err() == nil {
		c.record.Moves = append(c.record.Moves, moves)
		c.record.Errors = append(c.record.Errors, faults)
		c.record.Turns++
	}
	return joint
}

// judge finds the move that a player's reply means, or what is wrong with it.
func (c *contest) judge(r machine.Role, reply string, err error, legal []machine.Move) (machine.Move, string) {
	log := c.log.With().Str("player", c.record.Players[r]).Int("turn", c.record.Turns).Logger()
	switch {
	case errors.Is(err, protocol.ErrLate):
		log.Warn().Msg("no move in time")
		return machine.NoMove, timedOut
	case err != nil:
		log.Warn().Err(err).Msg("no move")
		return machine.NoMove, unreadable
	}
	if term, err := protocol.ParseMove(reply); err == nil {
		move, ok := c.machine.Names().Move(r, c.names.back(term).String())
		if ok && slices.Contains(legal, move) {
			return move, ""
		}
	}
	log.Warn().Str("reply", excerpt(reply)).Msg("an illegal move")
	return machine.NoMove, illegal + excerpt(reply)
}

// maxExcerpt is how much of a player's faulty reply is shown, in bytes.
const maxExcerpt = 80

func excerpt(reply string) string { return protocol.Printable(reply, maxExcerpt) }

// terms writes a joint move in the names that the players know.
func (c *contest) terms(joint []machine.Move) []gdl.Term {
	var terms []gdl.Term
	for r, m := range joint {
		// The table of moves holds what gdl has printed.
		t, _ := gdl.ParseTerm(c.machine.Names().Moves[r][m])
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

// stuckRole names the roles without a legal move.
func (c *contest) stuckRole() string {
	var stuck []string
	for r, name := range c.roles {
		if len(c.batch.AppendLegal(nil, 0, machine.Role(r))) == 0 {
			stuck = append(stuck, name)
		}
	}
	return strings.Join(stuck, ", ")
}

// finish records the goals and tells all players that the match is over.
func (c *contest) finish(last []machine.Move) {
	goals := make([]int32, len(c.roles))
	c.batch.Goals(goals, 0)
	for r, g := range goals {
		if g == machine.NoGoal {
			c.record.Reason = "a fault of the rules: " + c.roles[r] + " has no single goal at the end"
			c.log.Warn().Msg(c.record.Reason)
			g = 0
		}
		c.record.Goals = append(c.record.Goals, int(g))
	}
	c.record.Completed = true
	c.told = append(c.told, c.terms(last))
	wait, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), farewell)
	defer cancel()
	c.each(wait, func(ctx context.Context, _ machine.Role, o opponent) { o.stop(ctx, c.told) })
	c.log.Info().Strs("players", c.record.Players).Ints("goals", c.record.Goals).
		Int("turns", c.record.Turns).Msg("the match is over")
}

// abort ends the match and tells all players so.
func (c *contest) abort(reason string) {
	c.record.Aborted, c.record.Reason = true, reason
	wait, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), farewell)
	defer cancel()
	c.each(wait, func(ctx context.Context, _ machine.Role, o opponent) { o.abort(ctx) })
	c.log.Warn().Str("reason", reason).Msg("the match was aborted")
}
