package montecarlo

import (
	"math"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

func TestPriorsAreEstimatesOfWhatMovesLeadTo(t *testing.T) {
	asked := 0
	m := newSubtraction([]string{"left", "right"}, 9)
	p := newPriors(m, &Config{Evaluator: oracle{&asked}})
	opened := func(takes []machine.Move) leaf {
		return leaf{state: m.Initial(), moves: [][]machine.Move{takes, {0}}, opens: true}
	}
	leaves := []leaf{opened([]machine.Move{1, 2, 3}), opened([]machine.Move{1}), opened([]machine.Move{2, 1}), opened([]machine.Move{1, 2})}
	leaves[3].opens, leaves[3].priors = false, []float32{50}
	p.evaluate(leaves)
	for i, want := range [][]float32{{100, 0, 0}, nil, {0, 100}, nil} { // leaving eight wins; of one move nothing is to be chosen
		if got := leaves[i].priors; !slices.Equal(got, want) {
			t.Errorf("%v are said to bring %v, want %v", leaves[i].moves[0], got, want)
		}
	}
	many, of := []leaf{opened(make([]machine.Move, priorMoves+1)), opened([]machine.Move{1, 2})}, *p
	if p.evaluate(many[:1]); len(many[0].priors) != 0 {
		t.Errorf("each of %d moves has a prior", priorMoves+1)
	}
	of.random = 0
	if of.evaluate(many[1:]); len(many[1].priors) != 0 {
		t.Error("moves of chance have priors")
	}
	if newPriors(m, &Config{}) != nil || newPriors(m, &Config{Evaluator: oracle{&asked}, Without: Priors}) != nil {
		t.Error("there are priors without an evaluator, or without priors")
	}
}

func TestOfSeveralWhoChooseNoneHasPriors(t *testing.T) {
	m := gamestest.Machine(t, "rockPaperScissors")
	p := newPriors(m, &Config{Evaluator: liar{}})
	leaves := walked(t, m, 1)
	p.evaluate(leaves)
	if l := &leaves[0]; len(l.priors) != 0 {
		t.Errorf("%d and %d moves are said to bring %v", len(l.moves[0]), len(l.moves[1]), l.priors)
	}
}

// priorsOf is the slow form of priors.evaluate: it expands one position.
func priorsOf(t *testing.T, m machine.Machine, v Evaluator, q machine.State, chooser int) (priors []float32) {
	var e play.Expansion
	if err := play.NewExpander(m).Expand(&e, q); err != nil {
		t.Fatal(err)
	}
	roles := len(m.Names().Roles)
	values := make([]float64, e.Children*roles)
	v.Values(values, e.States)
	for c := range e.Children {
		value := values[c*roles+chooser]
		if e.Terminal[c] {
			value = float64(search.Points(e.ChildGoals(c)[chooser]))
		}
		priors = append(priors, float32(value))
	}
	return priors
}

// walked returns leaves to be opened: the positions of a random walk that begins anew at the end of the game.
func walked(t *testing.T, m machine.Machine, positions int) []leaf {
	b, rng, leaves := m.NewNarrowBatch(), machine.NewRand(3), newLeaves(positions, m)
	b.Load(m.Initial(), 1)
	for i := range leaves {
		l := &leaves[i]
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			b.Load(m.Initial(), 1)
			b.Evaluate(1)
		}
		b.Store(l.state, 1)
		l.opens = true
		for r := range l.moves {
			l.moves[r] = b.AppendLegal(nil, 0, machine.Role(r))
		}
		b.ChooseRandom(rng, 1)
		b.Advance(1)
	}
	return leaves
}

// lossy is a machine that does not know the goals of any position.
type lossy struct{ machine.Machine }

type lossyBatch struct{ machine.Batch }

func (m lossy) NewNarrowBatch() machine.Batch { return lossyBatch{m.Machine.NewNarrowBatch()} }
func (lossyBatch) Lost() []uint64             { return []uint64{^uint64(0)} }

func TestPriorsAreGoalsAtTheEndOfTheGameIfTheMachineKnowsThem(t *testing.T) {
	known := newSubtraction([]string{"left", "right"}, 3) // taking three wins
	for m, want := range map[machine.Machine]float32{known: 100, lossy{known}: 0} {
		leaves := walked(t, known, 1)
		newPriors(m, &Config{Evaluator: liar{}}).evaluate(leaves)
		if got := leaves[0].priors; !slices.Equal(got, []float32{0, 0, want}) {
			t.Errorf("%T: priors %v, want 0, 0, %v", m, got, want)
		}
	}
}

// Leaves share passes, and the moves of a leaf go on in the next pass.
func TestPriorsOfManyLeavesAreThoseOfEach(t *testing.T) {
	for _, game := range []string{"connectFour-5x4", "breakthrough-4x5", "ticTacToe"} {
		m := gamestest.Machine(t, game)
		leaves := walked(t, m, 100)
		p, known := newPriors(m, &Config{Evaluator: scattered{}}), 0
		p.evaluate(leaves)
		for i := range leaves {
			l, want := &leaves[i], []float32(nil)
			if chooser := int(onlyChooser(l.moves)); chooser >= 0 {
				want = priorsOf(t, m, scattered{}, l.state, chooser)
			}
			if !slices.Equal(l.priors, want) {
				t.Fatalf("%s: leaf %d has priors %v, want %v", game, i, l.priors, want)
			}
			known += len(want)
		}
		if lanes := p.batch.Lanes(); known <= lanes {
			t.Errorf("%s: %d successors fit into one pass of %d lanes", game, known, lanes)
		}
	}
}

