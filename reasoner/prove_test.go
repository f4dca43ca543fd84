package reasoner_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/plan"
	proofs "stackmate/reasoner/prove"
	"stackmate/reasoner/reference"
)

var proofGames = flag.Int("proofs.games", 0, "number of random games that plans, invariants and proofs are compared on with enumeration")

// howMany returns the number of random games of a test: all, or fewer with -short.
func howMany(games, short int) int {
	switch {
	case *proofGames > 0:
		return *proofGames
	case !exhaustive.On():
		return short
	}
	return games
}

// reachable calls f on every position that can be reached, once.
func reachable(m machine.Machine, f func(s machine.State, terminal bool, goals []int32)) {
	x := play.NewExpander(m)
	seen := map[string]bool{}
	var visit func(s machine.State)
	visit = func(s machine.State) {
		key := strings.Join(m.Names().AppendFluents(nil, s), "\n")
		if seen[key] {
			return
		}
		seen[key] = true
		terminal, goals := x.Look(s)
		f(s, terminal, goals)
		var e play.Expansion
		if terminal || x.Expand(&e, s) != nil {
			return
		}
		for c := range e.Children {
			visit(append(machine.State(nil), e.Child(c)...))
		}
	}
	visit(m.Initial())
}

func TestPlansOfRandomGamesHaveTheBestGoalThatCanBeReached(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	games := howMany(300, 80)
	solved := 0
	for range games {
		g, m := randomMachine(t, rng, 1)
		best := machine.NoGoal
		reachable(m, func(_ machine.State, terminal bool, goals []int32) {
			if terminal {
				best = max(best, goals[0])
			}
		})
		p := must.Get(plan.New(g, m))(t)
		plan := must.Get(p.Plan(t.Context(), m.Initial(), facts.PlanLimits{MaxBytes: 1 << 28}))(t)
		if plan.Goal > best || plan.Bound < best {
			t.Fatalf("best goal %d, found a plan of %d and a bound of %d", best, plan.Goal, plan.Bound)
		}
		if plan.Goal == plan.Bound {
			solved++
		}
	}
	if solved < games*95/100 {
		t.Errorf("%d of %d games are solved", solved, games)
	}
}

// randomMachine compiles a random game of so many roles.
func randomMachine(t *testing.T, rng *rand.Rand, roles int) (*circuit.Game, machine.Machine) {
	for {
		draws := make([]byte, 400)
		for i := range draws {
			draws[i] = byte(rng.UintN(256))
		}
		draws[0] = byte(roles - 1)
		rules, ds, err := gdl.Load(t.Context(), "random", []byte(randomGame(draws)))
		if err != nil || len(ds.Errors()) > 0 {
			continue
		}
		g := must.Get(reasoner.Circuit(t.Context(), rules, reasoner.Options{}))(t)
		m := must.Get(g.Compile(context.Background(), circuit.Options{Kernel: kernel.Portable64}))(t)
		return g.Game, m
	}
}

func TestInvariantsOfRandomGamesHoldWhereverTheyLead(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	games := howMany(150, 40)
	for n := range games {
		g, m := randomMachine(t, rng, 1+n%3)
		var inv *proofs.Invariants
		for found := range proofs.FindInvariants(t.Context(), g, m, 1<<28, true) {
			inv = found
		}
		reachable(m, func(s machine.State, _ bool, _ []int32) {
			if !inv.Holds(s) {
				t.Fatalf("an invariant fails in the position %v", m.Names().AppendFluents(nil, s))
			}
		})
	}
}

func TestPlansSolveThePuzzlesThatFillABoard(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	checkPlans(t, "sudokuGrade2", "sudokuGrade5", "futoshiki5", "futoshiki6", "hidato19", "hidato37", "queens12ug", "nonogram_5x5_1")
}

func TestPlansOfManyStepsAreFoundWithoutTheClock(t *testing.T) {
	checkPlans(t, "hanoi7_bugfix", "mummymaze1p", "pancakes")
}

func TestPlansOfToursAreFoundByTheNumberOfMoves(t *testing.T) {
	checkPlans(t, "knightmove", "knightsTourLarge", "queens31lg", "snakeParallel")
}

func TestPlansOfLongWaysAreFoundByPatterns(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	checkPlans(t, "rubiksCubeSuperflip")
}

// checkPlans looks for plans with goal 100 in games of the corpus.
func checkPlans(t *testing.T, names ...string) {
	for _, name := range names {
		rules := readRules(t, name, corpus.Source(t, name))
		m := newMachine(t, rules, reasoner.Options{})
		plan, err := facts.FindPlan(t.Context(), m, m.Initial(), facts.PlanLimits{MaxBytes: 1 << 30})
		if err != nil || plan.Goal != 100 {
			t.Errorf("%s: a plan of %d, %v", name, plan.Goal, err)
		}
	}
}

