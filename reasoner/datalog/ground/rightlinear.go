package ground

import (
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
)

// A right-linear relation recurs on itself once and last, and passes its result on:
//
//	before  count(P,I,N) ← stone(P) ∧ after(P,Q) ∧ succ(I,J) ∧ count(Q,J,N)
//	        count(end,N,N) ← number(N)
//	        result(N) ← count(start,0,N)
//	after   at(start,0)
//	        at(Q,J) ← at(P,I) ∧ stone(P) ∧ after(P,Q) ∧ succ(I,J)
//	        found(N) ← at(end,N) ∧ number(N)
//	        result(N) ← found(N)
//
// The passed-on columns (N) leave the recursion. The other columns (P, I) hold only values reached from the start.
// This is factoring of right-linear rules after magic sets (Naughton, Ramakrishnan, Sagiv, Ullman, "Argument
// reduction by factoring", 1989). Assumptions: the relation is no output, as only uses in bodies are replaced. Each
// rule recurs at most once, the relation is not negated, and each use binds all columns that are not passed on.
type rightLinear struct {
	theory *rules.Theory
	when   threshold
	rel    *rules.Relation
	rules  []*rules.Rule
	kept   []int32 // columns passed on by the recursion
	moved  []int32 // the remaining columns
	made   map[string]*rules.Relation
	added  []*rules.Rule
}

// factorRightLinear rewrites right-linear relations that are expected to shrink. A rewriting changes the rules of relations
// that read the relation, so each relation is rewritten with its rules at that time.
func (gr *grounder) factorRightLinear() error {
	th := gr.Theory
	byHead := th.RulesOf(func(rel *rules.Relation) bool { return rel.IsOpen() })
	var found []*rules.Relation
	for _, component := range rules.Components(th.Relations, byHead) {
		if len(component) == 1 && gr.rightLinear(component[0], byHead[component[0]]) != nil {
			found = append(found, component[0])
		}
	}
	if len(found) == 0 {
		return nil
	}
	defer join.Estimate(th, th.Rules)()
	for _, rel := range found {
		if rel.Size() > gr.factoring.above {
			if t := gr.rightLinear(rel, th.RulesOf(nil)[rel]); t != nil {
				t.rewrite()
			}
		}
	}
	return nil
}

// rightLinear returns the rewriting of a relation with the given rules, or nil if these are not right-linear.
func (gr *grounder) rightLinear(rel *rules.Relation, list []*rules.Rule) *rightLinear {
	t := &rightLinear{theory: gr.Theory, when: gr.factoring, rel: rel, rules: list, made: make(map[string]*rules.Relation)}
	recursTwice := func(r *rules.Rule) bool { return r.Count(rel) > 1 }
	if rel.IsInterface() || !rules.Uses(list, rel) || slices.ContainsFunc(list, recursTwice) || !t.findColumns() || !t.isSafe() {
		return nil
	}
	return t
}

// findColumns finds the columns that every recursive rule passes on: their variable
// occurs only in the head and in the recursive literal.
func (t *rightLinear) findColumns() bool {
	for c := range int32(t.rel.Arity) {
		handed := true
		for _, r := range t.rules {
			if i := r.Find(t.rel); i >= 0 {
				a, b := r.Head.Args[c], r.Body[i].Atom.Args[c]
				handed = handed && a.Kind == rules.Variable && b.Kind == rules.Variable && a.Id == b.Id && r.Occurrences(a.Id) == 2
			}
		}
		if handed {
			t.kept = append(t.kept, c)
		} else {
			t.moved = append(t.moved, c)
		}
	}
	return len(t.kept) > 0
}

// isSafe reports whether the recursive rules bind their variables without the recursive literal.
func (t *rightLinear) isSafe() bool {
	for _, r := range t.rules {
		at := r.Find(t.rel)
		if at < 0 {
			continue
		}
		others := append([]rules.Literal{rules.Positive(r.Head.Project(nil, t.moved))}, r.Body[:at]...)
		others = append(others, r.Body[at+1:]...)
		vars := r.Body[at].Atom.Project(nil, t.moved).AppendVars(nil)
		if !rules.Covers(rules.Bound(others), rules.AppendBodyVars(vars, others)) {
			return false
		}
	}
	return true
}

// rewrite replaces all uses, if all can be replaced.
func (t *rightLinear) rewrite() {
	var out []*rules.Rule
	for _, r := range t.theory.Rules {
		if r.Head.Rel == t.rel {
			continue
		}
		switch r.Count(t.rel) {
		case 0:
			out = append(out, r)
		case 1:
			s := t.replace(r)
			if s == nil {
				return
			}
			out = append(out, s)
		default:
			return
		}
	}
	t.theory.Rules = append(out, t.added...)
}

