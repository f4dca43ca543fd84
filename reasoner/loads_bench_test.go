package reasoner_test

import (
	"context"
	"testing"
	"time"

	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/internal/must"
	"stackmate/reasoner"
)

// patience is a budget that no compilation exhausts, so that a busy machine does the same work.
const patience = 10 * time.Minute

// BenchmarkLoads reports the processor time, in seconds, of making the machine of each rulesheet of the
// corpus from the checked rules.
func BenchmarkLoads(b *testing.B) {
	for _, sheet := range corpus.Rulesheets(b) {
		b.Run(sheet.Name, func(b *testing.B) {
			game := readRules(b, sheet.Name, corpus.Source(b, sheet.Name))
			before := cputime.Now()
			for b.Loop() {
				must.Get(reasoner.New(context.Background(), game, reasoner.Options{Budget: patience}))(b)
			}
			b.ReportMetric((cputime.Now()-before).Seconds()/float64(b.N), "cpu-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
