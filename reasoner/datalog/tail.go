package datalog

import (
	"fmt"
	"slices"

	"stackmate/gdl"
)

// A relation that recurs on itself in the last place only hands its result on:
//
//	before  count(P,I,N) ← stone(P) ∧ after(P,Q) ∧ succ(I,J) ∧ count(Q,J,N)
//	        count(end,N,N) ← number(N)
//	        result(N) ← count(start,0,N)
//	after   at(start,0)
//	        at(Q,J) ← at(P,I) ∧ stone(P) ∧ after(P,Q) ∧ succ(I,J)
//	        found(N) ← at(end,N) ∧ number(N)
//	        result(N) ← found(N)
//
// The columns that are handed on (N) are no part of the recursion any more, and the
// others (P, I) hold what is reached from the start instead of every number that
// there is. This is factoring of right-linear rules after magic sets (Naughton,
// Ramakrishnan, Sagiv, Ullman, "Argument reduction by factoring", 1989). Assumptions:
// the rules of the relation recur on it once or not at all, it is not negated, and
// each use knows all columns that are not handed on.
type tail struct {
	theory *theory
	when   threshold
	rel    *relation
	rules  []*rule
	kept   []int // columns that are handed on
	moved  []int // the others
	made   map[string]*relation
	added  []*rule
}

// factorTails rewrites the relations of this kind where it pays.
func (th *theory) factorTails(when threshold) {
	byHead := make(map[*relation][]*rule)
	for _, r := range th.dynamicRules() {
		byHead[r.head.rel] = append(byHead[r.head.rel], r)
	}
	var tails []*tail
	for _, component := range components(th.relations, byHead) {
		t := &tail{theory: th, when: when, rel: component[0], rules: byHead[component[0]], made: make(map[string]*relation)}
		if len(component) == 1 && uses(t.rules, t.rel) && t.isLinear() && t.findColumns() && t.isSafe() {
			tails = append(tails, t)
		}
	}
	if len(tails) == 0 {
		return
	}
	defer th.estimate(th.rules)()
	for _, t := range tails {
		if t.rel.size() > when.above {
			t.rewrite()
		}
	}
}

// recursion is the literal of r that recurs, or -1.
func (t *tail) recursion(r *rule) int {
	return slices.IndexFunc(r.body, func(l literal) bool { return l.atom.rel == t.rel })
}

// isLinear tells whether each rule recurs at most once.
func (t *tail) isLinear() bool {
	for _, r := range t.rules {
		n := 0
		for i := range r.body {
			if r.body[i].atom.rel == t.rel {
				n++
			}
		}
		if n > 1 {
			return false
		}
	}
	return true
}

