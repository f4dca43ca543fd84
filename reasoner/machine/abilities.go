package machine

import "errors"

// Some batches can do more than Batch demands, and some machines know facts about their game (package facts). Each such
// ability is an interface; most have a function that asks for it and gives the answer of batches or machines without it.
// Callers in inner loops ask once, by As. A wrapper with a method Unwrap has the abilities of the wrapped machine or
// batch; it changes or hides an ability by implementing it.

// Wrapper is a machine or a batch (T) around another.
type Wrapper[T any] interface{ Unwrap() T }

// As returns x as a T, or else the outermost machine or batch inside the wrappers of x that is a T.
func As[T any](x any) (t T, ok bool) {
	for {
		if t, ok = x.(T); ok {
			return t, true
		}
		switch w := x.(type) {
		case Wrapper[Machine]:
			x = w.Unwrap()
		case Wrapper[Batch]:
			x = w.Unwrap()
		default:
			return t, false
		}
	}
}

// Foreseeing is a batch that lists sensible moves and finds forced wins. A batch of a machine without decisive moves
// lists all legal moves and finds no win.
type Foreseeing interface {
	AppendSensible(dst []Move, lane int, r Role) []Move
	Wins(r Role) (goal int32, lanes []uint64)
}

// AppendSensible appends the moves of role r among which ChooseRandom chooses in a lane of b, ascending: the legal
// moves, or a part of them if the machine has decisive moves. In a game of two roles with constant sum and without
// chance, this part contains a best move.
func AppendSensible(b Batch, dst []Move, lane int, r Role) []Move {
	if f, ok := As[Foreseeing](b); ok {
		return f.AppendSensible(dst, lane, r)
	}
	return b.AppendLegal(dst, lane, r)
}

// Wins returns the best goal of role r, and a mask of lanes of b, not terminal, in which r can force that goal within
// two joint moves. Either r alone has a choice and wins at once, or, of two roles, the other role chooses and each of
// its moves lets r win. If the machine has no decisive moves, the mask is without lanes or nil. The mask is valid until
// the next call.
func Wins(b Batch, r Role) (goal int32, lanes []uint64) {
	if f, ok := As[Foreseeing](b); ok {
		return f.Wins(r)
	}
	return NoGoal, nil
}

// Preparing is a batch that makes known moves without a whole evaluation.
type Preparing interface{ Prepare(n int) }

// Prepare replaces Evaluate of lanes 0..n-1 of b if the moves are known: after it moves may be chosen (Choose) and
// made, but no question may be asked.
func Prepare(b Batch, n int) {
	if p, ok := As[Preparing](b); ok {
		p.Prepare(n)
		return
	}
	b.Evaluate(n)
}

// Summing is a batch that adds up the goals of many lanes at a time.
type Summing interface {
	// AddGoals adds, for each role, the goals of the lanes of mask to totals (goal points). A lane without a goal of a
	// role adds nothing for it; a lane with several goals, by faulty rules, adds all of them, while Goals has NoGoal.
	AddGoals(totals []int64, mask []uint64)
}

// Recording is a batch that keeps moves as masks of lanes.
type Recording interface {
	// Chosen returns, by move of role r, the mask of the lanes in which the move was chosen last, of Lanes()/64 words
	// each; nil if the moves of r are not kept as masks. It is valid until moves are chosen again. Bits of lanes without
	// a chosen move are unspecified.
	Chosen(r Role) []uint64
}

// Limited is a batch whose positions may take more memory than the machine has.
type Limited interface {
	// Lost returns the mask that the function Lost returns; nil if no lane is lost.
	Lost() []uint64
}

// ErrLost is the error of a position that takes more memory than the machine has, so its legal moves, end and goals
// are not known. It is no fault of the game.
var ErrLost = errors.New("a position takes more memory than this machine allows, so its legal moves are not known")

// Lost returns the mask of the lanes of b whose position takes more memory than the machine has; nil if that cannot
// happen. The batch may miss legal moves, the end or goals of such a lane. The mask is complete for the questions asked
// so far, and valid until the next Evaluate.
func Lost(b Batch) []uint64 {
	if l, ok := As[Limited](b); ok {
		return l.Lost()
	}
	return nil
}

// Unknown returns ErrLost if the position in a lane is lost, else nil.
func Unknown(b Batch, lane int) error {
	if lost := Lost(b); lost != nil && State(lost).Has(lane) {
		return ErrLost
	}
	return nil
}
