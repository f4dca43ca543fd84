package reasoner_test

import (
	"context"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/reasoner"
)

// BenchmarkLoads reports what making the machine of each rulesheet of the corpus takes, from
// the checked rules on: seconds of processor time.
func BenchmarkLoads(b *testing.B) {
	for _, sheet := range corpus.Rulesheets(b) {
		b.Run(sheet.Name, func(b *testing.B) {
			game, _, err := gdl.Load(b.Context(), sheet.Name, corpus.Source(b, sheet.Name))
			if err != nil {
				b.Fatal(err)
			}
			before := cputime.Now()
			for b.Loop() {
				if _, err := reasoner.New(context.Background(), game, reasoner.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cputime.Now()-before).Seconds()/float64(b.N), "cpu-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
