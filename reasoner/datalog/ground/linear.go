package ground

import (
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
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
	th := gr.Theory
	byHead := th.RulesOf(nil)
	var out []*rules.Rule
	for _, r := range th.Rules {
		th.Watch.Step()
		first := composition(r)
		if first < 0 {
			out = append(out, r)
			continue
		}
		steps := slices.DeleteFunc(slices.Clone(byHead[r.Head.Rel]), func(q *rules.Rule) bool { return q == r })
		if len(steps) == 0 || len(steps) > maxUnfolded || rules.Uses(steps, r.Head.Rel) {
			out = append(out, r)
			continue
		}
		for _, step := range steps {
			if begun := th.Terms.Resolve(r, first, step); begun != nil {
				out = append(out, th.Terms.Compact(begun))
			}
		}
	}
	th.Rules = out
	return nil
}

// composition returns the index of the first literal of r in a composition, or -1 if r does not compose its
// relation with itself.
func composition(r *rules.Rule) int {
	var recursive []int
	for i := range r.Body {
		if r.Body[i].Atom.Rel == r.Head.Rel {
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
func composes(r *rules.Rule, first, second int) bool {
	whole, a, b := r.Head.Args, r.Body[first].Atom.Args, r.Body[second].Atom.Args
	if r.Body[first].Op != gdl.Holds || r.Body[second].Op != gdl.Holds {
		return false
	}
	var before, after, free []int32 // the intermediate place as an end, as a beginning; the equal columns
	for c := range whole {
		if whole[c].Kind != rules.Variable || a[c].Kind != rules.Variable || b[c].Kind != rules.Variable {
			return false
		}
		switch w := whole[c].Id; {
		case w == a[c].Id && w == b[c].Id:
			free = append(free, w)
		case w == a[c].Id:
			after = append(after, b[c].Id)
		case w == b[c].Id:
			before = append(before, a[c].Id)
		default:
			return false
		}
	}
	slices.Sort(before)
	slices.Sort(after)
	all := rules.DistinctVars(append(r.Head.AppendVars(nil), before...))
	if !slices.Equal(before, after) || len(all) != len(whole)+len(before) {
		return false
	}
	free = append(free, before...)
	for i := range r.Body {
		outside := func(v int32) bool { return !slices.Contains(free, v) }
		if i != first && i != second && slices.ContainsFunc(r.Body[i].AppendVars(nil), outside) {
			return false
		}
	}
	return true
}
