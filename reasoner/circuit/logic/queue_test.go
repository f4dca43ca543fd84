package logic

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTheQueuePopsNodesInAscendingOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newNodeQueue(1 << 14)
		for range 2 {
			nodes := rapid.SliceOfN(rapid.Int32Range(0, 1<<14-1), 0, 50).Draw(t, "nodes")
			for _, i := range nodes {
				q.push(i)
			}
			slices.Sort(nodes)
			for _, want := range slices.Compact(nodes) {
				if got := q.pop(); got != want {
					t.Fatalf("popped %d, want %d", got, want)
				}
			}
			if got := q.pop(); got != -1 {
				t.Fatalf("popped %d from an empty queue", got)
			}
		}
	})
}
