package board

import (
	"slices"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
)

// drawn draws the first position of a built-in game, with its page.
func drawn(t *testing.T, name string) (*Layout, []string, Picture) {
	t.Helper()
	l, facts := layout(t, name)
	if text := games.Page(name); text != nil {
		page := must.Get(ReadPage(text))(t)
		l = l.WithPage(page)
	}
	return l, facts, l.Draw(facts)
}

// boardOf returns the board with a name.
func boardOf(t *testing.T, p Picture, name string) Board {
	t.Helper()
	i := slices.IndexFunc(p.Boards, func(b Board) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("there is no board %q", name)
	}
	return p.Boards[i]
}

// texts lists the pieces of a board.
func (b Board) texts() (list []string) {
	for _, c := range b.Cells {
		for _, p := range c.Pieces {
			list = append(list, p.Text+" "+p.Color)
		}
	}
	return list
}

func TestThePrizeAtStakeIsYellowAndLaterPrizesFollow(t *testing.T) {
	l, facts, _ := drawn(t, "goofspiel-4-2.4.1.3")
	facts = append(slices.DeleteFunc(facts, func(f string) bool { return f == "(round 1)" }), "(round 2)")
	p := l.Draw(facts)
	if got := boardOf(t, p, "Prizes: 4 at stake").texts(); !slices.Equal(got, []string{"4 yellow", "1 ", "3 "}) {
		t.Errorf("prizes %q", got)
	}
	facts[len(facts)-1] = "(round 5)" // no prize is left
	p = l.Draw(facts)
	if got := boardOf(t, p, "Prizes").texts(); len(got) > 0 || !slices.Contains(p.Counters, Counter{Name: "round", Value: "5"}) {
		t.Errorf("prizes %q after the last round, counters %v", got, p.Counters)
	}
}

func TestRolesPlayTheirOwnCards(t *testing.T) {
	l, _, p := drawn(t, "goofspiel-3")
	cards := slices.IndexFunc(p.Boards, func(b Board) bool { return b.Name == "Cards" })
	for role, row := range map[string]int{"red": 0, "blue": 1} {
		if m := l.ReadFor(role, "(play 2)"); m.Line || m.Text != "play 2" || !slices.Equal(m.Spots, []Spot{{cards, 1, row}}) {
			t.Errorf("%s plays %+v", role, m)
		}
	}
	if got := p.Boards[cards].texts(); !slices.Equal(got, []string{"1 red", "2 red", "3 red", "1 blue", "2 blue", "3 blue"}) {
		t.Errorf("cards %q", got)
	}
}

func TestAStripNamesTheWinnersAtItsEnds(t *testing.T) {
	l, facts, p := drawn(t, "oshiZumo")
	strip := boardOf(t, p, "Wrestler")
	if want := []Side{{EdgeWest, "red", "east"}, {EdgeEast, "blue", "west"}}; !slices.Equal(strip.Sides, want) || len(strip.Columns) != 7 {
		t.Errorf("sides %v of %q, want %v", strip.Sides, strip.Columns, want)
	}
	if svg := p.SVG(); !strings.Contains(svg, ">east wins<") || !strings.Contains(svg, `class="side blue"`) {
		t.Error("the drawing does not say who wins")
	}
	if m := l.ReadFor("west", "(bid 2)"); len(m.Spots) != 1 || m.Line {
		t.Errorf("a bid of west is %+v", m)
	}
	facts = append(slices.DeleteFunc(facts, func(f string) bool { return f == "(coins east 6)" }), "(coins east 2)")
	if got := boardOf(t, l.Draw(facts), "Coins").texts(); len(got) != 8 || got[7] != "2 red" {
		t.Errorf("coins %q", got)
	}
}

func TestALeadBelongsToTheRoleThatItFavours(t *testing.T) {
	l, _, _ := drawn(t, "goofspiel")
	for fact, want := range map[string]Counter{
		"(lead 0)":  {Name: "Lead", Value: "0"},
		"(lead 3)":  {Name: "Lead", Holder: "red", Value: "3", Color: "red", Lead: true},
		"(lead -2)": {Name: "Lead", Holder: "blue", Value: "2", Color: "blue", Lead: true},
	} {
		if got := l.Draw([]string{fact}).Counters; !slices.Equal(got, []Counter{want}) {
			t.Errorf("%s is %+v, want %+v", fact, got, want)
		}
	}
}

func TestCountersNameTheRoleToMove(t *testing.T) {
	l, _, _ := drawn(t, "biddingTicTacToe")
	for _, c := range l.Draw([]string{"(control x)", "(tiebreaker o)", "bidding"}).Counters {
		want := map[string]Counter{
			"control":          {Name: "control", Value: "x", Color: "blue", Turn: true},
			"Tie-breaker":      {Name: "Tie-breaker", Value: "o", Color: "red"},
			"Both players bid": {Name: "Both players bid"},
		}[c.Name]
		if c != want && c.Name != "control" { // absent from the examples
			t.Errorf("found %+v, want %+v", c, want)
		}
	}
	nim, facts, _ := drawn(t, "nim")
	if c := nim.Draw(facts).Counters; len(c) != 1 || !c[0].Turn {
		t.Errorf("whose turn: %+v", c)
	}
}

