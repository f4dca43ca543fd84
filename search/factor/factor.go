// Package factor searches games that are made of several independent ones, each on its own.
// It owns who moves where and how the time is shared; the searches are those of other
// packages. It knows state machines, never rules.
package factor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Searcher searches each subgame on its own (Cox, Schkufza, Madsen and Genesereth, "Factoring
// general games using propositional automata", 2009). Two boards of n moves each are two
// searches of n moves instead of one of n². A role plays what its search says in the subgame
// where it has to move; the subgames in which somebody has to choose take turns, so that what
// is learnt while others choose is there when its turn comes.
//
// Nothing of that is proved: what ends a subgame may come too late because another one ends
// before. So the whole is searched as soon as the subgames are solved, and in positions in which a
// role has moves in several of them. It belongs to one goroutine.
type Searcher struct {
	whole search.Searcher
	part  func(machine.Machine) search.Searcher

	machine machine.Machine
	board   *board
	parts   []*part
}

var _ search.Searcher = (*Searcher)(nil)

// part is the search of a subgame.
type part struct {
	*machine.Subgame
	search.Searcher
	result search.Result
	// done is what it took in this search of the whole.
	done search.Counters
}

// New makes a searcher of the search of the whole game and of what makes those of subgames.
func New(whole search.Searcher, part func(machine.Machine) search.Searcher) *Searcher {
	return &Searcher{whole: whole, part: part}
}

// firstSlice is the number of nodes that a subgame gets at first, before it is the turn of the
// next one. Each turn is longer than the last one by slower.
const (
	firstSlice = 500
	slower     = 1.25
)

// Search implements search.Searcher.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if s.machine != m {
		s.machine, s.board = m, newBoard(ctx, m)
		s.parts = nil
		for i := range s.board.subgames {
			g := &s.board.subgames[i]
			s.parts = append(s.parts, &part{Subgame: g, Searcher: s.part(g.Machine)})
		}
	}
	lim.MaxBytes /= int64(1 + len(s.parts))
	s.board.set(q)
	owners := s.board.owners()
	if owners == nil {
		return s.whole.Search(ctx, m, q, lim)
	}
	active := s.active(owners)
	if err := s.searchParts(ctx, q, active, owners, lim); err != nil {
		return search.Result{}, err
	}
	r := s.together(active, owners)
	isOpen := func(p *part) bool { return !p.result.Solved() }
	if left := lim.MaxNodes - r.Nodes; !slices.ContainsFunc(active, isOpen) && ctx.Err() == nil && (lim.MaxNodes == 0 || left > 0) {
		lim.MaxNodes = max(left, 0)
		whole, err := s.whole.Search(ctx, m, q, lim)
		if err != nil {
			return search.Result{}, err
		}
		if whole.Nodes > 0 || whole.Solved() {
			whole.Nodes += r.Nodes
			whole.Playouts += r.Playouts
			r = whole
		}
	}
	r.Elapsed = time.Since(began)
	return r, nil
}

// active are the parts in which somebody has a choice. What others took counts no more.
func (s *Searcher) active(owners []owner) []*part {
	var active []*part
	for i, p := range s.parts {
		if p.done = (search.Counters{}); slices.ContainsFunc(owners, func(o owner) bool { return o.subgame == i }) {
			active = append(active, p)
		}
	}
	return active
}

// searchParts lets parts take turns until all are solved, each has had its share of the nodes, or
// ctx is done.
func (s *Searcher) searchParts(ctx context.Context, q machine.State, active []*part, owners []owner, lim search.Limits) (err error) {
	share := search.Limits{MaxBytes: lim.MaxBytes, Seed: lim.Seed, NoLine: true}
	most := lim.MaxNodes / int64(max(1, len(active))) // 0 for no limit
	for slice, left := float64(firstSlice), active; len(left) > 0; slice *= slower {
		var open []*part
		for _, p := range left {
			if share.MaxNodes = int64(slice); most > 0 {
				share.MaxNodes = min(share.MaxNodes, most-p.done.Nodes)
			}
			if p.result, err = p.Search(ctx, p.Machine, p.Project(q), share); err != nil {
				return fmt.Errorf("a subgame: %w", err)
			}
			p.done.Nodes += p.result.Nodes
			p.done.Playouts += p.result.Playouts
			if !p.result.Solved() && p.result.Nodes > 0 && (most == 0 || p.done.Nodes < most) {
				open = append(open, p)
			}
		}
		if left = open; ctx.Err() != nil {
			return nil
		}
		if lim.Progress != nil {
			lim.Progress(s.together(active, owners))
		}
	}
	return nil
}

// together puts what is known of the subgames together: a role that stands well in some of
// them stands better than in any of them alone.
func (s *Searcher) together(active []*part, owners []owner) search.Result {
	r := search.Result{Values: make([]search.Interval, len(owners)), Strategies: make([][]search.Weighted, len(owners))}
	for i, o := range owners {
		value := even
		for _, p := range active {
			value += p.result.Guess(machine.Role(i)) - even
		}
		r.Values[i] = search.Exact(min(max(value, 0), machine.MaxGoal))
		if o.subgame < 0 {
			r.Strategies[i] = []search.Weighted{{Move: o.only, Probability: 1}}
		} else {
			r.Strategies[i] = s.parts[o.subgame].result.Strategies[i]
		}
	}
	for _, p := range active {
		r.Nodes += p.done.Nodes
		r.Playouts += p.done.Playouts
		r.PeakBytes += p.result.PeakBytes
	}
	return r
}

// even are the goal points of who stands neither better nor worse than the others.
const even = machine.MaxGoal / 2.
