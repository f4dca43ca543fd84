package lattice

import (
	"context"
	"errors"
	"fmt"

	"stackmate/search/exact"
)

// Alpha-beta over a lattice: depth-first search with an interval [L, U] around the value v of every
// position, and a window (α, β). The ancestors of a position use only (v ∧ β) ∨ α.
//
//	maximiser   L = join of the searched moves; a child gets α ∨ L
//	minimiser   U = meet of the searched moves; a child gets β ∧ U
//	Shallow     cutoff if L ≥ β or U ≤ α, with the window from the parent alone
//	            (Definition 3.1)
//	Deep        the same cutoff with the windows of all ancestors (Definition 4.1)
//	Joint       cutoff if U ∧ β ≤ L ∨ α; in a partial order that holds before
//	            L reaches β or U reaches α
//
// Invariants: L ≤ v ≤ U at all times, by monotonicity alone. So it holds for an aborted search, and for
// deep pruning over values that do not allow it. Every position is left with U ∧ β ≤ L ∨ α; at the root,
// with the window (⊥, ⊤), that is L = U. For Shallow it follows by absorption in every lattice. For Deep
// and Joint it follows in distributive lattices, where U ∧ β = ∨(Uᵢ ∧ β) at a maximiser. The table holds
// intervals, which depend on no window.
//
// A position that repeats on its path counts as unknown, so the bounds of the positions above it may stay open. A pass searches such
// positions once; the search ends with the first pass that narrows no bound.
//
// Cost: a few operations on values for each child. There are no calls through interfaces: game and values
// are type parameters. Positions with one move are skipped. Reference: Ginsberg and Jaffray, Alpha-Beta
// Pruning Under Partial Orders.

// Pruning is a pruning rule.
type Pruning uint8

// The pruning rules, each at least as strong as its predecessor.
const (
	Unpruned Pruning = iota // plain minimax
	Shallow
	Deep
	Joint
)

// needs returns the kind of values for which the pruning is sound.
func (p Pruning) needs() Kind {
	switch p {
	case Unpruned:
		return Simple
	case Shallow:
		return General
	}
	return Distributive
}

// ErrUnsound is returned, wrapped, if the declared kind of the values does not allow the pruning.
var ErrUnsound = errors.New("these values do not allow this pruning")

// Config holds the parameters of a search.
type Config struct {
	Pruning Pruning
	// Unsound permits a pruning that the values do not allow. The interval of the result is still correct,
	// but may not close.
	Unsound bool
	// Table is the maximum number of positions in the transposition table; 0 for no table.
	Table int
	// MaxNodes is the node limit; 0 for no limit.
	MaxNodes int64
}

// Result is the result of a search.
type Result[V any] struct {
	// Lower ≤ value ≤ Upper is proved.
	Lower, Upper V
	// Exact reports whether Lower = Upper.
	Exact bool
	// Moves holds the interval of each move at the root.
	Moves []Bounds[V]
	Nodes int64 // searched positions with several moves
	Ends  int64 // visited terminal positions
	Hits  int64 // cutoffs by the table
	Held  int   // positions in the table after the search
	// Repeats reports whether the search met a position on its own path.
	Repeats bool
	// TooDeep reports whether the search met a position at MaxPly.
	TooDeep bool
}

// Bounds is an interval of values: Lower ≤ value ≤ Upper.
type Bounds[V any] struct{ Lower, Upper V }

// MaxPly is the maximum depth of the stack; deeper positions count as unknown. It exceeds the length of all
// known finite games.
const MaxPly = 5000

// Solver searches positions of one game. Its transposition table persists between searches. A Solver is
// not safe for concurrent use.
type Solver[P any, K comparable, V any, L Values[V], G Game[P, K, V]] struct {
	Config
	ctx    context.Context
	values L
	game   G
	bottom V
	top    V
	table  *memory[K, V]
	kids   [][]P // by ply: children, reused
	path   map[K]bool
	pass   int32

	stopped bool
	cuts    int64 // positions that counted as unknown because they were on the path
	gained  bool  // this pass has narrowed a bound
	out     Result[V]
}

// New returns a solver. The error wraps ErrUnsound if the kind of the values does not allow the pruning.
func New[P any, K comparable, V any, L Values[V], G Game[P, K, V]](values L, game G, c Config) (*Solver[P, K, V, L, G], error) {
	if k := values.Kind(); k < c.Pruning.needs() && !c.Unsound {
		return nil, fmt.Errorf("%w: expected a %v, found %v", ErrUnsound, c.Pruning.needs(), k)
	}
	r := &Solver[P, K, V, L, G]{Config: c, values: values, game: game, bottom: values.Bottom(), top: values.Top(), path: make(map[K]bool)}
	if c.Table > 0 {
		r.table = newMemory[K, V](c.Table)
	}
	return r, nil
}

