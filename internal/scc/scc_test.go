package scc_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/internal/scc"
)

func TestComponentsComeAfterTheirSuccessors(t *testing.T) {
	edges := [][]int{{1}, {2}, {1, 3}, {}, {0, 4}}
	got := scc.Components(len(edges), func(v int) []int { return edges[v] })
	for _, c := range got {
		slices.Sort(c)
	}
	if d := cmp.Diff([][]int{{3}, {1, 2}, {0}, {4}}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestComponentsAreThoseOfMutualReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		edges := make([][]int, n)
		reach := make([][]bool, n)
		for v := range edges {
			edges[v] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "edges")
			reach[v] = make([]bool, n)
			reach[v][v] = true
			for _, w := range edges[v] {
				reach[v][w] = true
			}
		}
		for k := range n {
			for v := range n {
				for w := range n {
					reach[v][w] = reach[v][w] || reach[v][k] && reach[k][w]
				}
			}
		}
		place := make([]int, n)
		for i, c := range scc.Components(n, func(v int) []int { return edges[v] }) {
			for _, v := range c {
				place[v] = i
			}
		}
		for v := range n {
			for w := range n {
				if same := reach[v][w] && reach[w][v]; same != (place[v] == place[w]) || reach[v][w] && place[w] > place[v] {
					t.Fatalf("edges %v: nodes %d and %d are in components %d and %d", edges, v, w, place[v], place[w])
				}
			}
		}
	})
}

func TestALongChainDoesNotRecur(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	const n = 1 << 20
	next := make([]int, n+1)
	for i := range next {
		next[i] = i
	}
	got := scc.Components(n, func(v int) []int { return next[min(v+1, n-1) : min(v+1, n-1)+1] })
	if len(got) != n || got[0][0] != n-1 {
		t.Errorf("%d components, the first %v", len(got), got[0])
	}
}
