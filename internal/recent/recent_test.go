package recent

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestTheValuesUsedLastAreKept(t *testing.T) {
	c := Cache[string, string]{Size: 2}
	made := make(map[string]int)
	get := func(key string) {
		v, err := c.Get(key, func() (string, error) { made[key]++; return key + "!", nil })
		if v != key+"!" || err != nil {
			t.Errorf("%s: %s, %v", key, v, err)
		}
	}
	for _, key := range []string{"a", "b", "a", "c", "a", "b", "b"} {
		get(key)
	}
	if made["a"] != 1 || made["b"] != 2 || made["c"] != 1 {
		t.Errorf("made %v", made)
	}
}

func TestWhatCannotBeMadeIsTriedAgain(t *testing.T) {
	c := Cache[int, int]{Size: 1}
	bad := errors.New("bad")
	if _, err := c.Get(1, func() (int, error) { return 0, bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
	if v, err := c.Get(1, func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

func TestAValueIsMadeOnceForAll(t *testing.T) {
	c := Cache[int, int]{Size: 3}
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			if v, err := c.Get(i%3, func() (int, error) { made.Add(1); return i % 3, nil }); v != i%3 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	if all.Wait(); made.Load() != 3 {
		t.Errorf("3 values are made %d times", made.Load())
	}
}
