package prover_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner/prover"
	"stackmate/reasoner/wellformed"
)

// manager reads rules as game managers do: backward chaining from left to right, with the facts of the position. The
// tests of a body (not, distinct) come last.
type manager struct {
	t       *testing.T
	clauses []*gdl.Clause
	facts   []gdl.Term
	renamed int
	known   map[string][]gdl.Term
}

// bindings maps variables to terms.
type bindings map[string]gdl.Term

func (b bindings) walk(t gdl.Term) gdl.Term {
	for t.Kind == gdl.Variable {
		next, ok := b[t.Name]
		if !ok {
			return t
		}
		t = next
	}
	return t
}

// apply replaces the bound variables of a term.
func (b bindings) apply(t gdl.Term) gdl.Term {
	if t = b.walk(t); len(t.Args) == 0 {
		return t
	}
	args := make([]gdl.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = b.apply(a)
	}
	return gdl.Term{Kind: t.Kind, Name: t.Name, Args: args}
}

func (b bindings) unify(x, y gdl.Term) (bindings, bool) {
	x, y = b.walk(x), b.walk(y)
	switch {
	case x.Kind == gdl.Variable && y.Kind == gdl.Variable && x.Name == y.Name:
		return b, true
	case x.Kind == gdl.Variable:
		return b.with(x.Name, y), true
	case y.Kind == gdl.Variable:
		return b.with(y.Name, x), true
	case x.Name != y.Name || len(x.Args) != len(y.Args):
		return nil, false
	}
	for i := range x.Args {
		var ok bool
		if b, ok = b.unify(x.Args[i], y.Args[i]); !ok {
			return nil, false
		}
	}
	return b, true
}

func (b bindings) with(name string, t gdl.Term) bindings {
	out := bindings{name: t}
	for k, v := range b {
		out[k] = v
	}
	return out
}

// prove visits the bindings that satisfy all conditions.
func (m *manager) prove(conditions []gdl.Formula, b bindings, depth int, visit func(bindings)) {
	if depth > 16 {
		return // deeper recursion has no new answers
	}
	if len(conditions) == 0 {
		visit(b)
		return
	}
	f, rest := conditions[0], conditions[1:]
	switch f.Connective {
	case gdl.Atomic:
		m.proveAtom(f.Atom, b, depth, func(b bindings) { m.prove(rest, b, depth, visit) })
	case gdl.Differ:
		if x, y := b.apply(f.Args[0]), b.apply(f.Args[1]); x.String() != y.String() {
			m.prove(rest, b, depth, visit)
		}
	case gdl.Negation:
		found := false
		m.prove(f.Subs, b, depth+1, func(bindings) { found = true })
		if !found {
			m.prove(rest, b, depth, visit)
		}
	case gdl.Disjunction:
		for i := range f.Subs {
			m.prove(append(slices.Clone(f.Subs[i:i+1]), rest...), b, depth, visit)
		}
	case gdl.Conjunction:
		m.prove(append(slices.Clone(f.Subs), rest...), b, depth, visit)
	}
}

// proveAtom visits the bindings under which an atom unifies with an answer.
func (m *manager) proveAtom(atom gdl.Term, b bindings, depth int, visit func(bindings)) {
	for _, answer := range m.instances(b.apply(atom), depth) {
		if c, ok := b.unify(atom, rename(answer, m.suffix())); ok {
			visit(c)
		}
	}
}

// instances returns the distinct answers to a query. They are cached for the position.
func (m *manager) instances(query gdl.Term, depth int) (out []gdl.Term) {
	key := fmt.Sprint(depth, " ", bindings{}.canonical(query))
	if known, ok := m.known[key]; ok {
		return known
	}
	seen := make(map[string]bool)
	keep := func(b bindings) {
		if text := b.canonical(query); !seen[text] {
			seen[text] = true
			out = append(out, b.apply(query))
		}
	}
	for _, fact := range m.facts {
		if b, ok := (bindings{}).unify(query, fact); ok {
			keep(b)
		}
	}
	for _, cl := range m.clauses {
		if cl.Head.Name != query.Name {
			continue
		}
		suffix := m.suffix()
		if b, ok := (bindings{}).unify(query, rename(cl.Head, suffix)); ok {
			m.prove(testsLast(renameAll(cl.Body, suffix)), b, depth+1, keep)
		}
	}
	m.known[key] = out
	return out
}

