package board

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Measures of drawings, in the units of their viewBox.
const (
	side   = 40 // of a cell
	margin = 22 // around a board: names of columns, rows and boards
	gap    = 6  // between boards
)

// SVG returns a drawing of the boards, "" if there are none. Cells carry data-spot="board-column-row"; the page
// styles the classes. A cell is a line and its pieces are another, so drawings of two positions differ in few lines.
func (p Picture) SVG() string {
	if len(p.Boards) == 0 {
		return ""
	}
	var body strings.Builder
	var width, x, y, height float64
	for i, b := range p.Boards {
		if i > 0 && b.Top != p.Boards[i-1].Top {
			x, y, height = 0, y+height+gap, 0
		}
		w, h := b.size()
		fmt.Fprintf(&body, `<g class="board" transform="translate(%g %g)">`, x, y)
		b.draw(&body, i, len(p.Boards) > 1)
		body.WriteString("</g>")
		x += w + gap
		width, height = max(width, x-gap), max(height, h)
	}
	height += y
	top := 0.
	if len(p.Boards) == 1 {
		top = margin * 0.7 // without a name above it
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 %g %g %g" width="%g" height="%g" role="group" aria-label="Board">%s</svg>`,
		top, width, height-top, width, height-top, body.String())
}

// size is that of a board with its names.
func (b Board) size() (w, h float64) {
	var right float64
	for row := range b.Rows {
		x, _ := b.corner(len(b.Columns), row)
		right = max(right, x)
	}
	_, bottom := b.corner(0, len(b.Rows))
	return right + margin/2, bottom + margin
}

// corner is the upper left corner of a cell.
func (b Board) corner(column, row int) (x, y float64) {
	x, y = margin+float64(column)*side, margin+float64(row)*side
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
		fmt.Fprintf(out, `<text class="label" x="%g" y="%g">%s</text>`, margin+float64(len(b.Columns))*side/2, margin/2., escape(b.Name))
	}
	for row, name := range b.Rows {
		x, y := b.corner(0, row)
		if b.Shape == Hex {
			x = b.left(row, x)
		}
		fmt.Fprintf(out, `<text class="label" x="%g" y="%g">%s</text>`, x-margin/2, y+side/2, escape(short(name, 4)))
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
		fmt.Fprintf(out, `<text class="label" x="%g" y="%g">%s</text>`, x+side/2, y+margin/2, escape(short(name, 6)))
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

// left is where the first cell of a row begins.
func (b Board) left(row int, otherwise float64) float64 {
	for _, c := range b.Cells {
		if c.Row == row {
			x, _ := b.corner(c.Column, row)
			return x
		}
	}
	return otherwise
}

// isCentred tells whether columns of different rows have nothing to do with each other.
func (b Board) isCentred() bool { return len(b.Cells) < len(b.Columns)*len(b.Rows) }

func (b Board) drawCell(out *strings.Builder, index int, c Cell) {
	x, y := b.corner(c.Column, c.Row)
	class := "cell"
	if b.Checkered && (c.Column+len(b.Rows)-1-c.Row)%2 == 0 {
		class += " dark"
	}
	spot := fmt.Sprintf(`class="%s" data-spot="%d-%d-%d" role="img" aria-label="%s"`, class, index, c.Column, c.Row, escape(c.label()))
	if b.Shape != Hex {
		fmt.Fprintf(out, `<rect %s x="%g" y="%g" width="%d" height="%d"/>`, spot, x, y, side, side)
		return
	}
	var points []string
	for i := range 6 {
		angle := math.Pi/6 + float64(i)*math.Pi/3
		points = append(points, fmt.Sprintf("%.1f,%.1f", x+side/2+side*0.577*math.Cos(angle), y+side/2+side*0.577*math.Sin(angle)))
	}
	fmt.Fprintf(out, `<polygon %s points="%s"/>`, spot, strings.Join(points, " "))
}

// label is the cell's accessible name.
func (c Cell) label() string {
	texts := make([]string, len(c.Pieces))
	for i, p := range c.Pieces {
		texts[i] = p.Text
	}
	return c.Name + ": " + cmp.Or(strings.Join(texts, ", "), "empty")
}

// drawPieces draws what lies on a cell: side by side, but for what fills it.
func (b Board) drawPieces(out *strings.Builder, c Cell) {
	x, y := b.corner(c.Column, c.Row)
	x, y = x+side/2, y+side/2
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

func (p Piece) drawEdge(out *strings.Builder, x, y float64) {
	const h = side / 2
	ends := map[Kind][4]float64{
		EdgeNorth: {-h, -h, h, -h}, EdgeEast: {h, -h, h, h}, EdgeSouth: {-h, h, h, h}, EdgeWest: {-h, -h, -h, h},
	}[p.Kind]
	fmt.Fprintf(out, `<line class="edge" x1="%g" y1="%g" x2="%g" y2="%g"/>`, x+ends[0], y+ends[1], x+ends[2], y+ends[3])
}

// outlines are the shapes of pieces, around 0,0 in a cell of side 40.
var outlines = map[Kind]string{
	Cross:  `<path class="piece line x" d="M-11-11 11 11M11-11-11 11"/>`,
	Nought: `<circle class="piece line o" r="12"/>`,
	Disc:   `<circle class="piece %s" r="15"/>`,
	Man:    `<circle class="piece %s" r="15"/><circle class="piece %[1]s" r="10"/>`,
	Crown:  `<circle class="piece %s" r="16"/><path class="piece gray" d="M-9 7-10-7-4-1 0-9 4-1 10-7 9 7Z"/>`,
	Block:  `<rect class="block" x="-18" y="-18" width="36" height="36" rx="3"/>`,
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
	fmt.Fprintf(out, `<g transform="translate(%.1f %.1f) scale(%.2f)"><title>%s</title>`, x, y, scale, escape(p.Text))
	switch shape := outlines[p.Kind]; {
	case shape == "":
		p.write(out)
	case strings.Contains(shape, "%"):
		fmt.Fprintf(out, shape, cmp.Or(p.Color, "gray"))
	default:
		out.WriteString(shape)
	}
	out.WriteString("</g>")
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

// short is a text of at most so many characters.
func short(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
