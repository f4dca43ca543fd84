package tuples

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSelectionHoldsTheTuplesSinceItWasCleared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := NewSelection(New(3))
		var buckets *Buckets
		columns := rapid.SampledFrom([][]int32{{0}, {1, 2}}).Draw(t, "columns")
		for range rapid.IntRange(1, 4).Draw(t, "positions") {
			var want [][]int32
			for _, tuple := range drawTuples(t) {
				if x.Insert(tuple); !slices.ContainsFunc(want, func(other []int32) bool { return slices.Equal(other, tuple) }) {
					want = append(want, tuple)
				}
				if buckets == nil && rapid.Bool().Draw(t, "asks by key") {
					buckets = x.BucketsBy(columns)
				}
			}
			checkSelection(t, x, want)
			if buckets != nil {
				checkBuckets(t, x, buckets, columns)
			}
			if rapid.IntRange(0, 3).Draw(t, "forgets the tuples") == 0 {
				x.ClearAll()
			} else {
				x.Clear()
			}
			checkSelection(t, x, nil)
		}
	})
}

func checkSelection(t *rapid.T, x *Selection, want [][]int32) {
	if len(x.List) != len(want) {
		t.Fatalf("%d tuples, want %v", len(x.List), want)
	}
	for i, tuple := range want {
		if row := x.of.Row(x.List[i]); !slices.Equal(row, tuple) {
			t.Fatalf("tuple %d is %v, want %v", i, row, tuple)
		}
	}
	for a := range int32(5) {
		tuple := []int32{a, a, a}
		has := slices.ContainsFunc(want, func(other []int32) bool { return slices.Equal(other, tuple) })
		if x.Contains(tuple) != has {
			t.Fatalf("contains %v: %v", tuple, !has)
		}
	}
}

func checkBuckets(t *rapid.T, x *Selection, b *Buckets, columns []int32) {
	for t2 := range x.of.Len() {
		var key, want []int32
		for _, c := range columns {
			key = append(key, x.of.Row(t2)[c])
		}
		for _, other := range x.List {
			if !slices.ContainsFunc(columns, func(c int32) bool { return x.of.Row(other)[c] != x.of.Row(t2)[c] }) {
				want = append(want, other)
			}
		}
		if got := b.Find(key); !slices.Equal(got, want) {
			t.Fatalf("key %v: tuples %v, want %v", key, got, want)
		}
	}
}
