// Package lattice implements game-tree search over partially ordered values: contexts ("wins if …"),
// vectors of goals, sets of choices. The maximiser joins the values of his moves, the minimiser meets
// them. Games and values are type parameters; the package knows no particular game.
//
// The soundness of pruning is a property of the values alone (Ginsberg and Jaffray, Alpha-Beta Pruning
// Under Partial Orders). Shallow pruning is sound if and only if the values form a lattice (Proposition
// 3.5). Deep pruning is sound if and only if the lattice is distributive (Proposition 4.2). Values
// therefore declare their Kind, and New rejects stronger pruning.
package lattice

import "fmt"

// Kind is the algebraic structure of a set of values. Each kind includes its predecessors.
type Kind uint8

// The kinds of values.
const (
	// None: meet or join is not commutative, associative and idempotent, so the value of a game would
	// depend on the order of its moves.
	None Kind = iota
	// Simple: meet and join are commutative, associative and idempotent (Proposition 2.6). Minimax values
	// are well defined.
	Simple
	// General: a lattice, by the absorption identities (Definition 3.2). It allows shallow pruning.
	General
	// Distributive: a distributive lattice (Definition 3.3). It allows deep pruning.
	Distributive
)

// String implements fmt.Stringer.
func (k Kind) String() string {
	switch k {
	case None:
		return "not the values of a simple game"
	case Simple:
		return "values with meets and joins"
	case General:
		return "lattice"
	case Distributive:
		return "distributive lattice"
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// Values is a set of values of type V with its two operations, its minimum and its maximum. Values are
// immutable: no operation changes its arguments, and results may share their memory.
type Values[V any] interface {
	// Kind returns the declared kind.
	Kind() Kind
	// Meet returns the value of a position where the minimiser chooses between a and b.
	Meet(a, b V) V
	// Join returns the value of a position where the maximiser chooses between a and b.
	Join(a, b V) V
	// LessEq reports whether a ≤ b, that is, Join(a, b) = b.
	LessEq(a, b V) bool
	// Bottom is the minimum and Top the maximum of the values.
	Bottom() V
	Top() V
}

// Turn is the side to move.
type Turn uint8

// The turns.
const (
	Max Turn = iota // the maximiser
	Min             // the minimiser
)

// Game is a finite turn-based game with positions of type P, keys of type K and values of type V.
type Game[P any, K comparable, V any] interface {
	// Value returns the value of a terminal position p. It returns over = false if p is not terminal.
	Value(p P) (v V, over bool)
	// AppendChildren appends the positions after each move in p, which is not terminal, and returns the
	// side to move. If it appends none, the value of p is unknown.
	AppendChildren(dst []P, p P) ([]P, Turn)
	// Key returns equal keys only for positions that begin the same game.
	Key(p P) K
}
