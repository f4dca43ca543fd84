package prover_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// rules loads a rulesheet.
func rules(t testing.TB, src string) *gdl.Game {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(src)))(t)
	return g
}

// sheet describes a position in texts.
type sheet struct {
	Terminal bool
	Legal    [][]string // by role, sorted
	Goals    []int
}

// proved returns the sheet of a position according to a Prover.
func proved(t testing.TB, p *prover.Prover, roles, fluents []string) sheet {
	t.Helper()
	var s sheet
	var err error
	check := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Terminal, err = p.Terminal(t.Context(), fluents)
	check()
	for _, r := range roles {
		first, e := p.Legal(t.Context(), fluents, r, 2)
		if err = e; len(first) > 2 {
			t.Fatalf("%d moves of %s, want at most 2", len(first), r)
		}
		check()
		var all []string
		all, err = p.Legal(t.Context(), fluents, r, 0)
		check()
		if len(first) < min(2, len(all)) {
			t.Fatalf("first moves %v of %s, all are %v", first, r, all)
		}
		for _, m := range first {
			if !slices.Contains(all, m) {
				t.Fatalf("first moves %v of %s, all are %v", first, r, all)
			}
		}
		s.Legal = append(s.Legal, all)
		goal, e := p.Goal(t.Context(), fluents, r)
		err = e
		check()
		s.Goals = append(s.Goals, goal)
	}
	return s
}

// compiled returns the sheet of a position according to a machine.
func compiled(m machine.Machine, s machine.State) sheet {
	b, names := m.NewBatch(), m.Names()
	b.Fill(s, nil)
	b.Evaluate(1)
	out := sheet{Terminal: b.Terminal()[0]&1 != 0}
	goals := make([]int32, len(names.Roles))
	b.Goals(goals, 0)
	for r := range names.Roles {
		moves := []string{}
		for _, move := range b.AppendLegal(nil, 0, machine.Role(r)) {
			moves = append(moves, names.MoveText(machine.Role(r), move))
		}
		slices.Sort(moves)
		out.Legal, out.Goals = append(out.Legal, moves), append(out.Goals, int(goals[r]))
	}
	return out
}

// after returns the successor of s under moves given as text.
func after(m machine.Machine, s machine.State, joint ...string) machine.State {
	b := m.NewBatch()
	b.Fill(s, nil)
	b.Evaluate(1)
	for r, text := range joint {
		move, _ := m.Names().Move(machine.Role(r), text)
		b.Choose(0, machine.Role(r), move)
	}
	b.Advance(1)
	next := make(machine.State, len(m.Initial()))
	b.Store(next, 1)
	return next
}

// follow plays a random match of at most the given number of turns, and compares the sheets of a Prover and a machine
// in each position.
func follow(t testing.TB, g *gdl.Game, m machine.Machine, turns int) {
	t.Helper()
	p, names, rng := prover.New(g), m.Names(), rand.New(rand.NewPCG(1, 2))
	fluents := must.Get(p.Initial(t.Context()))(t)
	state := m.Initial()
	for turn := range turns {
		want := names.AppendFluents(nil, state)
		slices.Sort(want)
		if !slices.Equal(want, fluents) {
			t.Fatalf("turn %d: fluents, -machine +prover:\n%s", turn, cmp.Diff(want, fluents))
		}
		got, expected := proved(t, p, names.Roles, fluents), compiled(m, state)
		if got.Terminal {
			got.Legal, expected.Legal = nil, nil
		}
		if d := cmp.Diff(expected, got); d != "" {
			t.Fatalf("turn %d: -machine +prover:\n%s", turn, d)
		}
		for r, role := range names.Roles {
			for _, move := range slices.Concat(got.Legal...) {
				if legal, err := p.IsLegal(t.Context(), fluents, role, move); err != nil || legal != slices.Contains(got.Legal[r], move) {
					t.Fatalf("turn %d: %s is legal for %s: %t, %v", turn, move, role, legal, err)
				}
			}
		}
		var joint []string
		for _, moves := range got.Legal {
			if len(moves) > 0 {
				joint = append(joint, moves[rng.IntN(len(moves))])
			}
		}
		if got.Terminal || len(joint) < len(names.Roles) {
			return
		}
		fluents = must.Get(p.Next(t.Context(), fluents, joint))(t)
		state = after(m, state, joint...)
	}
}

