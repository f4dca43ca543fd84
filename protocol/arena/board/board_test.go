package board

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/prover"
)

// layout finds the boards of a built-in game from its initial position, and describes them.
func layout(t *testing.T, name string) (*Layout, []string) {
	t.Helper()
	file, src := must.Get2(games.Source(name))(t)
	return layoutOf(t, file, string(src))
}

func layoutOf(t *testing.T, file, rules string) (*Layout, []string) {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), file, []byte(rules)))(t)
	facts := must.Get(prover.New(g).Initial(t.Context()))(t)
	return Find(t.Context(), g, facts), facts
}

// textOf draws a position, without blanks at the end of lines.
func textOf(l *Layout, facts []string) string {
	var b strings.Builder
	for line := range strings.Lines(l.Draw(facts).Text(80)) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

func TestPositionsAreDrawnAsText(t *testing.T) {
	for name, c := range map[string]struct {
		facts []string
		want  string
	}{
		"ticTacToe": {
			[]string{"(cell 1 1 x)", "(cell 1 2 o)", "(cell 3 2 x)", "(control o)"},
			lines("cell", "1 x . .", "2 o . x", "3 . . .", "  1 2 3", "control: o"),
		},
		"connectFour-4x4": {
			[]string{"(cell 1 1 red)", "(cell 1 2 yellow)", "(cell 4 1 red)", "(control yellow)"},
			lines("cell", "4 . . . .", "3 . . . .", "2 y . . .", "1 r . . r", "  1 2 3 4", "control: yellow"),
		},
		"nim": {
			[]string{"(heap 1 3)", "(heap 2 0)", "(heap 3 5)", "(heap 3 7)", "(control second)"},
			lines("heap", "1 . * * * . .", "2 . . . . . .", "3 . * * * * *", "  0 1 2 3 4 5", "control: second", "(heap 3 7)"),
		},
		"goofspiel-3": {
			[]string{"(hand red 1)", "(hand red 3)", "(hand blue 2)", "(lead 2)", "(round 2)"},
			lines("prize: 2 at stake", " . 2 1", "hand", " red 1 . 3", "blue . 2 .", "lead red: 2"),
		},
		"hex-3x3": {
			[]string{"(cell 1 1 red)", "(cell 3 2 blue)", "(control red)"},
			lines("cell", "3   . . .", "2  . . b", "1 r . .", "control: red"),
		},
		"amazons-4x4": {
			[]string{"(queen 1 2 white)", "(queen 3 4 black)", "(arrow 2 2)", "(control black)"},
			lines("queen", "4 . . q .", "3 . . . .", "2 Q # . .", "1 . . . .", "  1 2 3 4", "control: black"),
		},
		"checkers": {
			[]string{"(cell a 1 white man)", "(cell b 8 white king)", "(cell h 8 black man)", "(cell c 5 black king)", "(control white)"},
			lines("cell", "8 . W . . . . . b", "7 . . . . . . . .", "6 . . . . . . . .", "5 . . B . . . . .", "4 . . . . . . . .",
				"3 . . . . . . . .", "2 . . . . . . . .", "1 w . . . . . . .", "  a b c d e f g h", "control: white"),
		},
		"chess": {
			[]string{"(cell a 1 white rook)", "(cell e 8 black king)", "(cell e 1 white king)", "(passed c)", "(right white a)", "(quiet 0 0)"},
			lines("cell", "8 . . . . k . . .", "7 . . . . . . . .", "6 . . . . . . . .", "5 . . . . . . . .", "4 . . . . . . . .",
				"3 . . . . . . . .", "2 . . . . . . . .", "1 R . . . K . . .", "  a b c d e f g h", "right white: a", "(passed c) (quiet 0 0)"),
		},
		"quarto": {
			[]string{"(cell 1 4 dtrh)", "(cell 2 2 lsqf)", "(given dsrh)", "(left dsqh)", "(left dsrf)", "(control first)"},
			lines("cell", "4 dtrh .    .    .", "3 .    .    .    .", "2 .    lsqf .    .", "1 .    .    .    .", "  1    2    3    4",
				"left", " .    dsqh dsrf .", " .    .    .    .", " .    .    .    .", " .    .    .    .", "control: first", "(given dsrh)"),
		},
		"tron-3x3": {
			[]string{"(cycle red 1 2)", "(cycle blue 3 3)", "(wall 1 1)", "(wall 1 2)", "(wall 3 3)"},
			lines("cycle", "3 .   .   b,#", "2 r,# .   .", "1 #   .   .", "  1   2   3"),
		},
		"ultimateTicTacToe": {
			[]string{"(cell 1 2 1 3 x)", "(won 1 3 o)", "(control x)"},
			lines("cell 1 1   cell 1 2   cell 1 3", "1 . . .    1 . . x    1 . . .", "2 . . .    2 . . .    2 . . .", "3 . . .    3 . . .    3 . . .",
				"  1 2 3      1 2 3      1 2 3", "cell 2 1   cell 2 2   cell 2 3", "1 . . .    1 . . .    1 . . .", "2 . . .    2 . . .    2 . . .",
				"3 . . .    3 . . .    3 . . .", "  1 2 3      1 2 3      1 2 3", "cell 3 1   cell 3 2   cell 3 3", "1 . . .    1 . . .    1 . . .",
				"2 . . .    2 . . .    2 . . .", "3 . . .    3 . . .    3 . . .", "  1 2 3      1 2 3      1 2 3", "won", "1 . . o", "2 . . .", "3 . . .", "  1 2 3",
				"control: x"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := layout(t, name)
			if text := textOf(l, c.facts); text != c.want {
				t.Errorf("got\n%swant\n%s", text, c.want)
			}
		})
	}
}

// tower has two pegs, and blocks has a table; there are no moves.
const (
	tower = `(role r) (init (on d1 d2)) (init (on d2 d3)) (init (on d3 left)) (init (free right))
(peg left) (peg right) (disc d1) (disc d2) (disc d3)
(<= (legal r (move ?d ?p)) (disc ?d) (peg ?p))
(<= (next (on ?d ?p)) (does r (move ?d ?p)))
(<= (next (on ?d ?e)) (true (on ?d ?e)))
(goal r 0) (<= terminal (true (on d1 right)))`
	blocks = `(role r) (init (on c a)) (init (table a)) (init (table b)) (init (clear b)) (init (clear c))
(block a) (block b) (block c)
(<= (legal r (put ?x ?y)) (block ?x) (block ?y))
(<= (next (on ?x ?y)) (does r (put ?x ?y)))
(<= (next (on ?x ?y)) (true (on ?x ?y)))
(<= (next (table ?x)) (true (table ?x)))
(<= (next (clear ?x)) (true (clear ?x)))
(goal r 0) (<= terminal (true (on a c)))`
	dots = `(role r) (succ 1 2) (succ 2 3) (init (line 1 1 1 2)) (init (box 1 1 r))
(index 1) (index 2) (index 3)
(<= (legal r (draw ?x ?y ?x ?z)) (index ?x) (succ ?y ?z))
(<= (legal r (draw ?x ?y ?z ?y)) (index ?y) (succ ?x ?z))
(<= (next (line ?a ?b ?c ?d)) (does r (draw ?a ?b ?c ?d)))
(<= (next (line ?a ?b ?c ?d)) (true (line ?a ?b ?c ?d)))
(<= (next (box ?x ?y r)) (true (line ?x ?y ?x ?z)) (succ ?y ?z) (succ ?x ?w) (true (line ?x ?y ?w ?y)))
(goal r 0) (<= terminal (true (box 3 3 r)))`
)

func TestStacksAndSegmentsAreDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		facts []string
		want  string
	}{
		"a tower": {
			tower,
			[]string{"(on d1 right)", "(on d2 d3)", "(on d3 left)"},
			lines("on", "2 d2  .", "1 d3  d1", "  left right"),
		},
		"blocks": {
			blocks,
			[]string{"(on c b)", "(table a)", "(table b)", "(clear c)"},
			lines("on", "2 . c", "1 a b", "  a b", "clear: c"),
		},
		"blocks that stand nowhere": {blocks, []string{"(on c b)", "(table a)"}, lines("(on c b) (table a)")},
		"dots and boxes": {
			dots,
			[]string{"(line 1 1 1 2)", "(line 2 2 1 2)", "(line 3 3 3 3)", "(box 1 1 r)"},
			lines("box", "3 .   .   .", "2 v   .   .", "1 <,r .   .", "  1   2   3", "(line 3 3 3 3)"),
		},
	} {
		l, _ := layoutOf(t, name, c.rules)
		if text := textOf(l, c.facts); text != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, text, c.want)
		}
	}
}

