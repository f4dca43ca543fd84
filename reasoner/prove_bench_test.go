package reasoner_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	proofs "stackmate/reasoner/prove"
)

// BenchmarkProofs reports, by property, how many questions about all positions are decided, over the corpus
// or its games that -corpus.games names. Each rulesheet gets the processor time of -corpus.budget, 10 s by
// default, counted from reading the rules; -corpus.table prints a line for each. The wall time allowed is
// longer by the load during the previous rulesheet, so that other work on the machine does not count. The
// reference engine plays every line that refutes.
func BenchmarkProofs(b *testing.B) {
	budget, filter := *corpusBudget, regexp.MustCompile(*corpusGames)
	if budget == 0 {
		budget = 10 * time.Second
	}
	for b.Loop() {
		counts := map[string]*[3]int{} // by property: proved, refuted, open
		stretch := 1.5 * load()
		for _, sheet := range corpus.Rulesheets(b) {
			if filter.MatchString(sheet.Name) {
				began, took := time.Now(), cputime.Now()
				proveSheet(b, sheet.Name, budget, stretch, counts)
				if took = cputime.Now() - took; took > time.Second {
					stretch = 1.1 * float64(time.Since(began)) / float64(took)
				}
			}
		}
		for property, n := range counts {
			fmt.Printf("%-45s proved %3d  refuted %3d  open %3d\n", property, n[0], n[1], n[2])
		}
	}
}

// load returns the wall time per second of processor time.
func load() float64 {
	began, took := time.Now(), cputime.Now()
	for rng := machine.NewRand(1); cputime.Now()-took < 300*time.Millisecond; {
		rng.Uint64()
	}
	return float64(time.Since(began)) / float64(cputime.Now()-took)
}

// proveSheet proves properties of one rulesheet and adds up the results.
func proveSheet(b *testing.B, name string, budget time.Duration, stretch float64, counts map[string]*[3]int) {
	took := cputime.Now()
	rules := readRules(b, name, corpus.Source(b, name))
	ctx, cancel := withProcessorTime(b.Context(), took+budget)
	defer cancel()
	findings, names, err := reasoner.Prove(ctx, rules, reasoner.Options{}, proofs.Limits{MaxTime: time.Duration(stretch * float64(budget)), MaxBytes: 2 << 30})
	if err != nil && ctx.Err() == nil {
		fmt.Printf("%-36s %v\n", name, err)
	}
	verdicts := ""
	for _, f := range findings {
		property := regexp.MustCompile(`\d+`).ReplaceAllString(f.Property, "N")
		if counts[property] == nil {
			counts[property] = new([3]int)
		}
		counts[property][map[proofs.Verdict]int{proofs.Proved: 0, proofs.Refuted: 1, proofs.Open: 2}[f.Verdict]]++
		verdicts += strings.ToUpper(string(f.Verdict[:1]))
	}
	if *corpusTable {
		fmt.Printf("%-36s %-8s %5.1f s\n", name, verdicts, (cputime.Now() - took).Seconds())
	}
	if names != nil {
		confirm(b, rules, findings, names)
	}
}
