package sequential

import (
	"errors"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
)

// result returns the search result for position s.
func (r *run) result(s machine.State) search.Result {
	v := r.root.value
	res := search.Result{Values: r.values(v.proved), Proved: true, Strategies: make([][]search.Weighted, r.roles)}
	if terminal, _ := r.expander.Look(s); terminal {
		return res
	}
	at := r.shown
	err := r.expander.Expand(&at.own, s)
	at.children = &at.own
	if errors.Is(err, play.ErrStuck) || !r.layOut(at) { // the moves are known despite an error
		return res
	}
	choice := 0
	for role, moves := range at.children.Moves {
		switch {
		case machine.Role(role) == r.random:
		case len(moves) == 1:
			res.Strategies[role] = []search.Weighted{{Move: moves[0], Probability: 1}}
		default:
			r.root.maximise = r.maximises(at.Decider)
			choice = r.root.bestAction(r.Epsilon)
			res.Moves = make([][]search.Known, r.roles)
			res.Moves[role] = r.known(machine.Role(role), moves)
			res.Strategies[role] = []search.Weighted{{Move: moves[choice], Probability: 1}}
		}
	}
	if err == nil {
		res.Line = r.line(at, s, choice)
	}
	return res
}

// bestAction returns the action to play: the best by proved bounds if they settle the value of the root, else the
// best by guesses.
func (t *root) bestAction(epsilon float64) int {
	settled := t.value.proved.Upper-t.value.proved.Lower <= epsilon
	best := 0
	for a, v := range t.actions {
		b := t.actions[best]
		if settled && prefers(v.proved, b.proved, t.maximise) || !settled && prefers(v.guess, b.guess, t.maximise) {
			best = a
		}
	}
	return best
}

// known returns the bounds and estimates of the moves of the role that chooses at the root.
func (r *run) known(role machine.Role, moves []machine.Move) []search.Known {
	list := make([]search.Known, 0, len(moves))
	for i, m := range moves {
		v := unknown
		if i < len(r.root.actions) {
			v = r.root.actions[i]
		}
		guess := r.values(v.guess)[role]
		list = append(list, search.Known{Move: m, Bounds: r.values(v.proved)[role], Estimate: (guess.Lower + guess.Upper) / 2})
	}
	return list
}

// lineGrace is the time to find the principal variation after the context's end. It is short relative to the margins of
// clocks, and enough for hundreds of moves in ordinary games.
const lineGrace = 5 * time.Millisecond

// line returns the principal variation from s, expanded in at. It follows the best actions in the table
// until chance moves, the game ends, a position repeats or the table has no entry.
func (r *run) line(at *frame, s machine.State, choice int) [][]machine.Move {
	var line [][]machine.Move
	state := append(machine.State(nil), s...)
	began, seen := time.Now(), make(map[string]bool)
	for range exact.MaxPly {
		if at.Replies > 1 || seen[state.Key()] {
			return line
		}
		seen[state.Key()] = true
		joint := make([]machine.Move, r.roles)
		c := at.ChildNumber(choice, 0)
		at.children.Joint(joint, c)
		line = append(line, joint)
		copy(state, at.children.Child(c))
		if r.crew.ctx.Err() != nil && time.Since(began) > lineGrace {
			return line
		}
		if over, _ := r.expander.Look(state); over || r.innerExpander().Expand(&at.own, state) != nil || !r.layOut(at) {
			return line
		}
		if choice = 0; at.Actions > 1 {
			r.find(&at.key, at.image, state)
			_, best := r.recall(&at.key, 0)
			if choice = at.action(best); choice < 0 {
				choice = r.lastAction(at)
			}
			if choice < 0 {
				return line
			}
		}
	}
	return line
}

// lastAction returns an action that ends the game with the value of the root, or -1. The table has no entry for
// positions that such an action settles.
func (r *run) lastAction(at *frame) int {
	for a := range at.Actions {
		if c := at.ChildNumber(a, 0); at.children.Terminal[c] && r.terminal(at.children.ChildGoals(c)).proved == r.root.value.proved {
			return a
		}
	}
	return -1
}
