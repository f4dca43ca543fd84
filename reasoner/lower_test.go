package reasoner

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/datalog/ground"
	"stackmate/reasoner/machine"
)

// chain returns a ground game of one fluent. Each derived atom is the negation of the previous atom; terminal
// is the last atom.
func chain(length int) *ground.Program {
	p := &ground.Program{
		Names:    &machine.Names{Roles: []string{"r"}, Moves: [][]string{{"wait"}}, Fluents: []string{"f"}},
		Next:     []ground.Atom{0},
		Legal:    [][]ground.Atom{{ground.True}},
		Terminal: ground.Atom(length + 1),
		Atoms:    int32(length + 2),
		Start:    []int32{0},
	}
	before := ground.Atom(0)
	for head := ground.Atom(2); int(head) < length+2; head++ {
		p.Head = append(p.Head, head)
		p.Body = append(p.Body, ground.Lit(before)<<1|1)
		p.Start = append(p.Start, int32(len(p.Body)))
		before = head
	}
	return p
}

func TestLoweringChainsTakesABoundedStack(t *testing.T) {
	old := debug.SetMaxStack(4 << 20)
	defer debug.SetMaxStack(old)
	for _, length := range exhaustive.Choose([]int{200_000, 200_001}, []int{1_000_000, 1_000_001}) {
		g := must.Get(lower(t.Context(), chain(length)))(t)
		if want := g.Fluents[0] ^ logic.Lit(length%2); g.Terminal != want {
			t.Errorf("the end of a chain of %d negations is %d, want %d", length, g.Terminal, want)
		}
	}
}

func TestLoweringStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lower(ctx, chain(100)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
