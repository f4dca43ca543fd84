// Package factor searches games that consist of independent subgames, each on its own. It assigns the
// roles' choices to subgames and divides the time; the searches are given by the caller. It works on state
// machines, never on rules.
package factor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
)

// Searcher searches each subgame on its own (Cox, Schkufza, Madsen and Genesereth, "Factoring general
// games using propositional automata", 2009). Two boards of n moves each take two searches of n moves
// instead of one of n². A role plays the move of the subgame in which it has a choice. Subgames with a
// choice are searched in turn.
//
// Each subgame has a sampling search and an exact search (proof.go), which prove values of the subgame alone. The
// results are not proofs: a subgame may be cut short because another one ends first. So the whole game
// is searched once all subgames are solved without a line to their end, and in positions in which a role has choices in several
// subgames. A Searcher is not safe for concurrent use.
type Searcher struct {
	whole       search.Searcher
	part, exact func(machine.Machine) search.Searcher

	machine machine.Machine
	board   *board
	parts   []*part
	last    []*part // subgames with a choice at the last position
}

var _ search.Searcher = (*Searcher)(nil)

// part is the search of a subgame.
type part struct {
	*facts.Subgame
	search.Searcher
	result search.Result
	proof  proof
	// done holds the counters of the current search.
	done search.Counters
}

// New returns a searcher. whole samples the whole game, part returns the sampling search of a subgame, exact the
// exact search of a subgame, or nil.
func New(whole search.Searcher, part, exact func(machine.Machine) search.Searcher) *Searcher {
	return &Searcher{whole: whole, part: part, exact: exact}
}

// firstSlice is the node limit of the first search of each subgame. It grows by the factor slower each
// turn.
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
			s.parts = append(s.parts, &part{Subgame: g, Searcher: s.part(g.Machine), proof: proof{Searcher: s.exact(g.Machine)}})
		}
	}
	lim.MaxBytes /= int64(1 + 2*len(s.parts))
	s.last = nil
	s.board.set(q)
	owners := s.board.owners()
	if owners == nil {
		return s.whole.Search(ctx, m, q, lim)
	}
	active := s.active(owners)
	s.last = active
	if err := s.searchParts(ctx, q, active, owners, lim); err != nil {
		return search.Result{}, err
	}
	r := s.together(active, owners)
	isOpen := func(p *part) bool { return !p.result.Solved() || p.proof.line != nil } // lines show which subgame ends first
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

// active returns the subgames in which a role has a choice. Counters of inactive subgames are reset.
func (s *Searcher) active(owners []owner) []*part {
	var active []*part
	for i, p := range s.parts {
		if p.done = (search.Counters{}); slices.ContainsFunc(owners, func(o owner) bool { return o.subgame == i }) {
			active = append(active, p)
			p.proof.begin()
		}
	}
	return active
}

// searchParts searches the subgames in turn until all are solved, all have used their share of the nodes,
// or ctx is done.
func (s *Searcher) searchParts(ctx context.Context, q machine.State, active []*part, owners []owner, lim search.Limits) (err error) {
	share := search.Limits{MaxBytes: lim.MaxBytes, Seed: lim.Seed, NoLine: true}
	most := lim.MaxNodes / int64(max(1, len(active))) // 0 for no limit
	if lim.MaxNodes > 0 {
		most = max(1, most)
	}
	for slice, left := float64(firstSlice), active; len(left) > 0; slice *= slower {
		var open []*part
		for _, p := range left {
			if share.MaxNodes = int64(slice); most > 0 {
				share.MaxNodes = min(share.MaxNodes, most-p.done.Nodes-p.proof.spent)
			}
			if p.result, err = p.Search(ctx, p.Machine, p.Project(q), share); err != nil {
				return fmt.Errorf("a subgame: %w", err)
			}
			p.done.Nodes += p.result.Nodes
			p.done.Playouts += p.result.Playouts
			if p.proof.isDue(p.done.Nodes) && (most == 0 || p.done.Nodes+p.proof.spent+p.proof.next <= most) && ctx.Err() == nil {
				p.proof.search(ctx, p.Machine, p.Project(q), share)
			}
			if !p.isSettled() && p.result.Nodes > 0 && (most == 0 || p.done.Nodes+p.proof.spent < most) {
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

// together combines the results of the subgames. Lines of solved subgames show which subgame ends first, and its value
// counts; otherwise the advantages of a role in the subgames add up.
func (s *Searcher) together(active []*part, owners []owner) search.Result {
	r := search.Result{Values: make([]search.Interval, len(owners)), Strategies: make([][]search.Weighted, len(owners))}
	counted := active
	if ended := first(active); ended != nil && !slices.ContainsFunc(active, func(p *part) bool { return !p.isSettled() }) {
		counted = ended
	}
	for i, o := range owners {
		value := even
		for _, p := range counted {
			value += p.value(machine.Role(i)) - even
		}
		r.Values[i] = search.Exact(min(max(value, 0), machine.MaxGoal))
		if o.subgame < 0 {
			r.Strategies[i] = []search.Weighted{{Move: o.only, Probability: 1}}
		} else {
			r.Strategies[i] = s.parts[o.subgame].strategy(machine.Role(i))
		}
	}
	for _, p := range active {
		r.Nodes += p.done.Nodes + p.proof.spent
		r.Playouts += p.done.Playouts
		r.PeakBytes += p.result.PeakBytes
	}
	return r
}

// even is the goal of a balanced position.
const even = machine.MaxGoal / 2.
