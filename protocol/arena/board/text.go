package board

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Text draws a picture for terminals and logs, in common characters: boards, then counters and hands, then
// facts without a drawing. Lines have at most `columns` characters if possible.
func (p Picture) Text(columns int) string {
	var b strings.Builder
	for i := 0; i < len(p.Boards); {
		// Boards with one Top stand beside each other.
		j := i
		var blocks [][]string
		width := 0
		for ; j < len(p.Boards) && p.Boards[j].Top == p.Boards[i].Top; j++ {
			lines := p.Boards[j].lines()
			w := utf8.RuneCountInString(lines[0]) + 3
			if len(blocks) > 0 && width+w > columns {
				break
			}
			width += w
			blocks = append(blocks, lines)
		}
		abreast(&b, blocks)
		i = j
	}
	for _, c := range p.Counters {
		b.WriteString(strings.TrimSuffix(strings.TrimSpace(c.Name+" "+c.Holder)+": "+c.Value, ": ") + "\n")
	}
	for _, h := range p.Hands {
		wrapped(&b, append([]string{strings.TrimSpace(h.Name+" "+h.Holder) + ":"}, h.Items...), columns)
	}
	wrapped(&b, p.Facts, columns)
	return b.String()
}

// abreast writes blocks of lines next to each other.
func abreast(b *strings.Builder, blocks [][]string) {
	height := 0
	for _, block := range blocks {
		height = max(height, len(block))
	}
	for i := range height {
		var line strings.Builder
		for _, block := range blocks {
			text := ""
			if i < len(block) {
				text = block[i]
			}
			line.WriteString(pad(text, utf8.RuneCountInString(block[0])) + "   ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrapped writes texts side by side, with line breaks.
func wrapped(b *strings.Builder, texts []string, columns int) {
	line := ""
	for _, text := range texts {
		if line != "" && len(line)+1+len(text) > columns {
			b.WriteString(line + "\n")
			line = ""
		}
		line = strings.TrimSpace(line + " " + text)
	}
	if line != "" {
		b.WriteString(line + "\n")
	}
}

// lines draws a board; each line is as wide as the first.
func (b Board) lines() []string {
	marks := make(map[[2]int]string)
	width, label := 1, 0
	for _, c := range b.Cells {
		var parts []string
		for _, p := range c.Pieces {
			parts = append(parts, p.mark())
		}
		mark := cmp.Or(strings.Join(parts, ","), ".")
		marks[[2]int{c.Column, c.Row}] = mark
		width = max(width, utf8.RuneCountInString(mark))
	}
	for _, r := range b.Rows {
		label = max(label, len(r))
	}
	for _, c := range b.Columns {
		width = max(width, min(len(c), 3))
	}
	out := []string{strings.TrimSpace(b.Name)}
	for row, name := range b.Rows {
		line := strings.Repeat(" ", label-len(name)) + name + " "
		if b.Shift != nil {
			line += strings.Repeat(" ", b.Shift[row]*(width+1)/2)
		}
		for column := range b.Columns {
			line += pad(marks[[2]int{column, row}], width) + " "
		}
		out = append(out, line)
	}
	if b.Shift == nil && slices.Max(b.Columns) != "" {
		line := strings.Repeat(" ", label+1)
		for _, c := range b.Columns {
			line += pad(c, width) + " "
		}
		out = append(out, line)
	}
	widest := 0
	for _, line := range out {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	for i, line := range out {
		out[i] = pad(line, widest)
	}
	return out
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

var letters = map[Kind]string{
	Cross: "x", Nought: "o", Block: "#", Mark: "*", Coin: "*", King: "k", Queen: "q", Rook: "r", Bishop: "b", Knight: "n", Pawn: "p",
	EdgeNorth: "^", EdgeEast: ">", EdgeSouth: "v", EdgeWest: "<",
}

// mark returns a piece in a few characters: white chess men in capitals, discs by the first letter of their
// colour, other pieces by name.
func (p Piece) mark() string {
	letter, ok := letters[p.Kind]
	switch {
	case ok && p.Kind.isChess() && (p.Color == "white" || p.Color == ""):
		return strings.ToUpper(letter)
	case ok && p.Kind.isChess() && p.Color != "black":
		return p.Color[:1] + letter
	case ok:
		return letter
	case p.Kind == Disc && p.Color != "":
		return p.Text[:1]
	case p.Kind == Man && p.Color != "":
		return p.Color[:1]
	case p.Kind == Crown && p.Color != "":
		return strings.ToUpper(p.Color[:1])
	}
	text := []rune(strings.ReplaceAll(p.Text, " ", ""))
	return string(text[:min(len(text), 6)])
}

func (k Kind) isChess() bool {
	return slices.Contains([]Kind{King, Queen, Rook, Bishop, Knight, Pawn}, k)
}
