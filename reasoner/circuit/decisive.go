package circuit

import (
	"context"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Decisive and anti-decisive moves (Teytaud and Teytaud, "On the huge benefit of
// decisive moves in Monte-Carlo tree search algorithms", 2010), as gates: for every
// move of a role,
//
//	wins      it ends the game with the best goal of the role
//	blunders  it ends the game with the best goal of another role, as in games in which
//	          who makes a line loses, or after it another role has a move that wins
//
// are functions of the position (regression.go), of which a policy is made. So
// random moves of all lanes keep to it, and choosing them is no other algorithm than
// choosing among all legal moves.

// maxPolicyCost is how many times as many gates the game with the policy may have as
// the game without. At equal time (search/montecarlo/README.md) the policy gained at
// factors of 2 (breakthrough) and 8 (connect four), and lost at 30 and more (gomoku,
// checkers).
const maxPolicyCost = 16

// WithDecisiveMoves are two optimised games with a policy of decisive moves, optimised
// in turn: a sparing one, of which blunders are only moves that end the game, and the full one.
// Both are nil for a game in which no move ends it with a best goal, for one where finding those
// moves costs too much or takes recursion, and when ctx is done; the full one also
// where that alone costs too much.
//
// The exclusive pairs of fluents are never true together in a position that can be reached: whose turn
// it is, of more than two roles. So it is known that the others wait.
//
// With alone they are what would be decisive if the other roles that have a choice did
// nothing: a rule of thumb for games in which players choose at once, with nothing about who
// wins.
func WithDecisiveMoves(ctx context.Context, g *Game, othersIdle bool, exclusive [][2]int32) (sparing, full *Game) {
	h := removeDead(ctx, g.unshared)
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

// withPolicy is the game with the policy of these moves, optimised; nil if ctx is done.
func (g *Game) withPolicy(ctx context.Context, wins, blunders [][]logic.Lit, othersIdle bool) *Game {
	h := *g
	sure := make([]logic.Lit, len(h.Legal)) // where a role wins, by role
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

// policy allows, of the legal moves of a role, those that win; if there are none,
// those that are no blunders; and if there are none, all. The first of these cases is
// won, the last one lost.
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

// ends adds to the network the conditions under which each move is legal and wins, and under which it
// loses: it ends the game with the best goal of another role, and not with the best goal of its
// own. Both are nil if that costs too much or no move ever does either.
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

// possible is the number of signals that are not known to be false.
func possible(row []logic.Lit) int {
	n := 0
	for _, l := range row {
		if l != logic.False {
			n++
		}
	}
	return n
}

// blunders adds to the network where each move is legal and loses, or does not end the game and
// lets another role win next: what threats say of terminal positions does not count. It returns
// nil if that costs too much.
func (g *Game) blunders(ctx context.Context, wins, losses [][]logic.Lit, othersIdle bool, exclusive [][2]int32) [][]logic.Lit {
	var threats []logic.Lit // by role
	for _, row := range wins {
		threats = append(threats, g.Net.Or(row...))
	}
	r := g.newRegression(append(threats, g.Terminal), othersIdle, exclusive)
	if r == nil {
		return nil
	}
	found := r.forEachMove(ctx, 1, func(role, m int) []logic.Lit {
		var lost []logic.Lit
		for other, threat := range threats {
			if other != role {
				lost = append(lost, r.valueAfter(threat))
			}
		}
		return []logic.Lit{g.Net.Or(losses[role][m], r.holdsAndContinues(g.Net.Or(lost...)))}
	})
	if found == nil {
		return nil
	}
	return found[0]
}

// bestGoals are, by role, the best goal that the rules give it, and where it has that.
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
