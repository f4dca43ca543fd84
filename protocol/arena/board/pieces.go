package board

import (
	"slices"
	"strings"
)

// Piece is the content of a cell, as far as its name describes it: authors of rules call a white knight wn,
// whiteKnight, or (white knight).
type Piece struct {
	Kind  Kind   `json:"kind"`
	Color string `json:"color,omitempty"` // one of Colors, or ""
	Text  string `json:"text"`            // the name in the rules
	// Small and Hollow distinguish pieces of one kind and colour.
	Small  bool `json:"small,omitempty"`
	Hollow bool `json:"hollow,omitempty"`
}

// Kind is the form of a piece.
type Kind string

// The forms of pieces.
const (
	Cross  Kind = "x"
	Nought Kind = "o"
	Disc   Kind = "disc"
	Man    Kind = "man" // of draughts
	Crown  Kind = "crown"
	King   Kind = "king"
	Queen  Kind = "queen"
	Rook   Kind = "rook"
	Bishop Kind = "bishop"
	Knight Kind = "knight"
	Pawn   Kind = "pawn"
	Block  Kind = "block" // no piece can enter the cell
	Mark   Kind = "mark"  // the fluent holds for the cell, without content
	Box    Kind = "box"
	Card   Kind = "card"
	Coin   Kind = "coin"
	Words  Kind = "text"

	EdgeNorth Kind = "north" // a wall between two cells
	EdgeEast  Kind = "east"
	EdgeSouth Kind = "south"
	EdgeWest  Kind = "west"
)

func (p Piece) isEdge() bool {
	return p.Kind == EdgeNorth || p.Kind == EdgeEast || p.Kind == EdgeSouth || p.Kind == EdgeWest
}

// Colors are the colours of pieces. Roles without a colour's name get colours in the order of the roles.
var Colors = []string{
	"white", "black", "red", "blue", "green", "yellow", "orange", "teal", "magenta", "purple", "brown", "pink", "gray",
}

// roleColors are the colours of roles without a colour's name, in order.
var roleColors = []string{"blue", "red", "green", "orange", "purple", "teal", "magenta", "yellow"}

var kinds = map[string]Kind{
	"king": King, "queen": Queen, "rook": Rook, "bishop": Bishop, "knight": Knight, "pawn": Pawn, "horse": Knight, "castle": Rook,
	"disc": Disc, "disk": Disc, "stone": Disc, "checker": Man, "man": Man, "peg": Disc, "ball": Disc, "piece": Disc, "token": Disc,
	"pellet": Mark, "gold": Mark, "food": Mark, "point": Mark, "dot": Mark, "ecks": Cross, "oh": Nought, "light": Disc, "onecoin": Disc, "coin": Disc,
	"wall": Block, "block": Block, "blk": Block, "arrow": Block, "hole": Block, "dirt": Block, "obstacle": Block, "v": Block,
	"marked": Block, "filled": Block, "x": Cross, "o": Nought,
}

// codes are the letters of pieces in codes of two letters: wp, bk.
var codes = map[byte]Kind{'p': Pawn, 'k': King, 'q': Queen, 'r': Rook, 'b': Bishop, 'n': Knight}

// piece returns the piece with the given content.
func (l *Layout) piece(u *use, content string) Piece {
	if p, ok := l.page.Pieces[content]; ok {
		return p
	}
	p := Piece{Kind: Words, Text: content}
	name := strings.ToLower(content)
	if edge, ok := edgeOf(u, name); ok {
		p.Kind = edge
		return p
	}
	if len(u.content) == 0 && strings.Contains(name, "offlimits") {
		p.Kind = Block
		return p
	}
	color, rest := colorOf(name)
	p.Color = color
	switch {
	case color != "" && rest == "":
		p.Kind = u.kind()
	case color != "" && kinds[rest] != "":
		p.Kind = kinds[rest]
	case color == "" && kinds[name] != "":
		p.Kind = kinds[name]
	case len(name) == 2 && l.isCode(u, name):
		p.Color, p.Kind = l.codeColor(name[0]), codes[name[1]]
	case slices.Contains(l.roles, content):
		p.Kind, p.Color = u.kind(), l.roleColor(content)
	case len(name) == 1 && l.letterColor(name) != "":
		p.Kind, p.Color = Disc, l.letterColor(name)
	}
	if u.draughts(l) && (p.Kind == Pawn || p.Kind == King) {
		p.Kind = map[Kind]Kind{Pawn: Man, King: Crown}[p.Kind]
	}
	return p
}