// replace returns r with its use of the relation replaced, or nil if the use cannot be replaced.
func (t *rightLinear) replace(r *rules.Rule) *rules.Rule {
	at := r.Find(t.rel)
	if r.Body[at].Op != gdl.Holds {
		return nil
	}
	use := r.Body[at].Atom
	known, handed := use.Project(nil, t.moved).AppendVars(nil), use.Project(nil, t.kept).AppendVars(nil)
	start, rest := divide(r, at, known, handed)
	outside := append(r.Head.AppendVars(nil), handed...) // variables that the rest of the rule needs
	outside = rules.AppendBodyVars(outside, rules.LiteralsOf(r.Body, rest))
	body := rules.LiteralsOf(r.Body, start)
	seed := rules.DistinctVars(rules.AppendBodyVars(slices.Clone(known), body))
	seeds := rules.Intersect(seed, outside)
	if !rules.Covers(rules.Bound(body), seed) || t.when.gain*t.size(r, seeds) > t.rel.Size() {
		return nil
	}
	call := rules.AtomOf(nil, seeds)
	call.Args = append(call.Args, use.Project(nil, t.kept).Args...)
	call.Rel = t.result(r, body, use, seeds)
	out := *r
	out.Body = append([]rules.Literal{rules.Positive(call)}, rules.LiteralsOf(r.Body, rest)...)
	return &out
}

// divide separates literals of r, without literal at. start are the literals that bind the known variables,
// without the passed-on variables if possible, and the filters over their variables. rest are all other literals.
func divide(r *rules.Rule, at int, known, handed []int32) (start, rest []int) {
	var found []int32
	avoid := slices.DeleteFunc(slices.Clone(handed), func(v int32) bool { return slices.Contains(known, v) })
	for _, avoid := range [][]int32{avoid, nil} {
		start, found = nil, nil
		for i := range r.Body {
			vars := r.Body[i].Vars()
			if i != at && r.Body[i].Op == gdl.Holds && len(rules.Intersect(vars, known)) > 0 && len(rules.Intersect(vars, avoid)) == 0 {
				start = append(start, i)
				found = append(found, vars...)
			}
		}
		if rules.Covers(found, known) {
			break
		}
	}
	for i := range r.Body {
		if i == at || slices.Contains(start, i) {
			continue
		}
		if vars := r.Body[i].Vars(); len(vars) > 0 && rules.Covers(found, vars) {
			start = append(start, i)
		} else {
			rest = append(rest, i)
		}
	}
	return start, rest
}

// size estimates the tuples of the relation that replaces the recursive relation.
func (t *rightLinear) size(r *rules.Rule, seeds []int32) float64 {
	n := 1.0
	for _, c := range t.moved {
		n *= t.rel.Distinct(c)
	}
	for _, v := range seeds {
		n *= join.ExpectedValues(r, v)
	}
	return n
}

// result defines the relations for a use and returns the relation of results: seeds, then the passed-on columns.
func (t *rightLinear) result(r *rules.Rule, body []rules.Literal, use rules.Atom, seeds []int32) *rules.Relation {
	head := rules.AtomOf(nil, seeds)
	head.Args = append(head.Args, use.Project(nil, t.moved).Args...)
	c := t.theory.Terms.Canonical(append([]rules.Literal{rules.Positive(head)}, body...))
	key := c.Key([]int32{int32(len(seeds))})
	if found := t.made[key]; found != nil {
		return found
	}
	reached := t.relation("reached", len(seeds)+len(t.moved))
	found := t.relation("found", len(seeds)+len(t.kept))
	t.made[key] = found
	head.Rel = reached
	t.added = append(t.added, t.theory.Terms.Compact(&rules.Rule{Head: head, Body: body, Vars: r.Vars, Source: r.Source}))
	for _, r := range t.rules {
		t.added = append(t.added, t.follow(r, reached, found, len(seeds)))
	}
	return found
}

func (t *rightLinear) relation(what string, arity int) *rules.Relation {
	return t.theory.Auxiliary(fmt.Sprintf("%s by %s %d", what, t.rel.Name, len(t.made)), arity, rules.Dynamic)
}

// follow returns the rewritten rule r: a recursive rule extends reached, another rule derives found.
func (t *rightLinear) follow(r *rules.Rule, reached, found *rules.Relation, seeds int) *rules.Rule {
	carried := t.theory.Terms.Identity(r.Vars + seeds).To[r.Vars:]
	from := rules.Atom{Rel: reached, Args: slices.Concat(carried, r.Head.Project(nil, t.moved).Args)}
	out := &rules.Rule{Vars: r.Vars + seeds, Source: r.Source, Body: []rules.Literal{rules.Positive(from)}}
	at := r.Find(t.rel)
	for i := range r.Body {
		if i != at {
			out.Body = append(out.Body, r.Body[i])
		}
	}
	if at >= 0 {
		out.Head = rules.Atom{Rel: reached, Args: slices.Concat(carried, r.Body[at].Atom.Project(nil, t.moved).Args)}
	} else {
		out.Head = rules.Atom{Rel: found, Args: slices.Concat(carried, r.Head.Project(nil, t.kept).Args)}
	}
	return t.theory.Terms.Compact(out)
}
