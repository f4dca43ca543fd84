package datalog

import "stackmate/gdl"

// fixConstants replaces true by init for fluents that never change: their only rule of next is the frame axiom
//
//	before  next(wall(X,Y)) ← true(wall(X,Y))     p(X,Y) ← ¬true(wall(X,Y))
//	after   next(wall(X,Y)) ← init(wall(X,Y))     p(X,Y) ← ¬init(wall(X,Y))
//
// Relations derived from such fluents become static. Assumption: positions are reachable from the initial
// position.
func (gr *grounder) fixConstants() error {
	constant := make(map[*relation]bool) // by relation of next
	for _, r := range gr.rules {
		if next := r.head.rel; next.name.name == "next" {
			known, seen := constant[next]
			constant[next] = (known || !seen) && gr.keeps(r)
		}
	}
	initial := make(map[*relation]*relation) // by relation of true
	for next, is := range constant {
		if is {
			initial[gr.successor(next)] = gr.relation(predicate{name: "init", shapes: next.name.shapes}, next.arity)
		}
	}
	for _, r := range gr.rules {
		for i := range r.body {
			if rel := initial[r.body[i].atom.rel]; rel != nil {
				r.body[i].atom.rel = rel
			}
		}
	}
	return nil
}

// keeps reports whether r is the frame axiom next(X...) ← true(X...).
func (th *theory) keeps(r *rule) bool {
	if len(r.body) != 1 || r.body[0].op != gdl.Holds || r.body[0].atom.rel != th.successor(r.head.rel) {
		return false
	}
	for c, a := range r.head.args {
		b := r.body[0].atom.args[c]
		if a.kind != variable || b.kind != variable || a.id != b.id || r.occurrences(a.id) != 2 {
			return false
		}
	}
	return true
}
