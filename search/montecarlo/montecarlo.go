// Package montecarlo implements Monte Carlo tree search for every class of game: one role or many,
// sequential or simultaneous moves, chance, any payoff sum. It can return an estimate at any time. The
// package holds the tree, the selection rules, the playouts and the score bounds that turn samples into
// proofs. It works on state machines alone: it knows neither the rules of a game nor any clock except its
// context.
package montecarlo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/threads"
)

// Rule selects moves at nodes where several roles choose at once. A role that chooses alone always uses
// UCT, or PUCT if its moves have priors.
type Rule int

// The rules (Tak, Lanctot and Winands, 2014).
const (
	// UCT is decoupled UCT: each role treats its moves as a bandit of its own. The most visited move is
	// played.
	UCT Rule = iota
	// RegretMatching (regret matching+) draws moves in proportion to their cumulative regret. The average
	// strategy is played, which is mixed.
	RegretMatching
)

// Config holds the parameters of the search. The zero value is a good default.
type Config struct {
	Rule Rule
	// Workers is the number of goroutines that share the tree; zero means one.
	Workers int
	// Lanes is the number of playouts in lockstep. Zero means all lanes of a parallel machine
	// (machine.Info), slowLanes on any other machine.
	Lanes int
	// Playouts is the minimum number of playouts of a new leaf. Zero means DefaultPlayouts.
	Playouts int
	// Exploration is the exploration constant of UCT in goal points; zero means DefaultExploration.
	Exploration float64
	// PolicyExploration is the exploration constant of PUCT in goal points; zero means
	// DefaultPolicyExploration.
	PolicyExploration float64
	// AtOnce counts a move as decisive if it decides the game while the simultaneous opponents do nothing
	// (facts.Decisive).
	AtOnce bool
	// Evaluator, if not nil, evaluates leaves in addition to the playouts. An evaluation counts for DefaultPlayouts
	// playouts.
	Evaluator Evaluator
	// Alone makes evaluations replace playouts after the first batch, which finds the sum of the goals.
	Alone bool
	// Rave adds all-moves-as-first values to moves with few visits at nodes where one role chooses. It
	// requires a batch that keeps its random moves as masks (machine.Recording), and has no effect on moves
	// with priors.
	Rave bool
	// Epsilon is a tolerance in goal points. Positions count as solved if their bounds differ by at most
	// Epsilon. Moves are pruned if they can improve the proved lower bound by at most Epsilon. Value and
	// strategy at the root are then exact up to Epsilon (Bounded Alpha-Beta paper, Theorem 1, with the
	// windows of each position alone).
	Epsilon float64
	// Without is the set of disabled techniques.
	Without Technique

	minimaxShare float64 // see prior.go; 0 without Minimax
}

// isTight reports whether the bounds differ by at most Epsilon.
func (c *Config) isTight(b search.Interval) bool { return b.Upper-b.Lower <= c.Epsilon }

// Evaluator estimates the values of positions. It must be safe for concurrent use.
type Evaluator interface {
	// Values writes the estimated goal points of each role to dst, position by position, with 0 for
	// chance. The positions are concatenated in states.
	Values(dst []float64, states []uint64)
}

// Technique is a set of extensions to textbook UCT. Each is enabled unless Config.Without disables it: for
// games that it does not suit, or to measure its gain.
type Technique uint

// The techniques.
const (
	// Decisive makes playouts play decisive moves if the machine has them (facts.Decisive). It
	// suits games in which one role chooses at a time.
	Decisive Technique = 1 << iota
	// Bounds proves values by score bounds.
	Bounds
	// Caution plays the move with the largest lower confidence bound instead of the most visited move
	// where one role chooses.
	Caution
	// Transpositions merges equal positions at equal depth into one node.
	Transpositions
	// Equilibria values nodes where two opponents choose at once by regret matching with their matrix
	// game, and mixes moves by its equilibrium.
	Equilibria
	// Priors initializes moves with evaluations of the positions behind them and explores by PUCT, where
	// one role chooses and an evaluator is set.
	Priors
	// Minimax backs up priors by minimax and blends them with the mean of the paths for ever (implicit minimax
	// backups), in games of two players with constant sum.
	Minimax
)

// Plain disables every technique.
const Plain = Decisive | Bounds | Caution | Transpositions | Equilibria | Priors | Minimax

// has reports whether technique t is enabled.
func (c *Config) has(t Technique) bool { return c.Without&t == 0 }

// estimatesAlone reports whether evaluations replace playouts.
func (c *Config) estimatesAlone() bool { return c.Evaluator != nil && c.Alone }

// hasPriors reports whether moves are initialized with priors.
func (c *Config) hasPriors() bool { return c.Evaluator != nil && c.has(Priors) }

// slowLanes is the number of lockstep playouts on a machine that is not parallel. The leaves of a batch
// are selected before any of its results is known. A batch that costs as much as its playouts one by one
// should therefore be small.
const slowLanes = 8

// defaultBytes is the memory limit if Limits.MaxBytes is zero.
const defaultBytes = 1 << 30

