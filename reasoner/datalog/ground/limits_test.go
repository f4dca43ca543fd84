package ground

import (
	"context"
	"errors"
	"strings"
	"testing"

	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
)

func TestLimitsAreNamedWithTheRuleThatExplodes(t *testing.T) {
	for name, lim := range map[string]datalog.Limits{
		"tuples": {MaxTuples: 1000}, "possible atoms": {MaxAtoms: 1000}, "bytes": {MaxBytes: 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			g := gametest.Load(t, "explosive.kif", gametest.Explosive)
			_, err := New(context.Background(), g, lim)
			gametest.CheckLimit(t, err, name)
		})
	}
	t.Run("rule instances", func(t *testing.T) {
		g := gametest.Load(t, "explosive.kif", strings.ReplaceAll(gametest.Explosive, " (digit ?f)", "(true (n ?f))"))
		_, err := New(context.Background(), g, datalog.Limits{MaxInstances: 1000})
		gametest.CheckLimit(t, err, "rule instances")
	})
}

func TestTermsThatGrowAreNoGroundProgram(t *testing.T) {
	g := gametest.Load(t, "terms.kif", gametest.Growing)
	if _, err := New(context.Background(), g, datalog.Limits{}); !errors.Is(err, datalog.ErrLimit) || !strings.Contains(err.Error(), "function terms") {
		t.Errorf("error is %v, want that there are too many function terms", err)
	}
}

func TestGroundingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := gametest.Load(t, "explosive.kif", gametest.Explosive)
	if _, err := New(ctx, g, datalog.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}
