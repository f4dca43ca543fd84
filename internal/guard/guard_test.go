package guard_test

import (
	"errors"
	"strings"
	"testing"

	"stackmate/internal/guard"
)

func TestTheErrorOfTheFunctionIsReturned(t *testing.T) {
	want := errors.New("fault")
	if got := guard.Do(func() error { return want }); got != want { //nolint:errorlint // the very same
		t.Errorf("got %v, want %v", got, want)
	}
	if got := guard.Do(func() error { return nil }); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

func TestAPanicBecomesAnErrorThatKeepsValueAndStack(t *testing.T) {
	err := guard.Do(func() error { panicInHere(); return nil })
	var p *guard.Panic
	if !errors.As(err, &p) || p.Value != "broken" {
		t.Fatalf("got %#v, want a panic of \"broken\"", err)
	}
	if !strings.Contains(string(p.Stack), "panicInHere") {
		t.Errorf("the stack does not name the function:\n%s", p.Stack)
	}
	if !strings.Contains(err.Error(), "broken") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the message %q is not one line with the value", err)
	}
}

func panicInHere() { panic("broken") }

func TestAFaultOfTheRuntimeIsAnErrorToo(t *testing.T) {
	var slice []int
	err := guard.Do(func() error { slice[0]++; return nil })
	if err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("got %v, want an index out of range", err)
	}
}

func TestThePanicOfAnErrorIsThatError(t *testing.T) {
	want := errors.New("fault")
	if err := guard.Do(func() error { panic(want) }); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}
