package gdl_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/gdl"
)

// form generates forms of any shape.
func form(depth int) *rapid.Generator[*gdl.Form] {
	return rapid.Custom(func(t *rapid.T) *gdl.Form {
		if depth == 0 || rapid.Bool().Draw(t, "atom") {
			return &gdl.Form{Atom: rapid.StringMatching(`\??[a-zA-Z0-9+./<=>*é|:-]{1,5}`).Draw(t, "symbol")}
		}
		return &gdl.Form{List: rapid.SliceOfN(form(depth-1), 0, 4).Draw(t, "list")}
	})
}

func TestPrintedFormsParseToTheSameForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// A list first keeps the text from looking like infix syntax.
		want := &gdl.File{Forms: append([]*gdl.Form{{List: []*gdl.Form{{Atom: "p"}}}},
			rapid.SliceOfN(form(4), 0, 5).Draw(t, "forms")...)}
		text := gdl.Print(want)
		got, err := gdl.Parse("printed", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(got.Forms) != len(want.Forms) {
			t.Fatalf("%s: %d forms, want %d", text, len(got.Forms), len(want.Forms))
		}
		for i := range want.Forms {
			if !got.Forms[i].Equal(want.Forms[i]) {
				t.Fatalf("form %d of %s is %s", i, text, got.Forms[i])
			}
		}
	})
}

func TestPositionsCountLinesAndCharacters(t *testing.T) {
	src := "\ufeff; bœuf é\r\n\t(p é x)\r\n(q)"
	tree, err := gdl.Parse("file", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	x := tree.Forms[0].List[2].Pos
	if x.Line != 2 || x.Column != 7 {
		t.Errorf("x is at %d:%d, want 2:7", x.Line, x.Column)
	}
	if q := tree.Forms[1].Pos; q.Line != 3 || q.Column != 1 {
		t.Errorf("(q) is at %d:%d, want 3:1", q.Line, q.Column)
	}
	if len(tree.Comments) != 1 || tree.Comments[0].Text != "; bœuf é" {
		t.Errorf("comments are %v", tree.Comments)
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
`
	prefix := `(role white)
(init (cell 1 b))
(<= (next (cell ?X ?Y)) (true (cell ?X ?Y)) (not (does white (mark ?X))) (or (p ?X) (and q (not (r ?Y ?X)))))
(<= terminal (open ?_1) (open ?_2))
`
	tree, err := gdl.Parse("infix", []byte(infix))
	if err != nil {
		t.Fatal(err)
	}
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
		tree, err := gdl.Parse("", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if tree.Infix != infix {
			t.Errorf("%q is taken for infix syntax: %t, want %t", src, tree.Infix, infix)
		}
	}
}
