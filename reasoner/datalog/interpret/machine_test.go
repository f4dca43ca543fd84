package interpret

import (
	"slices"
	"sync"
	"testing"

	"stackmate/internal/guard"
	"stackmate/internal/must"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// walk has recursion, negation, function terms and simultaneous moves: two
// tokens on a ring, joined by the paths between marked places.
const walk = `
(role a) (role b)
(init (at a 1)) (init (at b 3)) (init (step 0))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 1)
(tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5)
(<= (path ?x ?y) (after ?x ?y) (true (at ?r ?x)))
(<= (path ?x ?z) (path ?x ?y) (after ?y ?z) (not (taken ?z)))
(<= (taken ?x) (true (at ?r ?x)))
(<= (legal ?r (go ?y)) (true (at ?r ?x)) (path ?x ?y))
(<= (legal ?r stay) (role ?r))
(<= (next (at ?r ?y)) (does ?r (go ?y)))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r stay))
(<= (next (step ?y)) (true (step ?x)) (tick ?x ?y))
(<= met (true (at a ?x)) (true (at b ?x)))
(<= (goal ?r 100) (role ?r) met)
(<= (goal ?r 20) (role ?r) (not met))
(<= terminal met)
(<= terminal (true (step 5)))
`

func newWalk(t testing.TB) machine.Machine {
	t.Helper()
	return newMachine(t, gametest.Load(t, "walk.kif", walk))
}

func TestMachinesAgreeWithTheOracleOnRecursionAndSimultaneousMoves(t *testing.T) {
	g := gametest.Load(t, "walk.kif", walk)
	gametest.Agree(t, []machine.Machine{gametest.OracleOf(t, g), newMachine(t, g)}, 3, 200)
}

func TestPlayoutsAllocateNothingAfterWarmUp(t *testing.T) {
	m := newWalk(t)
	p := play.NewPlayouts(m, m.Initial(), 1)
	for range 200 {
		p.Step()
	}
	if n := testing.AllocsPerRun(50, p.Step); n != 0 {
		t.Errorf("a step of all lanes allocates %v times", n)
	}
}

func TestBatchesOfOneMachineRunInParallel(t *testing.T) {
	m := newWalk(t)
	var states [4]int64
	var group sync.WaitGroup
	for i := range states {
		group.Go(func() {
			p := play.NewPlayouts(m, m.Initial(), 7)
			for range 50 {
				p.Step()
			}
			states[i] = p.Goals()[0]
		})
	}
	group.Wait()
	for i, got := range states {
		if got != states[0] {
			t.Errorf("batch %d collects %d goal points, batch 0 %d, from the same seed", i, got, states[0])
		}
	}
}

func TestTheSameRulesGiveTheSameMachine(t *testing.T) {
	first, second := newWalk(t), newWalk(t)
	p, q := play.NewPlayouts(first, first.Initial(), 9), play.NewPlayouts(second, second.Initial(), 9)
	for range 50 {
		p.Step()
		q.Step()
	}
	if p.States != q.States || p.Goals()[0] != q.Goals()[0] {
		t.Errorf("%d states and %d goal points, then %d and %d", p.States, p.Goals()[0], q.States, q.Goals()[0])
	}
}

func TestLargeStaticRelationsAreAnsweredOnDemand(t *testing.T) {
	src := `
(role r) (init (n 1)) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4)
(digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(<= (row (list ?a (list ?b (list ?c (list ?d (list ?e (list ?f nil)))))))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f))
(ends (list 1 (list 2 (list 3 (list 4 (list 5 (list 6 nil)))))))
(ends (list 1 (list 2 nil)))
(legal r wait)
(<= (next (n 2)) (true (n 1)))
(<= (next (n 3)) (true (n 2)))
(<= (goal r 100) (ends ?x) (row ?x) (true (n 3)))
(<= terminal (true (n 3)))
`
	m := newMachine(t, gametest.Load(t, "large.kif", src))
	p := play.NewPlayouts(m, m.Initial(), 1)
	for range 5 {
		p.Step()
	}
	if want := 100 * p.Ended; p.Goals()[0] != want {
		t.Errorf("%d goal points after %d matches, want %d", p.Goals()[0], p.Ended, want)
	}
	if bytes := m.Info().Bytes; bytes > 1<<20 {
		t.Errorf("the machine keeps %d bytes, as if the relation were stored", bytes)
	}
}

// A machine computes only needed tuples: the lists have two million tuples, of which a position needs one.
func TestAMachineKeepsToItsLimits(t *testing.T) {
	const rules = `
(role r)
(init (path (list 1 (list 2 (list 3 (list 4 (list 5 (list 6 nil)))))))) (init (step 1))
(symbol 1) (symbol 2) (symbol 3) (symbol 4) (symbol 5) (symbol 6) (symbol 7) (symbol 8) (symbol 9) (symbol 10) (symbol 11)
(<= (element ?a) (symbol ?a) (true (step 1)))
(<= (element ?a) (symbol ?a) (true (step 2)))
(<= (isList (list ?a (list ?b (list ?c (list ?d (list ?e (list ?f nil)))))))
  (element ?a) (element ?b) (element ?c) (element ?d) (element ?e) (element ?f))
(<= (ok ?p) (true (path ?p)) (distinct ?p nil))
(<= (legal r go) (isList ?p) (ok ?p))
(<= (next (path ?p)) (true (path ?p)))
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(goal r 100)`
	shared := must.Get(newSharedRules(t.Context(), gametest.Load(t, "lists.kif", rules), datalog.Limits{MaxAtoms: 1 << 20}.WithDefaults()))(t)
	shared.makeVocabulary(sampleWords)
	s := newStepper(shared, guard.NewWatch(t.Context(), datalog.Grounding))
	if err := s.evaluateInitial(); err != nil || len(s.AppendLegal(nil, 0)) != 1 {
		t.Errorf("%d legal moves, error %v", len(s.AppendLegal(nil, 0)), err)
	}
}

// playMoves makes moves of role 0 in the first lane of a batch and returns the fluents of the position.
func playMoves(t *testing.T, m machine.Machine, b machine.Batch, moves ...string) []string {
	t.Helper()
	s := make(machine.State, len(m.Initial()))
	for _, text := range moves {
		b.Evaluate(1)
		move, ok := m.Names().AddMove(0, text)
		if !ok {
			t.Fatalf("no move %s", text)
		}
		b.Choose(0, 0, move)
		b.Advance(1)
	}
	b.Store(s, 1)
	return m.Names().AppendFluents(nil, s)
}

// Each evaluator numbers the terms that appear in play: here in another order.
func TestEvaluatorsUnderstandEachOthersPositions(t *testing.T) {
	m := newMachine(t, gametest.Load(t, "growing", gametest.Growing))
	first, second := m.NewBatch(), m.NewBatch()
	first.Fill(m.Initial(), nil)
	second.Fill(m.Initial(), nil)
	playMoves(t, m, first, "(take a)", "(take b)", "(take b)")
	playMoves(t, m, second, "(take b)", "(take a)", "(take a)")
	s := make(machine.State, len(m.Initial()))
	first.Store(s, 1)
	second.Fill(s, nil)
	want := []string{"(at (list a (list b (list b (list a nil)))))"}
	if got := playMoves(t, m, second, "(take a)"); !slices.Equal(got, want) {
		t.Errorf("fluents %q, want %q", got, want)
	}
	if number, ok := m.Names().AddFluent(want[0]); !ok || m.Names().FluentText(number) != want[0] {
		t.Errorf("the text of the fluent has number %d, %v", number, ok)
	}
	for _, text := range []string{"(at c)", "(at", "(on nil)"} {
		if n, ok := m.Names().AddFluent(text); ok {
			t.Errorf("%s, which no position can contain, has number %d", text, n)
		}
	}
}
