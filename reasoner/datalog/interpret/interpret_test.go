package interpret

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
)

func newMachine(t testing.TB, g *gdl.Game) machine.Machine {
	t.Helper()
	return must.Get(New(context.Background(), g, datalog.Limits{}))(t)
}

func TestMachinesOfRandomGamesMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, oracle := gametest.DrawGame(t, gametest.RandomGame)
		gametest.Agree(t, []machine.Machine{oracle, must.Get(New(context.Background(), g, datalog.Limits{}))(t)}, 1, 12)
	})
}

func TestMachinesKnowRelationsThatBecameStatic(t *testing.T) {
	g := gametest.Load(t, "fixed", gametest.BecomesStatic)
	gametest.Agree(t, []machine.Machine{gametest.OracleOf(t, g), newMachine(t, g)}, 1, 12)
}

func TestMachinesReplayTheCorpus(t *testing.T) {
	for _, name := range gametest.Rulesheets(t, 1) {
		t.Run(name, func(t *testing.T) {
			g := gametest.LoadRulesheet(t, name)
			start := time.Now()
			m, err := New(context.Background(), g, datalog.Limits{})
			gametest.SkipTooLarge(t, err)
			t.Logf("%.2f s, %d rules, %d bytes", time.Since(start).Seconds(), m.Info().Gates, m.Info().Bytes)
			gametest.Replay(t, name, m)
		})
	}
}

func TestMachinesNameTheLimitWithTheRuleThatExplodes(t *testing.T) {
	for name, lim := range map[string]datalog.Limits{
		"tuples": {MaxTuples: 1000}, "possible atoms": {MaxAtoms: 1000}, "bytes": {MaxBytes: 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(context.Background(), gametest.Load(t, "explosive.kif", gametest.Explosive), lim)
			gametest.CheckLimit(t, err, name)
		})
	}
}

func TestTermsMayGrow(t *testing.T) {
	newMachine(t, gametest.Load(t, "terms.kif", gametest.Growing))
}

func TestMakingAMachineStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, gametest.Load(t, "explosive.kif", gametest.Explosive), datalog.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}

func TestOnlyPositionsWithinTheMemoryHaveMoves(t *testing.T) {
	const src = `(role r) (init (n 0)) (succ 0 1) (succ 1 2) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
		(<= (legal r (say ?a ?b ?c ?d ?e ?f)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (true (n 1)))
		(legal r wait) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (goal r 0) (<= terminal (true (n 2)))`
	m := must.Get(New(context.Background(), gametest.Load(t, "src.kif", src), datalog.Limits{MaxTuples: 1000}))(t)
	b := m.NewBatch()
	for range 2 {
		b.Fill(m.Initial(), nil)
		if b.Evaluate(1); b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 != 0 {
			t.Fatal("the initial position has no moves")
		}
		b.Choose(0, 0, b.AppendLegal(nil, 0, 0)[0])
		b.Advance(1)
		if b.Evaluate(1); b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 == 0 {
			t.Error("15 625 moves are found within 1 000 tuples")
		}
	}
}

// A list of moves of which some have no number is not taken for all legal moves.
func TestMovesWithoutRoomForTheirNamesLoseThePosition(t *testing.T) {
	const src = `(role r) (init (n 0)) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
		(<= (legal r (say ?a ?b ?c ?d)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (true (n 1)))
		(legal r wait) (<= (next (n 1)) (true (n 0))) (<= (next (n 2)) (true (n 1))) (goal r 0) (<= terminal (true (n 2)))`
	for room, want := range map[int64]int{1 << 20: 626, 1 << 12: 0} {
		shared := must.Get(newSharedRules(t.Context(), gametest.Load(t, "src.kif", src), datalog.Limits{}, ""))(t)
		must.OK(t, shared.open())
		shared.vocabulary.maxBytes = room
		m := scalar.New(shared.names, shared.initial, machine.Info{}, func() scalar.Stepper { return newStepper(shared, shared.theory.Watch) })
		b := m.NewBatch()
		b.Fill(m.Initial(), nil)
		b.Evaluate(1)
		b.Choose(0, 0, b.AppendLegal(nil, 0, 0)[0])
		b.Advance(1)
		b.Evaluate(1)
		if got, err := len(b.AppendLegal(nil, 0, 0)), machine.Unknown(b, 0); got != want || (err != nil) != (want == 0) {
			t.Errorf("%d bytes: %d moves, error %v, want %d", room, got, err, want)
		}
	}
}

// machineWithout returns the machine of a game without a pass.
func machineWithout(t rapid.TB, g *gdl.Game, name string) machine.Machine {
	t.Helper()
	shared, err := newSharedRules(context.Background(), g, datalog.Limits{}, name)
	if err != nil {
		t.Fatalf("without %s: %v", name, err)
	}
	if err := shared.open(); err != nil {
		t.Fatalf("without %s: %v", name, err)
	}
	return scalar.New(shared.names, shared.initial, machine.Info{}, func() scalar.Stepper { return newStepper(shared, shared.theory.Watch) })
}

func TestEachPassOfMachinesCanBeLeftOut(t *testing.T) {
	exhaustive.FewerDraws(t)
	for name, source := range map[string]func(*rapid.T) string{"random": gametest.RandomGame, "rewritable": gametest.Rewritable, "composed": gametest.Composed} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g, oracle := gametest.DrawGame(t, source)
				machines := []machine.Machine{oracle}
				for _, name := range []string{"constants", "linear", "reduce", "magic"} {
					if rapid.IntRange(1, exhaustive.Choose(12, 3)).Draw(t, "left out") == 1 {
						machines = append(machines, machineWithout(t, g, name))
					}
				}
				gametest.Agree(t, machines, 1, 8)
			})
		})
	}
}

func TestEachPassOfMachinesCanBeLeftOutOfRulesheets(t *testing.T) {
	for _, name := range []string{"ticTacToe", "connectFour", "blocker", "eightPuzzle", "biddingTicTacToe", "nim1"} {
		t.Run(name, func(t *testing.T) {
			g := gametest.LoadRulesheet(t, name)
			machines := []machine.Machine{newMachine(t, g)}
			for _, name := range []string{"constants", "linear", "reduce", "magic"} {
				machines = append(machines, machineWithout(t, g, name))
			}
			gametest.Agree(t, machines, 1, 12)
		})
	}
}

// BenchmarkNew makes the machine of each rulesheet of the corpus.
func BenchmarkNew(b *testing.B) {
	for _, name := range gametest.Rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			g := gametest.LoadRulesheet(b, name)
			for b.Loop() {
				_, err := New(context.Background(), g, datalog.Limits{})
				gametest.SkipTooLarge(b, err)
			}
		})
	}
}

// BenchmarkPlayouts plays random matches on one thread.
func BenchmarkPlayouts(b *testing.B) {
	for _, name := range gametest.Rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			m, err := New(context.Background(), gametest.LoadRulesheet(b, name), datalog.Limits{})
			gametest.SkipTooLarge(b, err)
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
