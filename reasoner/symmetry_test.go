package reasoner_test

import (
	"cmp"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

func TestSymmetriesOfKnownGames(t *testing.T) {
	for name, want := range map[string]struct{ all, exchanges int }{
		"ticTacToe":          {7, 0}, // symmetries of the board; the role to move distinguishes the players
		"connectFour-5x4":    {1, 0}, // left and right
		"goofspiel-4":        {1, 1}, // the players, with the sign of the lead
		"oshiZumo-8-2":       {1, 1},
		"biddingTicTacToe-2": {15, 8},
		"rockPaperScissors":  {1, 1}, // rotations rename moves alone
		"slidingPuzzle-3x2":  {0, 0}, // the goal is one arrangement
	} {
		t.Run(name, func(t *testing.T) {
			m := gamestest.Machine(t, name)
			exchanges := 0
			for _, y := range facts.Symmetries(m) {
				if y.Roles[0] != 0 {
					exchanges++
				}
			}
			if all := len(facts.Symmetries(m)); all != want.all || exchanges != want.exchanges {
				t.Errorf("%d symmetries, %d of them exchange the players; want %+v", all, exchanges, want)
			}
			checkSymmetries(t, m, facts.Symmetries(m))
		})
	}
}

// In games of turns, too, the players can be exchanged. A machine with decisive moves knows the exchange of its rules.
func TestExchangesOfKnownGames(t *testing.T) {
	for name, want := range map[string]bool{
		"ticTacToe":         true,
		"connectFour-5x4":   true,
		"breakthrough-4x5":  true,
		"reversi-4x4":       true,
		"goofspiel-4":       true,
		"rockPaperScissors": true,
		"hex-4x4":           false, // connections are loops, which differ between spellings of the rules
		"slidingPuzzle-3x2": false, // one role
		"trio-3x3":          false, // three roles
		"pursuit-3x3-4":     false, // different roles
	} {
		t.Run(name, func(t *testing.T) {
			m := gamestest.Machine(t, name)
			for _, m := range []machine.Machine{m, cmp.Or(facts.Decisive(t.Context(), m, false), m)} {
				found := exchangeOf(m)
				if (len(found) > 0) != want {
					t.Fatalf("%d exchanges, want one: %t", len(found), want)
				}
				checkSymmetries(t, m, found)
			}
		})
	}
}

// exchangeOf returns the exchange of the players of a machine as a list of at most one symmetry.
func exchangeOf(m machine.Machine) []facts.Symmetry {
	if y := facts.Exchange(m); y != nil {
		return []facts.Symmetry{*y}
	}
	return nil
}

// checkSymmetries plays a random game and compares every position on the way with
// its images under some of the symmetries.
func checkSymmetries(t *testing.T, m machine.Machine, symmetries []facts.Symmetry) {
	t.Helper()
	const longest, most = 60, 6
	if len(symmetries) > most {
		symmetries = symmetries[len(symmetries)-most:]
	}
	if len(symmetries) == 0 {
		return
	}
	b, rng := m.NewNarrowBatch(), machine.NewRand(1)
	q := slices.Clone(m.Initial())
	for range longest {
		b.Load(q, 1)
		b.Evaluate(1)
		if (b.Terminal()[0]|b.Stuck()[0])&1 != 0 {
			break
		}
		joint := make([]machine.Move, len(m.Names().Roles))
		for r := range joint {
			legal := b.AppendLegal(nil, 0, machine.Role(r))
			joint[r] = legal[rng.Intn(len(legal))]
		}
		next := step(b, q, joint)
		for _, y := range symmetries {
			checkImage(t, m, b, y, q, next, joint)
		}
		q = next
	}
}

// step returns the position after a joint move.
func step(b machine.Batch, q machine.State, joint []machine.Move) machine.State {
	b.Load(q, 1)
	b.Evaluate(1)
	for r, move := range joint {
		b.Choose(0, machine.Role(r), move)
	}
	b.Advance(1)
	next := make(machine.State, len(q))
	b.Store(next, 1)
	return next
}

// checkImage checks that y maps the machine's answers about q, from which joint leads to next, to its answers
// about the image of q.
func checkImage(t *testing.T, m machine.Machine, b machine.Batch, y facts.Symmetry, q, next machine.State, joint []machine.Move) {
	t.Helper()
	image, nextImage := make(machine.State, len(q)), make(machine.State, len(q))
	y.Image(image, q)
	y.Image(nextImage, next)
	jointImage := make([]machine.Move, len(joint))
	for r, move := range joint {
		jointImage[y.Roles[r]] = y.Moves[r][move]
	}
	if got := step(b, image, jointImage); !got.Equal(nextImage) {
		t.Fatalf("%s leads from the image of %v to %v, not to the image of the successor",
			m.Names().JointString(jointImage), m.Names().AppendFluents(nil, q), m.Names().AppendFluents(nil, got))
	}
	b.Load(slices.Concat(q, image), 2)
	b.Evaluate(2)
	if over := b.Terminal()[0]; over&1 != over>>1&1 {
		t.Fatalf("%v is terminal and its image is not, or the reverse", m.Names().AppendFluents(nil, q))
	}
	goals, goalsImage := make([]int32, len(joint)), make([]int32, len(joint))
	b.Goals(goals, 0)
	b.Goals(goalsImage, 1)
	for r := range joint {
		legal := b.AppendLegal(nil, 0, machine.Role(r))
		for i, move := range legal {
			legal[i] = y.Moves[r][move]
		}
		slices.Sort(legal)
		if got := b.AppendLegal(nil, 1, y.Roles[r]); !slices.Equal(got, legal) || goalsImage[y.Roles[r]] != goals[r] {
			t.Fatalf("%s has moves or goals in %v that its image has not", m.Names().Roles[r], m.Names().AppendFluents(nil, q))
		}
	}
}
