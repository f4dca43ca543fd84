// Package board finds the boards of a game in its rules, and draws positions on them. It does not own rules,
// nor drawing that depends on the viewer: Text is for terminals, SVG for pages.
//
// A fluent such as (cell 2 3 x) is a board if two of its arguments have an order (see order) and behave like
// coordinates: they are not counters, which other arguments determine (see fluents.decides). The remaining
// arguments are the content of the cell. Further coordinates select one of several boards. In (cell a1 red)
// one name has both coordinates. A single ordered argument gives a board of one row. (line 1 1 1 2) is a side
// of a cell (segments.go). Things that lie on things are a stack (stacks.go). Cards, coins and pieces that
// moves name lie on trays (trays.go). Moves that are names are choices (choices.go). Other facts are listed,
// never dropped.
package board

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stackmate/gdl"
)

// Picture is the drawing of a position. Each fact of the position is in exactly one part, except facts that
// say that a cell is empty.
type Picture struct {
	Boards   []Board   `json:"boards"`
	Hands    []Hand    `json:"hands,omitempty"`
	Counters []Counter `json:"counters,omitempty"`
	Facts    []string  `json:"facts,omitempty"` // facts without a drawing
}

// Shape is the arrangement of the cells of a board.
type Shape string

// The shapes of boards.
const (
	Square Shape = "square" // rows and columns
	Hex    Shape = "hex"    // six neighbours; rows are shifted by Board.Shift
	Row    Shape = "row"    // one row of cells
	Tray   Shape = "tray"   // things beside the boards: a row for each holder
	Choice Shape = "choice" // a tray of the moves of each role
)

// isTray reports whether the cells of a shape hold things beside the boards.
func (s Shape) isTray() bool { return s == Tray || s == Choice }

// isBeside reports whether a board lies beside the boards: a tray, or a strip, which is a row with sides.
func (s Shape) isBeside(sides []Side) bool { return s.isTray() || s == Row && sides != nil }

// Board is a board with its pieces.
type Board struct {
	Name    string   `json:"name"`
	Shape   Shape    `json:"shape"`
	Columns []string `json:"columns"` // names, from left to right
	Rows    []string `json:"rows"`    // names, from top to bottom
	// Shift is, by row, the distance that it is moved to the right, in halves of a cell; nil if rows stand
	// below each other.
	Shift []int `json:"shift,omitempty"`
	// Left and Top are the position of the board among boards of the same kind.
	Left  int    `json:"left"`
	Top   int    `json:"top"`
	Cells []Cell `json:"cells"` // existing cells, row by row
	// Checkered is true if fields are alternately dark and light, as in chess.
	Checkered bool   `json:"checkered,omitempty"`
	Sides     []Side `json:"sides,omitempty"`
}

// Side is a side of a board that belongs to a role.
type Side struct {
	Edge  Kind   `json:"edge"`
	Color string `json:"color"`
	Role  string `json:"role"`
}

// Cell is a cell of a board.
type Cell struct {
	Column int     `json:"column"`
	Row    int     `json:"row"`
	Name   string  `json:"name"` // as in texts of moves: b7, or 2,7
	Pieces []Piece `json:"pieces,omitempty"`
}

// Hand is the list of items of a role or another holder.
type Hand struct {
	Name   string   `json:"name"`
	Holder string   `json:"holder"`
	Items  []string `json:"items"`
}

// Counter is a number or a name that changes.
type Counter struct {
	Name   string `json:"name"`
	Holder string `json:"holder,omitempty"`
	Value  string `json:"value"`
	Color  string `json:"color,omitempty"` // colour of the role that the counter concerns
	Turn   bool   `json:"turn,omitempty"`  // the role of Value has to move
	Clock  bool   `json:"clock,omitempty"` // it counts the positions
	Lead   bool   `json:"lead,omitempty"`  // Holder is ahead by Value
}

// Spot is a cell of a Picture.
type Spot struct {
	Board  int `json:"board"` // index into Picture.Boards
	Column int `json:"column"`
	Row    int `json:"row"`
}

