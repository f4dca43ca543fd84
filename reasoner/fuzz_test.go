package reasoner_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/reference"
	"stackmate/reasoner/wellformed"
)

const (
	fuzzSeeds = 200 // random games of an exhaustive test; the fast tier compares a twelfth
	fuzzBytes = 400 // draws of a game
	fuzzSteps = 12  // joint moves that are compared
)

// FuzzMachine compares all engines, and the circuit with batches of every width,
// on random games. A game that makes them differ belongs into testdata/found.txtar.
func FuzzMachine(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range exhaustive.Choose(fuzzSeeds/12, fuzzSeeds) {
		draws := make([]byte, fuzzBytes)
		for i := range draws {
			draws[i] = byte(rng.Uint32())
		}
		f.Add(draws)
	}
	f.Fuzz(func(t *testing.T, draws []byte) { compareEngines(t, randomGame(draws)) })
}

func TestGamesThatOnceDifferedAgree(t *testing.T) {
	found := must.Get(txtar.ParseFile(filepath.Join("testdata", "found.txtar")))(t)
	for _, file := range found.Files {
		t.Run(file.Name, func(t *testing.T) {
			compareEngines(t, string(file.Data))
			compareCounts(t, string(file.Data))
		})
	}
}

// compareCounts counts joint moves on all engines, and simulates matches as `validate` does.
func compareCounts(t *testing.T, src string) {
	t.Helper()
	g := readRules(t, "found", src)
	var want []play.PerftCount
	for _, engine := range []string{"reference", "datalog", "circuit"} {
		m := newMachine(t, g, reasoner.Options{Engine: engine})
		counts, err := play.Perft(t.Context(), m, m.Initial(), 3)
		if err != nil && !errors.Is(err, play.ErrTooWide) {
			t.Errorf("%s: %v", engine, err)
		}
		if want == nil {
			want = counts
		}
		if d := cmp.Diff(want, counts); d != "" {
			t.Errorf("%s: -reference +%s:\n%s", engine, engine, d)
		}
		if s, err := m.Names().State(m.Names().AppendFluents(nil, m.Initial())); err != nil || !s.Equal(m.Initial()) || len(s) != len(m.Initial()) || len(s) == 0 {
			t.Errorf("%s: the initial position %v is %v by its names (%v)", engine, m.Initial(), s, err)
		}
		if _, err := wellformed.Simulate(t.Context(), g, m, wellformed.Options{Matches: 3, MaxSteps: 20}); err != nil {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

// compareEngines plays a game in lock step on all engines, the oracle first.
func compareEngines(t *testing.T, src string) {
	t.Helper()
	g, _, err := gdl.Load(t.Context(), "random", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	oracle, err := reference.New(t.Context(), g)
	if err != nil {
		t.Fatalf("reference: %v\n%s", err, src)
	}
	rng := rand.New(rand.NewPCG(uint64(len(src)), 1))
	walkers := []*walker{newWalker(oracle, same, rng)}
	add := func(m machine.Machine, err error) {
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		walkers = append(walkers, newWalker(m, same, rng))
	}
	add(reasoner.New(t.Context(), g, reasoner.Options{Engine: "datalog"}))
	optimised, err := reasoner.Circuit(t.Context(), g, reasoner.Options{})
	if err != nil {
		t.Fatalf("circuit: %v\n%s", err, src)
	}
	for _, name := range kernels() {
		add(optimised.Compile(t.Context(), circuit.Options{Kernel: name}))
	}
	if err := lockstep(walkers, rng, fuzzSteps); err != nil {
		t.Errorf("%v\n%s", err, src)
	}
}

// kernels returns the names of the kernels of this processor.
func kernels() (list []string) {
	for _, k := range kernel.All() {
		list = append(list, k.Name())
	}
	return list
}
