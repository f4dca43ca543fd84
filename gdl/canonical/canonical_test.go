package canonical

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol/arena"
)

// small is a valid game with further rules.
func small(rules ...string) string {
	return "(role x) (role y) (init i) (<= (legal ?r m) (role ?r)) (goal x 50) (goal y 50) terminal " + strings.Join(rules, " ")
}

// edges returns facts for the edges of an undirected graph.
func edges(n int, adjacent func(i, j int) bool) (facts []string) {
	for i := range n {
		for j := range n {
			if i != j && (adjacent(i, j) || adjacent(j, i)) {
				facts = append(facts, fmt.Sprintf("(edge v%d v%d)", i, j))
			}
		}
	}
	return facts
}

// check reports a game that does not have the same canonical form under other names, or a map between the names that is
// no isomorphism. It tries so many other spellings.
func check(t *testing.T, name string, g *gdl.Game, text string, times uint64) {
	t.Helper()
	if g == nil {
		t.Fatalf("%s is not valid", name)
	}
	from := New(g)
	if _, found := encode(g).order(); !found {
		t.Errorf("%s: the search exceeds its budget", name)
	}
	for seed := range times {
		other := scrambled(t, text, seed)
		to := New(other)
		if from.Digest() != to.Digest() {
			t.Errorf("%s: other digest under other names", name)
		} else if !isIsomorphism(g, other, func(name string) string { return to.Own(from.Canonical(name)) }) {
			t.Errorf("%s: the map between the names is no isomorphism", name)
		}
	}
}

func TestGamesHaveOneFormUnderAllNames(t *testing.T) {
	forms := make(map[string]string)
	for _, family := range games.Families() {
		_, src := must.Get2(games.Source(family.Name()))(t)
		g := load(t, string(src))
		check(t, family.Name(), g, string(src), 2)
		digest := New(g).Digest()
		if forms[digest] != "" {
			t.Errorf("%s and %s have one digest", family.Name(), forms[digest])
		}
		forms[digest] = family.Name()
	}
}

// renamings are the games of the corpus that are the same up to names and order.
var renamings = [][2]string{
	{"asteroidsSerial", "asteroidsSerial-v1"},
	{"blockerSerial", "blockerSerial-v1"},
	{"bunk_t", "doubletoetictac"},
	{"hallway", "hallway-v1"},
	{"tttcc4", "ttcc4"},
}

func TestGamesOfTheCorpusHaveOneFormUnderAllNames(t *testing.T) {
	known, games := make(map[string]string), make(map[string]*gdl.Game)
	for _, sheet := range corpus.Rulesheets(t) {
		g, _, err := gdl.LoadToPlay(t.Context(), sheet.Path, corpus.Source(t, sheet.Name))
		if err != nil {
			t.Errorf("%s: %v", sheet.Name, err)
			continue
		}
		check(t, sheet.Name, g, string(corpus.Source(t, sheet.Name)), 2)
		check(t, sheet.Name+" on the wire", g, arena.RulesText(g), 1)
		digest := New(g).Digest()
		if other := known[digest]; other != "" && !slices.Contains(renamings, [2]string{other, sheet.Name}) && !slices.Contains(renamings, [2]string{sheet.Name, other}) {
			t.Errorf("%s and %s have one digest", other, sheet.Name)
		}
		known[digest], games[sheet.Name] = sheet.Name, g
	}
	for _, pair := range renamings {
		if New(games[pair[0]]).Digest() != New(games[pair[1]]).Digest() {
			t.Errorf("%s and %s have different digests", pair[0], pair[1])
		}
	}
}

// cycles returns the adjacency of cycles of a length.
func cycles(length int) func(i, j int) bool {
	return func(i, j int) bool { return i/length == j/length && (i+1)%length == j%length }
}

// union returns the adjacency of two graphs side by side: the first one has n vertices.
func union(n int, a, b func(i, j int) bool) func(i, j int) bool {
	return func(i, j int) bool { return i < n && j < n && a(i, j) || i >= n && j >= n && b(i-n, j-n) }
}

// body returns a rule whose conditions are some facts, with variables in place of constants.
func body(head string, facts []string) string {
	return "(<= " + head + " " + strings.ReplaceAll(strings.Join(facts, " "), "v", "?v") + ")"
}

func TestGamesThatRefinementCannotTellApartDiffer(t *testing.T) {
	torus := func(steps ...int) func(i, j int) bool { // a Cayley graph of Z4 × Z4
		return func(i, j int) bool {
			return slices.Contains(steps, (j/4-i/4+4)%4*4+(j%4-i%4+4)%4)
		}
	}
	rook, shrikhande := edges(16, torus(1, 2, 3, 4, 8, 12)), edges(16, torus(1, 3, 4, 12, 5, 15))
	for name, pair := range map[string][2]string{
		"one cycle and two":              {small(edges(6, cycles(6))...), small(edges(6, cycles(3))...)},
		"one cycle and two of variables": {small(body("p", edges(6, cycles(6)))), small(body("p", edges(6, cycles(3))))},
		"strongly regular graphs":        {small(rook...), small(shrikhande...)},
		"three cycles and four":          {small(edges(24, cycles(8))...), small(edges(24, cycles(6))...)},
	} {
		for _, text := range pair {
			check(t, name, load(t, text), text, 6)
		}
		if New(load(t, pair[0])).Digest() == New(load(t, pair[1])).Digest() {
			t.Errorf("%s: one digest", name)
		}
	}
}

