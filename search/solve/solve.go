// Package solve is the interface to the exact searches: it classifies a game, chooses the searches that fit, runs one,
// and names roles and moves in the result. It owns the names and options of the methods. It contains no search, and
// does not know the origin of a game or the reader of a result.
package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/equilibrium"
	"stackmate/search/goals"
	"stackmate/search/layers"
	"stackmate/search/matrix"
	"stackmate/search/simultaneous"
)

// Options configures a solver.
type Options struct {
	// Method is Auto or a method of NewSearcher.
	Method string
	// LP is the engine of linear programs, see matrix.NewEngine.
	LP string
	// Table switches the transposition table.
	Table Switch
	// Symmetries switches the use of symmetries of the rules.
	Symmetries Switch
	// Memory bounds the table, in MiB.
	Memory int64
	// Order is the simultaneous.Order in which SMAB visits the cells of a matrix.
	Order string
	// Moves is a simultaneous.MoveOrder.
	Moves string
	// Skip is simultaneous.Config.Skip.
	Skip int
	// Epsilon is the tolerated width of the value, in goal points.
	Epsilon float64
	// ShareEpsilon is sequential.Config.ShareEpsilon.
	ShareEpsilon bool
	// Threads is passed to simultaneous.Config, sequential.Config and layers.Config: other methods use one thread.
	Threads int
	// Lenient is goals.Config.Lenient, for players.
	Lenient bool
	// Layers configures method layers; its threads and engine are ignored.
	Layers layers.Config

	// Answers: the caller needs the solution position by position (Solver.Answers), so Auto computes no equilibrium.
	Answers bool

	// halves is sequential.Config.Halves, for solvers, which wait for the value. Players have Falling instead.
	halves bool
}

// Switch is On or Off; all other values mean Off.
type Switch string

// The switches.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// Default returns the options of a solver that chooses the method itself, without a limit of memory.
func Default() Options {
	return Options{
		Method: Auto, LP: "native", Table: On, Symmetries: On,
		Order: string(simultaneous.OrderBest), Moves: string(simultaneous.MovesDynamic),
	}
}

// Solver solves positions by the methods that its options allow. It belongs to one goroutine.
type Solver struct {
	auto      bool                       // the solver chooses the method; otherwise used is the only method
	answers   bool                       // see Options.Answers
	searchers map[string]search.Searcher // by method
	matrices  search.Searcher            // Simultaneous Move Alpha-Beta, for Answers
	memory    int64
	epsilon   float64
	used      string // method of the last search
	arrivals  arrivals
}

var _ search.Searcher = (*Solver)(nil)

// New returns a solver, or an error that names the invalid option.
func New(o Options) (*Solver, error) {
	if _, err := matrix.NewEngine(o.LP); err != nil {
		return nil, err
	}
	if !(o.Epsilon >= 0) {
		return nil, fmt.Errorf("tolerance: expected a number of goal points ≥ 0, found %v", o.Epsilon)
	}
	if o.Memory <= 0 {
		return nil, fmt.Errorf("memory: expected a number of MiB > 0, found %d", o.Memory)
	}
	s := &Solver{auto: o.Method == Auto, answers: o.Answers, searchers: make(map[string]search.Searcher), memory: o.Memory << 20, epsilon: o.Epsilon, used: o.Method}
	s.arrivals.memory = s.memory
	o.halves = true
	methods := []string{o.Method}
	if s.auto {
		methods = []string{BoundedAlphaBeta, DepthFirst, Plans, SimultaneousAlphaBeta, Paranoid, Lattice, Equilibrium}
	}
	var err error
	if s.matrices, err = newSearcher(SimultaneousAlphaBeta, o); err != nil {
		return nil, err
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

// Solve solves the initial position of m, or returns the bounds known when ctx ends. Progress, if not nil, receives
// interim results.
func (s *Solver) Solve(ctx context.Context, m machine.Machine, progress func(search.Result)) (Solution, error) {
	r, err := s.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: s.memory, Progress: progress})
	solution := newSolution(s.used, m.Names(), s.facts(), r)
	if x, ok := s.Exact(m.Initial()); err == nil && ok {
		solution.Exact = newExactSolution(m.Names(), x)
	}
	return solution, err
}

// Search searches position q by the method that fits the game, see search.Searcher. Auto begins with the class that
// the names of the roles imply; the searches check all other properties. In games with repeated positions the
// strategies reach the end.
func (s *Solver) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	r, err := s.find(ctx, m, q, lim)
	if err == nil && s.used != MaxN && s.used != Equilibrium { // an equilibrium payoff cannot be forced
		s.arrivals.arrive(ctx, m, q, &r, lim.NoLine)
		r.Line = withoutCircle(m, q, r.Line)
	}
	return r, err
}

