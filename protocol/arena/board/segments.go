package board

import "slices"

// findSegments finds fluents that name two neighbouring points of a board, such as the lines of dots and boxes:
// point (x, y) is the corner of cell (x, y) on the side of smaller x and y.
func (l *Layout) findSegments(f *fluents) {
	for _, rel := range f.relations() {
		if rel.arity != 4 || l.uses[rel] != nil {
			continue
		}
		for _, g := range l.grids {
			if g.shape != Square || len(g.selectors) > 0 || g.named != nil {
				continue
			}
			u := &use{relation: rel, purpose: asSegment, grid: g, column: 0, row: 1, holder: -1}
			if owner := l.uses[g.owner]; owner.column > owner.row {
				u.column, u.row = 1, 0
			}
			columns, rows := g.columns, g.rows
			g.columns, g.rows = f.pointAxis(columns, rel, u.column), f.pointAxis(rows, rel, u.row)
			if g.joins(u, f.seen[rel]) {
				l.uses[rel] = u
				break
			}
			g.columns, g.rows = columns, rows
		}
	}
}

// pointAxis returns an axis with the points that a fluent names: there may be one point more than cells.
func (f *fluents) pointAxis(cells axis, rel relation, argument int) axis {
	values, ok := f.ordered(rel, argument)
	if !ok || len(values) > maxSide || len(values) < len(cells.values) {
		return cells
	}
	all := newAxis(values)
	for _, v := range cells.values {
		if _, known := all.index[v]; !known {
			return cells
		}
	}
	return all
}

// joins reports whether a fluent has examples, all of which name neighbours.
func (g *grid) joins(u *use, examples [][]tuple) bool {
	found := false
	for _, facts := range examples {
		for _, args := range facts {
			if _, _, ok := g.segment(u, args); !ok {
				return false
			}
			found = true
		}
	}
	return found
}

// segment returns the cell and the side at which a segment is drawn.
func (g *grid) segment(u *use, args tuple) (at [2]int, side Kind, ok bool) {
	a, okA := g.cell(u, args)
	b, okB := g.cell(u, tuple{args[2], args[3], "", ""})
	if !okA || !okB {
		return at, "", false
	}
	rowsAscend := Natural(g.rows.values[0], g.rows.values[len(g.rows.values)-1]) < 0 // downwards
	switch {
	case a[1] == b[1] && (a[0]-b[0] == 1 || b[0]-a[0] == 1):
		at, side = [2]int{min(a[0], b[0]), a[1]}, EdgeSouth
		if rowsAscend {
			side = EdgeNorth
		}
	case a[0] == b[0] && (a[1]-b[1] == 1 || b[1]-a[1] == 1):
		at, side = [2]int{a[0], max(a[1], b[1])}, EdgeWest
		if rowsAscend {
			at[1] = min(a[1], b[1])
		}
	}
	return at, side, side != ""
}

// drawSegment draws a segment.
func (d *drawing) drawSegment(u *use, args tuple, fact string) {
	at, side, ok := u.grid.segment(u, args)
	board := d.firstBoard(u.grid)
	cell, exists := d.cells[board][at]
	if !ok || !exists {
		d.Facts = append(d.Facts, fact)
		return
	}
	c := &d.Boards[board].Cells[cell]
	c.Pieces = append(c.Pieces, Piece{Kind: side, Text: fact})
	slices.SortStableFunc(c.Pieces, func(a, b Piece) int { return Natural(string(a.Kind), string(b.Kind)) })
}
