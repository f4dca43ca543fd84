package circuit

import (
	"context"

	"stackmate/reasoner/machine"
)

// Decisive and anti-decisive moves (Teytaud and Teytaud, "On the huge benefit of
// decisive moves in Monte-Carlo tree search algorithms", 2010), as gates: for every
// move of a role,
//
//	wins      it ends the game with the best goal of the role
//	blunders  after it another role has a move that wins
//
// are functions of the position (regression.go), of which a policy is made. So
// random moves of all lanes keep to it, and choosing them is no other algorithm than
// choosing among all legal moves.

// maxPolicyCost is how many times as many gates the game with the policy may have as
// the game without. At equal time (search/montecarlo/README.md) the policy gained at
// factors of 2 (breakthrough) and 8 (connect four), and lost at 30 and more (gomoku,
// checkers).
const maxPolicyCost = 16

// WithDecisiveMoves is an optimised game with a policy of decisive moves, optimised
// in turn. It is nil for a game without winning moves, for one where finding them
// costs too much or takes recursion, and when ctx is done.
//
// With alone they are what would be decisive if the other roles that have a choice did
// nothing: a rule of thumb for games in which players choose at once, with nothing about who
// wins.
func WithDecisiveMoves(ctx context.Context, g *Game, alone bool) *Game {
	h := removeDead(ctx, g.plain)
	wins := h.wins(ctx, alone)
	if wins == nil {
		return nil
	}
	blunders := h.blunders(ctx, wins, alone)
	if blunders == nil {
		return nil
	}
	sure := make([]Lit, len(h.Legal)) // where a role wins, by role
	for role, legal := range h.Legal {
		allowed, won, lost := h.Net.policy(legal, wins[role], blunders[role])
		h.Policy = append(h.Policy, allowed)
		sure[role] = h.Net.Or(sure[role], won)
		if len(sure) == 2 {
			sure[1-role] = h.Net.Or(sure[1-role], lost)
		}
	}
	if !alone {
		h.Wins = sure
	}
	for _, p := range passes {
		if p.shares && ctx.Err() == nil {
			h = p.run(ctx, h)
		}
	}
	if ctx.Err() != nil || h.Net.Gates() > maxPolicyCost*g.Net.Gates() {
		return nil
	}
	return h
}

// policy allows, of the legal moves of a role, those that win; if there are none,
// those that are no blunders; and if there are none, all. The first of these cases is
// won, the last one lost.
func (n *Network) policy(legal, wins, blunders []Lit) (allowed []Lit, won, lost Lit) {
	safe := make([]Lit, len(legal))
	for m := range legal {
		safe[m] = n.And(legal[m], blunders[m].Not())
	}
	won = n.Or(wins...)
	some := n.Or(safe...)
	allowed = make([]Lit, len(legal))
	for m := range legal {
		allowed[m] = n.Or(wins[m], n.And(won.Not(), safe[m]), n.And(won.Not(), some.Not(), legal[m]))
	}
	return allowed, won, n.And(won.Not(), some.Not(), n.Or(legal...))
}

// wins adds to the network where each move is legal and wins. It returns nil if that
// costs too much or no move ever does.
func (g *Game) wins(ctx context.Context, alone bool) [][]Lit {
	_, best := g.bestGoals()
	r := g.newRegression(append(best, g.Terminal), alone)
	if r == nil {
		return nil
	}
	any := false
	wins := r.forEachMove(ctx, func(role, _ int) Lit {
		won := r.conjunction([]Lit{r.later(g.Terminal), r.later(best[role])})
		any = any || won != False
		return won
	})
	if !any {
		return nil
	}
	return wins
}

// blunders adds to the network where each move is legal, does not end the game, and lets
// another role win next: what threats say of terminal positions does not count. It returns
// nil if that costs too much.
func (g *Game) blunders(ctx context.Context, wins [][]Lit, alone bool) [][]Lit {
	var threats []Lit // by role
	for _, row := range wins {
		threats = append(threats, g.Net.Or(row...))
	}
	r := g.newRegression(append(threats, g.Terminal), alone)
	if r == nil {
		return nil
	}
	return r.forEachMove(ctx, func(role, _ int) Lit {
		var lost []Lit
		for other, threat := range threats {
			if other != role {
				lost = append(lost, r.later(threat))
			}
		}
		return r.goesOn(g.Net.Or(lost...))
	})
}

// bestGoals are, by role, the best goal that the rules give it, and where it has that.
func (g *Game) bestGoals() (best []int32, when []Lit) {
	best, when = make([]int32, len(g.Does)), make([]Lit, len(g.Does))
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