// Search computes the value of position p. At a limit or the end of ctx it returns the bounds proved by
// then, with the error of the context.
func (r *Solver[P, K, V, L, G]) Search(ctx context.Context, p P) (Result[V], error) {
	r.ctx, r.out, r.stopped, r.cuts = ctx, Result[V]{}, false, 0
	b := r.searchOnce(p)
	for r.table != nil && r.cuts > 0 && r.gained && !r.stopped && !r.values.LessEq(b.Upper, b.Lower) {
		b = r.tightened(r.searchOnce(p), b)
	}
	out := r.out
	out.Repeats = r.cuts > 0
	out.Lower, out.Upper = b.Lower, b.Upper
	out.Exact = r.values.LessEq(out.Upper, out.Lower)
	if r.table != nil {
		out.Held = r.table.len()
	}
	return out, ctx.Err()
}

// searchOnce searches position p in one pass.
func (r *Solver[P, K, V, L, G]) searchOnce(p P) Bounds[V] {
	r.pass++
	r.gained = false
	return r.position(p, 0, r.unknown())
}

// Known returns the bounds of position p in the table, or [⊥, ⊤].
func (r *Solver[P, K, V, L, G]) Known(p P) Bounds[V] {
	if r.table != nil {
		if e, found := r.table.find(r.game.Key(p)); found {
			return e.bounds
		}
	}
	return r.unknown()
}

func (r *Solver[P, K, V, L, G]) unknown() Bounds[V] { return Bounds[V]{r.bottom, r.top} }

// tightened returns b restricted to the interval known.
func (r *Solver[P, K, V, L, G]) tightened(b, known Bounds[V]) Bounds[V] {
	return Bounds[V]{
		r.values.Meet(r.values.Join(b.Lower, known.Lower), known.Upper),
		r.values.Meet(r.values.Join(b.Upper, known.Lower), known.Upper),
	}
}

// isStopped reports whether a limit is reached or ctx is done.
func (r *Solver[P, K, V, L, G]) isStopped() bool {
	if r.ctx.Err() != nil || r.MaxNodes > 0 && r.out.Nodes >= r.MaxNodes {
		r.stopped = true
	}
	return r.stopped
}

// position searches p at a ply with window w and returns its interval.
func (r *Solver[P, K, V, L, G]) position(p P, ply int, w Bounds[V]) Bounds[V] {
	if v, over := r.game.Value(p); over {
		r.out.Ends++
		return Bounds[V]{v, v}
	}
	if r.out.TooDeep = r.out.TooDeep || ply == MaxPly; r.isStopped() || ply == MaxPly {
		return r.unknown()
	}
	known, best, key := r.unknown(), 0, r.game.Key(p)
	if r.path[key] {
		r.cuts++
		return known
	}
	if r.table != nil {
		if e, found := r.table.find(key); found {
			r.out.Hits++
			best = int(e.best)
			if known = e.bounds; ply > 0 && (e.pass == r.pass || r.isClosed(known, w)) {
				return known
			}
		}
	}
	r.path[key] = true
	defer delete(r.path, key)
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

// choice searches p, whose children are r.kids[ply], beginning with child best. known is the interval of p
// in the table.
func (r *Solver[P, K, V, L, G]) choice(p P, turn Turn, ply int, w, known Bounds[V], best int) Bounds[V] {
	n, cuts := len(r.kids[ply]), r.cuts
	if n > 1 {
		r.out.Nodes++
	}
	if ply == 0 && r.out.Moves == nil { // the first pass
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
		i := exact.Fronted(k, first)
		kid := r.position(r.kids[ply][i], ply+1, r.window(turn, bounds, w))
		if r.stopped { // the bound from the moves so far still holds
			if turn == Max {
				bounds.Lower = r.values.Join(bounds.Lower, kid.Lower)
			} else {
				bounds.Upper = r.values.Meet(bounds.Upper, kid.Upper)
			}
			break
		}
		if ply == 0 {
			r.out.Moves[i] = r.tightened(kid, r.out.Moves[i])
		}
		old := bounds
		bounds, all = r.learn(turn, k, n, kid, known, bounds, all)
		if turn == Max && !r.values.LessEq(bounds.Lower, old.Lower) || turn == Min && !r.values.LessEq(old.Upper, bounds.Upper) {
			best = i
		}
	}
	if r.table != nil && !r.stopped {
		e := entry[V]{bounds: bounds, best: int32(best)}
		if r.cuts > cuts {
			e.pass = r.pass
		}
		r.table.put(r.game.Key(p), e)
		r.gained = r.gained || !r.values.LessEq(bounds.Lower, known.Lower) || !r.values.LessEq(known.Upper, bounds.Upper)
	}
	return bounds
}

// learn adds the interval of the k-th of n moves to the bounds of a position. The bound of the mover's
// side improves with each move; the opposite bound is known after the last move. all accumulates the moves
// so far.
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

// window returns the window of the children of a position.
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

// isCut reports whether the search of a position stops before its k-th move. As in the paper, the first
// move is always searched unless pruning is Joint: over a partial order a window can be empty without a
// cutoff above.
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

// isClosed reports whether every value in bounds gives the same result within window w.
func (r *Solver[P, K, V, L, G]) isClosed(bounds, w Bounds[V]) bool {
	return r.values.LessEq(r.values.Meet(bounds.Upper, w.Upper), r.values.Join(bounds.Lower, w.Lower))
}
