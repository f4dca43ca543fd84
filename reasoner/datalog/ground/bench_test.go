package ground

import (
	"context"
	"testing"

	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
)

// BenchmarkGround grounds each rulesheet of the corpus and reports the size of
// the program.
func BenchmarkGround(b *testing.B) {
	for _, name := range gametest.Rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			g := gametest.LoadRulesheet(b, name)
			for b.Loop() {
				p, err := New(context.Background(), g, datalog.Limits{})
				gametest.SkipTooLarge(b, err)
				b.ReportMetric(float64(p.Atoms), "atoms")
				b.ReportMetric(float64(len(p.Head)), "rules")
				b.ReportMetric(float64(len(p.Body)), "literals")
			}
		})
	}
}