func TestWhatIsEstimatedToBeBadIsTriedLess(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 101)
	bad := func(without Technique) int64 {
		asked := 0
		s := New(Config{Evaluator: oracle{&asked}, Without: Bounds | without})
		r, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 400, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.Moves[0][1].Visits + r.Moves[0][2].Visits
	}
	if with, without := bad(0), bad(Priors); 2*with > without {
		t.Errorf("%d visits of moves that are estimated to lose, %d where they begin with nothing", with, without)
	}
}

func TestThePolicyIsTheSoftmaxOfThePriors(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 9)
	s := New(Config{Evaluator: liar{}})
	if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 1}); err != nil {
		t.Fatal(err)
	}
	tree := s.workers[0].tree
	n := tree.root
	tree.setPriors(n, []float32{50, 50 + policyTemperature, 0})
	stats := tree.choices(tree.at(n))
	sum := float64(1 + math.E + math.Exp(-50/float64(policyTemperature)))
	for i, share := range []float64{1 / sum, math.E / sum, math.Exp(-50/float64(policyTemperature)) / sum} {
		want := policyFloor/3 + (1-policyFloor)*share
		if got := float64(*stats[i].probability()); math.Abs(got-want) > 1e-6 {
			t.Errorf("move %d is made with probability %v, want %v", i, got, want)
		}
	}
	// Visits of moves that all bring the same are in proportion to it.
	b, picked := s.workers[0].soleBandit(none, n, stats), make([]int32, 1)
	for range 10_000 {
		b.pick(picked, stats, 100)
		for i := range stats {
			stats[i].sum, *stats[i].prior() = 50*float64(stats[i].visits), 50
		}
	}
	for i := range stats {
		if share := float64(stats[i].visits) / 10_000; math.Abs(share-float64(*stats[i].probability())) > 0.01 {
			t.Errorf("move %d gets %v of the visits, want %v", i, share, *stats[i].probability())
		}
	}
}

// scattered estimates positions by a hash: the values of neighbours have nothing in common.
type scattered struct{}

func (scattered) Values(dst []float64, states []uint64) {
	for i := range dst {
		dst[i] = float64(states[i/2]*0x9e3779b97f4a7c15>>40%101)*float64(1-2*(i&1)) + float64(100*(i&1))
	}
}

// minimaxOf is the slow form of worker.minimax: it searches the opened nodes below k.
func minimaxOf(w *worker, k int32, r int) float64 {
	t := w.tree
	a := t.at(k)
	if a.solved {
		return t.value(k, r)
	}
	best := math.Inf(-1)
	for cell, s := range t.choices(a) {
		v := float64(*s.prior())
		if kid := t.kid(k, int64(cell)); kid != none && (t.at(kid).solved || t.at(kid).moves != none && t.at(kid).chooser >= 0) {
			v = minimaxOf(w, kid, int(a.chooser))
		}
		best = max(best, s.clamp(v))
	}
	if int(a.chooser) != r {
		return float64(w.sum) - best
	}
	return best
}

func TestPriorsAreBackedUpByMinimax(t *testing.T) {
	m := newSubtraction([]string{"left", "right"}, 60)
	differ := false
	for _, without := range []Technique{Bounds | Transpositions, Bounds | Transpositions | Minimax} {
		s := New(Config{Evaluator: scattered{}, Alone: true, Without: without})
		if _, err := s.Search(t.Context(), m, m.Initial(), search.Limits{MaxNodes: 2000, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		w := s.workers[0]
		for cell, move := range w.tree.choices(w.tree.at(w.tree.root)) {
			got, want := float64(*move.prior()), minimaxOf(w, w.tree.kid(w.tree.root, int64(cell)), 0)
			if without&Minimax == 0 && got != want {
				t.Errorf("move %d has prior %v, want the minimax value %v", cell, got, want)
			}
			differ = differ || without&Minimax != 0 && got != want
		}
	}
	if !differ {
		t.Error("without Minimax the priors are the same: the test shows nothing")
	}
}

func TestThePriorKeepsItsShareOfTheValue(t *testing.T) {
	s := stat{sum: 1000 * 40, visits: 1000, guide: guide{80, 1}}
	for _, c := range []struct {
		config Config
		want   float64
	}{
		{Config{Evaluator: scattered{}, Alone: true}, 0.7*40 + 0.3*80},
		{Config{Evaluator: scattered{}}, 0.85*40 + 0.15*80},
		{Config{Evaluator: scattered{}, Playouts: 24}, 0.925*40 + 0.075*80},
		{Config{Evaluator: scattered{}, Alone: true, Without: Minimax}, (priorVisits*80. + 40_000) / (priorVisits + 1000)},
	} {
		if got := New(c.config).config.priorValue(&s); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c.config, got, c.want)
		}
	}
	s = stat{guide: guide{80, 1}}
	if got := New(Config{}).config.priorValue(&s); got != 80 {
		t.Errorf("a move without visits is worth %v, want its prior", got)
	}
}

func TestWhatIsProvedOfAMoveCountsMoreThanItsPriorAndMean(t *testing.T) {
	b, picked := bandit{w: &worker{}, least: 50, policy: true}, make([]int32, 1)
	stats := []stat{
		{guide: guide{100, 0.8}, lower: 0, upper: 50},  // cannot give more than the guarantee
		{guide: guide{90, 0.1}, lower: 0, upper: 60},   // at most 60
		{guide: guide{10, 0.1}, lower: 80, upper: 100}, // at least 80
	}
	if b.pick(picked, stats, 0); picked[0] != 2 {
		t.Errorf("move %d is tried, want the one that is proved to be best", picked[0])
	}
	if b.pick(picked, stats[:1], 0); picked[0] != 0 {
		t.Errorf("move %d is tried, want the only one", picked[0])
	}
}
