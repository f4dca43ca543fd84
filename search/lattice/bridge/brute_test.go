package bridge

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"stackmate/internal/must"
)

// book is bridge by its rules and nothing else: every plan of the declarer, every card
// of the defenders, every layout, card by card. It shares no code with the search.
type book struct {
	trump   Suit
	layouts [][4]Cards // all four hands at the beginning
}

// moment is a moment of the play. Everybody sees the cards on the table and the cards gone.
type moment struct {
	gone   Cards
	leader int
	trick  []Card
	need   int
}

// newBook lists the layouts of an ending, one for each hand that West may have.
func newBook(e ending) book {
	d := e.deal()
	b := book{trump: e.trump}
	hidden := e.hands[East] | e.hands[West]
	for west := hidden; ; west = (west - 1) & hidden {
		east := hidden &^ west
		if west.Len() == e.hands[West].Len() && west&d.Void[West] == 0 && east&d.Void[East] == 0 {
			hands := e.hands
			hands[East], hands[West] = east, west
			b.layouts = append(b.layouts, hands)
		}
		if west == 0 {
			return b
		}
	}
}

// all returns the set of all layouts.
func (b book) all() uint64 { return 1<<len(b.layouts) - 1 }

// legal returns the cards that a seat may play in a layout.
func (b book) legal(m moment, layout, seat int) []Card {
	var follow, any []Card
	for c := range Card(52) {
		if b.layouts[layout][seat]&^m.gone>>c&1 == 0 {
			continue
		}
		any = append(any, c)
		if len(m.trick) > 0 && c/13 == m.trick[0]/13 {
			follow = append(follow, c)
		}
	}
	if follow != nil {
		return follow
	}
	return any
}

// after returns the moment after a card.
func (b book) after(m moment, c Card) moment {
	m.gone |= 1 << c
	m.trick = append(slices.Clone(m.trick), c)
	if len(m.trick) < 4 {
		return m
	}
	best := 0
	for i, c := range m.trick {
		w := m.trick[best]
		if c/13 == w/13 && c < w || c/13 != w/13 && Suit(c/13) == b.trump {
			best = i
		}
	}
	m.leader, m.trick = (m.leader+best)%4, nil
	if m.leader%2 == 0 {
		m.need--
	}
	return m
}

// plans lists, for every plan of the declarer from m on, the set of alive layouts in which it wins; other layouts count as won.
func (b book) plans(m moment, alive uint64) map[uint64]bool {
	all := b.all()
	if m.need <= 0 || alive == 0 {
		return map[uint64]bool{all: true}
	}
	first := bits.TrailingZeros64(alive)
	seat := (m.leader + len(m.trick)) % 4
	over := true
	for s := range 4 {
		over = over && b.layouts[first][s]&^m.gone == 0
	}
	if over {
		return map[uint64]bool{all &^ alive: true}
	}
	if seat%2 == 0 {
		sets := make(map[uint64]bool)
		for _, c := range b.legal(m, first, seat) {
			for s := range b.plans(b.after(m, c), alive) {
				sets[s] = true
			}
		}
		return sets
	}
	can := make(map[Card]uint64)
	for i := range b.layouts {
		if alive>>i&1 != 0 {
			for _, c := range b.legal(m, i, seat) {
				can[c] |= 1 << i
			}
		}
	}
	sets := map[uint64]bool{all: true}
	for c, alive := range can {
		both := make(map[uint64]bool)
		for s := range b.plans(b.after(m, c), alive) {
			for t := range sets {
				both[s&t] = true
			}
		}
		sets = both
	}
	return sets
}

// choose returns the set of layouts won by a declarer who takes, in each position by itself, the card with the highest value by a rule, the
// first of equals.
func (b book) choose(m moment, alive uint64, rule func(after moment, alive uint64) int) uint64 {
	all := b.all()
	if m.need <= 0 || alive == 0 {
		return all
	}
	if cards, ok := b.moves(m, alive); ok {
		best, most := m, -1
		for _, c := range cards {
			after := b.after(m, c)
			if n := rule(after, alive); n > most {
				best, most = after, n
			}
		}
		return b.choose(best, alive, rule)
	}
	can := make(map[Card]uint64)
	for i := range b.layouts {
		if alive>>i&1 != 0 {
			for _, c := range b.legal(m, i, (m.leader+len(m.trick))%4) {
				can[c] |= 1 << i
			}
		}
	}
	if len(can) == 0 {
		return all &^ alive
	}
	for c, alive := range can {
		all &= b.choose(b.after(m, c), alive, rule)
	}
	return all
}

// alone values a card by the layouts in which it wins, if such a declarer goes on: one
// plan for all layouts, but made position by position (vector minimaxing; Frank, Basin
// and Matsubara, 1998).
func (b book) alone(after moment, alive uint64) int {
	return bits.OnesCount64(b.choose(after, alive, b.alone) & alive)
}