// find runs the searches that fit the game.
func (s *Solver) find(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if !s.auto {
		r, err := timed(s.searchers[s.used].Search(ctx, m, q, lim))
		if list := fitting(begun(m, q), err); list != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w; methods for such games: %s", err, strings.Join(list, ", "))
		}
		return r, err
	}
	class := named(m)
	for {
		methods, ok := runnersOf(class)
		if !ok {
			return search.Result{}, errUnsolvable
		}
		r, err := s.race(ctx, methods, m, q, lim)
		switch {
		case err == nil && class.Players == 2 && s.facts().Varies && !s.answers:
			return timed(s.orEquilibrium(ctx, m, q, lim, r), nil)
		case !errors.Is(err, search.ErrNotSequential) || class.Simultaneous:
			return timed(r, err)
		}
		class.Simultaneous = true
	}
}

// maxEquilibrium bounds the positions of a general-sum game whose equilibrium is computed in addition to the
// guarantees: seconds.
const maxEquilibrium = 1 << 14

// orEquilibrium returns an equilibrium of a general-sum game of two players if the game is small, or else the
// guarantees.
func (s *Solver) orEquilibrium(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits, guarantees search.Result) search.Result {
	if lim.MaxNodes == 0 || lim.MaxNodes > maxEquilibrium {
		lim.MaxNodes = maxEquilibrium
	}
	lim.Progress = nil
	r, err := s.searchers[Equilibrium].Search(ctx, m, q, lim)
	if err != nil || !r.Solved() {
		return guarantees
	}
	s.used = Equilibrium
	return r
}

// Exact returns the exact equilibrium at a position, if method Equilibrium has solved the game.
func (s *Solver) Exact(q machine.State) (Exact, bool) {
	c, ok := s.searchers[Equilibrium].(checked)
	if s.used != Equilibrium || !ok {
		return Exact{}, false
	}
	e, ok := c.Parts()[0].Searcher.(*equilibrium.Searcher)
	if !ok {
		return Exact{}, false
	}
	return e.Exact(q)
}

// Exact is an equilibrium at a position.
type Exact = equilibrium.Exact

// errUnsolvable is returned for the only class of games without a method of Auto.
var errUnsolvable = fmt.Errorf("%w: no exact method solves games of more than two roles with simultaneous moves and chance; method %s estimates them",
	search.ErrNotZeroSum, MonteCarlo)

// timed bounds the sampled time of linear programs by the time of the search.
func timed(r search.Result, err error) (search.Result, error) {
	r.LPTime = min(r.LPTime, r.Elapsed)
	return r, err
}

// checked is a searcher of package goals.
type checked interface {
	Facts() goals.Facts
	Parts() []goals.Part
}

// facts returns the facts about goals on which the last search rests.
func (s *Solver) facts() goals.Facts {
	if c, ok := s.searchers[s.used].(checked); ok {
		return c.Facts()
	}
	return goals.Facts{}
}

// named returns the class of a game as far as the names of its roles imply it.
func named(m machine.Machine) Class {
	return Class{Players: len(m.Names().Players()), ConstantSum: true, Chance: m.Names().Chance() != machine.NoRole}
}

// begun returns the class that the names of the roles and position q imply.
func begun(m machine.Machine, q machine.State) Class {
	c, choosers, at := named(m), 0, play.NewHistory(m, q)
	for _, role := range m.Names().Players() {
		if !at.IsOver() && len(at.Legal(role)) > 1 {
			choosers++
		}
	}
	c.Simultaneous = choosers > 1
	return c
}

// Keeper returns the search that keeps the proofs of the method in use, or of the first method of Auto for m; nil if
// the method keeps no proofs. Its memory limit must be maxBytes: another limit makes it start anew.
func (s *Solver) Keeper(m machine.Machine) (method string, k search.Keeper, maxBytes int64) {
	method = s.method(m)
	k, _ = s.searchers[method].(search.Keeper)
	return method, k, s.memory
}

// method returns the method in use, or the first method of Auto for m.
func (s *Solver) method(m machine.Machine) string {
	if s.used == Auto {
		if methods := solving(begun(m, m.Initial())); methods != nil {
			return methods[0]
		}
	}
	return s.used
}

// KeeperMethods returns the methods that keep the proofs of an unfinished search, see search.Keeper.
func KeeperMethods() (methods []string) {
	for _, method := range Methods[1:] {
		s, err := newSearcher(method, Default())
		if _, keeps := s.(search.Keeper); err == nil && keeps {
			methods = append(methods, method)
		}
	}
	return methods
}

