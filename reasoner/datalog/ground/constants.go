package ground

import (
	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
)

// fixConstants replaces true by init for fluents that never change: their only rule of next is the frame axiom
//
//	before  next(wall(X,Y)) ← true(wall(X,Y))     p(X,Y) ← ¬true(wall(X,Y))
//	after   next(wall(X,Y)) ← init(wall(X,Y))     p(X,Y) ← ¬init(wall(X,Y))
//
// Relations derived from such fluents become static. Assumption: positions are reachable from the initial
// position.
func (gr *grounder) fixConstants() error {
	constant := make(map[*rules.Relation]bool) // by relation of next
	for _, r := range gr.Rules {
		if next := r.Head.Rel; next.Name == "next" {
			known, seen := constant[next]
			constant[next] = (known || !seen) && keeps(gr.Theory, r)
		}
	}
	initial := make(map[*rules.Relation]*rules.Relation) // by relation of true
	for next, is := range constant {
		if is {
			initial[gr.Successor(next)] = gr.Relation(rules.Predicate{Name: "init", Shapes: next.Shapes}, next.Arity)
		}
	}
	for _, r := range gr.Rules {
		for i := range r.Body {
			if rel := initial[r.Body[i].Atom.Rel]; rel != nil {
				r.Body[i].Atom.Rel = rel
			}
		}
	}
	return nil
}

// keeps reports whether r is the frame axiom next(X...) ← true(X...).
func keeps(th *rules.Theory, r *rules.Rule) bool {
	if len(r.Body) != 1 || r.Body[0].Op != gdl.Holds || r.Body[0].Atom.Rel != th.Successor(r.Head.Rel) {
		return false
	}
	for c, a := range r.Head.Args {
		b := r.Body[0].Atom.Args[c]
		if a.Kind != rules.Variable || b.Kind != rules.Variable || a.Id != b.Id || r.Occurrences(a.Id) != 2 {
			return false
		}
	}
	return true
}
