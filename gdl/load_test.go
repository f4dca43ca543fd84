package gdl_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/must"
)

// ruleString writes a normalised rule with its literals in order.
func ruleString(r gdl.Rule) string {
	parts := []string{r.Head.String()}
	for _, l := range r.Body {
		switch l.Op {
		case gdl.Holds:
			parts = append(parts, l.Atom.String())
		case gdl.Not:
			parts = append(parts, "~"+l.Atom.String())
		case gdl.Distinct:
			parts = append(parts, l.Left.String()+"≠"+l.Right.String())
		case gdl.Equal:
			parts = append(parts, l.Left.String()+"="+l.Right.String())
		}
	}
	return strings.Join(parts, " ")
}

// load loads a text completed by the frame and returns the rules of the text.
func load(t testing.TB, src string) []string {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(src+"\n"+frame)))(t)
	lines := strings.Count(src, "\n") + 1
	var out []string
	for _, r := range g.Rules {
		if r.Pos.Line <= lines {
			out = append(out, ruleString(r))
		}
	}
	return out
}

func TestRulesAreNormalised(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"a disjunction becomes rules", "(<= a (or b c) d)", []string{"a b d", "a c d"}},
		{"disjunctions multiply", "(<= a (or b c) (or d e))", []string{"a b d", "a c d", "a b e", "a c e"}},
		{"a nested disjunction is flat", "(<= a (or b (or c d)))", []string{"a b", "a c", "a d"}},
		{"an empty disjunction is false", "(<= a b (or))", nil},
		{"a negated disjunction", "(<= a (not (or b c)))", []string{"a ~b ~c"}},
		{"a negated distinct", "(<= (a ?x) (b ?x ?y) (not (distinct ?x ?y)))", []string{"(a ?x) (b ?x ?y) ?x=?y"}},
		{"a conjunction in a disjunction", "(<= a (or (and b c) d))", []string{"a b c", "a d"}},
		{
			"tests wait for their binders", "(<= (a ?x) (distinct ?x ?y) (not (b ?y)) (c ?x) (d ?y) (e ?x))",
			[]string{"(a ?x) (c ?x) (d ?y) ?x≠?y ~(b ?y) (e ?x)"},
		},
		{
			"keywords are lower-case, arguments as spelled", "(<= (NEXT (Pair ?X)) (TRUE (Pair ?X)))",
			[]string{"(next (Pair ?X)) (true (Pair ?X))"},
		},
		{"nullary parentheses vanish", "(<= (a) (b) (not (c)) (d (e)))", []string{"a b ~c (d e)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := load(t, c.src); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s becomes %q, want %q", c.src, got, c.want)
			}
		})
	}
}

func TestManyDisjunctionsDoNotMultiplyAndStaySafe(t *testing.T) {
	for _, binder := range []string{"(b ?x)", "(or (b ?x) (c ?x))", ""} {
		src := "(<= (a ?x) (e ?y) " + binder
		for i := range 40 {
			src += fmt.Sprintf(" (or (c%d ?x) (not (d%d ?y)))", i, i)
			if binder == "" {
				src += fmt.Sprintf(" (or (f%d ?x) (g%d ?x ?y))", i, i)
			}
		}
		g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(src+")"+frame)))(t)
		if len(g.Rules) > 500 {
			t.Errorf("%s: some disjunctions of two conditions become %d rules", binder, len(g.Rules))
		}
		promises(t, g)
	}
}

func TestRelationsThatNegateThemselvesByNameOnlyAreSplit(t *testing.T) {
	got := load(t, "(<= (goal p 100) (true (cell 1 1)))\n(<= (goal p 0) (not (goal p 100)))")
	want := []string{
		"(goal/100 p 100) (true (cell 1 1))", "(goal/0 p 0) ~(goal/100 p 100)",
		"(goal ?1 100) (goal/100 ?1 100)", "(goal ?1 0) (goal/0 ?1 0)",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rules are %q, want %q", got, want)
	}
}

