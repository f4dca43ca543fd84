package bridge

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/must"
)

// audit plays a plan against every defence in one layout, by the rules of book, and reports whether it always makes its tricks. The plan sees
// only the declarer's information.
type audit struct {
	t *testing.T
	*plan
	book
}

// holds plays on from a moment of the layout; q and alive are the plan's information.
func (a *audit) holds(m moment, layout int, q state, alive worlds) bool {
	if q.played == 4 {
		q, alive = q.collect(Seat(m.leader)), a.collect(q, alive) // the winner of the trick is public
	}
	if m.need <= 0 || int(q.need) != m.need {
		return m.need <= 0
	}
	seat := (m.leader + len(m.trick)) % 4
	legal := a.legal(m, layout, seat)
	if len(legal) == 0 {
		return false
	}
	if seat%2 == 0 {
		c, ok := a.card(q, alive)
		if !ok {
			a.t.Fatal("the plan has no card")
		}
		return a.holds(a.after(m, c), layout, q.play(c), alive)
	}
	for _, c := range legal {
		next, left, ok := a.see(q, alive, c)
		if !ok || !a.holds(a.after(m, c), layout, next, left) {
			return false
		}
	}
	return true
}

// see returns the plan's view of a defender's card: the card of its class that counts as played next.
func (a *audit) see(q state, alive worlds, c Card) (state, worlds, bool) {
	options, _ := a.replies(&q, alive)
	for _, o := range options {
		if played := o.next.trick[q.played]; a.dd.classes[played].Has(c) {
			return o.next, o.set, true
		}
	}
	return q, nil, false
}

// TestPlansWinWhereTheySay plays the best plans of random endings against every defence
// in every layout that they are said to win.
func TestPlansWinWhereTheySay(t *testing.T) {
	checked := 0
	for i := range setting(t, "STACKMATE_BRIDGE_ENDINGS", 60) {
		rng := newRand(i)
		e := randomEnding(rng, 2+rng.IntN(2), rng.IntN(4))
		need := 1 + rng.IntN(e.left)
		d := e.deal()
		r := must.Get(Solve(context.Background(), d, Options{Tricks: need}))(t)
		g := r.Goals[0]
		if g.Won == 0 {
			continue
		}
		p := must.Get(newProblem(d, Options{}))(t)
		q := p.state
		q.need = int8(need)
		b := newBook(e)
		a := &audit{t, g.plan, b}
		won := int64(0)
		for k, hands := range b.layouts {
			if i := a.kind(&q, hands[West]); a.wins.has(i) {
				won++
				if !a.holds(e.moment(need), k, q, a.wins) {
					t.Fatalf("ending %d, %v: the plan for %d tricks fails where West has %v", i, d, need, hands[West])
				}
				checked++
			}
		}
		if won != g.Won {
			t.Fatalf("ending %d, %v: the plan wins in %d layouts, said to be %d", i, d, won, g.Won)
		}
	}
	if checked < 100 {
		t.Errorf("only %d layouts were played", checked)
	}
}

// kind returns the number of the world that stands for a hand of West.
func (a *audit) kind(q *state, west Cards) int {
	return slices.IndexFunc(a.universe(q).west, func(mask uint16) bool {
		hands := q.hands(mask)
		same := hands[West]|hands[East] == q.hidden
		for c := range Card(52) {
			class := a.dd.classes[c] & q.hidden
			same = same && (west&class).Len() == (hands[West]&class).Len() &&
				(hands[East]&class == 0 || hands[West]&class == 0 || (hands[West]&class).bottom() < (hands[East]&class).top())
		}
		return same
	})
}

func TestPlansAreReadable(t *testing.T) {
	r := must.Get(Solve(context.Background(), mustParse(t, "N:AQ...2 S:32..5. EW:KJ4.2..AK tricks:3"), Options{}))(t)
	var b bytes.Buffer
	WriteSteps(&b, r.Goals[0].Plan, "")
	if !strings.HasPrefix(b.String(), "S ") || !strings.Contains(b.String(), "W ") {
		t.Errorf("found\n%s", b.String())
	}
}

// TestTheDeclarersCardsLeaveTheLayoutsAsTheyAre: after a card of the defenders the declarer's answer, which tells
// nothing, is made in as many layouts, also where the card on the table is one of several that count as equal.
func TestTheDeclarersCardsLeaveTheLayoutsAsTheyAre(t *testing.T) {
	checked := 0
	var walk func(steps []*Step)
	walk = func(steps []*Step) {
		for _, s := range steps {
			if len(s.Next) == 1 && (s.Next[0].Seat == North || s.Next[0].Seat == South) && (s.Next[0].Seat-s.Seat)&3 == 1 {
				checked++
				if s.Next[0].Layouts != s.Layouts {
					t.Fatalf("%s in %d layouts, then %s in %d", s.phrase(), s.Layouts, s.Next[0].phrase(), s.Next[0].Layouts)
				}
			}
			walk(s.Next)
		}
	}
	for i := range 60 {
		r := must.Get(Solve(context.Background(), randomEnding(newRand(i), 4, 0).deal(), Options{Tricks: 2}))(t)
		walk(r.Goals[0].Plan)
	}
	if checked < 100 {
		t.Errorf("only %d cards were looked at", checked)
	}
}
