// Package layers solves one- and two-player zero-sum games, with simultaneous moves and
// with chance, that are too large to be searched position by position: backward induction,
// a layer at a time, on all processors.
//
//	forward   layer d+1 are the children of the positions of layer d that are not terminal:
//	          packed into short keys, replaced by those that stand for all their images under the
//	          symmetries, sorted, each once
//	backward  a position of layer d is worth the value of the matrix game of its children, which
//	          are found in layer d+1
//
// Invariant: of each position that its number of joint moves leads to, unless that is terminal, a layer holds the key of one
// image. What a key stands for is checked, not assumed (packing.go).
//
// Cost: two expansions of each position, an insertion in sorted order and a look-up for each child, a matrix game for each
// position; memory of one layer with its keys and of the next one with its values, the others being on the disk where
// a folder is given.
//
// A position that can be reached by different numbers of moves is in several layers. That is
// right, but takes more time than it should; and a game in which positions repeat has no last
// layer: it is refused.
//
// Reference: goofspiel was solved like that by hand-written programs: S. M. Ross (1971);
// G. C. Rhoads and L. Bartholdi, "Computer solution to the game of pure strategy" (2012).
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

// Config says how to search.
type Config struct {
	// Threads work at the same time; 0 is one for each processor. The values do not depend on it.
	Threads int
	// Engine makes the solver of matrix games; nil means the native one.
	Engine func() (matrix.Engine, error)
	// Folder keeps the layers, so that only two need be in memory, and is the solution in the end; empty
	// for none. Label says whose they are.
	Folder string
	Label  book.Label
	// Resume goes on with what the folder holds. Otherwise it must hold no layers.
	Resume bool
	// Elsewhere, if not nil, has a Helper do a task, maxTasks at a time, instead of the threads. The folder
	// is where what it does is found.
	Elsewhere func(ctx context.Context, t Task) (Done, error)
}

// maxLayers bounds the number of joint moves of a game.
const maxLayers = 1 << 12

// Why a game has no solution by layers.
var (
	errRepeats = errors.New("positions repeat, so that a game may go on for ever: it has no last layer")
	errTooDeep = fmt.Errorf("there are positions more than %d joint moves deep", maxLayers)
)

// Searcher keeps the layers of the last game searched. It belongs to one goroutine.
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

// Search solves position q of m, see search.Searcher: where that is a position of the layers that are there, by these,
// otherwise by layers that begin with q. It returns search.ErrNotZeroSum, wrapped, if the goals of two
// terminal positions do not have the same sum.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	started := time.Now()
	g, err := s.of(ctx, m, q, lim)
	if err != nil {
		return search.Result{}, err
	}
	err = g.solve()
	r := search.Result{Proved: true, Values: g.values(search.Interval{Upper: machine.MaxGoal})}
	if err == nil {
		if s.solution == nil || s.solution.game != g {
			s.solution = &Solution{newReaders(g)}
		}
		var claim search.Claim
		if claim, err = s.solution.At(ctx, q); err == nil {
			r.Values, r.Strategies = g.values(search.Exact(claim.Value)), claim.Strategies
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

// of is the game with layers that hold q, if those of the last search do, or else a new one.
func (s *Searcher) of(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (*game, error) {
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

// Solution is that of the last search, which has solved its game, or nil.
func (s *Searcher) Solution() *Solution { return s.solution }

// Open opens the solution in a folder, for the machine of a game whose rules have the digest given. It takes up to
// maxBytes of memory; zero means no bound.
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
		return nil, fmt.Errorf("%s: expected a game that is solved, found one that is not: --resume goes on with it", folder)
	}
	return &Solution{newReaders(g)}, nil
}
