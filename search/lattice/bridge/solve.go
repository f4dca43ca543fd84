package bridge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/internal/guard"
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
	Deal *Deal `json:"deal"`
	Left int   `json:"left"` // tricks
	// Layouts is the number of distributions of the hidden cards that were considered, All
	// that of all.
	Layouts int64  `json:"layouts"`
	All     int64  `json:"all_layouts"`
	Goals   []Goal `json:"goals"`
}

// ErrNoLayout is returned, wrapped, where nothing is consistent with what is known.
var ErrNoLayout = errors.New("no layout of the hidden cards is possible")

// problem is a deal turned so that the declarer's side is North and South.
type problem struct {
	deal    *Deal
	turn    Seat // to be added to a seat of the deal
	state   state
	seen    Cards                // all cards but the hidden ones
	layouts []uint16             // those that are considered, by West's cards
	all     int                  // how many are possible
	memory  int64                // of both searches that run side by side
	proofs  map[Seat]*trickTable // by whose side says which of two touching cards was higher
}

func newProblem(d *Deal, o Options) (*problem, error) {
	p := &problem{
		deal: d, turn: d.Declarer & 1, memory: o.Memory,
		proofs: map[Seat]*trickTable{East: newTrickTable(), North: newTrickTable()},
	}
	at := func(s Seat) Seat { return (s - p.turn) & 3 } // in the deal
	p.state = state{
		north: d.Hands[at(North)], south: d.Hands[at(South)], hidden: d.Hidden, west: int8(d.size(at(West))),
		leader: (d.Leader + p.turn) & 3, played: int8(len(d.Trick)), left: int8(d.Left()),
	}
	copy(p.state.trick[:], d.Trick)
	p.seen = p.state.live() &^ p.state.hidden
	for _, west := range new(universes).of(d.Hidden.Len(), int(p.state.west)).west {
		hands := p.state.hands(west)
		given := func(h Holding) bool { return hands[(h.Seat+p.turn)&3] == h.Cards }
		if hands[East]&d.Void[at(East)] == 0 && hands[West]&d.Void[at(West)] == 0 {
			p.all++
			if d.Layouts == nil || slices.ContainsFunc(d.Layouts, given) {
				p.layouts = append(p.layouts, west)
			}
		}
	}
	switch {
	case p.all == 0:
		return nil, ErrNoLayout
	case d.Layouts == nil && o.Layouts > 0 && p.all > o.Layouts:
		rng := rand.New(rand.NewPCG(o.Seed, 0))
		rng.Shuffle(p.all, func(i, j int) { p.layouts[i], p.layouts[j] = p.layouts[j], p.layouts[i] })
		p.layouts = p.layouts[:o.Layouts]
	}
	return p, nil
}

// worlds are the layouts as worlds of the state. Of the cards of a class West has the
// highest, in one world that stands for all.
func (p *problem) worlds(s *search) worlds {
	u := s.universe(&p.state)
	set := newWorlds(len(u.west))
	for _, west := range p.layouts {
		hands := p.state.hands(west)
		first := true
		for _, g := range s.groups {
			first = first && (hands[East]&g == 0 || hands[West]&g == 0 || (hands[West]&g).bottom() < (hands[East]&g).top())
		}
		if first {
			set.add(slices.Index(u.west, west))
		}
	}
	return set
}

// Solve finds the best plans of the declarer. At the end of ctx it returns what is
// proved by then, with the error of the context.
func Solve(ctx context.Context, d *Deal, o Options) (*Result, error) {
	p, err := newProblem(d, o)
	if err != nil {
		return nil, err
	}
	if o.Tricks < 0 || o.Tricks > d.Left() {
		return nil, fmt.Errorf("expected 1 to %d tricks, as many as are left, found %d", d.Left(), o.Tricks)
	}
	r := &Result{Deal: d, Left: d.Left(), All: int64(p.all), Layouts: int64(len(p.layouts))}
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
		g, err := p.goal(ctx, n, o.Progress)
		if err != nil {
			return r, err
		}
		if g.Won > 0 {
			g.Plan = p.steps(n, g.plan, o.Depth)
		}
		g.Seconds = time.Since(began).Seconds()
		r.Goals = append(r.Goals, g)
		if ctx.Err() != nil || g.Won == r.Layouts && len(goals) > 1 {
			break
		}
	}
	return r, ctx.Err()
}

// goal finds the best plan for n tricks. Where touching cards of the defenders count as
// equal, two searches enclose its value, side by side: in the one the defenders, in the other the
// declarer says who has won where they meet at the head of a trick. While that makes a
// difference, the classes that have met most often are taken apart.
func (p *problem) goal(ctx context.Context, n int, progress func(int, int64)) (g Goal, err error) {
	g = Goal{Tricks: n, Upper: int64(len(p.layouts))}
	c := merged(p.state.hidden, p.seen)
	if len(p.layouts) < p.all {
		c = singles()
	}
	t := &tally{}
	if progress != nil {
		t.progress = func(nodes int64) { progress(n, nodes) }
	}
	defer func() { g.Nodes = t.nodes }()
	for {
		var lower, upper *attempt
		meeting, end := context.WithCancel(ctx)
		err := beside(func() {
			if lower = p.attempt(ctx, c, East, n, t); !lower.stopped {
				g.DoubleDummy = int64(lower.winnable)
				lower.best()
			}
			if lower.dd.mostTied() == 0 {
				end() // the other search says the same
			}
		}, func() {
			if *c != *singles() {
				upper = p.attempt(meeting, c, North, n, t)
				upper.outdo()
			}
		})
		if err != nil {
			end()
			return g, err
		}
		if lower.plan != nil {
			g.Won, g.plan = int64(lower.won), lower.plan
		}
		tied := lower.dd.mostTied()
		if tied != 0 {
			upper.outdo() // of what is known now
		} else {
			upper = lower
		}
		if end(); upper.won > int(g.Won) && ctx.Err() == nil {
			c = c.finer(tied)
			continue
		}
		g.Upper = min(g.Upper, int64(upper.atMost))
		if g.Exact = g.Won == g.Upper; g.Exact && lower.winnable < upper.winnable {
			g.DoubleDummy = int64(p.attempt(ctx, singles(), East, n, t).winnable)
		}
		return g, nil
	}
}

