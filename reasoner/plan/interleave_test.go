package plan

import (
	"context"
	"slices"
	"testing"

	"stackmate/reasoner/machine/facts"
)

// A search that ends before its first pause leaves the other searches their turns.
func TestSearchesThatEndAtOnceDoNotStopOthers(t *testing.T) {
	var ran []string
	search := func(name string, pauses int) coroutine {
		return coroutine{weight: 1, search: func(_ context.Context, pause func() bool) {
			ran = append(ran, name)
			for range pauses {
				pause()
			}
		}}
	}
	q := &planning{plan: facts.Plan{Bound: 100}}
	q.interleave(t.Context(), search("first", 0), search("second", 2), search("third", 1))
	if slices.Sort(ran); !slices.Equal(ran, []string{"first", "second", "third"}) {
		t.Errorf("these searches ran: %q", ran)
	}
}