// kind returns the form of a piece whose facts name only the owner: the form that the fluent's name says, as
// in (queen 4 1 white), or a disc.
func (u *use) kind() Kind {
	if k := kinds[strings.ToLower(u.name)]; k.isChess() || k == Man {
		return k
	}
	return Disc
}

// edgeOf reports whether a fact puts a wall at a side of its cell, and returns the side.
func edgeOf(u *use, name string) (Kind, bool) {
	relation := strings.ToLower(u.name)
	if !strings.Contains(relation, "block") && !strings.Contains(relation, "wall") {
		return "", false
	}
	for _, side := range []Kind{EdgeNorth, EdgeEast, EdgeSouth, EdgeWest} {
		if name == string(side) || len(u.content) == 0 && strings.HasSuffix(relation, string(side)) {
			return side, true
		}
	}
	return "", false
}

// colorOf finds the name of a colour at the front or at the end of a name.
func colorOf(name string) (color, rest string) {
	for _, c := range Colors {
		if after, ok := strings.CutPrefix(name, c); ok {
			return c, strings.Trim(after, "_- ")
		}
		if before, ok := strings.CutSuffix(name, c); ok {
			return c, strings.Trim(before, "_- ")
		}
	}
	return "", name
}

func (l *Layout) lowerRoles() []string {
	var list []string
	for _, r := range l.roles {
		list = append(list, strings.ToLower(r))
	}
	return list
}

// roleColor returns the colour of a role: its name if that is a colour, or a colour by its index.
func (l *Layout) roleColor(role string) string {
	if slices.Contains(Colors, strings.ToLower(role)) {
		return strings.ToLower(role)
	}
	i := slices.Index(l.lowerRoles(), strings.ToLower(role))
	return roleColors[max(i, 0)%len(roleColors)]
}

// RoleColors returns the colours of the roles.
func (l *Layout) RoleColors() (colors []string) {
	for _, role := range l.roles {
		colors = append(colors, l.roleColor(role))
	}
	return colors
}

// isCode reports whether a name is a code of two letters, on a board with at least two such codes.
func (l *Layout) isCode(u *use, name string) bool {
	others := 0
	for content := range u.grid.contents {
		if c := strings.ToLower(content); len(c) == 2 && codes[c[1]] != "" && l.codeColor(c[0]) != "" {
			others++
		}
	}
	return others >= 2 && codes[name[1]] != "" && l.codeColor(name[0]) != ""
}

// codeColor returns the colour, or colour of the role, that begins with a letter.
func (l *Layout) codeColor(letter byte) string {
	switch letter {
	case 'w':
		return "white"
	case 'b':
		return "black"
	case 'r':
		return "red"
	}
	for _, r := range l.lowerRoles() {
		if r[0] == letter {
			return l.roleColor(r)
		}
	}
	return ""
}

// letterColor returns the colour for a single letter, if a role has the colour's name.
func (l *Layout) letterColor(letter string) string {
	for _, r := range l.lowerRoles() {
		if strings.HasPrefix(r, letter) && slices.Contains(Colors, r) {
			return r
		}
	}
	return ""
}

// draughts reports whether the only kinds of pieces of a board are men and kings.
func (u *use) draughts(l *Layout) bool {
	if u.grid == nil {
		return false
	}
	seen := false
	for word := range u.grid.words {
		w := strings.ToLower(word)
		_, rest := colorOf(w)
		kind := kinds[rest]
		if len(w) == 2 && codes[w[1]] != "" {
			kind = codes[w[1]]
		}
		switch {
		case kind == Pawn || kind == Man || kind == King:
			seen = true
		case kind.isChess():
			return false
		}
	}
	return seen
}
