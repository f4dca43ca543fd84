package simultaneous

import (
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
)

// The strategies of games whose positions repeat (deepen.go). An optimal strategy at the final bounds may stay in a circle
// for ever, since a move that stays keeps the bound. So the search records the strategies of both players
// at each position: the strategy of the last visit that has strictly raised the player's bound.
//
// Theorem (Everett, "Recursive games", 1957): the recorded strategies guarantee the recorded bounds, in an endless match
// too. Proof: let b be the bound of a recorded strategy. Its matrix held bounds of the next positions that were proved
// before, and the mean of these bounds was at least b; the recorded bounds of the next positions are no less. Suppose
// that play never leaves a set of positions. Among the positions of the set with the greatest bound b, take the oldest
// record. When it was made, all bounds of the set were below b, since the other records are younger or lower. So the
// mean was below b: a contradiction.
//
// Rounding: bounds are multiples of the grid, and the mean of multiples below b is not rounded to b. The mean is computed
// from the strategy, because a linear program of nearly equal payoffs may be wrong by some steps of the grid.
//
// Symmetric positions share a record, as they share an entry of the table. Where nobody has a choice, the record belongs
// to the later position in the frame. The theorem holds for bounds that the table has lost, too: such bounds are lower.

// guarantees holds the records of a search.
type guarantees struct {
	records  map[string]*guarantee // by the key of the representative
	bytes    int64
	maxBytes int64
	full     bool // the memory has not sufficed for a record
}

// guarantee holds the strategies of both players at a representative, and the payoffs that they guarantee.
type guarantee struct {
	payoffs    [2]float64 // by side, as the side sees them
	strategies [2][]search.Weighted
}

// guaranteeBytes bounds the memory of a record without its key and its strategies.
const guaranteeBytes = 256

// weightedBytes is the memory of a move in a strategy.
const weightedBytes = 16

// find returns the record of a representative. It adds a record if there is memory left, or if the record must be kept.
func (g *guarantees) find(key string, must bool) *guarantee {
	r := g.records[key]
	if r != nil {
		return r
	}
	if g.bytes >= g.maxBytes && !must {
		g.full = true
		return nil
	}
	r = &guarantee{}
	for _, who := range bothSides {
		r.payoffs[who] = who.fromRow(search.GoalRange).Lower
	}
	g.records[key] = r
	g.bytes += guaranteeBytes + int64(len(key))
	return r
}

// improve records each strategy in frame f that guarantees more than the recorded strategy. It returns the part of the bounds v
// that the strategies in the frame guarantee.
func (s *solver) improve(f *frame, v search.Interval) search.Interval {
	v = search.Interval{Lower: min(v.Lower, f.guaranteed(rowSide)), Upper: max(v.Upper, 0-f.guaranteed(columnSide))}
	q, g := f.position, &s.horizon.guarantees
	if len(f.through) > 0 {
		q = f.through
	}
	image := s.symmetry.canon.Find(q)
	r := g.find(image.State.Key(), false)
	if r == nil {
		return v
	}
	seen := s.symmetry.exchange(v, image.Exchanged)
	for _, who := range bothSides {
		as, role := who.exchanged(image.Exchanged), s.role(who)
		payoff := as.fromRow(seen).Lower
		if payoff <= r.payoffs[as] {
			continue
		}
		g.bytes -= weightedBytes * int64(cap(r.strategies[as]))
		var strategy []search.Weighted
		for a, p := range f.strategy(who) {
			if p > 0 {
				strategy = append(strategy, search.Weighted{Move: image.Move(role, f.expansion.Moves[role][a]), Probability: p})
			}
		}
		r.payoffs[as], r.strategies[as] = payoff, strategy
		g.bytes += weightedBytes * int64(cap(strategy))
	}
	return v
}

// guaranteed returns the payoff that the strategy of a side in the frame guarantees by the bounds of the cells, as the side sees it.
func (f *frame) guaranteed(who side) float64 {
	_, replies := f.size(who)
	least := math.Inf(1)
	for b := range replies {
		mean := 0.0
		for a, p := range f.strategy(who) {
			if p > 0 {
				mean += p * f.cell(who, a, b).Lower
			}
		}
		least = min(least, mean)
	}
	return exact.Snap(least)
}

// recorded returns the recorded strategy of a side at position q; it is empty if there is none.
func (s *solver) recorded(q machine.State, who side) []search.Weighted {
	if s.horizon == nil {
		return nil
	}
	image := s.symmetry.canon.Find(q)
	r := s.horizon.guarantees.records[image.State.Key()]
	if r == nil {
		return nil
	}
	var strategy []search.Weighted
	for _, w := range r.strategies[who.exchanged(image.Exchanged)] {
		strategy = append(strategy, search.Weighted{Move: image.Preimage(s.role(who), w.Move), Probability: w.Probability})
	}
	return strategy
}
