package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/cputime"
	"stackmate/internal/exhaustive"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search/evaluate/vector"
)

// learner returns an untrained learner.
func learner(t testing.TB, m machine.Machine, c Config) *Learner {
	t.Helper()
	l, err := New(m, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// trained returns a learner of a built-in game after the given number of games.
func trained(t testing.TB, game string, seed uint64, games int64) *Learner {
	t.Helper()
	l := learner(t, gamestest.Machine(t, game), Config{Seed: seed, ConstantSum: true})
	l.Learn(t.Context(), games)
	return l
}

// randomStates returns n consecutive positions: of random fluents, or a sibling of the position before
// it, which differs in two fluents.
func randomStates(m machine.Machine, rng *machine.Rand, n int) []uint64 {
	states := make([]uint64, n*len(m.Initial()))
	for i := range n {
		s := machine.State(states[i*len(m.Initial()) : (i+1)*len(m.Initial())])
		if i > 0 && rng.Intn(3) > 0 {
			copy(s, states[(i-1)*len(m.Initial()):])
			for range 2 {
				f := rng.Intn(len(m.Names().Fluents))
				s[f>>6] ^= 1 << uint(f&63)
			}
			continue
		}
		for range rng.Intn(20) {
			s.Set(rng.Intn(len(m.Names().Fluents)))
		}
	}
	return states
}

func TestAScoreOfFewGamesIsNotSure(t *testing.T) {
	const all = machine.MaxGoal
	for games, sure := range map[int]bool{1: false, 2: false, 3: false, 10: true} {
		n := float64(games)
		for _, side := range []float64{1, -1} {
			s := ScoreOf(games, side*n*all, n*all*all)
			if s.Points != side*all || math.Abs(s.Centre()) > s.Error != sure || s.Centre()*side <= 0 {
				t.Errorf("%d games: %.1f ± %.1f points around %.1f, want sure %t", games, s.Points, s.Error, s.Centre(), sure)
			}
		}
	}
	if c := ScoreOf(0, 0, 0).Centre(); c != 0 {
		t.Errorf("no games: %v", c)
	}
}

func TestWeightsInFixedPointAddUpToThoseOfTheNetwork(t *testing.T) {
	rng := machine.NewRand(3)
	for _, game := range []string{"ticTacToe", "connectFour", "trio-3x3"} {
		m := gamestest.Machine(t, game)
		players := m.Names().Players()
		outputs := len(players)
		if outputs == 2 {
			outputs = 1
		}
		n := grown(len(m.Initial()), len(m.Names().Fluents), outputs, rng)
		for i, b := range n.blocks { // of another reach each
			size := float32(int(1) << (3 * i))
			randomize(b.in, width, 2*size, rng)
			randomize(b.out, n.rectified(i), 0.3/(size*size), rng)
		}
		e := &Evaluation{players: players, roles: len(m.Names().Roles), sum: 100, view: newView(m, nil), network: n}
		e.quantise(20)
		states := randomStates(m, rng, 200)
		got := make([]float64, 200*e.roles)
		e.Values(got, states)
		want, values := make([]float64, e.roles), make([]float32, outputs)
		units := make([]vector.Floats, len(n.blocks))
		var inputs vector.Inputs
		seen := make(machine.State, len(m.Initial()))
		for i := range 200 {
			turned := e.view.mirror.see(seen, states[i*len(seen):(i+1)*len(seen)])
			inputs.SetBits(seen)
			n.forward(units, values, &inputs)
			if e.byRole(want, values); turned {
				slices.Reverse(want)
			}
			for r := range want {
				if math.Abs(got[i*e.roles+r]-want[r]) > 1 {
					t.Fatalf("%s: position %d is worth %v to role %d, the network says %v", game, i, got[i*e.roles+r], r, want[r])
				}
			}
		}
	}
}

func TestTheGradientIsThatOfCrossEntropy(t *testing.T) {
	rng := machine.NewRand(5)
	n := grown(2, 70, 2, rng)
	var inputs vector.Inputs
	inputs.SetBits(machine.State{0x8000_0000_0001_0100, 0x21})
	targets := []float32{0.9, 0.2}
	units := make([]vector.Floats, len(n.blocks))
	loss := func() float64 {
		values := make([]float32, 2)
		n.forward(units, values, &inputs)
		sum := 0.0
		for o, v := range values {
			p, y := float64(v), float64(targets[o])
			sum -= y*math.Log(p) + (1-y)*math.Log(1-p)
		}
		return sum
	}
	tr := newTrainer(n)
	tr.fit(&inputs, targets)
	check := func(what string, weights, gradient []vector.Floats, units int) {
		for range 60 {
			i, u := rng.Intn(len(weights)), rng.Intn(units)
			const h = 1e-2
			w := weights[i][u]
			weights[i][u] = w + h
			above := loss()
			weights[i][u] = w - h
			below := loss()
			weights[i][u] = w
			if slope := (above - below) / (2 * h); math.Abs(slope-float64(gradient[i][u])) > 2e-3 {
				t.Errorf("%s %d, %d: gradient %v, the loss has slope %v", what, i, u, gradient[i][u], slope)
			}
		}
	}
	for i, b := range n.blocks {
		gradient := tr.fits[i].gradient
		check("bias", b.in[128:], gradient.in[128:], width)
		check("weight of a fluent that is true", b.in[8:9], gradient.in[8:9], width)
		check("any weight", b.in, gradient.in, width)
		check("output", b.out, gradient.out, n.rectified(i))
		for o, row := range gradient.out {
			if linear := row[n.rectified(i):]; !slices.Equal(linear, make([]float32, len(linear))) {
				t.Errorf("output %d: gradient %v of units that are not rectified", o, linear)
			}
		}
	}
}

func TestLearningBeatsWhatItWasBefore(t *testing.T) {
	exhaustive.Only(t, "takes some seconds")
	for _, game := range []string{"breakthrough-5x6", "connectFour-5x4"} {
		l := trained(t, game, 1, 1)
		before := l.Evaluation()
		l.Learn(t.Context(), 3000)
		if s := Duel(t.Context(), l.games.machine, l.Evaluation(), before, 1000, 1); s.Points < 5*s.Error/2 || s.Games < 1000 {
			t.Errorf("%s: %.1f ± %.1f points in %d games after learning", game, s.Points, s.Error, s.Games)
		}
		if p := l.Progress(); p.Games < 3001 || p.Correlation < 0.15 {
			t.Errorf("%s: %+v", game, p)
		}
	}
}

func TestDuelsBetweenEqualsAreEven(t *testing.T) {
	e := trained(t, "ticTacToe", 1, 300)
	s := Duel(t.Context(), e.games.machine, e.Evaluation(), e.Evaluation(), 500, 2)
	if math.Abs(s.Points) > 2*s.Error || s.Error > 20 {
		t.Errorf("%.1f ± %.1f points", s.Points, s.Error)
	}
}

func TestLearningIsReproducible(t *testing.T) {
	for _, game := range []string{"ticTacToe", "goofspiel-5"} {
		learnt := func(seed uint64) string {
			l := trained(t, game, seed, 1000)
			l.progress.Positions = firstGrowth
			l.Learn(t.Context(), 500)
			v := make([]float64, 2)
			l.Evaluation().Values(v, l.games.machine.Initial())
			return fmt.Sprint(v)
		}
		if a, b, c := learnt(1), learnt(1), learnt(2); a != b || a == c {
			t.Errorf("%s: the same seed gives %s and %s, another one %s", game, a, b, c)
		}
	}
}

// A network gets block n+1 after n² times the positions of the second block, as long as its weights fit into the memory. Its
// values hardly change at that moment.
func TestNetworksGrowWithThePositions(t *testing.T) {
	l := trained(t, "ticTacToe", 1, 1000)
	bytes := l.Bytes()
	for _, c := range []struct {
		positions int64
		want      int
	}{{firstGrowth / 2, 1}, {firstGrowth, 2}, {4*firstGrowth - 1e5, 2}, {4 * firstGrowth, 3}, {8 * firstGrowth, 3}, {1e15, maxBlocks}} {
		l.progress.Positions = c.positions
		before := make([]float64, 2)
		l.Evaluation().Values(before, l.games.machine.Initial())
		l.Learn(t.Context(), 10)
		after := make([]float64, 2)
		l.Evaluation().Values(after, l.games.machine.Initial())
		if got := len(l.trainer.blocks); got != c.want || math.Abs(before[0]-after[0]) > 3 {
			t.Errorf("%d positions: %d blocks, want %d; the first one is worth %v, before %v", c.positions, got, c.want, after, before)
		}
	}
	rows := 0
	for _, b := range l.trainer.blocks {
		rows += len(b.in)
	}
	if reservoir := int64(8*len(l.pool) + 4*len(l.targets)); l.Bytes() != bytes || bytes < reservoir+1536*int64(rows) {
		t.Errorf("%d bytes, %d before, for a reservoir of %d and %d rows", l.Bytes(), bytes, reservoir, rows)
	}
	for words, want := range map[int]int{1: maxBlocks, 100: 5, 256: 1, 512: 1} {
		rng := machine.NewRand(1)
		n := newNetwork(words, 64*words, 1, rng)
		for n.grow(64*words, rng) {
		}
		if got := len(n.blocks); got != want || n.setWidth(width*(want+1)) || n.setWidth(0) || n.setWidth(width+1) || !n.setWidth(width*want) {
			t.Errorf("%d words: at most %d blocks, want %d, and no other widths", words, got, want)
		}
	}
}

func TestTheGoalsOfTwoAddUp(t *testing.T) {
	l := trained(t, "connectFour-4x4", 1, 200)
	states := randomStates(l.games.machine, machine.NewRand(1), 100)
	v := make([]float64, 200)
	l.Evaluation().Values(v, states)
	for i := 0; i < len(v); i += 2 {
		if v[i] < 0 || v[i] > 100 || math.Abs(v[i]+v[i+1]-100) > 1e-9 {
			t.Fatalf("%v and %v", v[i], v[i+1])
		}
	}
}

func TestSymmetricPositionsLearnTheSame(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	l := learner(t, m, Config{ConstantSum: true})
	l.current.sum = 100
	swapped := false
	for _, y := range facts.Symmetries(m) {
		got := l.imageOf(&y, []float32{0.7})[0]
		want := float32(0.7)
		if y.Roles[0] != 0 {
			want, swapped = 0.3, true
		}
		if math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("roles %v: the target 0.7 becomes %v", y.Roles, got)
		}
	}
	if !swapped && len(facts.Symmetries(m)) < 7 {
		t.Errorf("only %d symmetries", len(facts.Symmetries(m)))
	}
}

func TestGamesWithNothingToLearnAreRefused(t *testing.T) {
	many := &machine.Names{Roles: make([]string, maxOutputs+1), Moves: make([][]string, maxOutputs+1)}
	open := &machine.Names{Roles: []string{"r"}, Open: scalar.NewVocabulary(1, 1, 0)}
	for name, names := range map[string]*machine.Names{"players": many, "vocabulary": open} {
		m := scalar.New(names, make(machine.State, 1), machine.Info{}, nil)
		if _, err := New(m, Config{}); !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestLearningEndsWithItsContext(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	l := learner(t, m, Config{ConstantSum: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.Learn(ctx, 0)
	if s := Duel(ctx, m, l.Evaluation(), l.Evaluation(), 10, 1); s.Games != 0 {
		t.Errorf("%d games after the end", s.Games)
	}
}

func TestCorrelationIsThatOfPearson(t *testing.T) {
	var m moments
	for _, p := range [][2]float64{{1, 2}, {2, 4.1}, {3, 5.9}, {4, 8}} {
		m.add(p[0], p[1])
	}
	if c := m.correlation(); c < 0.99 || c > 1 {
		t.Errorf("a line correlates by %v", c)
	}
	if c := new(moments).correlation(); c != 0 {
		t.Errorf("nothing correlates by %v", c)
	}
}

// BenchmarkValues reports the processor time for a position among siblings by the number of units.
func BenchmarkValues(b *testing.B) {
	for _, game := range []string{"breakthrough", "checkers"} {
		m := gamestest.Machine(b, game)
		var states []uint64
		x, e := play.NewExpander(m), new(play.Expansion)
		for s := range slices.Chunk(toys.Positions(m, 3, 9), len(m.Initial())) {
			if err := x.Expand(e, s); err != nil {
				b.Fatal(err)
			}
			states = append(states, e.States...)
		}
		values := make([]float64, 2*len(states)/len(m.Initial()))
		for _, blocks := range []int{1, 2, 4, 8} {
			l := learner(b, m, Config{ConstantSum: true})
			for len(l.trainer.blocks) < blocks {
				l.trainer.grow(l.view.inputs(), l.games.rng)
			}
			e := l.Evaluation()
			b.Run(fmt.Sprintf("%s/%d", game, blocks*width), func(b *testing.B) {
				began := cputime.Now()
				for b.Loop() {
					e.Values(values, states)
				}
				b.ReportMetric(float64((cputime.Now()-began).Nanoseconds())/float64(b.N*len(values)/2), "ns/position")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func TestTheTargetOfAnImageIsTheOneOfTheExchangedPlayers(t *testing.T) {
	l := &Learner{current: Evaluation{players: []machine.Role{0, 1}, sum: 100}}
	same, exchanged := &facts.Symmetry{Roles: []machine.Role{0, 1}}, &facts.Symmetry{Roles: []machine.Role{1, 0}}
	for _, c := range []struct {
		symmetry     *facts.Symmetry
		target, want []float32
	}{
		{same, []float32{0.25}, []float32{0.25}},
		{exchanged, []float32{0.25}, []float32{0.75}},
		{exchanged, []float32{0.25, 0.5}, []float32{0.5, 0.25}},
	} {
		if got := l.imageOf(c.symmetry, c.target); !slices.Equal(got, c.want) {
			t.Errorf("roles %v: %v becomes %v, want %v", c.symmetry.Roles, c.target, got, c.want)
		}
	}
}

func TestScatteredPairsCorrelateLess(t *testing.T) {
	var m moments
	for _, p := range [][2]float64{{0, 0}, {1, 1}, {2, 0}, {3, 3}} {
		m.add(p[0], p[1])
	}
	if c, want := m.correlation(), 4/math.Sqrt(30); math.Abs(c-want) > 1e-3 {
		t.Errorf("correlation %v, want %v", c, want)
	}
}