func TestTheProverAgreesWithCompiledMachines(t *testing.T) {
	for _, name := range []string{"ticTacToe", "connectFour", "hex-4x4", "breakthrough-4x5", "goofspiel-4", "oshiZumo", "pig", "tron"} {
		t.Run(name, func(t *testing.T) {
			follow(t, gamestest.Rules(t, name), gamestest.Machine(t, name), 20)
		})
	}
}

func TestTheProverAgreesWithMachinesOfTheCorpus(t *testing.T) {
	dir := corpus.Dir(t)
	for _, name := range []string{
		"ticTacToe", "biddingTicTacToe", "connectFour", "hex", "blocks", "breakthrough", "2pttc", "blocker",
		"aipsrovers01", "blockerSerial", "futoshiki5", "majorities", "othello-comp2007", "chineseCheckers1",
		"gt_attrition", "hitori",
	} {
		t.Run(name, func(t *testing.T) {
			src := must.Get(os.ReadFile(filepath.Join(dir, "rulesheets", name+".kif")))(t)
			g := rules(t, string(src))
			m := must.Get(reasoner.New(t.Context(), g, reasoner.Options{Engine: "datalog"}))(t)
			follow(t, g, m, 10)
		})
	}
}

// chain returns a game with one move, which is legal if n is reached from 0 by the given rules for (reach x).
func chain(n int, rules string) string {
	var b strings.Builder
	b.WriteString("(role p) (init (at 0)) (goal p 100) (<= terminal (true (over)))")
	fmt.Fprintf(&b, "(<= (legal p go) (reach %d))", n)
	b.WriteString(rules)
	for i := range n {
		fmt.Fprintf(&b, "(succ %d %d)\n", i, i+1)
	}
	return b.String()
}

func TestTheProverFollowsRecursionOfAnyDepth(t *testing.T) {
	n := 60_000
	if !exhaustive.On() {
		n = 15_000
	}
	p := prover.New(rules(t, chain(n, "(reach 0) (<= (reach ?y) (reach ?x) (succ ?x ?y))")))
	moves, err := p.Legal(t.Context(), nil, "p", 1)
	if err != nil || !slices.Equal(moves, []string{"go"}) {
		t.Errorf("moves %v, %v", moves, err)
	}
}

func TestTheProverFollowsChainsOfRelationsOrRefusesThem(t *testing.T) {
	for n, ok := range exhaustive.Choose(map[int]bool{6_000: true}, map[int]bool{6_000: true, 110_000: false}) {
		var b strings.Builder
		b.WriteString("(role p) (goal p 100) terminal (<= (legal p go) (not r0))")
		for i := range n {
			fmt.Fprintf(&b, "(<= r%d r%d)\n", i, i+1)
		}
		g := rules(t, b.String())
		moves, err := prover.New(g).Legal(t.Context(), nil, "p", 1)
		if ok && (err != nil || !slices.Equal(moves, []string{"go"})) {
			t.Errorf("%d relations: moves %v, %v", n, moves, err)
		}
		if !ok && err == nil {
			t.Errorf("%d relations: no error", n)
		}
		if _, err := prover.New(g).Initial(t.Context()); err != nil { // independent of the chain
			t.Errorf("%d relations: %v", n, err)
		}
	}
}

