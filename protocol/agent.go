package protocol

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// ErrOver is the error of an agent that is asked for a move after the end of the
// game.
var ErrOver = errors.New("the game is over")

// Match is what a START message says.
type Match struct {
	ID         string
	Role       string // as spelled in the rules
	Game       *gdl.Game
	Start      time.Time     // when START arrived: the clocks count from here
	StartClock time.Duration // 0 means no limit
	PlayClock  time.Duration // 0 means no limit
	// Machine is the game compiled, where whoever holds the match has it: the
	// agent need not compile. Nil otherwise.
	Machine machine.Machine
	Log     zerolog.Logger // carries the match id
}

// Agent is what plays behind an endpoint. The endpoint calls it for one match
// at a time and never concurrently, except for Abort, which may come at any
// time and must make a running call return soon. Deadlines come as the ctx's.
//
// What it is told is everything that the server has said of moves since Start,
// in order of arrival, kept whatever the agent was doing then: one element for
// each PLAY and STOP, the joint move of the message (one term per role in order
// of the role declarations), or nil for NIL. Nothing has been checked but the
// spelling: the same may have been said twice, something may be missing, a joint
// move may have more or fewer moves than there are roles, and making sense of it is
// up to the agent. From call to call it only grows; agents don't change it.
type Agent interface {
	// Start prepares for a match and returns in time for the start clock.
	Start(ctx context.Context, m Match) error
	// Play returns the move to make, spelled as in the rules. The error wraps
	// ErrOver where the game is over and nobody moves any more.
	Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error)
	// Stop ends the match; told has its last joint move.
	Stop(told [][]gdl.Term)
	// Abort ends the match at once.
	Abort()
}

// NewAgent makes an agent for one match. internal/cli wires the players to it.
type NewAgent func() Agent
