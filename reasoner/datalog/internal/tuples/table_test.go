package tuples

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTableIsASetInOrderOfInsertion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tuples := drawTuples(t)
		r := New(3)
		var want [][]int32
		for _, tuple := range tuples {
			isNew := !slices.ContainsFunc(want, func(x []int32) bool { return slices.Equal(x, tuple) })
			if _, added := r.Insert(tuple); added != isNew {
				t.Fatalf("insert(%v) = %v", tuple, !isNew)
			}
			if isNew {
				want = append(want, tuple)
			}
		}
		for i, tuple := range want {
			if r.Find(tuple) != int32(i) || !slices.Equal(r.Row(int32(i)), tuple) {
				t.Fatalf("tuple %d is %v, want %v", r.Find(tuple), r.Row(int32(i)), tuple)
			}
		}
		if absent := []int32{9, 9, 9}; r.Find(absent) >= 0 {
			t.Fatal("finds what was never inserted")
		}
	})
}

func TestIndexFindsExactlyTheTuplesWithTheKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(3)
		columns := rapid.SampledFrom([][]int32{{0}, {1}, {0, 2}, {1, 2}}).Draw(t, "columns")
		early := rapid.Bool().Draw(t, "index before tuples")
		if early {
			r.Index(columns)
		}
		for range 2 { // the second time after clear, which keeps the memory
			r.Clear()
			for _, tuple := range drawTuples(t) {
				r.Insert(tuple)
			}
			checkIndex(t, r, columns)
		}
	})
}

func checkIndex(t *rapid.T, r *Table, columns []int32) {
	x := r.Index(columns)
	for n := range r.Len() {
		key := slices.Clone(x.key(n))
		var got []int32
		for k := x.Newest(key); k >= 0; k = x.older[k] {
			got = append(got, k)
		}
		var want []int32
		for k := r.Len() - 1; k >= 0; k-- {
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
