package simultaneous

import (
	"context"
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// Strategies tells what to play at a position that is not terminal: the
// strategy of each role, as search.Result.Strategies has them.
type Strategies func(q machine.State) ([][]search.Weighted, error)

// Certificate is what a pair of strategies is worth against every opponent.
type Certificate struct {
	// Row is what the row player's strategy guarantees, in goal points of the
	// row player, whatever the column player does; Column is the most that the
	// row player can get against the column player's strategy.
	Row, Column float64
	// Positions is the number of positions that one player's strategy and the
	// other one's moves reach.
	Positions int64
}

// Exploitability is what the players gain together, in goal points, if each
// plays the best response to the other's strategy. It is 0 in an equilibrium.
func (c Certificate) Exploitability() float64 { return c.Column - c.Row }

// Certify plays both strategies from position q, which must not be terminal,
// against all moves of the opponent to the end of the game, and computes what
// they guarantee. It looks at the goals of terminal positions and at nothing
// that the search claims. The row player is the role given, see Config.Row.
//
// Cost: one call of strategies for each position that a strategy reaches, twice
// if both do. Memory: one entry of a table for each. Error: ctx.Err() if ctx is
// done before the end, the error of strategies, or a fault of the game.
func Certify(ctx context.Context, m machine.Machine, row machine.Role, q machine.State, strategies Strategies) (Certificate, error) {
	cast, err := castRoles(m.Names().Roles, row)
	if err != nil {
		return Certificate{}, err
	}
	var c Certificate
	for _, own := range []machine.Role{cast.row, cast.column} {
		w := &walk{
			ctx: ctx, machine: m, cast: cast, own: own, strategies: strategies,
			expander: machine.NewExpander(m), known: table.New[float64](m.Words(), 0),
		}
		v := w.worth(0, q)
		if w.err != nil {
			return Certificate{}, w.err
		}
		c.Positions += w.known.Stats().Entries
		if own == cast.row {
			c.Row = v
		} else {
			c.Column = v
		}
	}
	return c, nil
}

// Strategies returns the strategies of the searcher for m: every position asked
// for is searched, which is cheap with the table of an earlier search under the
// same limit of memory.
func (s *Searcher) Strategies(ctx context.Context, m machine.Machine, lim search.Limits) Strategies {
	return func(q machine.State) ([][]search.Weighted, error) {
		solver, err := s.main(m, lim)
		if err != nil {
			return nil, err
		}
		solver.begin(ctx, lim)
		v, strategies := solver.root(q)
		switch {
		case solver.err != nil:
			return nil, solver.err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !v.Solved():
			return nil, fmt.Errorf("a position that the strategies reach could not be solved: its value is in %v", v)
		}
		return strategies, nil
	}
}

// walk computes what the strategy of one player is worth.
type walk struct {
	ctx        context.Context
	machine    machine.Machine
	cast       cast
	own        machine.Role
	strategies Strategies
	expander   *machine.Expander
	known      *table.Table[float64]
	plies      []*machine.Expansion
	err        error
}

// worth is what the own strategy is worth at q, in goal points of the row
// player, against the best response.
func (w *walk) worth(depth int, q machine.State) float64 {
	if v := w.known.Lookup(q); v != nil {
		return *v
	}
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err != nil || depth >= maxPlies {
		return 0
	}
	if depth == len(w.plies) {
		w.plies = append(w.plies, new(machine.Expansion))
	}
	e := w.plies[depth]
	if !w.expander.Expand(e, q) {
		w.err = fmt.Errorf("a role has no legal move in a position that is not terminal")
		return 0
	}
	mine, err := w.mixture(e, q)
	if err != nil {
		w.err = err
		return 0
	}
	opponent := w.cast.row + w.cast.column - w.own
	replies := len(e.Moves[opponent])
	sums := make([]float64, replies) // by reply: expectation over own and chance moves
	w.add(sums, depth, e, mine)
	worst := sums[0]
	for _, v := range sums {
		if w.own == w.cast.row {
			worst = min(worst, v)
		} else {
			worst = max(worst, v)
		}
	}
	*w.known.Insert(q, 1) = worst
	return worst
}

// mixture is the own strategy at q, by legal move.
func (w *walk) mixture(e *machine.Expansion, q machine.State) ([]float64, error) {
	moves := e.Moves[w.own]
	mine := make([]float64, len(moves))
	if len(moves) == 1 {
		mine[0] = 1
		return mine, nil
	}
	strategies, err := w.strategies(q)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for i, m := range moves {
		for _, choice := range strategies[w.own] {
			if choice.Move == m {
				mine[i] = choice.Probability
				total += choice.Probability
			}
		}
	}
	if total < 1-margin || total > 1+margin {
		return nil, fmt.Errorf("the strategy of %s plays legal moves with a probability of %v, not 1",
			w.machine.Names().Roles[w.own], total)
	}
	return mine, nil
}

// add adds up what each reply of the opponent is worth.
func (w *walk) add(sums []float64, depth int, e *machine.Expansion, mine []float64) {
	for c := range e.Children {
		weight, reply := 1.0, 0
		rest := c
		for r := len(e.Moves) - 1; r >= 0; r-- {
			n := len(e.Moves[r])
			digit := rest % n
			rest /= n
			switch machine.Role(r) {
			case w.own:
				weight *= mine[digit]
			case w.cast.chance:
				weight /= float64(n)
			default:
				reply = digit
			}
		}
		if weight == 0 {
			continue
		}
		if e.Terminal[c] {
			sums[reply] += weight * float64(e.ChildGoals(c)[w.cast.row])
		} else {
			sums[reply] += weight * w.worth(depth+1, e.Child(c))
		}
	}
}