// Part is a game with its solution, position by position: the solved game, or the zero-sum game of one role if the
// values are guarantees.
type Part struct {
	Machine  machine.Machine
	Solution search.Solution
}

// CanAnswer returns an error for a tolerance with a method that does not keep its bounds, and for a game without players. Before a
// search by Auto it looks at the first method for m.
func (s *Solver) CanAnswer(m machine.Machine) error {
	if method := s.method(m); s.epsilon > 0 && !slices.Contains([]string{BoundedAlphaBeta, DepthFirst}, method) {
		return fmt.Errorf("expected a solution with tolerance 0, or by method %s or %s; found a tolerance with method %s",
			BoundedAlphaBeta, DepthFirst, method)
	}
	if len(m.Names().Players()) == 0 {
		return fmt.Errorf("expected a role besides %s, found none: there is no strategy to check", machine.RandomRole)
	}
	return nil
}

// Answers returns the solution of m, position by position. At the initial position it has the strategies of shown, at
// other positions the strategies that the same method finds. Guarantees have one part for each player. Answers returns
// the error of CanAnswer, and an error for a result that is neither a value nor a guarantee by mixed strategies.
func (s *Solver) Answers(m machine.Machine, shown Solution) ([]Part, error) {
	if err := s.CanAnswer(m); err != nil {
		return nil, err
	}
	c, ok := s.searchers[s.used].(checked)
	if !ok || kindOf(s.used) == goals.AnySum && shown.Concept != search.Value && shown.Concept != search.BestEnd {
		return nil, fmt.Errorf("expected a zero-sum game, or guarantees by %s or a method for simultaneous games; found the %ss of method %s",
			BoundedAlphaBeta, shown.Concept, s.used)
	}
	var parts []Part
	for _, p := range c.Parts() {
		if l, ok := p.Searcher.(*layers.Searcher); ok {
			if l.Solution() == nil {
				return nil, fmt.Errorf("expected a game solved by layers, found one that is not: %s", shown.Unfinished)
			}
			return []Part{{m, l.Solution()}}, nil
		}
		parts = append(parts, Part{p.Machine, certify.Search{
			Machine: p.Machine, Searcher: &arriving{Searcher: orMatrices{p.Searcher, s.matrices}, arrivals: arrivals{memory: s.memory}},
			Limits: search.Limits{MaxBytes: s.memory / int64(len(c.Parts())), NoLine: true},
		}})
	}
	if len(parts) == 1 {
		v := shown.Result.Values[m.Names().Players()[0]]
		claim := search.Claim{Value: v.Lower, Slack: v.Upper - v.Lower, Strategies: shown.Result.Strategies}
		parts[0].Solution = answers{parts[0].Solution, m.Initial(), claim}
	}
	return parts, nil
}

// orMatrices is a search of games by turns that leaves positions in which both roles choose to Simultaneous Move Alpha-Beta: a
// search by turns may solve a game without a look at them, but a certificate meets them after mistakes.
type orMatrices struct {
	search.Searcher
	matrices search.Searcher
}

// Search implements search.Searcher.
func (o orMatrices) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	r, err := o.Searcher.Search(ctx, m, q, lim)
	if errors.Is(err, search.ErrNotSequential) {
		return o.matrices.Search(ctx, m, q, lim)
	}
	return r, err
}

// answers holds the answers of a search, and the shown claim at the initial position: a second search, with a full
// table, may find other strategies there.
type answers struct {
	search.Solution
	initial machine.State
	shown   search.Claim
}

// At implements search.Solution.
func (a answers) At(ctx context.Context, q machine.State) (search.Claim, error) {
	if q.Equal(a.initial) {
		return a.shown, nil
	}
	return a.Solution.At(ctx, q)
}

// Certify plays the answers of each part, by the solver or by a book, against every opponent, and adds the findings to
// the solution. After an error the solution has the findings before it. Certify sets the memory of the limits, and EndlessIsNothing, itself.
func (s *Solver) Certify(ctx context.Context, parts []Part, solution *Solution, lim certify.Limits) error {
	started := time.Now()
	lim.EndlessIsNothing = solution.Concept == search.BestEnd
	lim.MaxBytes = max(s.memory-solution.PeakBytes, s.memory/4) // the search answers during the check
	for _, p := range parts {
		c, err := certify.Check(ctx, p.Machine, p.Machine.Initial(), p.Solution, lim)
		solution.Certificate = solution.Certificate.and(newCertificate(c, time.Since(started)))
		if err != nil {
			return fmt.Errorf("the certificate: %w", err)
		}
	}
	return nil
}
