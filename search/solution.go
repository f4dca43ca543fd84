package search

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
)

// ErrMemory is wrapped by errors if a solution needs more memory than its limit. A search without memory stops and
// returns its bounds instead.
var ErrMemory = errors.New("the memory limit is reached")

// Claim is a solution's statement about a position.
type Claim struct {
	// Value is in goal points of the first player: the first role that is not chance.
	Value float64
	// Slack is the width of the interval Value to Value + Slack, which contains the true value. The first player's
	// strategy obtains the lower end; against the other player's strategy no player obtains more than the upper end. 0
	// for an exact claim.
	Slack float64
	// Strategies holds the strategy of each role, as in Result. Roles with a single legal move, and chance, need none.
	Strategies [][]Weighted
}

// Solution provides the value and the strategies of positions: a search (package certify) or a file (package book).
type Solution interface {
	// At returns the claim at q. It must not keep or change q. Only the initial position may be terminal.
	At(ctx context.Context, q machine.State) (Claim, error)
}

// Valuer is a solution that returns values faster than whole claims.
type Valuer interface {
	Solution
	// ValueAt returns the value of the claim at q.
	ValueAt(ctx context.Context, q machine.State) (float64, error)
}
