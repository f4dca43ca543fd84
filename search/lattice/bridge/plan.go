package bridge

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Step is a node of a plan: a card of the declarer's side, or cards of a defender with equal
// continuations.
type Step struct {
	Seat  Seat   `json:"seat"`
	Cards []Card `json:"cards"`
	// Layouts is the number of still possible layouts that the plan wins.
	Layouts int64 `json:"layouts"`
	// Next is the declarer's next card, or the replies of the defenders. Cards that they hold only in
	// layouts where the plan fails are omitted.
	Next []*Step `json:"next,omitempty"`
	// End is the reason why the branch ends.
	End End `json:"end,omitempty"`
}

// End is the reason why a branch of a plan ends.
type End string

// The ends.
const (
	Goes   End = "" // the branch continues
	Made   End = "made"
	High   End = "the rest is high" // the rest is taken from the top
	Deeper End = "…"                // the requested depth is reached
)

// plan is the declarer's play with a set of worlds in which it wins.
type plan struct {
	*search
	wins worlds
}

// card returns the card to play in q, where some worlds of the plan are alive. It returns false if the
// search was stopped.
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

// collect returns the worlds alive after the trick of q.
func (p *plan) collect(q state, alive worlds) worlds {
	way := p.passage(&q)
	return way.down(alive, newWorlds(len(way.to.west)))
}

// drawing builds the tree of a plan.
type drawing struct {
	plan
	turn  Seat // rotation, subtracted from seats
	depth int8 // number of tricks left at which the tree ends
	drawn int  // number of steps
}

// maxSteps is the maximum number of steps of the tree, including merged ones.
const maxSteps = 100_000

// steps returns the steps that may follow q, or the reason why there are none.
func (d *drawing) steps(q state, alive worlds) ([]*Step, End) {
	if q.played == 4 {
		who, tied := d.winners(&q)
		alive = d.collect(q, alive)
		if tied {
			return d.eitherWinner(q, who, alive)
		}
		q = q.collect(who)
	}
	switch {
	case q.need <= 0:
		return nil, Made
	case q.played == 0 && d.sureTricks(&q) >= int(q.need):
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

// eitherWinner returns the steps after a trick that either of two touching defenders' cards may have won.
func (d *drawing) eitherWinner(q state, who Seat, alive worlds) ([]*Step, End) {
	first, end := d.steps(q.collect(who), alive)
	if end != Goes {
		return first, end
	}
	second, _ := d.steps(q.collect(who^2), alive)
	return append(first, second...), Goes
}

// step returns the step for card c in q with its continuation.
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

// sameAs reports whether two steps have equal continuations.
func (s *Step) sameAs(t *Step) bool {
	return s.Seat == t.Seat && s.End == t.End && slices.EqualFunc(s.Next, t.Next, func(a, b *Step) bool {
		return slices.Equal(a.Cards, b.Cards) && a.sameAs(b)
	})
}

// WriteSteps writes a plan as an indented tree: a line for each choice of the defenders, with the
// declarer's reply.
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