// Layout determines the drawing of a game's positions. It is immutable and safe for concurrent use.
type Layout struct {
	roles []string
	grids []*grid
	piles []*stacks
	uses  map[relation]*use
	links map[slot]map[slot]bool
	verbs map[int]int        // number of kinds of moves by number of arguments
	scale map[relation]scale // scales of the numbers with a sign
	turns set                // the fluents that say whose turn it is
	page  Page

	choices   *grid // nil without choices
	hasTrails bool
}

// use determines the drawing of the facts of a fluent.
type use struct {
	relation
	purpose purpose
	grid    *grid
	layer   layer
	// The arguments that are coordinates: row is -1 if column names a cell by both coordinates, or if there
	// is one row. selectors are the arguments that select a board, in order, and content the other arguments.
	column, row int
	selectors   []int
	content     []int
	empty       string // the content of an empty cell; "" if no content means empty
	holder      int    // argument of hands, counters and coordinates that names their holder, or -1
	label       string // name of coordinates without a holder
	stakes      map[string]string
	onePerRole  bool // the fluent places one piece of each role
	clock       bool // the value grows by one with each position
}

// purpose is the kind of drawing of a fact.
type purpose uint8

const (
	onBoard purpose = iota
	onAxis          // a coordinate of a thing
	inHand
	asCounter
	asSegment // between two points of a board
	asStack
	asAmount // a number of coins
	asStake  // a counter with the prize at stake
	asChoice // moves, not facts
)

// layer orders the facts for one cell.
type layer uint8

const (
	own    layer = iota // the fluent that owns the board
	above               // things that move over the board
	beside              // drawn on empty cells, else listed
)

// Find finds the boards of a game. The positions (facts as texts) are examples: at least the initial
// position; more positions distinguish coordinates from contents more reliably. When ctx ends, Find returns
// the boards found so far. Fluents with more than maxArity arguments stay facts.
func Find(ctx context.Context, g *gdl.Game, positions ...[]string) *Layout {
	all := clauses(g)
	f := &fluents{
		ctx: ctx, roles: make(set), clauses: all, domains: domains(ctx, all), chains: chains(all),
		seen: make(map[relation][][]tuple),
	}
	l := &Layout{uses: make(map[relation]*use), links: links(ctx, all), verbs: make(map[int]int)}
	f.links, f.uses = l.links, l.uses
	for p := range f.domains {
		if p.kind == move && p.argument == 0 {
			l.verbs[p.arity]++
		}
	}
	for _, r := range g.Roles {
		l.roles = append(l.roles, r.String())
		f.roles[r.String()] = true
	}
	f.observe(positions)
	l.findScales(ctx, g, f, positions)
	l.findBoards(f)
	l.findCounters(f)
	l.findChoices(g, f)
	l.findTrails()
	l.turns = f.turns()
	return l
}

// HasBoard reports whether the game has a board, beside counters and facts.
func (l *Layout) HasBoard() bool { return len(l.grids)+len(l.piles) > 0 }

// tuple is the arguments of a fact.
type tuple []string

// parse reads a fact in canonical text. A text that is no term becomes a name.
func parse(fact string) (relation, tuple) {
	whole := relation{fluent, fact, 0}
	inner, ok := strings.CutPrefix(fact, "(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return whole, nil
	}
	var parts []string
	depth, start := 0, 0
	inner = inner[:len(inner)-1]
	for i := 0; i <= len(inner); i++ {
		switch {
		case i == len(inner) || inner[i] == ' ' && depth == 0:
			parts = append(parts, inner[start:i])
			start = i + 1
		case inner[i] == '(':
			depth++
		case inner[i] == ')':
			depth--
		}
	}
	if depth != 0 || parts[0] == "" {
		return whole, nil
	}
	return relation{fluent, parts[0], len(parts) - 1}, parts[1:]
}

