package reasoner_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

var (
	metamorphicAll  = flag.Bool("metamorphic.all", false, "rewrite every rulesheet of the corpus, not a sample")
	metamorphicSeed = flag.Uint64("metamorphic.seed", 1, "seed of the sample, the rewritings and the matches")
)

// rewritings change a rulesheet and not the game. Restore spells its terms as before.
var rewritings = []struct {
	name    string
	rewrite func(*gdl.File, *rand.Rand) (rewritten *gdl.File, restore func(string) string)
}{
	{"rules shuffled", func(f *gdl.File, rng *rand.Rand) (*gdl.File, func(string) string) { return rewrite.Rules(f, rng), same }},
	{"bodies reordered", func(f *gdl.File, rng *rand.Rand) (*gdl.File, func(string) string) {
		return rewrite.Bodies(f, rng), same
	}},
	{"symbols and variables renamed", func(f *gdl.File, _ *rand.Rand) (*gdl.File, func(string) string) {
		f = rewrite.Symbols(f, func(s string) string { return mark + s })
		return rewrite.Variables(f, func(v string) string { return v + "x" }), unmarked
	}},
	{"symbols renamed like parts", func(f *gdl.File, rng *rand.Rand) (*gdl.File, func(string) string) {
		names := newHostileNames(rng)
		return rewrite.Symbols(f, names.rename), names.restore
	}},
	{"disjunctions expanded", func(f *gdl.File, _ *rand.Rand) (*gdl.File, func(string) string) { return rewrite.Disjunctions(f), same }},
}

// mark begins the new names of symbols; no rulesheet has it.
const mark = "new_"

func unmarked(name string) string { return strings.ReplaceAll(name, mark, "") }

const (
	sampleSize       = 10      // rulesheets of a plain test, of
	sampleBytes      = 8 << 10 // these many bytes at most
	metamorphicSteps = 40      // joint moves that are compared
)

func TestRewrittenRulesheetsAreTheSameGame(t *testing.T) {
	exhaustive.Only(t, "compiles many games")
	sheets := corpus.Rulesheets(t)
	rng := rand.New(rand.NewPCG(*metamorphicSeed, 0))
	if !*metamorphicAll {
		rng.Shuffle(len(sheets), func(i, j int) { sheets[i], sheets[j] = sheets[j], sheets[i] })
	}
	filter := regexp.MustCompile(*corpusGames)
	taken := 0
	for _, sheet := range sheets {
		name, src := sheet.Name, corpus.Source(t, sheet.Name)
		if !filter.MatchString(name) || !*metamorphicAll && (taken == sampleSize || len(src) > sampleBytes) {
			continue
		}
		taken++
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			rewritten(t, name, src, rand.New(rand.NewPCG(*metamorphicSeed, uint64(len(src)))))
			if *corpusTable {
				fmt.Printf("%-40s %7.2f s\n", name, time.Since(start).Seconds())
			}
		})
	}
}

// rewritten compares a game with all its rewritings.
func rewritten(t *testing.T, name string, src []byte, rng *rand.Rand) {
	tree := must.Get(gdl.Parse(name, src))(t)
	want := compileText(t, name, src)
	for _, r := range rewritings {
		file, restore := r.rewrite(tree, rng)
		walkers := []*walker{newWalker(want, same, rng), newWalker(compileText(t, name, []byte(gdl.Print(file))), restore, rng)}
		if err := lockstep(walkers, rng, metamorphicSteps); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
	}
}

// readRules reads the rules of a game.
func readRules[T string | []byte](t testing.TB, name string, src T) *gdl.Game {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), name, []byte(src)))(t)
	return g
}

// newMachine compiles a game.
func newMachine(t testing.TB, g *gdl.Game, o reasoner.Options) machine.Machine {
	t.Helper()
	m, err := reasoner.New(t.Context(), g, o)
	if err != nil {
		t.Fatalf("engine %q: %v", o.Engine, err)
	}
	return m
}

func compileText(t *testing.T, name string, src []byte) machine.Machine {
	t.Helper()
	return newMachine(t, readRules(t, name, src), reasoner.Options{Budget: *corpusBudget})
}
