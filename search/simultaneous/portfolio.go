package simultaneous

import (
	"context"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// The portfolio of the method Auto. Best-first search wins on nearly every game
// that was measured (docs/lab/simultaneous.md). Games that pure strategies decide almost
// everywhere may be won by the bounds of the serialized games instead, by any
// factor in either direction, and nothing cheap tells which. So in such games
// both searches take turns, in slices of doubling size. Both keep what they
// proved in their tables; the loss against the better of the two is bounded.

// firstSlice is the number of nodes of the first turns: below it the loss does not
// matter. Tests shorten it.
var firstSlice = int64(1 << 17)

const (
	// saddleRate is the part of matrix games with a saddle point above which
	// the double oracle is tried: 0.94 in tron, 0.92 in bidding tic-tac-toe with
	// 3 coins, 0.32 in oshi-zumo and 0.36 in goofspiel.
	saddleRate = 0.9
)

// alternate searches q with both members of the portfolio.
func (s *Searcher) alternate(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	started := time.Now()
	share := lim
	share.MaxBytes = maxBytes(lim) / 2
	best, err := s.main(ctx, m, lim)
	if err != nil {
		return search.Result{}, err
	}
	var total search.Result
	left := lim.MaxNodes
	turn := func(member *solver, nodes int64) (done bool, err error) {
		share.MaxNodes = nodes
		if lim.MaxNodes > 0 {
			share.MaxNodes = min(nodes, left)
		}
		result, err := member.search(ctx, q, share)
		spent := result.Nodes + member.serializedNodes
		left -= spent
		combine(&total, result)
		total.Elapsed = time.Since(started)
		// A turn that ends before its slice is used up is over for good.
		return err != nil || total.Solved() || spent < share.MaxNodes || lim.MaxNodes > 0 && left <= 0, err
	}
	for slice := firstSlice; ; slice *= 2 {
		if done, err := turn(best, slice); done {
			return total, err
		}
		if best.saddleRate() < saddleRate {
			continue
		}
		config := s.config
		config.Method, config.Table = DoubleOracle, true
		oracle, err := prepare(ctx, &s.oracle, config, m, share)
		if err != nil {
			return total, err
		}
		if done, err := turn(oracle, slice); done {
			return total, err
		}
	}
}

// combine adds what one turn found to what the turns before found. A value is only
// taken from a turn that proves it alone: where the bounds of two turns meet, no
// turn has the strategies that prove it.
func combine(total *search.Result, turn search.Result) {
	counters := total.Counters
	if total.Values == nil || turn.Solved() {
		*total = turn
	} else {
		for r, v := range turn.Values {
			if both := meet(total.Values[r], v); !both.Solved() {
				total.Values[r] = both
			}
		}
	}
	if turn.Moves != nil {
		total.Moves = turn.Moves
	}
	total.Unfinished, total.Counters = turn.Unfinished, turn.Counters
	total.Nodes += counters.Nodes
	total.LPCalls += counters.LPCalls
	total.LPTime += counters.LPTime
	total.TableHits += counters.TableHits
	total.PeakBytes = max(total.PeakBytes, counters.PeakBytes)
}

// saddleRate is the part of the matrix games of a search that had a saddle point.
func (s *solver) saddleRate() float64 {
	return 1 - float64(s.mixed)/float64(max(s.counters.LPCalls, 1))
}
