package reasoner_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/reference"
)

const (
	fuzzSeeds = 200 // random games of a plain test
	fuzzBytes = 400 // draws of a game
	fuzzSteps = 12  // joint moves that are compared
)

// FuzzMachine compares all engines, and the circuit with batches of every width,
// on random games. A game that makes them differ belongs into testdata/found.txtar.
func FuzzMachine(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range fuzzSeeds {
		draws := make([]byte, fuzzBytes)
		for i := range draws {
			draws[i] = byte(rng.Uint32())
		}
		f.Add(draws)
	}
	f.Fuzz(func(t *testing.T, draws []byte) { compareEngines(t, randomGame(draws)) })
}

func TestGamesThatOnceDifferedAgree(t *testing.T) {
	found, err := txtar.ParseFile(filepath.Join("testdata", "found.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found.Files {
		t.Run(file.Name, func(t *testing.T) { compareEngines(t, string(file.Data)) })
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
	for _, o := range []reasoner.Options{
		{Engine: "datalog"},
		{Engine: "circuit"},
		{Engine: "circuit", Lanes: 64},
		{Engine: "circuit", Lanes: 128},
		{Engine: "circuit", Lanes: 256},
		{Engine: "circuit", Lanes: 512},
	} {
		m, err := reasoner.New(t.Context(), g, o)
		if err != nil {
			t.Fatalf("%+v: %v\n%s", o, err, src)
		}
		walkers = append(walkers, newWalker(m, same, rng))
		if o.Engine == "circuit" && o.Lanes == 0 {
			named, err := reference.NewWithNames(g, m.Names())
			if err != nil {
				t.Fatalf("reference with the names of the circuit: %v\n%s", err, src)
			}
			walkers = append(walkers, newWalker(named, same, rng))
		}
	}
	if err := lockstep(walkers, rng, fuzzSteps); err != nil {
		t.Errorf("%v\n%s", err, src)
	}
}
