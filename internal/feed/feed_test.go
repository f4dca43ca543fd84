package feed

import (
	"context"
	"slices"
	"sync"
	"testing"
)

func TestEveryListenerHearsAllWheneverItCame(t *testing.T) {
	var f Feed[int]
	f.Add(1, 2)
	var all sync.WaitGroup
	heard := make([][]int, 10)
	for i := range heard {
		all.Go(func() { heard[i] = slices.Collect(f.All(t.Context())) })
	}
	f.Add(3)
	f.Close(4)
	f.Add(5) // nobody expects more
	all.Wait()
	for i, got := range heard {
		if !slices.Equal(got, []int{1, 2, 3, 4}) {
			t.Errorf("listener %d heard %v", i, got)
		}
	}
}

func TestOfWhatIsReplacedOnlyTheLatestIsTold(t *testing.T) {
	var f Feed[string]
	f.Add("a")
	f.Add("b")
	_, now, _, fresh := f.After(0)
	f.Replace("c")
	<-fresh
	if news, _, over, _ := f.After(now); over || !slices.Equal(news, []string{"c"}) {
		t.Errorf("who has heard what was before hears %v", news)
	}
	if news, now, _, _ := f.After(0); now != 3 || !slices.Equal(news, []string{"c"}) {
		t.Errorf("a newcomer hears %v", news)
	}
}

func TestAListenerLeavesWithItsContext(t *testing.T) {
	var f Feed[int]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.Add(1)
	for range f.All(ctx) {
		cancel()
	}
}

func TestACompactionIsSeenByLateReadersAlone(t *testing.T) {
	var f Feed[string]
	f.Add("a", "b")
	f.Compact("ab")
	f.Add("c")
	f.Compact("abc")
	f.Add("d")
	for offset, want := range map[int][]string{0: {"abc", "d"}, 1: {"abc", "d"}, 2: {"c", "d"}, 3: {"d"}, 4: nil} {
		if news, end, _, _ := f.After(offset); end != 4 || !slices.Equal(news, want) {
			t.Errorf("after %d: %v up to %d, want %v", offset, news, end, want)
		}
	}
}
