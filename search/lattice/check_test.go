package lattice

import (
	"fmt"
	"math/rand/v2"
)

// law is an identity that a kind of values obeys.
type law[V any] struct {
	kind Kind
	text string
	same func(l Values[V], a, b, c V) (left, right V)
}

// laws lists the identities of each kind. That ≤ belongs to the join and that Bottom
// and Top are where they say belongs to Simple: without, windows have no meaning.
func laws[V any]() []law[V] {
	return []law[V]{
		{Simple, "a ∧ a = a", func(l Values[V], a, _, _ V) (V, V) { return l.Meet(a, a), a }},
		{Simple, "a ∨ a = a", func(l Values[V], a, _, _ V) (V, V) { return l.Join(a, a), a }},
		{Simple, "a ∧ b = b ∧ a", func(l Values[V], a, b, _ V) (V, V) { return l.Meet(a, b), l.Meet(b, a) }},
		{Simple, "a ∨ b = b ∨ a", func(l Values[V], a, b, _ V) (V, V) { return l.Join(a, b), l.Join(b, a) }},
		{Simple, "(a ∧ b) ∧ c = a ∧ (b ∧ c)", func(l Values[V], a, b, c V) (V, V) {
			return l.Meet(l.Meet(a, b), c), l.Meet(a, l.Meet(b, c))
		}},
		{Simple, "(a ∨ b) ∨ c = a ∨ (b ∨ c)", func(l Values[V], a, b, c V) (V, V) {
			return l.Join(l.Join(a, b), c), l.Join(a, l.Join(b, c))
		}},
		{Simple, "⊥ ∨ a = a", func(l Values[V], a, _, _ V) (V, V) { return l.Join(l.Bottom(), a), a }},
		{Simple, "⊤ ∨ a = ⊤", func(l Values[V], a, _, _ V) (V, V) { return l.Join(l.Top(), a), l.Top() }},
		{General, "a ∨ (a ∧ b) = a", func(l Values[V], a, b, _ V) (V, V) { return l.Join(a, l.Meet(a, b)), a }},
		{General, "a ∧ (a ∨ b) = a", func(l Values[V], a, b, _ V) (V, V) { return l.Meet(a, l.Join(a, b)), a }},
		{Distributive, "a ∧ (b ∨ c) = (a ∧ b) ∨ (a ∧ c)", func(l Values[V], a, b, c V) (V, V) {
			return l.Meet(a, l.Join(b, c)), l.Join(l.Meet(a, b), l.Meet(a, c))
		}},
	}
}

// Refutation shows that values are not of the kind declared.
type Refutation struct {
	Declared, Found Kind   // Found is the best kind that is not refuted
	Law             string // the first law broken, of a, b and c
	Example         string // the a, b and c that break it
}

// Error implements error.
func (r *Refutation) Error() string {
	return fmt.Sprintf("expected a %v, found %v: %s does not hold for %s", r.Declared, r.Found, r.Law, r.Example)
}

// Check proves of a finite set of values, all of them given, which kind they are of,
// in time O(n³). The error is a *Refutation if they are declared to be more.
func Check[V any](l Values[V], all []V) (Kind, error) {
	return judge(l, func(try func(a, b, c V) bool) {
		for _, a := range all {
			for _, b := range all {
				for _, c := range all {
					if !try(a, b, c) {
						return
					}
				}
			}
		}
	})
}

// Sample looks for a refutation of the declared kind among n triples of values drawn
// at random. It proves nothing: the kind returned is the best that was not refuted.
func Sample[V any](l Values[V], n int, rng *rand.Rand, draw func(*rand.Rand) V) (Kind, error) {
	return judge(l, func(try func(a, b, c V) bool) {
		for range n {
			if !try(draw(rng), draw(rng), draw(rng)) {
				return
			}
		}
	})
}

// judge tries all laws on the triples.
func judge[V any](l Values[V], triples func(try func(a, b, c V) bool)) (Kind, error) {
	found, first := Distributive, (*Refutation)(nil)
	all := laws[V]()
	triples(func(a, b, c V) bool {
		broken := func(kind Kind, text string) {
			if kind <= found {
				found = kind - 1
				first = &Refutation{Law: text, Example: fmt.Sprintf("a = %v, b = %v, c = %v", a, b, c)}
			}
		}
		for _, law := range all {
			if left, right := law.same(l, a, b, c); !same(l, left, right) {
				broken(law.kind, law.text)
			}
		}
		if l.LessEq(a, b) != same(l, l.Join(a, b), b) {
			broken(Simple, "a ≤ b if and only if a ∨ b = b")
		}
		return found > None
	})
	if found >= l.Kind() {
		return found, nil
	}
	first.Declared, first.Found = l.Kind(), found
	return found, first
}

// same reports whether a and b are the same value.
func same[V any](l Values[V], a, b V) bool { return l.LessEq(a, b) && l.LessEq(b, a) }
