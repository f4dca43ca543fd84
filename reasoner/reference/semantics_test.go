package reference_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

// compile returns the machine of a rulesheet.
func compile(t testing.TB, src string) machine.Machine {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(src)))(t)
	return must.Get(reference.New(context.Background(), g))(t)
}

// position describes a position in texts.
type position struct {
	Fluents  string
	Terminal bool
	Legal    []string // by role
	Goals    []int32  // by role
}

func look(m machine.Machine, s machine.State) position {
	b, names := m.NewBatch(), m.Names()
	b.Fill(s, nil)
	b.Evaluate(1)
	fluents := names.AppendFluents(nil, s)
	slices.Sort(fluents)
	p := position{
		Fluents:  strings.Join(fluents, " "),
		Terminal: b.Terminal()[0]&1 != 0,
		Goals:    make([]int32, len(names.Roles)),
	}
	for r := range names.Roles {
		var moves []string
		for _, move := range b.AppendLegal(nil, 0, machine.Role(r)) {
			moves = append(moves, names.MoveText(machine.Role(r), move))
		}
		p.Legal = append(p.Legal, strings.Join(moves, " "))
	}
	b.Goals(p.Goals, 0)
	return p
}

// after returns the successor of s under moves given as text.
func after(t testing.TB, m machine.Machine, s machine.State, joint ...string) machine.State {
	t.Helper()
	b := m.NewBatch()
	b.Fill(s, nil)
	b.Evaluate(1)
	for r, text := range joint {
		move, ok := m.Names().Move(machine.Role(r), text)
		if !ok {
			t.Fatalf("no move %s", text)
		}
		b.Choose(0, machine.Role(r), move)
	}
	b.Advance(1)
	next := make(machine.State, len(m.Initial()))
	b.Store(next, 1)
	return next
}

// base completes the rules of a test to a game for one role with the move n.
const base = "(role p)(legal p n)(<= terminal (true over))"

