package reasoner_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// BenchmarkPlans reports the goals that plans reach in the games for one role of the corpus, or in the games
// that -corpus.games names. Each game gets the processor time of -corpus.budget, 10 s by default, counted
// from reading the rules; -corpus.table prints a line for each game.
func BenchmarkPlans(b *testing.B) {
	budget, filter := *corpusBudget, regexp.MustCompile(*corpusGames)
	if budget == 0 {
		budget = 10 * time.Second
	}
	for b.Loop() {
		games, best, settled := 0, 0, 0
		for _, sheet := range corpus.Rulesheets(b) {
			if !filter.MatchString(sheet.Name) {
				continue
			}
			plan, ok := planSheet(b, sheet.Name, budget)
			if !ok {
				continue
			}
			games++
			if plan.Goal == 100 {
				best++
			}
			if plan.Goal >= plan.Bound {
				settled++
			}
		}
		b.ReportMetric(float64(games), "games")
		b.ReportMetric(float64(best), "at-100")
		b.ReportMetric(float64(settled), "proved-best")
	}
}

// planSheet looks for a plan of one rulesheet; false if several roles choose.
func planSheet(b *testing.B, name string, budget time.Duration) (facts.Plan, bool) {
	began := cputime.Now()
	rules := readRules(b, name, corpus.Source(b, name))
	if len(rules.Roles) != 1 {
		return facts.Plan{}, false
	}
	ctx, cancel := withProcessorTime(b.Context(), began+budget)
	defer cancel()
	m, err := reasoner.New(ctx, rules, reasoner.Options{})
	if err != nil {
		fmt.Printf("%-30s %v\n", name, err)
		return facts.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}, true
	}
	compiled, at := cputime.Now()-began, cputime.Now()-began
	plan := facts.Plan{Goal: machine.NoGoal, Bound: machine.MaxGoal}
	plan, err = facts.FindPlan(ctx, m, m.Initial(), facts.PlanLimits{MaxBytes: 2 << 30, Progress: func(p facts.Plan) {
		if p.Goal > plan.Goal {
			plan.Goal, at = p.Goal, cputime.Now()-began
		}
	}})
	if *corpusTable {
		fmt.Printf("%-30s goal %3d, at most %3d, %3d joint moves; compiled %4.1f s, found %4.1f s, ended %4.1f s\n", name,
			plan.Goal, plan.Bound, len(plan.Line), compiled.Seconds(), at.Seconds(), (cputime.Now() - began).Seconds())
	}
	if err != nil {
		fmt.Printf("%-30s %v\n", name, err)
	}
	return plan, true
}

// withProcessorTime returns a context that ends after the given processor time of the process.
func withProcessorTime(ctx context.Context, end time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil && cputime.Now() < end {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	return ctx, cancel
}
