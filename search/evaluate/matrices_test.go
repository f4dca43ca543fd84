package evaluate

import (
	"math"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
)

// drawn is the last position of a game with its drawn joint moves.
type drawn struct {
	state  machine.State
	joints [][]machine.Move
	length int // of the game, in positions
}

func drawnIn(p *games, g *game) drawn {
	return drawn{slices.Clone(p.last(g)), slices.Collect(slices.Chunk(slices.Clone(g.drawn), p.roles)), len(g.states) / p.words}
}

// slowMatrix values the joint moves of a position one by one, by an expansion of all its successors.
func slowMatrix(t *testing.T, e *Evaluation, x *play.Expansion, joints [][]machine.Move) (values []float64, columns int) {
	t.Helper()
	for _, joint := range joints {
		i, j := slices.Index(x.Moves[0], joint[0]), slices.Index(x.Moves[1], joint[1])
		if i < 0 || j < 0 {
			t.Fatalf("the joint move %v is not legal", joint)
		}
		c, value := i*len(x.Moves[1])+j, make([]float64, 2)
		if e.Values(value, x.Child(c)); x.Terminal[c] {
			value[0] = float64(search.Points(x.ChildGoals(c)[0]))
		}
		values = append(values, value[0])
		if joint[0] == joints[0][0] {
			columns++
		}
	}
	return values, columns
}

