package gdl_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/internal/must"
)

// seeds adds the snippets of testdata to the corpus of a fuzz target.
func seeds(f *testing.F) {
	for _, name := range []string{"errors.txtar", "warnings.txtar", "format.txtar"} {
		a := must.Get(txtar.ParseFile(filepath.Join("testdata", name)))(f)
		for _, file := range a.Files {
			f.Add(string(file.Data))
		}
	}
	playable := must.Get(txtar.ParseFile("../reasoner/prover/testdata/playable.txtar"))(f)
	for _, file := range playable.Files {
		f.Add(string(file.Data))
	}
	f.Add(frame)
	f.Add("p(X) :- ~q(_,a) | r & (s)")
	f.Add("\ufeff(\x00é\xff ?x ; \xfe\r\n)")
}

// FuzzParse checks that every parsed text is printed to text that parses to the same tree, and formatted to text with the
// same tree and comments, stably.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		tree, err := gdl.Parse("fuzz", []byte(src))
		if err != nil {
			return
		}
		printed := gdl.Print(tree)
		if !tree.Infix && !startsLikeInfix(printed) {
			again, err := gdl.Parse("printed", []byte(printed))
			if err != nil || gdl.Print(again) != printed {
				t.Errorf("%q is printed as %q, which parses with error %v", src, printed, err)
			}
		}
		laid, err := gdl.Format([]byte(src))
		if err != nil {
			t.Fatalf("%q does not format: %v", src, err)
		}
		if again, err := gdl.Parse("laid", laid); err != nil || gdl.Print(again) != printed {
			t.Errorf("%q is laid out as %q, which has other forms, error %v", src, laid, err)
		}
		if again, err := gdl.Format(laid); err != nil || string(again) != string(laid) {
			t.Errorf("%q is laid out as %q and then as %q", src, laid, again)
		}
	})
}

// startsLikeInfix reports whether forms without their comments could be taken for infix syntax: a symbol comes first.
func startsLikeInfix(text string) bool { return !strings.HasPrefix(text, "(") }

// FuzzCheck checks that a rulesheet is refused with positions or gives a game that
// keeps the promises of its documentation, also where it is only played.
func FuzzCheck(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		for _, text := range []string{src, src + frame} {
			if g, _, err := gdl.LoadToPlay(t.Context(), "fuzz", []byte(text)); err == nil {
				promises(t, g)
				promises(t, g.FirstGoals())
			}
			g, found, err := gdl.Load(t.Context(), "fuzz", []byte(text))
			if (err == nil) != (len(found.Errors()) == 0) || (err == nil) != (g != nil) {
				t.Fatalf("%q: game %v, error %v, findings %v", text, g, err, found)
			}
			for _, d := range found {
				if d.Hint == "" || d.Message == "" {
					t.Errorf("%q: %s has no message or no hint", text, d)
				}
				d.Detail()
			}
			if g != nil {
				promises(t, g)
			}
		}
	})
}

// promises checks the documented invariants of a Game.
func promises(t *testing.T, g *gdl.Game) {
	if len(g.Roles) == 0 {
		t.Error("no role")
	}
	for _, r := range g.Rules {
		bound := make(map[string]bool)
		for _, l := range r.Body {
			terms := []gdl.Term{l.Left, l.Right, l.Atom}
			for _, term := range terms {
				for _, v := range variables(term) {
					if l.Op != gdl.Holds && !bound[v] {
						t.Errorf("%s: %s is used before it is bound", ruleString(r), v)
					}
					bound[v] = true
				}
			}
		}
		for _, v := range variables(r.Head) {
			if !bound[v] {
				t.Errorf("%s: %s of the head is not bound", ruleString(r), v)
			}
		}
	}
}

func variables(t gdl.Term) []string {
	if t.Kind == gdl.Variable {
		return []string{t.Name}
	}
	var out []string
	for _, a := range t.Args {
		out = append(out, variables(a)...)
	}
	return out
}
