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

// Options holds the parameters of Solve.
type Options struct {
	// Tricks is the number of remaining tricks that the declarer needs. 0 stands for the number in the
	// deal or, without one, for every number from all tricks down to the first safe number.
	Tricks int
	// Layouts is the maximum number of layouts. If there are more, a random sample without replacement is
	// used. 0 stands for all layouts.
	Layouts int
	Seed    uint64
	// Depth is the number of tricks shown in plans; 0 for all.
	Depth int
	// Memory is the memory limit of the tables in bytes; 0 for no limit.
	Memory int64
	// Progress, if not nil, is called at intervals with the current goal and the number of nodes.
	Progress func(tricks int, nodes int64)
}

// Goal is the result for one number of tricks.
type Goal struct {
	Tricks int `json:"tricks"`
	// Won and Upper bound the number of layouts in which the best plan makes the tricks. They are equal if
	// Exact.
	Won   int64 `json:"won"`
	Upper int64 `json:"upper"`
	Exact bool  `json:"exact"`
	// DoubleDummy is the number of layouts in which the tricks can be made with all hands open. Averaging
	// over single layouts takes it for the chance of success. It is a lower bound unless Exact.
	DoubleDummy int64 `json:"double_dummy"`
	// Plan is the beginning of a plan that wins in Won layouts.
	Plan []*Step `json:"plan,omitempty"`
	plan *plan

	Nodes   int64   `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

// Result is the solution of a deal.
type Result struct {
	Deal *Deal `json:"deal"`
	Left int   `json:"left"` // tricks left
	// Layouts is the number of considered layouts, All the number of possible layouts.
	Layouts int64  `json:"layouts"`
	All     int64  `json:"all_layouts"`
	Goals   []Goal `json:"goals"`
}

// ErrNoLayout is returned, wrapped, if no layout is consistent with the known cards.
var ErrNoLayout = errors.New("no layout of the hidden cards is possible")

// problem is a deal rotated so that the declarer's side is North and South.
type problem struct {
	deal    *Deal
	turn    Seat // rotation, added to a seat of the deal
	state   state
	seen    Cards                // all cards except the hidden cards
	layouts []uint16             // considered layouts, by West's cards
	all     int                  // number of possible layouts
	memory  int64                // limit of both concurrent searches together
	proofs  map[Seat]*trickTable // by the side that decides between touching cards
}

func newProblem(d *Deal, o Options) (*problem, error) {
	p := &problem{
		deal: d, turn: d.Declarer & 1, memory: o.Memory,
		proofs: map[Seat]*trickTable{East: newTrickTable(), North: newTrickTable()},
	}
	at := func(s Seat) Seat { return (s - p.turn) & 3 } // seat of the deal
	p.state = state{
		north: d.Hands[at(North)], south: d.Hands[at(South)], hidden: d.Hidden, west: int8(d.size(at(West))),
		leader: (d.Leader + p.turn) & 3, played: int8(len(d.Trick)), left: int8(d.Left()),
	}
	copy(p.state.trick[:], d.Trick)
	p.seen = p.state.live() &^ p.state.hidden
	for _, west := range new(universes).get(d.Hidden.Len(), int(p.state.west)).west {
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

// worlds returns the layouts as worlds of the state. Layouts that differ within classes of equal cards are
// one world: the world in which West has the highest cards of each class.
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

// Solve finds the best plans of the declarer. At the end of ctx it returns the bounds proved by then, with
// the error of the context.
func Solve(ctx context.Context, d *Deal, o Options) (*Result, error) {
	p, err := newProblem(d, o)
	if err != nil {
		return nil, err
	}
	if o.Tricks < 0 || o.Tricks > d.Left() {
		return nil, fmt.Errorf("expected 1 to %d tricks (all tricks left), found %d", d.Left(), o.Tricks)
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

// goal finds the best plan for n tricks. If touching cards of the defenders count as equal, two concurrent
// searches bound its value. When two such cards compete for a trick, the defenders decide the winner in
// the first search, the declarer in the second. As long as the results differ, the classes with the most
// such ties are split.
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
		err := concurrently(func() {
			if lower = p.attempt(ctx, c, East, n, t); !lower.stopped {
				g.DoubleDummy = int64(lower.winnable)
				lower.findBest()
			}
			if lower.dd.mostTied() == 0 {
				end() // there were no ties, so the other search would have the same result
			}
		}, func() {
			if *c != *singles() {
				upper = p.attempt(meeting, c, North, n, t)
				upper.improve()
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
			upper.improve() // against the current lower bound
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

// concurrently runs f, and g in a second goroutine, and waits for both. A panic of g is returned as an
// error.
func concurrently(f, g func()) error {
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

// tally is the state shared by the searches for one goal.
type tally struct {
	known    atomic.Int64 // layouts won by the best plan so far
	counting sync.Mutex
	nodes    int64
	progress func(nodes int64)
}

// count adds nodes and reports the total.
func (t *tally) count(nodes int64) {
	t.counting.Lock()
	defer t.counting.Unlock()
	if t.nodes += nodes; t.progress != nil {
		t.progress(t.nodes)
	}
}

// attempt is a search for the plan that wins the most layouts.
type attempt struct {
	*search
	*tally
	state    state
	all      int    // number of layouts
	winnable int    // number of layouts won double dummy
	alive    worlds // worlds won double dummy
	won      int    // layouts won by the best plan found
	atMost   int    // upper bound of the layouts won by any plan
	plan     *plan
}

// attempt returns a new search for n tricks. Searches with different classes share double dummy proofs: a
// proof contains the classes of its relevant cards.
func (p *problem) attempt(ctx context.Context, c *classes, ties Seat, n int, t *tally) *attempt {
	dd := newDoubleDummy(p.deal.Trump, c, ties)
	dd.table = p.proofs[ties]
	dd.limit(p.memory / 8)
	s := newSearch(ctx, dd, p.state.hidden, p.memory/4)
	a := &attempt{search: s, tally: t, state: p.state, all: len(p.layouts)}
	s.report = t.count
	a.state.need = int8(n)
	s.weights[a.state.left] = s.weigh(&a.state)
	worlds := p.worlds(s)
	a.alive = worlds.without(s.lost(&a.state, worlds, a.all), newWorlds(len(s.universe(&a.state).west)))
	a.winnable = s.weight(a.state.left, a.alive)
	a.atMost = a.winnable
	return a
}

// findBest searches for the best plan better than the known ones.
func (a *attempt) findBest() {
	a.searchGreedy()
	a.searchExact()
	a.reportNodes()
}

// improve searches for a plan better than the known ones, or proves that there is none.
func (a *attempt) improve() {
	if a.plan == nil && a.floor() < a.atMost {
		a.searchGreedy()
	}
	if a.won <= int(a.known.Load()) {
		a.searchExact()
	}
	a.reportNodes()
}

// floor returns the number of layouts won by the best known plan.
func (a *attempt) floor() int { return max(a.won, int(a.known.Load())) }

// setPlan stores a plan and its lost worlds.
func (a *attempt) setPlan(lost loss) {
	a.plan = &plan{a.search, a.alive.without(lost.set, newWorlds(len(a.universe(&a.state).west)))}
	a.won = a.winnable - lost.weight
	if !a.dd.ties.isDeclarer() {
		a.known.Store(int64(a.won))
	}
}

// nextLimit returns the next limit of lost layouts after a refuted limit.
func (a *attempt) nextLimit(limit int) int { return max(2*limit, a.all/firstLimit, 1) }

// searchGreedy searches heuristically for a plan better than the known ones. It mostly finds a best plan.
func (a *attempt) searchGreedy() {
	a.greedy = true
	defer func() { a.greedy = false }()
	for limit := 0; !a.stopped; limit = a.nextLimit(limit) {
		most := a.winnable - a.floor() - 1
		if most < 0 {
			return
		}
		limit = min(limit, most)
		found := a.deepen(a.state, a.alive, limit, max(1, a.state.left-foresight))
		if found != nil {
			found = a.solve(a.state, a.alive, a.universe(&a.state).none, limit).found
		}
		if found != nil && !a.stopped {
			a.setPlan(found[0])
			return
		}
		if limit == most {
			return
		}
	}
}

// searchExact searches for a plan better than the known ones, and proves that it is the best, or that
// there is none.
func (a *attempt) searchExact() {
	for limit := 0; !a.stopped; limit = a.nextLimit(limit) {
		floor := a.floor()
		if floor >= a.atMost {
			return
		}
		limit = min(limit, a.winnable-floor-1)
		found := a.deepen(a.state, a.alive, limit, 1)
		switch {
		case a.stopped:
		case found != nil:
			a.setPlan(found[0])
			a.atMost = a.won
		default:
			a.atMost = max(a.winnable-limit-1, floor)
		}
	}
}

// foresight is the number of tricks that a limit must survive before the search to the end is started.
const foresight = 3

// firstLimit is the denominator of the share of layouts that the second iteration may lose.
const firstLimit = 64

// steps returns the tree of a plan for n tricks, to a depth of tricks.
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
