package board

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// grid is the geometry of a board, or of several boards of one shape.
type grid struct {
	name          string
	shape         Shape
	columns, rows axis
	named         map[string][2]int // column and row by name, if one argument names a cell
	shift         []int
	selectors     []axis
	exists        map[[2]int]bool // nil if every cell exists
	owner         relation        // the fluent that the grid was found by
	rowFirst      bool            // facts name the row before the column
	full          bool            // the initial position has facts for most cells
	contents      set             // values of the owner's content, if it has one content argument
	words         set             // values of the owner's content arguments
	sides         []Side
}

// isBeside reports whether a grid is a tray or a strip.
func (g *grid) isBeside() bool { return g.shape.isBeside(g.sides) }

// axis is an ordered list of names.
type axis struct {
	values []string
	index  map[string]int
}

func newAxis(values []string) axis {
	a := axis{values: values, index: make(map[string]int)}
	for i, v := range values {
		a.index[v] = i
	}
	return a
}

// selections returns the texts that select the boards of a grid, in order.
func (g *grid) selections() []string {
	list := []string{""}
	for _, s := range g.selectors {
		var longer []string
		for _, prefix := range list {
			for _, v := range s.values {
				longer = append(longer, strings.TrimSpace(prefix+" "+v))
			}
		}
		list = longer
	}
	return list
}

// cell returns the column and row that a fact names.
func (g *grid) cell(u *use, args tuple) ([2]int, bool) {
	if g.named != nil {
		at, ok := g.named[args[u.column]]
		return at, ok
	}
	column, ok := g.columns.index[args[u.column]]
	if !ok || u.row < 0 {
		return [2]int{column, 0}, ok
	}
	row, ok := g.rows.index[args[u.row]]
	return [2]int{column, row}, ok
}

const (
	maxSide   = 64   // cells of a row or column
	usualSide = 32   // a longer row must occur in examples
	maxCells  = 2500 // cells of one board
	maxBoards = 36
)

// candidate is a fluent that may be a board.
type candidate struct {
	use
	columns, rows []string // in the order of their values; rows is nil if column names cells
	contents      set
	full          bool // the initial position has facts for most cells
	mobile        bool // the content determines the cell, as in (at robot 3 4)
	score         float64
}

// findBoards chooses the fluents that are boards, the surest first, and the fluents that are drawn on them.
func (l *Layout) findBoards(f *fluents) {
	l.findStacks(f)
	var all []*candidate
	for _, rel := range f.relations() {
		if c := f.bestCandidate(rel); c != nil && l.uses[rel] == nil {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.strength(), a.strength()) })
	for _, c := range all {
		if f.ctx.Err() == nil {
			l.assign(f, c)
		}
	}
	if len(l.grids) == 0 {
		l.findPoints(f)
	}
	hasBoard := l.HasBoard()
	l.findStakes(f)
	l.findTrays(f)
	if !hasBoard {
		l.findRows(f)
	}
	l.findSegments(f)
	for _, g := range l.grids {
		if f.ctx.Err() == nil {
			g.finish(f, l.uses[g.owner])
		}
	}
	for _, u := range l.uses {
		if u.purpose == onBoard && !u.grid.isBeside() {
			u.onePerRole = len(u.content) == 1 && f.isRole(u.relation, u.content[0]) && f.decides(u.relation, u.content, u.argumentsExcept(u.content...)) && f.seen[u.relation] != nil
			u.empty = f.emptyOf(u)
		}
	}
}

// strength returns a score of the certainty that a candidate is a board.
func (c *candidate) strength() float64 {
	switch {
	case len(c.content) == 0:
		return c.score
	case c.full:
		return c.score + 120
	}
	return c.score + 20
}

// assign assigns a candidate to the first board with which it agrees, or makes a board of it if it
// contradicts no board.
func (l *Layout) assign(f *fluents, c *candidate) {
	for _, g := range l.grids {
		switch agreement := c.agreement(f, g, l.uses[g.owner]); {
		case agreement > 0:
			l.drawOn(c, g)
			return
		case agreement < 0:
			return
		}
	}
	if len(l.grids) == 0 && !c.isMark(f) || !c.relatesCells(f) {
		l.addGrid(f, c)
	}
}

// agreement scores a candidate against a board: 1 if it adds things to the cells, 0 if it concerns other
// cells, and -1 if it repeats the pieces on them.
func (c *candidate) agreement(f *fluents, g *grid, owner *use) int {
	switch {
	case !c.fits(f, g, owner):
		return 0
	case len(c.content) == 0 || c.mobile:
		return 1
	case f.isNumeric(c) && !isNumeric(g.contents):
		return -1 // a numbering of groups of pieces
	case (len(c.contents) == 0 || !isSubset(c.contents, g.contents)) && !(c.full && g.full):
		return 1
	case len(c.columns) == len(g.columns.values):
		return 0 // a second board of the same kind
	}
	return -1
}

