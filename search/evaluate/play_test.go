package evaluate

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search/evaluate/vector"
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
		g := &game{states: make([]uint64, 2*p.words), chooser: 1, end: 2, side: make([]int, p.roles)}
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

// Moves are drawn with replacement, as many times as three quarters of the moves that do not lose at once. Each drawn move
// has one lane.
func TestDrawsAreAPartOfTheMoves(t *testing.T) {
	for _, c := range []struct {
		game         string
		moves, draws int // in the position after one joint move
	}{
		{"hex-4x4", 15, 12},
		{"connectFour-7x6", 7, 6},
		{"hex-11x11", 120, mostDraws},
	} {
		p, e := playing(t, c.game)
		games, lanes := 0., 0.
		for range 200 {
			p.step(e)
			for i := range p.all {
				g := &p.all[i]
				if len(g.states) != 2*p.words {
					continue
				}
				games++
				lanes += float64(len(g.drawn) / p.roles)
				for rest := slices.Collect(slices.Chunk(g.drawn, p.roles)); len(rest) > 0; rest = rest[1:] {
					if slices.ContainsFunc(rest[1:], func(joint []machine.Move) bool { return slices.Equal(joint, rest[0]) }) {
						t.Fatalf("%s: of the moves %v one has two lanes", c.game, g.drawn)
					}
				}
			}
		}
		n := float64(c.moves)
		if want := n * (1 - math.Pow(1-1/n, float64(c.draws))); games < 100 || math.Abs(lanes/games-want) > 0.03*want {
			t.Errorf("%s: %v different moves in the mean of %v positions, want %v", c.game, lanes/games, games, want)
		}
	}
}

// Each lane holds the successor that its drawn move has in a batch of one position.
func TestLanesFollowTheDrawnMoves(t *testing.T) {
	for _, name := range []string{"connectFour-4x4", "hex-4x4", "goofspiel-4"} {
		p, e := playing(t, name)
		slow, want := p.machine.NewNarrowBatch(), make([]uint64, p.words)
		for range 20 {
			befores, drawns := map[*game][]uint64{}, map[*game][]machine.Move{}
			for i := range p.all {
				if g := &p.all[i]; len(g.states) > 0 {
					befores[g], drawns[g] = slices.Clone(p.last(g)), slices.Clone(g.drawn)
				}
			}
			p.step(e)
			for _, g := range p.moving {
				for i := range len(drawns[g]) / p.roles {
					slow.Load(befores[g], 1)
					slow.Evaluate(1)
					for r := range p.roles {
						slow.Choose(0, machine.Role(r), drawns[g][i*p.roles+r])
					}
					slow.Advance(1)
					slow.Store(want, 1)
					if lane := g.first + i; !slices.Equal(p.states[lane*p.words:(lane+1)*p.words], want) {
						t.Fatalf("%s: lane %d does not hold the successor by %v", name, lane, drawns[g][i*p.roles:(i+1)*p.roles])
					}
				}
			}
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

func TestEverySecondGameBeginsWithARandomMove(t *testing.T) {
	p := learner(t, gamestest.Machine(t, "connectFour-4x4"), Config{Seed: 1}).games
	random, known, g := 0, guide{}, new(game)
	p.now = &known
	for range 1000 {
		p.begin(g)
		if g.opening > 1 {
			t.Fatalf("%d random moves", g.opening)
		}
		random += g.opening
	}
	if random < 400 || random > 600 {
		t.Errorf("%d of 1000 games begin with a random move", random)
	}
	known.random = true
	if p.begin(g); g.opening != longest {
		t.Errorf("a game of random moves has %d of them", g.opening)
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

// Three of four games begin at the present position, and by moves that are legal there.
func TestGamesBeginAtThePresentPosition(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	x, e := play.NewExpander(m), new(play.Expansion)
	if err := x.Expand(e, m.Initial()); err != nil {
		t.Fatal(err)
	}
	l, words := learner(t, m, Config{ConstantSum: true, Seed: 1, Threads: 2}), len(m.Initial())
	present := slices.Clone(e.States[2*words : 3*words])
	if err := x.Expand(e, present); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*selfPlay{l.games, l.others[0]} {
		p.over = func(PlayedGame) {}
		p.step() // games that have begun go on
	}
	l.BeginAt(present)
	for i, p := range []*selfPlay{l.games, l.others[0]} {
		before, there, all := map[*game]bool{}, 0, 0
		start := p.start
		p.start = func(g *game) {
			start(g)
			delete(before, g)
			if all++; slices.Equal(g.states, present) {
				there++
				before[g] = true
			} else if !slices.Equal(g.states, m.Initial()) {
				t.Fatalf("player %d: a game begins at neither position", i)
			}
		}
		for range 300 {
			p.step()
			for g := range before {
				if next := g.states[words:]; len(next) > 0 && !slices.ContainsFunc(slices.Collect(slices.Chunk(e.States, words)), func(s []uint64) bool {
					return slices.Equal(s, next[:words])
				}) {
					t.Fatalf("player %d: the second position of a game does not follow the present one", i)
				}
			}
		}
		if part := float64(there) / float64(all); all < 1000 || math.Abs(part-(1-1./initialPart)) > 0.05 {
			t.Errorf("player %d: of %d games %v begin at the present position", i, all, part)
		}
	}
}

// A position in which the game is over changes nothing.
func TestGamesDoNotBeginWhereTheyAreOver(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	l := learner(t, m, Config{ConstantSum: true, Seed: 1})
	l.games.over = func(g PlayedGame) {
		if !slices.Equal(g.States[:len(m.Initial())], m.Initial()) {
			t.Error("a game does not begin at the initial position")
		}
	}
	over, ended := machine.State(nil), l.games.ended
	l.games.ended = func(g *game, lane int) {
		over = slices.Clone(l.games.states[lane*l.games.words : (lane+1)*l.games.words])
		ended(g, lane)
	}
	for range 20 {
		l.games.step()
	}
	if over == nil {
		t.Fatal("no game has ended")
	}
	l.BeginAt(over)
	for range 20 {
		l.games.step()
	}
}

// The weights that a learner gets depend on the seed and the position alone. They value the positions that follow this
// position better.
func TestLearningFromAPositionIsReproducible(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-4x4")
	var learnt [3]*Learner
	for i := range learnt {
		learnt[i] = learner(t, m, Config{ConstantSum: true, Seed: 1})
		learnt[i].Learn(t.Context(), 500)
		if i < 2 {
			learnt[i].BeginAt(learnt[i].pool[:learnt[i].wide]) // of the last game's end, so that few moves are left
		}
		learnt[i].Learn(t.Context(), 500)
	}
	weights := func(i int) []vector.Floats { return learnt[i].trainer.fits[0].mean.in }
	if !slices.Equal(weights(0), weights(1)) {
		t.Error("two learners of one seed have learnt different weights")
	}
	if slices.Equal(weights(0), weights(2)) {
		t.Error("the position has no effect")
	}
}
