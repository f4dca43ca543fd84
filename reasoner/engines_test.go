package reasoner_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
)

// quicker is what is said of a circuit that is not worth it.
const quicker = "evaluating the rules anew is quicker"

// counter is a game whose position is one fluent of very many: a circuit writes all of them in
// each step, the Datalog machine one.
func counter(t *testing.T) *gdl.Game {
	t.Helper()
	const last = 16_000
	var b strings.Builder
	fmt.Fprintf(&b, "(role r) (init (at 0)) (legal r go) (goal r 100) (<= terminal (true (at %d)))", last)
	b.WriteString("(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))")
	for i := range last {
		fmt.Fprintf(&b, "(succ %d %d)\n", i, i+1)
	}
	return readRules(t, "counter.kif", b.String())
}

func TestACircuitThatIsNotWorthItIsNotMade(t *testing.T) {
	g := counter(t)
	m := newMachine(t, g, reasoner.Options{Engine: "auto"})
	if info := m.Info(); info.Engine != "datalog" || !strings.Contains(info.Reason, quicker) {
		t.Errorf("the machine is of %s: %s", info.Engine, info.Reason)
	}
}

func TestBeginAsksWhetherACircuitIsWorthIt(t *testing.T) {
	g := counter(t)
	var mu sync.Mutex
	var seen []string
	c := reasoner.Begin(t.Context(), g, reasoner.Options{Engine: "auto"}, time.Minute, func(a reasoner.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%s %v", a.Engine, a.Err == nil))
		if a.Engine == "circuit" && (a.Err == nil || !strings.Contains(a.Err.Error(), quicker)) {
			t.Errorf("circuit: error %v, want that it is not worth it", a.Err)
		}
	})
	<-c.Done()
	if err := c.Err(); err != nil {
		t.Error(err)
	}
	slices.Sort(seen)
	if want := []string{"circuit false", "datalog true"}; fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("attempts %q, want %q", seen, want)
	}
}
