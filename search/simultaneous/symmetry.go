package simultaneous

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/table"
)

// symmetry is the use of a game's symmetries by the tables: symmetric positions share an entry. Under a symmetry that exchanges the players, a value
// v of a position is sum-v in the image, where sum is the sum of both goals. A position that is its own image has the value sum/2 for both, without
// any search. Only the number of searched positions depends on the symmetries that the machine knows.
type symmetry struct {
	canon *table.Canon
	sum   float64
	// ends: every match is proved to end. Only then a position that is its own image under an exchange of the players is
	// worth half of the sum: in a match without end both players may get less.
	ends bool
}

// newSymmetry asks the machine for its symmetries. Exchanges of the players are
// left out if the sum of the goals cannot be found out.
func (s *solver) newSymmetry(ctx context.Context) *symmetry {
	sum, exchange := 0., false
	if len(facts.Symmetries(s.machine)) > 0 && s.payoffs.Find(ctx, s.machine) == nil {
		sum, exchange = s.payoffs.Sum.Known()
	}
	y := &symmetry{canon: table.NewCanon(s.machine, [2]machine.Role{s.row, s.column}, exchange), sum: sum}
	if y.canon.Exchanges() {
		short, cancel := context.WithTimeout(ctx, lengthTime)
		defer cancel()
		_, y.ends = facts.ProvedLength(short, s.machine)
	}
	return y
}

// lengthTime bounds the proof that every match ends. Proofs of games that count their rounds take milliseconds, and
// save 8 % of the nodes of goofspiel with 8 cards; in bidding tic-tac-toe, where a proof takes a second, it saves none.
const lengthTime = 50 * time.Millisecond

// even returns the value of a position that is its own image under an exchange.
func (y *symmetry) even() search.Interval { return search.Exact(y.sum / 2) }

// exchange returns v from the other player's side, if the players are exchanged. The result lies within the range of goals for every sum.
func (y *symmetry) exchange(v search.Interval, exchanged bool) search.Interval {
	if !exchanged {
		return v
	}
	return meet(search.GoalRange, v.Opposite(y.sum))
}
