package evaluate

import (
	"context"
	"math/bits"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search/evaluate/vector"
)

// mirror maps the positions in which the second player is to move to their images under an exchange of the players. So
// the network sees all positions from the view of the player to move: it learns half as many of them. The two fluents of
// the turn are their own images. They tell the parity of the moves, which matters in connect four.
type mirror struct {
	exchange *facts.Symmetry
	turn     int     // the fluent that is true if the second player is to move
	images   []int32 // by input
}

// newMirror returns the mirror of a game; nil if no exchange of the players or no fluent for the turn is known.
func newMirror(m machine.Machine, v *view) *mirror {
	y := facts.Exchange(m)
	if y == nil {
		return nil
	}
	turn := turnOf(m)
	if turn < 0 {
		return nil
	}
	images := v.images(y)
	images[turn], images[y.Fluents[turn]] = int32(turn), y.Fluents[turn]
	return &mirror{y, turn, images}
}

// turnGames is the number of random games that show which fluent marks the turn.
const turnGames = 8

// turnOf returns a fluent that is true if only the second player has a choice, and false if only the first player has one;
// -1 if there is none or both players choose at once.
func turnOf(m machine.Machine) int {
	marks := make(map[int]bool, len(m.Names().Fluents))
	for f := range m.Names().Fluents {
		marks[f] = true
	}
	b, rng, players := m.NewNarrowBatch(), machine.NewRand(1), m.Names().Players()
	for range turnGames {
		play.RandomGame(context.Background(), b, rng, m.Initial(), func(s machine.State, over bool) bool {
			var chooses [2]bool
			for i, r := range players {
				chooses[i] = !over && len(b.AppendLegal(nil, 0, r)) > 1
			}
			for f := range marks {
				if chooses[0] && s.Has(f) || chooses[1] && !s.Has(f) {
					delete(marks, f)
				}
			}
			return len(marks) > 0
		})
	}
	for f := range m.Names().Fluents {
		if marks[f] {
			return f
		}
	}
	return -1
}

// turns reports whether the network sees the image of a position.
func (m *mirror) turns(position []uint64) bool {
	return m != nil && machine.State(position).Has(m.turn)
}

// see writes the inputs that the network sees to dst, and reports whether they are the image of the inputs of a position.
func (m *mirror) see(dst, inputs []uint64) bool {
	if !m.turns(inputs) {
		copy(dst, inputs)
		return false
	}
	clear(dst)
	for i, w := range inputs {
		for ; w != 0; w &= w - 1 {
			if to := m.images[i<<6+bits.TrailingZeros64(w)]; to >= 0 {
				machine.State(dst).Set(int(to))
			}
		}
	}
	return true
}

// rows returns, by input of a position that the mirror turns, the row of its image.
func (m *mirror) rows(rows []vector.Shorts) []vector.Shorts {
	turned := make([]vector.Shorts, len(m.images))
	for i, to := range m.images {
		if to >= 0 {
			turned[i] = rows[to]
		}
	}
	return turned
}
