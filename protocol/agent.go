package protocol

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// ErrOver is returned by an agent that is asked for a move after the end of the game.
var ErrOver = errors.New("the game is over")

// Match describes a match, as announced by START.
type Match struct {
	ID         string
	Role       string // as spelled in the rules
	Game       *gdl.Game
	Start      time.Time     // arrival of START: the clocks count from here
	StartClock time.Duration // 0 means no limit
	PlayClock  time.Duration // 0 means no limit
	// Machine is the compiled game, if the caller has one, so that the agent need not compile; else nil.
	Machine machine.Machine
	Log     zerolog.Logger // carries the match id
}

// Agent is a player behind an endpoint. The endpoint calls it for one match at a time and never concurrently, except
// Abort: it may come at any time and must make a running call return soon. The deadline of a call is the deadline of
// its ctx.
//
// The argument told holds all joint moves that the server has sent since Start, in order of arrival. It has one
// element per PLAY and STOP: the joint move (one term per role, in order of the role declarations), or nil for NIL.
// Only the spelling has been corrected: joint moves may be repeated or missing, or have too many or too few moves.
// The agent must cope with them. From call to call told only grows; agents must not change it.
type Agent interface {
	// Start prepares for a match and returns in time for the start clock.
	Start(ctx context.Context, m Match) error
	// Play returns a move, spelled as in the rules. The error wraps ErrOver if the game is over.
	Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error)
	// Stop ends the match; told ends with its last joint move.
	Stop(told [][]gdl.Term)
	// Abort ends the match immediately.
	Abort()
}

// NewAgent returns an agent for one match. internal/cli passes the constructors of the players.
type NewAgent func() Agent
