package search

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
)

// ErrMemory is returned, wrapped, where what must be kept of a solution takes more
// memory than allowed. A search in this plight stops and says what it knows instead.
var ErrMemory = errors.New("out of the memory allowed")

// Claim is what a solution says of one position.
type Claim struct {
	// Value in goal points of the first player: the first role that is not
	// chance.
	Value float64
	// Slack is the width of an interval: the value lies from Value to Value + Slack, the
	// first player's strategy obtains the one, and against the other player's strategy
	// nobody obtains more than the other. 0 for an exact claim.
	Slack float64
	// Strategies holds the strategy of each role, as Result has them. Roles that
	// have a single legal move, or are chance, need none.
	Strategies [][]Weighted
}

// Solution is anything that knows the value and the strategies of positions: a
// search (package certify) or a file of positions (package book).
type Solution interface {
	// At tells what the solution claims of q, which must not be kept or changed.
	// Only the initial position may be terminal.
	At(ctx context.Context, q machine.State) (Claim, error)
}

// Valuer is a solution that tells values faster than whole claims.
type Valuer interface {
	Solution
	// ValueAt is the value that At claims.
	ValueAt(ctx context.Context, q machine.State) (float64, error)
}
