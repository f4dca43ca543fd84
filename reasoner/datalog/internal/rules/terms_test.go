package rules

import (
	"testing"

	"pgregory.net/rapid"

	"stackmate/gdl"
)

func TestEqualTermsHaveEqualNumbersAndKeepTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newTermTable()
		var terms []gdl.Term
		for range rapid.IntRange(1, 60).Draw(t, "terms") {
			terms = append(terms, drawTerm(t, 3))
		}
		for _, x := range terms {
			id := table.intern(x)
			if table.Name(id) != x.String() {
				t.Fatalf("%s reads %s", x, table.Name(id))
			}
			if again, ok := table.Read(x.String()); !ok || again != id {
				t.Fatalf("%s is read as %d, %v, want %d", x, again, ok, id)
			}
			for _, y := range terms {
				if (table.intern(y) == id) != x.Equal(y) {
					t.Fatalf("%s and %s: equal is %v", x, y, !x.Equal(y))
				}
			}
		}
	})
}

func TestTextsThatAreNoTermsOfTheTableAreNotRead(t *testing.T) {
	table := newTermTable()
	table.intern(gdl.Term{Kind: gdl.Compound, Name: "f", Args: []gdl.Term{{Name: "a"}, {Name: "b"}}})
	terms := len(table.head)
	for _, text := range []string{"", " ", "c", "f", "?a", "a b", "a)", "(a", "(", ")", "()", "(f)", "(f a)", "(f a b", "(f a b))", "(f a b) a", "(f a c)", "(g a b)", "((f a b) a)", "( f a b)"} {
		if id, ok := table.Read(text); ok {
			t.Errorf("%q is read as %s", text, table.Name(id))
		}
	}
	if id, ok := table.Read("(f  b (f a b) )"); !ok || table.Name(id) != "(f b (f a b))" || len(table.head) != terms+1 {
		t.Errorf("a new term of known symbols is not read")
	}
}

func drawTerm(t *rapid.T, depth int) gdl.Term {
	name := rapid.SampledFrom([]string{"a", "b", "f", "1"}).Draw(t, "name")
	n := rapid.IntRange(0, 2).Draw(t, "arity")
	if depth == 0 || n == 0 {
		return gdl.Term{Kind: gdl.Symbol, Name: name}
	}
	x := gdl.Term{Kind: gdl.Compound, Name: name}
	for range n {
		x.Args = append(x.Args, drawTerm(t, depth-1))
	}
	return x
}
