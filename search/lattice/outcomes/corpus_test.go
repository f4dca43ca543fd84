package outcomes

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// enumerated bounds the positions of a game that is compared with full enumeration.
const enumerated = 300_000

func TestOutcomesOfBuiltInGamesAreThoseOfFullEnumeration(t *testing.T) {
	for _, name := range []string{"trio-3x3", "prisonersDilemma", "nim-2.3", "ticTacToe"} {
		m := gamestest.Machine(t, name)
		e, whole := enumerate(t, m, enumerated)
		if !whole {
			t.Fatalf("%s is too large", name)
		}
		checkOutcomes(t, m, solve(t, m, search.Limits{}), e)
	}
}

// generalSum are rulesheets of the corpus in which one role can win without another role losing as much, with the number of undominated
// outcomes.
var generalSum = map[string]int{
	"ad_game_2x2":     3,
	"gt_centipede":    2,
	"gt_coordination": 1,
	"gt_prisoner":     41,
	"gt_staghunt":     1,
	"gt_tinfoil":      101,
}

func TestOutcomesOfGeneralSumRulesheetsAreThoseOfFullEnumeration(t *testing.T) {
	exhaustive.Only(t, "takes seconds")
	for name, outcomes := range generalSum {
		t.Run(name, func(t *testing.T) {
			m := rulesheet(t, name)
			r := solve(t, m, search.Limits{})
			e, whole := enumerate(t, m, enumerated)
			if !whole {
				t.Fatalf("more than %d positions", enumerated)
			}
			checkOutcomes(t, m, r, e)
			sums := make(map[int32]bool)
			for _, goals := range e.ends {
				sum := int32(0)
				for _, g := range goals {
					sum += g
				}
				sums[sum] = true
			}
			if len(sums) == 1 {
				t.Error("the goals have a constant sum")
			}
			if len(r.Outcomes.List) != outcomes {
				t.Errorf("%d undominated outcomes, want %d", len(r.Outcomes.List), outcomes)
			}
		})
	}
}

func rulesheet(t *testing.T, name string) machine.Machine {
	t.Helper()
	rules, _ := must.Get2(gdl.Load(t.Context(), name, corpus.Source(t, name)))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return must.Get(reasoner.New(ctx, rules, reasoner.Options{Memory: 1 << 30}))(t)
}

// TestSurvey prints the result of the search for every rulesheet of the corpus, after a few seconds each: STACKMATE_OUTCOMES_SURVEY=1.
func TestSurvey(t *testing.T) {
	if os.Getenv("STACKMATE_OUTCOMES_SURVEY") == "" {
		t.Skip("STACKMATE_OUTCOMES_SURVEY is not set")
	}
	for _, sheet := range corpus.Rulesheets(t) {
		t.Run(sheet.Name, func(t *testing.T) {
			m := rulesheet(t, sheet.Name)
			if len(m.Names().Players()) < 2 {
				t.Skip("one player")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			r, err := Searcher{}.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: 1 << 30})
			if err != nil {
				t.Skip(err)
			}
			sums := make(map[int32]bool)
			var goals [][]int32
			for _, o := range r.Outcomes.List {
				sum := int32(0)
				for _, g := range o.Goals {
					sum += g
				}
				sums[sum] = true
				goals = append(goals, o.Goals)
			}
			whole := false
			if r.Solved() {
				var e *everything
				if e, whole = enumerate(t, m, enumerated); whole {
					checkOutcomes(t, m, r, e)
				}
			}
			fmt.Printf("%s: solved %t, %d roles, %d sums, outcomes %v, values %v, %d nodes, %.2f s, enumerated %t\n",
				sheet.Name, r.Solved(), len(r.Values), len(sums), goals, r.Values, r.Nodes, r.Elapsed.Seconds(), whole)
		})
	}
}
