package reasoner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// A rulesheet may use any sign in a name, even signs of an engine's internal names, and the same name with
// several arities. Such names must not matter.

// hostileNames renames symbols to names of parts, keys and keywords with signs added, and back.
type hostileNames struct {
	rng   *rand.Rand
	known []string
	back  map[string]string
}

func newHostileNames(rng *rand.Rand) *hostileNames {
	return &hostileNames{
		rng: rng, back: make(map[string]string),
		known: []string{"legal", "next", "true", "does", "init", "goal", "terminal", "role", "base", "input", "distinct", "a", "asked", "some", "reached", "found"},
	}
}

// rename gives a symbol another name, each one only once.
func (h *hostileNames) rename(symbol string) string {
	for {
		of := h.known[h.rng.IntN(len(h.known))]
		sign := []string{"~", "|", "/", "/-", "-", "_by_", "~1/", "/0|", "\"", "\\", "~-", "|-1/"}[h.rng.IntN(12)]
		name := fmt.Sprintf("%s%s%d", of, sign, h.rng.IntN(6))
		if h.rng.IntN(8) == 0 {
			name = fmt.Sprintf("%s%d", sign, h.rng.IntN(20))
		}
		if _, taken := h.back[name]; !taken && gdl.Keyword(name) == "" {
			h.back[name] = symbol
			h.known = append(h.known, symbol, name)
			return name
		}
	}
}

// restore spells a text with the names that it had.
func (h *hostileNames) restore(text string) string {
	var out, word strings.Builder
	flush := func() {
		if was, ok := h.back[word.String()]; ok {
			out.WriteString(was)
		} else {
			out.WriteString(word.String())
		}
		word.Reset()
	}
	for _, r := range text {
		if r == '(' || r == ')' || r == ' ' {
			flush()
			out.WriteRune(r)
			continue
		}
		word.WriteRune(r)
	}
	flush()
	return out.String()
}

// FuzzHostileNames compares all engines on random games whose names collide with names of parts, and with the
// same games by other names.
func FuzzHostileNames(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range exhaustive.Choose(fuzzSeeds/16, fuzzSeeds/2) {
		draws := make([]byte, fuzzBytes)
		for i := range draws {
			draws[i] = byte(rng.Uint32())
		}
		f.Add(draws)
	}
	arities := strings.NewReplacer("(even ", "(r1 ", "(odd ", "(path ", "(far ", "(p ") // with another number of arguments
	f.Fuzz(func(t *testing.T, draws []byte) {
		src := arities.Replace(randomGame(draws))
		tree := must.Get(gdl.Parse("random", []byte(src)))(t)
		rng := rand.New(rand.NewPCG(uint64(len(src)), 7))
		names := newHostileNames(rng)
		text := gdl.Print(rewrite.Symbols(tree, names.rename))
		compareEngines(t, text)
		walkers := []*walker{
			newWalker(compileText(t, "random", []byte(src)), same, rng), newWalker(compileText(t, "renamed", []byte(text)), names.restore, rng),
		}
		if err := lockstep(walkers, rng, fuzzSteps); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	})
}
