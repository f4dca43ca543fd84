package board

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// fluents holds facts about the fluents of a game, from its rules and from the example positions.
type fluents struct {
	ctx     context.Context
	roles   set
	clauses []clause
	domains map[slot]set
	chains  []map[string]string
	seen    map[relation][][]tuple // by position
	values  map[slot]set           // values of an argument in the examples
	links   map[slot]map[slot]bool
	uses    map[relation]*use
}

// observe reads the example positions and narrows the domains, since the rules alone allow too many values.
// The domain becomes the declared values if they contain every example value, or a rectangle that the initial
// position fills. Further values of the examples are added.
func (f *fluents) observe(positions [][]string) {
	f.values = make(map[slot]set)
	for i, facts := range positions {
		for _, fact := range facts {
			rel, args := parse(fact)
			if f.seen[rel] == nil {
				f.seen[rel] = make([][]tuple, len(positions))
			}
			f.seen[rel][i] = append(f.seen[rel][i], args)
			for j, a := range args {
				p := slot{rel, j}
				if f.values[p] == nil {
					f.values[p] = make(set)
				}
				f.values[p][a] = true
			}
		}
	}
	for p, values := range f.values {
		if declared := f.domains[slot{relation{base, p.name, p.arity}, p.argument}]; len(declared) > 0 && isSubset(values, declared) {
			f.domains[p] = declared
		}
		if f.domains[p] == nil {
			f.domains[p] = make(set)
		}
	}
	for _, rel := range f.relations() {
		f.narrow(rel)
	}
	for p, values := range f.values {
		for v := range values {
			f.domains[p][v] = true
		}
	}
}

// narrow finds pairs of arguments that take all combinations of their values in the initial position, with at
// least three values each: four discs in a square do not show the size of a board.
func (f *fluents) narrow(rel relation) {
	if len(f.seen[rel]) == 0 {
		return
	}
	for i := range rel.arity {
		for j := i + 1; j < rel.arity; j++ {
			xs, ys, pairs := make(set), make(set), make(set)
			for _, t := range f.seen[rel][0] {
				xs[t[i]], ys[t[j]], pairs[t[i]+" "+t[j]] = true, true, true
			}
			if len(xs) > 2 && len(ys) > 2 && len(pairs) == len(xs)*len(ys) {
				f.domains[slot{rel, i}], f.domains[slot{rel, j}] = xs, ys
			}
		}
	}
}

// relations returns the fluents that may be drawn, by name; nil after the context has ended.
func (f *fluents) relations() []relation {
	if f.ctx.Err() != nil {
		return nil
	}
	known := make(map[relation]bool)
	for p := range f.domains {
		if p.kind == fluent {
			known[p.relation] = true
		}
	}
	for r := range f.seen {
		known[r] = true
	}
	maps.DeleteFunc(known, func(r relation, _ bool) bool { return r.arity > maxArity })
	return slices.SortedFunc(maps.Keys(known), func(a, b relation) int {
		return cmp.Or(strings.Compare(a.name, b.name), a.arity-b.arity)
	})
}

// domain returns the possible values of an argument of a fluent.
func (f *fluents) domain(rel relation, argument int) set { return f.domains[slot{rel, argument}] }

// ordered returns the values of an argument in their order, if they have an order.
func (f *fluents) ordered(rel relation, argument int) ([]string, bool) {
	if values := f.domain(rel, argument); len(values) <= usualSide {
		if list, ok := f.order(values); ok {
			return filled(list), true
		}
	}
	// The domain may be too wide, for example if the rules use one relation for all numbers.
	list, ok := f.order(f.values[slot{rel, argument}])
	if ok {
		list = filled(list)
	}
	return list, ok
}

// isRole reports whether each value of an argument is a role.
func (f *fluents) isRole(rel relation, argument int) bool {
	values := f.domain(rel, argument)
	return len(values) > 0 && isSubset(values, f.roles)
}

// decides reports whether, in each example, the arguments of `from` determine the arguments of `to`.
func (f *fluents) decides(rel relation, from, to []int) bool {
	for _, facts := range f.seen[rel] {
		choice := make(map[string]string)
		for _, t := range facts {
			key, value := t.pick(from), t.pick(to)
			if known, ok := choice[key]; ok && known != value {
				return false
			}
			choice[key] = value
		}
	}
	return true
}

// covers reports whether in the initial position the arguments take at least half of the combinations of
// their values.
func (f *fluents) covers(rel relation, arguments ...int) bool {
	if len(f.seen[rel]) == 0 {
		return false
	}
	product := 1
	for _, a := range arguments {
		product *= len(f.domain(rel, a))
	}
	taken := make(set)
	for _, t := range f.seen[rel][0] {
		taken[t.pick(arguments)] = true
	}
	return len(taken)*2 >= product
}

// isSingle reports whether a fluent has examples, each with at most one fact.
func (f *fluents) isSingle(rel relation) bool {
	for _, facts := range f.seen[rel] {
		if len(facts) > 1 {
			return false
		}
	}
	return len(f.seen[rel]) > 0
}

func (t tuple) pick(arguments []int) string {
	var parts []string
	for _, a := range arguments {
		parts = append(parts, t[a])
	}
	return strings.Join(parts, " ")
}

// argumentsExcept returns the arguments of a fluent except the given arguments.
func (r relation) argumentsExcept(without ...int) []int {
	var rest []int
	for i := range r.arity {
		if !slices.Contains(without, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// equal reports whether two sets have the same members.
func equal(a, b set) bool { return len(a) == len(b) && isSubset(a, b) }

// isSubset reports whether a is a subset of b.
func isSubset(a, b set) bool {
	for v := range a {
		if !b[v] {
			return false
		}
	}
	return true
}

// isNumeric reports whether the values are at least two numbers.
func isNumeric(values set) bool {
	for v := range values {
		if _, err := strconv.Atoi(v); err != nil {
			return false
		}
	}
	return len(values) > 1
}

// Natural compares texts with the numbers in them by value: 2 before 10.
func Natural(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na == 0 || nb == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

// digits counts the digits at the front of a text.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
