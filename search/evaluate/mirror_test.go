package evaluate

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

func TestTheTurnIsMarkedByAFluent(t *testing.T) {
	for name, want := range map[string]string{
		"ticTacToe":          "(control o)",
		"connectFour-4x4":    "(control yellow)",
		"reversi-4x4":        "(control white)", // each cell in the middle has a disc of either player, too
		"biddingTicTacToe-2": "",                // both choose at once
		"trio-3x3":           "",                // three players
	} {
		m := gamestest.Machine(t, name)
		got := ""
		if v := newView(m, nil); v.mirror != nil {
			got = m.Names().Fluents[v.mirror.turn]
		}
		if got != want {
			t.Errorf("%s: the turn of the second player is marked by %q, want %q", name, got, want)
		}
	}
}

// mirrored returns learners with mirrors: by threats, by moves, with symmetries that exchange the players, and in goals of
// any sum.
func mirrored(t *testing.T) map[string]*Learner {
	t.Helper()
	checkers := gamestest.Machine(t, "checkers")
	return map[string]*Learner{
		"threats":   seeing(t, 1000),
		"moves":     mobile(t),
		"exchanges": learner(t, checkers, Config{ConstantSum: true, Seed: 1}),
		"two goals": learner(t, checkers, Config{Seed: 1}),
	}
}

// A position is worth as much to a player as its image under the exchange of the players is worth to the other player, if both
// fluents of the turn have the same weights.
func TestEvaluationsExchangeThePlayers(t *testing.T) {
	for name, l := range mirrored(t) {
		m, mirror := l.games.machine, l.view.mirror
		l.trainer.setRow(mirror.turn, l.trainer.row(int(mirror.exchange.Fluents[mirror.turn])))
		l.refresh()
		states, image := toys.Positions(m, 5, 9), make(machine.State, len(m.Initial()))
		turned := 0
		for s := range slices.Chunk(states, len(image)) {
			mirror.exchange.Image(image, s)
			values := make([]float64, 4)
			l.current.Values(values, slices.Concat(s, image))
			if values[0] != values[3] || values[1] != values[2] {
				t.Fatalf("%s: a position and its image are worth %v", name, values)
			}
			if mirror.turns(s) {
				turned++
			}
		}
		if turned == 0 || turned == len(states)/len(image) {
			t.Errorf("%s: %d positions are turned: the test shows nothing", name, turned)
		}
	}
}

// seenOf returns the inputs of a position from the view of the player to move: signals, too, and the turn as it is.
func seenOf(l *Learner, s machine.State) (seen []uint64) {
	m := l.view.mirror
	at := slices.Clone(s)
	if m.turns(s) {
		m.exchange.Image(at, s)
	}
	l.view.withSignals(at, func(inputs []uint64) { seen = slices.Clone(inputs) })
	for _, f := range []int{m.turn, int(m.exchange.Fluents[m.turn])} {
		seen[f>>6] = seen[f>>6]&^(1<<uint(f&63)) | s[f>>6]&(1<<uint(f&63))
	}
	return seen
}

// Positions are learnt from the view of the player to move, with targets of this player.
func TestTheReservoirIsSeenByThePlayerToMove(t *testing.T) {
	for name, l := range mirrored(t) {
		l.current.sum = 100
		for s := range slices.Chunk(toys.Positions(l.games.machine, 2, 9), len(l.games.machine.Initial())) {
			target := []float32{0.75, 0.125}[:l.trainer.outputs]
			want := target
			if l.view.mirror.turns(s) {
				want = []float32{0.125, 0.75}
				if len(target) == 1 {
					want = []float32{0.25}
				}
			}
			l.pooled = 0
			l.view.withSignals(s, func(seen []uint64) { l.store(seen, nil, slices.Clone(target)) })
			if got := l.targets[:len(target)]; !slices.Equal(got, want) {
				t.Fatalf("%s: a target of %v becomes %v, want %v", name, target, got, want)
			}
			if got := l.pool[:l.wide]; !slices.Equal(got, seenOf(l, s)) {
				t.Fatalf("%s: a position is seen as %x, want %x", name, got, seenOf(l, s))
			}
		}
	}
}

// The view of the player to move and the symmetries commute where the first player is to move.
func TestImagesAreSeenByThePlayerToMove(t *testing.T) {
	for name, l := range mirrored(t) {
		image := make(machine.State, len(l.games.machine.Initial()))
		for s := range slices.Chunk(toys.Positions(l.games.machine, 2, 9), len(image)) {
			if l.view.mirror.turns(s) {
				continue // symmetries need not commute with the exchange
			}
			for k, images := range l.images {
				y := &facts.Symmetries(l.games.machine)[k]
				y.Image(image, s)
				got := make(machine.State, l.wide)
				for i, to := range images {
					if to >= 0 && machine.State(seenOf(l, s)).Has(i) {
						got.Set(int(to))
					}
				}
				if !slices.Equal(got, seenOf(l, image)) {
					t.Fatalf("%s: under symmetry %d a position is seen as %x, want %x", name, k, got, seenOf(l, image))
				}
			}
		}
	}
}

// With decisive moves, too, a learner knows the symmetries of its game.
func TestLearnersKnowTheSymmetriesOfTheRules(t *testing.T) {
	m := gamestest.Machine(t, "breakthrough-4x5")
	d := facts.Decisive(t.Context(), m, false)
	if d == nil {
		t.Fatal("no decisive moves")
	}
	l := learner(t, cmp.Or(d, m), Config{ConstantSum: true})
	if l.view.mirror == nil || len(l.images) != 1 {
		t.Errorf("mirror %v, %d symmetries, want left and right", l.view.mirror != nil, len(l.images))
	}
}

// A fit for one player changes the values of the other one, also where a symmetry exchanges them, as in checkers.
func TestAFitCountsForBothPlayers(t *testing.T) {
	for _, name := range []string{"connectFour-4x4", "checkers"} {
		l := learner(t, gamestest.Machine(t, name), Config{ConstantSum: true, Seed: 1})
		m := l.games.machine
		l.current.sum = 100
		image := make(machine.State, len(m.Initial()))
		l.view.mirror.exchange.Image(image, m.Initial())
		target := []float32{1} // the player that is not to move wins
		if l.view.mirror.turns(m.Initial()) {
			target[0] = 0
		}
		l.store(image, nil, target)
		for range 200 * batchSize {
			l.fit(0)
		}
		l.refresh()
		values := make([]float64, 2)
		l.current.Values(values, m.Initial())
		mover := 0
		if l.view.mirror.turns(m.Initial()) {
			mover = 1
		}
		if values[mover] > 30 || math.Abs(values[0]+values[1]-100) > 1e-9 {
			t.Errorf("%s: after losses of the player to move the first position is worth %v", name, values)
		}
	}
}