// averaged values a card by the layouts that are won after it with all hands open.
func (b book) averaged(after moment, alive uint64) int {
	n := 0
	d := newDoubleDummy(b.trump, singles(), East)
	for i, hands := range b.layouts {
		if alive>>i&1 == 0 {
			continue
		}
		for s := range hands {
			d.hands[s] = hands[s] &^ after.gone
		}
		d.played = copy(d.trick[:], after.trick)
		if won, _ := d.wins(Seat(after.leader), after.need); after.need <= 0 || won {
			n++
		}
	}
	return n
}

// moves returns the moves of the declarer, if it is his turn and the game goes on.
func (b book) moves(m moment, alive uint64) ([]Card, bool) {
	seat := (m.leader + len(m.trick)) % 4
	if m.need <= 0 || alive == 0 || seat%2 != 0 {
		return nil, false
	}
	moves := b.legal(m, bits.TrailingZeros64(alive), seat)
	return moves, len(moves) > 0
}

func (e ending) moment(need int) moment {
	m := moment{leader: int(e.leader), trick: e.trick, need: need}
	for _, c := range e.trick {
		m.gone |= 1 << c
	}
	return m
}

// most returns the size of the largest set.
func most(sets map[uint64]bool) int {
	n := 0
	for s := range sets {
		n = max(n, bits.OnesCount64(s))
	}
	return n
}

// TestPlansAreThoseOfBruteForce compares 1 000 endings of up to 8 cards, some with
// cards on the table, with all layouts and with some of them.
func TestPlansAreThoseOfBruteForce(t *testing.T) {
	made := 0
	for i := range 1000 {
		rng := newRand(i)
		e := randomEnding(rng, 1+rng.IntN(2), rng.IntN(4))
		if e.left == 1 && len(e.trick) == 3 {
			e = randomEnding(rng, 2, 0)
		}
		b := newBook(e)
		d := e.deal()
		if rng.IntN(3) == 0 && len(b.layouts) > 2 {
			b.layouts = b.layouts[:2+rng.IntN(len(b.layouts)-2)]
			for _, l := range b.layouts {
				d.Layouts = append(d.Layouts, Holding{West, l[West]})
			}
		}
		for need := 1; need <= e.left; need++ {
			want := most(b.plans(e.moment(need), b.all()))
			r := must.Get(Solve(context.Background(), d, Options{Tricks: need, Memory: []int64{0, 4 << 10}[i%2]}))(t) // tables of a few entries change nothing
			g := r.Goals[0]
			if r.Layouts != int64(len(b.layouts)) || !g.Exact || g.Won != int64(want) {
				t.Fatalf("ending %d, %v: %d tricks in %d to %d of %d layouts, want %d of %d", i, d, need, g.Won, g.Upper, r.Layouts, want, len(b.layouts))
			}
			if open := b.doubleDummy(e.moment(need)); g.DoubleDummy != int64(open) {
				t.Fatalf("ending %d, %v: %d tricks double dummy in %d layouts, want %d", i, d, need, g.DoubleDummy, open)
			}
			if want > 0 && want < len(b.layouts) {
				made++
			}
		}
	}
	if made < 100 {
		t.Errorf("only %d goals that are made in some layouts and not in others", made)
	}
}

// TestProofsOfDoubleDummyHoldInOtherLayouts asks for all layouts of an ending in turn,
// with one table.
func TestProofsOfDoubleDummyHoldInOtherLayouts(t *testing.T) {
	for i := range 300 {
		e := randomEnding(newRand(i), 3, 0)
		shared := newDoubleDummy(e.trump, singles(), East)
		for _, hands := range newBook(e).layouts {
			e.hands = hands
			if got, want := tricksOf(shared, e), tricksOf(newDoubleDummy(e.trump, singles(), East), e); got != want {
				t.Fatalf("ending %d, %v: %d tricks, %d with a table of its own", i, e.deal(), got, want)
			}
		}
	}
}

// doubleDummy counts the layouts that are won with all hands open.
func (b book) doubleDummy(m moment) int {
	n := 0
	for i := range b.layouts {
		alone := book{b.trump, b.layouts[i : i+1]}
		n += most(alone.plans(m, 1))
	}
	return n
}

func TestBookKnowsTheRules(t *testing.T) {
	e := ending{trump: Hearts, leader: West, left: 1}
	for seat, c := range []string{"S2", "SA", "H2", "SK"} {
		card := must.Get(word{text: c}.card())(t)
		e.hands[seat] = card.bit()
	}
	b := newBook(e)
	if got := fmt.Sprint(len(b.layouts), most(b.plans(e.moment(1), 3))); got != "2 2" {
		t.Errorf("layouts and those won by the ruff: %s, want 2 2", got)
	}
}