func TestMovesNameTheirCells(t *testing.T) {
	for _, c := range []struct {
		game, move, text string
		want             []Spot
	}{
		{"ticTacToe", "(mark 1 3)", "1,3", []Spot{{0, 0, 2}}},
		{"ticTacToe", "noop", "noop", nil},
		{"breakthrough", "(move 2 2 3 3)", "2,2 → 3,3", []Spot{{0, 1, 6}, {0, 2, 5}}},
		{"chess", "(move e 2 e 4)", "e2–e4", []Spot{{0, 4, 6}, {0, 4, 4}}},
		{"chess", "(promote a 7 a 8 queen)", "promote a7–a8 queen", []Spot{{0, 0, 1}, {0, 0, 0}}},
		{"checkers", "(jump c 3 e 5)", "jump c3–e5", []Spot{{0, 2, 5}, {0, 4, 3}}}, // not (move c 3 d 4)
		{"connectFour-4x4", "(drop 3)", "column 3", []Spot{{0, 2, 0}, {0, 2, 1}, {0, 2, 2}, {0, 2, 3}}},
		{"biddingTicTacToe-3", "(bid 2 keep)", "bid 2 keep", []Spot{{1, 2, 0}, {1, 2, 1}}},
		{"nim", "(reduce 2 0)", "reduce 2 0", []Spot{{0, 0, 1}}},
		{"ultimateTicTacToe", "(mark 1 2 1 3)", "1 2: 1,3", []Spot{{1, 2, 0}}},
		{"ticTacToe", "(mark 7 7)", "mark 7 7", nil},
		{"ticTacToe", "(mark (f 1) 2)", "mark (f 1) 2", nil},
	} {
		l, _ := layout(t, c.game)
		if got := l.Read(c.move); !slices.Equal(got.Spots, c.want) || got.Text != c.text || got.Line != (strings.HasPrefix(c.move, "(drop") || strings.HasPrefix(c.move, "(bid")) {
			t.Errorf("%s: %s reads %q and names %v, want %q and %v", c.game, c.move, got.Text, got.Spots, c.text, c.want)
		}
	}
}

