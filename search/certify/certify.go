// Package certify verifies solutions of games, whoever computed them: one-player
// games and two-player zero-sum games, with simultaneous moves or without, with
// chance. It plays the strategies against every opponent to the end of the game
// and believes nothing but the rules. Bounds are proved: all arithmetic is
// rounded in their disfavour. It must not know how a solution is found.
package certify

import (
	"context"
	"errors"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Tolerance is the error of values, in goal points, below which they count as
// equal. Matrix games are solved to 1e-8 goal points at worst and 1e-14 as a
// rule; the tolerance leaves room for a hundred plies of the worst.
const Tolerance = 1e-6

// Certificate is what the strategies of a solution are worth against every
// opponent, in goal points of the first player. Strategies are taken as numbers
// without error: probabilities are cut to multiples of 2⁻⁹⁶, and what is missing
// to 1 belongs to the most probable move.
type Certificate struct {
	// Value and Slack are what the solution claims of the position, see search.Claim.
	Value, Slack float64
	// The value of the position is proved to lie from Guarantee to Limit. Guarantee
	// is what the first player's strategy obtains, whatever the other player does;
	// Limit is the most that the first player can obtain against the other
	// player's strategy. In a game of one player Limit is the most that any play
	// obtains. As long as nothing else is proved they are the range of all goals.
	Guarantee, Limit float64
	// Gap is Limit - Guarantee before these are rounded to floating-point numbers,
	// itself rounded up: against these strategies nobody can gain more over the
	// value of the position, whatever that is. 0 means that there was no rounding.
	Gap float64
	// Positions is the number of different positions, not terminal, that a
	// strategy and arbitrary moves of the opponent and of chance reach.
	Positions int64
	// Complete tells whether all of these positions were checked, or all that were to be drawn.
	Complete bool
	// Drawn tells that positions were drawn, see Limits. What these show is no proof.
	Drawn bool
	// Faults is the number of claims that do not hold: positions from which a
	// strategy obtains less than the solution claims. First is one of them below
	// which all claims hold; nil if there is none.
	Faults int64
	First  *Fault
}

// Fault is a claim that does not hold.
type Fault struct {
	Position machine.State
	Role     machine.Role // whose strategy is worth less than claimed; machine.NoRole if a lone player can obtain more
	Claimed  float64      // goal points of the first player
	Obtained float64      // goal points of the first player, against the best reply
	// Endless reports that positions repeat under a strategy, and that no fault was found before:
	// the strategy does not reach the end from the position, although the claim may be right.
	Endless bool
}

// Exploitability is the most that a player could gain, in goal points, over what is
// claimed, against the other player's strategy. It is 0 if that is below the Tolerance.
func (c Certificate) Exploitability() float64 {
	gain := max(c.Value-c.Guarantee, c.Limit-c.Value-c.Slack)
	if gain <= Tolerance {
		return 0
	}
	return gain
}

// Certified tells whether the solution is one: the strategies are in equilibrium, or where
// there is slack in an ε-equilibrium with that ε, and all claims hold.
func (c Certificate) Certified() bool {
	return c.Complete && !c.Drawn && c.Exploitability() == 0 && c.Faults == 0
}

// Limits bound a check. The zero value bounds nothing.
type Limits struct {
	// Draws, if not 0, asks for so many positions of random games instead of all that the strategies reach. At each, all
	// joint moves are made, and the strategies are checked against what the solution claims of the positions they lead to.
	Draws int64
	Seed  uint64
	// Threads check positions that are drawn, where the solution is safe for concurrent use; 0 is one.
	Threads  int
	MaxBytes int64 // memory for the positions checked
	// Progress, if not nil, is told now and then the number of positions checked
	// so far, and which share of the joint moves, from 0 to 1, this disposes of:
	// moves at one position count alike, whatever is below them. It must return
	// quickly.
	Progress func(positions int64, share float64)
}

// Check plays the strategies of a solution from q.
//
// Cost: one call of search.Solution.At for each position where a player has a choice,
// two if both strategies reach it, and one expansion. Memory: one table entry
// for each position. Errors: ctx.Err(), that of the solution, strategies that
// are none, a game of another class or with a fault (search.ErrNotZeroSum), or
// search.ErrMemory; the certificate then says what had been checked and proved. That
// claims do not hold is no error; the certificate tells it.
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

// Search is the solution that a search finds, position by position. A search
// with a table that knows the game answers quickly.
type Search struct {
	Machine  machine.Machine
	Searcher search.Searcher
	Limits   search.Limits
}

// At implements search.Solution. Of a position that the search does not solve it claims the proved
// bounds: strategies need no more where a player has made a mistake, and a match may go on for ever.
// The strategies of a search with a tolerance hold together only if the search keeps what it has
// proved (package sequential does).
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
		return search.Claim{}, errors.New("of a position that the strategies reach nothing is proved")
	}
	return search.Claim{Value: v.Lower, Slack: v.Upper - v.Lower, Strategies: r.Strategies}, nil
}
