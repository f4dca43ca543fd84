package ground

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/machine"
)

// always applies each possible rewriting, never applies none.
var (
	always = threshold{above: -1}
	never  = threshold{above: 1e300}
)

func groundBy(t rapid.TB, g *gdl.Game, when threshold) *Program {
	t.Helper()
	gr := newGrounder(context.Background(), g, datalog.Limits{})
	gr.unfolding, gr.factoring, gr.asking = when, when, when
	if when == always {
		gr.lightly = 1
	}
	return grounded(t, gr)
}

// grounded returns the ground program of a grounder's game.
func grounded(t rapid.TB, gr *grounder) *Program {
	t.Helper()
	return must.Get(gr.ground())(t)
}

func TestRewrittenRulesMeanTheSame(t *testing.T) {
	exhaustive.FewerDraws(t)
	gametest.CheckUntil(t, "rules that were rewritten", func(t *rapid.T) bool {
		g, oracle := gametest.DrawGame(t, gametest.Rewritable)
		p, q := groundBy(t, g, never), groundBy(t, g, always)
		gametest.Agree(t, []machine.Machine{oracle, newProgramMachine(p), newProgramMachine(q)}, 1, 12)
		return p.Atoms != q.Atoms || len(p.Head) != len(q.Head)
	})
}

// made counts the relations that a rewriting has made.
func made(gr *grounder, isOne func(*rules.Relation) bool) (n int) {
	for _, rel := range gr.Theory.Relations {
		if isOne(rel) {
			n++
		}
	}
	return n
}

func TestAskingChangesNoGame(t *testing.T) {
	exhaustive.FewerDraws(t)
	gametest.CheckUntil(t, "relations that are asked for", func(t *rapid.T) bool {
		g, oracle := gametest.DrawGame(t, gametest.Rewritable)
		gr := newGrounder(t.Context(), g, datalog.Limits{})
		gr.unfolding, gr.factoring, gr.asking, gr.lightly = never, never, always, 1
		p := grounded(t, gr)
		restricted := made(gr, func(rel *rules.Relation) bool {
			return strings.HasPrefix(rel.Name, "asked ") && rel.Len() > 0
		})
		plain := groundBy(t, g, never).Names
		if diff := cmp.Diff(plain.Fluents, p.Names.Fluents) + cmp.Diff(plain.Moves, p.Names.Moves); diff != "" {
			t.Fatalf("other fluents or moves:\n%s", diff)
		}
		gametest.Agree(t, []machine.Machine{oracle, newProgramMachine(p)}, 1, 12)
		return restricted > 0
	})
}

func TestThoroughGroundingChangesNoGame(t *testing.T) {
	exhaustive.FewerDraws(t)
	gametest.CheckUntil(t, "rules that were merged, and parts without a condition", func(t *rapid.T) bool {
		g, oracle := gametest.DrawGame(t, gametest.Rewritable)
		gr := newGrounder(t.Context(), g, datalog.Limits{Thorough: true})
		gr.asking.above = -1
		p := grounded(t, gr)
		gametest.Agree(t, []machine.Machine{oracle, newProgramMachine(p)}, 1, 12)
		return made(gr, func(rel *rules.Relation) bool { return strings.Contains(rel.Name, "|") }) > 0 &&
			slices.ContainsFunc(gr.Theory.OpenRules(), func(r *rules.Rule) bool {
				return slices.ContainsFunc(r.Body, func(l rules.Literal) bool { return l.Implied && l.IsOpen() })
			})
	})
}

func TestReachedAtomsArePossible(t *testing.T) {
	gametest.CheckUntil(t, "nothing but open negations", func(t *rapid.T) bool {
		src := gametest.Rewritable(t)
		if rapid.Bool().Draw(t, "of the other kind") {
			src = gametest.RandomGame(t)
		}
		gr := newGrounder(t.Context(), gametest.Load(t, "reached", src), datalog.Limits{})
		if rapid.Bool().Draw(t, "on demand") {
			gr.unfolding, gr.factoring, gr.asking, gr.lightly = never, never, always, 1
		}
		must.OK(t, gr.runPasses(gr.phases()...))
		in := must.Get(gr.record.instantiate())(t)
		if !gr.exact {
			return false
		}
		s := in.simplify(true)
		clear(s.certain)
		s.findPossible()
		if a := slices.Index(s.possible, false); a >= 0 {
			table := slices.IndexFunc(in.base, func(first int32) bool { return int(first) > a }) - 1
			t.Fatalf("%s\nan atom of %s is not possible", src, in.tables[table].Name)
		}
		return true
	})
}

