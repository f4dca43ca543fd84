package scalar_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// open makes names with a vocabulary for one role.
func open(words int, bytes int64) *machine.Names {
	return &machine.Names{Roles: []string{"p"}, Open: scalar.NewVocabulary(1, words, bytes)}
}

func TestPositionsOfAnOpenVocabularyKeepTheirFluents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := open(rapid.IntRange(1, 4).Draw(t, "words"), 1<<20)
		seen := make(map[string][]string)
		for range rapid.IntRange(1, 10).Draw(t, "positions") {
			var fluents []string
			for _, f := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 12).Draw(t, "fluents") {
				fluents = append(fluents, fmt.Sprintf("(f %d)", f))
			}
			s, err := names.State(fluents)
			if err != nil || len(s) != len(names.NewState()) || names.Lost(s) {
				t.Fatalf("%v is %v (%v)", fluents, s, err)
			}
			got := names.AppendFluents(nil, s)
			slices.Sort(got)
			slices.Sort(fluents)
			if want := slices.Compact(fluents); !slices.Equal(got, want) {
				t.Fatalf("fluents %v, want %v", got, want)
			}
			key := fmt.Sprint(s)
			if others, ok := seen[key]; ok && !slices.Equal(others, got) {
				t.Fatalf("%v and %v are both %s", others, got, key)
			}
			for other, fluents := range seen {
				if other != key && slices.Equal(fluents, got) {
					t.Fatalf("%v is %s and %s", got, other, key)
				}
			}
			seen[key] = got
		}
	})
}

func TestAFullVocabularyLosesOnlyNewPositions(t *testing.T) {
	names := open(1, 2000)
	first := must.Get(names.State([]string{"a"}))(t)
	full := false
	for i := range 100 {
		_, ok := names.AddFluent(fmt.Sprintf("(n %d)", i))
		full = full || !ok
	}
	if _, ok := names.AddMove(0, "go"); !full || ok {
		t.Error("2000 bytes hold more than 100 texts")
	}
	lost := names.NewState()
	if names.Pack(lost, []int32{-1, 3}); !names.Lost(lost) || len(names.AppendFluents(nil, lost)) > 0 {
		t.Errorf("a fluent without a number makes the position %v", lost)
	}
	if names.Pack(lost, []int32{0, 1, 2}); !names.Lost(lost) {
		t.Errorf("a position that is not kept is %v", lost)
	}
	if got := names.AppendFluents(nil, first); !slices.Equal(got, []string{"a"}) {
		t.Errorf("fluents %v", got)
	}
}

func TestAnOpenVocabularyIsSharedByGoroutines(t *testing.T) {
	names := open(2, 1<<20)
	numbers := make([][]machine.Move, 4)
	var group sync.WaitGroup
	for g := range numbers {
		group.Go(func() {
			for i := range 100 {
				m, ok := names.AddMove(0, fmt.Sprintf("(m %d)", i))
				if text := names.MoveText(0, m); !ok || text != fmt.Sprintf("(m %d)", i) {
					t.Errorf("move %d is %q", m, text)
				}
				numbers[g] = append(numbers[g], m)
			}
		})
	}
	group.Wait()
	for _, list := range numbers {
		if !slices.Equal(list, numbers[0]) {
			t.Error("one move has two numbers")
		}
	}
	if n := len(names.MoveTexts(0)); n != 100 {
		t.Errorf("%d moves, want 100", n)
	}
}

func TestMovesThatWereMetAreFoundInAnyCase(t *testing.T) {
	names := open(1, 1<<20)
	for _, text := range []string{"(go North)", "(take a)", "(take A)"} {
		names.AddMove(0, text)
	}
	for text, want := range map[string]machine.Move{
		"(go North)": 0, "(GO NORTH)": 0, "(take a)": 1, "(take A)": 2, "(TAKE A)": machine.NoMove, "(go south)": machine.NoMove,
	} {
		if m, ok := names.Move(0, text); m != want || ok != (want != machine.NoMove) {
			t.Errorf("%s is move %d", text, m)
		}
	}
}
