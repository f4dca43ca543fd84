package simultaneous

import (
	"stackmate/search"
)

// Simultaneous Move Alpha-Beta (SMAB): Saffidine, Finnsson and Buro, "Alpha-Beta
// Pruning for Games with Simultaneous Moves" (2012). Line numbers refer to the
// paper's Algorithm 1, figure numbers to the paper.
//
// SMAB searches a position q in a window (α, β), depth first. Each cell (i, j) of the
// matrix of q, the position after both moves, has a pessimistic bound p(i, j) and an
// optimistic bound o(i, j); P and O are the matrices of these bounds.
//
//	lines 2–3    a terminal position is worth its payoff            open (solver.go)
//	lines 5–10   P and O: from the rules, the table, or the range   cellOrder.begin
//	line 11      the next cell (a, b)                               cellOrder.next
//	lines 12–16  between which values α(a, b) and β(a, b) it counts  cellOrder.next
//	lines 17–24  the search of the cell in that window              smab, cell (solver.go)
//	lines 21–28  the reply: a dominated action, or a value          cellOrder.reply
//	line 32      the equilibrium of P                               cellOrder.next
//
// The order of the cells decides how much is pruned (section 4.3, Figure 6). Each order
// has the form of Figures 4 and 5 that fits it:
//
//   - OrderL and OrderLex (listed.go) are known in advance. α(a, b) is the maximum of
//     Figure 4: the greatest value of the cell at which a mixture of other rows dominates
//     row a. A reply of at most α(a, b) removes row a for good. Two linear programs a cell.
//   - OrderBest (best.go) visits the cell where the optimistic strategies of both players
//     meet most. Duality makes the maximum of Figure 4 a minimum over strategies y of the
//     column player: of o(a, b) − ((Oy)(a) − v⁻)/y(b), v⁻ being the most that a row brings
//     in Py, or α if that is more. OrderBest takes the y of the equilibrium of P, which it
//     has to solve anyway. So its window is at least as narrow, and costs no linear
//     program. A reply of at most that bound leaves row a no better response to y than
//     the rows of P's equilibrium: the row stays, and y changes.
//
// All orders stop as soon as value(P) and value(O) decide the window: line 32 returns
// both, an interval that contains the value. That is not in the paper, whose algorithm
// visits all cells that are not dominated.
//
// Theorem (2.–4. of the paper): the interval contains the value of q, and it is a single
// number, up to Config.Epsilon, or lies at or below α, or at or above β. Exceptions: the
// search is stopped, or cut at the horizon of a game whose positions repeat (deepen.go);
// then the interval contains the value, and may be wider.

// cellOrder is an order of the cells of a matrix with the pruning that fits it.
type cellOrder interface {
	// begin fills in the bounds that are known of the cells of f.
	begin(s *solver, f *frame, depth int)
	// next returns the next cell and the window in which its value counts. It returns no
	// cell, and the value of the position, if the known cells decide it, if no cell is
	// left to search, or if the search is stopped.
	next(s *solver, f *frame, depth int, alpha, beta float64) (at int, window search.Interval, value search.Interval)
	// reply takes the bounds v of a cell that was searched in a window.
	reply(f *frame, at int, window, v search.Interval)
}

// noCell is the number of no cell.
const noCell = -1

// order returns the cell order of the configuration, for a frame.
func (s *solver) order(f *frame) cellOrder {
	if s.config.Order == OrderBest {
		return &f.best
	}
	return &f.listed
}

// smab implements the method SMAB.
func (s *solver) smab(f *frame, depth int, alpha, beta float64) search.Interval {
	order := s.order(f)
	order.begin(s, f, depth)
	for {
		at, window, v := order.next(s, f, depth, alpha, beta)
		if at == noCell {
			return v
		}
		// A window that is empty asks on which side of it the value lies (line 20).
		v = s.cell(f, depth, at/f.n, at%f.n, window.Lower, max(window.Upper, window.Lower+s.config.Epsilon+nullWindow))
		order.reply(f, at, window, v)
	}
}