// beside runs f, and g in another goroutine at the same time.
func beside(f, g func()) error {
	done := make(chan error, 1)
	go func() {
		done <- guard.Do(func() error {
			g()
			return nil
		})
	}()
	f()
	return <-done
}

// tally is what the searches for one goal share.
type tally struct {
	known    atomic.Int64 // layouts in which some plan wins
	counting sync.Mutex
	nodes    int64
	progress func(nodes int64)
}

// count adds nodes, and tells of all.
func (t *tally) count(nodes int64) {
	t.counting.Lock()
	defer t.counting.Unlock()
	if t.nodes += nodes; t.progress != nil {
		t.progress(t.nodes)
	}
}

// attempt is a search for the plan that wins the most.
type attempt struct {
	*search
	*tally
	state    state
	all      int    // layouts
	winnable int    // layouts that are won double dummy
	alive    worlds // these
	won      int    // layouts in which the best plan wins, by what is known
	atMost   int    // layouts in which any plan wins
	plan     *plan
}

// attempt begins a search for n tricks. Searches with different classes share what is proved double dummy: a proof
// names the classes of the cards on which it depends.
func (p *problem) attempt(ctx context.Context, c *classes, ties Seat, n int, t *tally) *attempt {
	dd := newDoubleDummy(p.deal.Trump, c, ties)
	dd.table = p.proofs[ties]
	dd.limit(p.memory / 8)
	s := newSearch(ctx, dd, p.state.hidden, p.memory/4)
	a := &attempt{search: s, tally: t, state: p.state, all: len(p.layouts)}
	s.told = t.count
	a.state.need = int8(n)
	s.weights[a.state.left] = s.weigh(&a.state)
	worlds := p.worlds(s)
	a.alive = worlds.without(s.lost(&a.state, worlds, a.all), newWorlds(len(s.universe(&a.state).west)))
	a.winnable = s.weight(a.state.left, a.alive)
	a.atMost = a.winnable
	return a
}

// best looks for the best plan, if it is better than what is known.
func (a *attempt) best() {
	a.greedily()
	a.exactly()
	a.tell()
}

// outdo looks for a plan that is better than what is known, or proves that there is none.
func (a *attempt) outdo() {
	if a.plan == nil && a.floor() < a.atMost {
		a.greedily()
	}
	if a.won <= int(a.known.Load()) {
		a.exactly()
	}
	a.tell()
}

// floor is the number of layouts that some plan wins.
func (a *attempt) floor() int { return max(a.won, int(a.known.Load())) }

// keep takes a plan that loses the set.
func (a *attempt) keep(lost loss) {
	a.plan = &plan{a.search, a.alive.without(lost.set, newWorlds(len(a.universe(&a.state).west)))}
	a.won = a.winnable - lost.weight
	if !a.dd.ties.isDeclarer() {
		a.known.Store(int64(a.won))
	}
}

// next is the limit after one that no plan keeps.
func (a *attempt) next(limit int) int { return max(2*limit, a.all/firstLimit, 1) }

// greedily looks for a plan that is better than what is known, mostly a best one.
func (a *attempt) greedily() {
	a.greedy = true
	defer func() { a.greedy = false }()
	for limit := 0; !a.stopped; limit = a.next(limit) {
		most := a.winnable - a.floor() - 1
		if most < 0 {
			return
		}
		limit = min(limit, most)
		found := a.within(a.state, a.alive, limit, max(1, a.state.left-foresight))
		if found != nil {
			found = a.solve(a.state, a.alive, a.universe(&a.state).none, limit).found
		}
		if found != nil && !a.stopped {
			a.keep(found[0])
			return
		}
		if limit == most {
			return
		}
	}
}

// exactly looks for a plan that is better than what is known, and proves that there is no better one.
func (a *attempt) exactly() {
	for limit := 0; !a.stopped; limit = a.next(limit) {
		floor := a.floor()
		if floor >= a.atMost {
			return
		}
		limit = min(limit, a.winnable-floor-1)
		found := a.within(a.state, a.alive, limit, 1)
		switch {
		case a.stopped:
		case found != nil:
			a.keep(found[0])
			a.atMost = a.won
		default:
			a.atMost = max(a.winnable-limit-1, floor)
		}
	}
}

// foresight is the tricks after which a limit that a plan still keeps is worth a search to
// the end.
const foresight = 3

// firstLimit is the part of the worlds that the second iteration may lose.
const firstLimit = 64

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
