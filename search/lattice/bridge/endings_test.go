package bridge

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"stackmate/internal/must"
)

func newRand(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 14)) }

// setting returns a number from the environment.
func setting(t testing.TB, name string, value int) int {
	if text := os.Getenv(name); text != "" {
		return must.Get(strconv.Atoi(text))(t)
	}
	return value
}

// ending is a deal with all hands open.
type ending struct {
	hands  [4]Cards
	trump  Suit
	leader Seat
	trick  []Card
	left   int
}

// randomEnding deals the given tricks at random and plays cards of the first.
func randomEnding(rng *rand.Rand, tricks, played int) ending {
	e := ending{trump: Suit(rng.IntN(5)), leader: Seat(rng.IntN(4)), left: tricks}
	for i, c := range rng.Perm(52)[:4*tricks] {
		e.hands[i%4] |= 1 << c
	}
	for i := range played {
		seat := (e.leader + Seat(i)) & 3
		hand := e.hands[seat]
		if i > 0 {
			if f := hand & e.trick[0].Suit().mask(); f != 0 {
				hand = f
			}
		}
		for range rng.IntN(hand.Len()) {
			hand &= hand - 1
		}
		e.hands[seat] &^= hand.top().bit()
		e.trick = append(e.trick, hand.top())
	}
	return e
}

// tricksOf returns the most tricks that the declarer takes with all hands open.
func tricksOf(d *doubleDummy, e ending) int {
	n := 0
	for ; n < e.left; n++ {
		d.hands, d.played = e.hands, copy(d.trick[:], e.trick)
		if won, _ := d.wins(e.leader, n+1); !won {
			break
		}
	}
	return n
}

// deal returns the ending as seen by North and South.
func (e ending) deal() *Deal {
	d := &Deal{
		Hands: e.hands, Actual: true, Hidden: e.hands[East] | e.hands[West],
		Trump: e.trump, Declarer: South, Leader: e.leader, Trick: e.trick,
	}
	for i, c := range e.trick {
		if seat := (e.leader + Seat(i)) & 3; d.isDefender(seat) && c.Suit() != e.trick[0].Suit() {
			d.Void[seat] |= e.trick[0].Suit().mask()
		}
	}
	return d
}
