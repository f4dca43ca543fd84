package guard_test

import (
	"errors"
	"testing"

	"stackmate/internal/guard"
)

func TestTogetherCallsEachNumberOnce(t *testing.T) {
	const n = 10
	var calls [n]int
	guard.Together(n, func(i int) { calls[i]++ })
	for i, c := range calls {
		if c != 1 {
			t.Errorf("%d calls with %d, want 1", c, i)
		}
	}
}

func TestTogetherPanicsInTheGoroutineOfItsCaller(t *testing.T) {
	returned := 0
	err := guard.Do(func() error {
		guard.Together(3, func(i int) {
			if i == 0 {
				returned++
				return
			}
			panic(i)
		})
		return nil
	})
	var inner *guard.Panic
	if !errors.As(errors.Unwrap(err), &inner) || inner.Value != 1 || returned != 1 {
		t.Errorf("got %v after %d returns, want the panic of call 1 after 1", err, returned)
	}
}
