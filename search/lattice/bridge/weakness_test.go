package bridge

import (
	"context"
	"math/bits"
	"slices"
	"testing"

	"stackmate/internal/must"
)

// judged is the value of a first card: the layouts in which the best plan after it wins, and the layouts won with all hands open.
type judged struct {
	card      Card
	won, open int
}

// judge tries every card of the hand on lead.
func judge(t *testing.T, e ending, need int) []judged {
	t.Helper()
	var all []judged
	for moves := heads(e.hands[e.leader], e.hands[0]|e.hands[1]|e.hands[2]|e.hands[3]); moves != 0; moves &= moves - 1 {
		after := e
		after.hands[e.leader] &^= moves.top().bit()
		after.trick = []Card{moves.top()}
		r, err := Solve(context.Background(), after.deal(), Options{Tricks: need})
		if err != nil || !r.Goals[0].Exact {
			t.Fatal(err)
		}
		all = append(all, judged{moves.top(), int(r.Goals[0].Won), int(r.Goals[0].DoubleDummy)})
	}
	return all
}

// averaged returns the cards that are best by averaging double dummy results over layouts.
func averaged(all []judged) []judged {
	most := slices.MaxFunc(all, func(a, b judged) int { return a.open - b.open }).open
	return slices.DeleteFunc(slices.Clone(all), func(j judged) bool { return j.open < most })
}

func open(t *testing.T, text string) ending {
	t.Helper()
	d := mustParse(t, text)
	return ending{hands: d.Hands, trump: d.Trump, leader: d.Leader, trick: d.Trick, left: d.Left()}
}

// TestStrategyFusion is an ending in which the jack of hearts wins in 12 of 20 layouts if the layout may be known at the second trick, and in 8
// by any one plan. The two of hearts wins in 10, with either. A declarer who averages double dummy results leads the jack.
func TestStrategyFusionIsAvoidedWhereAveragingFallsForIt(t *testing.T) {
	e := open(t, "N:.84.A. E:6.T.5. S:.J2..3 W:.K5..8 lead:S")
	const need = 1
	all := judge(t, e, need)
	best := slices.MaxFunc(all, func(a, b judged) int { return a.won - b.won })
	wrong := averaged(all)
	if len(wrong) != 1 || wrong[0].card.String() != "HJ" || wrong[0].open != 12 || wrong[0].won != 8 {
		t.Errorf("averaging leads %+v, want HJ for 12 layouts, 8 in truth", wrong)
	}
	if best.card.String() != "H2" || best.won != 10 || best.open != 10 {
		t.Errorf("the best lead is %+v, want H2 for 10 layouts", best)
	}
	r := must.Get(Solve(t.Context(), e.deal(), Options{Tricks: need}))(t)
	if g := r.Goals[0]; g.Won != 10 || g.Plan[0].Cards[0] != best.card {
		t.Errorf("the plan leads %v and wins in %d layouts", g.Plan[0].Cards[0], g.Won)
	}
	// One plan for all layouts is all it takes here.
	b := newBook(e)
	if s := b.choose(e.moment(need), b.all(), b.alone); bits.OnesCount64(s) != 10 {
		t.Errorf("made position by position the plan wins in %d layouts, want 10", bits.OnesCount64(s))
	}
}

// TestNonLocality is an ending that is won in 5 of 20 layouts, in the same 5 by one plan and with all hands open, so nothing is fused. But the
// card that is best in one position by itself depends on losses elsewhere: choosing position by position wins in 4, by the value of plans and
// by averages of double dummy results.
func TestNonLocalityIsAvoidedWhereAveragingFallsForIt(t *testing.T) {
	e := open(t, "N:..K2.3 E:.K..A4 S:K.T..T W:.3.7.Q trump:H lead:W")
	const need = 1
	r := must.Get(Solve(t.Context(), e.deal(), Options{Tricks: need}))(t)
	if g := r.Goals[0]; g.Won != 5 || g.DoubleDummy != 5 || !g.Exact {
		t.Errorf("won in %d layouts, %d double dummy; want 5 and 5", g.Won, g.DoubleDummy)
	}
	b := newBook(e)
	for name, rule := range map[string]func(moment, uint64) int{"plans": b.alone, "averages": b.averaged} {
		if n := bits.OnesCount64(b.choose(e.moment(need), b.all(), rule)); n != 4 {
			t.Errorf("by %s, position by position, won in %d layouts, want 4", name, n)
		}
	}
}
