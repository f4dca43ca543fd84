package board

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Measures of drawings, in the units of their viewBox.
const (
	side   = 40 // of a cell
	margin = 22 // around a board: names of columns, rows and boards
	gap    = 6  // between boards

	traySide   = 34 // of a cell of a tray
	choiceSide = 84 // of a cell of choices
	trayName   = 10 // letters in the name of a row
)

// SVG returns a drawing of the boards, "" if there are none. Cells carry data-spot="board-column-row"; the page
// styles the classes. A cell is a line and its pieces are another, so drawings of two positions differ in few lines.
func (p Picture) SVG() string {
	if len(p.Boards) == 0 {
		return ""
	}
	var body strings.Builder
	var width, height float64
	rows := make(map[int]float64) // widths, by Board.Top
	boards := 0
	for _, b := range p.Boards {
		if !b.isBeside() {
			boards++
		}
		w, _ := b.size()
		rows[b.Top] += w + gap
		width = max(width, rows[b.Top]-gap)
	}
	var x, y float64
	for i, b := range p.Boards {
		if i == 0 || b.Top != p.Boards[i-1].Top {
			x, y = math.Round((width-rows[b.Top]+gap)/2), height
			height += gap
		}
		w, h := b.size()
		class := "board"
		if b.Shape == Choice {
			class += " choice"
		}
		fmt.Fprintf(&body, `<g class="%s" transform="translate(%g %g)">`, class, x, y)
		b.draw(&body, i, b.isBeside() || boards > 1)
		body.WriteString("</g>")
		x += w + gap
		height = max(height, y+h+gap)
	}
	height -= gap
	top := 0.
	if boards == 1 && !p.Boards[0].isBeside() {
		top = margin*0.7 - p.Boards[0].rim() // a single board has no name
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 %g %g %g" width="%g" height="%g" role="group" aria-label="Board">%s</svg>`,
		top, width, height-top, width, height-top, body.String())
}

// isBeside reports whether a board is a tray or a strip. Their names are always drawn.
func (b Board) isBeside() bool { return b.Shape.isBeside(b.Sides) }

func (b Board) isTray() bool { return b.Shape.isTray() }

// size returns the size of a board with its names.
func (b Board) size() (w, h float64) {
	var right float64
	for row := range b.Rows {
		x, _ := b.corner(len(b.Columns), row)
		right = max(right, x)
	}
	_, bottom := b.corner(0, len(b.Rows))
	if b.isTray() && slices.Max(b.Columns) == "" {
		return right + margin/2, bottom + margin/4
	}
	return right + margin/2 + b.rim(), bottom + margin + b.rim()
}

// rim returns the width of the sides of a hexagonal board, which lie between the cells and the names.
func (b Board) rim() float64 {
	if b.Shape == Hex && b.Sides != nil {
		return 14
	}
	return 0
}

// indent returns the width of the names of the rows.
func (b Board) indent() float64 {
	longest := 0
	for _, name := range b.Rows {
		longest = max(longest, min(utf8.RuneCountInString(name), trayName))
	}
	if !b.isTray() || longest == 0 {
		return margin + b.rim()
	}
	return margin + 6*float64(max(longest, 3)) // the page may write "you"
}

// step returns the width of a cell.
func (b Board) step() float64 {
	switch b.Shape {
	case Tray:
		return traySide
	case Choice:
		return choiceSide
	}
	return side
}

// corner returns the upper left corner of a cell.
func (b Board) corner(column, row int) (x, y float64) {
	x, y = b.indent()+float64(column)*b.step(), margin+float64(row)*side
	if b.Shape == Hex {
		y = margin + float64(row)*side*0.87
		if row < len(b.Shift) {
			x += float64(b.Shift[row]) * side / 2
		}
		if row == len(b.Rows) {
			y += side * 0.15
		}
	}
	return x, y
}

func (b Board) draw(out *strings.Builder, index int, named bool) {
	if named {
		fmt.Fprintf(out, `<text class="label" x="%g" y="%g">%s</text>`, b.indent()+float64(len(b.Columns))*b.step()/2, margin/2., escape(b.Name))
	}
	for row, name := range b.Rows {
		x, y := b.corner(0, row)
		if b.Shape == Hex {
			x = b.left(row, x)
		}
		holder := ""
		if b.isTray() && name != "" {
			holder = fmt.Sprintf(` data-holder="%s"`, escape(name))
		}
		fmt.Fprintf(out, `<text class="label"%s x="%g" y="%g">%s</text>`, holder, x-b.indent()/2-b.rim()/2, y+side/2, escape(short(name, b.longestName())))
	}
	for column, name := range b.Columns {
		if b.Shape == Hex && b.isCentred() {
			break
		}
		x, y := b.corner(column, len(b.Rows))
		if b.Shape == Hex {
			x0, _ := b.corner(column, len(b.Rows)-1)
			x = x0
		}
		fmt.Fprintf(out, `<text class="label" x="%g" y="%g">%s</text>`, x+b.step()/2, y+margin/2+b.rim(), escape(short(name, 6)))
	}
	for _, s := range b.Sides {
		b.drawSide(out, s)
	}
	for _, c := range b.Cells {
		out.WriteByte('\n')
		b.drawCell(out, index, c)
	}
	for _, c := range b.Cells {
		out.WriteByte('\n')
		b.drawPieces(out, c)
	}
}

