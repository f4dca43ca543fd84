// Package bestfirst searches games of two players with constant sum, in which both may choose at once, by an evaluation
// of positions. It owns the tree and its equilibria, and knows neither rules nor a clock except its context.
//
// A node holds the matrix of its joint moves. An element is the goal of the first player if the game ends, else the
// evaluation of the successor, and the value of the successor's node once there is one. The value of a node is the value
// of its matrix game. A search descends from the root: in each node it draws a joint move from the equilibrium, where a
// joint move without a node gets one, and solves the matrices on the way back. Equal positions of equal depth share a node.
//
// So the tree grows where equilibria lead: best-first minimax search (Korf and Chickering, 1996), with matrix games
// in the place of maxima. No value is a mean of samples: moves that were explored and early errors leave no trace, and
// with an evaluation, which has no noise, one visit is enough (docs/lab/atonce.md).
//
// Cost of a descent: one pass of the machine and an evaluation for each joint move of the new node, and a matrix game for
// each node of the path.
package bestfirst

import (
	"cmp"
	"context"
	"errors"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Evaluator estimates the values of positions. It must be safe for concurrent use.
type Evaluator interface {
	// Values writes the estimated goal points of each role to dst, position by position. The positions are
	// concatenated in states.
	Values(dst []float64, states []uint64)
}

// ErrUnfit is returned for games that are not fit (Fits).
var ErrUnfit = errors.New("best-first search is for games of two players without chance")

// Fits reports whether the game has exactly two roles, none of them chance.
func Fits(m machine.Machine) bool {
	names := m.Names()
	return len(names.Roles) == 2 && names.Chance() == machine.NoRole
}

const (
	// exploration is the share of uniform draws of each player. From 0.02 to 0.3 it hardly matters (docs/lab/atonce.md).
	exploration = 0.1
	// defaultBytes is the memory limit if Limits.MaxBytes is zero.
	defaultBytes = 1 << 30
	// firstReport is the number of nodes of a search at its first interim result; the number doubles from one to the next.
	firstReport = 1 << 8
)

// Searcher is a best-first search that keeps its tree: a search from a position in the tree goes on with the subtree. A
// fresh Searcher with a node limit is reproducible. It belongs to one goroutine.
type Searcher struct {
	evaluator Evaluator
	machine   machine.Machine
	batch     machine.Batch // makes single joint moves
	expander  *play.Expander
	expansion play.Expansion
	engine    matrix.Native
	rng       *machine.Rand
	values    []float64 // by child of expansion, then role
	mixes     []float64 // strategies of both players in the last matrix game
	sum       float64   // of the goals of both players
	root      *node
	nodes     map[place]*node // the root and all nodes below it
	bytes     int64           // of the tree
	counters  search.Counters
}

var _ search.Searcher = (*Searcher)(nil)

// New returns a Searcher that evaluates positions by e.
func New(e Evaluator) *Searcher { return &Searcher{evaluator: e} }

// Search implements search.Searcher. A node is an expanded position. The result is an estimate, also where the tree
// contains the whole game: the search assumes that the sum of the goals is constant. The search ends before its limits if
// the tree contains the whole game or fills Limits.MaxBytes. A terminal position has its goals as values, and no
// strategies.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if !Fits(m) {
		return search.Result{}, ErrUnfit
	}
	if s.machine != m {
		*s = Searcher{
			evaluator: s.evaluator, machine: m, batch: m.NewNarrowBatch(), expander: play.NewExpander(m), rng: machine.NewRand(lim.Seed),
		}
	}
	most := cmp.Or(lim.MaxBytes, defaultBytes)
	s.expander.Limit(ctx, most/2, perChild)
	s.engine.Within(ctx)
	if terminal, goals := s.expander.Look(q); terminal {
		return search.Result{Values: []search.Interval{
			search.Exact(float64(search.Points(goals[0]))), search.Exact(float64(search.Points(goals[1]))),
		}, Proved: true, Strategies: make([][]search.Weighted, 2)}, nil
	}
	s.counters = search.Counters{}
	if err := s.enter(q); err != nil {
		return search.Result{}, err
	}
	s.grow(ctx, most, lim)
	r := s.result()
	r.Elapsed = time.Since(began)
	return r, nil
}

// enter makes the node of a position the root, with the nodes below it: a node at most two joint moves below the root, or
// a new one.
func (s *Searcher) enter(q machine.State) error {
	var known *node
	if key := q.Key(); s.root != nil {
		for plies := range 3 {
			known = cmp.Or(known, s.nodes[place{key, s.root.depth + plies}])
		}
	}
	s.nodes, s.bytes = make(map[place]*node), 0
	if known != nil {
		s.root = known
		s.keep(known)
		return nil
	}
	var err error
	s.root, err = s.nodeAt(q, 0)
	return err
}

// grow lets the tree grow within the limits.
func (s *Searcher) grow(ctx context.Context, most int64, lim search.Limits) {
	report := int64(firstReport)
	for s.root.open > 0 && s.bytes < most && ctx.Err() == nil && (lim.MaxNodes == 0 || s.counters.Nodes < lim.MaxNodes) {
		s.descend(s.root)
		if lim.Progress != nil && s.counters.Nodes >= report {
			report *= 2
			lim.Progress(s.result())
		}
	}
}
