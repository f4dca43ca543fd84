package rules

import (
	"slices"

	"stackmate/internal/scc"
)

// Closure returns the nodes reachable from start.
func Closure[T comparable](start []T, next func(T) []T) map[T]bool {
	reached := make(map[T]bool)
	todo := slices.Clone(start)
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !reached[x] {
			reached[x] = true
			todo = append(todo, next(x)...)
		}
	}
	return reached
}

// Dependents returns the given relations and all relations that depend on them.
func Dependents(on []*Relation, rules []*Rule) map[*Relation]bool {
	users := make(map[*Relation][]*Relation)
	for _, r := range rules {
		for _, rel := range r.Uses() {
			users[rel] = append(users[rel], r.Head.Rel)
		}
	}
	return Closure(on, func(rel *Relation) []*Relation { return users[rel] })
}

// Below returns the function that lists the relations in the bodies of rel's rules.
func Below(byHead map[*Relation][]*Rule) func(rel *Relation) []*Relation {
	return func(rel *Relation) []*Relation {
		var list []*Relation
		for _, r := range byHead[rel] {
			list = append(list, r.Uses()...)
		}
		return list
	}
}

// Uses returns the relations in the body of r.
func (r *Rule) Uses() []*Relation {
	var list []*Relation
	for i := range r.Body {
		if rel := r.Body[i].Atom.Rel; rel != nil {
			list = append(list, rel)
		}
	}
	return list
}

// AllUsed returns the relations in the bodies of rules.
func AllUsed(rules []*Rule) map[*Relation]bool {
	set := make(map[*Relation]bool)
	for _, r := range rules {
		for _, rel := range r.Uses() {
			set[rel] = true
		}
	}
	return set
}

// RulesOf returns rules by head, for the relations that satisfy include; all rules if include is nil.
func (th *Theory) RulesOf(include func(*Relation) bool) map[*Relation][]*Rule {
	byHead := make(map[*Relation][]*Rule)
	for _, r := range th.Rules {
		if include == nil || include(r.Head.Rel) {
			byHead[r.Head.Rel] = append(byHead[r.Head.Rel], r)
		}
	}
	return byHead
}

// Components returns the strongly connected components of the dependency graph, dependencies first.
func Components(relations []*Relation, byHead map[*Relation][]*Rule) [][]*Relation {
	number := make(map[*Relation]int, len(relations))
	for i, rel := range relations {
		number[rel] = i
	}
	below := make([][]int, len(relations))
	for i, rel := range relations {
		for _, r := range byHead[rel] {
			for k := range r.Body {
				if to, ok := number[r.Body[k].Atom.Rel]; ok {
					below[i] = append(below[i], to)
				}
			}
		}
	}
	var found [][]*Relation
	for _, component := range scc.Components(len(relations), func(i int) []int { return below[i] }) {
		members := make([]*Relation, len(component))
		for i, n := range component {
			members[i] = relations[n]
		}
		found = append(found, members)
	}
	return found
}

// ComponentNumbers returns the number of each relation's strongly connected component.
func (th *Theory) ComponentNumbers() map[*Relation]int {
	inside := make(map[*Relation]int)
	for i, component := range Components(th.Relations, th.RulesOf(nil)) {
		for _, rel := range component {
			inside[rel] = i
		}
	}
	return inside
}