const twoBoards = `
(role x) (role o)
(<= (init (left ?a ?b e)) (index ?a) (index ?b))
(<= (init (right ?a ?b e)) (index ?a) (index ?b))
(index 1) (index 2) (index 3)
(<= (legal ?p (mark ?a ?b)) (role ?p) (true (left ?a ?b e)))
(<= (legal ?p pass) (role ?p))
(<= (next (left ?a ?b x)) (does x (mark ?a ?b)))
(<= (next (left ?a ?b ?c)) (true (left ?a ?b ?c)))
(<= (next (right ?a ?b o)) (does o (mark ?a ?b)))
(<= (next (right ?a ?b ?c)) (true (right ?a ?b ?c)))
(init (odd one out)) (init strange)
(<= (next (odd one out)) (true (odd one out)))
(<= (goal ?p 50) (role ?p))
(<= terminal (true (left 1 1 x)))
`

func TestCoordinatesMayBeTwoFluents(t *testing.T) {
	l, facts := layoutOf(t, "space.kif", `
(role ship) (index 1) (index 2) (index 3)
(init (x1 1)) (init (y1 2))
(<= (legal ship (go ?d)) (index ?d))
(<= (next (x1 ?d)) (does ship (go ?d)))
(<= (next (y1 ?d)) (does ship (go ?d)))
(<= (goal ship 100) (true (x1 3)))
(<= terminal (true (x1 3)))`)
	if text := l.Draw(facts).Text(80); !strings.Contains(text, "2 1 . .") {
		t.Errorf("drawn as\n%s", text)
	}
	if p := l.Draw([]string{"(x1 2)"}); len(p.Facts) != 1 {
		t.Errorf("half of a position: %v", p.Facts)
	}
	if m := l.Read("(go 2)"); m.Spots != nil {
		t.Errorf("a direction is no cell, found %v", m.Spots)
	}
}

