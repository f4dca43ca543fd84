package lattice

import (
	"context"
	"errors"
	"fmt"
)

// Alpha-beta over a lattice: depth-first search that keeps at every position an
// interval [L, U] around its value v and a window (α, β). What lies below α or above
// β is all the same to the ancestors: they want to know (v ∧ β) ∨ α.
//
//	maximiser   L = the join of the moves searched; a child gets α ∨ L
//	minimiser   U = the meet of the moves searched; a child gets β ∧ U
//	Shallow     a position is left when L ≥ β or U ≤ α; windows come from the parent
//	            alone (Definition 3.1)
//	Deep        the same with the windows of all ancestors (Definition 4.1)
//	Joint       a position is left when U ∧ β ≤ L ∨ α, whatever is still to come: in a
//	            partial order that happens before L reaches β or U reaches α
//
// Invariants: L ≤ v ≤ U at all times and whatever the values are, by monotony alone;
// also when the search is broken off, and with deep pruning where that is not allowed.
// A position is left with U ∧ β ≤ L ∨ α, so that the root, whose window is (⊥, ⊤), is
// left with L = U: with Shallow in every lattice by absorption, with Deep and Joint in
// the distributive ones, since then U ∧ β = ∨(Uᵢ ∧ β) at a maximiser. The table holds
// intervals, which depend on no window.
//
// Cost: a few operations on values for each child; no calls through interfaces, the
// types of game and values are parameters. Positions of one move are stepped over.
// Reference: Ginsberg and Jaffray, Alpha-Beta Pruning Under Partial Orders.

// Pruning says how much is pruned.
type Pruning uint8

// The prunings, each of which prunes at least what those before it do.
const (
	Unpruned Pruning = iota // nothing
	Shallow
	Deep
	Joint
)

// needs is the kind of values for which a pruning is right.
func (p Pruning) needs() Kind {
	switch p {
	case Unpruned:
		return Simple
	case Shallow:
		return General
	}
	return Distributive
}

// ErrUnsound is returned, wrapped, where the values are not known to allow the pruning.
var ErrUnsound = errors.New("these values do not allow this pruning")

// Config says how to search.
type Config struct {
	Pruning Pruning
	// Unsound allows a pruning that the values do not. The interval of the result
	// still holds, but may stay open.
	Unsound bool
	// Table is the number of positions remembered, 0 for none.
	Table int
	// MaxNodes bounds the search, 0 for no bound.
	MaxNodes int64
}

// Result is what a search knows of a position.
type Result[V any] struct {
	// Lower ≤ value ≤ Upper is proved.
	Lower, Upper V
	// Exact tells that both are the same.
	Exact bool
	// Moves holds the interval of each move.
	Moves []Bounds[V]
	Nodes int64 // positions with several moves that were searched
	Ends  int64 // positions seen in which the game was over
	Hits  int64 // positions answered by the table
	Held  int   // positions in the table, after the search
}

// Bounds is an interval of values: Lower ≤ value ≤ Upper.
type Bounds[V any] struct{ Lower, Upper V }

// maxPly bounds the stack: what is deeper counts as unknown. It is more than any game in
// use is long; a game whose positions come again has no other end.
const maxPly = 5000

// contextEvery is the number of positions between two looks at the context.
const contextEvery = 64

// Solver searches positions of one game. Its table lasts from one search to the next,
// as do the bounds in it. A Solver belongs to one goroutine.
type Solver[P any, K comparable, V any, L Values[V], G Game[P, K, V]] struct {
	Config
	ctx    context.Context
	values L
	game   G
	bottom V
	top    V
	table  *memory[K, V]
	kids   [][]P // by ply: working memory

	seen    int64
	stopped bool
	out     Result[V]
}

// New makes a solver, or says that the values do not allow the pruning.
func New[P any, K comparable, V any, L Values[V], G Game[P, K, V]](values L, game G, c Config) (*Solver[P, K, V, L, G], error) {
	if k := values.Kind(); k < c.Pruning.needs() && !c.Unsound {
		return nil, fmt.Errorf("%w: expected a %v, found %v", ErrUnsound, c.Pruning.needs(), k)
	}
	r := &Solver[P, K, V, L, G]{Config: c, values: values, game: game, bottom: values.Bottom(), top: values.Top()}
	if c.Table > 0 {
		r.table = newMemory[K, V](c.Table)
	}
	return r, nil
}

// Search computes the value of position p. At a limit or the end of ctx it returns
// what is proved by then, with the error of the context.
func (r *Solver[P, K, V, L, G]) Search(ctx context.Context, p P) (Result[V], error) {
	r.ctx, r.out, r.stopped = ctx, Result[V]{}, false
	b := r.position(p, 0, r.unknown())
	out := r.out
	out.Lower, out.Upper = b.Lower, b.Upper
	out.Exact = r.values.LessEq(out.Upper, out.Lower)
	if r.table != nil {
		out.Held = r.table.len()
	}
	return out, ctx.Err()
}

// Known is what the table holds of position p.
func (r *Solver[P, K, V, L, G]) Known(p P) Bounds[V] {
	if r.table != nil {
		if e, found := r.table.find(r.game.Key(p)); found {
			return e.bounds
		}
	}
	return r.unknown()
}

func (r *Solver[P, K, V, L, G]) unknown() Bounds[V] { return Bounds[V]{r.bottom, r.top} }

// tightened adds the knowledge that the value lies in known.
func (r *Solver[P, K, V, L, G]) tightened(b, known Bounds[V]) Bounds[V] {
	return Bounds[V]{
		r.values.Meet(r.values.Join(b.Lower, known.Lower), known.Upper),
		r.values.Meet(r.values.Join(b.Upper, known.Lower), known.Upper),
	}
}

