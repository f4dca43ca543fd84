package circuit

import (
	"context"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Decisive and anti-decisive moves (Teytaud and Teytaud, "On the huge benefit of decisive moves in Monte-Carlo tree
// search algorithms", 2010), as gates. For every move of a role, two conditions are functions of the position
// (regression.go):
//
//	wins      the move ends the game with the best goal of the role
//	blunders  the move ends the game with the best goal of another role, as in games where a line loses;
//	          or another role has a winning reply
//
// They define a policy: a restriction of the legal moves. Random moves of all lanes follow the policy, with the same
// algorithm as a choice among all legal moves.

// maxPolicyCost limits the gates of the game with the policy, as a multiple of the gates without. At equal time, the
// policy gained at factors of 2 (breakthrough) and 8 (connect four). It lost at factors of 30 and more (gomoku,
// checkers); see search/montecarlo/README.md.
const maxPolicyCost = 16

// WithDecisiveMoves returns two optimised games with a policy of decisive moves. In sparing, blunders are only moves
// that end the game; full has all blunders.
//
// Both games are nil if no move ends the game with a best goal, if recursion is involved, or when ctx is done. Each is
// nil if its search or its gates cost too much; without sparing, full is nil, too.
//
// Two fluents of an exclusive pair are never true together in reachable positions. With more than two roles, such pairs
// identify the turn, and so prove that the other roles have a single legal move.
//
// With othersIdle, moves count as decisive if they would be decisive while the other roles with a choice do nothing: a
// heuristic for simultaneous moves, without Wins.
func WithDecisiveMoves(ctx context.Context, g *Optimised, othersIdle bool, exclusive [][2]int32) (sparing, full *Game) {
	h := removeDead(ctx, g.Unshared)
	wins, losses := h.endingMoves(ctx, othersIdle, exclusive)
	if wins == nil {
		return nil, nil
	}
	affordable := func(p *Game) *Game {
		if p == nil || p.Net.Gates() > maxPolicyCost*g.Net.Gates() {
			return nil
		}
		return p
	}
	if sparing = affordable(h.withPolicy(ctx, wins, losses, othersIdle)); sparing == nil {
		return nil, nil
	}
	if blunders := h.blunders(ctx, wins, losses, othersIdle, exclusive); blunders != nil {
		full = affordable(h.withPolicy(ctx, wins, blunders, othersIdle))
	}
	return sparing, full
}

// withPolicy returns the game with the policy of these wins and blunders, after the passes that share logic. It returns
// nil if ctx is done.
func (g *Game) withPolicy(ctx context.Context, wins, blunders [][]logic.Lit, othersIdle bool) *Game {
	h := *g
	sure := make([]logic.Lit, len(h.Legal)) // by role: the condition that it wins
	for role, legal := range h.Legal {
		allowed, won, lost := policy(h.Net, legal, wins[role], blunders[role])
		h.Policy = append(h.Policy, allowed)
		sure[role] = h.Net.Or(sure[role], won)
		if len(sure) == 2 {
			sure[1-role] = h.Net.Or(sure[1-role], lost)
		}
	}
	if !othersIdle {
		h.Wins = sure
	}
	return h.shareLogic(ctx)
}

// policy returns the allowed moves of a role: the winning moves if there are any, otherwise the moves that are no
// blunders, and otherwise all legal moves. The first case is won, the last case lost.
func policy(n *logic.Network, legal, wins, blunders []logic.Lit) (allowed []logic.Lit, won, lost logic.Lit) {
	safe := make([]logic.Lit, len(legal))
	for m := range legal {
		safe[m] = n.And(legal[m], blunders[m].Not())
	}
	won = n.Or(wins...)
	anySafe := n.Or(safe...)
	allowed = make([]logic.Lit, len(legal))
	for m := range legal {
		allowed[m] = n.Or(wins[m], n.And(won.Not(), safe[m]), n.And(won.Not(), anySafe.Not(), legal[m]))
	}
	return allowed, won, n.And(won.Not(), anySafe.Not(), n.Or(legal...))
}

// endingMoves returns the conditions under which each move is legal and wins, and under which it is legal and loses: it
// ends the game with the best goal of another role, but not of its own. Both are nil if the regression costs too much
// or no move can win or lose.
func (g *Game) endingMoves(ctx context.Context, othersIdle bool, exclusive [][2]int32) (wins, losses [][]logic.Lit) {
	_, best := g.bestGoals()
	r := g.newRegression(append(best, g.Terminal), othersIdle, exclusive)
	if r == nil {
		return nil, nil
	}
	found := r.forEachMove(ctx, 2, func(role, _ int) []logic.Lit {
		var others []logic.Lit
		for other, when := range best {
			if other != role {
				others = append(others, r.valueAfter(when))
			}
		}
		own, terminal := r.valueAfter(best[role]), r.valueAfter(g.Terminal)
		return []logic.Lit{
			r.conjunction([]logic.Lit{terminal, own}),
			r.conjunction([]logic.Lit{terminal, own.Not(), g.Net.Or(others...)}),
		}
	})
	if found == nil {
		return nil, nil
	}
	wins, losses = found[0], found[1]
	any := false
	for role := range losses {
		// A single losing move is the noop of a role whose opponent wins in the same step; it is no blunder.
		if possible(losses[role]) == 1 {
			clear(losses[role])
		}
		any = any || possible(wins[role])+possible(losses[role]) > 0
	}
	if !any {
		return nil, nil
	}
	return wins, losses
}

// possible returns the number of signals other than the constant false.
func possible(row []logic.Lit) int {
	n := 0
	for _, l := range row {
		if l != logic.False {
			n++
		}
	}
	return n
}

// blunders returns the conditions under which each move is legal and loses, or continues the game and allows another
// role a winning reply. In terminal positions, winning moves of other roles are ignored. It returns nil if the
// regression costs too much.
func (g *Game) blunders(ctx context.Context, wins, losses [][]logic.Lit, othersIdle bool, exclusive [][2]int32) [][]logic.Lit {
	var replies []logic.Lit // by role: the condition that it has a winning move
	for _, row := range wins {
		replies = append(replies, g.Net.Or(row...))
	}
	r := g.newRegression(append(replies, g.Terminal), othersIdle, exclusive)
	if r == nil {
		return nil
	}
	found := r.forEachMove(ctx, 1, func(role, m int) []logic.Lit {
		var lost []logic.Lit
		for other, reply := range replies {
			if other != role {
				lost = append(lost, r.valueAfter(reply))
			}
		}
		return []logic.Lit{g.Net.Or(losses[role][m], r.holdsAndContinues(g.Net.Or(lost...)))}
	})
	if found == nil {
		return nil
	}
	return found[0]
}

// bestGoals returns, by role, its best possible goal and the condition of this goal.
func (g *Game) bestGoals() (best []int32, when []logic.Lit) {
	best, when = make([]int32, len(g.Does)), make([]logic.Lit, len(g.Does))
	for r := range best {
		best[r] = machine.NoGoal
	}
	for _, goal := range g.Goals {
		if goal.Value > best[goal.Role] {
			best[goal.Role], when[goal.Role] = goal.Value, goal.When
		}
	}
	return best, when
}
