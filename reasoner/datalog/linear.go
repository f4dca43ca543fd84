package datalog

import (
	"slices"

	"stackmate/gdl"
)

// A relation that is composed with itself is the transitive closure of its other rules:
//
//	before  path(R,X,Z) ← path(R,X,Y) ∧ place(Y) ∧ path(R,Y,Z)     path(R,X,Y) ← step(R,X,Y)
//	after   path(R,X,Z) ← step(R,X,Y) ∧ place(Y) ∧ path(R,Y,Z)     path(R,X,Y) ← step(R,X,Y)
//
// Then a rule has one instance for each step instead of one for each pair. Both rules say that a sequence of steps
// leads from X to Z over places. A proof of the first rule is a binary tree whose leaves are the steps in order
// (Ullman, "Principles of Database and Knowledge-Base Systems", 1989, chapter 15). Assumptions: the composition is
// the only directly recursive rule. Each column is a beginning, an end, or equal in all three atoms. Other
// literals contain only Y and variables of the equal columns.

// linearise rewrites the relations that are composed with themselves.
func (gr *grounder) linearise() error {
	th := gr.theory
	byHead := th.rulesOf(nil)
	var out []*rule
	for _, r := range th.rules {
		th.watch.Step()
		first := composition(r)
		if first < 0 {
			out = append(out, r)
			continue
		}
		steps := slices.DeleteFunc(slices.Clone(byHead[r.head.rel]), func(q *rule) bool { return q == r })
		if len(steps) == 0 || len(steps) > maxUnfolded || uses(steps, r.head.rel) {
			out = append(out, r)
			continue
		}
		for _, step := range steps {
			if begun := th.terms.resolve(r, first, step); begun != nil {
				out = append(out, th.terms.compact(begun))
			}
		}
	}
	th.rules = out
	return nil
}

// composition returns the index of the first literal of r in a composition, or -1 if r does not compose its
// relation with itself.
func composition(r *rule) int {
	var recursive []int
	for i := range r.body {
		if r.body[i].atom.rel == r.head.rel {
			recursive = append(recursive, i)
		}
	}
	if len(recursive) == 2 {
		for k, first := range recursive {
			if composes(r, first, recursive[1-k]) {
				return first
			}
		}
	}
	return -1
}

// composes reports whether r composes literal first, from the beginning to the intermediate place, with literal
// second, from there to the end.
func composes(r *rule, first, second int) bool {
	whole, a, b := r.head.args, r.body[first].atom.args, r.body[second].atom.args
	if r.body[first].op != gdl.Holds || r.body[second].op != gdl.Holds {
		return false
	}
	var before, after, free []int32 // the intermediate place as an end, as a beginning; the equal columns
	for c := range whole {
		if whole[c].kind != variable || a[c].kind != variable || b[c].kind != variable {
			return false
		}
		switch w := whole[c].id; {
		case w == a[c].id && w == b[c].id:
			free = append(free, w)
		case w == a[c].id:
			after = append(after, b[c].id)
		case w == b[c].id:
			before = append(before, a[c].id)
		default:
			return false
		}
	}
	slices.Sort(before)
	slices.Sort(after)
	all := distinctVars(append(r.head.appendVars(nil), before...))
	if !slices.Equal(before, after) || len(all) != len(whole)+len(before) {
		return false
	}
	free = append(free, before...)
	for i := range r.body {
		outside := func(v int32) bool { return !slices.Contains(free, v) }
		if i != first && i != second && slices.ContainsFunc(r.body[i].appendVars(nil), outside) {
			return false
		}
	}
	return true
}