func (m *manager) suffix() string {
	m.renamed++
	return "#" + strconv.Itoa(m.renamed)
}

// canonical returns the text of a term with numbered variables.
func (b bindings) canonical(t gdl.Term) string {
	numbers := make(map[string]string)
	return string(b.appendCanonical(nil, t, numbers))
}

func (b bindings) appendCanonical(dst []byte, t gdl.Term, numbers map[string]string) []byte {
	if t = b.walk(t); t.Kind == gdl.Variable {
		if numbers[t.Name] == "" {
			numbers[t.Name] = fmt.Sprintf("?%d", len(numbers))
		}
		return append(dst, numbers[t.Name]...)
	}
	dst = append(append(append(dst, '('), t.Name...), ' ')
	for _, a := range t.Args {
		dst = b.appendCanonical(dst, a, numbers)
	}
	return append(dst, ')')
}

func testsLast(body []gdl.Formula) []gdl.Formula {
	slices.SortStableFunc(body, func(a, b gdl.Formula) int { return isTest(a) - isTest(b) })
	return body
}

func isTest(f gdl.Formula) int {
	if f.Connective == gdl.Negation || f.Connective == gdl.Differ {
		return 1
	}
	return 0
}

func rename(t gdl.Term, suffix string) gdl.Term {
	if t.Kind == gdl.Variable {
		t.Name += suffix
	}
	args := make([]gdl.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = rename(a, suffix)
	}
	t.Args = args
	return t
}

func renameAll(list []gdl.Formula, suffix string) []gdl.Formula {
	out := make([]gdl.Formula, len(list))
	for i, f := range list {
		f.Atom, f.Subs = rename(f.Atom, suffix), renameAll(f.Subs, suffix)
		args := make([]gdl.Term, len(f.Args))
		for j, a := range f.Args {
			args[j] = rename(a, suffix)
		}
		f.Args = args
		out[i] = f
	}
	return out
}

// answers returns the last arguments of the answers to a query, sorted.
func (m *manager) answers(query string) []string {
	tree, err := gdl.Parse("query", []byte(query))
	if err != nil {
		m.t.Fatal(err)
	}
	found := make(map[string]bool)
	m.proveAtom(tree.Clauses[0].Head, bindings{}, 0, func(b bindings) {
		atom := b.apply(tree.Clauses[0].Head)
		text := atom.String()
		if strings.Contains(text, "?") {
			m.t.Fatalf("%s has the answer %s", query, text)
		}
		if len(atom.Args) > 0 {
			text = atom.Args[len(atom.Args)-1].String()
		}
		found[text] = true
	})
	var out []string
	for text := range found {
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// setFacts sets the position and the moves from texts such as (true (cell 1 1)).
func (m *manager) setFacts(facts ...string) {
	m.facts, m.known = nil, make(map[string][]gdl.Term)
	tree, err := gdl.Parse("position", []byte(strings.Join(facts, "\n")))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, cl := range tree.Clauses {
		m.facts = append(m.facts, cl.Head)
	}
}

// goal returns the goal as GameController computes it: the first answer, or 0 without an answer, within 0 and 100.
func (m *manager) goal(role string) int {
	query := gdl.Term{Kind: gdl.Compound, Name: "goal", Args: []gdl.Term{{Name: role}, {Kind: gdl.Variable, Name: "?v"}}}
	values := m.instances(query, 0)
	if len(values) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(values[0].Args[1].Name)
	return max(0, min(n, 100))
}

func TestPlayableRulesMeanTheSameToManagers(t *testing.T) {
	a := must.Get(txtar.ParseFile(filepath.Join("testdata", "playable.txtar")))(t)
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			if _, _, err := gdl.Load(t.Context(), f.Name, f.Data); err == nil {
				t.Error("the rules are valid")
			}
			g, found := must.Get2(gdl.LoadToPlay(t.Context(), f.Name, f.Data))(t)
			var codes []string
			for _, d := range found {
				if d.Meaning != "" {
					codes = append(codes, d.Code)
				}
			}
			first, _, _ := strings.Cut(string(f.Data), "\n")
			want := strings.Fields(strings.TrimPrefix(first, ";"))
			slices.Sort(want)
			slices.Sort(codes)
			codes = slices.Compact(codes)
			if d := cmp.Diff(want, codes); d != "" {
				t.Errorf("faults with a meaning (-want +got):\n%s", d)
			}
			tree := must.Get(gdl.Parse(f.Name, f.Data))(t)
			for seed := range 6 {
				compare(t, &manager{t: t, clauses: tree.Clauses}, g, rand.New(rand.NewPCG(uint64(seed), 0)))
			}
		})
	}
}

