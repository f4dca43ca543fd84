package player

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

var stoppingCorpus = flag.String("stopping.corpus", "", "measure how long searches go on after their context has ended, in rulesheets of the corpus that match this pattern")

// TestSearchesOfTheCorpusStop measures, for every search that the player runs in a game, the longest processor time from the end
// of its context to its return. Processor time speaks of the search alone where other work is on the machine.
func TestSearchesOfTheCorpusStop(t *testing.T) {
	if *stoppingCorpus == "" {
		t.Skip("a measurement: -stopping.corpus=.")
	}
	type row struct {
		game, search string
		longest      time.Duration
	}
	var rows []row
	for _, sheet := range corpus.Rulesheets(t) {
		if *stoppingCorpus != "." && *stoppingCorpus != sheet.Name {
			continue
		}
		rules, _, err := gdl.Load(t.Context(), sheet.Name, corpus.Source(t, sheet.Name))
		if err != nil {
			continue
		}
		m, err := reasoner.New(t.Context(), rules, reasoner.Options{Budget: 30 * time.Second, Memory: 2 << 30})
		if err != nil {
			t.Logf("%s: %v", sheet.Name, err)
			continue
		}
		player := newThinker(setting{spec: spec{threads: 1, without: []string{learning}}, log: zerolog.Nop(), memory: &memory{total: 1 << 30, compiled: closed}, margins: NewMargins(0, 0)})
		player.prepare(t.Context(), position{machine: m, state: m.Initial()})
		for i, s := range append([]search.Searcher{player.sampler}, player.exact...) {
			name := "sampling"
			if i > 0 {
				name = player.methods[i-1]
			}
			longest := time.Duration(0)
			for _, after := range []time.Duration{0, 7, 23, 61} {
				longest = max(longest, stopping(t, m, s, after*time.Millisecond))
			}
			rows = append(rows, row{sheet.Name, name, longest})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.longest, a.longest) })
	for _, r := range rows {
		fmt.Printf("%8.2f ms  %-10s %s\n", r.longest.Seconds()*1000, r.search, r.game)
	}
}

// stopping returns the processor time that a search takes after its context has ended, which it does some time after its begin.
func stopping(t *testing.T, m machine.Machine, s search.Searcher, after time.Duration) (took time.Duration) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan time.Duration, 1)
	go func() {
		for began := cputime.Now(); cputime.Now()-began < after; {
			time.Sleep(time.Millisecond)
		}
		cancel()
		ended <- cputime.Now()
	}()
	if _, err := s.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: 200 << 20}); err != nil {
		t.Logf("%v", err)
	}
	if ctx.Err() == nil {
		return 0 // it had found everything before
	}
	return cputime.Now() - <-ended
}
