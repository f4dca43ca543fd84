// Package montecarlo searches any game by sampling: one role, two or many,
// turns or simultaneous moves, chance, any sum. It is the search that always
// has an answer. It owns the tree, the rules by which roles pick moves in it,
// the playouts and the score bounds that turn samples into proofs; it knows
// state machines, never rules of games or clocks other than its context.
package montecarlo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/threads"
)

// Rule says how roles pick their moves where several choose at once. Where one
// role chooses alone it is always UCT, or PUCT where moves have priors.
type Rule int

// The rules (Tak, Lanctot and Winands, 2014).
const (
	// UCT is decoupled UCT: each role on its own treats its moves as a bandit.
	// It plays the move that was tried most.
	UCT Rule = iota
	// RegretMatching plays moves in proportion to how much they are regretted
	// (regret matching+), and ends up with the average strategy, which is mixed.
	RegretMatching
)

// Config says how to sample. The zero value is a good default.
type Config struct {
	Rule Rule
	// Workers is the number of goroutines that grow the tree together; zero means one.
	Workers int
	// Lanes is the number of playouts that run in lock step. Zero means all lanes
	// of a parallel machine (machine.Info), or slowLanes where each position costs.
	Lanes int
	// Playouts is the number of playouts that a new leaf gets at least; zero means
	// DefaultPlayouts, or fewer beside estimates that count for more.
	Playouts int
	// Exploration is the constant of UCT in goal points; zero means
	// DefaultExploration.
	Exploration float64
	// PolicyExploration is the constant of PUCT in goal points; zero means
	// DefaultPolicyExploration.
	PolicyExploration float64
	// AtOnce lets decisive moves be those that decide if others, who choose at the same
	// time, do nothing (machine.Analysis).
	AtOnce bool
	// Evaluator, if not nil, estimates leaves, beside the playouts.
	Evaluator Evaluator
	// EstimateWeight is the number of playouts that an estimate counts for; zero means DefaultPlayouts. If it is
	// infinite none are made, but those of the first leaves, which tell what goals add up to.
	EstimateWeight float64
	// Rave lets moves with few visits, where one role chooses, count for what playouts brought
	// that made them at any time later, if the machine's batches tell (machine.Batch.Chosen) and
	// moves do not begin with estimates.
	Rave bool
	// Epsilon is a tolerance in goal points: a position whose bounds are no further apart
	// counts as solved, and a role that is sure of something needs no move that could give it
	// at most so much more. Value and strategy at the root are then right up to Epsilon
	// (Theorem 1 of the Bounded Alpha-Beta paper, with the windows of each position alone).
	Epsilon float64
	// Without names the techniques to do without.
	Without Technique
}

// isWithin tells whether bounds are close enough to each other.
func (c *Config) isWithin(b search.Interval) bool { return b.Upper-b.Lower <= c.Epsilon }

// Evaluator estimates what positions are worth. It is safe for concurrent use.
type Evaluator interface {
	// Values writes what positions, laid out one after the other, are worth to each role,
	// in goal points: position by position, 0 for chance.
	Values(dst []float64, states []uint64)
}

// Technique is something that the search does beyond textbook UCT. All are on;
// Config.Without switches them off, for games that they don't fit and to find out
// what they are worth.
type Technique uint

// The techniques.
const (
	// Decisive lets playouts make decisive moves where the machine is a
	// machine.Analysis that knows some. It is for games in which one role chooses at a
	// time.
	Decisive Technique = 1 << iota
	// Bounds proves values by score bounds.
	Bounds
	// Caution plays the move that is best for sure, not the one tried most, where one
	// role chooses.
	Caution
	// Transpositions makes positions that are reached in several ways one node of the tree.
	Transpositions
	// Equilibria makes positions in which two opponents choose at once by regret matching
	// worth what their matrix game is, and mixes moves by its equilibrium.
	Equilibria
	// Priors lets moves begin with estimates of what they lead to, and be explored as these
	// suggest, where one role chooses and there is an evaluator.
	Priors
)

// Plain is without any technique.
const Plain = Decisive | Bounds | Caution | Transpositions | Equilibria | Priors

// has tells whether a technique is in use.
func (c *Config) has(t Technique) bool { return c.Without&t == 0 }

