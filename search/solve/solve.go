// Package solve is the front door of the exact searches: it tells what kind of game
// there is, finds the searches that fit it, runs one, and names roles and moves in
// the result. It owns the names and options of the methods; it searches nothing
// itself and must not know where a game comes from or who reads the result.
package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/layers"
	"stackmate/search/matrix"
	"stackmate/search/simultaneous"
)

// Options say how to solve.
type Options struct {
	// Method is Auto or one of those that NewSearcher knows.
	Method string
	// LP is the engine of linear programs, see matrix.NewEngine.
	LP string
	// Table tells whether to use a transposition table.
	Table Switch
	// Symmetries tells whether to use the symmetries of the rules.
	Symmetries Switch
	// Memory bounds the table, in MiB.
	Memory int64
	// Order is the simultaneous.Order in which SMAB visits the cells of a matrix.
	Order string
	// Moves is a simultaneous.MoveOrder.
	Moves string
	// Skip is that of simultaneous.Config.
	Skip int
	// Epsilon is the tolerated width of the value, in goal points.
	Epsilon float64
	// ShareEpsilon is that of sequential.Config.
	ShareEpsilon bool
	// Threads is that of simultaneous.Config, sequential.Config and layers.Config: other methods use one.
	Threads int
	// Layers is for that method, but for the threads and the engine.
	Layers layers.Config

	// halves is that of sequential.Config: who solves waits for the value, who plays does not.
	halves bool
}

// Switch is On, or else off.
type Switch string

// The switches.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// Default are the options of a solver that chooses for itself, without a bound of memory.
func Default() Options {
	return Options{
		Method: Auto, LP: "native", Table: On, Symmetries: On,
		Order: string(simultaneous.OrderBest), Moves: string(simultaneous.MovesDynamic),
	}
}

// Solver solves positions by the methods that its options admit. It belongs to
// one goroutine.
type Solver struct {
	auto      bool                       // whether it chooses the method, else used is the only one
	searchers map[string]search.Searcher // by method
	memory    int64
	epsilon   float64
	used      string // method of the last search
}

var _ search.Searcher = (*Solver)(nil)

// New makes a solver, or says which option is wrong.
func New(o Options) (*Solver, error) {
	if _, err := matrix.NewEngine(o.LP); err != nil {
		return nil, err
	}
	if o.Epsilon < 0 || o.Memory <= 0 {
		return nil, fmt.Errorf("expected a tolerance ≥ 0 and a memory > 0 MiB, found %v and %d", o.Epsilon, o.Memory)
	}
	s := &Solver{auto: o.Method == Auto, searchers: make(map[string]search.Searcher), memory: o.Memory << 20, epsilon: o.Epsilon, used: o.Method}
	o.halves = true
	methods := []string{o.Method}
	if s.auto {
		methods = []string{BoundedAlphaBeta, DepthFirst, SimultaneousAlphaBeta}
	}
	for _, method := range methods {
		searcher, err := NewSearcher(method, o)
		if err != nil {
			return nil, err
		}
		s.searchers[method] = searcher
	}
	return s, nil
}

// Solve solves the initial position of m, or tells what is known of it when ctx
// ends. Progress, if not nil, is told now and then what is known so far.
func (s *Solver) Solve(ctx context.Context, m machine.Machine, progress func(search.Result)) (Solution, error) {
	r, err := s.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: s.memory, Progress: progress})
	return newSolution(s.used, m.Names(), r), err
}

// Search searches position q by the method that fits the game, see
// search.Searcher. Where it chooses itself, it begins with what the names of the
// roles tell of the class: the searches check the rest, position by position.
func (s *Solver) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	class := named(m)
	if s.auto {
		methods := Choose(class)
		if methods == nil {
			return search.Result{}, advised(fmt.Errorf("%w: more than two roles", search.ErrNotZeroSum))
		}
		s.used = methods[0]
	}
	r, err := s.searchers[s.used].Search(ctx, m, q, lim)
	for s.auto && err != nil {
		var methods []string
		if class, methods = Instead(class, err); methods == nil {
			break
		}
		s.used = methods[0]
		r, err = s.searchers[s.used].Search(ctx, m, q, lim)
	}
	// Programs are timed by samples, which may say more than there was.
	r.LPTime = min(r.LPTime, r.Elapsed)
	return r, advised(err)
}

// advised is err with the methods that search games whose goals have no constant sum, if that is the reason.
func advised(err error) error {
	if !errors.Is(err, search.ErrNotZeroSum) {
		return err
	}
	return fmt.Errorf("%w; method %s searches such games, and by turns %s and %s", err, Lattice, Paranoid, MaxN)
}

// named is the class of a game as far as the names of its roles tell.
func named(m machine.Machine) Class {
	return Class{Players: len(m.Names().Players()), ConstantSum: true, Chance: m.Names().Chance() != machine.NoRole}
}

// Keeper is what remembers the proofs of the method in use, or of the one that would be
// tried first for m; nil if that keeps nothing. What it is given to keep must be within the
// limit of memory of its searches, maxBytes: with another one it begins anew.
func (s *Solver) Keeper(m machine.Machine) (method string, k search.Keeper, maxBytes int64) {
	method = s.used
	if methods := Choose(named(m)); method == Auto && methods != nil {
		method = methods[0]
	}
	k, _ = s.searchers[method].(search.Keeper)
	return method, k, s.memory
}

// Answers is the solution of m, position by position: that of the initial position
// is the one shown, the others are what the method finds that found it. The error is that
// of a tolerance with a method that does not keep what it promises.
func (s *Solver) Answers(m machine.Machine, shown Solution) (search.Solution, error) {
	if s.epsilon > 0 && !slices.Contains([]string{BoundedAlphaBeta, DepthFirst, ProofNumber}, s.used) {
		return nil, fmt.Errorf("expected an exact solution, without a tolerance, or one by %s, %s or %s; found one by %s",
			BoundedAlphaBeta, DepthFirst, ProofNumber, s.used)
	}
	if l, ok := s.searchers[s.used].(*layers.Searcher); ok {
		return l.Solution(), nil
	}
	v := shown.Result.Values[m.Names().Players()[0]]
	return answers{
		Search: certify.Search{
			Machine: m, Searcher: s.searchers[s.used], Limits: search.Limits{MaxBytes: s.memory, NoLine: true}, Epsilon: s.epsilon,
		},
		initial: m.Initial(),
		shown:   search.Claim{Value: v.Lower, Slack: v.Upper - v.Lower, Strategies: shown.Result.Strategies},
	}, nil
}

// answers are those of a search except at the initial position: a second search,
// which knows more, may find other strategies there.
type answers struct {
	certify.Search
	initial machine.State
	shown   search.Claim
}

// At implements search.Solution.
func (a answers) At(ctx context.Context, q machine.State) (search.Claim, error) {
	if q.Equal(a.initial) {
		return a.shown, nil
	}
	return a.Search.At(ctx, q)
}

// Certify plays the answers, which are those of the solver or of whoever
// remembers them, against every opponent, and adds what that shows to the
// solution; where that ends with an error, what it had shown until then.
// The limits are those of certify, but for memory.
func (s *Solver) Certify(ctx context.Context, m machine.Machine, answers search.Solution, solution *Solution, lim certify.Limits) error {
	started := time.Now()
	lim.MaxBytes = max(s.memory-solution.PeakBytes, s.memory/4) // the search goes on answering
	c, err := certify.Check(ctx, m, m.Initial(), answers, lim)
	solution.Certificate = newCertificate(c, time.Since(started))
	if err != nil {
		return fmt.Errorf("the certificate: %w", err)
	}
	return nil
}
