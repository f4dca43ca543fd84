package evaluate

import (
	"cmp"
	"math"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// Positions in which a decisive move exists get its goals as values; all other positions get estimates.
func TestDecidedPositionsAreWorthWhatTheyBring(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	l := learner(t, cmp.Or(facts.Decisive(t.Context(), m, false), m), Config{ConstantSum: true, Seed: 1})
	x, e := play.NewExpander(m), new(play.Expansion)
	decided, estimated := 0, 0
	made := l.games.made
	l.games.made = func(g *game, lane int) {
		made(g, lane)
		if err := x.Expand(e, l.games.last(g)); err != nil {
			t.Fatal(err)
		}
		values := l.games.values[0][2*lane : 2*lane+2]
		winner := -1
		for c := range e.Children {
			for r, moves := range e.Moves {
				if e.Terminal[c] && len(moves) > 1 && e.ChildGoals(c)[r] == machine.MaxGoal {
					winner = r
				}
			}
		}
		switch {
		case winner >= 0 && (values[winner] != machine.MaxGoal || values[1-winner] != 0):
			t.Fatalf("role %d wins at once, and the position is worth %v", winner, values)
		case winner >= 0:
			decided++
		case values[0] != 0 && values[1] != 0:
			estimated++
		}
	}
	l.Learn(t.Context(), 500)
	if decided == 0 || estimated == 0 {
		t.Errorf("%d positions were decided, %d estimated: the test shows nothing", decided, estimated)
	}
}

func TestOfTwoEachWantsToBeAhead(t *testing.T) {
	for _, c := range []struct {
		game string
		want int // of two lanes
	}{{"ticTacToe", 1}, {"trio-3x3", 0}} {
		m := gamestest.Machine(t, c.game)
		p := newGames(m, 1, machine.NewRand(1), defaultBytes)
		g := &game{states: make([]uint64, 2*p.words), choice: choice{chooser: 1}, end: 2, side: make([]int, p.roles)}
		copy(p.values[0], []float64{90, 95, 0}[:p.roles])           // more for role 1
		copy(p.values[0][p.roles:], []float64{20, 60, 0}[:p.roles]) // but here it is ahead
		if got := p.choose(g); got != c.want {
			t.Errorf("%s: lane %d is chosen, want %d", c.game, got, c.want)
		}
	}
}

// playing returns games that follow an untrained evaluation.
func playing(t *testing.T, name string) (*games, *Evaluation) {
	t.Helper()
	m := cmp.Or(facts.Decisive(t.Context(), gamestest.Machine(t, name), false), gamestest.Machine(t, name))
	l := learner(t, m, Config{Seed: 1})
	p := newGames(m, 1, machine.NewRand(1), defaultBytes)
	p.start = func(g *game) { g.side = make([]int, p.roles) }
	p.made, p.ended = func(*game, int) {}, func(*game, int) {}
	return p, &l.current
}

// Three quarters of the moves that do not lose at once are drawn; one if several roles choose.
func TestDrawsAreAPartOfTheMoves(t *testing.T) {
	for _, c := range []struct {
		game  string
		draws []int // by number of joint moves made
	}{
		{"hex-4x4", []int{12, 12, 11, 10}},
		{"connectFour-7x6", []int{6, 6, 6, 6}},
		{"hex-11x11", []int{mostDraws, mostDraws}},
		{"goofspiel-4", []int{1, 1}},
	} {
		p, e := playing(t, c.game)
		seen := 0
		for range 20 {
			p.step(e)
			for _, g := range p.moving {
				last := len(g.states)/p.words - 2
				if last < 0 || last >= len(c.draws) {
					continue
				}
				if seen++; g.end-g.first != c.draws[last] {
					t.Errorf("%s: %d moves are drawn after %d joint moves, want %d", c.game, g.end-g.first, last, c.draws[last])
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no game was seen", c.game)
		}
	}
}

func TestAllGamesGoOn(t *testing.T) {
	p, e := playing(t, "hex-9x9")
	for range 100 { // some 16 moves, of at least 17
		p.step(e)
	}
	least, most := longest, 0
	for i := range p.all {
		n := len(p.all[i].states) / p.words
		least, most = min(least, n), max(most, n)
	}
	if least < 2 || most-least > 1 {
		t.Errorf("of games of 81 moves one has come to %d, another one to %d", least-1, most-1)
	}
}

func TestRecentPositionsAreAPartOfAll(t *testing.T) {
	for _, c := range []struct{ pooled, want int }{{5000, 5000}, {leastRecent + 1, leastRecent}, {50_000 * recentPart, 50_000}, {1 << 30, 100_000}} {
		if got := (&Learner{room: 100_000, pooled: c.pooled}).recent(); got != c.want {
			t.Errorf("of %d positions %d are recent, want %d", c.pooled, got, c.want)
		}
	}
}

func TestTheTargetsOfAGameAreItsTDReturns(t *testing.T) {
	l, err := New(gamestest.Machine(t, "ticTacToe"), Config{Seed: 1, ConstantSum: true})
	if err != nil {
		t.Fatal(err)
	}
	// Four positions, of which the first three were followed by a position of value 0.2, 0.6 and 0.9; the game is won.
	l.store(make([]uint64, 4*l.wide), []float32{0.2, 0.6, 0.9, 0}, []float32{1})
	third := 0.8*1 + 0.2*0.9
	second := 0.8*third + 0.2*0.6
	first := 0.8*second + 0.2*0.2
	for i, want := range []float64{1, third, second, first} { // the last position is taken first
		if got := float64(l.targets[i]); math.Abs(got-want) > 1e-6 {
			t.Errorf("the target %d positions before the end is %v, want %v", i, got, want)
		}
	}
}