func TestMovesThatAreNamesAreChoices(t *testing.T) {
	l, _, p := drawn(t, "rockPaperScissors")
	if got := p.Boards[0].texts(); len(got) != 6 || got[0] != "Paper blue" {
		t.Errorf("choices %q", got)
	}
	if m := l.ReadFor("column", "scissors"); m.Text != "Scissors" || !slices.Equal(m.Spots, []Spot{{0, 2, 1}}) {
		t.Errorf("scissors are %+v", m)
	}
	if m := l.Read("scissors"); m.Spots != nil {
		t.Errorf("scissors of nobody are %+v", m)
	}
	pennies, _, p := drawn(t, "example2")
	if got := len(p.Boards[0].texts()); got != 6 || len(pennies.ReadFor("row", "b1").Spots) > 0 {
		t.Errorf("%d choices, each role has its own three", got)
	}
}

func TestDirectionsLeadToTheCellsThatChange(t *testing.T) {
	l, _, _ := drawn(t, "tron-3x3")
	read := func() []Move { return []Move{l.ReadFor("red", "north"), l.ReadFor("red", "east")} }
	before := []string{"(cycle red 1 1)", "(cycle blue 3 3)", "(wall 1 1)", "(wall 3 3)"}
	for _, blue := range []string{"3 2)", "2 1)"} { // beside red, or on a cell that red can reach, too
		after := func(red string) []string {
			return append(slices.Clone(before[2:]), "(cycle red "+red, "(wall "+red, "(cycle blue "+blue, "(wall "+blue)
		}
		moves := l.Aim(read(), before, [][]string{after("1 2)"), after("2 1)")})
		if !slices.Equal(moves[0].Spots, []Spot{{0, 0, 1}}) || !slices.Equal(moves[1].Spots, []Spot{{0, 1, 2}}) || !moves[0].Aimed {
			t.Errorf("aimed at %+v", moves)
		}
	}
}

func TestTrailsHaveTheColourOfTheRoleThatWasThere(t *testing.T) {
	l, _, _ := drawn(t, "tron-3x3")
	now := []string{"(cycle red 1 2)", "(cycle blue 3 3)", "(wall 1 1)", "(wall 1 2)", "(wall 3 3)"}
	at := func(p Picture) Piece { return p.Boards[0].Cells[6].Pieces[0] } // (1, 1)
	if got := at(l.Draw(now, []string{"(cycle red 1 1)", "(wall 1 1)"})); got.Color != "red" || got.Kind != Block {
		t.Errorf("the trail is %+v", got)
	}
	if head := l.Draw(now).Boards[0].Cells[3].Pieces; len(head) != 2 || head[0].Color != "red" || head[1].Color != "red" {
		t.Errorf("below the cycle is %+v", head) // (1, 2)
	}
	if got := at(l.Draw(now)); got.Color != "" {
		t.Errorf("without the positions before it is %+v", got)
	}
	if chess, _ := layout(t, "chess"); chess.HasTrails() {
		t.Error("chess has trails")
	}
}

func TestPagesOfTheBuiltInGamesAreRead(t *testing.T) {
	for _, g := range games.Groups() {
		for _, f := range g.Families {
			l, _, p := drawn(t, f.Name())
			if len(p.Boards) == 0 {
				t.Errorf("%s has no picture", f.Name())
			}
			for side, role := range l.page.Sides {
				if !slices.Contains(l.roles, role) {
					t.Errorf("%s: the side %s belongs to %s, which is no role", f.Name(), side, role)
				}
			}
		}
	}
}

func TestQuartoHasAStockOfDrawnPieces(t *testing.T) {
	l, _, p := drawn(t, "quarto")
	left := boardOf(t, p, "Pieces to give")
	if len(left.Cells) != 16 || left.Cells[0].Pieces[0].Kind != Box {
		t.Errorf("%d cells, the first has %+v", len(left.Cells), left.Cells[0].Pieces)
	}
	if m := l.ReadFor("first", "(give dsqf)"); m.Text != "give the dark short square full piece" || len(m.Spots) != 1 || m.Spots[0].Board != 1 {
		t.Errorf("the move is %+v", m)
	}
}

func TestANumberThatGrowsWithEachPositionIsAClock(t *testing.T) {
	file, src := must.Get2(games.Source("pursuit"))(t)
	g, _ := must.Get2(gdl.Load(t.Context(), file, src))(t)
	for second, want := range map[string]bool{"(round 1)": true, "(round 2)": false, "(round 0)": false} {
		l := Find(t.Context(), g, []string{"(at evader 1 1)", "(round 0)"}, []string{"(at evader 1 2)", second})
		if c := l.Draw([]string{"(round 1)"}).Counters; len(c) != 1 || c[0].Clock != want {
			t.Errorf("%s after (round 0): %+v, want a clock: %v", second, c, want)
		}
	}
}
