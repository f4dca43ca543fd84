// Package board finds the boards of a game in its rules, and draws positions on them:
// what a person sees instead of a list of facts. It owns no rules and no rendering that
// depends on who looks: Text is for terminals, SVG for pages.
//
// A fluent such as (cell 2 3 x) is a board if two of its arguments have an order (see
// order) and behave like coordinates: they are not counters, which other arguments
// decide (see fluents.decides). The remaining arguments are what lies there. Further
// coordinates select one of several boards, (cell a1 red) has both in one name, and
// what stands alone in an order is a board of one row. (line 1 1 1 2) is a side of a cell
// (segments.go), and things that lie on things are a stack (stacks.go). Cards, coins and pieces that moves name
// lie on trays (trays.go), and moves that are names are choices (choices.go).
// Whatever is not understood is listed as facts, never dropped.
package board

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"stackmate/gdl"
)

// Picture is a position as it is drawn. Each fact of the position is in exactly one of
// its parts, but for those that say that a cell is empty.
type Picture struct {
	Boards   []Board   `json:"boards"`
	Hands    []Hand    `json:"hands,omitempty"`
	Counters []Counter `json:"counters,omitempty"`
	Facts    []string  `json:"facts,omitempty"` // what is not understood
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

// isBeside reports whether a shape with some sides lies beside the boards: a tray, or a strip, which is a row with sides.
func (s Shape) isBeside(sides []Side) bool { return s.isTray() || s == Row && sides != nil }

// Board is one board with what lies on it.
type Board struct {
	Name    string   `json:"name"`
	Shape   Shape    `json:"shape"`
	Columns []string `json:"columns"` // names, from left to right
	Rows    []string `json:"rows"`    // names, from top to bottom
	// Shift is, by row, how far it is moved to the right, in halves of a cell; nil
	// where rows stand below each other.
	Shift []int `json:"shift,omitempty"`
	// Left and Top are the position of the board among those that belong together.
	Left  int    `json:"left"`
	Top   int    `json:"top"`
	Cells []Cell `json:"cells"` // existing cells, row by row
	// Checkered tells that fields are dark and light in turns, as in chess.
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
	Name   string  `json:"name"` // as moves are told: b7, or 2,7
	Pieces []Piece `json:"pieces,omitempty"`
}

// Hand is what a role, or whoever, holds.
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
	Color  string `json:"color,omitempty"` // of the role that it speaks of
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

// Layout is how the positions of a game are drawn. It is immutable and safe for
// concurrent use.
type Layout struct {
	roles []string
	grids []*grid
	piles []*stacks
	uses  map[relation]*use
	links map[slot]map[slot]bool
	verbs map[int]int        // how many kinds of moves have a number of arguments
	scale map[relation]scale // of the numbers with a sign
	turns set                // the fluents that say whose turn it is
	page  Page

	choices   *grid // nil if there are none
	hasTrails bool
}

// use is how the facts of one fluent are drawn.
type use struct {
	relation
	as    purpose
	grid  *grid
	layer layer
	// The arguments that are coordinates: row is -1 where column names a cell of two
	// coordinates, or where there is one row. Those that select a board, in order, and
	// the others.
	column, row int
	selectors   []int
	content     []int
	empty       string // the content that means that nothing lies there; "" if none does
	holder      int    // of hands, counters and coordinates; -1 if nobody's
	label       string // of coordinates that are nobody's
	stakes      map[string]string
	runs        bool // one piece of each role
	clock       bool // grows by one with each position
}

// purpose is what facts are drawn as.
type purpose uint8

const (
	onBoard purpose = iota
	onAxis          // one coordinate of something
	inHand
	asCounter
	asSegment // between two points of a board
	asStack
	asAmount // so many coins
	asStake  // a counter with the prize at stake
	asChoice // no fact, but moves
)

// layer tells what of several things on one cell is drawn.
type layer uint8

const (
	own    layer = iota // what the board was found by
	above               // things that move over it
	beside              // drawn if the cell has nothing yet, else a fact
)

// Find finds the boards of a game. The positions (facts as texts) are examples: the
// initial position at least; more positions tell coordinates from contents more surely.
// When ctx ends, Find returns the boards found so far. Fluents with more than maxArity arguments are facts.
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
	l.scales(ctx, g, f, positions)
	l.findBoards(f)
	l.count(f)
	l.findChoices(g, f)
	l.findTrails()
	l.turns = f.turns()
	return l
}

