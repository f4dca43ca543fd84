package player

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/arrival"
)

// A goal that is proved must be reached. Searches prove values, and moves that keep a value may
// wait for ever where positions repeat. So moves are looked for that end the match with the proved
// goal in the fewest joint moves: their number falls from move to move.

const (
	// arrivalNodes bounds the expansions of that search in a position that is new in the match, and
	// repeatedNodes in a position that has come up before.
	arrivalNodes  = 1 << 12
	repeatedNodes = 1 << 18
	// arrivalMemory is the part of the memory of a search that it may take.
	arrivalMemory = 16
	// maxRemembered bounds the positions that are remembered.
	maxRemembered = 1 << 16
)

// course is the player's own part of the match so far.
type course struct {
	finder *arrival.Finder
	made   map[string][]machine.Move // by position in which the player chose: the moves that it made there
}

// arrive looks for the fewest joint moves that end the match with the goal that is proved at the
// root: with the best goal always, with another goal where the position has come up before, since
// until then others may still go wrong. A player alone has a line to follow instead.
func (t *thinker) arrive(ctx context.Context, r *root) {
	goal, before := search.Sure(r.moves), t.course.made[r.state.Key()]
	if r.alone || goal <= worstGoal || goal < bestGoal && before == nil {
		return
	}
	if t.course.finder == nil || t.course.finder.Machine() != r.machine {
		t.course.finder = arrival.New(r.machine, t.memory.share()/arrivalMemory)
	}
	nodes := int64(arrivalNodes)
	if before != nil {
		nodes = repeatedNodes
	}
	if way, ok := t.course.finder.Find(ctx, r.state, r.role, wholePoints(goal), nodes); ok {
		r.arrive(way, float64(wholePoints(goal)))
	} else {
		r.avoid(before)
	}
}

// wholePoints returns a goal as the whole number that it is, up to rounding.
func wholePoints(goal float64) int32 {
	const rounding = 1 << 10
	return int32((goal*rounding + rounding - 1) / rounding)
}

// remember notes that a move is made at the root.
func (t *thinker) remember(r *root, m machine.Move) {
	if t.course.made == nil || len(t.course.made) >= maxRemembered {
		t.course.made = make(map[string][]machine.Move)
	}
	key := r.state.Key()
	if !slices.Contains(t.course.made[key], m) {
		t.course.made[key] = append(t.course.made[key], m)
	}
}
