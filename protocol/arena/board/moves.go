package board

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Move is a move in a readable form: e2–e4 for (move e 2 e 4).
type Move struct {
	Move string `json:"move"` // in the rules
	Text string `json:"text"`
	// Spots are the cells that the move names, in its order, on the boards of a picture. If the move names
	// only a column, as (drop 4) does, they are the cells of that column, and Line is true.
	Spots []Spot `json:"spots,omitempty"`
	Line  bool   `json:"line,omitempty"`
	Aimed bool   `json:"aimed,omitempty"` // Spots are the cells that the move changes in one position
}

// Read reads a move. A move that names no cell has no spots.
func (l *Layout) Read(text string) Move { return l.ReadFor("", text) }

// ReadFor reads a move of a role; cells of hands are the role's own.
func (l *Layout) ReadFor(role, text string) Move {
	found := Move{Move: text, Text: strings.Trim(text, "()")}
	m, args := parse(text)
	if strings.Contains(found.Text, "(") {
		return found
	}
	found.Text = l.phrase(m.name, args)
	if len(args) == 0 {
		found.Spots = l.choice(role, m.name)
		return found
	}
	m.kind = move
	var of *grid
	var ends []int
	best := 0
	for _, g := range l.grids {
		if u := l.uses[g.owner]; (u.purpose == onBoard || u.purpose == asAmount) && g.cells() > 1 {
			// A grid with more matching coordinates is better, then a grid with fewer cells of more coordinates.
			spots, cells, isLine := l.match(g, u, role, m, args)
			worth := -len(spots)
			for _, end := range cells {
				if end >= 0 && !isLine {
					worth += maxCells
				}
			}
			if len(spots) > 0 && (of == nil || worth > best) {
				found.Spots, found.Line, ends, of, best = spots, isLine, cells, g, worth
			}
		}
	}
	if of != nil {
		found.Text = l.moveText(m, args, found, of, ends)
	}
	return found
}

// phrase returns a move in the words of the page.
func (l *Layout) phrase(name string, args tuple) string {
	phrase := l.word(name)
	hasPlaces := strings.Contains(phrase, "{")
	for i, a := range args {
		if hasPlaces {
			phrase = strings.ReplaceAll(phrase, "{"+strconv.Itoa(i+1)+"}", l.word(a))
		} else {
			phrase += " " + l.word(a)
		}
	}
	return strings.TrimSpace(phrase)
}

// moveText returns the text of a move that names cells of a grid. ends holds, by argument, the number, from
// 1, of the spot that the argument completes. It holds 0 for the other coordinates of a cell, and -1 for
// other arguments. The name of the move is omitted if its last argument is a coordinate and no other kind of
// move has as many arguments.
func (l *Layout) moveText(m relation, args tuple, read Move, g *grid, ends []int) string {
	if g.isBeside() || strings.Contains(l.page.Words[m.name], "{") {
		return read.Text
	}
	var words []string
	if l.verbs[m.arity] > 1 || g.shape == Row || ends[len(ends)-1] < 0 {
		words = append(words, l.word(m.name))
	}
	cells, after := g.names(), -2
	for i, a := range args {
		switch end := ends[i]; {
		case end < 0:
			words = append(words, l.word(a))
		case end == 0:
		case read.Line && read.Spots[0].Column == read.Spots[len(read.Spots)-1].Column:
			words = append(words, "column", a)
		case read.Line:
			words = append(words, "row", a)
		default:
			s := read.Spots[end-1]
			name := cells.name(s)
			if s.Board != read.Spots[0].Board || len(g.selectors) > 0 {
				name = g.selections()[s.Board-l.firstBoard(g)] + ": " + name
			}
			if after == len(words)-1 {
				words[after] += cells.arrow() + name
			} else {
				words = append(words, name)
			}
			after = len(words) - 1
		}
	}
	return strings.Join(words, " ")
}

// firstBoard returns the index of the first board of a grid in pictures.
func (l *Layout) firstBoard(g *grid) int {
	n := 0
	for _, other := range l.grids[:slices.Index(l.grids, g)] {
		n += len(other.selections())
	}
	return n
}