func TestSymbolsThatOnlyLookAlikeAreOrdered(t *testing.T) {
	mixed := union(6, cycles(6), cycles(3))
	for name, text := range map[string]string{
		"cycles":              small(edges(12, mixed)...),
		"cycles of variables": small(body("p", edges(12, mixed))),
		"relations":           small(body("p", edges(9, cycles(9))), body("q", edges(9, union(4, cycles(4), cycles(5)))), body("r", edges(9, union(3, cycles(3), cycles(6))))),
	} {
		check(t, name, load(t, text), text, 6)
	}
	for seed := range uint64(exhaustive.Choose(10, 100)) { // regular graphs, each of three parts
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 7 + rng.IntN(5)
		circulant := func() func(i, j int) bool {
			steps := rng.Perm(n / 2)[:2]
			return func(i, j int) bool { return slices.Contains(steps, (j-i+n)%n-1) }
		}
		a, b := circulant(), circulant()
		facts := edges(3*n, union(n, a, union(n, b, a)))
		check(t, fmt.Sprint("graph ", seed), load(t, small(facts...)), small(facts...), 2)
	}
}

func TestManySymbolsAreAlike(t *testing.T) {
	for name, adjacent := range map[string]func(i, j int) bool{
		"free":       func(i, j int) bool { return false },
		"pairs":      func(i, j int) bool { return i/2 == j/2 },
		"bipartite":  func(i, j int) bool { return i < 10 && j >= 10 },
		"hypercube":  func(i, j int) bool { return i < 16 && j < 16 && (i^j)&((i^j)-1) == 0 },
		"three sets": func(i, j int) bool { return i%3 == j%3 },
		"long cycle": cycles(150),
	} {
		n := 20
		if name == "long cycle" {
			n = 150
		}
		facts := edges(n, adjacent)
		for i := range n {
			facts = append(facts, fmt.Sprintf("(vertex v%d)", i))
		}
		text := small(facts...)
		check(t, name, load(t, text), text, 6)
	}
}

// The parts of relations that negate each other by name only, and the auxiliary relations of many disjunctions, are the same
// for all orders of rules and conditions.
func TestAuxiliaryRelationsAreOfOneForm(t *testing.T) {
	var two, three []string
	for i := range 10 {
		two = append(two, fmt.Sprintf("(or (true (f %d)) (true (g %d)))", i, i))
		three = append(three, fmt.Sprintf("(or (true (f %d)) (true (g %d)) (distinct ?x ?y))", i, i))
	}
	for name, text := range map[string]string{
		"negations":            small("(<= (u 1) (true i) (not (v 2)))", "(<= (u 2) (true i))", "(<= (v 1) (u 2))", "(<= (v 2) (true i))"),
		"disjunctions":         small("(<= (legal x n) " + strings.Join(two, " ") + ")"),
		"disjunctions of more": small("(<= (legal x (n ?x ?y)) (true (f ?x)) (true (g ?y)) (true (h ?x)) (true (l ?x ?y)) " + strings.Join(three, " ") + ")"),
	} {
		check(t, name, load(t, text), text, 12)
	}
}

func TestGamesDifferInRolesIntegersAndKeywords(t *testing.T) {
	const base = "(init 1) (init a) (<= (legal ?r m) (role ?r)) (goal x 100) (goal y 0) (<= terminal (p 2 b))"
	digests := make(map[string]string)
	for name, text := range map[string]string{
		"a game":         "(role x) (role y)" + base,
		"other order":    "(role y) (role x)" + base,
		"other integer":  "(role x) (role y)" + strings.Replace(base, "init 1", "init 2", 1),
		"other keyword":  "(role x) (role y) (base a)" + base,
		"chance":         "(role x) (role random)" + strings.Replace(base, " y 0", " random 0", 1),
		"a constant":     "(role x) (role y)" + strings.Replace(base, "init 1", "init one", 1),
		"another number": "(role x) (role y) (role z) (goal z 0)" + base,
	} {
		g, _, err := gdl.LoadToPlay(t.Context(), "", []byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		form := New(g)
		if other := digests[form.Digest()]; other != "" {
			t.Errorf("%s and %s have one digest", name, other)
		}
		digests[form.Digest()] = name
	}
	g, _, err := gdl.LoadToPlay(t.Context(), "", []byte(strings.ToUpper("(role x) (role y)"+base)))
	if err != nil || digests[New(g).Digest()] != "a game" {
		t.Errorf("capitals change the digest, %v", err)
	}
}

func TestTextsAreTranslatedThereAndBack(t *testing.T) {
	text := small("(init (cell 1 a))", "(p (cell 1 a) a)")
	f := New(load(t, text))
	for _, own := range []string{"(cell 1 a)", "m", "x", "(cell 1 (cell 1 a))", "(unknown 7)", ""} {
		canonical := f.Canonical(own)
		if f.Own(canonical) != own || strings.Contains(canonical, "cell") || strings.Count(own, " ") != strings.Count(canonical, " ") {
			t.Errorf("%q became %q and %q", own, canonical, f.Own(canonical))
		}
	}
}

func TestWithoutAFormInTimeGamesKeepTheirNames(t *testing.T) {
	var body []string
	for i := range 12 {
		body = append(body, fmt.Sprintf("(edge ?v%d ?w%d)", i, i))
	}
	g := load(t, small("(edge a b)", "(<= p "+strings.Join(body, " ")+")"))
	if _, found := encode(g).order(); found {
		t.Fatal("the form is found")
	}
	f, again := New(g), New(load(t, small("(<= p "+strings.Join(body, " ")+")", "(edge a b)")))
	if f.Canonical("(edge a b)") != "(edge a b)" || f.Own("a") != "a" || f.Rules() != again.Rules() || !strings.Contains(f.Rules(), "(edge a b)") {
		t.Errorf("found %s", f.Rules())
	}
}
