package board

import (
	"maps"
	"slices"
	"strconv"
)

// Stacks are things that lie on each other, such as blocks or the discs of a tower: (on c a) puts one thing
// above another. The lowest things lie on names that never lie anywhere, such as the pegs of a tower, or on a
// table, as (table a) says.

// stacks is the drawing of stacks: a column for each possible lowest thing.
type stacks struct {
	on    relation
	table relation // zero without a table
	bases []string
}

// findStacks finds stacks in the examples.
func (l *Layout) findStacks(f *fluents) {
	for _, rel := range f.relations() {
		if rel.arity != 2 || l.uses[rel] != nil || len(f.seen[rel]) == 0 || f.isRole(rel, 0) || f.isRole(rel, 1) {
			continue
		}
		above, below := f.domain(rel, 0), f.domain(rel, 1)
		shared, pegs := 0, make(set)
		for v := range below {
			if above[v] {
				shared++
			} else {
				pegs[v] = true
			}
		}
		if shared < 2 || isNumeric(above) || !f.decides(rel, []int{0}, []int{1}) || !f.decides(rel, []int{1}, []int{0}) {
			continue
		}
		s := &stacks{on: rel, bases: slices.Sorted(maps.Keys(pegs))}
		if len(pegs) == 0 {
			s.table = l.tableOf(f, rel)
			s.bases = slices.Sorted(maps.Keys(f.domain(s.table, 0)))
		}
		slices.SortFunc(s.bases, Natural)
		if len(s.bases) == 0 || len(s.bases) > usualSide || len(above) > maxSide {
			continue
		}
		l.piles = append(l.piles, s)
		l.uses[rel] = &use{relation: rel, purpose: asStack, holder: -1}
		if s.table.arity > 0 {
			l.uses[s.table] = &use{relation: s.table, purpose: asStack, holder: -1}
		}
	}
}

// tableOf returns the fluent of the things that lie on no other thing; zero if there is none.
func (l *Layout) tableOf(f *fluents, on relation) relation {
	for _, rel := range f.relations() {
		if rel.arity != 1 || l.uses[rel] != nil || f.seen[rel] == nil {
			continue
		}
		fits := true
		for i := range f.seen[rel] {
			high, all := make(set), make(set)
			for _, t := range f.seen[on][i] {
				high[t[0]], all[t[0]], all[t[1]] = true, true, true
			}
			for _, t := range f.seen[rel][i] {
				fits = fits && !high[t[0]]
				all[t[0]] = true
			}
			fits = fits && len(f.seen[rel][i])+len(high) == len(all)
		}
		if fits {
			return rel
		}
	}
	return relation{}
}

// build returns the things on each base from below, beginning with the base if it is a thing. left reports
// that some thing is on no base.
func (s *stacks) build(on, table []tuple) (columns [][]string, left bool) {
	over := make(map[string]string, len(on))
	for _, t := range on {
		if _, taken := over[t[1]]; taken {
			return nil, true
		}
		over[t[1]] = t[0]
	}
	lies := make(set)
	for _, t := range table {
		lies[t[0]] = true
	}
	placed := 0
	columns = make([][]string, len(s.bases))
	for i, base := range s.bases {
		if s.table.arity > 0 {
			if !lies[base] {
				continue
			}
			columns[i] = append(columns[i], base)
			placed++
		}
		for thing, ok := over[base]; ok && placed < len(on)+len(table); thing, ok = over[thing] {
			columns[i] = append(columns[i], thing)
			placed++
		}
	}
	return columns, placed != len(on)+len(table)
}

// drawStacks draws stacks, or lists the facts if some thing is on no base.
func (d *drawing) drawStacks(s *stacks, facts []pending) {
	var on, table []tuple
	for _, p := range facts {
		if p.use.relation == s.on {
			on = append(on, p.args)
		} else {
			table = append(table, p.args)
		}
	}
	columns, left := s.build(on, table)
	if left {
		for _, p := range facts {
			d.Facts = append(d.Facts, p.fact)
		}
		return
	}
	height := 1
	for _, c := range columns {
		height = max(height, len(c))
	}
	b := Board{Name: s.on.name, Shape: Square, Columns: s.bases}
	for _, other := range d.Boards {
		b.Top = max(b.Top, other.Top+1)
	}
	for row := range height {
		b.Rows = append(b.Rows, strconv.Itoa(height-row))
		for i, column := range columns {
			c := Cell{Column: i, Row: row}
			if h := height - 1 - row; h < len(column) {
				c.Pieces = []Piece{{Kind: Words, Text: column[h]}}
			}
			b.Cells = append(b.Cells, c)
		}
	}
	d.Boards = append(d.Boards, b)
}