// left returns the left side of the first cell of a row; otherwise, if the row has no cells.
func (b Board) left(row int, otherwise float64) float64 {
	for _, c := range b.Cells {
		if c.Row == row {
			x, _ := b.corner(c.Column, row)
			return x
		}
	}
	return otherwise
}

// isCentred reports whether rows are centred, so that cells of different rows form no columns.
func (b Board) isCentred() bool { return len(b.Cells) < len(b.Columns)*len(b.Rows) }

func (b Board) drawCell(out *strings.Builder, index int, c Cell) {
	x, y := b.corner(c.Column, c.Row)
	class := "cell"
	if b.isTray() {
		class += " slot"
	}
	if b.Checkered && (c.Column+len(b.Rows)-1-c.Row)%2 == 0 {
		class += " dark"
	}
	spot := fmt.Sprintf(`class="%s" data-spot="%d-%d-%d" role="img" aria-label="%s"`, class, index, c.Column, c.Row, escape(c.label()))
	if b.Shape != Hex {
		fmt.Fprintf(out, `<rect %s x="%g" y="%g" width="%g" height="%d"/>`, spot, x, y, b.step(), side)
		return
	}
	var points []string
	for i := range 6 {
		angle := math.Pi/6 + float64(i)*math.Pi/3
		points = append(points, fmt.Sprintf("%.1f,%.1f", x+side/2+side*0.577*math.Cos(angle), y+side/2+side*0.577*math.Sin(angle)))
	}
	fmt.Fprintf(out, `<polygon %s points="%s"/>`, spot, strings.Join(points, " "))
}

// label returns the cell's accessible name.
func (c Cell) label() string {
	texts := make([]string, len(c.Pieces))
	for i, p := range c.Pieces {
		texts[i] = p.Text
	}
	return c.Name + ": " + cmp.Or(strings.Join(texts, ", "), "empty")
}

// drawPieces draws the pieces of a cell side by side. Edges and blocks fill the cell.
func (b Board) drawPieces(out *strings.Builder, c Cell) {
	x, y := b.corner(c.Column, c.Row)
	x, y = x+b.step()/2, y+side/2
	var lying []Piece
	for _, p := range c.Pieces {
		switch {
		case p.isEdge():
			p.drawEdge(out, x, y)
		case p.Kind == Block:
			p.draw(out, x, y, 1)
		default:
			lying = append(lying, p)
		}
	}
	if len(lying) == 1 && b.Shape == Choice {
		lying[0].drawChoice(out, x, y)
		return
	}
	if len(lying) == 1 {
		lying[0].draw(out, x, y, 1)
		return
	}
	per := int(math.Ceil(math.Sqrt(float64(len(lying)))))
	for i, p := range lying {
		step := float64(side) / float64(per)
		p.draw(out, x-side/2+step*(float64(i%per)+0.5), y-side/2+step*(float64(i/per)+0.5), 1/float64(per))
	}
}

// longestName returns the number of letters drawn of the name of a row.
func (b Board) longestName() int {
	if b.isTray() {
		return trayName
	}
	return 4
}

// drawSide draws a side in the colour of its role, through the middles of the outer cells. The ends of a
// strip name the winner.
func (b Board) drawSide(out *strings.Builder, s Side) {
	columns, rows := len(b.Columns)-1, len(b.Rows)-1
	ends := map[Kind][4]int{EdgeNorth: {0, 0, columns, 0}, EdgeSouth: {0, rows, columns, rows}, EdgeWest: {0, 0, 0, rows}, EdgeEast: {columns, 0, columns, rows}}[s.Edge]
	away := map[Kind][2]float64{EdgeNorth: {0, -1}, EdgeSouth: {0, 1}, EdgeWest: {-1, 0}, EdgeEast: {1, 0}}[s.Edge]
	x1, y1 := b.corner(ends[0], ends[1])
	x2, y2 := b.corner(ends[2], ends[3])
	dx, dy := side/2+away[0]*(side*0.58+b.rim()*0.7), side/2+away[1]*(side*0.62+b.rim()/3)
	if b.Shape == Row {
		fmt.Fprintf(out, `<text class="label words %s" x="%g" y="%g">%s wins</text>`, s.Color, x1+side/2, margin/2., escape(short(s.Role, 9)))
		y1, y2 = y1-side/2, y2+side/2
	}
	fmt.Fprintf(out, `<line class="side %s" x1="%g" y1="%g" x2="%g" y2="%g"><title>%s</title></line>`, s.Color, x1+dx, y1+dy, x2+dx, y2+dy, escape(s.Role))
}