func TestTheFirstOfSeveralGoalsCountsForManagers(t *testing.T) {
	const common = `
(role a) (role b) (init (at 0)) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(legal a climb) (legal a rest) (legal b noop)
(<= (next (at ?y)) (does a climb) (true (at ?x)) (succ ?x ?y))
(<= (next (at 3)) (true (at 3)))
(<= (next (at ?x)) (does a rest) (true (at ?x)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 3)))
(<= (high 0) (true (at ?x)))
(<= (high 1) (true (at ?x)) (distinct ?x 0))
(<= (high 2) (true (at 2)))
(<= (high 3) (true (at 3)))
`
	for name, goals := range map[string]string{
		"upwards":   "(<= (goal a 0) (high 0)) (<= (goal a 50) (high 1)) (<= (goal a 100) (high 2)) (goal b 7)",
		"downwards": "(<= (goal a 100) (high 2)) (<= (goal a 50) (high 1)) (<= (goal a 0) (high 0)) (goal b 7)",
		"of any role, some values twice": "(<= (goal ?r 30) (role ?r) (high 3)) (<= (goal ?r 30) (role ?r) (high 2))" +
			"(<= (goal ?r 60) (role ?r) (high 1)) (<= (goal b 10) (high 1)) (<= (goal ?r 30) (role ?r) (high 0))",
		"asked in bodies": "(<= (goal a 0) (high 0)) (<= (goal a 50) (high 1)) (<= (goal b 20) (goal a 50)) (<= (goal b 10) (not (goal a 50)))",
	} {
		t.Run(name, func(t *testing.T) {
			rules := []byte(common + goals)
			g, _ := must.Get2(gdl.Load(t.Context(), name, rules))(t)
			g, role := wellformed.FirstGoals(t.Context(), g)
			if role != "a" && role != "b" {
				t.Fatal("several goals were not found")
			}
			tree := must.Get(gdl.Parse(name, rules))(t)
			for seed := range 6 {
				compare(t, &manager{t: t, clauses: tree.Clauses}, g, rand.New(rand.NewPCG(uint64(seed), 0)))
			}
		})
	}
}

// compare plays a random match and compares all answers.
func compare(t *testing.T, m *manager, g *gdl.Game, rng *rand.Rand) {
	p := prover.New(g)
	ctx := t.Context()
	same := func(query string, want any, got any, err error) {
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || err != nil {
			t.Fatalf("%s, with %v (-manager +rules): %s %v", query, m.facts, d, err)
		}
	}
	m.setFacts()
	fluents := m.answers("(init ?f)")
	initial, err := p.Initial(ctx)
	same("init", fluents, initial, err)
	for range 12 {
		var facts []string
		for _, f := range fluents {
			facts = append(facts, "(true "+f+")")
		}
		m.setFacts(facts...)
		over := len(m.answers("terminal")) > 0
		terminal, err := p.Terminal(ctx, fluents)
		same("terminal", over, terminal, err)
		var joint []string
		for _, r := range g.Roles {
			role := r.String()
			goal, err := p.Goal(ctx, fluents, role)
			same("goal of "+role, m.goal(role), max(0, goal), err)
			want := m.answers(fmt.Sprintf("(legal %s ?m)", role))
			legal, err := p.Legal(ctx, fluents, role, 0)
			same("legal of "+role, want, legal, err)
			if len(want) > 0 {
				move := want[rng.IntN(len(want))]
				joint = append(joint, move)
				facts = append(facts, fmt.Sprintf("(does %s %s)", role, move))
			}
		}
		if over || len(joint) < len(g.Roles) {
			return
		}
		m.setFacts(facts...)
		after := m.answers("(next ?f)")
		next, err := p.Next(ctx, fluents, joint)
		same("next", after, next, err)
		fluents = after
	}
}
