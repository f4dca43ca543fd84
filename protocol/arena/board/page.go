package board

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stackmate/internal/jsonfault"
)

// Page is the page of a game, which its author writes for readers.
type Page struct {
	Title  string `json:"title,omitempty"`
	Rules  string `json:"rules,omitempty"` // two or three sentences
	Author string `json:"author,omitempty"`
	// Words maps the names of fluents, moves and arguments in the rules to readable names. In the words for a
	// move, {1} stands for its first argument.
	Words map[string]string `json:"words,omitempty"`
	// Pieces maps the content of a cell, spelled as in facts, to its picture.
	Pieces map[string]Piece `json:"pieces,omitempty"`
	// Sides maps a side of the first board to its role: north, east, south, west.
	Sides map[Kind]string `json:"sides,omitempty"`
}

// ReadPage reads a page: {"title": "…", "pieces": {"wz": {"kind": "knight", "color": "white"}, …}, …}. A
// piece without a text keeps its name. The error names the piece that cannot be drawn.
func ReadPage(text []byte) (Page, error) {
	var p Page
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("expected a page in JSON: %w", jsonfault.Explain(err))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Pieces)) {
		piece := p.Pieces[name]
		if _, known := outlines[piece.Kind]; !known && piece.Kind != Words && !piece.isEdge() {
			return p, fmt.Errorf("%s: expected one of the kinds %v or %s, found %q", name, slices.Sorted(maps.Keys(outlines)), Words, piece.Kind)
		}
		if piece.Color != "" && !slices.Contains(Colors, piece.Color) {
			return p, fmt.Errorf("%s: expected one of the colours %s, found %q", name, strings.Join(Colors, ", "), piece.Color)
		}
		if piece.Text == "" {
			piece.Text = name
		}
		p.Pieces[name] = piece
	}
	for side := range p.Sides {
		if !(Piece{Kind: side}).isEdge() {
			return p, fmt.Errorf("expected one of the sides north, east, south, west, found %q", side)
		}
	}
	return p, nil
}

// WithPage returns the layout with the words and pieces of a page.
func (l *Layout) WithPage(p Page) *Layout {
	out := *l
	out.page = p
	return &out
}

// word returns the page's word for a name of the rules.
func (l *Layout) word(name string) string {
	return cmp.Or(l.page.Words[name], name)
}
