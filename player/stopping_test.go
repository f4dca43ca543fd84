package player

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
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

var stoppingCorpus = flag.String("stopping.corpus", "", "measure how long searches go on after their context has ended, in rulesheets of the corpus whose names match this regular expression")

// TestSearchesOfTheCorpusStop measures, for every search that the player runs in a game, the longest processor time from the end
// of its context to its return. Processor time speaks of the search alone where other work is on the machine.
func TestSearchesOfTheCorpusStop(t *testing.T) {
	if *stoppingCorpus == "" {
		t.Skip("a measurement: -stopping.corpus=.")
	}
	named := regexp.MustCompile(*stoppingCorpus)
	type row struct {
		game, search string
		longest      time.Duration
		where        string
	}
	var rows []row
	for _, sheet := range corpus.Rulesheets(t) {
		if !named.MatchString(sheet.Name) {
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
			longest, where := stopping(t, m, s)
			rows = append(rows, row{sheet.Name, name, longest, where})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.longest, a.longest) })
	for _, r := range rows {
		fmt.Printf("%8.2f ms  %-10s %-24s %s\n", r.longest.Seconds()*1000, r.search, r.game, r.where)
	}
}

// stopping returns the longest processor time from the end of the context of a search to its return, and the functions on the stacks
// when slowStop of that time had passed. The context ends at various times.
func stopping(t *testing.T, m machine.Machine, s search.Searcher) (longest time.Duration, where string) {
	for _, after := range []time.Duration{3, 0, 7, 23, 61, 13, 41, 97, 29, 151, 17, 5} {
		ctx, cancel := context.WithCancel(t.Context())
		returned, ended, stacks := make(chan struct{}), make(chan time.Duration, 1), make(chan string, 1)
		go func() {
			awaitProcessor(returned, after*time.Millisecond)
			cancel()
			ended <- cputime.Now()
			if awaitProcessor(returned, slowStop) {
				all := make([]byte, 1<<20)
				stacks <- inSearch(string(all[:runtime.Stack(all, true)]))
			}
			close(stacks)
		}()
		_, err := s.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: 200 << 20})
		at, isOver := cputime.Now(), ctx.Err() == nil
		if close(returned); err != nil {
			t.Logf("%v", err)
		}
		took, seen := at-<-ended, <-stacks
		if isOver {
			return longest, where // it has found everything
		}
		if took > longest {
			longest, where = took, seen
		}
	}
	return longest, where
}

// slowStop is the processor time within which a search should return.
const slowStop = 5 * time.Millisecond

// awaitProcessor returns when the process has taken so much processor time, or false when over is closed before.
func awaitProcessor(over <-chan struct{}, work time.Duration) bool {
	for began := cputime.Now(); cputime.Now()-began < work; {
		select {
		case <-over:
			return false
		case <-time.After(500 * time.Microsecond):
		}
	}
	return true
}

// inSearch returns the functions of the packages of searches on the stacks, the innermost first.
func inSearch(stacks string) string {
	var names []string
	for _, line := range strings.Split(stacks, "\n") {
		if name, ok := strings.CutPrefix(line, "stackmate/"); ok && !strings.HasPrefix(name, "player") && !strings.HasPrefix(name, "internal") {
			name = name[:strings.LastIndexByte(name, '(')]
			names = append(names, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	return strings.Join(names, " < ")
}