// isMark reports whether a candidate marks one cell in some positions only, such as the place of a piece that has just
// been removed.
func (c *candidate) isMark(f *fluents) bool {
	isMissing := func(facts []tuple) bool { return len(facts) == 0 }
	return len(c.content) == 0 && f.isSingle(c.relation) && slices.ContainsFunc(f.seen[c.relation], isMissing)
}

// relatesCells reports whether a candidate relates cells to cells, or counts.
func (c *candidate) relatesCells(f *fluents) bool {
	return len(c.selectors) > 1 || len(c.content) == 0 && f.isSingle(c.relation)
}

// drawOn assigns a candidate to a board that another fluent owns.
func (l *Layout) drawOn(c *candidate, g *grid) {
	u := c.use
	u.grid, u.layer = g, beside
	if c.mobile && len(c.content) == 1 {
		u.layer = above
	}
	l.uses[c.relation] = &u
}

// addGrid makes a board of a candidate.
func (l *Layout) addGrid(f *fluents, c *candidate) {
	u := c.use
	g := &grid{name: c.name, shape: Square, owner: c.relation, full: c.full, contents: c.contents, words: make(set)}
	for _, a := range c.content {
		maps.Copy(g.words, f.domain(c.relation, a))
	}
	u.grid = g
	for _, s := range c.selectors {
		values, ok := f.ordered(c.relation, s)
		if !ok {
			values = slices.Sorted(maps.Keys(f.domain(c.relation, s)))
		}
		g.selectors = append(g.selectors, newAxis(values))
	}
	g.columns, g.rows = newAxis(c.columns), newAxis(c.rows)
	l.uses[c.relation] = &u
	l.grids = append(l.grids, g)
}

// isNumeric reports whether the contents of a candidate are numbers.
func (f *fluents) isNumeric(c *candidate) bool {
	for _, a := range c.content {
		if !isNumeric(f.domain(c.relation, a)) {
			return false
		}
	}
	return len(c.content) > 0
}

// fits reports whether the domains of a candidate's coordinates mostly agree with a grid's.
func (c *candidate) fits(f *fluents, g *grid, owner *use) bool {
	if len(c.selectors) != len(g.selectors) || (c.row < 0) != (owner.row < 0) {
		return false
	}
	if c.row < 0 {
		return overlap(f.domain(c.relation, c.column), f.domain(owner.relation, owner.column))
	}
	x, y := f.domain(c.relation, min(c.column, c.row)), f.domain(c.relation, max(c.column, c.row))
	ox := f.domain(owner.relation, min(owner.column, owner.row))
	oy := f.domain(owner.relation, max(owner.column, owner.row))
	return overlap(x, ox) && overlap(y, oy)
}

// overlap reports whether most of the smaller set is in the larger set.
func overlap(a, b set) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for v := range a {
		if b[v] {
			common++
		}
	}
	return len(a) > 0 && common*3 >= len(a)*2
}

// bestCandidate returns the best candidate of a fluent, or nil if it has no coordinates or the context has ended.
func (f *fluents) bestCandidate(rel relation) *candidate {
	if f.ctx.Err() != nil {
		return nil
	}
	if c := f.namedCells(rel); c != nil {
		return c
	}
	var best *candidate
	for i := range rel.arity {
		for j := i + 1; j < rel.arity; j++ {
			if c := f.coordinatePair(rel, i, j); c != nil && (best == nil || c.score > best.score) {
				best = c
			}
		}
	}
	if best == nil || !f.classify(best) {
		return nil
	}
	return best
}

// namedCells returns the candidate of a fluent of which one argument names cells by both coordinates.
func (f *fluents) namedCells(rel relation) *candidate {
	found := -1
	for i := range rel.arity {
		letters, numbers := make(set), make(set)
		values := f.domain(rel, i)
		for v := range values {
			letter, number, ok := split(v)
			if !ok {
				letters = nil
				break
			}
			letters[letter], numbers[number] = true, true
		}
		if len(letters) >= 3 && len(numbers) >= 2 && len(values) >= 6 {
			if found >= 0 {
				return nil // the fluent relates cells to cells
			}
			found = i
		}
	}
	if found < 0 || rel.arity == 1 {
		return nil
	}
	c := &candidate{score: 5, use: use{relation: rel, column: found, row: -1, content: rel.argumentsExcept(found), holder: -1}}
	c.full = f.covers(rel, found)
	c.contents = f.domain(rel, c.content[0])
	c.mobile = !c.full && f.decides(rel, c.content, []int{found})
	c.columns = slices.Sorted(maps.Keys(f.domain(rel, found)))
	return c
}

