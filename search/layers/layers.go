// Package layers solves one- and two-player zero-sum games, with simultaneous moves and chance, that are
// too large for a search position by position. It applies backward induction to whole layers, on all
// processors:
//
//	forward   layer d+1 holds the nonterminal children of layer d, packed into short
//	          keys, replaced by symmetry representatives, sorted, without duplicates
//	backward  the value of a position of layer d is the value of the matrix game of
//	          its children, which are looked up in layer d+1
//
// Invariant: layer d holds one symmetry image of each nonterminal position that d joint moves reach. The
// correctness of keys is checked, not assumed (packing.go).
//
// Cost: two expansions and one matrix game for each position; one sorted insertion and one look-up for
// each child. Memory holds one layer with its keys and the next layer with its values. With a folder, the
// other layers are on disk.
//
// A position at several depths is in several layers: that is correct, but costs extra time. A game with
// repeated positions has no last layer; it is rejected.
//
// Reference: hand-written solvers of goofspiel by this method: S. M. Ross (1971); G. C. Rhoads and L.
// Bartholdi, "Computer solution to the game of pure strategy" (2012).
package layers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/book"
	"stackmate/search/matrix"
)

// Config holds the parameters of a search.
type Config struct {
	// Threads is the number of concurrent workers; 0 means one for each processor. The values do not
	// depend on it.
	Threads int
	// Engine returns a solver of matrix games; nil means the native engine.
	Engine func() (matrix.Engine, error)
	// Folder stores the layers, so that memory need hold only two, and finally the solution; empty for
	// none. Label identifies the game.
	Folder string
	Label  book.Label
	// Resume continues with the layers in the folder. Otherwise the folder must not contain layers.
	Resume bool
	// Elsewhere, if not nil, has a Helper execute tasks in place of the threads, at most maxTasks at a
	// time. The results are files in the folder.
	Elsewhere func(ctx context.Context, t Task) (Done, error)
}

// maxLayers is the maximum number of joint moves of a game.
const maxLayers = search.MaxPlies

// Reasons why a game has no solution by layers.
var (
	errRepeats = errors.New("positions repeat, so the game may never end: there is no last layer")
	errTooDeep = fmt.Errorf("the game has more than %d joint moves", maxLayers)
)

// Searcher keeps the layers of the last game. It is not safe for concurrent use.
type Searcher struct {
	config   Config
	solution *Solution
}

var _ search.Searcher = (*Searcher)(nil)

// New returns a searcher.
func New(config Config) *Searcher {
	if config.Threads <= 0 {
		config.Threads = runtime.GOMAXPROCS(0)
	}
	if config.Engine == nil {
		config.Engine = func() (matrix.Engine, error) { return matrix.NewNative(), nil }
	}
	return &Searcher{config: config}
}

// Search implements search.Searcher. It reuses the layers of the last search if they contain q, else it
// begins new layers at q. It returns search.ErrNotZeroSum, wrapped, if the goals of two terminal positions
// have different sums.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	started := time.Now()
	g, err := s.gameFor(ctx, m, q, lim)
	if err != nil {
		return search.Result{}, err
	}
	err = g.solve()
	r := search.Result{Proved: true, Values: g.Values(len(g.machine.Names().Roles), search.GoalRange)}
	if err == nil {
		if s.solution == nil || s.solution.game != g {
			s.solution = &Solution{newReaders(g)}
		}
		var claim search.Claim
		if claim, err = s.solution.At(ctx, q); err == nil {
			r.Values, r.Strategies = g.Values(len(g.machine.Names().Roles), search.Exact(claim.Value)), claim.Strategies
		}
		if err == nil && !lim.NoLine {
			r.Line, _, err = search.Line(ctx, m, s.solution, q)
		}
	}
	switch {
	case errors.Is(err, search.ErrMemory), errors.Is(err, errRepeats), errors.Is(err, errTooDeep), errors.Is(err, errWide):
		r.Unfinished, err = err, nil
	case ctx.Err() != nil:
		err = nil
	}
	r.Counters = g.counters
	r.PeakBytes, r.Elapsed = g.peak.Load(), time.Since(started)
	return r, err
}

// gameFor returns the last game if its layers contain q, else a new one.
func (s *Searcher) gameFor(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (*game, error) {
	if s.solution != nil && s.solution.game.machine == m {
		g := s.solution.game
		g.begin(ctx, lim)
		if _, err := s.solution.ValueAt(ctx, q); err == nil || !errors.Is(err, errUnknown) {
			return g, err
		}
	}
	g, err := newGame(m, q, s.config)
	if err != nil {
		return nil, err
	}
	g.begin(ctx, lim)
	if s.config.Folder != "" {
		err = g.prepare()
	}
	return g, err
}

// Solution returns the solution of the last search, or nil before the first complete one.
func (s *Searcher) Solution() *Solution { return s.solution }

// Open opens the solution in a folder for machine m of a game with the given digest of its rules. It uses
// at most maxBytes of memory; zero means no limit.
func Open(folder string, m machine.Machine, rules string, maxBytes int64) (*Solution, error) {
	s := New(Config{Threads: 1, Folder: folder, Label: book.Label{Rules: rules}})
	g, err := newGame(m, m.Initial(), s.config)
	if err != nil {
		return nil, err
	}
	g.begin(context.Background(), search.Limits{MaxBytes: maxBytes})
	if err := g.open(); err != nil {
		return nil, err
	}
	if len(g.layers) == 0 || !g.layers[0].solved {
		return nil, fmt.Errorf("%s: expected a solved game, found an unfinished one: --resume goes on with it", folder)
	}
	return &Solution{newReaders(g)}, nil
}
