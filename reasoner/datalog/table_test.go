package datalog

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/gdl"
)

func TestTableIsASetInOrderOfInsertion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tuples := drawTuples(t)
		r := newTable(3)
		var want [][]int32
		for _, tuple := range tuples {
			isNew := !slices.ContainsFunc(want, func(x []int32) bool { return slices.Equal(x, tuple) })
			if _, added := r.insert(tuple); added != isNew {
				t.Fatalf("insert(%v) = %v", tuple, !isNew)
			}
			if isNew {
				want = append(want, tuple)
			}
		}
		for i, tuple := range want {
			if r.find(tuple) != int32(i) || !slices.Equal(r.row(int32(i)), tuple) {
				t.Fatalf("tuple %d is %v, want %v", r.find(tuple), r.row(int32(i)), tuple)
			}
		}
		if absent := []int32{9, 9, 9}; r.find(absent) >= 0 {
			t.Fatal("finds what was never inserted")
		}
	})
}

func TestIndexFindsExactlyTheTuplesWithTheKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTable(3)
		columns := rapid.SampledFrom([][]int32{{0}, {1}, {0, 2}, {1, 2}}).Draw(t, "columns")
		early := rapid.Bool().Draw(t, "index before tuples")
		if early {
			r.index(columns)
		}
		for range 2 { // the second time after clear, which keeps the memory
			r.clear()
			for _, tuple := range drawTuples(t) {
				r.insert(tuple)
			}
			checkIndex(t, r, columns)
		}
	})
}

func checkIndex(t *rapid.T, r *table, columns []int32) {
	x := r.index(columns)
	for n := range r.n {
		key := slices.Clone(x.key(n))
		var got []int32
		for k := x.newest(key); k >= 0; k = x.older[k] {
			got = append(got, k)
		}
		var want []int32
		for k := r.n - 1; k >= 0; k-- {
			if slices.Equal(x.key(k), key) {
				want = append(want, k)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("key %v: tuples %v, want %v", key, got, want)
		}
	}
}

func drawTuples(t *rapid.T) [][]int32 {
	return rapid.SliceOf(rapid.SliceOfN(rapid.Int32Range(0, 4), 3, 3)).Draw(t, "tuples")
}

func TestEqualTermsHaveEqualNumbersAndKeepTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newTermTable()
		var terms []gdl.Term
		for range rapid.IntRange(1, 60).Draw(t, "terms") {
			terms = append(terms, drawTerm(t, 3))
		}
		for _, x := range terms {
			id := table.intern(x)
			if table.name(id) != x.String() {
				t.Fatalf("%s reads %s", x, table.name(id))
			}
			if again, ok := table.read(x.String()); !ok || again != id {
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
		if id, ok := table.read(text); ok {
			t.Errorf("%q is read as %s", text, table.name(id))
		}
	}
	if id, ok := table.read("(f  b (f a b) )"); !ok || table.name(id) != "(f b (f a b))" || len(table.head) != terms+1 {
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