// Draw draws a position. The facts are in any order. The earlier positions, if given, determine the colours
// of trails.
func (l *Layout) Draw(facts []string, before ...[]string) Picture {
	d := drawing{Layout: l, trails: l.trails(append(slices.Clip(before), facts))}
	for _, g := range l.grids {
		d.addBoards(g)
	}
	var later [beside + 1][]pending
	var piled []pending
	for _, fact := range facts {
		rel, args := parse(fact)
		u := l.uses[rel]
		switch {
		case u == nil:
			d.addText(rel, args, fact)
		case u.purpose == onAxis:
			d.drawPoint(u, args, fact)
		case u.purpose == asSegment:
			d.drawSegment(u, args, fact)
		case u.purpose == asAmount:
			d.drawAmount(u, args, fact)
		case u.purpose == asStake:
			d.drawStake(u, args)
		case u.purpose == asStack:
			piled = append(piled, pending{u, args, fact})
		case u.purpose == onBoard:
			later[u.layer] = append(later[u.layer], pending{u, args, fact})
		default:
			d.addHolding(u, args)
		}
	}
	for _, p := range slices.Concat(later[:]...) {
		d.drawPiece(p.use, p.args, p.fact)
	}
	for _, h := range d.halves {
		d.Facts = append(d.Facts, h.fact)
	}
	for _, s := range l.piles {
		d.drawStacks(s, slices.DeleteFunc(slices.Clone(piled), func(p pending) bool { return p.use.relation != s.on && p.use.relation != s.table }))
	}
	if d.choices != nil {
		d.drawChoices()
	}
	if len(d.Boards) > 0 {
		for side, role := range l.page.Sides {
			d.Boards[0].Sides = append(d.Boards[0].Sides, Side{side, l.roleColor(role), role})
		}
	}
	d.sort()
	return d.Picture
}

// addText writes a fact in the words of the page, or lists it if the page has no words for it.
func (d *drawing) addText(rel relation, args tuple, fact string) {
	if d.page.Words[rel.name] == "" {
		d.Facts = append(d.Facts, fact)
		return
	}
	d.Counters = append(d.Counters, Counter{Name: d.phrase(rel.name, args)})
}

// pending is a fact that waits for the facts of lower layers.
type pending struct {
	use  *use
	args tuple
	fact string
}

// drawing is the state of Draw.
type drawing struct {
	Picture
	*Layout
	cells  []map[[2]int]int // index of a cell by board, then column and row
	halves []half
	trails map[Spot]string // colour of the last role that occupied the cell
}

// addBoards adds the empty boards of a grid.
func (d *drawing) addBoards(g *grid) {
	top := 0
	for _, b := range d.Boards {
		top = max(top, b.Top+1)
	}
	names := g.names()
	for i, s := range g.selections() {
		b := Board{Name: d.word(g.name), Shape: g.shape, Columns: g.columns.values, Rows: g.rows.values, Shift: g.shift, Sides: g.sides}
		if g.shape == Choice || g.shape == Tray && d.uses[g.owner].purpose != asAmount {
			b.Columns = make([]string, len(b.Columns)) // cards have their names on them
		}
		b.Left, b.Top = i, top
		if len(g.selectors) == 2 {
			b.Left, b.Top = i%len(g.selectors[1].values), top+i/len(g.selectors[1].values)
		} else if len(g.selectors) == 1 {
			b.Left, b.Top = i%wrap(len(g.selectors[0].values)), top+i/wrap(len(g.selectors[0].values))
		}
		if s != "" {
			b.Name += " " + s
		}
		index := make(map[[2]int]int)
		for row := range g.rows.values {
			for column := range g.columns.values {
				if g.exists == nil || g.exists[[2]int{column, row}] {
					index[[2]int{column, row}] = len(b.Cells)
					b.Cells = append(b.Cells, Cell{Column: column, Row: row, Name: names.name(Spot{Column: column, Row: row})})
				}
			}
		}
		d.Boards = append(d.Boards, b)
		d.cells = append(d.cells, index)
	}
}

// wrap returns the number of boards in a row if there are n: four make a square.
func wrap(n int) int {
	if n == 4 {
		return 2
	}
	return min(n, 6)
}