// HasBoard reports whether the game has a board, and not only counters and facts.
func (l *Layout) HasBoard() bool { return len(l.grids)+len(l.piles) > 0 }

// tuple is the arguments of a fact.
type tuple []string

// parse reads a fact in canonical text; one that is no term becomes a name.
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

// Draw draws a position. The facts are in any order. The positions before it, if there are any, say who left a trail.
func (l *Layout) Draw(facts []string, before ...[]string) Picture {
	d := drawing{Layout: l, trails: l.trails(before)}
	for _, g := range l.grids {
		d.lay(g)
	}
	var later [beside + 1][]pending
	var piled []pending
	for _, fact := range facts {
		rel, args := parse(fact)
		u := l.uses[rel]
		switch {
		case u == nil:
			d.say(rel, args, fact)
		case u.as == onAxis:
			d.pair(u, args, fact)
		case u.as == asSegment:
			d.join(u, args, fact)
		case u.as == asAmount:
			d.amount(u, args, fact)
		case u.as == asStake:
			d.stake(u, args)
		case u.as == asStack:
			piled = append(piled, pending{u, args, fact})
		case u.as == onBoard:
			later[u.layer] = append(later[u.layer], pending{u, args, fact})
		default:
			d.hold(u, args)
		}
	}
	for _, p := range slices.Concat(later[:]...) {
		d.put(p.use, p.args, p.fact)
	}
	for _, h := range d.halves {
		d.Facts = append(d.Facts, h.fact)
	}
	for _, s := range l.piles {
		d.pile(s, slices.DeleteFunc(slices.Clone(piled), func(p pending) bool { return p.use.relation != s.on && p.use.relation != s.table }))
	}
	if d.choices != nil {
		d.offer()
	}
	if len(d.Boards) > 0 {
		for side, role := range l.page.Sides {
			d.Boards[0].Sides = append(d.Boards[0].Sides, Side{side, l.roleColor(role), role})
		}
	}
	d.sort()
	return d.Picture
}

// say puts a fact into the words of the page, or lists it if the page has none.
func (d *drawing) say(rel relation, args tuple, fact string) {
	if d.page.Words[rel.name] == "" {
		d.Facts = append(d.Facts, fact)
		return
	}
	d.Counters = append(d.Counters, Counter{Name: d.said(rel.name, args)})
}

// pending is a fact that waits for the facts of lower layers.
type pending struct {
	use  *use
	args tuple
	fact string
}

// drawing is a Picture being made.
type drawing struct {
	Picture
	*Layout
	cells  []map[[2]int]int // by board, then column and row
	halves []half
	trails map[Spot]string // the colour of the role that was there last
}

// lay lays out the empty boards of a grid.
func (d *drawing) lay(g *grid) {
	top := 0
	for _, b := range d.Boards {
		top = max(top, b.Top+1)
	}
	names := g.names()
	for i, s := range g.selections() {
		b := Board{Name: d.word(g.name), Shape: g.shape, Columns: g.columns.values, Rows: g.rows.values, Shift: g.shift, Sides: g.sides}
		if g.shape == Choice || g.shape == Tray && d.uses[g.owner].as != asAmount {
			b.Columns = make([]string, len(b.Columns)) // cards say it themselves
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

// wrap is how many of n boards stand beside each other: four make a square.
func wrap(n int) int {
	if n == 4 {
		return 2
	}
	return min(n, 6)
}

// put lays a fact on its board, or lists it where the board has no such cell.
func (d *drawing) put(u *use, args tuple, fact string) {
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

// cell is the cell of a spot.
func (d *drawing) cell(s Spot) *Cell {
	return &d.Boards[s.Board].Cells[d.cells[s.Board][[2]int{s.Column, s.Row}]]
}

// isTaken reports whether something lies on a cell, and not only beside it.
func (c *Cell) isTaken() bool {
	return slices.ContainsFunc(c.Pieces, func(p Piece) bool { return !p.isEdge() })
}

// contentOf is what a fact says of its cell: the name of the fluent where it says
// nothing else.
func (u *use) contentOf(args tuple) string {
	if len(u.content) == 0 {
		return u.name
	}
	return args.pick(u.content)
}

// hold adds a fact to hands or counters.
func (d *drawing) hold(u *use, args tuple) {
	holder, value := "", args.pick(u.others(u.holder))
	if u.holder >= 0 {
		holder = args[u.holder]
	}
	if u.as == asCounter {
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

// counter is a number or a name that changes, with the colour of the role that it speaks of.
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
	}
	return c
}

// sort gives counters and hands an order that does not depend on that of the facts.
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