// Searcher is a Monte Carlo tree search that reuses its tree: a search from a position in the tree of the
// previous search continues with the subtree. A fresh Searcher with a node limit and one worker is
// reproducible. It is not safe for concurrent use.
type Searcher struct {
	config   Config
	machine  machine.Machine
	playing  machine.Machine // the same game with decisive moves in playouts
	maxBytes int64
	general  bool // the goals of the two players have no constant sum
	workers  []*worker
}

var _ search.Searcher = (*Searcher)(nil)

// New returns a Searcher with configuration c.
func New(c Config) *Searcher {
	c.Workers = max(c.Workers, 1)
	if c.hasPriors() {
		c.Exploration = cmp.Or(c.Exploration, priorExploration)
	}
	c.Exploration = cmp.Or(c.Exploration, DefaultExploration)
	c.PolicyExploration = cmp.Or(c.PolicyExploration, DefaultPolicyExploration)
	c.Playouts = cmp.Or(c.Playouts, DefaultPlayouts)
	share := DefaultPlayouts / float64(DefaultPlayouts+c.Playouts) // of the evaluation in the value of a leaf
	if c.estimatesAlone() {
		c.Playouts, share = 1, 1
	}
	if c.has(Minimax) {
		c.minimaxShare = minimaxShare * share
	}
	return &Searcher{config: c}
}

// Search implements search.Searcher. A node is a leaf evaluated by playouts. The result is an estimate
// unless the score bounds meet. For a single role without chance it is a proved interval, whose lower end
// the returned line reaches. A role without a legal move is an error (play.ErrStuck, wrapped). A
// terminal position has its goals as values, and no strategies.
//
// No goroutine and no timer outlives the call: ctx is polled between two passes of the machine. Batches
// and trees of all workers stay within Limits.MaxBytes, if need be with fewer workers. One batch and the
// root are allocated in any case.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if lim.MaxBytes <= 0 {
		lim.MaxBytes = defaultBytes
	}
	if s.machine != m || s.maxBytes != lim.MaxBytes {
		s.machine, s.playing, s.maxBytes, s.general = m, m, lim.MaxBytes, false
		if s.config.has(Decisive) {
			s.playing = cmp.Or(facts.Decisive(ctx, m, s.config.AtOnce), m)
		}
		affordable := lim.MaxBytes / (2 * max(s.playing.Info().Batch, 1)) // half of the memory is for batches
		s.workers = make([]*worker, max(1, min(int64(s.config.Workers), affordable)))
	}
	if err := s.grow(ctx, q, lim); err != nil {
		s.machine, s.workers = nil, nil // the state of the workers is undefined after a panic
		return search.Result{}, err
	}
	if s.workers[0].mistaken {
		s.general, s.workers = true, make([]*worker, len(s.workers))
		return s.Search(ctx, m, q, lim)
	}
	r := s.workers[0].result()
	for _, w := range s.workers[1:] {
		r.Nodes, r.Playouts, r.PeakBytes = r.Nodes+w.nodes, r.Playouts+w.games, r.PeakBytes+w.fixed
	}
	r.Elapsed = time.Since(began)
	return r, nil
}

// Bounds returns, by role, the proved bounds of the value of the last searched position, in goal points.
// It returns nil before the first search.
func (s *Searcher) Bounds() []search.Interval {
	if len(s.workers) == 0 || s.workers[0] == nil || s.workers[0].tree.root == none {
		return nil
	}
	t := s.workers[0].tree
	bounds := slices.Clone(t.boundsOf(t.root))
	if t.random >= 0 {
		bounds[t.random] = search.Exact(0) // chance has no payoff
	}
	return bounds
}

// grow runs all workers on position q until a limit is reached or ctx is done. It returns a panic of a
// worker as an error.
func (s *Searcher) grow(ctx context.Context, q machine.State, lim search.Limits) error {
	inner, end := context.WithCancel(ctx)
	defer end()
	share := (lim.MaxNodes + int64(len(s.workers)) - 1) / int64(len(s.workers))
	err := guard.Do(func() error {
		if s.workers[0] == nil {
			s.workers = newTeam(s.machine, s.playing, s.config, !s.general, lim.Seed, len(s.workers), lim.MaxBytes)
		}
		for _, w := range s.workers {
			w.reset(inner, share)
		}
		first := s.workers[0]
		if !first.prepare(q) {
			err := play.NewExpander(s.machine).Expand(new(play.Expansion), q) // lost or stuck
			return fmt.Errorf("the position to search: %w", cmp.Or(err, play.ErrStuck))
		}
		if first.progress = nil; lim.Progress != nil {
			first.progress = func() { lim.Progress(first.result()) }
		}
		return nil
	})
	if err != nil {
		return err
	}
	var crew threads.Crew
	crew.Together(len(s.workers), func(i int) (bool, error) {
		crew.Join()
		s.workers[i].grow()
		return false, nil
	}, func(_ int, fault error) {
		err = errors.Join(err, fault)
		end()
	})
	return err
}