func TestFirstMovesAreFoundWithoutAllMoves(t *testing.T) {
	// The second rule has 10^12 instances.
	const vast = `(role p) (goal p 0) (<= terminal (true over)) (legal p first)
		(<= (legal p (many ?a ?b ?c ?d)) (thing ?a) (thing ?b) (thing ?c) (thing ?d))`
	var b strings.Builder
	b.WriteString(vast)
	for i := range 1000 {
		fmt.Fprintf(&b, "(thing %d)", i)
	}
	p := prover.New(rules(t, b.String()))
	moves, err := p.Legal(t.Context(), nil, "p", 1)
	if err != nil || !slices.Equal(moves, []string{"first"}) {
		t.Errorf("moves %v, %v", moves, err)
	}
	if moves, err = p.Legal(t.Context(), nil, "p", 100); err != nil || len(moves) != 100 {
		t.Errorf("%d moves, %v", len(moves), err)
	}
	for move, want := range map[string]bool{"first": true, "(many 1 22 333 4)": true, "(many 1 2 3 1000)": false, "(many ? 2 3 4)": false, "(many": false, "": false} {
		if legal, err := p.IsLegal(t.Context(), nil, "p", move); err != nil || legal != want {
			t.Errorf("%s is legal: %t, %v", move, legal, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err = p.Legal(ctx, nil, "p", 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("all moves: error %v, want the deadline", err)
	}
	if moves, err = p.Legal(t.Context(), nil, "p", 2); err != nil || len(moves) != 2 {
		t.Errorf("after an error: moves %v, %v", moves, err)
	}
	p.MaxBytes = 16 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err = p.Legal(t.Context(), nil, "p", 0); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("all moves: error %v, want a memory error", err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 3*p.MaxBytes {
		t.Errorf("%d MiB more memory", grown>>20)
	}
}

func TestAJointMoveIsCheckedWithoutAllMoves(t *testing.T) {
	var b strings.Builder
	b.WriteString(`(role p) (role q) (goal p 0) (goal q 0) (<= terminal (true over)) (legal q wait)
		(<= (legal p (many ?a ?b ?c ?d)) (thing ?a) (thing ?b) (thing ?c) (thing ?d))`)
	for i := range 1000 {
		fmt.Fprintf(&b, "(thing %d)", i)
	}
	at := must.Get(prover.Begin(t.Context(), rules(t, b.String())))(t)
	for _, c := range []struct {
		joint []string
		want  string
	}{
		{[]string{"(many 1 2 3 4)", "wait"}, ""},
		{[]string{"(many 1 2 3 4)", "(many 1 2 3 4)"}, "(many 1 2 3 4) is no legal move of q"},
		{[]string{"wait", "wait"}, "wait is no legal move of p"},
		{[]string{"wait"}, "1 moves of 2 roles"},
	} {
		if fault, err := at.Fault(t.Context(), c.joint); err != nil || fault != c.want {
			t.Errorf("the fault of %v is %q, %v, want %q", c.joint, fault, err, c.want)
		}
	}
}

// The recursion restriction of GDL bounds the terms of a recursive condition by the other conditions.
func TestAQueryOfAMoveEndsWhereTermsGrowInRecursion(t *testing.T) {
	for _, body := range []string{"(p (s ?x)) (num (s ?x))", "(num (s ?x)) (p (s ?x))", "(p (s ?x)) (pair (s ?x) ?y)", "(q (s ?x)) (num (s ?x))"} {
		p := prover.New(rules(t, `(role a) (goal a 50) (<= terminal (true over)) (n z) (n (s z)) (n (s (s z)))
			(<= (num ?x) (n ?x) (not terminal)) (<= (pair ?x ?y) (num ?x) (num ?y))
			(<= (legal a ?x) (p ?x)) (<= (p (s (s z))) (not terminal)) (<= (q ?x) (p ?x)) (<= (p ?x) `+body+`)`))
		p.MaxBytes = 1 << 20
		for move, want := range map[string]bool{"z": true, "(s z)": true, "(s (s z))": true, "(s (s (s z)))": false, "y": false} {
			if legal, err := p.IsLegal(t.Context(), nil, "a", move); err != nil || legal != want {
				t.Errorf("%s: %s is legal: %t, %v", body, move, legal, err)
			}
		}
		if moves, err := p.Legal(t.Context(), nil, "a", 0); err != nil || len(moves) != 3 {
			t.Errorf("%s: moves %v, %v", body, moves, err)
		}
	}
}

// A negation must not read a table that the search for a first move has left incomplete.
func TestAnswersAreCompleteAfterTheFirstMoves(t *testing.T) {
	p := prover.New(rules(t, `(role p) (dom 1) (dom 2) (dom 3) (<= (legal p (go ?x)) (dom ?x) (role p))
		(<= terminal (not (legal p (go 3))))
		(<= busy (legal p ?x) (distinct ?x (go 1))) (<= (goal p 100) (not busy)) (<= (goal p 0) busy)`))
	for range 3 {
		if moves, err := p.Legal(t.Context(), nil, "p", 1); err != nil || len(moves) != 1 {
			t.Fatalf("first move: %v, %v", moves, err)
		}
		if over, err := p.Terminal(t.Context(), nil); err != nil || over {
			t.Errorf("terminal %v, %v", over, err)
		}
		if goal, err := p.Goal(t.Context(), nil, "p"); err != nil || goal != 0 {
			t.Errorf("goal %v, %v", goal, err)
		}
	}
}

func TestTheProverStaysWithinItsMemoryInALongMatch(t *testing.T) {
	p := prover.New(rules(t, `(role p) (goal p 0) (<= terminal (true over)) (init (n z)) (legal p go)
		(<= (next (n (s ?x))) (true (n ?x)))`))
	p.MaxBytes = 1 << 20
	fluents, err := p.Initial(t.Context())
	for range 900 {
		if err == nil {
			fluents, err = p.Next(t.Context(), fluents, []string{"go"})
		}
	}
	if err != nil || len(fluents) != 1 || strings.Count(fluents[0], "(s") != 900 {
		t.Errorf("%d fluents, %v", len(fluents), err)
	}
}

func TestTermsThatDoubleAreRefused(t *testing.T) {
	p := prover.New(rules(t, `(role p) (goal p 0) (<= terminal (true over)) (init (n z)) (legal p go)
		(<= (next (n (f ?x ?x))) (true (n ?x)))`))
	fluents, err := p.Initial(t.Context())
	for range 100 {
		if err == nil {
			fluents, err = p.Next(t.Context(), fluents, []string{"go"})
		}
	}
	if err == nil || !strings.Contains(err.Error(), "text") {
		t.Errorf("error %v, want an error about text", err)
	}
}

// fork is a game whose second position depends on the first move.
const fork = `(role p) (init (at 0)) (succ 0 1) (succ 1 2)
	(legal p stay) (<= (legal p (go ?y)) (true (at ?x)) (succ ?x ?y))
	(<= (next (at ?y)) (does p (go ?y))) (<= (next (at ?x)) (does p stay) (true (at ?x)))
	(<= terminal (true (at 2))) (goal p 0)`

func TestTheProverRefusesTextsThatAreNotTerms(t *testing.T) {
	p := prover.New(rules(t, fork))
	if _, err := p.Terminal(t.Context(), []string{"(at"}); err == nil {
		t.Error("fluents: no error")
	}
	if _, err := p.Next(t.Context(), []string{"(at 0)"}, []string{"a b"}); err == nil {
		t.Error("moves: no error")
	}
	if _, err := p.Next(t.Context(), []string{"(at 0)"}, nil); err == nil {
		t.Error("no moves: no error")
	}
	if moves, err := p.Legal(t.Context(), []string{"(at 1)"}, "p", 0); err != nil || len(moves) != 2 {
		t.Errorf("after errors: moves %v, %v", moves, err)
	}
}
