package datalog

import "stackmate/gdl"

// evaluateStatic computes the relations that depend on neither true nor does
// exactly, one strongly connected component after the other, so that negation
// only ever asks for relations that are complete.
func (th *theory) evaluateStatic(j *joiner) error {
	byHead := make(map[*relation][]*rule)
	for _, r := range th.rules {
		if !r.head.rel.dynamic {
			byHead[r.head.rel] = append(byHead[r.head.rel], r)
		}
	}
	for _, component := range components(th.relations, byHead) {
		var rules []*rule
		for _, rel := range component {
			rules = append(rules, byHead[rel]...)
		}
		if len(rules) == 0 {
			continue
		}
		if err := j.fixpoint(rules, nothing); err != nil {
			return err
		}
	}
	return nil
}

func nothing(*literal) bool { return false }

// components are the strongly connected components of the dependency graph in
// topological order, dependencies first (Tarjan 1972).
func components(relations []*relation, byHead map[*relation][]*rule) [][]*relation {
	t := &tarjan{byHead: byHead, index: make(map[*relation]int), low: make(map[*relation]int)}
	for _, rel := range relations {
		if t.index[rel] == 0 {
			t.visit(rel)
		}
	}
	return t.found
}

type tarjan struct {
	byHead     map[*relation][]*rule
	index, low map[*relation]int // index counts from 1
	stack      []*relation
	found      [][]*relation
}

// visit explores rel. The depth of the recursion is bounded by the number of
// relations.
func (t *tarjan) visit(rel *relation) {
	t.index[rel] = len(t.index) + 1
	t.low[rel] = t.index[rel]
	t.stack = append(t.stack, rel)
	for _, r := range t.byHead[rel] {
		for i := range r.body {
			if next := r.body[i].atom.rel; next != nil {
				t.follow(rel, next)
			}
		}
	}
	if t.low[rel] < t.index[rel] {
		return
	}
	for i := len(t.stack) - 1; ; i-- {
		if t.stack[i] == rel {
			t.found = append(t.found, append([]*relation(nil), t.stack[i:]...))
			for _, done := range t.stack[i:] {
				t.low[done] = complete
			}
			t.stack = t.stack[:i]
			return
		}
	}
}

// complete marks, as low, relations whose component has been found.
const complete = 1 << 30

func (t *tarjan) follow(rel, next *relation) {
	if t.index[next] == 0 {
		t.visit(next)
		if t.low[next] < t.low[rel] {
			t.low[rel] = t.low[next]
		}
	} else if t.low[next] != complete && t.index[next] < t.low[rel] {
		t.low[rel] = t.index[next]
	}
}

// reduce removes what the static relations decide without any join: literals
// that always hold, and rules with a literal that never does.
//
//	before  p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X)     after  p(X) ← q(X)
func (th *theory) reduce() {
	kept := th.rules[:0]
	for _, r := range th.rules {
		if !r.head.rel.dynamic || r.reduce() {
			kept = append(kept, r)
		}
	}
	th.rules = kept
}

// reduce drops the literals of r that are known to hold; it returns false if one
// is known to fail.
func (r *rule) reduce() bool {
	var body []literal
	for _, l := range r.body {
		holds, known := l.constant()
		if known && !holds {
			return false
		}
		if !known {
			body = append(body, l)
		}
	}
	r.body = body
	return true
}

// constant tells what is known of l without joining.
func (l *literal) constant() (holds, known bool) {
	switch l.op {
	case gdl.Distinct, gdl.Equal:
		if l.left.kind == constant && l.right.kind == constant {
			return (l.left.id == l.right.id) == (l.op == gdl.Equal), true
		}
		return false, false
	}
	if l.atom.rel.dynamic {
		return false, false
	}
	if l.atom.rel.n == 0 {
		return l.op == gdl.Not, true
	}
	tuple := make([]int32, 0, len(l.atom.args))
	for _, a := range l.atom.args {
		if a.kind != constant {
			return false, false
		}
		tuple = append(tuple, a.id)
	}
	return (l.atom.rel.find(tuple) >= 0) == (l.op == gdl.Holds), true
}
