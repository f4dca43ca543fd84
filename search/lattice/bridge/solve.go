package bridge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Options say what to compute.
type Options struct {
	// Tricks is the number of tricks, of those left, that the declarer needs: 0 takes
	// that of the deal, or else every number that is not sure to be made.
	Tricks int
	// Layouts bounds the layouts: of more, so many different ones are drawn at random.
	// 0 takes all.
	Layouts int
	Seed    uint64
	// Depth is the number of tricks that plans show, 0 for all.
	Depth int
	// Memory bounds the tables, in bytes; 0 for no bound.
	Memory int64
	// Progress, if not nil, is told now and then what is being done.
	Progress func(tricks int, nodes int64)
}

// Goal is what can be said of one number of tricks.
type Goal struct {
	Tricks int `json:"tricks"`
	// Won and Upper bound the number of layouts in which the best plan makes them:
	// equal where Exact.
	Won   int64 `json:"won"`
	Upper int64 `json:"upper"`
	Exact bool  `json:"exact"`
	// DoubleDummy is the number of layouts in which they could be made with all hands
	// open: what averaging over layouts one at a time takes for the chance. At least so
	// many where not Exact.
	DoubleDummy int64 `json:"double_dummy"`
	// Plan is the beginning of one that wins in Won layouts.
	Plan []*Step `json:"plan,omitempty"`
	plan *plan

	Nodes   int64   `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

// Result is what is known of a deal.
type Result struct {
	Deal *Deal
	// Layouts is the number of distributions of the hidden cards that were considered,
	// of so many that there are.
	Layouts, All int64
	Kinds        int // layouts that differ in more than exchanges of touching cards
	Goals        []Goal
}

// ErrNoLayout is returned, wrapped, where nothing is consistent with what is known.
var ErrNoLayout = errors.New("no layout of the hidden cards is possible")

// problem is a deal turned so that the declarer's side is North and South.
type problem struct {
	deal    *Deal
	turn    Seat // to be added to a seat of the deal
	state   state
	hidden  Cards
	west    int // the number of West's cards
	void    [2]Cards
	seen    Cards // all other cards: of the declarer's side and on the table
	sampled []layout
}

func newProblem(d *Deal, o Options) (*problem, int64, error) {
	p := &problem{deal: d, turn: d.Declarer & 1, hidden: d.Hidden}
	at := func(s Seat) Seat { return (s - p.turn) & 3 } // in the deal
	p.state = state{
		north: d.Hands[at(North)], south: d.Hands[at(South)],
		leader: (d.Leader + p.turn) & 3, played: int8(len(d.Trick)), left: int8(d.Left()),
	}
	copy(p.state.trick[:], d.Trick)
	p.west = d.size(at(West))
	p.void = [2]Cards{d.Void[at(East)], d.Void[at(West)]}
	p.seen = p.state.north | p.state.south
	for _, c := range d.Trick {
		p.seen |= c.bit()
	}
	all := distributions(p.hidden, p.west, singles(), p.possible)
	total := int64(len(all))
	switch {
	case d.Layouts != nil:
		for _, h := range d.Layouts {
			l := layout{west: h.Cards, east: p.hidden &^ h.Cards, weight: 1}
			if (h.Seat+p.turn)&3 == East {
				l.east, l.west = l.west, l.east
			}
			if !slices.Contains(p.sampled, l) {
				p.sampled = append(p.sampled, l)
			}
		}
	case total == 0:
		return nil, 0, ErrNoLayout
	case o.Layouts > 0 && total > int64(o.Layouts):
		rng := rand.New(rand.NewPCG(o.Seed, 0))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		p.sampled = all[:o.Layouts]
	}
	return p, total, nil
}

func (p *problem) possible(l layout) bool { return l.east&p.void[0] == 0 && l.west&p.void[1] == 0 }

// Solve finds the best plans of the declarer. At the end of ctx it returns what is
// proved by then, with the error of the context.
func Solve(ctx context.Context, d *Deal, o Options) (*Result, error) {
	p, total, err := newProblem(d, o)
	if err != nil {
		return nil, err
	}
	if o.Tricks < 0 || o.Tricks > d.Left() {
		return nil, fmt.Errorf("expected 1 to %d tricks, as many as are left, found %d", d.Left(), o.Tricks)
	}
	r := &Result{Deal: d, All: total, Layouts: total}
	if p.sampled != nil {
		r.Layouts = int64(len(p.sampled))
	}
	goals := []int{o.Tricks}
	if o.Tricks == 0 {
		goals[0] = d.Tricks
	}
	if goals[0] == 0 {
		goals = goals[:0]
		for n := d.Left(); n > 0; n-- {
			goals = append(goals, n)
		}
	}
	for _, n := range goals {
		began := time.Now()
		g := p.goal(ctx, n, r, o)
		g.Seconds = time.Since(began).Seconds()
		if g.Won > 0 {
			g.Plan = p.steps(n, g.plan, o.Depth)
		}
		r.Goals = append(r.Goals, g)
		if ctx.Err() != nil || g.Won == r.Layouts && len(goals) > 1 {
			break
		}
	}
	return r, ctx.Err()
}

// goal finds the best plan for n tricks. Where touching cards of the defenders count as
// equal, two searches enclose its value: in the one the defenders, in the other the
// declarer says who has won where they meet at the head of a trick. While that makes a
// difference, the class that has met most often is taken apart.
func (p *problem) goal(ctx context.Context, n int, r *Result, o Options) Goal {
	g := Goal{Tricks: n, Upper: r.Layouts}
	c := merged(p.hidden, p.seen)
	if p.sampled != nil {
		c = singles()
	}
	for {
		layouts := p.sampled
		if layouts == nil {
			layouts = distributions(p.hidden, p.west, c, p.possible)
		}
		r.Kinds = len(layouts)
		if open, ok := p.winnable(ctx, n, c, North, layouts, o); ok {
			g.Upper = min(g.Upper, open)
		}
		lower := p.search(ctx, n, c, East, layouts, -1, o)
		g.Nodes += lower.more
		if lower.found && (g.plan == nil || lower.won > g.Won) {
			g.Won, g.plan = lower.won, &plan{lower.single, lower.wins}
		}
		g.DoubleDummy = lower.winnable
		if lower.dd.mostTied() == 0 {
			g.Upper = min(g.Upper, lower.atMost)
			g.Exact = g.Won == g.Upper
		}
		if lower.stopped || g.Exact {
			return g
		}
		upper := p.search(ctx, n, c, North, layouts, g.Won, o)
		g.Nodes += upper.more
		g.Upper = min(g.Upper, upper.atMost)
		if g.Exact = g.Won == g.Upper; g.Exact || upper.stopped {
			if lower.winnable < upper.winnable {
				c = singles()
				g.DoubleDummy, _ = p.winnable(ctx, n, c, East, distributions(p.hidden, p.west, c, p.possible), o)
			}
			return g
		}
		finer := *c
		for left := lower.dd.mostTied(); left != 0; left &= left - 1 {
			finer[left.top()] = left & -left
		}
		c = &finer
	}
}

// searched is the outcome of a search.
type searched struct {
	*single
	winnable int64  // layouts that are won double dummy
	won      int64  // layouts in which the best plan wins, where one was found
	atMost   int64  // layouts in which any plan wins
	wins     worlds // those of the best plan
	found    bool
	more     int64 // positions searched
	stopped  bool
}

// search looks for the plan that wins in the most layouts, and in more than least: if
// there is none, nothing is found. A greedy search says what to surpass.
func (p *problem) search(ctx context.Context, n int, c *classes, ties Seat, layouts []layout, least int64, o Options) searched {
	dd := newDoubleDummy(p.deal.Trump, c, ties)
	dd.limit(o.Memory / 4)
	begin := func(greedy bool) *single {
		s := newSingle(ctx, dd, layouts)
		s.greedy, s.limit = greedy, o.Memory/4
		if o.Progress != nil {
			s.progress = func() { o.Progress(n, s.nodes) }
		}
		return s
	}
	q := p.state
	q.need = int8(n)
	exact := begin(false)
	all := exact.weight(exact.full)
	lost, w := exact.lost(&q, exact.full, all)
	if exact.stopped {
		return searched{single: exact, atMost: all, stopped: true}
	}
	alive := exact.full.without(lost)
	out := searched{single: exact, winnable: all - w, atMost: all - w}
	if out.winnable <= least {
		return out
	}
	take := func(s *single, found losses) {
		if found != nil {
			out.found, out.wins = true, alive.without(found[0].set)
			out.won = s.weight(out.wins)
			out.single, least = s, out.won
		}
	}
	if ties == East {
		greedy := begin(true)
		found, _ := greedy.best(q, alive, out.winnable-least-1)
		take(greedy, found)
		if out.won == out.winnable {
			return out
		}
		out.more = greedy.nodes
	}
	found, tried := exact.best(q, alive, out.winnable-least-1)
	out.atMost = max(out.winnable-tried-1, least) // all plans lose more than was tried
	take(exact, found)
	if found != nil {
		out.atMost = out.won
	}
	out.more += exact.nodes
	out.stopped = exact.stopped
	return out
}

// winnable counts the layouts in which n tricks are made double dummy, unless it is
// stopped.
func (p *problem) winnable(ctx context.Context, n int, c *classes, ties Seat, layouts []layout, o Options) (open int64, ok bool) {
	dd := newDoubleDummy(p.deal.Trump, c, ties)
	dd.limit(o.Memory / 4)
	s := newSingle(ctx, dd, layouts)
	q := p.state
	q.need = int8(n)
	all := s.weight(s.full)
	_, lost := s.lost(&q, s.full, all)
	return all - lost, !s.stopped
}

// steps draws the beginning of a plan for n tricks.
func (p *problem) steps(n int, best *plan, tricks int) []*Step {
	d := drawing{plan: *best, turn: p.turn}
	if tricks > 0 {
		d.depth = max(0, p.state.left-int8(tricks))
	}
	q := p.state
	q.need = int8(n)
	steps, _ := d.steps(q, best.wins)
	return steps
}
