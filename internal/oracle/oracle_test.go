package oracle_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/oracle"
)

var (
	sheets  = flag.Int("oracle.sheets", 25, "number of random rulesheets that are compared with the oracle")
	seed    = flag.Uint64("oracle.seed", 1, "the first seed")
	shrinks = flag.Bool("oracle.shrink", true, "leave out clauses of rulesheets that fail")
	first   = flag.Bool("oracle.first", false, "stop at the first rulesheet that fails")
	keep    = flag.String("oracle.keep", "", "folder for the shrunk rulesheets that fail")
)

// limit bounds the positions of a rulesheet that is compared.
const limit = 1500

// fewest is the number of positions below which a rulesheet is drawn anew, mostly.
const fewest = 12

// drawSheet draws the rulesheet of a seed.
func drawSheet(seed uint64) (family, text string, game *oracle.Game) {
	f := families[seed%uint64(len(families))]
	for try := range uint64(6) {
		d := &draft{Rand: rand.New(rand.NewPCG(seed, try))}
		f.draw(d)
		text = d.text()
		if game, _ = oracle.New(text, limit); game != nil && len(game.Positions) >= fewest {
			break
		}
	}
	return f.name, text, game
}

func TestRandomRulesheetsAreAnsweredAsByTheOracle(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches small games; the tests of crews look at goroutines")
	kinds, compared := make(map[string][]uint64), 0
	for s := *seed; s < *seed+uint64(*sheets) && !(*first && t.Failed()); s++ {
		family, text, game := drawSheet(s)
		c := compare(t.Context(), text, game, s, nil)
		if c == nil {
			continue
		}
		compared++
		for _, f := range c.faults {
			if kinds[f.kind] = append(kinds[f.kind], s); len(kinds[f.kind]) > 1 {
				continue
			}
			shrunk, last := text, f
			if *shrinks {
				shrunk, last = shrink(t.Context(), text, s, f)
			}
			t.Errorf("seed %d, family %s: %s: %s\n%s", s, family, f.kind, last.text, shrunk)
			if *keep != "" {
				name := strings.NewReplacer(" ", "-", ":", "").Replace(f.kind) + ".kif"
				comment := "; " + f.kind + ": " + strings.ReplaceAll(last.text, "\n", "\n; ") + "\n"
				must.OK(t, os.WriteFile(filepath.Join(*keep, name), []byte(comment+shrunk), 0o644))
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("%5d × %s, first %d", len(kinds[kind]), kind, kinds[kind][0])
	}
	t.Logf("%d of %d rulesheets compared", compared, *sheets)
}

// shrink leaves out clauses as long as a fault stays.
func shrink(ctx context.Context, text string, seed uint64, f fault) (string, fault) {
	fails := func(text string) bool {
		game, err := oracle.New(text, limit)
		if err != nil {
			return false
		}
		c := compare(ctx, text, game, seed, func(kind string) bool { return kind == f.kind })
		if c == nil || len(c.faults) == 0 {
			return false
		}
		f = c.faults[0]
		return true
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for again := true; again; {
		again = false
		for i := len(lines) - 1; i >= 0; i-- {
			if less := slices.Delete(slices.Clone(lines), i, i+1); fails(strings.Join(less, "\n")) {
				lines, again = less, true
			}
		}
	}
	return fmt.Sprintln(strings.Join(lines, "\n")), f
}
