package montecarlo

import (
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

func TestPlayersThatThinkAlikeMeet(t *testing.T) {
	for name, c := range map[string]struct {
		goals [][][2]int32 // by the moves of both
		want  [2]machine.Move
	}{
		"coordination":           {[][][2]int32{{{60, 60}, {0, 0}}, {{0, 0}, {60, 60}}}, [2]machine.Move{0, 0}},
		"the better place":       {[][][2]int32{{{40, 40}, {0, 0}}, {{0, 0}, {90, 90}}}, [2]machine.Move{1, 1}},
		"stag hunt":              {[][][2]int32{{{90, 90}, {0, 60}}, {{60, 0}, {60, 60}}}, [2]machine.Move{0, 0}},
		"the prisoners' dilemma": {[][][2]int32{{{60, 60}, {0, 90}}, {{90, 0}, {20, 20}}}, [2]machine.Move{1, 1}},
	} {
		m := toys.Bimatrix(c.goals).Machine()
		for _, without := range []Technique{0, Bounds} {
			for seed := range uint64(5) {
				r, err := New(Config{Rule: RegretMatching, Without: without, Workers: 1 + int(seed)%2}).Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 3000, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				for role, want := range c.want {
					if probability(r.Strategies[role], want) != 1 {
						t.Errorf("%s, without %d, seed %d: role %d plays %v, want %d", name, without, seed, role, r.Strategies[role], want)
					}
				}
			}
		}
	}
}

func TestWhereInterestsDifferThereIsNoConvention(t *testing.T) {
	// Each prefers another of two places to meet.
	m := toys.Bimatrix([][][2]int32{{{90, 50}, {0, 0}}, {{0, 0}, {50, 90}}}).Machine()
	s := New(Config{Without: Bounds})
	if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 3000, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if joint := s.convention(); joint != nil {
		t.Errorf("the convention is %v", joint)
	}
	zero := toys.Bimatrix([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}}).Machine()
	s = New(Config{Without: Bounds})
	if _, err := s.Search(t.Context(), zero, zero.Initial(), search.Limits{MaxNodes: 3000, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if joint := s.convention(); joint != nil {
		t.Errorf("opponents agree on %v", joint)
	}
}
