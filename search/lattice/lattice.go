// Package lattice owns game-tree search for values that are only partially ordered:
// contexts ("wins if …"), vectors of goals, sets of choices. The maximiser joins the
// values of his moves, the minimiser meets them. It knows values and positions by
// what is asked of them, never which game there is.
//
// When pruning is right is a property of the values alone (Ginsberg and Jaffray,
// Alpha-Beta Pruning Under Partial Orders): shallow pruning if and only if they form
// a lattice (Proposition 3.5), deep pruning if and only if that is distributive
// (Proposition 4.2). So values declare their Kind, and Search refuses to prune more than
// it allows.
package lattice

import "fmt"

// Kind is what is known of a set of values. Each kind includes those before it.
type Kind uint8

// The kinds of values.
const (
	// None: meet or join is not commutative, associative and idempotent, so the value
	// of a game would depend on the order of its moves.
	None Kind = iota
	// Simple: meet and join are commutative, associative and idempotent (Proposition
	// 2.6). Minimax has a meaning.
	Simple
	// General: a lattice, by the absorption identities (Definition 3.2). Allows
	// shallow pruning.
	General
	// Distributive: a distributive lattice (Definition 3.3). Allows deep pruning.
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

// Values is a set of values of type V with its two operations, the smallest and the
// largest value. Values are immutable: no operation changes its arguments, and
// results may share their memory.
type Values[V any] interface {
	// Kind is what the author declares.
	Kind() Kind
	// Meet is the value of a position where the minimiser chooses between a and b.
	Meet(a, b V) V
	// Join is the value of a position where the maximiser chooses between a and b.
	Join(a, b V) V
	// LessEq tells whether a ≤ b, which is Join(a, b) = b.
	LessEq(a, b V) bool
	// Bottom is below and Top above every other value.
	Bottom() V
	Top() V
}

// Turn tells who chooses in a position.
type Turn uint8

// The turns.
const (
	Max Turn = iota // the maximiser
	Min             // the minimiser
)

// Game is a finite game of turns with positions of type P, which K tells apart, and
// values of type V.
type Game[P any, K comparable, V any] interface {
	// Value is that of p, where the game is over.
	Value(p P) (v V, over bool)
	// AppendChildren appends the positions after each move in p, where the game is not
	// over, and tells who chooses. A game that cannot go on appends none: nothing is
	// known of p then.
	AppendChildren(dst []P, p P) ([]P, Turn)
	// Key is equal for two positions only if the same game begins there.
	Key(p P) K
}
