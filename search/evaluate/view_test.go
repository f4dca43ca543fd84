package evaluate

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate/vector"
)

// signalsOf returns the signals of a built-in game.
func signalsOf(t testing.TB, game string) facts.Signals {
	t.Helper()
	return facts.SignalsOf(t.Context(), gamestest.Machine(t, game))
}

// seeing returns a learner of a line game with threats as signals, after the given number of games.
func seeing(t testing.TB, games int64) *Learner {
	t.Helper()
	l := learner(t, gamestest.Machine(t, "connectFour-4x4"), Config{Seed: 1, ConstantSum: true, Signals: signalsOf(t, "connectFour-4x4")})
	l.Learn(t.Context(), games)
	return l
}

// rival returns the fluent of an opponent's piece in the same cell.
func rival(cell string) string {
	return strings.NewReplacer("red", "yellow", "yellow", "red").Replace(cell)
}

func TestThreatsAreBlockedByThePieceThatStandsThere(t *testing.T) {
	l := seeing(t, 1000)
	names := l.games.machine.Names()
	if l.view.blocks == nil {
		t.Fatal("after 1000 games it is not known what blocks threats")
	}
	for k, threat := range l.view.signals {
		cell := names.Fluents[threat.Lacks]
		want, ok := names.AddFluent(rival(cell))
		if !ok || !slices.Equal(l.view.blocks[k], []int32{int32(want)}) {
			t.Errorf("%s is blocked by %v, want %d", cell, l.view.blocks[k], want)
		}
	}
	// Of the same positions no other threats are left out.
	m, left, out := l.games.machine, 0, 0
	states := toys.Positions(m, 50, 9)
	newView(m, l.view.source).withSignals(states, func(all []uint64) {
		l.view.withSignals(states, func(some []uint64) {
			for i := 0; i < len(all); i += l.wide {
				for k, threat := range l.view.signals {
					before, after := machine.State(all[i:]).Has(l.view.input(k)), machine.State(some[i:]).Has(l.view.input(k))
					taken, _ := names.AddFluent(rival(names.Fluents[threat.Lacks]))
					if after != (before && !machine.State(all[i:]).Has(taken)) {
						t.Fatalf("threat of %s is seen: %v", names.Fluents[threat.Lacks], after)
					}
					if after {
						left++
					} else if before {
						out++
					}
				}
			}
		})
	})
	if left == 0 || out == 0 {
		t.Errorf("%d threats left, %d left out: the test shows nothing", left, out)
	}
}

func TestFluentsThatOneGameDidNotShowHaveNoBlockers(t *testing.T) {
	l := seeing(t, 1)
	s := newSurvey(newView(l.games.machine, l.view.source))
	s.game(toys.Positions(l.games.machine, 1, 9))
	blocked, unseen := s.blocked(), 0
	for k, threat := range l.view.signals {
		if machine.State(s.ever).Has(threat.Lacks) {
			continue
		}
		unseen++
		if blocks := blocked.blocks[k]; blocks != nil {
			t.Errorf("%s is blocked by %v", l.games.machine.Names().Fluents[threat.Lacks], blocks)
		}
	}
	if unseen == 0 {
		t.Error("the game showed all fluents: the test shows nothing")
	}
}

func TestTheImageOfAPositionHasTheImagesOfItsSignals(t *testing.T) {
	t.Run("threats", func(t *testing.T) { imagesFit(t, seeing(t, 1000)) })
	t.Run("moves", func(t *testing.T) { imagesFit(t, mobile(t)) })
}

func imagesFit(t *testing.T, l *Learner) {
	t.Helper()
	m := l.games.machine
	states := toys.Positions(m, 20, 9)
	image, got := make(machine.State, len(m.Initial())), make(machine.State, l.wide)
	for i := range facts.Symmetries(m) {
		y := &facts.Symmetries(m)[i]
		for at := 0; at < len(states); at += len(m.Initial()) {
			s := machine.State(states[at : at+len(m.Initial())])
			var want []uint64
			y.Image(image, s)
			l.view.withSignals(image, func(seen []uint64) { want = slices.Clone(seen) })
			l.view.withSignals(s, func(seen []uint64) {
				clear(got)
				for f := range 64 * l.wide {
					if to := l.images[i][f]; machine.State(seen).Has(f) && to >= 0 {
						got.Set(int(to))
					}
				}
			})
			if !slices.Equal(got, want) {
				t.Fatalf("symmetry %d of %v has %v, want %v", i, m.Names().AppendFluents(nil, s), got, want)
			}
		}
	}
	if len(facts.Symmetries(m)) == 0 {
		t.Error("there are no symmetries")
	}
}

func TestEvaluationsSeeThreats(t *testing.T) {
	l := seeing(t, 3000)
	m, e := l.games.machine, l.Evaluation()
	path := filepath.Join(t.TempDir(), "learnt")
	if err := l.Save(path, named("rules")); err != nil {
		t.Fatal(err)
	}
	again := loaded(t, path, named("rules"), m, Config{Seed: 2, ConstantSum: true, Signals: l.view.source})
	states := toys.Positions(m, 20, 9)
	n, roles := len(states)/len(m.Initial()), len(m.Names().Roles)
	got, loaded, first := make([]float64, n*roles), make([]float64, n*roles), make([]float64, n)
	e.Values(got, states)
	again.Evaluation().Values(loaded, states)
	e.ValuesOf(1, first, states)
	units := make([]vector.Floats, 1)
	var inputs vector.Inputs
	value, differs := make([]float32, 1), false
	l.view.withSignals(states, func(seen []uint64) {
		at := make(machine.State, l.wide)
		for i := range n {
			turned := l.view.mirror.see(at, seen[i*l.wide:(i+1)*l.wide])
			inputs.SetBits(at)
			e.network.forward(units, value, &inputs)
			want := 100 * float64(value[0])
			if turned {
				want = 100 - want
			}
			if math.Abs(got[i*roles]-want) > 1 || got[i*roles] != loaded[i*roles] || first[i] != got[i*roles+1] {
				t.Fatalf("position %d is worth %v, %v when loaded, %v to the other; want %v", i, got[i*roles], loaded[i*roles], first[i], want)
			}
			clear(at[len(m.Initial()):])
			inputs.SetBits(at)
			e.network.forward(units, value, &inputs)
			differs = differs || math.Abs(want-100*float64(value[0])) > 5
		}
	})
	if !differs {
		t.Error("threats make no difference")
	}
	if _, err := Load(path, named("rules"), m, Config{ConstantSum: true}); err == nil {
		t.Error("an evaluation that sees threats is loaded by one that does not")
	}
}
