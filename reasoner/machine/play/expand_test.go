package play_test

import (
	"context"
	"errors"
	"testing"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
)

// fan is a game that lasts one joint move, with the given numbers of legal moves by role and words of a
// state.
type fan struct {
	legal []int
	words int
	over  bool
	ends  func() // called for each joint move, may be nil
}

func (g *fan) machine() machine.Machine {
	names := &machine.Names{}
	for _, n := range g.legal {
		names.Roles = append(names.Roles, "r")
		names.Moves = append(names.Moves, make([]string, n))
	}
	return scalar.New(names, make(machine.State, g.words), machine.Info{}, func() scalar.Stepper {
		return &fan{legal: g.legal, words: g.words, ends: g.ends}
	})
}

func (g *fan) SetState(s machine.State) { g.over = s[0] != 0 }
func (g *fan) Terminal() bool           { return g.over }
func (g *fan) Goal(machine.Role) int32  { return 0 }
func (g *fan) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for m := range g.legal[r] {
		dst = append(dst, machine.Move(m))
	}
	return dst
}

func (g *fan) Next(dst machine.State, _ []machine.Move) {
	dst[0] = 1
	if g.ends != nil {
		g.ends()
	}
}

func many(roles, moves int) []int {
	legal := make([]int, roles)
	for r := range legal {
		legal[r] = moves
	}
	return legal
}

func TestTooManyJointMovesAreRefusedBeforeMemoryIsSpent(t *testing.T) {
	for name, g := range map[string]*fan{
		"a product past 64 bits":      {legal: many(65, 2), words: 1},
		"a product of exactly 0":      {legal: many(8, 256), words: 1},
		"three times a thousand":      {legal: many(3, 1000), words: 1},
		"children of eight kilobytes": {legal: many(2, 100), words: 1000},
	} {
		m := g.machine()
		x, e := play.NewExpander(m), new(play.Expansion)
		if err := x.Expand(e, m.Initial()); !errors.Is(err, play.ErrTooWide) || e.Children != 0 || len(e.States) != 0 {
			t.Errorf("%s: %d children, error %v", name, e.Children, err)
		}
		if len(e.Moves) != len(g.legal) || len(e.Moves[0]) != g.legal[0] {
			t.Errorf("%s: the moves are missing", name)
		}
		if _, err := play.Perft(t.Context(), m, m.Initial(), 2); !errors.Is(err, play.ErrTooWide) {
			t.Errorf("%s: perft says %v", name, err)
		}
		group := make([]play.Expansion, 1)
		if x.ExpandMany(group, m.Initial()); !errors.Is(group[0].Err, play.ErrTooWide) {
			t.Errorf("%s: together with others: %v", name, group[0].Err)
		}
	}
}

func TestAsManyJointMovesAsAllowedAreExpanded(t *testing.T) {
	m := (&fan{legal: many(2, 1<<10), words: 1}).machine()
	e := new(play.Expansion)
	if err := play.NewExpander(m).Expand(e, m.Initial()); err != nil || e.Children != play.MaxChildren || !e.Terminal[play.MaxChildren-1] {
		t.Errorf("%d children, error %v", e.Children, err)
	}
}

func TestAPositionWithoutMovesHasNoExpansion(t *testing.T) {
	m := (&fan{legal: []int{3, 0, 2}, words: 1}).machine()
	x, e := play.NewExpander(m), new(play.Expansion)
	if err := x.Expand(e, m.Initial()); !errors.Is(err, play.ErrStuck) || e.Children != 0 {
		t.Errorf("%d children, error %v", e.Children, err)
	}
}

func TestExpansionsStayWithinTheBytesOfTheirExpander(t *testing.T) {
	m := (&fan{legal: many(1, 100), words: 10}).machine()
	x := play.NewExpander(m)
	x.Limit(t.Context(), 250*(80+1+4+15), 15) // two, each with less than a quarter of its size to spare
	plies := make([]play.Expansion, 3)
	for i, want := range []error{nil, nil, play.ErrTooWide} {
		if err := x.Expand(&plies[i], m.Initial()); !errors.Is(err, want) {
			t.Errorf("expansion %d: error %v, want %v", i, err, want)
		}
	}
	for range 3 {
		if err := x.Expand(&plies[0], m.Initial()); err != nil {
			t.Errorf("the memory of an expansion cannot be used again: %v", err)
		}
	}
	if bytes := x.Bytes(); bytes < 2*100*100 || bytes > 250*100 {
		t.Errorf("two expansions of 100 children of 100 bytes take %d bytes", bytes)
	}
}

