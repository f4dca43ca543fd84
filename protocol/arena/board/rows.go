package board

import (
	"maps"
	"slices"
	"strings"

	"stackmate/gdl"
)

// findRows finds boards of one row, such as (disk p3 green).
func (l *Layout) findRows(f *fluents) {
	for _, rel := range f.relations() {
		if rel.arity != 2 || f.seen[rel] == nil || l.uses[rel] != nil {
			continue
		}
		for i := range 2 {
			values, ok := f.ordered(rel, i)
			if !ok && f.covers(rel, i) { // names that each have a value, such as pits and houses
				values = slices.Sorted(maps.Keys(f.domain(rel, i)))
				slices.SortFunc(values, Natural)
			}
			if len(values) < 3 || len(values) > maxSide || f.isRole(rel, i) {
				continue
			}
			if !f.decides(rel, []int{i}, []int{1 - i}) || !f.covers(rel, i) && isNumeric(f.domain(rel, 1-i)) {
				continue
			}
			u := &use{relation: rel, column: i, row: -1, content: []int{1 - i}, holder: -1}
			u.grid = &grid{name: rel.name, shape: Row, owner: rel, columns: newAxis(values), rows: newAxis([]string{""}), full: true}
			l.uses[rel] = u
			l.grids = append(l.grids, u.grid)
			break
		}
	}
}

// findCounters finds hands and counters among the fluents without a board.
func (l *Layout) findCounters(f *fluents) {
	for _, rel := range f.relations() {
		if l.uses[rel] != nil || f.seen[rel] == nil {
			continue
		}
		u := &use{relation: rel, purpose: asCounter, holder: -1}
		for i := range rel.arity {
			if f.isRole(rel, i) && rel.arity == 2 {
				u.holder = i
			}
		}
		switch {
		case rel.arity == 1 && f.isSingle(rel):
			u.clock = f.isClock(rel)
		case u.holder >= 0 && f.decides(rel, []int{u.holder}, rel.argumentsExcept(u.holder)):
		case u.holder >= 0 || rel.arity == 1:
			u.purpose = inHand
		default:
			continue
		}
		l.uses[rel] = u
	}
}

// isClock reports whether a number grows by one from each example to the next.
func (f *fluents) isClock(rel relation) bool {
	values, ok := f.ordered(rel, 0)
	examples := f.seen[rel]
	for i := 1; ok && i < len(examples); i++ {
		if len(examples[i-1]) == 0 || len(examples[i]) == 0 {
			return false
		}
		ok = slices.Index(values, examples[i][0][0]) == slices.Index(values, examples[i-1][0][0])+1
	}
	return ok && len(examples) > 1
}

// turns finds the fluents that name the role to move: some kind of move is legal only for that role.
func (f *fluents) turns() set {
	all, found := make(map[relation]map[string]int), make(set)
	legal := make(map[relation]int)
	for i := range f.clauses {
		c := &f.clauses[i]
		if c.rule.Head.Name != "legal" || c.head.kind != move {
			continue
		}
		legal[c.head]++
		if all[c.head] == nil {
			all[c.head] = make(map[string]int)
		}
		for _, l := range c.rule.Body {
			rel, args, ok := read(l.Atom)
			if ok && l.Op == gdl.Holds && rel.kind == fluent && rel.arity == 1 && args[0].Equal(c.rule.Head.Args[0]) && f.isSingle(rel) {
				all[c.head][rel.name]++
			}
		}
	}
	for m, guards := range all {
		for name, n := range guards {
			if n == legal[m] {
				found[name] = true
			}
		}
	}
	return found
}

// isFull reports whether most cells have a fact in the initial position.
func (u *use) isFull(f *fluents) bool {
	if u.row < 0 {
		return f.covers(u.relation, u.column)
	}
	return f.covers(u.relation, append([]int{u.column, u.row}, u.selectors...)...)
}

// emptyOf finds the content of empty cells: among the usual names for empty, the most frequent in the initial
// position.
func (f *fluents) emptyOf(u *use) string {
	if len(f.seen[u.relation]) == 0 || u.layer == above || len(u.content) > 0 && !u.isFull(f) {
		return ""
	}
	names := []string{"b", "blank", "empty", "none", "e", "o", "f", "nil", "nolight", "eps", "clear", "free", "bl", "space"}
	count := make(map[string]int)
	for _, t := range f.seen[u.relation][0] {
		count[u.contentOf(t)]++
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if slices.Contains(names, strings.ToLower(name)) && count[name] > count[best] {
			best = name
		}
	}
	if best == "" && len(u.content) == 1 { // cells may become empty later
		for _, name := range names[:5] {
			if f.domain(u.relation, u.content[0])[name] && !f.roles[name] && name != "o" {
				return name
			}
		}
	}
	return best
}
