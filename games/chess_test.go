package games_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
)

// The counts are from https://www.chessprogramming.org/Perft_Results.
func TestChess(t *testing.T) {
	m := gamestest.Machine(t, "chess")
	for fen, want := range map[string][]int64{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -":                {20, 400, 8902, 197_281},
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -":    {48, 2039, 97_862, 4_085_603},
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -":                               {14, 191, 2812, 43_238, 674_624},
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -":        {6, 264, 9467, 422_333},
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -":               {44, 1486, 62_379, 2_103_487},
		"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -": {46, 2079, 89_890, 3_894_594},
	} {
		t.Run("perft of "+fen, func(t *testing.T) { checkPerft(t, m, fromFEN(t, m, fen).state, want...) })
	}
	t.Run("the initial position is the usual one", func(t *testing.T) {
		p := fromFEN(t, m, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")
		if !slices.Equal(p.state, m.Initial()) {
			t.Errorf("found %v", m.Names().AppendFluents(nil, m.Initial()))
		}
	})
	t.Run("checkmate", func(t *testing.T) {
		p := fromFEN(t, m, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")
		p.play("(move f 2 f 3)", "noop")
		p.play("noop", "(move e 7 e 5)")
		p.play("(move g 2 g 4)", "noop")
		p.wants()
		p.play("noop", "(move d 8 h 4)")
		p.wants(0, 100)
	})
	t.Run("stalemate", func(t *testing.T) {
		p := fromFEN(t, m, "7k/8/6K1/8/8/8/8/5Q2 w - -")
		p.play("(move f 1 f 7)", "noop")
		p.wants(50, 50)
	})
	t.Run("fifty moves", func(t *testing.T) {
		facts := placed("7k/8/5K2/8/8/8/8/R7 w - -", "(quiet 9 9)")
		p := at(t, m, facts...)
		p.play("(move f 6 e 6)", "noop")
		p.wants(50, 50)
		p = at(t, m, placed("7k/5K2/8/8/8/8/8/R7 w - -", "(quiet 9 9)")...)
		p.play("(move a 1 h 1)", "noop")
		p.wants(100, 0)
		p = at(t, m, placed("7k/8/5K2/8/8/8/p7/R7 w - -", "(quiet 9 9)")...)
		p.play("(move a 1 a 2)", "noop")
		p.wants()
	})
	t.Run("too few pieces", func(t *testing.T) {
		fromFEN(t, m, "7k/8/5K2/8/8/8/8/8 w - -").wants(50, 50)
		fromFEN(t, m, "7k/8/5K2/8/8/8/8/N7 w - -").wants(50, 50)
		fromFEN(t, m, "7k/b7/5K2/8/8/8/8/8 w - -").wants(50, 50)
		fromFEN(t, m, "7k/b7/5K2/8/8/8/8/N7 w - -").wants()
		fromFEN(t, m, "7k/b7/b4K2/8/8/8/8/8 w - -").wants()
		fromFEN(t, m, "7k/8/5K2/8/8/8/P7/8 w - -").wants()
	})
	t.Run("castling", func(t *testing.T) {
		short, long := "(move e 1 g 1)", "(move e 1 c 1)"
		for fen, want := range map[string][]string{
			"4k3/8/8/8/8/8/8/R3K2R w KQ -":   {long, short},
			"4k3/8/8/8/8/8/8/R3K2R w K -":    {short},
			"4k3/8/8/8/8/8/8/R3K2R w - -":    nil,
			"4k3/8/8/8/8/8/8/RN2K1NR w KQ -": nil,           // a square between is taken
			"4kr2/8/8/8/8/8/8/R3K2R w KQ -":  {long},        // over an attacked square
			"4k1r1/8/8/8/8/8/8/R3K2R w KQ -": {long},        // to one
			"1r2k3/8/8/8/8/8/8/R3K2R w KQ -": {long, short}, // the rook may
			"r3k2r/8/8/8/8/8/8/R3K2R w KQ -": {long, short}, // likewise
			"4k3/8/8/8/8/8/4r3/R3K2R w KQ -": nil,           // in check
			"4k3/8/8/8/8/8/7p/R3K2R w KQ -":  {long},        // attacked by a pawn
			"4k3/8/8/8/8/2n5/8/R3K2R w KQ -": {short},
		} {
			p := fromFEN(t, m, fen)
			got := slices.DeleteFunc(p.moves("white"), func(text string) bool { return text != short && text != long })
			if !slices.Equal(got, want) {
				t.Errorf("%s: castling %v, want %v", fen, got, want)
			}
		}
		p := fromFEN(t, m, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -")
		p.play("(move e 1 g 1)", "noop")
		if got := p.facts("(right"); !slices.Equal(got, []string{"(right black a)", "(right black h)"}) {
			t.Errorf("rights are %v", got)
		}
		if rook := p.facts("(cell f 1"); !slices.Equal(rook, []string{"(cell f 1 white rook)"}) || len(p.facts("(cell h 1")) > 0 {
			t.Errorf("castling left %v", p.facts("(cell"))
		}
		p.play("noop", "(move h 8 h 1)")
		p.play("(move g 1 h 1)", "noop")
		if got := p.facts("(right"); !slices.Equal(got, []string{"(right black a)"}) {
			t.Errorf("rights are %v", got)
		}
	})
	t.Run("a captured rook does not castle", func(t *testing.T) {
		p := fromFEN(t, m, "r3k2r/8/8/8/8/8/6n1/R3K2R b KQkq -")
		p.play("noop", "(move a 8 a 1)")
		if got := p.facts("(right"); !slices.Equal(got, []string{"(right black h)", "(right white h)"}) {
			t.Errorf("rights are %v", got)
		}
	})
	t.Run("en passant", func(t *testing.T) {
		p := fromFEN(t, m, "4k3/3p4/8/4P3/8/8/8/4K3 b - -")
		p.play("noop", "(move d 7 d 5)")
		if !p.allows("white", "(move e 5 d 6)") {
			t.Error("the pawn that has just advanced two squares cannot be captured")
		}
		p.play("(move e 5 d 6)", "noop")
		if got := p.facts("(cell d"); !slices.Equal(got, []string{"(cell d 6 white pawn)"}) {
			t.Errorf("after the capture file d has %v", got)
		}
		for fen, why := range map[string]string{
			"4k3/8/8/3pP3/8/8/8/4K3 w - -":    "too late",
			"4k3/8/8/K2pP2r/8/8/8/8 w - d6":   "the rank is opened",
			"4k3/8/8/r2Pp2K/8/8/8/8 w - e6":   "likewise, from the other side",
			"k3r3/8/8/3pP3/8/8/8/4K3 w - d6":  "the pawn is pinned on its file",
			"4k3/8/8/3pP3/8/b7/8/4K2b w - d6": "", // nothing opened
			"4k3/8/8/8/3Pp3/8/8/4R1K1 b - d3": "the pawn is pinned on its file",
		} {
			p := fromFEN(t, m, fen)
			passed := strings.Fields(fen)[3]
			capture := slices.ContainsFunc(append(p.moves("white"), p.moves("black")...), func(text string) bool {
				return passed != "-" && strings.HasSuffix(text, fmt.Sprintf(" %c %c)", passed[0], passed[1])) || passed == "-" && text == "(move e 5 d 6)"
			})
			if capture != (why == "") {
				t.Errorf("%s: capture en passant is allowed: %v, want %v: %s", fen, capture, why == "", why)
			}
		}
		p = fromFEN(t, m, "8/8/8/2k5/3Pp3/8/8/4K3 b - d3")
		if !p.allows("black", "(move e 4 d 3)") {
			t.Error("a pawn that gives check cannot be captured en passant")
		}
	})
	t.Run("promotion", func(t *testing.T) {
		p := fromFEN(t, m, "1r2k3/P7/8/8/8/8/8/4K3 w - -")
		got := slices.DeleteFunc(p.moves("white"), func(text string) bool { return !strings.Contains(text, "a 7") })
		want := []string{
			"(promote a 7 a 8 bishop)", "(promote a 7 a 8 knight)", "(promote a 7 a 8 queen)", "(promote a 7 a 8 rook)",
			"(promote a 7 b 8 bishop)", "(promote a 7 b 8 knight)", "(promote a 7 b 8 queen)", "(promote a 7 b 8 rook)",
		}
		if !slices.Equal(got, want) {
			t.Errorf("moves %v, want %v", got, want)
		}
		p.play("(promote a 7 b 8 knight)", "noop")
		if got := p.facts("(cell b 8"); !slices.Equal(got, []string{"(cell b 8 white knight)"}) {
			t.Errorf("the pawn became %v", got)
		}
	})
}

// placed returns the facts of a position in Forsyth–Edwards Notation, without its counters, and
// others.
func placed(fen string, others ...string) []string {
	kinds := map[rune]string{'k': "king", 'q': "queen", 'r': "rook", 'b': "bishop", 'n': "knight", 'p': "pawn"}
	color := func(letter rune) string {
		if letter < 'a' {
			return "white"
		}
		return "black"
	}
	fields := strings.Fields(fen)
	facts := slices.Clone(others)
	for row, pieces := range strings.Split(fields[0], "/") {
		file := 'a'
		for _, letter := range pieces {
			if letter <= '8' {
				file += letter - '0'
				continue
			}
			kind := kinds[letter|0x20]
			facts = append(facts, fmt.Sprintf("(cell %c %d %s %s)", file, 8-row, color(letter), kind))
			file++
		}
	}
	facts = append(facts, map[string]string{"w": "(control white)", "b": "(control black)"}[fields[1]])
	for _, letter := range strings.Trim(fields[2], "-") {
		rook := map[rune]string{'k': "h", 'q': "a"}[letter|0x20]
		facts = append(facts, fmt.Sprintf("(right %s %s)", color(letter), rook))
	}
	if fields[3] != "-" {
		facts = append(facts, fmt.Sprintf("(passed %c)", fields[3][0]))
	}
	return facts
}

// fromFEN returns a position in Forsyth–Edwards Notation after a capture or pawn move.
func fromFEN(t *testing.T, m machine.Machine, fen string) *position {
	t.Helper()
	return at(t, m, placed(fen, "(quiet 0 0)")...)
}
