package bridge

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Step is a node of a plan: a card of the declarer's side, or cards of a defender after
// which the plan goes on in the same way.
type Step struct {
	Seat  Seat   `json:"seat"`
	Cards []Card `json:"cards"`
	// Layouts is the number of those that the plan wins and that are still possible.
	Layouts int64 `json:"layouts"`
	// Next is the declarer's next card, or what the defenders may answer: cards that
	// they hold only where the plan fails are left out.
	Next []*Step `json:"next,omitempty"`
	// End says why there is no more.
	End End `json:"end,omitempty"`
}

// End is why a branch of a plan ends.
type End string

// The ends.
const (
	Goes   End = "" // it goes on
	Made   End = "made"
	High   End = "the rest is high" // and is taken from the top
	Deeper End = "…"                // more than was asked for
)

// plan is what the declarer does where he wins in the worlds of a set.
type plan struct {
	*search
	wins worlds
}

// card is the card to play in q, where some of the worlds are alive that the plan wins,
// and false where the search was stopped.
func (p *plan) card(q state, alive worlds) (Card, bool) {
	p.weights[q.left] = p.weigh(&q)
	for _, c := range p.inOrder(&q, alive, p.position(&q)) {
		next := q.play(c)
		if p.lost(&next, alive, 0).isEmpty() && p.follow(&q, &option{next: next}, alive, p.universe(&q).none, 0).found != nil {
			return c, true
		}
	}
	return 0, false
}

// collect are the worlds alive after the trick of q.
func (p *plan) collect(q state, alive worlds) worlds {
	way := p.passage(&q)
	return way.down(alive, newWorlds(len(way.to.west)))
}

// drawing is the making of the tree of a plan.
type drawing struct {
	plan
	turn  Seat // to be taken from seats
	depth int8 // tricks left at which it ends
	drawn int  // steps
}

// maxSteps bounds the tree, with what is merged in it.
const maxSteps = 100_000

// steps are the steps that may follow q, or why there are none.
func (d *drawing) steps(q state, alive worlds) ([]*Step, End) {
	if q.played == 4 {
		who, tied := d.winners(&q)
		alive = d.collect(q, alive)
		if tied {
			return d.either(q, who, alive)
		}
		q = q.collect(who)
	}
	switch {
	case q.need <= 0:
		return nil, Made
	case q.played == 0 && d.sure(&q) >= int(q.need):
		return nil, High
	case q.left <= d.depth && q.played == 0 || d.drawn > maxSteps:
		return nil, Deeper
	}
	d.weights[q.left] = d.weigh(&q)
	if q.seat().isDeclarer() {
		c, ok := d.card(q, alive)
		if !ok {
			return nil, Deeper
		}
		return []*Step{d.step(q, c, alive)}, Goes
	}
	var all []*Step
	options, _ := d.replies(&q, alive)
	for _, o := range slices.Clone(options) {
		step := d.step(q, o.next.trick[q.played], o.set)
		same := slices.IndexFunc(all, func(s *Step) bool { return s.sameAs(step) })
		if same >= 0 {
			all[same].Cards = append(all[same].Cards, step.Cards...)
			continue
		}
		all = append(all, step)
	}
	return all, Goes
}

// either is a trick that one of two touching cards of the defenders has won.
func (d *drawing) either(q state, who Seat, alive worlds) ([]*Step, End) {
	first, end := d.steps(q.collect(who), alive)
	if end != Goes {
		return first, end
	}
	second, _ := d.steps(q.collect(who^2), alive)
	return append(first, second...), Goes
}

// step is the card c in q and what follows.
func (d *drawing) step(q state, c Card, alive worlds) *Step {
	s := &Step{Seat: (q.seat() - d.turn) & 3, Layouts: int64(d.weight(q.left, alive))}
	d.drawn++
	class := c.bit()
	if !q.seat().isDeclarer() {
		class = d.dd.classes[c] & q.hidden &^ q.table()
	}
	for ; class != 0; class &= class - 1 {
		s.Cards = append(s.Cards, class.top())
	}
	s.Next, s.End = d.steps(q.play(c), alive)
	return s
}

// sameAs tells whether two steps go on in the same way.
func (s *Step) sameAs(t *Step) bool {
	return s.Seat == t.Seat && s.End == t.End && slices.EqualFunc(s.Next, t.Next, func(a, b *Step) bool {
		return slices.Equal(a.Cards, b.Cards) && a.sameAs(b)
	})
}

// WriteSteps writes a plan as an indented tree: a line for each choice of the
// defenders, with what the declarer does about it.
func WriteSteps(w io.Writer, steps []*Step, indent string) {
	for _, s := range steps {
		line := []string{s.phrase()}
		for len(s.Next) == 1 {
			s = s.Next[0]
			line = append(line, s.phrase())
		}
		if s.End != Goes {
			line = append(line, string(s.End))
		}
		fmt.Fprintf(w, "%s%s\n", indent, strings.Join(line, ", "))
		WriteSteps(w, s.Next, indent+"  ")
	}
}

func (s *Step) phrase() string {
	var cards []string
	for _, c := range s.Cards {
		cards = append(cards, c.String())
	}
	return fmt.Sprintf("%v %s", s.Seat, strings.Join(cards, "/"))
}
