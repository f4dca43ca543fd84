package player

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// judge is an exact search that has proved a value of every position: own at the root, by move 1, and values below it in
// the order in which they are asked for.
type judge struct {
	root   machine.State
	own    float64
	values []float64
	guess  bool // values are not proved
	asked  int
}

func (j *judge) Search(_ context.Context, _ machine.Machine, q machine.State, _ search.Limits) (search.Result, error) {
	if q.Equal(j.root) {
		return pure(1, search.Exact(j.own), true), nil
	}
	v := j.values[j.asked]
	j.asked++
	return pure(1, search.Exact(v), !j.guess), nil
}

func TestAfterAProvedValueTheOtherMovesAreJudgedToo(t *testing.T) {
	for name, c := range map[string]struct {
		own    float64
		values []float64 // after moves 2 and 3
		guess  bool
		asked  int
		move   string // samples prefer move 2
	}{
		"another move is as good":       {50, []float64{50, 0}, false, 2, "(take 2)"},
		"another move seems as good":    {50, []float64{50, 0}, true, 2, "(take 1)"},
		"another move is worse":         {50, []float64{30, 50}, false, 2, "(take 1)"},
		"nothing is better than best":   {100, nil, false, 0, "(take 1)"},
		"all moves are worth the worst": {0, nil, false, 0, "(take 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newSubtraction(9)
				j := &judge{root: m.Initial(), own: c.own, values: c.values, guess: c.guess}
				p := seated(t, m, &patient{result: pure(2, search.Exact(60), false)}, j)
				if move := playTurn(t, p, time.Second); move != c.move || j.asked != c.asked {
					t.Errorf("plays %s after judging %d other moves, want %s after %d", move, j.asked, c.move, c.asked)
				}
			})
		})
	}
}

func TestThePreferredMoveIsTheMostProbableOne(t *testing.T) {
	r := &round{thinker: newThinker(setting{experience: new(experience)}), root: &root{}}
	r.keepFavourite(&search.Result{Strategies: [][]search.Weighted{{{Move: 1, Probability: 0.2}, {Move: 2, Probability: 0.5}, {Move: 3, Probability: 0.3}}}})
	if got := r.experience.favourite.Load(); got == nil || got.move != 2 {
		t.Errorf("prefers %+v", got)
	}
}

func TestAMethodThatFailedIsNotTriedAgain(t *testing.T) {
	first, second := &patient{}, &patient{deaf: 1}
	p := newThinker(setting{})
	p.methods, p.exact = []string{"first", "second"}, []search.Searcher{first, second}
	p.reclassify(first, errors.New("out of order"))
	if len(p.exact) != 1 || p.exact[0] != second || !slices.Equal(p.methods, []string{"second"}) {
		t.Errorf("methods %v of searches %v", p.methods, p.exact)
	}
}

func TestAGameIsClassifiedAgainIfTheClockEndsBeforeAWholeGame(t *testing.T) {
	kids := []toys.Node{{Moves: []int{2, 1}, Kids: []int{1, 1}}, {Moves: []int{1, 2}, Kids: []int{2, 3}}, {Goals: []int32{0, 0}}, {Goals: []int32{100, 0}}}
	m := (&toys.Tree{Roles: []string{"white", machine.RandomRole}, Nodes: kids}).Machine()
	p, at := onOneThread(0, 64<<20), position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if c := p.choose(over, at); c.by != byFallback {
		t.Errorf("a move by %s without a search", c.by)
	}
	if p.prepare(t.Context(), at); !p.class.Chance {
		t.Errorf("class %s, want chance", p.class)
	}
}