func TestAnExpansionThatFitsToTheByteIsMade(t *testing.T) {
	m := (&fan{legal: many(1, 100), words: 10}).machine()
	for bytes, want := range map[int64]error{
		100*(80+1+4+15) - 1:     play.ErrTooWide,
		100 * (80 + 1 + 4 + 15): nil,
	} {
		x := play.NewExpander(m)
		x.Limit(t.Context(), bytes, 15)
		if err := x.Expand(new(play.Expansion), m.Initial()); !errors.Is(err, want) {
			t.Errorf("within %d bytes: error %v, want %v", bytes, err, want)
		}
	}
}

func TestAnExpansionEndsWithItsContextBetweenTwoPasses(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	steps := 0
	g := &fan{legal: many(1, 10_000), words: 1, ends: func() {
		if steps++; steps == 100 {
			cancel()
		}
	}}
	m := g.machine()
	x, e := play.NewExpander(m), new(play.Expansion)
	x.Limit(ctx, 0, 0)
	if err := x.Expand(e, m.Initial()); !errors.Is(err, context.Canceled) || e.Children != 0 || steps >= 1000 {
		t.Errorf("%d children after %d steps, error %v", e.Children, steps, err)
	}
	steps = 1000
	group := make([]play.Expansion, 2)
	x.ExpandMany(group, make([]uint64, 2))
	if steps >= 2000 || !errors.Is(group[0].Err, context.Canceled) || !errors.Is(group[1].Err, context.Canceled) {
		t.Errorf("%d steps together, errors %v and %v", steps-1000, group[0].Err, group[1].Err)
	}
	// A position with few children takes one pass, which ctx does not interrupt.
	small := (&fan{legal: many(1, 10), words: 1}).machine()
	x = play.NewExpander(small)
	x.Limit(ctx, 0, 0)
	if err := x.Expand(e, small.Initial()); err != nil || e.Children != 10 {
		t.Errorf("%d children, error %v", e.Children, err)
	}
}

func TestChildrenOfATurnAreNumberedByActionAndReply(t *testing.T) {
	moves := func(counts ...int) (e play.Expansion) {
		for _, n := range counts {
			e.Moves = append(e.Moves, make([]machine.Move, n))
		}
		return e
	}
	for name, c := range map[string]struct {
		of      play.Expansion
		chance  machine.Role
		decider machine.Role
		last    int // the number of the last child
	}{
		"a player before chance":   {moves(3, 2, 1), 1, 0, 5},
		"a player behind chance":   {moves(1, 4, 3), 1, 2, 11},
		"a player without chance":  {moves(1, 4), machine.NoRole, 1, 3},
		"chance alone":             {moves(1, 4), 1, machine.NoRole, 3},
		"nobody":                   {moves(1, 1), 1, machine.NoRole, 0},
		"a chance without choices": {moves(2, 1), 1, 0, 1},
	} {
		turn, ok := c.of.Turn(c.chance)
		if last := turn.ChildNumber(turn.Actions-1, turn.Replies-1); !ok || turn.Decider != c.decider || last != c.last {
			t.Errorf("%s: %v chooses, %v, and the last child has number %d; want %v, and %d", name, turn.Decider, ok, last, c.decider, c.last)
		}
	}
	both := moves(2, 1, 2)
	if a, b, c := both.Step(0), both.Step(2), both.Step(machine.NoRole); a != 2 || b != 1 || c != 4 {
		t.Errorf("children of neighbouring moves are %d, %d and %d apart, want 2, 1 and 4", a, b, c)
	}
	if _, ok := both.Turn(machine.NoRole); ok {
		t.Error("two players choose at once, and it is a turn")
	}
}