// drawPiece draws a fact on its board, or lists it if the board has no such cell.
func (d *drawing) drawPiece(u *use, args tuple, fact string) {
	spot, ok := d.spot(u, args)
	if !ok {
		d.Facts = append(d.Facts, fact)
		return
	}
	cell := d.cell(spot)
	content := u.contentOf(args)
	if u.empty != "" && content == u.empty {
		return
	}
	piece := d.piece(u, content)
	if u.grid.isBeside() {
		piece = d.thing(u, args)
	}
	if len(u.content) == 0 && !u.grid.isBeside() {
		piece.Color = cmp.Or(piece.Color, d.trails[spot])
	}
	if u.layer >= beside && cell.isTaken() && !piece.isEdge() && piece.Kind != Block {
		d.Facts = append(d.Facts, fact)
		return
	}
	cell.Pieces = append(cell.Pieces, piece)
	if piece.Kind.isChess() || piece.Kind == Man || piece.Kind == Crown {
		d.Boards[spot.Board].Checkered = d.Boards[spot.Board].Shape == Square
	}
}

// cell returns the cell of a spot.
func (d *drawing) cell(s Spot) *Cell {
	return &d.Boards[s.Board].Cells[d.cells[s.Board][[2]int{s.Column, s.Row}]]
}

// isTaken reports whether a piece lies on a cell. Edges do not count.
func (c *Cell) isTaken() bool {
	return slices.ContainsFunc(c.Pieces, func(p Piece) bool { return !p.isEdge() })
}

// contentOf returns the content of a fact's cell: the name of the fluent if the fact has no further
// arguments.
func (u *use) contentOf(args tuple) string {
	if len(u.content) == 0 {
		return u.name
	}
	return args.pick(u.content)
}

// addHolding adds a fact to hands or counters.
func (d *drawing) addHolding(u *use, args tuple) {
	holder, value := "", args.pick(u.argumentsExcept(u.holder))
	if u.holder >= 0 {
		holder = args[u.holder]
	}
	if u.purpose == asCounter {
		d.Counters = append(d.Counters, d.counter(u, holder, value))
		return
	}
	name := d.word(u.name)
	for i := range d.Hands {
		if d.Hands[i].Name == name && d.Hands[i].Holder == holder {
			d.Hands[i].Items = append(d.Hands[i].Items, value)
			return
		}
	}
	d.Hands = append(d.Hands, Hand{name, holder, []string{value}})
}

// counter returns the counter of a fact, with the colour of the role that it concerns.
func (d *drawing) counter(u *use, holder, value string) Counter {
	c := Counter{Name: d.word(u.name), Holder: holder, Value: value, Turn: d.turns[u.name], Clock: u.clock}
	switch ends := d.scale[u.relation].sides; {
	case holder != "":
		c.Color = d.roleColor(holder)
	case slices.Contains(d.roles, value):
		c.Color = d.roleColor(value)
	case ends != nil && strings.Trim(value, "-0") != "":
		end := ends[1]
		if strings.HasPrefix(value, "-") {
			end = ends[0]
		}
		c.Holder, c.Value, c.Color, c.Lead = end.Role, strings.TrimPrefix(value, "-"), end.Color, true
	default:
		isNamed := func(role string) bool { return len(role) > 1 && strings.HasPrefix(u.name, role) } // whiteScore
		if i := slices.IndexFunc(d.roles, isNamed); i >= 0 {
			c.Color = d.roleColor(d.roles[i])
		}
	}
	return c
}

// sort sorts counters, hands and facts, so that their order does not depend on the order of the position's
// facts.
func (d *drawing) sort() {
	slices.SortFunc(d.Counters, func(a, b Counter) int {
		return Natural(a.Name+" "+a.Holder+" "+a.Value, b.Name+" "+b.Holder+" "+b.Value)
	})
	slices.SortFunc(d.Hands, func(a, b Hand) int { return Natural(a.Name+" "+a.Holder, b.Name+" "+b.Holder) })
	for _, h := range d.Hands {
		slices.SortFunc(h.Items, Natural)
	}
	slices.SortFunc(d.Facts, Natural)
}
