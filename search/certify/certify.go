// Package certify verifies solutions of any origin: of one-player games and two-player zero-sum games, with or without
// simultaneous moves, with or without chance. It plays the strategies against every opponent to the end of the game
// and trusts only the rules. Bounds are proved: all arithmetic is rounded conservatively. It does not know how a
// solution was found.
package certify

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Tolerance is the difference of values, in goal points, that counts as equality. Matrix games are solved to 1e-8 goal
// points at worst, mostly to 1e-14; the tolerance allows for a hundred plies of the worst error.
const Tolerance = 1e-6

// Certificate is the proved worth of a solution's strategies against every opponent, in goal points of the first
// player. Probabilities are cut to multiples of 2⁻⁹⁶; the remainder to 1 belongs to the most probable move.
type Certificate struct {
	// Value and Slack are the solution's claim at the position, see search.Claim.
	Value, Slack float64
	// The value of the position is proved to lie between Guarantee and Limit. The first player's strategy obtains at
	// least Guarantee against every opponent; against the other player's strategy the first player obtains at most
	// Limit. In a game of one player Limit is the maximum over all play. Before the proof is complete they are the
	// range of all goals.
	Guarantee, Limit float64
	// Gap is Limit - Guarantee before rounding to floating-point numbers, itself rounded up. Against these strategies
	// no player can gain more over the true value of the position. 0 means that no rounding occurred.
	Gap float64
	// Positions is the number of different non-terminal positions that a strategy reaches with arbitrary moves of the
	// opponent and of chance.
	Positions int64
	// Complete reports whether all these positions, or all positions to be drawn, were checked.
	Complete bool
	// Drawn reports that positions were sampled, see Limits. A sample is no proof.
	Drawn bool
	// Faults is the number of false claims: positions at which a strategy obtains less than the solution claims. First
	// is a fault below which all claims hold; nil if there is none.
	Faults int64
	First  *Fault
}

// Fault is a false claim.
type Fault struct {
	Position machine.State
	Role     machine.Role // role of the strategy; machine.NoRole if a single player can obtain more
	Claimed  float64      // goal points of the first player
	Obtained float64      // goal points of the first player, against the best reply
	// Endless reports that positions repeat under a strategy, and that no fault was found before. The strategy does
	// not end the match, although the claim may be right.
	Endless bool
}

// Exploitability returns the greatest gain of a player over the claimed value, in goal points, against the other
// player's strategy. A gain of at most Tolerance counts as 0.
func (c Certificate) Exploitability() float64 {
	gain := max(c.Value-c.Guarantee, c.Limit-c.Value-c.Slack)
	if gain <= Tolerance {
		return 0
	}
	return gain
}

// Certified reports whether all claims hold and the strategies are an equilibrium; with a slack ε, an ε-equilibrium. A
// certificate by sampled positions never is.
func (c Certificate) Certified() bool {
	return c.Complete && !c.Drawn && c.Exploitability() == 0 && c.Faults == 0
}

// Limits bounds a check. The zero value sets no bound.
type Limits struct {
	// Draws, if not 0, is the number of positions of random games to check instead of all reached positions. At each
	// position the strategies are checked against the claims at the positions after all joint moves.
	Draws int64
	Seed  uint64
	// Threads check positions that are drawn, where the solution is safe for concurrent use; 0 is one.
	Threads  int
	MaxBytes int64 // memory for the positions checked
	// EndlessIsNothing makes a match without end count 0 for a lone player (search.BestEnd).
	EndlessIsNothing bool
	// Progress, if not nil, receives at intervals the number of checked positions and the checked share of the joint
	// moves, from 0 to 1. All moves of a position have equal weight, for subtrees of any size. It must return quickly.
	Progress func(positions int64, share float64)
}

// Check plays the strategies of a solution from q.
//
// Cost: one call of search.Solution.At for each position in which a player has a choice, two if both strategies reach
// it, and one expansion. Memory: one table entry for each position. Errors: ctx.Err(), errors of the solution, invalid
// strategies, a game of another class or with a fault (search.ErrNotZeroSum), or search.ErrMemory. With an error the
// certificate covers the positions checked before. False claims are no error; the certificate counts them.
func Check(ctx context.Context, m machine.Machine, q machine.State, s search.Solution, lim Limits) (Certificate, error) {
	w := newWalk(ctx, m, s, lim)
	first, other, err := search.Opponents(m.Names())
	if err != nil {
		return w.certificate, err
	}
	claim, err := s.At(ctx, q)
	if err != nil {
		return w.certificate, err
	}
	w.first, w.other, w.chance = first, other, m.Names().Chance()
	w.certificate.Value, w.certificate.Slack = claim.Value, claim.Slack
	if lim.Draws > 0 {
		w.certificate.Drawn = true
		w.draw(q)
		w.certificate.Complete = w.err == nil
		return w.certificate, w.err
	}
	guarantee := w.play(q, firstDefends)
	w.prove(guarantee, fixedGoal(machine.MaxGoal))
	limit := w.play(q, firstAttacks)
	w.prove(guarantee, limit)
	w.certificate.Positions = w.known.Stats().Entries
	if w.err == nil {
		w.compareRoot(q, guarantee, limit)
		w.certificate.Complete = true
	}
	return w.certificate, w.err
}

// Search is a solution that is computed position by position by a search. A search with a table that contains the game
// answers quickly.
type Search struct {
	Machine  machine.Machine
	Searcher search.Searcher
	Limits   search.Limits
}

// At implements search.Solution. For an unsolved position it claims the proved bounds: strategies need no more after a
// player's mistake, and a match may go on for ever. With a tolerance, the strategies are consistent only if the search
// keeps its proved bounds (package sequential does).
func (s Search) At(ctx context.Context, q machine.State) (search.Claim, error) {
	first, _, err := search.Opponents(s.Machine.Names())
	if err != nil {
		return search.Claim{}, err
	}
	r, err := s.Searcher.Search(ctx, s.Machine, q, s.Limits)
	switch {
	case err != nil:
		return search.Claim{}, err
	case ctx.Err() != nil:
		return search.Claim{}, ctx.Err()
	}
	v := r.Values[first]
	if !r.Proved {
		return search.Claim{}, errors.New("expected proved bounds of every reached position, found estimates")
	}
	return search.Claim{Value: v.Lower, Slack: v.Upper - v.Lower, Strategies: r.Strategies}, nil
}
