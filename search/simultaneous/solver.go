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

// method computes the value of the position in a frame, as far as it counts
// in the window: the returned interval contains the value, and it is a single
// number, or lies at or above beta, or at or below alpha, unless the search was
// stopped, or cut at a horizon.
type method func(s *solver, f *frame, depth int, alpha, beta float64) search.Interval

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
	roles, err := assignRoles(m.Names(), config.Row)
	if err != nil {
		return nil, err
	}
	if config.Method != SMAB || config.Order != OrderBest {
		config.Epsilon = 0
	}
	config.Epsilon = max(config.Epsilon-2*maxError, 0) // the ends are moved outwards
	s := &solver{sides: roles, config: config, machine: m, lp: lp, maxBytes: maxBytes}
	s.payoffs = &exact.Payoff{First: roles.row, Other: roles.column, Goals: search.Interval{Lower: config.Low, Upper: config.High}}
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

// assignRoles returns the row player, the column player and chance. The row player is the given role, or the first player if that is chance.
func assignRoles(names *machine.Names, row machine.Role) (sides, error) {
	c := sides{machine.NoRole, machine.NoRole, names.Chance()}
	players := names.Players()
	if len(players) != 2 {
		return c, fmt.Errorf("expected a game of two roles besides %s, found %d", machine.RandomRole, len(players))
	}
	c.row, c.column = players[0], players[1]
	if row == c.column {
		c.row, c.column = c.column, c.row
	}
	return c, nil
}

// value searches position q: the skeleton around the method.
func (s *solver) value(depth int, q machine.State, alpha, beta float64) search.Interval {
	known := s.unknown()
	if s.memory != nil {
		if v, ok := s.memory.lookup(q); ok {
			if known = v; s.isCloseEnough(known, alpha, beta) {
				s.counters.TableHits++
				return known
			}
		}
	}
	if s.stops(depth) || s.horizon == nil && s.repeats(depth, q) || s.horizon != nil && s.cuts(depth, q) {
		return known
	}
	if s.horizon != nil && s.horizon.wide {
		alpha, beta = s.anyValue().Lower, s.anyValue().Upper
	}
	before := s.counters.Nodes
	if s.serialized != nil {
		if known = s.serialize(depth, q, known, alpha, beta); isClosed(known, alpha, beta) {
			return known
		}
	}
	if s.crew != nil {
		s.path = append(s.path, question{q, alpha, beta})
	}
	f, v, open := s.open(depth, q)
	if open {
		s.counters.Nodes++
		v = s.method(s, f, depth, max(alpha, known.Lower), min(beta, known.Upper))
		v = meet(v, known)
	}
	if s.crew != nil {
		if s.outrun > 0 {
			v = s.caughtUp(v)
		}
		s.path = s.path[:len(s.path)-1]
	}
	if s.memory != nil {
		s.memory.store(q, v, s.counters.Nodes-before)
	}
	if s.horizon != nil {
		s.noteSearch(depth, q, v != known, s.isCloseEnough(v, alpha, beta))
	}
	return v
}

// unknown returns the range of the game.
func (s *solver) unknown() search.Interval {
	return search.Interval{Lower: s.config.Low, Upper: s.config.High}
}

// anyValue returns the window in which every value counts.
func (s *solver) anyValue() search.Interval {
	return search.Interval{Lower: s.config.Low - 1, Upper: s.config.High + 1}
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

// open expands position q into the frame of its depth, passing through
// positions where nobody has a choice. It returns false, and the value, if that
// leads to a terminal position, and false and the range of the game if the
// search stopped. A frame that holds q already is not expanded again: the
// serialized searches of a position precede the search proper.
func (s *solver) open(depth int, q machine.State) (*frame, search.Interval, bool) {
	if depth == len(s.frames) {
		s.frames = append(s.frames, &frame{})
	}
	f := s.frames[depth]
	e := &f.expansion
	unknown := s.unknown()
	if len(f.position) > 0 && f.position.Equal(q) {
		s.fill(f)
		return f, unknown, true
	}
	f.position, f.through = f.position[:0], f.through[:0]
	key := q
	for range search.MaxPlies {
		if s.poll(); s.unwinds() {
			return nil, unknown, false
		}
		if err := s.expander.Expand(e, q); err != nil {
			s.giveUp(err, q)
			return nil, unknown, false
		}
		if e.Children > 1 {
			f.layOut(s.row, s.column, s.chance)
			s.rounded, s.actions = s.rounded || f.k > 1, max(s.actions, f.m+f.n)
			f.position = append(f.position[:0], key...)
			s.fill(f)
			return f, unknown, true
		}
		if e.Terminal[0] {
			return nil, search.Exact(s.payoff(e.ChildGoals(0))), false
		}
		f.through = append(f.through[:0], e.Child(0)...)
		q = f.through
	}
	if depth > 0 && s.deepens() {
		s.foundRepetition()
	} else {
		s.stop(errTooDeep)
	}
	return nil, unknown, false
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
					low, high = low+s.config.Low, high+s.config.High
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

// cell searches cell (i, j) of a frame and tightens its bounds.
func (s *solver) cell(f *frame, depth, i, j int, alpha, beta float64) search.Interval {
	at := i*f.n + j
	v := search.Interval{Lower: f.p[at], Upper: f.o[at]}
	if s.isCloseEnough(v, alpha, beta) {
		return v
	}
	if s.crew != nil {
		h := s.hash(f, at)
		s.crew.busy.Enter(h)
		defer s.crew.busy.Leave(h)
	}
	v = meet(s.children(f, i, j, alpha, beta, func(q machine.State, a, b float64) search.Interval {
		return s.value(depth+1, q, a, b)
	}), v)
	f.p[at], f.o[at] = v.Lower, v.Upper
	if depth == 0 && s.limits.Progress != nil && time.Since(s.reported) >= reportEvery {
		s.report(f)
		s.reported = time.Now()
	}
	return v
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
