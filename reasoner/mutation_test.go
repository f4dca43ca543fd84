package reasoner_test

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/guard"
	"stackmate/reasoner"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prover"
)

// STACKMATE_MUTATIONS is the number of mutated rulesheets; few by default.
const mutations = "STACKMATE_MUTATIONS"

// tokens matches the parts of a rulesheet that mutation exchanges.
var tokens = regexp.MustCompile(`[()]|[^\s()]+|\s+`)

// mutate changes a rulesheet in a few places: tokens are deleted, doubled, swapped
// or replaced by others, a symbol is renamed everywhere, the end is cut off.
func mutate(src string, rng *rand.Rand) string {
	list := tokens.FindAllString(src, -1)
	for range 1 + rng.IntN(4) {
		if len(list) < 2 {
			break
		}
		i, j := rng.IntN(len(list)), rng.IntN(len(list))
		switch rng.IntN(6) {
		case 0:
			list = append(list[:i:i], list[i+1:]...)
		case 1:
			list = append(list[:i:i], append([]string{list[i], " "}, list[i:]...)...)
		case 2:
			list[i], list[j] = list[j], list[i]
		case 3:
			list[i] = list[j]
		case 4:
			from, to := list[i], list[j]
			for k := range list {
				if list[k] == from && strings.TrimSpace(from) != "" {
					list[k] = to
				}
			}
		case 5:
			if rng.IntN(4) == 0 {
				list = list[:i]
			}
		}
	}
	return strings.Join(list, "")
}

// countFrom returns the number in an environment variable, if it is set.
func countFrom(t testing.TB, variable string, plain int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return plain
	}
	count, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return count
}

func TestMutatedRulesheetsAreRefusedOrPlayed(t *testing.T) {
	count := 30
	if !exhaustive.On() {
		count = 10
	}
	count = countFrom(t, mutations, count)
	sheets := corpus.Rulesheets(t)
	rng := rand.New(rand.NewPCG(7, 7))
	valid, compiled := 0, 0
	for range count {
		sheet := sheets[rng.IntN(len(sheets))]
		src := mutate(string(corpus.Source(t, sheet.Name)), rng)
		err := guard.Do(func() error {
			g, _, err := gdl.Load(t.Context(), sheet.Name, []byte(src))
			if err != nil {
				return nil
			}
			valid++
			if tryGame(t, g) {
				compiled++
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v\n%s", sheet.Name, err, src)
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d rulesheets, %d valid, %d compiled; %d MiB of heap", count, valid, compiled, m.HeapAlloc>>20)
	if m.HeapAlloc > 256<<20 {
		t.Errorf("%d MiB of heap are kept", m.HeapAlloc>>20)
	}
}

// tryGame plays a little with the prover and with a compiled machine, and reports whether a machine was
// compiled.
func tryGame(t *testing.T, g *gdl.Game) bool {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	p := prover.New(g)
	if fluents, err := p.Initial(ctx); err == nil {
		for _, r := range g.Roles {
			_, _ = p.Legal(ctx, fluents, r.String(), 1)
			_, _ = p.Goal(ctx, fluents, r.String())
		}
	}
	m, err := reasoner.New(t.Context(), g, reasoner.Options{Budget: time.Second, Memory: 256 << 20})
	if err != nil {
		return false
	}
	if !m.Info().Parallel { // 64 lanes at once may take these long
		m.NewBatch().Evaluate(1)
		return true
	}
	plays := play.NewPlayouts(m, m.Initial(), 1)
	for range 20 {
		plays.Step()
	}
	return true
}