func (p Piece) drawEdge(out *strings.Builder, x, y float64) {
	const h = side / 2
	ends := map[Kind][4]float64{
		EdgeNorth: {-h, -h, h, -h}, EdgeEast: {h, -h, h, h}, EdgeSouth: {-h, h, h, h}, EdgeWest: {-h, -h, -h, h},
	}[p.Kind]
	fmt.Fprintf(out, `<line class="edge" x1="%g" y1="%g" x2="%g" y2="%g"/>`, x+ends[0], y+ends[1], x+ends[2], y+ends[3])
}

// outlines are the drawings of pieces, around 0,0 in a cell of side 40.
var outlines = map[Kind]string{
	Cross:  `<path class="piece line x" d="M-11-11 11 11M11-11-11 11"/>`,
	Nought: `<circle class="piece line o" r="12"/>`,
	Disc:   `<circle class="piece %s" r="15"/>`,
	Man:    `<circle class="piece %s" r="15"/><circle class="piece %[1]s" r="10"/>`,
	Crown:  `<circle class="piece %s" r="16"/><path class="piece gray" d="M-9 7-10-7-4-1 0-9 4-1 10-7 9 7Z"/>`,
	Block:  `<rect class="block %s" x="-18" y="-18" width="36" height="36" rx="3"/>`,
	Box:    `<rect class="piece %s" x="-14" y="-14" width="28" height="28" rx="2"/>`,
	Card:   `<rect class="face %s" x="-14" y="-18" width="28" height="36" rx="4"/>`,
	Coin:   `<circle class="piece %s" r="13"/><circle class="piece rim" r="9"/>`,
	Mark:   `<circle class="piece gray" r="4"/>`,
	Pawn:   `<path class="piece %s" d="M-9 14-6 6Q-3 3-3-1A6 6 0 1 1 3-1Q3 3 6 6L9 14Z"/>`,
	Rook:   `<path class="piece %s" d="M-10 14V10H-7L-6-5H-9V-14H-5V-10H-2V-14H2V-10H5V-14H9V-5H6L7 10H10V14Z"/>`,
	Knight: `<path class="piece %s" d="M-8 14Q-9 4-1 0L-6 2-11-1Q-7-9-1-11L1-15 4-11Q12-6 10 14Z"/>`,
	Bishop: `<path class="piece %s" d="M-10 14V11H-4Q-11-1 0-12 11-1 4 11H10V14Z"/><circle class="piece %[1]s" cy="-14" r="2"/>`,
	Queen:  `<path class="piece %s" d="M-10 14-8 6-13-8-6-2-5-13 0-3 5-13 6-2 13-8 8 6 10 14Z"/>`,
	King:   `<path class="piece %s" d="M-9 14-8 6Q-15-4-6-6-2-6 0-2 2-6 6-6 15-4 8 6L9 14ZM-1-15H1V-12H4V-10H1V-5H-1V-10H-4V-12H-1Z"/>`,
}

// draw draws a piece, or writes its name.
func (p Piece) draw(out *strings.Builder, x, y, scale float64) {
	if p.Small {
		scale *= 0.66
	}
	fmt.Fprintf(out, `<g transform="translate(%.1f %.1f) scale(%.2f)"><title>%s</title>`, x, y, scale, escape(p.Text))
	switch shape := outlines[p.Kind]; {
	case shape == "":
		p.write(out)
	case strings.Contains(shape, "%"):
		fmt.Fprintf(out, shape, cmp.Or(p.Color, "gray"))
		if p.Kind == Card {
			p.write(out)
		}
	default:
		out.WriteString(shape)
	}
	if p.Hollow {
		out.WriteString(`<circle class="hollow" r="6"/>`)
	}
	out.WriteString("</g>")
}

// drawChoice draws a card as wide as its cell.
func (p Piece) drawChoice(out *strings.Builder, x, y float64) {
	const width, height = choiceSide - 8, side - 6
	fmt.Fprintf(out, `<g transform="translate(%.1f %.1f)"><title>%s</title><rect class="face %s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`,
		x, y, escape(p.Text), cmp.Or(p.Color, "gray"), -width/2, -height/2, width, height)
	fmt.Fprintf(out, `<text class="words %s" font-size="%g">%s</text></g>`, p.Color, min(14, 100/float64(utf8.RuneCountInString(p.Text))), escape(short(p.Text, 14)))
}

// write writes a name into a cell, in one or two lines.
func (p Piece) write(out *strings.Builder) {
	lines := []string{p.Text}
	if words := strings.Fields(p.Text); len(words) > 1 {
		lines = []string{words[0], strings.Join(words[1:], " ")}
	}
	longest := 1
	for _, l := range lines {
		longest = max(longest, min(utf8.RuneCountInString(l), 9))
	}
	size := min(20/float64(len(lines))+2, 60/float64(longest))
	for i, l := range lines {
		dy := (float64(i) - float64(len(lines)-1)/2) * size
		fmt.Fprintf(out, `<text class="words %s" font-size="%.1f" y="%.1f">%s</text>`, p.Color, size, dy, escape(short(l, 9)))
	}
}

// short shortens a text to at most the given number of characters.
func short(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder returns no errors
	return b.String()
}
