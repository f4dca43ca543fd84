package datalog

import (
	"fmt"
	"slices"

	"stackmate/gdl"
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
// reduction by factoring", 1989). Assumptions: each rule recurs at most once, the relation is not negated, and
// each use binds all columns that are not passed on.
type rightLinear struct {
	theory *theory
	when   threshold
	rel    *relation
	rules  []*rule
	kept   []int32 // columns passed on by the recursion
	moved  []int32 // the remaining columns
	made   map[string]*relation
	added  []*rule
}

// factorRightLinear rewrites right-linear relations that are expected to shrink.
func (gr *grounder) factorRightLinear() error {
	th, when := gr.theory, gr.factoring
	byHead := th.rulesOf(func(rel *relation) bool { return rel.isOpen() })
	var tails []*rightLinear
	for _, component := range components(th.relations, byHead) {
		t := &rightLinear{theory: th, when: when, rel: component[0], rules: byHead[component[0]], made: make(map[string]*relation)}
		recursTwice := func(r *rule) bool { return r.count(t.rel) > 1 }
		if len(component) == 1 && uses(t.rules, t.rel) && !slices.ContainsFunc(t.rules, recursTwice) && t.findColumns() && t.isSafe() {
			tails = append(tails, t)
		}
	}
	if len(tails) == 0 {
		return nil
	}
	defer estimate(th, th.rules)()
	for _, t := range tails {
		if t.rel.size() > when.above {
			t.rewrite()
		}
	}
	return nil
}

// findColumns finds the columns that every recursive rule passes on: their variable
// occurs only in the head and in the recursive literal.
func (t *rightLinear) findColumns() bool {
	for c := range int32(t.rel.arity) {
		handed := true
		for _, r := range t.rules {
			if i := r.find(t.rel); i >= 0 {
				a, b := r.head.args[c], r.body[i].atom.args[c]
				handed = handed && a.kind == variable && b.kind == variable && a.id == b.id && r.occurrences(a.id) == 2
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
		at := r.find(t.rel)
		if at < 0 {
			continue
		}
		others := append([]literal{positive(r.head.project(nil, t.moved))}, r.body[:at]...)
		others = append(others, r.body[at+1:]...)
		vars := r.body[at].atom.project(nil, t.moved).appendVars(nil)
		if !covers(bound(others), appendBodyVars(vars, others)) {
			return false
		}
	}
	return true
}

// rewrite replaces all uses, if all can be replaced.
func (t *rightLinear) rewrite() {
	var out []*rule
	for _, r := range t.theory.rules {
		if r.head.rel == t.rel {
			continue
		}
		switch r.count(t.rel) {
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
	t.theory.rules = append(out, t.added...)
}

// replace returns r with its use of the relation replaced, or nil if the use cannot be replaced.
func (t *rightLinear) replace(r *rule) *rule {
	at := r.find(t.rel)
	if r.body[at].op != gdl.Holds {
		return nil
	}
	use := r.body[at].atom
	known, handed := use.project(nil, t.moved).appendVars(nil), use.project(nil, t.kept).appendVars(nil)
	start, rest := r.divide(at, known, handed)
	outside := append(r.head.appendVars(nil), handed...) // variables that the rest of the rule needs
	outside = appendBodyVars(outside, literalsOf(r.body, rest))
	body := literalsOf(r.body, start)
	seed := distinctVars(appendBodyVars(slices.Clone(known), body))
	seeds := intersect(seed, outside)
	if !covers(bound(body), seed) || t.when.gain*t.size(r, seeds) > t.rel.size() {
		return nil
	}
	call := atomOf(nil, seeds)
	call.args = append(call.args, use.project(nil, t.kept).args...)
	call.rel = t.result(r, body, use, seeds)
	out := *r
	out.body = append([]literal{positive(call)}, literalsOf(r.body, rest)...)
	return &out
}

// divide separates literals of r, without literal at. start are the literals that bind the known variables,
// without the passed-on variables if possible, and the filters over their variables. rest are all other literals.
func (r *rule) divide(at int, known, handed []int32) (start, rest []int) {
	var found []int32
	avoid := slices.DeleteFunc(slices.Clone(handed), func(v int32) bool { return slices.Contains(known, v) })
	for _, avoid := range [][]int32{avoid, nil} {
		start, found = nil, nil
		for i := range r.body {
			vars := r.body[i].vars()
			if i != at && r.body[i].op == gdl.Holds && len(intersect(vars, known)) > 0 && len(intersect(vars, avoid)) == 0 {
				start = append(start, i)
				found = append(found, vars...)
			}
		}
		if covers(found, known) {
			break
		}
	}
	for i := range r.body {
		if i == at || slices.Contains(start, i) {
			continue
		}
		if vars := r.body[i].vars(); len(vars) > 0 && covers(found, vars) {
			start = append(start, i)
		} else {
			rest = append(rest, i)
		}
	}
	return start, rest
}

// size estimates the tuples of the relation that replaces the recursive relation.
func (t *rightLinear) size(r *rule, seeds []int32) float64 {
	n := 1.0
	for _, c := range t.moved {
		n *= t.rel.distinct(c)
	}
	for _, v := range seeds {
		n *= expectedValues(r, v)
	}
	return n
}

// result defines the relations for a use and returns the relation of results: seeds, then the passed-on columns.
func (t *rightLinear) result(r *rule, body []literal, use atom, seeds []int32) *relation {
	head := atomOf(nil, seeds)
	head.args = append(head.args, use.project(nil, t.moved).args...)
	c := t.theory.terms.canonical(append([]literal{positive(head)}, body...))
	key := c.key([]int32{int32(len(seeds))})
	if found := t.made[key]; found != nil {
		return found
	}
	reached := t.relation("reached", len(seeds)+len(t.moved))
	found := t.relation("found", len(seeds)+len(t.kept))
	t.made[key] = found
	head.rel = reached
	t.added = append(t.added, t.theory.terms.compact(&rule{head: head, body: body, vars: r.vars, source: r.source}))
	for _, r := range t.rules {
		t.added = append(t.added, t.follow(r, reached, found, len(seeds)))
	}
	return found
}

func (t *rightLinear) relation(what string, arity int) *relation {
	return t.theory.auxiliary(fmt.Sprintf("%s by %s %d", what, t.rel.name.name, len(t.made)), arity, dynamic)
}

// follow returns the rewritten rule r: a recursive rule extends reached, another rule derives found.
func (t *rightLinear) follow(r *rule, reached, found *relation, seeds int) *rule {
	carried := t.theory.terms.identity(r.vars + seeds).to[r.vars:]
	from := atom{reached, slices.Concat(carried, r.head.project(nil, t.moved).args)}
	out := &rule{vars: r.vars + seeds, source: r.source, body: []literal{positive(from)}}
	at := r.find(t.rel)
	for i := range r.body {
		if i != at {
			out.body = append(out.body, r.body[i])
		}
	}
	if at >= 0 {
		out.head = atom{reached, slices.Concat(carried, r.body[at].atom.project(nil, t.moved).args)}
	} else {
		out.head = atom{found, slices.Concat(carried, r.head.project(nil, t.kept).args)}
	}
	return t.theory.terms.compact(out)
}