func TestNegationsOfRelationsFoundStaticAreNotOpen(t *testing.T) {
	gr := newGrounder(t.Context(), gametest.Load(t, "static", `(role x) (dom a) (legal x go) (<= (next flag) (dom ?u)) (goal x 0)
		(<= (r ?u) (dom ?u)) (<= (r ?u) (dom ?u) (dom ?v) (distinct ?u ?u) (distinct ?u ?v) (not (true flag)) (r ?u))
		(<= terminal (dom ?u) (not (r ?u)))`), datalog.Limits{})
	p := grounded(t, gr)
	if gr.exact || p.Terminal != False {
		t.Errorf("the game ends by %v; exact: %v", p.Terminal, gr.exact)
	}
}

func TestAlternativesAreJoinedOnceAndProjectionsMakePartsSafe(t *testing.T) {
	g := gametest.Load(t, "alternatives", `(role x) (legal x go) (init (on 0)) (goal x 0)
		(<= (next (on ?q)) (true (on ?p)) (after ?p ?q)) (<= (next (on ?p)) (true (on ?p))) (after 0 1) (after 1 2) (after 2 3)
		(<= (near ?p ?q) (true (on ?p)) (true (on ?q)) (after ?p ?q))
		(<= (far ?p ?q) (true (on ?p)) (true (on ?r)) (after ?p ?r) (after ?r ?q))
		(<= (threat ?p ?q) (true (on ?p)) (or (near ?p ?q) (far ?p ?q)))
		(<= (safe ?p ?r) (true (on ?p)) (true (on ?k)) (true (on ?r)) (not (threat ?k ?p)))
		(<= terminal (safe 3 2))`)
	gr := newGrounder(t.Context(), g, datalog.Limits{Thorough: true})
	p := grounded(t, gr)
	made := make(map[string]int) // rules by kind of head
	for _, r := range gr.Theory.Rules {
		switch name := r.Head.Rel.Name; {
		case name == "threat":
			made["threat"]++
		case strings.Contains(name, "|"):
			made["alternative"]++
		case strings.HasPrefix(name, "safe~"):
			made["part"]++
		}
	}
	want := map[string]int{"threat": 1, "alternative": 2, "part": 1}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("rules, -want +got:\n%s", diff)
	}
	long := 0
	for i := range p.Head {
		if p.Start[i+1]-p.Start[i] > 2 {
			long++
		}
	}
	if long != 1 {
		t.Errorf("%d rules have more than two conditions, want that for safe alone: a part asks for what its user asks for, too", long)
	}
	gametest.Agree(t, []machine.Machine{gametest.OracleOf(t, g), newProgramMachine(p)}, 1, 12)
}

func TestWallsThatStandForEverAreNoFluentsOfTheRules(t *testing.T) {
	p := ground(t, gametest.Load(t, "walls", `(role x) (init (at 0)) (init (wall 2)) (succ 0 1) (succ 1 2) (succ 2 3)
		(legal x go) (<= (next (wall ?x)) (true (wall ?x))) (goal x 0) (<= terminal (true (at 3)))
		(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (not (true (wall ?y))))
		(<= (next (at ?x)) (true (at ?x)) (succ ?x ?y) (true (wall ?y)))`))
	want := []string{"(at 0)", "(at 1)", "(wall 2)"}
	if diff := cmp.Diff(want, p.Names.Fluents); diff != "" {
		t.Errorf("fluents:\n%s", diff)
	}
}

func TestOnlyDemandedTuplesAreGrounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`(role x) (legal x go) (init (at 0)) (goal x 0) (<= (next (at ?j)) (true (at ?i)) (succ ?i ?j))
		(<= (count ?i ?n ?m ?k) (true (at ?i)) (number ?n) (number ?m) (number ?k))
		(<= (count ?i ?n ?m ?k) (succ ?n ?l) (count ?i ?l ?m ?k))
		(<= terminal (true (at ?i)) (count ?i 0 7 7))`)
	for i := range 30 {
		fmt.Fprintf(&b, "(number %d) (succ %d %d)", i, i, i+1)
	}
	p := ground(t, gametest.Load(t, "asked", b.String()))
	if rules := len(p.Head); rules > 5000 {
		t.Errorf("%d rules, as if everything were counted", rules)
	}
}

// counting returns a game that counts along a path of 20 places, with numbers up to n.
func counting(n int) string {
	var b strings.Builder
	b.WriteString(`(role x) (legal x go) (init (on 0)) (<= (next (on ?q)) (true (on ?p)) (after ?p ?q)) (<= (next (on ?p)) (true (on ?p)))
		(<= (count ?p ?i ?n) (true (on ?p)) (after ?p ?q) (succ ?i ?j) (count ?q ?j ?n))
		(<= (count ?p ?i ?n) (after ?p ?q) (not (true (on ?p))) (count ?q ?i ?n))
		(<= (count 19 ?n ?n) (number ?n)) (<= terminal (count 0 0 9)) (<= (goal x 100) (count 0 0 9)) (goal x 0)`)
	for i := range n + 1 {
		fmt.Fprintf(&b, "(number %d)", i)
		if i > 0 {
			fmt.Fprintf(&b, "(succ %d %d)", i-1, i)
		}
		if i > 0 && i < 20 {
			fmt.Fprintf(&b, "(after %d %d)", i-1, i)
		}
	}
	return b.String()
}

