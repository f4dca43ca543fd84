package rewrite_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
)

// everyTenth reads every tenth rulesheet of the corpus.
func everyTenth(t *testing.T) map[string]*gdl.File {
	t.Helper()
	out := make(map[string]*gdl.File)
	for i, sheet := range corpus.Rulesheets(t) {
		if i%10 != 0 {
			continue
		}
		tree := must.Get(gdl.Parse(sheet.Path, corpus.Source(t, sheet.Name)))(t)
		out[sheet.Name] = tree
	}
	return out
}

// rules returns the normalised rules of a tree, each with its conditions sorted, in
// sorted order, with names replaced.
func rules(t *testing.T, tree *gdl.File, names *strings.Replacer) []string {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "rewritten", []byte(gdl.Print(tree))))(t)
	var out []string
	for _, r := range g.Rules {
		var body []string
		for _, l := range r.Body {
			body = append(body, fmt.Sprint(l.Op, l.Atom, l.Left, l.Right))
		}
		slices.Sort(body)
		out = append(out, names.Replace(fmt.Sprint(r.Head, body)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var same = strings.NewReplacer()

func TestRewritingKeepsTheRulesOfTheCorpus(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for file, tree := range everyTenth(t) {
		want := rules(t, tree, same)
		for name, rewritten := range map[string]*gdl.File{
			"Rules":        rewrite.Rules(tree, rng),
			"Bodies":       rewrite.Bodies(tree, rng),
			"Disjunctions": rewrite.Disjunctions(tree),
		} {
			if d := cmp.Diff(want, rules(t, rewritten, same)); d != "" {
				t.Errorf("%s of %s (-want +got):\n%s", name, file, d)
			}
		}
	}
}

func TestRenamedSymbolsAndVariablesCanBeNamedBack(t *testing.T) {
	for file, tree := range everyTenth(t) {
		var back []string
		fresh := func(prefix string) func(string) string {
			return func(old string) string {
				name := fmt.Sprintf("%s%d_", prefix, len(back))
				back = append(back, name, old)
				return name
			}
		}
		renamed := rewrite.Variables(rewrite.Symbols(tree, fresh("zz_")), fresh("?zz_"))
		if len(back) == 0 {
			t.Errorf("%s: nothing was renamed", file)
		}
		if got := strings.NewReplacer(back...).Replace(gdl.Print(renamed)); got != gdl.Print(tree) {
			t.Errorf("%s: naming back gives other rules", file)
		}
	}
}

func TestKeywordsIntegersAndTheChanceRoleKeepTheirNames(t *testing.T) {
	tree := must.Get(gdl.Parse("", []byte("(role Random) (<= (GOAL ?r 50) (f 1 x) (Not (f 2 ?r)))")))(t)
	got := gdl.Print(rewrite.Symbols(tree, func(s string) string { return s + s }))
	want := "(role Random)\n(<= (GOAL ?r 50) (ff 1 xx) (Not (ff 2 ?r)))\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDisjunctionsAreExpandedAlsoInsideEachOther(t *testing.T) {
	tree := must.Get(gdl.Parse("", []byte("(<= a (or b (or c d)) (or e f))")))(t)
	got := gdl.Print(rewrite.Disjunctions(tree))
	want := "(<= a b e)\n(<= a b f)\n(<= a c e)\n(<= a c f)\n(<= a d e)\n(<= a d f)\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestShufflesReachEveryOrder(t *testing.T) {
	tree := must.Get(gdl.Parse("", []byte("(role y) (role x) (<= a b c (or d e)) (f 1)")))(t)
	digits := regexp.MustCompile("w[0-9]+")
	for name, test := range map[string]struct {
		shuffle func(*gdl.File, *rand.Rand) *gdl.File
		orders  int
	}{
		"Rules":    {rewrite.Rules, 2}, // roles keep their order
		"Bodies":   {rewrite.Bodies, 6 * 2},
		"Scramble": {rewrite.Scramble, 2 * 3}, // all names count as equal
	} {
		orders := make(map[string]bool)
		for seed := range uint64(200) {
			text := gdl.Print(test.shuffle(tree, rand.New(rand.NewPCG(seed, 1))))
			orders[digits.ReplaceAllString(text, "w")] = true
		}
		if len(orders) != test.orders {
			t.Errorf("%s: %d orders, want %d", name, len(orders), test.orders)
		}
	}
}