func TestRolesKeepTheOrderOfTheirDeclaration(t *testing.T) {
	src := "(role white)\n(role black)\n(role Random)\n" +
		"(<= (legal ?r n) (role ?r))\n(<= (goal ?r 50) (role ?r))\n(init s)\n(<= terminal (true s))"
	g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(src)))(t)
	if got := fmt.Sprint(g.Roles); got != "[white black random]" {
		t.Errorf("roles are %s, want the chance role in lower case", got)
	}
}

// The chance role is a symbol in any case, and one role in several cases; other symbols keep their case.
func TestTheChanceRoleIsRespelled(t *testing.T) {
	for src, want := range map[string]string{
		"(role Random) (role random) (role p) (init (f RANDOM))": "[random p] [RANDOM]",
		"(role p) (role Random) (init (f Random)) (init (f b))":  "[p random] [random b]",
		"(role (Random 1)) (init (f Random)) (init (f random))":  "[(Random 1)] [Random random]",
		"(role p) (init (f Random)) (init (f random))":           "[p] [Random random]",
	} {
		g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte(src+"(<= (legal ?r n) (role ?r)) (<= (goal ?r 50) (role ?r)) (<= terminal (true (f a)))")))(t)
		var symbols []string
		for _, r := range g.Rules {
			if r.Head.Name == "init" {
				symbols = append(symbols, r.Head.Args[0].Args[0].Name)
			}
		}
		if got := fmt.Sprint(g.Roles, " ", symbols); got != want {
			t.Errorf("%s: roles and symbols are %s, want %s", src, got, want)
		}
	}
}

// condition generates conditions over the relations a, b, … of one variable.
func condition(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		atom := "(" + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "relation") + " ?x)"
		if depth == 0 {
			return atom
		}
		inner := rapid.SliceOfN(condition(depth-1), 1, 3)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return "(or " + strings.Join(inner.Draw(t, "or"), " ") + ")"
		case 1:
			return "(not " + atom + ")"
		case 2:
			return "(not (or " + atom + " (d ?x)))"
		}
		return atom
	})
}

func TestEveryNormalisedRuleBindsBeforeItTests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(condition(3), 1, 5).Draw(t, "body"), " ")
		g, _ := must.Get2(gdl.Load(t.Context(), "test", []byte("(<= (h ?x) "+body+" (e ?x))"+frame)))(t)
		for _, r := range g.Rules {
			bound := false
			for _, l := range r.Body {
				if r.Head.Name == "h" && l.Op != gdl.Holds && !bound {
					t.Fatalf("%s: a test comes before its binder", ruleString(r))
				}
				bound = bound || l.Op == gdl.Holds
			}
		}
	})
}

func TestFindingsHaveAnExcerptAHintAndJSON(t *testing.T) {
	src := "(role p)\n\t(<= (seen ?x)\t(not (true (cell ?x 1))))" + frame
	_, found, err := gdl.Load(t.Context(), "file.kif", []byte(src))
	if err == nil {
		t.Fatal("no error")
	}
	detail := found.Errors()[0].Detail()
	want := "file.kif:2:12: E019: expected a positive condition that binds ?x of the head, found none\n" +
		"    \t(<= (seen ?x)\t(not (true (cell ?x 1))))\n" +
		"    \t          ^^\n" +
		"    hint: add a positive condition in which the variable occurs"
	if detail != want {
		t.Errorf("detail is\n%s\nwant\n%s", detail, want)
	}
	text := must.Get(json.Marshal(found.Errors()[0]))(t)
	wantJSON := `{"code":"E019","severity":"error","file":"file.kif","line":2,"column":12,` +
		`"message":"expected a positive condition that binds ?x of the head, found none","text":"?x",` +
		`"hint":"add a positive condition in which the variable occurs"}`
	if string(text) != wantJSON {
		t.Errorf("JSON is %s\nwant %s", text, wantJSON)
	}
}