func TestAPlanStopsWithItsContextAndWithinItsMemory(t *testing.T) {
	rules := readRules(t, "rubiksCubeSuperflip", corpus.Source(t, "rubiksCubeSuperflip"))
	m := newMachine(t, rules, reasoner.Options{})
	planner := m
	if _, err := facts.FindPlan(t.Context(), planner, m.Initial(), facts.PlanLimits{MaxBytes: 1 << 10}); !errors.Is(err, proofs.ErrMemory) {
		t.Errorf("a kilobyte: expected that the formula does not fit, found %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	plan, err := facts.FindPlan(ctx, planner, m.Initial(), facts.PlanLimits{MaxBytes: 1 << 28})
	if err != nil || plan.Bytes > 1<<28 || plan.Bound < 50 {
		t.Errorf("found %v, %v", plan, err)
	}
}

// seenPosition is the answer of a machine about a position.
type seenPosition struct {
	terminal bool
	legal    []int // moves, by role
	goals    []int32
}

func lookAt(b machine.Batch, roles int) seenPosition {
	b.Evaluate(1)
	p := seenPosition{terminal: b.Terminal()[0]&1 != 0, legal: make([]int, roles), goals: make([]int32, roles)}
	b.Goals(p.goals, 0)
	for r := range roles {
		p.legal[r] = len(b.AppendLegal(nil, 0, machine.Role(r)))
	}
	return p
}

// breaks reports whether the property of a finding fails in a position, given the previous position if there
// is one.
func breaks(t testing.TB, property string, names *machine.Names, now seenPosition, before *seenPosition) bool {
	sum, choosers, stuck, fallen := 0, 0, false, false
	for _, r := range names.Players() {
		sum += int(max(now.goals[r], 0))
		if now.legal[r] > 1 {
			choosers++
		}
	}
	for r := range names.Roles {
		stuck = stuck || now.legal[r] == 0
		fallen = fallen || before != nil && max(now.goals[r], 0) < before.goals[r]
	}
	var total int
	switch {
	case property == "every role has a legal move until the end":
		return !now.terminal && stuck
	case property == "every role has one goal at the end":
		return now.terminal && slices.Contains(now.goals, machine.NoGoal)
	case property == "at most one player has a choice":
		return !now.terminal && choosers > 1
	case property == "no goal ever falls":
		return fallen
	}
	if _, err := fmt.Sscanf(property, "the goals of the players add up to %d at the end", &total); err != nil {
		t.Fatalf("no property %q", property)
	}
	return now.terminal && sum != total
}

// everywhere calls f on every position that can be reached and each from which it follows.
func everywhere(m machine.Machine, f func(now seenPosition, before *seenPosition)) {
	roles := len(m.Names().Roles)
	b := m.NewNarrowBatch()
	at := func(s machine.State) seenPosition {
		b.Load(s, 1)
		return lookAt(b, roles)
	}
	f(at(m.Initial()), nil)
	x := play.NewExpander(m)
	reachable(m, func(s machine.State, terminal bool, _ []int32) {
		var e play.Expansion
		if terminal || x.Expand(&e, s) != nil {
			return
		}
		before := at(s)
		for c := range e.Children {
			f(at(e.Child(c)), &before)
		}
	})
}

func TestProofsAboutRandomGamesHoldAndRefutationsFail(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 3))
	games := howMany(75, 12)
	open, all := 0, 0
	for n := range games {
		g, m := randomMachine(t, rng, 1+n%3)
		findings := must.Get(proofs.Rules(t.Context(), g, m, proofs.Limits{MaxTime: time.Minute, MaxBytes: 1 << 28}))(t)
		findings = findings[1 : len(findings)-1] // the first speaks of the end, the last of groups
		fails := make([]bool, len(findings))
		everywhere(m, func(now seenPosition, before *seenPosition) {
			for i, f := range findings {
				fails[i] = fails[i] || breaks(t, f.Property, m.Names(), now, before)
			}
		})
		all += len(findings)
		for i, f := range findings {
			switch {
			case f.Verdict == proofs.Open:
				open++
			case (f.Verdict == proofs.Refuted) != fails[i]:
				t.Fatalf("%s: %s, but fails somewhere: %v", f.Property, f.Verdict, fails[i])
			}
		}
	}
	if open > all/20 {
		t.Errorf("%d of %d properties are open", open, all)
	}
}

func TestTheInterpreterConfirmsTheLinesThatRefute(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	for _, name := range []string{"biddingTicTacToe", "connectFourSimultaneous", "gt_prisoner", "ticTacToe", "checkersSmall", "blocker", "tron_10x10"} {
		rules := readRules(t, name, corpus.Source(t, name))
		findings, names, err := reasoner.Prove(t.Context(), rules, reasoner.Options{}, proofs.Limits{MaxTime: 2 * time.Second, MaxBytes: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		confirm(t, rules, findings, names)
	}
}

// confirm has the reference engine play the lines that refute.
func confirm(t testing.TB, rules *gdl.Game, findings []proofs.Finding, names *machine.Names) {
	m := must.Get(reference.New(t.Context(), rules))(t)
	for _, f := range findings[1:] {
		if f.Verdict != proofs.Refuted {
			continue
		}
		b := m.NewNarrowBatch()
		b.Fill(m.Initial(), nil)
		now := lookAt(b, len(names.Roles))
		var before *seenPosition
		for _, joint := range f.Line {
			for r, move := range joint {
				number, ok := m.Names().AddMove(machine.Role(r), names.MoveText(machine.Role(r), move))
				if !ok || !slices.Contains(b.AppendLegal(nil, 0, machine.Role(r)), number) {
					t.Fatalf("%s: %s is not legal", f.Property, names.MoveText(machine.Role(r), move))
				}
				b.Choose(0, machine.Role(r), number)
			}
			b.Advance(1)
			was := now
			before, now = &was, lookAt(b, len(names.Roles))
		}
		if !breaks(t, f.Property, m.Names(), now, before) {
			t.Errorf("%s holds after the line", f.Property)
		}
	}
}
