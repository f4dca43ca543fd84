package datalog

import (
	"context"
	"testing"

	"stackmate/reasoner/machine/play"
)

// BenchmarkGround grounds each rulesheet of the corpus and reports the size of
// the program.
func BenchmarkGround(b *testing.B) {
	for _, name := range rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			g := loadRulesheet(b, name)
			for b.Loop() {
				p, err := Ground(context.Background(), g, Limits{})
				skipTooLarge(b, err)
				b.ReportMetric(float64(p.Signals), "signals")
				b.ReportMetric(float64(len(p.Head)), "rules")
				b.ReportMetric(float64(len(p.Body)), "literals")
			}
		})
	}
}

// BenchmarkNewMachine makes the machine of each rulesheet of the corpus.
func BenchmarkNewMachine(b *testing.B) {
	for _, name := range rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			g := loadRulesheet(b, name)
			for b.Loop() {
				_, err := NewMachine(context.Background(), g, Limits{})
				skipTooLarge(b, err)
			}
		})
	}
}

// BenchmarkPlayouts plays random matches on one thread.
func BenchmarkPlayouts(b *testing.B) {
	for _, name := range rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			m, err := NewMachine(context.Background(), loadRulesheet(b, name), Limits{})
			skipTooLarge(b, err)
			p := play.NewPlayouts(m, m.Initial(), 1)
			p.Step()
			p.States = 0
			for b.Loop() {
				p.Step()
			}
			b.ReportMetric(float64(p.States)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