// estimatesAlone tells whether estimates stand for playouts.
func (c *Config) estimatesAlone() bool { return c.Evaluator != nil && math.IsInf(c.EstimateWeight, 1) }

// hasPriors tells whether moves begin with estimates.
func (c *Config) hasPriors() bool { return c.Evaluator != nil && c.has(Priors) }

// slowLanes is the number of playouts at a time on a machine that is not parallel.
// Playouts of a batch are chosen before the result of any of them is known; where a
// batch costs as much as its playouts one by one, small batches choose better.
const slowLanes = 8

// defaultBytes bounds the trees where the limits do not.
const defaultBytes = 1 << 30

// Searcher is a Monte Carlo tree search with a memory: a search from a position
// that the tree of the last one contains goes on with that part of it. A fresh
// Searcher with a node limit and one worker is reproducible. It belongs to one goroutine.
type Searcher struct {
	config   Config
	machine  machine.Machine
	playing  machine.Machine // the same game, as playouts play it
	maxBytes int64
	general  bool // the goals of two players do not add up
	workers  []*worker
}

var _ search.Searcher = (*Searcher)(nil)

// New makes a searcher.
func New(c Config) *Searcher {
	c.Workers = max(c.Workers, 1)
	if c.hasPriors() {
		c.Exploration = cmp.Or(c.Exploration, priorExploration)
	}
	c.Exploration = cmp.Or(c.Exploration, DefaultExploration)
	c.PolicyExploration = cmp.Or(c.PolicyExploration, DefaultPolicyExploration)
	c.EstimateWeight = cmp.Or(c.EstimateWeight, DefaultPlayouts)
	switch {
	case c.estimatesAlone():
		c.Playouts = 1
	case c.Playouts == 0 && c.Evaluator != nil:
		c.Playouts = int(min(max(fewestPlayouts, DefaultPlayouts*DefaultPlayouts/c.EstimateWeight), DefaultPlayouts))
	case c.Playouts == 0:
		c.Playouts = DefaultPlayouts
	}
	return &Searcher{config: c}
}

// Search implements search.Searcher. A node is a leaf evaluated by playouts.
// What it returns is an estimate unless the score bounds meet; for a single
// role without chance it is the proved interval from the best goal that some
// line reaches, which is the line returned. A position in which a role has no move
// is an error (machine.ErrStuck, wrapped); a terminal one has its goals for values,
// and no strategies.
//
// No goroutine outlives the call, and no timer: ctx is looked at between two passes
// of the machine. Memory: batches and trees of all workers stay within
// Limits.MaxBytes, for which workers are left out where there is little; what a
// batch and the root take is taken in any case.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if lim.MaxBytes <= 0 {
		lim.MaxBytes = defaultBytes
	}
	if s.machine != m || s.maxBytes != lim.MaxBytes {
		s.machine, s.playing, s.maxBytes, s.general = m, m, lim.MaxBytes, false
		if s.config.has(Decisive) {
			s.playing = machine.Decisive(ctx, m, s.config.AtOnce)
		}
		affordable := lim.MaxBytes / (2 * max(s.playing.Info().Batch, 1)) // half of the memory is for batches
		s.workers = make([]*worker, max(1, min(int64(s.config.Workers), affordable)))
	}
	if err := s.grow(ctx, q, lim); err != nil {
		s.machine, s.workers = nil, nil // who knows in what state they are
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

// Bounds returns, by role, the interval that the last search has proved to contain the value of its
// position, in goal points; nil before the first search.
func (s *Searcher) Bounds() []search.Interval {
	if len(s.workers) == 0 || s.workers[0] == nil || s.workers[0].tree.root == none {
		return nil
	}
	t := s.workers[0].tree
	bounds := slices.Clone(t.boundsOf(t.root))
	if t.random >= 0 {
		bounds[t.random] = search.Exact(0) // chance has nothing to win
	}
	return bounds
}

// grow lets all workers work on position q, until a limit is reached or ctx is done.
// A panic of one of them is an error.
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
			err := machine.NewExpander(s.machine).Expand(new(machine.Expansion), q) // lost or stuck
			return fmt.Errorf("the position to search: %w", cmp.Or(err, machine.ErrStuck))
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