// coordinatePair returns the candidate with arguments i and j as coordinates, or nil if they are not coordinates.
func (f *fluents) coordinatePair(rel relation, i, j int) *candidate {
	xs, ok := f.ordered(rel, i)
	ys, ok2 := f.ordered(rel, j)
	if !ok || !ok2 || len(xs)*len(ys) < 4 || len(xs) > maxSide || len(ys) > maxSide || len(xs)*len(ys) > maxCells {
		return nil
	}
	if f.isRole(rel, i) || f.isRole(rel, j) {
		return nil
	}
	first, second := f.isAmount(rel, i), f.isAmount(rel, j)
	pairsOff := first && second && rel.arity == 2 && len(f.seen[rel][0]) >= len(xs) // a mapping of the values
	if first != second && !f.isLocation(rel, i, j) || pairsOff || rel.arity > 3 && f.isSequence(rel) {
		return nil
	}
	c := &candidate{columns: xs, rows: ys, use: use{relation: rel, column: i, row: j, holder: -1}}
	if equal(f.domain(rel, i), f.domain(rel, j)) {
		c.score += 4
	}
	for _, side := range []int{len(xs), len(ys)} {
		if side >= 3 && side <= 20 {
			c.score++
		}
	}
	return c
}

// isLocation reports whether a move names both arguments of a fluent that has further arguments. Then they are
// the place from or to which something moves, and not a number of something.
func (f *fluents) isLocation(rel relation, i, j int) bool {
	for m, linked := range f.links {
		for k := range m.arity {
			if rel.arity > 2 && k != m.argument && linked[slot{rel, i}] && f.links[slot{m.relation, k}][slot{rel, j}] {
				return true
			}
		}
	}
	return false
}

// isSequence reports whether a fluent has a single fact, which lists things of one kind.
func (f *fluents) isSequence(rel relation) bool {
	for i := range rel.arity {
		if !equal(f.domain(rel, i), f.domain(rel, 0)) {
			return false
		}
	}
	return f.isSingle(rel) && len(f.seen[rel][0]) == 1
}

// isAmount reports whether an argument is the number of the other arguments, as in (heap a 5): they determine
// it, and nearly all their combinations have a fact.
func (f *fluents) isAmount(rel relation, argument int) bool {
	rest := rel.argumentsExcept(argument)
	return f.decides(rel, rest, []int{argument}) && f.covers(rel, rest...) && len(f.seen[rel]) > 0
}

// classify classifies the arguments of a candidate that are no coordinates, and reports whether the result is
// plausible.
func (f *fluents) classify(c *candidate) bool {
	at := []int{c.column, c.row}
	rest := c.argumentsExcept(at...)
	c.full = f.covers(c.relation, at...)
	c.content = rest
	like := f.coordinates(c, rest)
	switch {
	case len(rest) == 0:
	case !c.full && len(like) > 0 && len(like) < 3 && c.arity >= 4:
		c.selectors = like
	case f.decides(c.relation, at, rest):
		c.mobile = !c.full && f.decides(c.relation, rest, at) && f.covers(c.relation, rest...) // few things, each in one cell
	case f.decides(c.relation, rest, at):
		c.mobile = true
	default:
		c.selectors = f.selectors(c, at, rest)
	}
	c.content = c.argumentsExcept(append(at, c.selectors...)...)
	boards := 1
	for _, s := range c.selectors {
		boards *= len(f.domain(c.relation, s))
	}
	if len(c.selectors) == 2 && c.column < c.selectors[0] && f.sameDomains(c) {
		c.column, c.selectors[0] = c.selectors[0], c.column
		c.row, c.selectors[1] = c.selectors[1], c.row
	}
	if len(c.content) == 1 {
		c.contents = f.domain(c.relation, c.content[0])
	}
	return boards <= maxBoards && len(c.selectors) <= 2
}

// coordinates returns the arguments that have the values of a coordinate, or that precede the coordinates and
// have an order.
func (f *fluents) coordinates(c *candidate, rest []int) []int {
	var like []int
	for _, r := range rest {
		_, ordered := f.ordered(c.relation, r)
		ordered = ordered && r < c.column && len(f.domain(c.relation, r)) <= maxBoards
		d := f.domain(c.relation, r)
		if ordered || equal(d, f.domain(c.relation, c.column)) || equal(d, f.domain(c.relation, c.row)) {
			like = append(like, r)
		}
	}
	return like
}

func (f *fluents) sameDomains(c *candidate) bool {
	return equal(f.domain(c.relation, c.column), f.domain(c.relation, c.selectors[0])) &&
		equal(f.domain(c.relation, c.row), f.domain(c.relation, c.selectors[1]))
}

// selectors finds the fewest arguments that, with the coordinates, determine the content.
func (f *fluents) selectors(c *candidate, at, rest []int) []int {
	var sets [][]int
	for _, r := range rest {
		sets = append(sets, []int{r})
	}
	for i, r := range rest {
		for _, s := range rest[i+1:] {
			sets = append(sets, []int{r, s})
		}
	}
	for _, chosen := range sets {
		left := c.argumentsExcept(append(slices.Clone(at), chosen...)...)
		sensible := true
		for _, s := range chosen {
			sensible = sensible && len(f.domain(c.relation, s)) <= maxBoards &&
				(len(left) > 0 || len(f.coordinates(c, []int{s})) > 0)
		}
		if sensible && f.decides(c.relation, append(slices.Clone(at), chosen...), left) {
			return chosen
		}
	}
	return nil
}

// cells counts the cells of a board.
func (g *grid) cells() int { return len(g.columns.values) * len(g.rows.values) }
