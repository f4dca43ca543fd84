package logic_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// forEachAssignment calls f with the evaluation of literals under each assignment of the inputs.
func forEachAssignment(n *logic.Network, inputs []logic.Lit, f func(at func(logic.Lit) bool)) {
	for bits := range 1 << len(inputs) {
		values := make(map[int32]bool)
		for i, l := range inputs {
			values[l.Node()] = bits>>i&1 != 0
		}
		value := logictest.Evaluate(n, values)
		f(func(l logic.Lit) bool { return value[l.Node()] != l.Complemented() })
	}
}

func TestImplicationsHoldUnderEveryAssignment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, inputs, all := randomNetwork(t)
		l := rapid.SampledFrom(all).Draw(t, "literal") ^ logic.Lit(rapid.IntRange(0, 1).Draw(t, "sign"))
		implied := slices.Collect(n.Implied(l, math.MaxInt))
		conditions, contradictory := n.Conditions(l), n.Contradictory(l)
		other := rapid.SampledFrom(all).Draw(t, "other")
		forEachAssignment(n, inputs, func(at func(logic.Lit) bool) {
			every := func(lits []logic.Lit) bool {
				return !slices.ContainsFunc(lits, func(l logic.Lit) bool { return !at(l) })
			}
			switch {
			case at(l) && !every(implied):
				t.Fatalf("literal %d does not imply each of %d", l, implied)
			case at(l) && !every(n.Common(l)):
				t.Fatalf("not every case of literal %d implies %d", l, n.Common(l))
			case at(l) && contradictory:
				t.Fatalf("literal %d is true and called contradictory", l)
			case at(l) != every(conditions) || at(l) != every(n.Conjuncts(l)):
				t.Fatalf("literal %d is not the conjunction of %d, or of %d", l, conditions, n.Conjuncts(l))
			case at(l) != slices.ContainsFunc(n.Disjuncts(l), at):
				t.Fatalf("literal %d is not the disjunction of %d", l, n.Disjuncts(l))
			case at(l) && !at(other) && n.Implies(l, other):
				t.Fatalf("literal %d does not imply %d", l, other)
			case at(l) && at(other) && n.Contradict(l, other):
				t.Fatalf("literals %d and %d are true together and called contradictory", l, other)
			}
		})
		for i, l := range implied {
			if slices.Contains(implied[:i], l) {
				t.Fatalf("literal %d is visited twice", l)
			}
		}
	})
}

func TestImplicationsOfNestedConjunctions(t *testing.T) {
	n := logic.NewNetwork()
	a, b, c, d := n.Input(), n.Input(), n.Input(), n.Input()
	inner := n.And(b, n.Or(c, d))
	l := n.And(a, inner)
	if !n.Implies(l, b) || n.Implies(l, c) || n.Implies(inner, a) {
		t.Error("Implies: want exactly the operands of nested conjunctions")
	}
	if got, want := n.Conditions(l), []logic.Lit{a, b, n.Or(c, d)}; len(got) != len(want) || !slices.Contains(got, want[2]) {
		t.Errorf("the conditions are %d, want %d", got, want)
	}
	if !n.Contradictory(n.And(n.And(a, b), n.And(b.Not(), c))) || n.Contradictory(l) {
		t.Error("Contradictory: want true exactly for a literal with complementary implications")
	}
	if got := n.Common(n.Or(n.And(a, b), n.And(a, c))); !slices.Equal(got, []logic.Lit{a}) {
		t.Errorf("the common literals of two cases are %d, want %d", got, a)
	}
	if !n.Contradict(n.And(a, b), n.And(b.Not(), c)) || n.Contradict(l, inner) {
		t.Error("Contradict: want true exactly for complementary operands")
	}
	wide := []logic.Lit{a}
	for range 200 {
		wide = append(wide, n.Input())
	}
	if l := n.And(wide...); !slices.Equal(n.Conditions(l), []logic.Lit{l}) || !n.Implies(l, wide[200]) {
		t.Error("a conjunction above the limit: want itself as its only condition, and every operand implied")
	}
}

func TestFactorKeepsTheDisjunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := logic.NewNetwork()
		var inputs []logic.Lit
		for range 5 {
			inputs = append(inputs, n.Input())
		}
		var terms [][]logic.Lit
		var before []logic.Lit
		for range rapid.IntRange(1, 6).Draw(t, "terms") {
			term := drawLits(t, inputs, "term")
			slices.Sort(term)
			term = slices.Compact(term)
			terms, before = append(terms, term), append(before, n.And(term...))
		}
		after := n.Factor(t.Context(), terms)
		forEachAssignment(n, inputs, func(at func(logic.Lit) bool) {
			if slices.ContainsFunc(before, at) != slices.ContainsFunc(after, at) {
				t.Fatal("the factored terms have a different disjunction")
			}
		})
	})
}

func TestFactorSharesLiteralsOfSeveralTerms(t *testing.T) {
	n := logic.NewNetwork()
	a, b, c, d, e := n.Input(), n.Input(), n.Input(), n.Input(), n.Input()
	for name, x := range map[string]struct {
		terms [][]logic.Lit
		want  []logic.Lit
	}{
		"of two of three terms": {[][]logic.Lit{{a, b}, {a, c}, {d, e}}, []logic.Lit{n.And(a, n.Or(b, c)), n.And(d, e)}},
		"of all terms":          {[][]logic.Lit{{a, b}, {a, c}}, []logic.Lit{n.And(a, n.Or(b, c))}},
		"of no terms":           {[][]logic.Lit{{a, b}, {c, d}}, []logic.Lit{n.And(a, b), n.And(c, d)}},
	} {
		got := n.Factor(t.Context(), x.terms)
		slices.Sort(got)
		slices.Sort(x.want)
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}
