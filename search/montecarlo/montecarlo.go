// Package montecarlo searches any game by sampling: one role, two or many,
// turns or simultaneous moves, chance, any sum. It is the search that always
// has an answer. It owns the tree, the rules by which roles pick moves in it,
// the playouts and the score bounds that turn samples into proofs; it knows
// state machines, never rules of games or clocks other than its context.
package montecarlo

import (
	"context"
	"errors"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Rule says how roles pick their moves where several choose at once. Where one
// role chooses alone it is always UCT.
type Rule int

// The rules (Tak, Lanctot and Winands, 2014).
const (
	// UCT is decoupled UCT: each role on its own treats its moves as a bandit.
	// It plays the move that was tried most.
	UCT Rule = iota
	// RegretMatching plays moves in proportion to how much they are regretted,
	// and ends up with the average strategy, which is mixed.
	RegretMatching
)

// Config says how to sample. The zero value is a good default.
type Config struct {
	Rule Rule
	// Workers is the number of independent trees, each with a goroutine of its
	// own, that are added up in the end; zero means one.
	Workers int
	// Lanes is the number of playouts that run in lock step. Zero means all that
	// a circuit has, or slowLanes where playouts cost by the piece.
	Lanes int
	// Exploration is the constant of UCT in goal points; zero means
	// defaultExploration.
	Exploration float64
}

// slowLanes is the number of playouts at a time on an engine that looks at one
// position at a time: more of them would make the tree blind for their sake.
const slowLanes = 8

// defaultBytes bounds the trees where the limits do not.
const defaultBytes = 1 << 30

// Searcher is a Monte Carlo tree search with a memory: a search from a position
// that the tree of the last one contains goes on with that part of it. A fresh
// Searcher with a node limit is reproducible. It belongs to one goroutine.
type Searcher struct {
	config  Config
	machine machine.Machine
	workers []*worker
	last    opinion // of all workers, on the last search
}

var _ search.Searcher = (*Searcher)(nil)

// New makes a searcher.
func New(c Config) *Searcher {
	c.Workers = max(c.Workers, 1)
	if c.Exploration == 0 {
		c.Exploration = defaultExploration
	}
	return &Searcher{config: c}
}

// Search implements search.Searcher. A node is a leaf evaluated by playouts.
// What it returns is an estimate unless the score bounds meet; for a single
// role without chance it is the proved interval from the best goal that some
// line reaches, which is the line returned.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	began := time.Now()
	if lim.MaxBytes <= 0 {
		lim.MaxBytes = defaultBytes
	}
	if s.machine != m {
		s.machine, s.workers = m, nil
	}
	for i := len(s.workers); i < s.config.Workers; i++ {
		s.workers = append(s.workers, newWorker(m, s.config, lim.Seed+uint64(i)))
	}
	inner, solved := context.WithCancel(ctx)
	defer solved()
	var group sync.WaitGroup
	for i, w := range s.workers {
		w.progress = nil
		if i == 0 && lim.Progress != nil {
			w.progress = func() { lim.Progress(w.result()) }
		}
		group.Go(func() {
			w.prepare(q, lim, len(s.workers))
			// Only a search that runs against the clock may be cut short by
			// another worker's proof: with a node limit all run to their end, so
			// that the outcome does not depend on their speed.
			if w.grow(inner) && lim.MaxNodes == 0 {
				solved()
			}
		})
	}
	group.Wait()
	if s.workers[0].tree.isBroken() {
		return search.Result{}, errors.New("a role has no legal move in a position that is not terminal")
	}
	r := s.merge()
	r.Elapsed = time.Since(began)
	return r, nil
}
