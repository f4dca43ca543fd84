package simultaneous

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/matrix"
	"stackmate/search/table"
)

// errTooDeep ends a search at the greatest depth.
var errTooDeep = fmt.Errorf("the tree is deeper than %d plies", search.MaxPlies)

// lpSample: one in lpSample calls of the LP engine is timed, on behalf of all,
// because reading the clock takes as long as solving a small game.
const lpSample = 16

// pollCells is the number of cells between two looks at the context where cells
// are gone through one by one.
const pollCells = 1 << 10

// cellBytes bounds the memory of frames for a cell of a matrix, beside the
// expansion and the state of a twin: eight numbers for bounds and linear programs,
// two for the strategies and some for switches.
const cellBytes = 96

// solver is the state of one search: the skeleton that all methods share.
type solver struct {
	sides
	config     Config
	machine    machine.Machine
	method     method
	expander   *play.Expander
	lp         matrix.Engine
	symmetry   *symmetry                      // nil if nothing would use it
	memory     *memory                        // nil if there is none
	serialized *table.Table[serializedBounds] // nil if the method uses none
	horizon    *horizon                       // nil unless positions of the game repeat
	learned    [2]records                     // by side: records of moves for OrderL and OrderLex
	maxBytes   int64                          // of the search
	tableBytes int64                          // of all its tables
	stackBytes int64                          // of the frames
	frames     []*frame
	cells      []cell       // to be looked up together
	spare      [2][]float64 // strategies that no caller wants
	peak       int64        // bytes of the greatest program of the sequence form

	payoffs *exact.Payoff // of the row player; shared by a crew

	rounded bool // a mixed strategy, or a mean over chance, was computed (rounding.go)
	actions int  // most actions of both players in a position

	counters        search.Counters
	serializedNodes int64 // positions expanded by the serialized searches

	crew   *crew      // nil for a single worker
	path   []question // in a crew: the questions from the root on, without the root
	outrun int        // the length of the path to unwind to, whose last question another worker has answered; or 0

	shown play.Expansion // the position of which moves are asked

	ctx      context.Context
	limits   search.Limits
	reported time.Time // when limits.Progress was called
	stopped  bool
	cause    error // of that, if it is a bound of the search's own
	err      error
}

func newSolver(ctx context.Context, config Config, m machine.Machine, maxBytes int64) (*solver, error) {
	lp, err := config.Engine()
	if err != nil {
		return nil, err
	}
	if config.Method == SequenceForm {
		if _, err := matrix.NewEngine("glpk"); err != nil {
			return nil, err // now, not after the program for it has been written
		}
	}
	roles, err := assignRoles(m.Names())
	if err != nil {
		return nil, err
	}
	if config.Method != SMAB || config.Order != OrderBest {
		config.Epsilon = 0
	}
	config.Epsilon = max(config.Epsilon-2*maxError, 0) // the ends are moved outwards
	s := &solver{sides: roles, config: config, machine: m, lp: lp, maxBytes: maxBytes}
	s.payoffs = &exact.Payoff{First: roles.row, Other: roles.column}
	n := int64(config.threads())
	s.tableBytes, s.stackBytes = search.Divide(maxBytes, m.Info().Batch*n)
	s.stackBytes /= n
	s.expander = play.NewExpander(m)
	if config.Table || config.serializes() {
		s.symmetry = s.newSymmetry(ctx)
	}
	switch config.Method {
	case BackwardInduction:
		s.method = (*solver).induce
	case SMAB, DoubleOracle:
		s.method = (*solver).smab
	case BoundedInduction:
		s.method = (*solver).induceBounded
	case SequenceForm:
		s.method = (*solver).solveSequenceForm
	}
	share := s.tableBytes
	if config.serializes() {
		share /= 2
		s.serialized = table.New(m, serializedCodec, share)
	}
	if config.Table {
		s.memory = &memory{symmetry: s.symmetry, table: table.New(m, proved, share)}
	}
	return s, nil
}

// serializes reports whether the method uses bounds by serialized alpha-beta.
func (config Config) serializes() bool {
	return config.Method == BoundedInduction || config.Method == DoubleOracle
}

// sides are the roles of the players and of chance, which is machine.NoRole in a game without chance.
type sides struct{ row, column, chance machine.Role }

// assignRoles returns the row player, the column player and chance.
func assignRoles(names *machine.Names) (sides, error) {
	c := sides{machine.NoRole, machine.NoRole, names.Chance()}
	players := names.Players()
	if len(players) != 2 {
		return c, fmt.Errorf("expected a game of two roles besides %s, found %d", machine.RandomRole, len(players))
	}
	c.row, c.column = players[0], players[1]
	return c, nil
}

// anyValue returns the window in which every value counts.
func anyValue() search.Interval {
	return search.Interval{Lower: -1, Upper: machine.MaxGoal + 1}
}

// isClosed reports whether an interval answers the question of a window.
func isClosed(v search.Interval, alpha, beta float64) bool {
	return v.Lower == v.Upper || v.Lower >= beta || v.Upper <= alpha
}

// isCloseEnough reports the same up to the tolerance of the search.
func (s *solver) isCloseEnough(v search.Interval, alpha, beta float64) bool {
	return min(v.Upper, beta) <= max(v.Lower, alpha)+s.config.Epsilon
}

// meet returns the intersection of two intervals that contain the same value, to
// within rounding.
func meet(v, w search.Interval) search.Interval {
	v.Lower = max(v.Lower, w.Lower)
	v.Upper = max(v.Lower, min(v.Upper, w.Upper))
	return v
}