// The estimate of a position is the value of the game of the drawn moves.
func TestWhereBothChooseEstimatesAreValuesOfMatrices(t *testing.T) {
	for _, name := range []string{"goofspiel-8", "biddingTicTacToe-9", "tron-4x4"} {
		m := gamestest.Machine(t, name)
		l := learner(t, m, Config{ConstantSum: true, Seed: 2})
		l.Learn(t.Context(), 2000)
		p, expander, x, compared := l.games, play.NewExpander(m), new(play.Expansion), 0
		for range 20 {
			before := make([]drawn, len(p.all))
			for i := range p.all {
				if g := &p.all[i]; len(g.states) > 0 {
					before[i] = drawnIn(p.games, g)
				}
			}
			p.step()
			for i := range p.all {
				g, at := &p.all[i], &before[i]
				if at.length == 0 || len(g.states)/p.words != at.length+1 || !slices.Equal(g.states[(at.length-1)*p.words:at.length*p.words], at.state) {
					continue // the game is a new one, or had no lanes
				}
				if err := expander.Expand(x, at.state); err != nil {
					t.Fatal(err)
				}
				got := 100 * float64(g.values[len(g.values)-1])
				if len(at.joints) == 1 || len(x.Moves[0]) == 1 || len(x.Moves[1]) == 1 {
					value := make([]float64, 2)
					if p.now.evaluation.Values(value, p.last(g)); math.Abs(got-value[0]) > 1e-3 {
						t.Fatalf("%s: where one player chose, the estimate is %v instead of the value %v of the successor", name, got, value[0])
					}
					continue
				}
				values, columns := slowMatrix(t, &p.now.evaluation, x, at.joints)
				rows := len(values) / columns
				if rows != min(len(x.Moves[0]), mostLines) || columns != min(len(x.Moves[1]), mostLines) {
					t.Fatalf("%s: a matrix of %d×%d of %d×%d moves", name, rows, columns, len(x.Moves[0]), len(x.Moves[1]))
				}
				want, err := matrix.NewNative().Nash(values, rows, columns, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(got-want) > 1e-3 {
					t.Fatalf("%s: a position is estimated at %v, its matrix %v has the value %v", name, got, values, want)
				}
				compared++
			}
		}
		if compared < 50 {
			t.Errorf("%s: %d estimates were compared: the test shows little", name, compared)
		}
	}
}

// All moves of both players are drawn equally often, each at most once in a matrix.
func TestLinesAreDrawnWithoutRepetition(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-9")
	p := newGames(m, 1, machine.NewRand(1), defaultBytes)
	moves, counts, g := p.initial.moves, map[[2]int]float64{}, &game{}
	const draws = 20_000
	for range draws {
		g.drawn = g.drawn[:0]
		p.drawMatrix(g, moves)
		if len(g.drawn) != 2*mostLines*mostLines || g.columns != mostLines {
			t.Fatalf("%d joint moves in %d columns", len(g.drawn)/2, g.columns)
		}
		for k := range mostLines {
			row, column := g.drawn[2*k*mostLines], g.drawn[2*k+1]
			counts[[2]int{0, int(row)}]++
			counts[[2]int{1, int(column)}]++
			for j := range mostLines {
				if g.drawn[2*(k*mostLines+j)] != row || g.drawn[2*(j*mostLines+k)+1] != column {
					t.Fatalf("the joint moves %v are no matrix", g.drawn)
				}
			}
			for other := range k {
				if g.drawn[2*other*mostLines] == row || g.drawn[2*other+1] == column {
					t.Fatalf("a move is drawn twice: %v", g.drawn)
				}
			}
		}
	}
	want := draws * float64(mostLines) / 9
	for move, n := range counts {
		if len(counts) != 18 || math.Abs(n-want) > 0.05*want {
			t.Errorf("move %v is drawn %v times, want %v", move, n, want)
		}
	}
}

// Joint moves are drawn from the equilibrium; in a duel each player follows its own evaluation.
func TestJointMovesAreDrawnFromTheEquilibrium(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-4")
	for _, c := range []struct {
		name  string
		other []float64 // the elements by the evaluation of the second player
		want  [4]float64
	}{
		{"one evaluation", nil, [4]float64{0.0625, 0.1875, 0.1875, 0.5625}},
		{"two evaluations", []float64{90, 10, 90, 10}, [4]float64{0, 0.25, 0, 0.75}},
	} {
		p := newGames(m, 2, machine.NewRand(3), defaultBytes)
		g := &game{columns: 2, first: 0, end: 4, side: []int{0, 0}}
		set := func(values, elements []float64) {
			for k, v := range elements {
				values[2*k], values[2*k+1] = v, 100-v
			}
		}
		set(p.values[0], []float64{80, 20, 20, 40}) // both play the first move with probability 1/4, for 35
		if c.other != nil {
			g.side[1] = 1
			set(p.values[1], c.other)
		}
		const draws = 20_000
		var counts [4]float64
		for range draws {
			counts[p.choose(g)]++
		}
		for lane, n := range counts {
			if math.Abs(n/draws-c.want[lane]) > 0.015 {
				t.Errorf("%s: joint move %d has a share of %v, want %v", c.name, lane, n/draws, c.want[lane])
			}
		}
		if c.other == nil && (math.Abs(p.expected[0]-35) > 1e-9 || math.Abs(p.expected[1]-65) > 1e-9) {
			t.Errorf("%s: %v expected, want 35 and 65", c.name, p.expected)
		}
	}
}

func TestOnlyTwoPlayersWithoutChanceHaveMatrices(t *testing.T) {
	two, one, none := []machine.Move{0, 1}, []machine.Move{0}, []machine.Move(nil)
	for _, c := range []struct {
		game  string
		moves [][]machine.Move
		want  bool
	}{
		{"goofspiel-4", [][]machine.Move{two, two}, true},
		{"goofspiel-4", [][]machine.Move{two, one}, false},
		{"goofspiel-4", [][]machine.Move{none, none}, false},
		{"pig", [][]machine.Move{two, two, one}, true},
		{"pig", [][]machine.Move{two, two, two}, false},
		{"trio-3x3", [][]machine.Move{two, two, two}, false},
		{"trio-3x3", [][]machine.Move{two, two, one}, false},
	} {
		p := newGames(gamestest.Machine(t, c.game), 1, machine.NewRand(1), defaultBytes)
		if got := p.atOnce(c.moves); got != c.want {
			t.Errorf("%s: moves %v are chosen at once: %v", c.game, c.moves, got)
		}
	}
}