// TestFactsMayPutCoordinatesInOrder has columns and rows whose names have no order.
func TestFactsMayPutCoordinatesInOrder(t *testing.T) {
	named := strings.NewReplacer(" 1)", " one)", " 2)", " two)", " 3)", " three)", " 1 ", " one ", " 2 ", " two ")
	for order, want := range map[string]int{
		"(succ one two) (succ two three)": 2, "(succ one two) (succ one three)": 0,
		"(succ zero one) (succ one two) (succ two one)": 0,
	} {
		l, facts := layoutOf(t, "words.kif", named.Replace(twoBoards)+order)
		p := l.Draw(facts)
		if len(p.Boards) != want {
			t.Fatalf("%d boards by %s, want %d", len(p.Boards), order, want)
		}
		if want > 0 && !slices.Equal(p.Boards[0].Columns, []string{"one", "two", "three"}) {
			t.Errorf("columns %q", p.Boards[0].Columns)
		}
	}
}

func TestNothingIsDropped(t *testing.T) {
	l, facts := layoutOf(t, "two.kif", twoBoards)
	facts = append(facts, "(left 1 2 x)", "(left 7 7 x)", "unheard", "not a term (")
	p := l.Draw(facts)
	if len(p.Boards) != 2 {
		t.Fatalf("%d boards, want left and right", len(p.Boards))
	}
	for _, fact := range []string{"(left 7 7 x)", "unheard", "strange", "not a term ("} {
		if !slices.Contains(p.Facts, fact) {
			t.Errorf("%s is not among the facts %q", fact, p.Facts)
		}
	}
	if text := p.Text(80); !strings.Contains(text, "odd") || !strings.Contains(text, "2 x . .") {
		t.Errorf("drawn as\n%s", text)
	}
}

func TestTheCellInTheLowerLeftCornerIsDark(t *testing.T) {
	l, facts := layout(t, "chess")
	svg := l.Draw(facts).SVG()
	for name, want := range map[string]string{"a1": `class="cell dark"`, "b1": `class="cell"`, "h1": `class="cell"`, "h8": `class="cell dark"`} {
		before, _, found := strings.Cut(svg, `aria-label="`+name+`: `)
		if cell := before[strings.LastIndexByte(before, '<'):]; !found || !strings.Contains(cell, want) {
			t.Errorf("%s: %s", name, cell)
		}
	}
}

func TestCellsOfHexAreRegularHexagons(t *testing.T) {
	l, facts := layout(t, "hex-3x3")
	_, points, found := strings.Cut(l.Draw(facts).SVG(), `points="`)
	if !found {
		t.Fatal("no polygon is drawn")
	}
	var x, y []float64
	points, _, _ = strings.Cut(points, `"`)
	for _, point := range strings.Fields(points) {
		var a, b float64
		if n, err := fmt.Sscanf(point, "%g,%g", &a, &b); n != 2 {
			t.Fatalf("%s: %v", point, err)
		}
		x, y = append(x, a), append(y, b)
	}
	if len(x) != 6 {
		t.Fatalf("%d corners", len(x))
	}
	want := math.Hypot(x[1]-x[0], y[1]-y[0])
	for i := range x {
		if side := math.Hypot(x[(i+1)%6]-x[i], y[(i+1)%6]-y[i]); math.Abs(side-want) > 0.2 {
			t.Errorf("side %d is %g long, want %g", i, side, want)
		}
	}
}

func TestDrawingsHoldNoMarkupOfTheRules(t *testing.T) {
	l, facts := layoutOf(t, "two.kif", strings.ReplaceAll(twoBoards, "left", `<script>"left"&`))
	svg := l.Draw(append(facts, `(<script>"left"& 1 2 <b>)`)).SVG()
	if svg == "" || strings.Contains(svg, "<script") || strings.Contains(svg, "<b>") {
		t.Errorf("markup passes: %s", svg)
	}
}

