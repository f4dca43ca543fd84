package board

import (
	"slices"
	"strings"
)

// Spots are the cells that a move speaks of, in its order, on the boards of a picture:
// one for (mark 1 3), two for (move a 2 a 4). Where the move names only a column, as
// (drop 4) does, they are all cells of that line. A move that speaks of no cell has none.
func (l *Layout) Spots(text string) (found []Spot, line bool) {
	m, args := parse(text)
	if len(args) == 0 {
		return nil, false
	}
	m.kind = move
	first := 0
	for _, g := range l.grids {
		for _, u := range l.usesOf(g) {
			if u.as != onBoard {
				continue
			}
			if spots, isLine := l.match(g, u, m, args, first); len(found) == 0 || !isLine && (line || len(spots) > len(found)) {
				if len(spots) > 0 {
					found, line = spots, isLine
				}
			}
		}
		first += len(g.selections())
	}
	return found, line
}

// usesOf lists the fluents on a grid, that which it was found by first.
func (l *Layout) usesOf(g *grid) []*use {
	list := []*use{l.uses[g.owner]}
	for _, u := range l.uses {
		if u.grid == g && u.relation != g.owner {
			list = append(list, u)
		}
	}
	slices.SortFunc(list[1:], func(a, b *use) int { return strings.Compare(a.name, b.name) })
	return list
}

// match reads the arguments of a move as coordinates of a grid, from left to right. A
// move that names one coordinate alone means a line.
func (l *Layout) match(g *grid, u *use, m relation, args tuple, first int) (spots []Spot, isLine bool) {
	want := append(append([]int{}, u.selectors...), u.column)
	if u.row >= 0 {
		want = append(want, u.row)
	}
	slices.Sort(want) // moves name coordinates in the order in which facts do
	values := make(tuple, u.arity)
	given := make(map[int]bool)
	for i, a := range args {
		argument, ok := l.coordinate(g, u, slot{m, i}, a, want, given)
		if !ok {
			continue
		}
		values[argument], given[argument] = a, true
		if len(given) < len(want) {
			continue
		}
		if at, ok := g.cell(u, values); ok && (g.exists == nil || g.exists[at]) {
			spots = append(spots, Spot{first + l.selection(g, u, values), at[0], at[1]})
		}
		clear(given)
	}
	if len(spots) == 0 && len(given) == 1 {
		return l.line(g, u, values, given, first), true
	}
	return spots, false
}

// coordinate tells which coordinate an argument of a move is: the first that it can be,
// by its value and by the variables that rules share, of those that are not given yet.
func (l *Layout) coordinate(g *grid, u *use, p slot, value string, want []int, given map[int]bool) (int, bool) {
	links := l.links[p]
	for _, w := range want {
		if given[w] || !g.knows(u, w, value) {
			continue
		}
		if len(links) == 0 {
			return w, len(given) > 0 || len(want) <= p.arity-p.argument
		}
		for f := range links {
			other := l.uses[f.relation]
			if f == (slot{u.relation, w}) || other != nil && other.grid == g && other.like(f.argument, u, w) {
				return w, true
			}
		}
	}
	return 0, false
}

// like tells whether an argument of one fluent on a grid means the same as one of
// another.
func (u *use) like(argument int, v *use, other int) bool {
	if argument == u.column && other == v.column || u.row >= 0 && argument == u.row && other == v.row {
		return true
	}
	for i, s := range u.selectors {
		if s == argument && i < len(v.selectors) && v.selectors[i] == other {
			return true
		}
	}
	return false
}

// knows tells whether a value can stand at an argument that is a coordinate.
func (g *grid) knows(u *use, argument int, value string) bool {
	var ok bool
	switch {
	case g.named != nil && argument == u.column:
		_, ok = g.named[value]
	case argument == u.column:
		_, ok = g.columns.index[value]
	case argument == u.row:
		_, ok = g.rows.index[value]
	default:
		for i, s := range u.selectors {
			if s == argument {
				_, ok = g.selectors[i].index[value]
			}
		}
	}
	return ok
}

// selection is the index of the board that selectors choose.
func (l *Layout) selection(g *grid, u *use, values tuple) int {
	index := 0
	for i, s := range u.selectors {
		index = index*len(g.selectors[i].values) + g.selectors[i].index[values[s]]
	}
	return index
}

// line lists the cells of a column or row that a move names alone.
func (l *Layout) line(g *grid, u *use, values tuple, given map[int]bool, first int) []Spot {
	var spots []Spot
	if u.row < 0 || len(u.selectors) > 0 {
		return nil
	}
	for row := range g.rows.values {
		for column := range g.columns.values {
			inLine := given[u.column] && g.columns.index[values[u.column]] == column ||
				given[u.row] && g.rows.index[values[u.row]] == row
			if inLine && (g.exists == nil || g.exists[[2]int{column, row}]) {
				spots = append(spots, Spot{first, column, row})
			}
		}
	}
	return spots
}
