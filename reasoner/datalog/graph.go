package datalog

import (
	"slices"

	"stackmate/internal/scc"
)

// closure returns the nodes reachable from start.
func closure[T comparable](start []T, next func(T) []T) map[T]bool {
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

// dependents returns the given relations and all relations that depend on them.
func dependents(on []*relation, rules []*rule) map[*relation]bool {
	users := make(map[*relation][]*relation)
	for _, r := range rules {
		for _, rel := range r.uses() {
			users[rel] = append(users[rel], r.head.rel)
		}
	}
	return closure(on, func(rel *relation) []*relation { return users[rel] })
}

// below returns the function that lists the relations in the bodies of rel's rules.
func below(byHead map[*relation][]*rule) func(rel *relation) []*relation {
	return func(rel *relation) []*relation {
		var list []*relation
		for _, r := range byHead[rel] {
			list = append(list, r.uses()...)
		}
		return list
	}
}

// uses returns the relations in the body of r.
func (r *rule) uses() []*relation {
	var list []*relation
	for i := range r.body {
		if rel := r.body[i].atom.rel; rel != nil {
			list = append(list, rel)
		}
	}
	return list
}

// allUsed returns the relations in the bodies of rules.
func allUsed(rules []*rule) map[*relation]bool {
	set := make(map[*relation]bool)
	for _, r := range rules {
		for _, rel := range r.uses() {
			set[rel] = true
		}
	}
	return set
}

// rulesOf returns rules by head, for the relations that satisfy include; all rules if include is nil.
func (th *theory) rulesOf(include func(*relation) bool) map[*relation][]*rule {
	byHead := make(map[*relation][]*rule)
	for _, r := range th.rules {
		if include == nil || include(r.head.rel) {
			byHead[r.head.rel] = append(byHead[r.head.rel], r)
		}
	}
	return byHead
}

// components returns the strongly connected components of the dependency graph, dependencies first.
func components(relations []*relation, byHead map[*relation][]*rule) [][]*relation {
	number := make(map[*relation]int, len(relations))
	for i, rel := range relations {
		number[rel] = i
	}
	below := make([][]int, len(relations))
	for i, rel := range relations {
		for _, r := range byHead[rel] {
			for k := range r.body {
				if to, ok := number[r.body[k].atom.rel]; ok {
					below[i] = append(below[i], to)
				}
			}
		}
	}
	var found [][]*relation
	for _, component := range scc.Components(len(relations), func(i int) []int { return below[i] }) {
		members := make([]*relation, len(component))
		for i, n := range component {
			members[i] = relations[n]
		}
		found = append(found, members)
	}
	return found
}

// componentNumbers returns the number of each relation's strongly connected component.
func (th *theory) componentNumbers() map[*relation]int {
	inside := make(map[*relation]int)
	for i, component := range components(th.relations, th.rulesOf(nil)) {
		for _, rel := range component {
			inside[rel] = i
		}
	}
	return inside
}