func TestCellsHaveNames(t *testing.T) {
	l, facts := layout(t, "chess")
	svg := l.Draw(facts).SVG()
	for _, label := range []string{`aria-label="e1: white king"`, `aria-label="e4: empty"`} {
		if !strings.Contains(svg, label) {
			t.Errorf("there is no %s", label)
		}
	}
	if strings.Contains(svg, `<svg role="img"`) {
		t.Error("the picture hides its cells")
	}
}

func TestBoardsAreTurnedForTheRoleAtTheTop(t *testing.T) {
	for name, want := range map[string][]bool{"chess": {false, true}, "breakthrough": {false, true}, "ticTacToe": {false, false}, "reversi": {false, false}} {
		l, facts := layout(t, name)
		if got := l.Turned(facts); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestPiecesAreReadFromTheirNames(t *testing.T) {
	l := &Layout{roles: []string{"white", "black"}}
	chess := &use{grid: &grid{contents: set{"wn": true, "bk": true, "wp": true, "b": true}}, content: []int{2}}
	for content, want := range map[string]Piece{
		"wn": {Kind: Knight, Color: "white", Text: "wn"}, "bk": {Kind: King, Color: "black", Text: "bk"}, "black": {Kind: Disc, Color: "black", Text: "black"},
		"whiteQueen": {Kind: Queen, Color: "white", Text: "whiteQueen"}, "white pawn": {Kind: Pawn, Color: "white", Text: "white pawn"},
		"x": {Kind: Cross, Color: "", Text: "x"}, "arrow": {Kind: Block, Color: "", Text: "arrow"}, "7": {Kind: Words, Color: "", Text: "7"},
	} {
		if got := l.piece(chess, content); got != want {
			t.Errorf("%s is %v, want %v", content, got, want)
		}
	}
}

func TestAPageDefinesThePicturesOfPieces(t *testing.T) {
	page := must.Get(ReadPage([]byte(`{"pieces": {"x": {"kind": "queen", "color": "teal"}}}`)))(t)
	l, facts := layout(t, "ticTacToe")
	facts = append(slices.DeleteFunc(facts, func(f string) bool { return strings.HasPrefix(f, "(cell 1 1") }), "(cell 1 1 x)")
	drawn := func(l *Layout) Piece { return l.Draw(facts).Boards[0].Cells[0].Pieces[0] }
	if got := drawn(l.WithPage(page)); got != (Piece{Kind: Queen, Color: "teal", Text: "x"}) {
		t.Errorf("drawn as %v", got)
	}
	if got := drawn(l); got.Kind != Cross {
		t.Errorf("without the page drawn as %v", got)
	}
	for text, want := range map[string]string{
		"[]": "a page in JSON", `{"pieces": {"x": {"kind": "dragon"}}}`: "one of the kinds",
		`{"pieces": {"x": {"kind": "rook", "color": "\"><b>"}}}`: "one of the colours", `{"sides": {"top": "x"}}`: "one of the sides",
	} {
		if _, err := ReadPage([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestEndlessRulesTakeBoundedTime(t *testing.T) {
	var rules strings.Builder
	rules.WriteString(twoBoards)
	for i := range 3000 {
		// A chain of relations, the last first: each round moves values on by one.
		n := string(rune('a'+i%26)) + strings.Repeat("z", i/26)
		next := string(rune('a'+(i+1)%26)) + strings.Repeat("z", (i+1)/26)
		rules.WriteString("(<= (r" + next + " ?x) (r" + n + " ?x))\n")
	}
	rules.WriteString("(ra 1)")
	l, _ := layoutOf(t, "chain.kif", rules.String())
	if !l.HasBoard() {
		t.Error("the board is not found")
	}
}

// FuzzPictures searches for rules and facts for which drawing fails.
func FuzzPictures(f *testing.F) {
	exhaustive.NotUnderRace(f, "draws for long on one goroutine")
	for _, name := range []string{"ticTacToe", "connectFour-4x4", "nim", "goofspiel-3", "hex-3x3", "tron-3x3", "slidingPuzzle"} {
		if _, src, err := games.Source(name); err == nil {
			f.Add(string(src), "(cell 1 2 x)", "(move 1 1 2 2)")
		}
	}
	f.Add(twoBoards, "(left 1 9 x)", "(mark 1 1)")
	f.Add("(role a) (init (c a1 b)) (init (c b2 b)) (init (c c3 x)) (init (x1 1)) (init (y1 2))", "(c a9 b)", "(go a1 b2)")
	f.Fuzz(func(t *testing.T, rules, fact, move string) {
		g, _, err := gdl.Load(t.Context(), "fuzz.kif", []byte(rules))
		if err != nil || len(rules) > 20_000 {
			return
		}
		p := prover.New(g)
		p.MaxBytes = 1 << 20
		facts, err := p.Initial(t.Context())
		if err != nil {
			facts = nil
		}
		l := Find(t.Context(), g, facts, []string{fact, fact})
		facts = append(facts, fact, move)
		drawn := l.Draw(facts)
		if text, svg := drawn.Text(80), drawn.SVG(); text == "" && svg != "" {
			t.Errorf("a drawing without text: %s", svg)
		}
		for _, m := range []string{move, fact} {
			for _, s := range l.Read(m).Spots {
				if s.Board >= len(drawn.Boards) || s.Column >= len(drawn.Boards[s.Board].Columns) || s.Row >= len(drawn.Boards[s.Board].Rows) {
					t.Errorf("%s names %v, which is on no board", m, s)
				}
			}
		}
	})
}

// wideRules returns rules with one fluent with the given number of arguments, each a number.
func wideRules(arity int) string {
	numbers := strings.TrimSpace(strings.Repeat("1 ", arity))
	return "(role r) (init (wide " + numbers + ")) (init (wide " + strings.ReplaceAll(numbers, "1", "2") + ")) (<= (legal r noop)) (<= terminal (true (wide " + numbers + "))) (goal r 100)"
}

func TestAFluentOfManyArgumentsIsAFact(t *testing.T) {
	l, facts := layoutOf(t, "wide.kif", wideRules(maxArity+1))
	if p := l.Draw(facts); l.HasBoard() || len(p.Facts) != len(facts) {
		t.Errorf("%d facts are drawn as %+v", len(facts), p)
	}
	// So wide a relation is skipped: the search for coordinates is cubic in the arguments.
	f := &fluents{ctx: t.Context(), domains: map[slot]set{{relation{fluent, "wide", maxArity + 1}, 0}: {"1": true}}}
	if found := f.relations(); len(found) != 0 {
		t.Errorf("%v is looked at", found)
	}
}

func TestBoardsAreSoughtAsLongAsTheContextLasts(t *testing.T) {
	file, src := must.Get2(games.Source("ticTacToe"))(t)
	g, _ := must.Get2(gdl.Load(t.Context(), file, src))(t)
	ctx, cancel := context.WithCancel(t.Context())
	facts := []string{"(cell 1 1 b)", "(cell 1 2 b)", "(cell 2 1 b)", "(cell 2 2 b)"}
	if !Find(ctx, g, facts).HasBoard() {
		t.Fatal("the game has a board")
	}
	cancel()
	if l := Find(ctx, g, facts); l.HasBoard() || len(l.Draw(facts).Facts) != len(facts) {
		t.Errorf("a board is found after the context has ended: %+v", l.Draw(facts))
	}
}

func TestACounterNamedAfterARoleHasItsColour(t *testing.T) {
	l, facts := layoutOf(t, "scores.kif", `(role white) (role black) (init (whiteScore 0)) (init (blackScore 0))
		(succ 0 1) (succ 1 2) (<= (legal ?r wait) (role ?r)) (<= (legal ?r go) (role ?r))
		(<= (next (whiteScore ?n)) (true (whiteScore ?m)) (does white go) (succ ?m ?n))
		(<= (next (whiteScore ?m)) (true (whiteScore ?m)) (does white wait))
		(<= (next (blackScore ?m)) (true (blackScore ?m)))
		(<= terminal (true (whiteScore 2))) (goal white 100) (goal black 0)`)
	var colors []string
	for _, c := range l.Draw(facts).Counters {
		colors = append(colors, c.Name+" "+c.Color)
	}
	if !slices.Equal(colors, []string{"blackScore black", "whiteScore white"}) {
		t.Errorf("colours %q", colors)
	}
}