// cellNames returns usual names of a grid's cells: b7 if the coordinates are letters and numbers, else 2,7 in
// the order of the coordinates in facts.
type cellNames struct {
	*grid
	byCell  map[[2]int]string // names with both coordinates
	letters bool              // one of the coordinates is a letter
}

func (g *grid) names() cellNames {
	n := cellNames{grid: g, byCell: make(map[[2]int]string)}
	for name, at := range g.named {
		n.byCell[at] = name
	}
	letter := func(a axis) bool { return len(a.values[0]) == 1 && isLetter(a.values[0][0]) }
	n.letters = letter(g.columns) != letter(g.rows)
	return n
}

func (n cellNames) name(s Spot) string {
	column, row := n.columns.values[s.Column], n.rows.values[s.Row]
	switch {
	case n.named != nil:
		return n.byCell[[2]int{s.Column, s.Row}]
	case n.shape == Tray || n.shape == Choice:
		return strings.TrimSpace(row + " " + column)
	case n.shape == Row:
		return column
	case n.letters && isLetter(column[0]):
		return column + row
	case n.letters:
		return row + column
	case n.rowFirst:
		return row + "," + column
	}
	return column + "," + row
}

// arrow returns the sign between two cells.
func (n cellNames) arrow() string {
	if n.letters || n.named != nil {
		return "–"
	}
	return " → "
}

// Turned reports, by role, whether its pieces lie in the upper half of the boards and another role's in the
// lower half. A player of the role sees the board from there.
func (l *Layout) Turned(facts []string) []bool {
	above := make(map[string]int) // by colour: number of pieces in the upper half minus number in the lower half
	for _, b := range l.Draw(facts).Boards {
		if b.isBeside() {
			continue
		}
		for _, c := range b.Cells {
			for _, p := range c.Pieces {
				above[p.Color] += cmp.Compare(len(b.Rows)-1, 2*c.Row)
			}
		}
	}
	turned := make([]bool, len(l.roles))
	for i, role := range l.roles {
		for other, n := range above {
			turned[i] = turned[i] || n < 0 && other != l.roleColor(role)
		}
		turned[i] = turned[i] && above[l.roleColor(role)] > 0
	}
	return turned
}

// CellOf returns the cell on which a fact puts a piece.
func (l *Layout) CellOf(fact string) (Spot, bool) {
	rel, args := parse(fact)
	u := l.uses[rel]
	if u == nil || u.purpose != onBoard || u.grid.isBeside() || u.empty != "" && u.contentOf(args) == u.empty {
		return Spot{}, false
	}
	return l.spot(u, args)
}

// Aim gives moves that name no cell the cells that they change: cells on which the move puts a piece that
// some other move does not put there. The arguments are the facts before the moves and, by move, the facts
// after it. Facts after all moves are moves of other roles; a cell that all moves change tells no move apart.
func (l *Layout) Aim(moves []Move, before []string, after [][]string) []Move {
	times := make(map[string]int) // by fact: number of moves after which it is true
	for _, facts := range after {
		for _, fact := range facts {
			times[fact]++
		}
	}
	count := make(map[Spot]int)
	for i, facts := range after {
		for _, fact := range facts {
			isOwn := times[fact] < len(after) && !slices.Contains(before, fact)
			if spot, ok := l.CellOf(fact); ok && isOwn && !slices.Contains(moves[i].Spots, spot) {
				moves[i].Spots = append(moves[i].Spots, spot)
				count[spot]++
			}
		}
	}
	for i := range moves {
		moves[i].Aimed = true
		moves[i].Spots = slices.DeleteFunc(moves[i].Spots, func(s Spot) bool { return count[s] == len(moves) })
	}
	return moves
}