// isStopped looks at the limits.
func (r *Solver[P, K, V, L, G]) isStopped() bool {
	if r.seen++; r.seen%contextEvery == 0 && r.ctx.Err() != nil || r.MaxNodes > 0 && r.out.Nodes >= r.MaxNodes {
		r.stopped = true
	}
	return r.stopped
}

// position searches p.
func (r *Solver[P, K, V, L, G]) position(p P, ply int, w Bounds[V]) Bounds[V] {
	if v, over := r.game.Value(p); over {
		r.out.Ends++
		return Bounds[V]{v, v}
	}
	if r.isStopped() || ply == maxPly {
		return r.unknown()
	}
	known, best := r.unknown(), 0
	if r.table != nil {
		if e, found := r.table.find(r.game.Key(p)); found {
			r.out.Hits++
			best = int(e.best)
			if known = e.bounds; ply > 0 && r.isClosed(known, w) {
				return known
			}
		}
	}
	for len(r.kids) <= ply {
		r.kids = append(r.kids, nil)
	}
	kids, turn := r.game.AppendChildren(r.kids[ply][:0], p)
	r.kids[ply] = kids
	if len(kids) == 1 && ply > 0 {
		return r.position(kids[0], ply+1, w)
	}
	return r.choice(p, turn, ply, w, known, best)
}

// choice searches p, whose children are those of the ply, the best of the last time first.
func (r *Solver[P, K, V, L, G]) choice(p P, turn Turn, ply int, w, known Bounds[V], best int) Bounds[V] {
	n := len(r.kids[ply])
	if n > 1 {
		r.out.Nodes++
	}
	if ply == 0 {
		r.out.Moves = make([]Bounds[V], n)
		for i := range r.out.Moves {
			r.out.Moves[i] = r.unknown()
		}
	}
	bounds, all := known, Bounds[V]{}
	first := min(best, n-1)
	for k := range n {
		if r.isCut(turn, bounds, w, k) {
			break
		}
		i := nth(k, first)
		kid := r.position(r.kids[ply][i], ply+1, r.window(turn, bounds, w))
		if r.stopped { // what the one side has by now still holds
			if turn == Max {
				bounds.Lower = r.values.Join(bounds.Lower, kid.Lower)
			} else {
				bounds.Upper = r.values.Meet(bounds.Upper, kid.Upper)
			}
			break
		}
		if ply == 0 {
			r.out.Moves[i] = kid
		}
		old := bounds
		bounds, all = r.learn(turn, k, n, kid, known, bounds, all)
		if turn == Max && !r.values.LessEq(bounds.Lower, old.Lower) || turn == Min && !r.values.LessEq(old.Upper, bounds.Upper) {
			best = i
		}
	}
	if r.table != nil && !r.stopped {
		r.table.put(r.game.Key(p), entry[V]{bounds, int32(best)})
	}
	return bounds
}

// nth is the k-th of the moves in the order: first, then the others as they come.
func nth(k, first int) int {
	switch {
	case k == 0:
		return first
	case k <= first:
		return k - 1
	}
	return k
}

// learn adds the k-th of n moves to what is known of a position: the one side is
// that of the moves so far, the other counts when all are searched.
func (r *Solver[P, K, V, L, G]) learn(turn Turn, k, n int, kid, known, bounds, all Bounds[V]) (Bounds[V], Bounds[V]) {
	switch {
	case k == 0:
		all = kid
	case turn == Max:
		all = Bounds[V]{r.values.Join(all.Lower, kid.Lower), r.values.Join(all.Upper, kid.Upper)}
	default:
		all = Bounds[V]{r.values.Meet(all.Lower, kid.Lower), r.values.Meet(all.Upper, kid.Upper)}
	}
	switch {
	case k == n-1:
		return r.tightened(all, known), all
	case turn == Max:
		bounds.Lower = r.values.Join(known.Lower, all.Lower)
	default:
		bounds.Upper = r.values.Meet(known.Upper, all.Upper)
	}
	return bounds, all
}

// window is that of the children of a position.
func (r *Solver[P, K, V, L, G]) window(turn Turn, bounds, w Bounds[V]) Bounds[V] {
	alpha, beta := r.bottom, r.top
	if r.Pruning >= Deep || r.Pruning == Shallow && turn == Max {
		alpha = r.values.Join(w.Lower, bounds.Lower)
	}
	if r.Pruning >= Deep || r.Pruning == Shallow && turn == Min {
		beta = r.values.Meet(w.Upper, bounds.Upper)
	}
	return Bounds[V]{alpha, beta}
}

// isCut tells whether a position is left before its k-th move. As in the paper the first
// one is searched in any case, unless pruning is Joint: windows of partially ordered
// values can be empty without a cut above.
func (r *Solver[P, K, V, L, G]) isCut(turn Turn, bounds, w Bounds[V], k int) bool {
	switch {
	case r.Pruning == Unpruned:
		return false
	case r.Pruning == Joint:
		return r.isClosed(bounds, w)
	case k == 0:
		return false
	case turn == Max:
		return r.values.LessEq(w.Upper, bounds.Lower)
	}
	return r.values.LessEq(bounds.Upper, w.Lower)
}

// isClosed tells that whatever the value in bounds turns out to be, the window does
// not care.
func (r *Solver[P, K, V, L, G]) isClosed(bounds, w Bounds[V]) bool {
	return r.values.LessEq(r.values.Meet(bounds.Upper, w.Upper), r.values.Join(bounds.Lower, w.Lower))
}