func TestCountingIsGroundedFromItsStart(t *testing.T) {
	p := ground(t, gametest.Load(t, "counting", counting(300)))
	if atoms := int(p.Atoms); atoms > 20*20+100 {
		t.Errorf("%d atoms, as if counts went beyond the places", atoms)
	}
}

// track returns a race on a plane: a move needs two sums and a cell of the track.
func track(n int) string {
	var b strings.Builder
	b.WriteString(`(role x) (init (px 0)) (init (py 0)) (init (vx 0)) (init (vy 0)) (goal x 0)
		(<= (near ?v ?v) (number ?v)) (<= (near ?v ?w) (succ ?v ?w)) (<= (near ?v ?w) (succ ?w ?v))
		(<= (legal x (speed ?v ?w)) (true (vx ?s)) (true (vy ?t)) (true (px ?p)) (true (py ?q)) (near ?s ?v) (near ?t ?w)
			(sum ?p ?v ?x) (sum ?q ?w ?y) (track ?x ?y))
		(<= (next (vx ?v)) (does x (speed ?v ?w))) (<= (next (vy ?w)) (does x (speed ?v ?w)))
		(<= (next (px ?x)) (does x (speed ?v ?w)) (true (px ?p)) (sum ?p ?v ?x))
		(<= (next (py ?y)) (does x (speed ?v ?w)) (true (py ?q)) (sum ?q ?w ?y))
		(<= terminal (true (px ?x)) (last ?x))`)
	fmt.Fprintf(&b, "(last %d) (number 0)", n)
	for i := range n {
		fmt.Fprintf(&b, "(number %d) (succ %d %d)", i+1, i, i+1)
	}
	for i := range n + 1 {
		for k := range n + 1 - i {
			fmt.Fprintf(&b, "(sum %d %d %d)", i, k, i+k)
		}
		for k := max(0, i-4); k <= i; k++ {
			fmt.Fprintf(&b, "(track %d %d)", i, k)
		}
	}
	return b.String()
}

func TestStaticPartsAreMeasuredBeforeTheyAreJoined(t *testing.T) {
	p := ground(t, gametest.Load(t, "track", track(40)))
	if rules := len(p.Head); rules > 60_000 {
		t.Errorf("%d rules, as if all pairs of positions and speeds were listed", rules)
	}
}

func TestAnAttributeSharedByFourThingsIsGroundedByThing(t *testing.T) {
	var b strings.Builder
	b.WriteString(`(role x) (legal x go) (place 1) (place 2) (place 3) (place 4) (goal x 0)
		(<= (alike ?a ?b ?c ?d) (has ?a ?p) (has ?b ?p) (has ?c ?p) (has ?d ?p))
		(<= (next (cell ?p ?a)) (true (cell ?p ?b)) (follows ?b ?a))
		(<= terminal (true (cell 1 ?a)) (true (cell 2 ?b)) (true (cell 3 ?c)) (true (cell 4 ?d)) (alike ?a ?b ?c ?d))`)
	for i := range 40 {
		fmt.Fprintf(&b, "(has t%d %d) (has t%d %d) (follows t%d t%d)", i, i%7, i, 10+i%5, i, (i+1)%40)
		if i < 4 {
			fmt.Fprintf(&b, "(init (cell %d t%d))", i+1, i)
		}
	}
	p := ground(t, gametest.Load(t, "alike", b.String()))
	if rules := len(p.Head); rules > 4*40*2+500 {
		t.Errorf("%d rules, as if all that are alike were listed", rules)
	}
}

// The role has one move, which is certain. So its negation never holds, and the fluent behind it is impossible.
func TestFluentsBehindTheNegationOfACertainMoveAreImpossible(t *testing.T) {
	g := gametest.Load(t, "certain", `
(role r) (init (step 1)) (succ 1 2) (succ 2 3)
(<= (legal r go) (true (step ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next never) (true (step ?n)) (not (does r go)))
(<= (next after) (true never))
(<= terminal (true (step 3)))
(goal r 100)`)
	if got := ground(t, g).Names.Fluents; !slices.Equal(got, []string{"(step 1)", "(step 2)", "(step 3)"}) {
		t.Errorf("fluents %q", got)
	}
}
