package solve

import (
	"context"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/arrival"
)

// Searches prove the value of a position, and moves that keep it. In a game with repeated positions such moves may
// cycle for ever. There the moves of package arrival, which end the match in the fewest joint moves, replace the
// strategies of a result, and a line to the end replaces its line.

const (
	// arrivalNodes and arrivalFactor bound the expansions of the arrival search: a constant, plus a multiple of the
	// nodes of the search that has proved the values.
	arrivalNodes  = 1 << 18
	arrivalFactor = 4
	// arrivalMemory is the share of the arrival search in the memory of a search.
	arrivalMemory = 1. / 16
)

// arrivals holds the arrival search of the present game.
type arrivals struct {
	memory  int64 // bytes of the search
	finder  *arrival.Finder
	repeats bool // positions of the finder's game were seen to repeat
}

// ExpectRepetition records that positions of m repeat, as a match has shown.
func (s *Solver) ExpectRepetition(m machine.Machine) {
	s.arrivals.prepare(m)
	s.arrivals.repeats = true
}

// prepare creates the finder for a game. It reports whether the game is a new one.
func (a *arrivals) prepare(m machine.Machine) bool {
	if a.finder != nil && a.finder.Machine() == m {
		return false
	}
	a.finder, a.repeats = arrival.New(m, int64(arrivalMemory*float64(a.memory))), false
	return true
}

// arrive replaces the strategies and the line of a result for position q if positions of the game repeat.
func (a *arrivals) arrive(ctx context.Context, m machine.Machine, q machine.State, r *search.Result, noLine bool) {
	if !r.Proved || r.Strategies == nil {
		return
	}
	goals, some := forced(m.Names(), r), false
	for _, goal := range goals {
		some = some || goal > 0
	}
	if !some {
		return
	}
	if a.prepare(m) {
		a.repeats = arrival.Repeats(ctx, m, m.Initial())
	}
	if !a.repeats {
		return
	}
	most := arrivalNodes + arrivalFactor*r.Nodes
	for role, goal := range goals {
		if goal == 0 || len(r.Strategies[role]) != 1 {
			continue
		}
		if way, ok := a.finder.Find(ctx, q, machine.Role(role), goal, most); ok {
			r.Strategies[role] = []search.Weighted{{Move: way.Move, Probability: 1}}
			notePlies(r, role, way)
		}
	}
	if noLine {
		return
	}
	if line, ok := a.finder.Line(ctx, q, goals, most); ok {
		r.Line = line
	}
}

// withoutCircle returns a line from q without the joint moves between two visits of one position: a role that has nothing to
// win may go round in circles, and a plan may have a detour.
func withoutCircle(m machine.Machine, q machine.State, line [][]machine.Move) [][]machine.Move {
	b, state := m.NewNarrowBatch(), slices.Clone(q)
	var kept [][]machine.Move
	visited := []string{q.Key()} // before and after each joint move that is kept
	for _, joint := range line {
		b.Load(state, 1)
		play.Step(b, joint)
		b.Store(state, 1)
		kept, visited = append(kept, joint), append(visited, state.Key())
		if first := slices.Index(visited, state.Key()); first < len(kept) {
			kept, visited = kept[:first], visited[:first+1]
		}
	}
	return kept
}

// forced returns, by role, the goal that the role can force by a result, rounded up: goals are whole numbers. It is 0
// for chance.
func forced(names *machine.Names, r *search.Result) []int32 {
	const rounding = 1e-9
	goals := make([]int32, len(r.Values))
	for role, v := range r.Values {
		if machine.Role(role) != names.Chance() && v.Lower > 0 {
			goals[role] = int32(math.Ceil(v.Lower - rounding))
		}
	}
	return goals
}

// notePlies enters the plies of a way under its move.
func notePlies(r *search.Result, role int, way arrival.Way) {
	if role >= len(r.Moves) {
		return
	}
	for i := range r.Moves[role] {
		if k := &r.Moves[role][i]; k.Move == way.Move {
			k.Plies = way.Plies
			k.Bounds.Lower = max(k.Bounds.Lower, r.Values[role].Lower)
		}
	}
}

// arriving is a search with strategies that end the match.
type arriving struct {
	search.Searcher
	arrivals
}

// Search implements search.Searcher.
func (a *arriving) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	r, err := a.Searcher.Search(ctx, m, q, lim)
	if err == nil {
		a.arrive(ctx, m, q, &r, lim.NoLine)
	}
	return r, err
}
