package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
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

func TestWeightsInFixedPointAddUpToThoseOfTheNetwork(t *testing.T) {
	rng := machine.NewRand(3)
	for _, game := range []string{"ticTacToe", "connectFour", "trio-3x3"} {
		m := gamestest.Machine(t, game)
		players := m.Names().Players()
		outputs := len(players)
		if outputs == 2 {
			outputs = 1
		}
		n := newNetwork(len(m.Initial()), len(m.Names().Fluents), outputs, rng)
		for i := range n.in {
			for u := range width {
				n.in[i][u] = float32(4*rng.Float64() - 2)
			}
		}
		e := &Evaluation{players: players, roles: len(m.Names().Roles), sum: 100, view: newView(m, nil), network: n}
		e.quantise(20)
		states := randomStates(m, rng, 200)
		got := make([]float64, 200*e.roles)
		e.Values(got, states)
		want, values := make([]float64, e.roles), make([]float32, outputs)
		var units vector.Floats
		var inputs vector.Inputs
		seen := make(machine.State, len(m.Initial()))
		for i := range 200 {
			turned := e.view.mirror.see(seen, states[i*len(seen):(i+1)*len(seen)])
			inputs.SetBits(seen)
			n.forward(&units, values, &inputs)
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
	n := newNetwork(2, 70, 2, rng)
	var inputs vector.Inputs
	inputs.SetBits(machine.State{0x8000_0000_0001_0100, 0x21})
	targets := []float32{0.9, 0.2}
	var units vector.Floats
	loss := func() float64 {
		values := make([]float32, 2)
		n.forward(&units, values, &inputs)
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
	check("bias", n.in[128:], tr.gradient.in[128:], width)
	check("weight of a fluent that is true", n.in[8:9], tr.gradient.in[8:9], width)
	check("any weight", n.in, tr.gradient.in, width)
	check("output", n.out, tr.gradient.out, n.linear())
	for o, row := range tr.gradient.out {
		if !slices.Equal(row[n.linear():], make([]float32, n.outputs)) {
			t.Errorf("output %d: gradient %v of units that are not rectified", o, row[n.linear():])
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
		if p := l.Progress(); p.Games < 3001 || p.Correlation < 0.15 || p.Length < 5 {
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
		a, b, c := trained(t, game, 1, 1500), trained(t, game, 1, 1500), trained(t, game, 2, 1500)
		values := func(l *Learner) string {
			v := make([]float64, 2)
			l.Evaluation().Values(v, l.games.machine.Initial())
			return fmt.Sprint(v)
		}
		if values(a) != values(b) || values(a) == values(c) {
			t.Errorf("%s: the same seed gives %s and %s, another one %s", game, values(a), values(b), values(c))
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

func BenchmarkValues(b *testing.B) {
	m := gamestest.Machine(b, "breakthrough")
	l := learner(b, m, Config{ConstantSum: true})
	l.Learn(b.Context(), 20)
	const n = 512
	states, values := make([]uint64, n*len(m.Initial())), make([]float64, 2*n)
	for i := range n {
		copy(states[i*len(m.Initial()):], m.Initial())
	}
	e := l.Evaluation()
	b.ResetTimer()
	for range b.N {
		e.Values(values, states)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/position")
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
