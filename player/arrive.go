package player

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/arrival"
)

// A proved goal must also be reached. Searches prove values, and moves that keep a value can cycle
// for ever in a game with repeated positions. So the player searches for the move that ends the match
// with the proved goal in the fewest joint moves: this distance falls with each move.

const (
	// arrivalNodes bounds the expansions of the arrival search in a position that is new in the match,
	// repeatedNodes in a repeated position.
	arrivalNodes  = 1 << 12
	repeatedNodes = 1 << 18
	// arrivalMemory divides the memory share of a search: the quotient is for the arrival search.
	arrivalMemory = 16
	// maxRemembered bounds the positions whose moves the player stores.
	maxRemembered = 1 << 16
	// openTries bounds the moves that the player makes in a position for more than the proved goal: opponents may
	// never err.
	openTries = 8
)

// course is the player's own history of the match.
type course struct {
	finder *arrival.Finder
	made   map[string][]machine.Move // by position: the moves that the player made there, one for each time
}

// arrive searches for the fewest joint moves to the goal that is proved at the root. A goal below the best is forced only
// in a repeated position: before, opponents may still err. While a move may get more, it is forced only after openTries
// moves, and never if more is proved. A single player follows a plan instead.
func (t *thinker) arrive(ctx context.Context, r *root) {
	goal, before := search.Sure(r.moves), t.course.made[r.state.Key()]
	if r.alone || goal <= worstGoal || goal < bestGoal && before == nil {
		return
	}
	isOpen := slices.ContainsFunc(r.moves, func(k search.Known) bool { return r.mayExceed(k, goal) })
	if isOpen && (r.settled() != nil || len(before) < openTries) {
		r.avoid(before)
		return
	}
	if t.course.finder == nil || t.course.finder.Machine() != r.machine {
		t.course.finder = arrival.New(r.machine, t.memory.share()/arrivalMemory)
	}
	nodes := int64(arrivalNodes)
	if before != nil {
		nodes = repeatedNodes
	}
	ctx, end := r.extended(ctx)
	defer end()
	if way, ok := t.course.finder.Find(ctx, r.state, r.role, wholePoints(goal), nodes); ok {
		r.arrive(way, float64(wholePoints(goal)))
	} else {
		r.avoid(before)
	}
}

// rounding is the reciprocal of the rounding error of linear programs, in goal points.
const rounding = 1 << 10

// wholePoints returns a goal as a whole number, without the rounding error of linear programs.
func wholePoints(goal float64) int32 { return int32((goal*rounding + rounding - 1) / rounding) }

// remember stores the move that is made at the root.
func (t *thinker) remember(r *root, m machine.Move) {
	if t.course.made == nil || len(t.course.made) >= maxRemembered {
		t.course.made = make(map[string][]machine.Move)
	}
	t.course.made[r.state.Key()] = append(t.course.made[r.state.Key()], m)
}
