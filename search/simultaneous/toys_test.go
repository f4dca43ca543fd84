package simultaneous

import (
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// goofspiel is the card game of the paper: both players hold the cards 1..N, the prizes are turned up in a given order, the higher card wins the
// prize, and a tie discards it. Unless the goals are points, the game ends as soon as the lead exceeds the remaining prizes. A state is one word:
// 16 bits for each hand and for the lead.
type goofspiel struct {
	prizes []int
	points bool // goals by points instead of win, tie, loss
	rest   []int
	low    bool // moves are listed from the lowest card up
}

const leadOffset = 1 << 12

func newGoofspiel(prizes []int, points bool) machine.Machine {
	return (&goofspiel{prizes: prizes, points: points}).machine()
}

func lowCardsFirst(prizes []int) machine.Machine {
	return (&goofspiel{prizes: prizes, low: true}).machine()
}

func (g *goofspiel) machine() machine.Machine {
	prizes, n := g.prizes, len(g.prizes)
	g.rest = make([]int, n+1)
	for i := n - 1; i >= 0; i-- {
		g.rest[i] = g.rest[i+1] + prizes[i]
	}
	cards := make([]string, n)
	for i := range cards {
		cards[i] = fmt.Sprint(n - i)
	}
	names := &machine.Names{Roles: []string{"left", "right"}, Moves: [][]string{cards, cards}}
	hand := uint64(1)<<n - 1
	initial := machine.State{hand | hand<<16 | leadOffset<<32}
	return newToy(names, initial, func() scalar.Stepper { return &goofspielStepper{goofspiel: g} })
}

// descending returns the prize order of the paper.
func descending(n int) []int {
	prizes := make([]int, n)
	for i := range prizes {
		prizes[i] = n - i
	}
	return prizes
}

type goofspielStepper struct {
	*goofspiel
	hands [2]uint16
	lead  int
	round int
}

func (g *goofspielStepper) SetState(s machine.State) {
	g.hands = [2]uint16{uint16(s[0]), uint16(s[0] >> 16)}
	g.lead = int(s[0]>>32) - leadOffset
	g.round = len(g.prizes)
	for h := g.hands[0]; h != 0; h &= h - 1 {
		g.round--
	}
}

func (g *goofspielStepper) Terminal() bool {
	return !g.points && max(g.lead, -g.lead) > g.rest[g.round] || g.round == len(g.prizes)
}

func (g *goofspielStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for m := range g.prizes {
		if g.hands[r]>>m&1 != 0 {
			dst = append(dst, machine.Move(m))
		}
	}
	return dst
}

func (g *goofspielStepper) Goal(r machine.Role) int32 {
	lead := g.lead
	if r == 1 {
		lead = -lead
	}
	switch {
	case g.points:
		return int32(50 + lead)
	case lead > 0:
		return 100
	case lead < 0:
		return 0
	}
	return 50
}

func (g *goofspielStepper) Next(dst machine.State, joint []machine.Move) {
	lead := g.lead
	switch {
	case joint[0] == joint[1]:
	case joint[0] < joint[1] != g.low: // move 0 is the highest card, or the lowest
		lead += g.prizes[g.round]
	default:
		lead -= g.prizes[g.round]
	}
	left, right := g.hands[0]&^(1<<joint[0]), g.hands[1]&^(1<<joint[1])
	dst[0] = uint64(left) | uint64(right)<<16 | uint64(lead+leadOffset)<<32
}

func newToy(names *machine.Names, initial machine.State, stepper func() scalar.Stepper) machine.Machine {
	return scalar.New(names, initial, machine.Info{Engine: "toy"}, stepper)
}