// stops reports whether the search is over, as it is at the greatest depth.
func (s *solver) stops(depth int) bool {
	if depth >= search.MaxPlies {
		s.stop(errTooDeep)
	}
	return s.unwinds()
}

// stop ends the search at a bound of its own; the first cause of an end counts.
func (s *solver) stop(cause error) {
	if !s.stopped {
		s.stopped, s.cause = true, cause
	}
}

// poll stops the search at its limits. It is called once for each expansion.
func (s *solver) poll() {
	n := s.counters.Nodes + s.serializedNodes
	if s.ctx.Err() != nil || s.limits.MaxNodes > 0 && n >= s.limits.MaxNodes {
		s.stopped = true
	}
	s.meetOthers()
}

// giveUp stops the search because position q has no expansion: that is an error
// unless the context has ended.
func (s *solver) giveUp(err error, q machine.State) {
	switch {
	case s.ctx.Err() != nil:
		s.stopped = true
	case errors.Is(err, play.ErrStuck):
		s.fail(fmt.Errorf("%w: %v", err, s.machine.Names().AppendFluents(nil, q)))
	default:
		s.fail(err)
	}
}

// fill writes the payoffs of terminal children, and the range of the game for all others,
// into the matrices of the frame.
func (s *solver) fill(f *frame) {
	f.exhausted = f.exhausted[:0]
	for i := range f.m {
		for j := range f.n {
			low, high := 0.0, 0.0
			for c, t := f.first(i, j), 0; t < f.k; c, t = c+f.chanceStep, t+1 {
				if f.expansion.Terminal[c] {
					v := s.payoff(f.expansion.ChildGoals(c))
					low, high = low+v, high+v
				} else {
					high += machine.MaxGoal
				}
			}
			f.p[i*f.n+j], f.o[i*f.n+j] = exact.Snap(low/float64(f.k)), exact.Snap(high/float64(f.k))
		}
	}
}

// isOverdue looks at the context once in pollCells cells. It stops the search and returns
// true if the context has ended.
func (s *solver) isOverdue(cell int) bool {
	if cell%pollCells == pollCells-1 && s.ctx.Err() != nil {
		s.stopped = true
		return true
	}
	return false
}

// mean returns the interval of a cell, given its first child and the bounds known of
// positions that are not terminal.
func (s *solver) mean(f *frame, first int, known func(q machine.State) search.Interval) search.Interval {
	if f.k == 1 && !f.expansion.Terminal[first] {
		return known(f.expansion.Child(first))
	}
	low, high := 0.0, 0.0
	for t := range f.k {
		v := search.Interval{}
		if c := first + t*f.chanceStep; f.expansion.Terminal[c] {
			v = search.Exact(s.payoff(f.expansion.ChildGoals(c)))
		} else {
			v = known(f.expansion.Child(c))
		}
		low, high = low+v.Lower, high+v.Upper
	}
	return search.Interval{Lower: exact.Snap(low / float64(f.k)), Upper: exact.Snap(high / float64(f.k))}
}

// payoff returns the goal of the row player in a terminal position.
func (s *solver) payoff(goals []int32) float64 {
	v, err := s.payoffs.Of(goals)
	if err != nil {
		s.fail(err)
	}
	return v
}

// fail stops the search with an error; the first one counts.
func (s *solver) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.stopped = true
}

// reportEvery is the time between two reports. Each costs two matrix games.
var reportEvery = time.Second / 10

// report passes the bounds that the matrix of the root proves so far to the caller.
func (s *solver) report(f *frame) {
	lower, errLower := s.lp.Nash(f.p, f.m, f.n, nil, nil)
	upper, errUpper := s.lp.Nash(f.o, f.m, f.n, nil, nil)
	if errLower == nil && errUpper == nil {
		v := search.Interval{Lower: exact.Snap(lower), Upper: max(exact.Snap(lower), exact.Snap(upper))}
		s.limits.Progress(search.Result{Values: s.payoffs.Values(len(s.machine.Names().Roles), s.outwards(v, true)), Proved: true, Counters: s.counters})
	}
}

// nash solves the m×n matrix game a and returns its value on the grid. If the context has
// ended, or the engine fails, it returns otherwise, and the first actions as
// strategies.
func (s *solver) nash(a []float64, m, n int, x, y []float64, otherwise float64) float64 {
	if x == nil {
		s.spare[rowSide] = scratch.Resize(s.spare[rowSide], m)
		x = s.spare[rowSide]
	}
	if y == nil {
		s.spare[columnSide] = scratch.Resize(s.spare[columnSide], n)
		y = s.spare[columnSide]
	}
	started := s.startLP()
	v, err := s.lp.Nash(a, m, n, x, y)
	s.endLP(started, err)
	s.rounded = s.rounded || isMixed(x) || isMixed(y)
	if err != nil {
		playFirst(x)
		playFirst(y)
		return otherwise
	}
	return exact.Snap(v)
}

// playFirst makes x the pure strategy of the first action; x may be nil.
func playFirst(x []float64) {
	clear(x)
	if len(x) > 0 {
		x[0] = 1
	}
}

// startLP counts an LP and starts the clock for one in lpSample.
func (s *solver) startLP() time.Time {
	s.counters.LPCalls++
	if s.counters.LPCalls%lpSample == 0 {
		return time.Now()
	}
	return time.Time{}
}

func (s *solver) endLP(started time.Time, err error) {
	if !started.IsZero() {
		s.counters.LPTime += lpSample * time.Since(started)
	}
	switch {
	case err == nil:
	case s.ctx.Err() != nil:
		s.stopped = true
	default:
		s.fail(err)
	}
}
