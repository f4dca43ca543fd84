package canonical

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// pairing is a bijection of variables, in both directions.
type pairing map[string]string

// match returns the pairings that extend p and map a term to another one.
func (p pairing) match(a, b gdl.Term) (pairing, bool) {
	if a.Kind != b.Kind || len(a.Args) != len(b.Args) {
		return nil, false
	}
	if a.Kind == gdl.Variable {
		there, back := "to "+a.Name, "from "+b.Name
		if p[there] == "" && p[back] == "" {
			p = maps.Clone(p)
			p[there], p[back] = b.Name, a.Name
		}
		return p, p[there] == b.Name && p[back] == a.Name
	}
	ok := a.Name == b.Name
	for i := 0; ok && i < len(a.Args); i++ {
		p, ok = p.match(a.Args[i], b.Args[i])
	}
	return p, ok
}

// matchBodies reports whether an extension of p maps conditions to others in any order.
func (p pairing) matchBodies(a, b []gdl.Literal) bool {
	if len(a) == 0 || len(a) != len(b) {
		return len(a) == len(b)
	}
	for i := range b {
		next, ok := p.match(atom(a[0]), atom(b[i]))
		if ok && a[0].Op == b[i].Op && next.matchBodies(a[1:], slices.Concat(b[:i], b[i+1:])) {
			return true
		}
	}
	return false
}

// atom returns the terms of a literal as one term.
func atom(l gdl.Literal) gdl.Term {
	if l.Op == gdl.Distinct || l.Op == gdl.Equal {
		return gdl.Term{Kind: gdl.Compound, Args: []gdl.Term{l.Left, l.Right}}
	}
	return l.Atom
}

// areEqual reports whether rules are the same up to their order, the order of their conditions and the names of variables.
func areEqual(a, b []gdl.Rule) bool {
	b = slices.Clone(b)
	for _, r := range a {
		i := slices.IndexFunc(b, func(s gdl.Rule) bool {
			p, ok := pairing{"": ""}.match(r.Head, s.Head)
			return ok && p.matchBodies(r.Body, s.Body)
		})
		if i < 0 {
			return false
		}
		b = slices.Delete(b, i, i+1)
	}
	return len(b) == 0
}

// isIsomorphism reports whether a renaming maps the rules of a game exactly to the rules of another one.
func isIsomorphism(a, b *gdl.Game, name func(string) string) bool {
	var rules []gdl.Rule
	for _, r := range a.Rules {
		renamed := gdl.Rule{Head: rewrite.Term(r.Head, name)}
		for _, l := range r.Body {
			l.Atom, l.Left, l.Right = rewrite.Term(l.Atom, name), rewrite.Term(l.Left, name), rewrite.Term(l.Right, name)
			renamed.Body = append(renamed.Body, l)
		}
		rules = append(rules, renamed)
	}
	for i, r := range a.Roles {
		if !rewrite.Term(r, name).Equal(b.Roles[i]) {
			return false
		}
	}
	return areEqual(rules, b.Rules)
}

// names lists the symbols of a game that have other names in isomorphic games, by the number of their occurrences.
func names(g *gdl.Game) map[int][]string {
	count, list := make(map[string]int), make(map[int][]string)
	for _, r := range encode(g).rules {
		for _, text := range r.texts {
			for _, name := range split(text) {
				if !isFixed(name) && !gdl.IsVariable(name) {
					count[name]++
				}
			}
		}
	}
	for name, n := range count {
		list[n] = append(list[n], name)
	}
	return list
}

