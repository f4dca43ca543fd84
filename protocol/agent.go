package protocol

import (
	"context"
	"time"

	"stackmate/gdl"
)

// Match is what a START message says.
type Match struct {
	ID         string
	Role       string // as spelled in the rules
	Game       *gdl.Game
	Start      time.Time     // when START arrived: the clocks count from here
	StartClock time.Duration // 0 means no limit
	PlayClock  time.Duration // 0 means no limit
}

// Agent is what plays behind an endpoint. The endpoint calls it for one match
// at a time and never concurrently, except for Abort, which may come at any
// time and must make a running call return soon. Deadlines come as the ctx's.
type Agent interface {
	// Start prepares for a match and returns in time for the start clock.
	Start(ctx context.Context, m Match) error
	// Play is told the joint move made before (nil at the first turn; one term
	// per role in order of the role declarations) and returns the move to make,
	// spelled as in the rules.
	Play(ctx context.Context, joint []gdl.Term) (gdl.Term, error)
	// Stop is told the last joint move; the match is over.
	Stop(joint []gdl.Term)
	// Abort ends the match at once.
	Abort()
}

// NewAgent makes an agent for one match. internal/cli wires the players to it.
type NewAgent func() Agent
