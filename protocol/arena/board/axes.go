package board

import (
	"maps"
	"slices"
	"strings"

	"stackmate/gdl"
)

// finish determines the appearance of a grid: which coordinate is the column, whether rows begin at the top,
// which cells exist, and whether they are hexagons.
func (g *grid) finish(f *fluents, owner *use) {
	if g.shape == Row || g.shape == Tray || owner.purpose == onAxis {
		return
	}
	if owner.row < 0 {
		g.layNames(f, owner)
		return
	}
	transposed, upward := f.orientation(owner)
	hex := f.hexagons(g, owner)
	if transposed {
		g.columns, g.rows = g.rows, g.columns
		g.transpose(f)
	}
	if upward {
		g.rows = newAxis(reversed(g.rows.values))
	}
	if hex != 0 {
		// The second coordinate grows downwards, unless rows go upward.
		g.shape, g.shift = Hex, make([]int, len(g.rows.values))
		for i := range g.shift {
			g.shift[i] = i
			if (hex > 0) == upward {
				g.shift[i] = len(g.shift) - 1 - i
			}
		}
	}
	if g.full {
		g.observe(f, owner)
	}
}

// transpose exchanges the coordinates of all fluents on a grid.
func (g *grid) transpose(f *fluents) {
	g.rowFirst = true
	for _, u := range f.uses {
		if u.grid == g {
			u.column, u.row = u.row, u.column
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// observe limits a grid to the cells that have facts in the examples, if some cells have none: boards with
// missing corners, or with every second field.
func (g *grid) observe(f *fluents, owner *use) {
	exists := make(map[[2]int]bool)
	for _, facts := range f.seen[owner.relation] {
		for _, t := range facts {
			if at, ok := g.cell(owner, t); ok {
				exists[at] = true
			}
		}
	}
	if blank := f.emptyOf(owner); blank != "" && len(exists) < len(g.columns.values)*len(g.rows.values) {
		g.exists = exists
	}
}

// layNames lays out cells that are named by one argument. If every row begins with 1 and rows have different
// lengths, the rows are centred and the cells are hexagons.
func (g *grid) layNames(f *fluents, owner *use) {
	letters, numbers := make(set), make(set)
	lengths := make(map[string]int)
	fromOne := true
	names := f.domain(owner.relation, owner.column)
	for name := range names {
		letter, number, _ := split(name)
		letters[letter], numbers[number] = true, true
		lengths[letter]++
	}
	for letter := range letters {
		fromOne = fromOne && names[letter+"1"]
	}
	rows := slices.Sorted(maps.Keys(letters))
	columns, _ := f.order(numbers)
	longest, shortest := 0, len(columns)
	for _, n := range lengths {
		longest, shortest = max(longest, n), min(shortest, n)
	}
	g.columns, g.rows = newAxis(columns), newAxis(rows)
	centred := fromOne && longest > shortest
	files := !centred && rows[0] == "a" // as on a chess board
	switch {
	case centred:
		g.shape = Hex
		for _, r := range rows {
			g.shift = append(g.shift, longest-lengths[r])
		}
	case files:
		g.columns, g.rows = newAxis(rows), newAxis(reversed(columns))
	}
	g.named, g.exists = make(map[string][2]int), make(map[[2]int]bool)
	for name := range names {
		row, column, _ := split(name)
		if files {
			row, column = column, row
		}
		at := [2]int{g.columns.index[column], g.rows.index[row]}
		g.named[name], g.exists[at] = at, true
	}
}

// orientation reports whether the first coordinate of a fluent is the row, and whether the rows begin at the
// bottom. It uses names of variables, letters beside numbers, and moves that name a column alone, as in games
// of dropping.
func (f *fluents) orientation(u *use) (transposed, upward bool) {
	straight, up := 0, 0
	for i := range f.clauses {
		for _, atom := range f.clauses[i].atoms() {
			rel, args, ok := read(atom)
			if !ok || rel != u.relation {
				continue
			}
			a, b := hint(args[u.column]), hint(args[u.row])
			straight += a.column - b.column
			up += a.up + b.up
		}
	}
	xs, ys := slices.Sorted(maps.Keys(f.domain(u.relation, u.column))), slices.Sorted(maps.Keys(f.domain(u.relation, u.row)))
	if isLetter(xs[0][0]) != isLetter(ys[0][0]) && len(xs[0]) == 1 {
		up += 1000 // files and ranks
		if isLetter(ys[0][0]) {
			straight -= 1000
		} else {
			straight += 1000
		}
	}
	switch column := f.droppedCoordinate(u); {
	case column == u.row:
		return true, true
	case column >= 0:
		return false, true
	}
	return straight < 0, up > 0
}

// droppedCoordinate returns the coordinate that some move names as its only argument, or -1.
func (f *fluents) droppedCoordinate(u *use) int {
	columns, rows := false, false
	for m, linked := range f.links {
		if m.arity != 1 {
			continue
		}
		a, b := linked[slot{u.relation, u.column}], linked[slot{u.relation, u.row}]
		columns, rows = columns || a && !b, rows || b && !a
	}
	switch {
	case columns && !rows:
		return u.column
	case rows && !columns:
		return u.row
	}
	return -1
}

// direction is the meaning of a variable's name: whether it is a column (1) or a row (-1), and whether rows
// begin at the bottom (1) or at the top (-1).
type direction struct{ column, up int }

func hint(a gdl.Term) direction {
	name := strings.ToLower(strings.TrimLeft(a.Name, "?"))
	name = strings.TrimRight(name, "0123456789'_-+")
	switch {
	case name == "y" || name == "v" || strings.HasPrefix(name, "rank") || name == "h":
		return direction{-3, 3}
	case name == "r" || strings.HasPrefix(name, "row"):
		return direction{-3, -3}
	case name == "m" || name == "i":
		return direction{-1, -1}
	case name == "x" || name == "u" || strings.HasPrefix(name, "file"):
		return direction{3, 3}
	case name == "c" || strings.HasPrefix(name, "col"):
		return direction{3, -3}
	case name == "n" || name == "j":
		return direction{1, -1}
	}
	return direction{}
}

// atoms returns the positive conditions of a rule and its head.
func (c *clause) atoms() []gdl.Term {
	list := []gdl.Term{c.rule.Head}
	for _, l := range c.rule.Body {
		if l.Op == gdl.Holds {
			list = append(list, l.Atom)
		}
	}
	return list
}

// hexagons finds a relation between cells that gives each cell six neighbours: the neighbours in row and
// column, and two neighbours that differ in both coordinates. It returns 1 if these two coordinates grow in
// opposite directions, -1 if they grow together, 0 without such a relation.
func (f *fluents) hexagons(g *grid, owner *use) int {
	offsets := make(map[relation]map[[2]int]bool)
	columns, _ := f.ordered(owner.relation, owner.column)
	rows, _ := f.ordered(owner.relation, owner.row)
	x, y := newAxis(columns), newAxis(rows)
	for i := range f.clauses {
		c := &f.clauses[i]
		if c.head.kind != static || c.head.arity != 4 {
			continue
		}
		dx, ok := f.offset(c, c.args[0], c.args[2], x)
		dy, ok2 := f.offset(c, c.args[1], c.args[3], y)
		if offsets[c.head] == nil {
			offsets[c.head] = make(map[[2]int]bool)
		}
		if ok && ok2 {
			offsets[c.head][[2]int{dx, dy}] = true
			offsets[c.head][[2]int{-dx, -dy}] = true
		}
	}
	against, together := false, false
	for _, found := range offsets {
		if len(found) == 6 && found[[2]int{1, 0}] && found[[2]int{0, 1}] {
			against = against || found[[2]int{1, -1}]
			together = together || found[[2]int{1, 1}]
		}
	}
	switch {
	case against && !together:
		return 1
	case together && !against:
		return -1
	}
	return 0
}

// offset returns the distance from a to b along an axis, as far as a rule determines it: they are the same
// variable, or a condition relates them by a constant distance.
func (f *fluents) offset(c *clause, a, b gdl.Term, along axis) (int, bool) {
	if a.Name == b.Name {
		return 0, true
	}
	for _, l := range c.rule.Body {
		if l.Op != gdl.Holds || len(l.Atom.Args) != 2 {
			continue
		}
		forward := l.Atom.Args[0].Equal(a) && l.Atom.Args[1].Equal(b)
		if !forward && !(l.Atom.Args[0].Equal(b) && l.Atom.Args[1].Equal(a)) {
			continue
		}
		if by, ok := f.difference(relation{static, l.Atom.Name, 2}, along); ok {
			if forward {
				return by, true
			}
			return -by, true
		}
	}
	return 0, false
}

// difference returns the distance from the first to the second argument of a relation along an axis, if each
// of its facts has the same distance.
func (f *fluents) difference(rel relation, along axis) (by int, ok bool) {
	for i := range f.clauses {
		c := &f.clauses[i]
		if c.head != rel {
			continue
		}
		a, b := c.args[0], c.args[1]
		i, known := along.index[a.Name]
		j, known2 := along.index[b.Name]
		switch {
		case !known || !known2:
			continue
		case ok && j-i != by:
			return 0, false
		}
		by, ok = j-i, true
	}
	return by, ok
}
