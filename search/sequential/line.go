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
	if errors.Is(err, play.ErrStuck) || errors.Is(err, machine.ErrLost) || !r.layOut(at) { // other errors leave the moves known
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
	if err == nil && !r.crew.noLine {
		res.Line = r.line(at, s, choice)
	}
	return res
}

// bestAction returns the action to play: the best by proved bounds if they settle the value of the root, else the
// best by guesses.
func (t *root) bestAction(epsilon float64) int {
	settled := t.isSettled(epsilon)
	best := 0
	for a, v := range t.actions {
		b := t.actions[best]
		if settled && prefers(v.proved, b.proved, t.maximise) || !settled && prefers(v.guess, b.guess, t.maximise) {
			best = a
		}
	}
	return best
}

// isSettled reports whether the bounds of the value differ by at most epsilon.
func (t *root) isSettled(epsilon float64) bool {
	return t.value.proved.Upper-t.value.proved.Lower <= epsilon
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

// line returns the principal variation from s, expanded in at, until chance moves, the game ends, a position repeats or no
// action is known. A line that ends with goals outside the value of the root is cut back to the actions that surely keep this value.
func (r *run) line(at *frame, s machine.State, choice int) [][]machine.Move {
	var line [][]machine.Move
	state := append(machine.State(nil), s...)
	began, seen := time.Now(), make(map[string]bool)
	kept, keeps := 0, true // the joint moves that surely keep the value, and whether the next one does
	for range exact.MaxPly {
		if at.Replies > 1 || seen[state.Key()] {
			return line
		}
		seen[state.Key()] = true
		joint := make([]machine.Move, r.roles)
		c := at.ChildNumber(choice, 0)
		at.children.Joint(joint, c)
		if line = append(line, joint); keeps {
			kept = len(line)
		}
		copy(state, at.children.Child(c))
		if r.crew.ctx.Err() != nil && time.Since(began) > lineGrace {
			return line
		}
		over, goals := r.expander.Look(state)
		switch {
		case over && !r.mayEnd(goals):
			return line[:kept]
		case over || r.innerExpander().Expand(&at.own, state) != nil || !r.layOut(at):
			return line
		}
		if choice = 0; at.Actions > 1 {
			sure := false
			if choice, sure = r.principal(at, state); choice < 0 {
				return line
			}
			keeps = keeps && sure
		}
	}
	return line
}

// mayEnd reports whether a principal variation may end with the goals: they are within the value of the root, or this value is
// not known up to the tolerance.
func (r *run) mayEnd(goals []int32) bool {
	p, g := r.root.value.proved, r.terminal(goals).proved
	return !r.root.isSettled(r.Epsilon) || g.Lower >= p.Lower && g.Upper <= p.Upper
}

// principal returns the action of the principal variation at a position, expanded in at, and whether it surely keeps the value of
// the root: the best action of the table if it does, else the first action that does, else the best action of the table. The best
// action of an entry alone may be from a search with another window or tolerance. The action is -1 if none is known.
func (r *run) principal(at *frame, state machine.State) (action int, keeps bool) {
	r.find(&at.key, at.image, state)
	_, move := r.recall(&at.key, 0)
	best := at.action(move)
	if best >= 0 && r.keeps(at, best) {
		return best, true
	}
	for a := range at.Actions {
		if r.keeps(at, a) {
			return a, true
		}
	}
	return best, false
}

// keeps reports whether action a of a position whose value is within the value of the root leads to such a position, by the
// goals at the end of the game or the bounds in the table.
func (r *run) keeps(at *frame, a int) bool {
	p, c := r.root.value.proved, at.ChildNumber(a, 0)
	if !r.root.isSettled(r.Epsilon) || at.Replies > 1 {
		return false
	}
	var v value
	if at.children.Terminal[c] {
		v = r.terminal(at.children.ChildGoals(c))
	} else {
		r.find(&at.key, at.image, at.children.Child(c))
		v, _ = r.recall(&at.key, 0)
	}
	if r.maximises(at.Decider) {
		return v.proved.Lower >= p.Lower
	}
	return v.proved.Upper <= p.Upper
}
