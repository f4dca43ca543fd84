package board

import (
	"slices"
	"strings"
)

// Some authors give the two coordinates of a thing in two fluents: (x1 5) and (y1 7), or (posx blue 3) and
// (posy blue 0). Their names differ in one letter, an x and a y.

// findPoints finds such fluents, and adds a board for their things.
func (l *Layout) findPoints(f *fluents) {
	var g *grid
	for _, x := range f.relations() {
		for i, c := range x.name {
			if c != 'x' && c != 'X' {
				continue
			}
			y := relation{fluent, x.name[:i] + string(c+1) + x.name[i+1:], x.arity}
			columns, ok := f.position(x)
			rows, ok2 := f.position(y)
			if !ok || !ok2 || len(columns)*len(rows) > maxCells {
				continue
			}
			if g == nil {
				g = &grid{name: "positions", shape: Square, owner: x, columns: newAxis(columns), rows: newAxis(reversed(rows))}
				l.grids = append(l.grids, g)
			}
			label := strings.Trim(x.name[:i]+x.name[i+1:], "_-")
			l.uses[x] = &use{relation: x, purpose: onAxis, grid: g, column: x.arity - 1, row: -1, holder: x.arity - 2, label: label}
			l.uses[y] = &use{relation: y, purpose: onAxis, grid: g, column: -1, row: y.arity - 1, holder: y.arity - 2, label: label}
		}
	}
}

// position returns the values of a fluent that may be a coordinate of one thing, or of one thing for each
// role.
func (f *fluents) position(rel relation) ([]string, bool) {
	if rel.arity < 1 || rel.arity > 2 || len(f.seen[rel]) == 0 || rel.arity == 2 && !f.isRole(rel, 0) {
		return nil, false
	}
	values, ok := f.order(f.domain(rel, rel.arity-1))
	return values, ok && len(values) >= 3 && len(values) <= maxSide && f.decides(rel, rel.argumentsExcept(rel.arity-1), []int{rel.arity - 1})
}

// half is a thing with one known coordinate.
type half struct {
	use  *use
	args tuple
	name string
	fact string
}

// drawPoint reads a coordinate of a thing, and draws the thing once both are known.
func (d *drawing) drawPoint(u *use, args tuple, fact string) {
	read := half{u, args, u.label, fact}
	if u.holder >= 0 {
		read.name = args[u.holder]
	}
	i := slices.IndexFunc(d.halves, func(h half) bool {
		return h.use.grid == u.grid && h.use.label == u.label && h.name == read.name && (h.use.row < 0) != (u.row < 0)
	})
	if i < 0 {
		d.halves = append(d.halves, read)
		return
	}
	x, y := d.halves[i], read
	d.halves = slices.Delete(d.halves, i, i+1)
	if x.use.row >= 0 {
		x, y = y, x
	}
	column, ok := u.grid.columns.index[x.args[x.use.column]]
	row, ok2 := u.grid.rows.index[y.args[y.use.row]]
	if !ok || !ok2 {
		d.Facts = append(d.Facts, x.fact, y.fact)
		return
	}
	cell := d.cell(Spot{d.firstBoard(u.grid), column, row})
	cell.Pieces = append(cell.Pieces, d.piece(u, read.name))
}