// spot returns the cell that the coordinates of a fact name.
func (l *Layout) spot(u *use, args tuple) (Spot, bool) {
	at, ok := u.grid.cell(u, args)
	board := 0
	for i, s := range u.selectors {
		chosen, known := u.grid.selectors[i].index[args[s]]
		board, ok = board*len(u.grid.selectors[i].values)+chosen, ok && known
	}
	return Spot{l.firstBoard(u.grid) + board, at[0], at[1]}, ok && (u.grid.exists == nil || u.grid.exists[at])
}

// match reads the arguments of a move as coordinates of a grid, from left to right. For each argument it
// returns the spot that the argument completes (see moveText). A single coordinate means a line.
func (l *Layout) match(g *grid, u *use, role string, m relation, args tuple) (spots []Spot, ends []int, isLine bool) {
	want := append(append([]int{}, u.selectors...), u.column)
	values := make(tuple, u.arity)
	if u.row >= 0 && (u.row != u.holder || role == "") {
		want = append(want, u.row)
	} else if u.row >= 0 {
		values[u.row] = role
	}
	slices.Sort(want) // moves have the order of coordinates in facts
	given := make(map[int]bool)
	ends = slices.Repeat([]int{-1}, len(args))
	last := -1
	for i, a := range args {
		argument, ok := l.coordinate(g, u, slot{m, i}, a, want, given)
		if !ok {
			continue
		}
		values[argument], given[argument] = a, true
		ends[i], last = 0, i
		if len(given) < len(want) {
			continue
		}
		if spot, ok := l.spot(u, values); ok {
			spots = append(spots, spot)
			ends[i] = len(spots)
		}
		clear(given)
	}
	if len(spots) == 0 && len(given) == 1 {
		ends[last] = 1
		return l.line(g, u, values, given), ends, true
	}
	if len(given) > 0 {
		ends[last] = -1 // no cell is complete
	}
	return spots, ends, false
}

// coordinate returns the coordinate that an argument of a move names: the first coordinate, not given yet,
// that fits its value and the variables that rules share.
func (l *Layout) coordinate(g *grid, u *use, p slot, value string, want []int, given map[int]bool) (int, bool) {
	links := l.links[p]
	for _, w := range want {
		if given[w] || !g.hasValue(u, w, value) {
			continue
		}
		if len(links) == 0 && g.isBeside() {
			continue
		}
		if len(links) == 0 {
			return w, len(given) > 0 || len(want) <= p.arity-p.argument
		}
		for f := range links {
			other := l.uses[f.relation]
			if f == (slot{u.relation, w}) || other != nil && other.grid == g && other.matches(f.argument, u, w) {
				return w, true
			}
		}
	}
	return 0, false
}

// matches reports whether an argument of a fluent on a grid has the role of an argument of another fluent there.
func (u *use) matches(argument int, v *use, other int) bool {
	if argument == u.column && other == v.column || u.row >= 0 && argument == u.row && other == v.row {
		return true
	}
	i := slices.Index(u.selectors, argument)
	return i >= 0 && i < len(v.selectors) && v.selectors[i] == other
}

// hasValue reports whether a coordinate can have a value.
func (g *grid) hasValue(u *use, argument int, value string) bool {
	var ok bool
	switch {
	case g.named != nil && argument == u.column:
		_, ok = g.named[value]
	case argument == u.column:
		_, ok = g.columns.index[value]
	case argument == u.row:
		_, ok = g.rows.index[value]
	default:
		if i := slices.Index(u.selectors, argument); i >= 0 {
			_, ok = g.selectors[i].index[value]
		}
	}
	return ok
}

// line returns the cells of the column or row that a move names.
func (l *Layout) line(g *grid, u *use, values tuple, given map[int]bool) []Spot {
	var spots []Spot
	if u.row < 0 || len(u.selectors) > 0 {
		return nil
	}
	for row := range g.rows.values {
		for column := range g.columns.values {
			inLine := given[u.column] && g.columns.index[values[u.column]] == column ||
				given[u.row] && g.rows.index[values[u.row]] == row
			if inLine && (g.exists == nil || g.exists[[2]int{column, row}]) {
				spots = append(spots, Spot{l.firstBoard(g), column, row})
			}
		}
	}
	return spots
}