// isomorphic tries all renamings of the symbols of a game that map it to another one.
func isomorphic(a, b *gdl.Game) bool {
	from, to := names(a), names(b)
	var all []string
	for n, list := range from {
		if len(list) != len(to[n]) {
			return false
		}
		all = append(all, list...)
	}
	if len(a.Roles) != len(b.Roles) || len(from) != len(to) {
		return false
	}
	image, counts := make(map[string]string), make(map[string]int)
	for n, list := range from {
		for _, name := range list {
			counts[name] = n
		}
	}
	var try func(left []string) bool
	try = func(left []string) bool {
		if len(left) == 0 {
			return isIsomorphism(a, b, func(name string) string {
				if other, ok := image[name]; ok {
					return other
				}
				return name
			})
		}
		for i, name := range to[counts[left[0]]] {
			if name == "" {
				continue
			}
			image[left[0]], to[counts[left[0]]][i] = name, ""
			if try(left[1:]) {
				return true
			}
			to[counts[left[0]]][i] = name
		}
		return false
	}
	return try(all)
}

// draw returns the lines of a small random rulesheet in which many symbols are alike.
func draw(rng *rand.Rand) []string {
	among := func(list ...string) string { return list[rng.IntN(len(list))] }
	constants := []string{"a", "b", "c", "d"}[:2+rng.IntN(3)]
	lines := []string{"(role x)", "(role y)", "(init i)", "(<= (legal ?r m) (role ?r))", "(goal x 50)", "(goal y 50)", "terminal"}
	for range 2 + rng.IntN(6) {
		lines = append(lines, fmt.Sprintf("(%s %s %s)", among("p", "q"), among(constants...), among(constants...)))
	}
	for range rng.IntN(4) {
		body := fmt.Sprintf("(%s ?x ?y)", among("p", "q"))
		for range rng.IntN(4) {
			arguments := func() string { return among("?x", "?y", "?z", "?w", constants[0]) }
			body += fmt.Sprintf(" (%s %s %s)", among("p", "p", "q", "distinct"), arguments(), arguments())
		}
		lines = append(lines, fmt.Sprintf("(<= (%s ?x) %s)", among("u", "v"), body))
	}
	return lines
}

// change replaces one name of a line by another one of its kind.
func change(rng *rand.Rand, line *string) {
	parts := split(*line)
	for {
		i := rng.IntN(len(parts))
		for _, kind := range [][]string{{"a", "b", "c"}, {"?x", "?y", "?z", "?w"}, {"p", "q"}} {
			if slices.Contains(kind, parts[i]) {
				parts[i] = kind[rng.IntN(len(kind))]
				*line = strings.Join(parts, " ")
				return
			}
		}
	}
}

// load reads a valid rulesheet; nil if it is not valid.
func load(t *testing.T, text string) *gdl.Game {
	t.Helper()
	g, _, err := gdl.Load(t.Context(), "", []byte(text))
	if err != nil {
		return nil
	}
	return g
}

// scrambled reads a rulesheet under other names and in another order.
func scrambled(t *testing.T, text string, seed uint64) *gdl.Game {
	t.Helper()
	tree := must.Get(gdl.Parse("", []byte(text)))(t)
	g, _ := must.Get2(gdl.LoadToPlay(t.Context(), "", []byte(gdl.Print(rewrite.Scramble(tree, rand.New(rand.NewPCG(seed, 0)))))))(t)
	return g
}

func TestDigestsAreEqualExactlyIfARenamingExists(t *testing.T) {
	pairs, equal := exhaustive.Choose(40, 500), 0
	for seed := uint64(1); pairs > 0; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		lines := draw(rng)
		one := load(t, strings.Join(lines, "\n"))
		if rng.IntN(4) > 0 {
			change(rng, &lines[7+rng.IntN(len(lines)-7)])
		}
		text := strings.Join(lines, "\n")
		if one == nil || load(t, text) == nil {
			continue
		}
		pairs--
		other := scrambled(t, text, seed)
		want := isomorphic(one, other)
		if got := New(one).Digest() == New(other).Digest(); got != want {
			t.Errorf("seed %d: equal digests %t, want %t:\n%s\n\n%s", seed, got, want, New(one).Rules(), New(other).Rules())
		}
		if want {
			equal++
		}
	}
	if all := exhaustive.Choose(40, 500); equal < all/4 || equal > all*3/4 {
		t.Errorf("%d of %d pairs are isomorphic", equal, all)
	}
}