// findColumns finds the columns that all recursive rules hand on: a variable that
// stands in the head and in the recursive literal, and nowhere else.
func (t *tail) findColumns() bool {
	for c := range t.rel.arity {
		handed := true
		for _, r := range t.rules {
			if i := t.recursion(r); i >= 0 {
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

// isSafe tells whether the recursive rules bind their variables without what they get
// from the recursion.
func (t *tail) isSafe() bool {
	for _, r := range t.rules {
		at := t.recursion(r)
		if at < 0 {
			continue
		}
		known := literal{op: gdl.Holds}
		for _, c := range t.moved {
			known.atom.args = append(known.atom.args, r.head.args[c])
		}
		others := append([]literal{known}, r.body[:at]...)
		others = append(others, r.body[at+1:]...)
		var vars []int32
		for i := range others {
			vars = others[i].appendVars(vars)
		}
		for _, c := range t.moved {
			vars = r.body[at].atom.args[c].appendVars(vars)
		}
		if !bindsAll(others, vars) {
			return false
		}
	}
	return true
}

// occurrences counts a variable in r.
func (r *rule) occurrences(v int32) int {
	n := 0
	vars := r.head.appendVars(nil)
	for i := range r.body {
		vars = r.body[i].appendVars(vars)
	}
	for _, w := range vars {
		if v == w {
			n++
		}
	}
	return n
}

// rewrite replaces all uses, if all can be replaced.
func (t *tail) rewrite() {
	var out []*rule
	for _, r := range t.theory.rules {
		if r.head.rel == t.rel {
			continue
		}
		n := 0
		for i := range r.body {
			if r.body[i].atom.rel == t.rel {
				n++
			}
		}
		switch n {
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

// replace is r with its use of the relation replaced, or nil if that cannot be done.
func (t *tail) replace(r *rule) *rule {
	at := t.recursion(r)
	if r.body[at].op != gdl.Holds {
		return nil
	}
	use := &r.body[at].atom
	var known []int32
	for _, c := range t.moved {
		known = use.args[c].appendVars(known)
	}
	var handed []int32
	for _, c := range t.kept {
		handed = use.args[c].appendVars(handed)
	}
	start, rest := r.divide(at, known, handed)
	var outside []int32 // that the rest of the rule needs
	outside = r.head.appendVars(outside)
	for _, i := range rest {
		outside = r.body[i].appendVars(outside)
	}
	outside = append(outside, handed...)
	seed := slices.Clone(known)
	var body []literal
	for _, i := range start {
		seed = r.body[i].appendVars(seed)
		body = append(body, r.body[i])
	}
	slices.Sort(seed)
	seed = slices.Compact(seed)
	seeds := slices.DeleteFunc(slices.Clone(seed), func(v int32) bool { return !slices.Contains(outside, v) })
	if !bindsAll(body, seed) || t.when.gain*t.size(r, seeds) > t.rel.size() {
		return nil
	}
	call := literal{op: gdl.Holds, atom: atom{rel: t.result(r, body, use, seeds)}}
	for _, v := range seeds {
		call.atom.args = append(call.atom.args, arg{kind: variable, id: v})
	}
	for _, c := range t.kept {
		call.atom.args = append(call.atom.args, use.args[c])
	}
	out := *r
	out.body = []literal{call}
	for _, i := range rest {
		out.body = append(out.body, r.body[i])
	}
	return &out
}

// divide tells the literals of r that bind the known variables, if possible without those
// that are handed on, and what else speaks of nothing but their variables, from the rest
// without literal at.
func (r *rule) divide(at int, known, handed []int32) (start, rest []int) {
	var bound []int32
	avoid := slices.DeleteFunc(slices.Clone(handed), func(v int32) bool { return slices.Contains(known, v) })
	for _, avoid := range [][]int32{avoid, nil} {
		start, bound = nil, nil
		for i := range r.body {
			l := &r.body[i]
			vars := l.appendVars(nil)
			if i != at && l.op == gdl.Holds && len(intersect(vars, known)) > 0 && len(intersect(vars, avoid)) == 0 {
				start = append(start, i)
				bound = append(bound, vars...)
			}
		}
		if len(intersect(known, bound)) == len(known) {
			break
		}
	}
	for i := range r.body {
		if i == at || slices.Contains(start, i) {
			continue
		}
		vars := r.body[i].appendVars(nil)
		inside := len(vars) > 0
		for _, v := range vars {
			inside = inside && slices.Contains(bound, v)
		}
		if inside {
			start = append(start, i)
		} else {
			rest = append(rest, i)
		}
	}
	return start, rest
}

// bindsAll tells whether positive literals bind all of the variables.
func bindsAll(body []literal, vars []int32) bool {
	var bound []int32
	for i := range body {
		if body[i].op == gdl.Holds {
			bound = body[i].appendVars(bound)
		}
	}
	for _, v := range vars {
		if !slices.Contains(bound, v) {
			return false
		}
	}
	return true
}

// size estimates the tuples of the relation that replaces the recursive one.
func (t *tail) size(r *rule, seeds []int32) float64 {
	n := 1.0
	for _, c := range t.moved {
		n *= t.rel.distinct(int32(c))
	}
	for _, v := range seeds {
		least := float64(manyTerms)
		for i := range r.body {
			for c, a := range r.body[i].atom.args {
				if r.body[i].op == gdl.Holds && a.kind == variable && a.id == v {
					least = min(least, r.body[i].atom.rel.distinct(int32(c)))
				}
			}
		}
		n *= least
	}
	return n
}

// result makes the relations that a use needs, and returns the one with the results:
// seeds, then the columns that are handed on.
func (t *tail) result(r *rule, body []literal, use *atom, seeds []int32) *relation {
	head := atom{}
	for _, v := range seeds {
		head.args = append(head.args, arg{kind: variable, id: v})
	}
	for _, c := range t.moved {
		head.args = append(head.args, use.args[c])
	}
	first := (&rule{head: head, body: body, vars: r.vars, source: r.source}).compact()
	key := fmt.Sprint(first.head.args, len(seeds)) + describeBody(t.theory.terms, first.body, nil)
	if found := t.made[key]; found != nil {
		return found
	}
	reached := t.relation("reached", len(seeds)+len(t.moved))
	found := t.relation("found", len(seeds)+len(t.kept))
	t.made[key] = found
	first.head.rel = reached
	t.added = append(t.added, first)
	for _, r := range t.rules {
		t.added = append(t.added, t.follow(r, reached, found, len(seeds)))
	}
	return found
}

func (t *tail) relation(what string, arity int) *relation {
	rel := t.theory.auxiliary(fmt.Sprintf("%s by %s %d", what, t.rel.name.name, len(t.made)), arity)
	rel.dynamic = true
	return rel
}

// follow is what becomes of a rule of the relation: one that goes on from what is
// reached, or one that finds a result.
func (t *tail) follow(r *rule, reached, found *relation, seeds int) *rule {
	var carried []arg
	for i := range seeds {
		carried = append(carried, arg{kind: variable, id: int32(r.vars + i)})
	}
	out := &rule{vars: r.vars + seeds, source: r.source}
	from := atom{rel: reached, args: slices.Clone(carried)}
	for _, c := range t.moved {
		from.args = append(from.args, r.head.args[c])
	}
	out.body = []literal{{op: gdl.Holds, atom: from}}
	at := t.recursion(r)
	for i := range r.body {
		if i != at {
			out.body = append(out.body, r.body[i])
		}
	}
	out.head = atom{rel: found, args: carried}
	columns, of := t.kept, r.head.args
	if at >= 0 {
		out.head.rel = reached
		columns, of = t.moved, r.body[at].atom.args
	}
	for _, c := range columns {
		out.head.args = append(out.head.args, of[c])
	}
	return out.compact()
}
