package gdl_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/must"
)

// term generates terms of any shape, lists without a name included.
func term(depth int) *rapid.Generator[gdl.Term] {
	name := rapid.StringMatching(`[a-zA-Z0-9+./<=>*é|:-]{1,5}`)
	return rapid.Custom(func(t *rapid.T) gdl.Term {
		args := func(least int) []gdl.Term { return rapid.SliceOfN(term(depth-1), least, 4).Draw(t, "arguments") }
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		switch {
		case depth > 0 && kind == 0:
			return gdl.Term{Kind: gdl.Compound, Name: name.Draw(t, "name"), Args: args(0)}
		case depth > 0 && kind == 1:
			list := args(0)
			if len(list) > 0 && list[0].Kind == gdl.Symbol {
				list[0] = gdl.Term{Kind: gdl.Variable, Name: "?" + list[0].Name}
			}
			return gdl.Term{Kind: gdl.Compound, Args: list}
		case kind == 2:
			return gdl.Term{Kind: gdl.Variable, Name: "?" + name.Draw(t, "variable")}
		}
		return gdl.Term{Name: name.Draw(t, "symbol")}
	})
}

// formula generates conditions of any shape.
func formula(depth int) *rapid.Generator[gdl.Formula] {
	names := map[gdl.Connective]string{gdl.Differ: "Distinct", gdl.Negation: "not", gdl.Disjunction: "or", gdl.Conjunction: "AND"}
	return rapid.Custom(func(t *rapid.T) gdl.Formula {
		c := rapid.SampledFrom([]gdl.Connective{gdl.Atomic, gdl.Differ, gdl.Negation, gdl.Disjunction, gdl.Conjunction}).Draw(t, "connective")
		f := gdl.Formula{Connective: c, Name: names[c]}
		switch {
		case c == gdl.Atomic || depth == 0:
			return gdl.Formula{Atom: term(2).Draw(t, "sentence")}
		case c == gdl.Differ:
			f.Args = rapid.SliceOfN(term(2), 0, 3).Draw(t, "terms")
		default:
			f.Subs = rapid.SliceOfN(formula(depth-1), 0, 3).Draw(t, "conditions")
		}
		return f
	})
}

// sameTree compares trees without positions.
var sameTree = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(gdl.Pos{}), cmpopts.IgnoreUnexported(gdl.Clause{}), cmp.Comparer(gdl.Term.Equal)}

func TestPrintedClausesParseToTheSameClauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// A list first keeps the text from looking like infix syntax.
		text := "(p q)\n"
		var want []*gdl.Clause
		for range rapid.IntRange(0, 5).Draw(t, "clauses") {
			c := &gdl.Clause{Head: term(4).Filter(func(u gdl.Term) bool { return u.Name != "<=" }).Draw(t, "head")}
			if rapid.Bool().Draw(t, "rule") {
				c.Body = rapid.SliceOfN(formula(3), 1, 4).Draw(t, "body")
			}
			want = append(want, c)
		}
		text += gdl.Print(&gdl.File{Clauses: want})
		got, err := gdl.Parse("printed", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if d := cmp.Diff(want, got.Clauses[1:], sameTree); d != "" {
			t.Fatalf("%s (-want +got):\n%s", text, d)
		}
	})
}

func TestPositionsCountLinesAndCharacters(t *testing.T) {
	src := "\ufeff; bœuf é\r\n\t(p é x)\r\n(q)"
	tree := must.Get(gdl.Parse("file", []byte(src)))(t)
	x := tree.Clauses[0].Head.Args[1].Pos
	if x.Line != 2 || x.Column != 7 {
		t.Errorf("x is at %d:%d, want 2:7", x.Line, x.Column)
	}
	if q := tree.Clauses[1].Pos; q.Line != 3 || q.Column != 1 {
		t.Errorf("(q) is at %d:%d, want 3:1", q.Line, q.Column)
	}
	if got := gdl.Comments(tree, []byte(src)); !slices.Equal(got, []string{"; bœuf é"}) {
		t.Errorf("comments are %q", got)
	}
}

func TestDeepNestingIsAnErrorWithItsPosition(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("(", 100_000),
		strings.Repeat("(p ", 100_000) + strings.Repeat(")", 100_000),
		"p :- " + strings.Repeat("~", 100_000) + "q",
		"p(" + strings.Repeat("p(", 100_000) + strings.Repeat(")", 100_001),
	} {
		_, _, err := gdl.Load(t.Context(), "deep", []byte(src))
		if err == nil || !strings.Contains(err.Error(), "deep:1:") || !strings.Contains(err.Error(), "E003") {
			t.Errorf("%.10s…: error %.200v", src, err)
		}
	}
}

func TestTermsAreReadFromTheWire(t *testing.T) {
	for src, want := range map[string]string{
		"noop":                    "noop",
		" ( mark 1\t(p  q) )\r\n": "(mark 1 (p q))",
		"(noop)":                  "noop",
		"(f (a) (b (c)))":         "(f a (b c))",
		"Noop":                    "Noop",
		"+":                       "+",
		"#":                       "#", // comments and rules of rulesheets, but names in terms
		"%":                       "%",
		"//a":                     "//a",
		"a:-b":                    "a:-b",
		"(f # %)":                 "(f # %)",
		"b ; a comment":           "b",
		"(<= a b)":                "",
		"((mark 1 1))":            "",
		"(mark ?x 1)":             "",
		"a b":                     "",
		"":                        "",
		"(mark 1":                 "",
		"()":                      "",
	} {
		got, err := gdl.ParseTerm(src)
		if want == "" {
			if err == nil {
				t.Errorf("%q is read as %s, want an error", src, got)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q is read as %s, error %v, want %s", src, got, err, want)
		}
	}
}

func TestInfixAndPrefixRulesAreTheSame(t *testing.T) {
	infix := `% a game
role(white)
init(cell(1,b))
next(cell(X,Y)) :- true(cell(X,Y)) & ~does(white,mark(X)) & (p(X) | q & ~r(Y,X))
terminal :- open(_) & open(_)
goal(X,0) :- p(_1) & q(X,_)
won :- not (a | b) & not(c | d) & not e
`
	prefix := `(role white)
(init (cell 1 b))
(<= (next (cell ?X ?Y)) (true (cell ?X ?Y)) (not (does white (mark ?X))) (or (p ?X) (and q (not (r ?Y ?X)))))
(<= terminal (open ?_:1) (open ?_:2))
(<= (goal ?X 0) (p ?_1) (q ?X ?_:3))
(<= won (not (or a b)) (not (or c d)) (not e))
`
	tree := must.Get(gdl.Parse("infix", []byte(infix)))(t)
	if got := gdl.Print(tree); got != prefix {
		t.Errorf("read as\n%swant\n%s", got, prefix)
	}
}

func TestTheSyntaxIsDetected(t *testing.T) {
	for src, infix := range map[string]bool{
		"role(p)":                          true,
		"% head\nopen\nrole(p)":            true,
		"; head\nterminal :- open":         true,
		"(role p)":                         false,
		"; role(p)\n(role p)":              false,
		"terminal (role p)":                false,
		"( START m.1 robot ((role p)) 1 )": false,
		"noop":                             false,
		"":                                 false,
		"; a comment alone (as here)":      false,
	} {
		tree := must.Get(gdl.Parse("", []byte(src)))(t)
		if tree.Infix != infix {
			t.Errorf("%q is taken for infix syntax: %t, want %t", src, tree.Infix, infix)
		}
	}
}