func TestInitialPositionsFollowFromTheRules(t *testing.T) {
	for _, c := range []struct {
		name, rules string
		want        position
	}{
		{
			"negation is failure to prove",
			"(init a)(<= (goal p 1) (not (true b)))(<= (goal p 2) (not (true a)))(<= (next b) (true b))",
			position{"a", false, []string{"n"}, []int32{1}},
		},
		{
			"strata are computed in their order whatever the order of rules",
			"(init a)(<= (goal p 7) (not q))(<= q (not r))(<= r (not s))(<= s (true a) (not (true over)))",
			position{"a", false, []string{"n"}, []int32{machine.NoGoal}},
		},
		{
			"recursion reaches its least fixpoint",
			"(init (e 1 2))(init (e 2 3))(init (e 3 1))(<= (path ?x ?y) (true (e ?x ?y)))" +
				"(<= (path ?x ?z) (path ?x ?y) (true (e ?y ?z)))(<= (legal p (go ?x)) (path 1 ?x))(goal p 0)" +
				"(<= (next (e ?x ?y)) (true (e ?x ?y)))",
			position{"(e 1 2) (e 2 3) (e 3 1)", false, []string{"(go 1) (go 2) (go 3) n"}, []int32{0}},
		},
		{
			"mutual recursion",
			"(init (n 4))(pred 4 3)(pred 3 2)(pred 2 1)(pred 1 0)(even 0)" +
				"(<= (even ?x) (pred ?x ?y) (odd ?y))(<= (odd ?x) (pred ?x ?y) (even ?y))" +
				"(<= (goal p 100) (true (n ?x)) (even ?x))(<= (goal p 0) (true (n ?x)) (odd ?x))",
			position{"(n 4)", false, []string{"n"}, []int32{100}},
		},
		{
			"distinct compares compound terms by structure",
			"(init (f (g 1 2)))(init (h (g 1 2)))(init (h (g 2 1)))" +
				"(<= (legal p (same ?x)) (true (f ?x)) (true (h ?y)) (not (distinct ?x ?y)))" +
				"(<= (legal p (other ?y)) (true (f ?x)) (true (h ?y)) (distinct ?x ?y))(goal p 0)",
			position{
				"(f (g 1 2)) (h (g 1 2)) (h (g 2 1))", false,
				[]string{"(other (g 2 1)) (same (g 1 2)) n"},
				[]int32{0},
			},
		},
		{
			"variables range over fluents and moves",
			"(init (a 1))(init b)(<= (legal p (take ?f)) (true ?f))" +
				"(<= (known ?m) (legal p ?m))(<= (goal p 9) (known (take b)))",
			position{"(a 1) b", false, []string{"(take (a 1)) (take b) n"}, []int32{9}},
		},
		{
			"several goals are none",
			"(init a)(goal p 1)(goal p 2)",
			position{"a", false, []string{"n"}, []int32{machine.NoGoal}},
		},
		{
			"a goal that is no number is none",
			"(init a)(worth high)(<= (goal p ?v) (worth ?v))",
			position{"a", false, []string{"n"}, []int32{machine.NoGoal}},
		},
		{
			"an undefined relation is false and its negation true",
			"(init a)(<= (goal p 1) nothing)(<= (goal p 2) (not nothing))",
			position{"a", false, []string{"n"}, []int32{2}},
		},
		{
			"terminal may ask for goal and legal",
			"(init a)(<= (goal p 5) (true a))(<= terminal (goal p 5) (legal p n))",
			position{"a", true, []string{"n"}, []int32{5}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := compile(t, base+c.rules)
			if d := cmp.Diff(c.want, look(m, m.Initial())); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestSimultaneousMovesLeadToTheirSuccessor(t *testing.T) {
	m := compile(t, `(role a) (role b) (init (step 0)) (succ 0 1) (succ 1 2)
		(<= (legal ?r (say ?n)) (role ?r) (succ ?x ?n))
		(<= (next (said ?r ?n)) (does ?r (say ?n)))
		(<= (next agree) (does a ?m) (does b ?m))
		(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
		(<= terminal (true (step 2)))
		(<= (goal ?r 100) (role ?r) (true agree))
		(<= (goal ?r 0) (role ?r) (not (true agree)))`)
	s := after(t, m, m.Initial(), "(say 1)", "(say 2)")
	want := position{"(said a 1) (said b 2) (step 1)", false, []string{"(say 1) (say 2)", "(say 1) (say 2)"}, []int32{0, 0}}
	if d := cmp.Diff(want, look(m, s)); d != "" {
		t.Errorf("after disagreement, -want +got:\n%s", d)
	}
	s = after(t, m, s, "(say 2)", "(say 2)")
	want = position{"(said a 2) (said b 2) (step 2) agree", true, want.Legal, []int32{100, 100}}
	if d := cmp.Diff(want, look(m, s)); d != "" {
		t.Errorf("after agreement, -want +got:\n%s", d)
	}
}

func TestDisjunctionsTooLargeToDistributeMeanTheSame(t *testing.T) {
	const n = 10 // 2^10 rules are more than a clause may expand to
	var rules, conditions strings.Builder
	for i := range n {
		fmt.Fprintf(&rules, "(init (f %d)) (init (g %d)) ", i, i)
		fmt.Fprintf(&conditions, " (or (true (f %d)) (not (true (g %d))))", i, i)
	}
	m := compile(t, base+rules.String()+"(<= (goal p 100)"+conditions.String()+")")
	rapid.Check(t, func(t *rapid.T) {
		var fluents []string
		want := int32(100)
		for i := range n {
			f, g := rapid.Bool().Draw(t, "f"), rapid.IntRange(0, 3).Draw(t, "g") == 0
			if f {
				fluents = append(fluents, fmt.Sprintf("(f %d)", i))
			}
			if g {
				fluents = append(fluents, fmt.Sprintf("(g %d)", i))
			}
			if !f && g {
				want = machine.NoGoal
			}
		}
		s := must.Get(m.Names().State(fluents))(t)
		if got := look(m, s).Goals[0]; got != want {
			t.Errorf("goal %d at %v, want %d", got, fluents, want)
		}
	})
}

func TestCompilingStopsWithItsContext(t *testing.T) {
	g, _, err := gdl.Load(t.Context(), "test", []byte(`(role p) (init (n 0)) (legal p n) (goal p 0)
		(<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n 5)))`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := reference.New(ctx, g); err == nil {
		t.Error("a game without end of fluents compiles")
	}
}

func TestAPositionBeyondTheMemoryIsLost(t *testing.T) {
	exhaustive.Only(t, "lists fluents for ten seconds, until they are too many")
	var rules strings.Builder
	rules.WriteString("(role p) (legal p n) (goal p 0) (init a) (<= terminal (true (list ?l)))")
	head, body := "nil", ""
	for i := range 30 { // 30^30 lists are too many
		fmt.Fprintf(&rules, "(el e%d)", i)
		head, body = fmt.Sprintf("(cons ?e%d %s)", i, head), fmt.Sprintf("%s (el ?e%d)", body, i)
	}
	fmt.Fprintf(&rules, "(<= (list %s) %s) (<= (next (list ?l)) (list ?l))", head, body)
	m := compile(t, rules.String())
	s := after(t, m, m.Initial(), "n")
	b := m.NewBatch()
	b.Fill(s, nil)
	b.Evaluate(1)
	if err := machine.Unknown(b, 0); !errors.Is(err, machine.ErrLost) {
		t.Errorf("error %v of a position of an astronomic number of fluents, want %v", err, machine.ErrLost)
	}
}

func TestLegalMovesBeyondTheMemoryAreUnknown(t *testing.T) {
	vast := `(role p) (goal p 0) (init a) (<= terminal (true over)) (<= (next ?f) (true ?f))
		(<= (legal p (m ?a ?b ?c ?d ?e ?f` + strings.Repeat(" ?f", 200) + `)) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))
		(n 0) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8) (n 9) (n 10) (n 11) (n 12) (n 13) (n 14) (n 15)`
	b := compile(t, vast).NewBatch()
	b.Evaluate(1)
	if err := machine.Unknown(b, 0); !errors.Is(err, machine.ErrLost) {
		t.Errorf("error %v of a position of 16 million legal moves, want %v", err, machine.ErrLost)
	}
}
