// Package play implements functions of all engines on machine.Machine and machine.Batch: positions with their children
// (Expander), random games (Playouts, Lockstep, Walk), counts of joint moves (Perft), and matches by the texts of moves
// (History). It depends on no engine.
package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
)

// Reasons why a position has no expansion.
var (
	// ErrStuck is a fault of the game.
	ErrStuck = errors.New("a role has no legal move in a position that is not terminal")
	// ErrTooWide is wrapped with the number or the size of the joint moves.
	ErrTooWide = errors.New("a position has too many joint moves")
)

// fullError is the ErrTooWide of an expansion that exceeds the bound of Limit together with the other expansions of its
// expander. Its number is the bound in bytes.
type fullError int64

func (e fullError) Error() string {
	return fmt.Sprintf("the positions of a path take more than %.1f MiB, their share of the memory limit", float64(e)/(1<<20))
}

func (fullError) Is(target error) bool { return target == ErrTooWide }

// Limits of one expansion. A search that needs all children of such positions does not finish: at a million
// positions a second the children of a million positions take more than a week. So many bytes are allocated
// and written in some tens of milliseconds; chess, with a hundred words to a position, stays below by a
// factor of a thousand.
const (
	MaxChildren       = 1 << 20
	MaxExpansionBytes = 64 << 20
)

// Expander computes positions and all their children on one batch, as many
// children in a pass as the batch has lanes. It belongs to one goroutine.
type Expander struct {
	batch    machine.Batch
	able     abilities
	foresees []bool // by role, see Foreseeing; nil for an expander without foresight
	sum      int32  // of the goals of both roles, if the expander foresees
	parallel bool
	words    int
	roles    int
	goals    []int32
	parents  []uint64 // by lane: the parent of its child, if one pass has children of several parents
	jobs     []job
	pass     int64 // number of passes
	*bounds
}

// abilities are the abilities of a batch that an expander uses, each nil if the batch lacks it.
type abilities struct {
	machine.Limited
	machine.Preparing
	machine.Foreseeing
}

// bounds are the limits that Limit sets, shared with foreseeing expanders.
type bounds struct {
	ctx      context.Context
	maxBytes int64
	perChild int64
	bytes    int64 // memory of the expansions
}

// job is the work of consecutive lanes: n children of one expansion, from child first on.
type job struct {
	e        *Expansion
	first, n int
}

// NewExpander makes an expander with a narrow batch of its own.
func NewExpander(m machine.Machine) *Expander {
	roles := len(m.Names().Roles)
	x := &Expander{
		batch:    m.NewNarrowBatch(),
		parallel: m.Info().Parallel,
		words:    len(m.Initial()),
		roles:    roles,
		goals:    make([]int32, roles),
		bounds:   &bounds{ctx: context.Background()},
	}
	x.able.Limited, _ = machine.As[machine.Limited](x.batch)
	x.able.Preparing, _ = machine.As[machine.Preparing](x.batch)
	x.able.Foreseeing, _ = machine.As[machine.Foreseeing](x.batch)
	return x
}

// Foreseeing returns an expander with the limits of x that ends the game where decisive moves decide it. m is
// the machine of x with decisive moves (facts.Decisive). Its game has two roles in turns, no chance, and goals that
// add up to sum. The expander
//
//   - lists only the sensible moves of a role (machine.AppendSensible), which contain a best move;
//   - marks children in which a role wins within two joint moves as terminal, with the goals of
//     that win.
//
// It does both only for a role whose best goal is MaxGoal or the whole sum. A lower best goal bounds finite
// play alone: a match that never ends may be worth more to the role. Then neither the win nor the choice of
// winning moves is best for sure.
func (x *Expander) Foreseeing(m machine.Machine, sum int32) *Expander {
	y := NewExpander(m)
	y.sum, y.bounds, y.foresees = sum, x.bounds, make([]bool, x.roles)
	for r := range y.foresees {
		best, _ := machine.Wins(y.batch, machine.Role(r))
		y.foresees[r] = best >= min(machine.MaxGoal, sum)
	}
	return y
}

// Limit bounds the expansions from now on. An expansion of several passes ends between two of them with ctx's
// error when ctx is done. An expansion ends with ErrTooWide if all expansions of x would take more than the
// given bytes (0: no bound), counting perChild further bytes of the caller for each child.
func (x *Expander) Limit(ctx context.Context, bytes, perChild int64) {
	x.ctx, x.maxBytes, x.perChild = ctx, bytes, perChild
}

// Bytes returns the memory in use that Limit bounds.
func (x *Expander) Bytes() int64 { return x.bytes }

// Look evaluates a position. It reports whether the position is terminal, and returns its goals if so (valid
// until the next call). A lost position counts as not terminal: Expand returns its error.
func (x *Expander) Look(s machine.State) (terminal bool, goals []int32) {
	x.batch.Load(s, 1)
	x.evaluate(1)
	if x.batch.Terminal()[0]&1 == 0 {
		return false, nil
	}
	x.batch.Goals(x.goals, 0)
	return !x.isLost(0), x.goals
}

// Expand fills e with the legal moves and the children of s, which must not be terminal. It returns e.Err.
func (x *Expander) Expand(e *Expansion, s machine.State) error {
	x.batch.Fill(s, nil)
	x.evaluate(1)
	x.open(e, 0)
	return x.complete(e, s, true)
}

// ExpandChild expands s, child c of expansion `of`, as Expand does. It saves a pass if `of` was expanded in
// the last pass. e may be `of` itself if s is a copy.
func (x *Expander) ExpandChild(e *Expansion, s machine.State, of *Expansion, c int) error {
	if !x.areLoaded(of) {
		return x.Expand(e, s)
	}
	x.open(e, of.lane+c)
	return x.complete(e, s, false)
}

// areLoaded reports whether the children of e are in the batch, evaluated.
func (x *Expander) areLoaded(e *Expansion) bool { return e.held == x && e.pass == x.pass }

// complete computes the children of s, whose moves are in e. If ready, all lanes hold s, evaluated.
func (x *Expander) complete(e *Expansion, s machine.State, ready bool) error {
	b := x.batch
	for c := 0; c < e.Children; c += b.Lanes() {
		if err := x.ctx.Err(); err != nil && c > 0 {
			e.refuse(err)
			break
		}
		if !ready {
			b.Fill(s, nil)
			x.ready(1)
		}
		ready = false
		n := min(e.Children-c, b.Lanes())
		x.jobs = append(x.jobs[:0], job{e, c, n})
		x.step(n)
	}
	return e.Err
}

// ExpandMany expands several positions, laid out one after the other, into dst. Children of different parents
// share a pass, so many positions of few children cost little more than one position. Each expansion has its
// own error; when the context ends, every expansion has its error.
func (x *Expander) ExpandMany(dst []Expansion, states []uint64) {
	b, lanes := x.batch, x.batch.Lanes()
	for first := 0; first < len(dst); first += lanes {
		n := min(lanes, len(dst)-first)
		b.Load(states[first*x.words:], n)
		x.evaluate(n)
		for i := range n {
			x.open(&dst[first+i], i)
		}
	}
	x.jobs, x.parents = x.jobs[:0], x.parents[:0]
	free := lanes
	for i := range dst {
		for c := 0; c < dst[i].Children; {
			n := min(dst[i].Children-c, free)
			x.add(job{&dst[i], c, n}, states[i*x.words:(i+1)*x.words])
			c += n
			if free -= n; free > 0 {
				continue
			}
			if err := x.ctx.Err(); err != nil {
				for i := range dst {
					dst[i].refuse(err)
				}
				return
			}
			x.stepParents(lanes)
			free = lanes
		}
	}
	if free < lanes {
		x.stepParents(lanes - free)
	}
}

// ExpandChildren expands children of e, which are not terminal, together in one pass, each into the expansion
// of its number in dst. It takes the longest prefix of `wanted` whose own children fit into the lanes, and
// returns its length. It returns 0 if the machine is not parallel or memory is short, because a pass for each
// child is as good then. If e was expanded in the last pass, it saves the pass that evaluates the children
// themselves. That is the case of every first child searched.
func (x *Expander) ExpandChildren(dst []Expansion, e *Expansion, wanted []int) (done int) {
	if !x.parallel || x.maxBytes > 0 && x.bytes > x.maxBytes/2 {
		return 0
	}
	b := x.batch
	wanted = wanted[:min(len(wanted), b.Lanes())]
	first, held := e.lane, x.areLoaded(e)
	if !held {
		x.parents = x.parents[:0]
		for _, c := range wanted {
			x.parents = append(x.parents, e.Child(c)...)
		}
		b.Load(x.parents, len(wanted))
		x.evaluate(len(wanted))
	}
	free := b.Lanes()
	for lane, c := range wanted {
		if held {
			lane = first + c
		}
		x.listMoves(&dst[c], lane)
		if dst[c].Err != nil || dst[c].Children > free {
			break
		}
		x.allocate(&dst[c])
		free -= dst[c].Children
		done++
	}
	x.jobs, x.parents = x.jobs[:0], x.parents[:0]
	for _, c := range wanted[:done] {
		x.add(job{&dst[c], 0, dst[c].Children}, e.Child(c))
	}
	if done > 0 {
		x.stepParents(b.Lanes() - free)
	}
	return done
}

// ListChildMoves finds the moves and the number of children of each child of e that is not terminal. It
// writes them into the expansion of its number in dst and does not compute its children. It saves a pass if e
// was expanded in the last pass.
func (x *Expander) ListChildMoves(dst []Expansion, e *Expansion) {
	lanes := x.batch.Lanes()
	held := x.areLoaded(e)
	for c := range e.Children {
		lane := e.lane + c
		if !held {
			if lane = c % lanes; lane == 0 {
				n := min(e.Children-c, lanes)
				x.batch.Load(e.States[c*x.words:], n)
				x.evaluate(n)
			}
		}
		if !e.Terminal[c] {
			x.listMoves(&dst[c], lane)
		}
	}
}

// evaluate evaluates the first n lanes, which invalidates the positions of the last pass.
func (x *Expander) evaluate(n int) {
	x.pass++
	x.batch.Evaluate(n)
}

// ready prepares the first n lanes for moves, which invalidates the positions of the last pass.
func (x *Expander) ready(n int) {
	x.pass++
	if x.able.Preparing != nil {
		x.able.Prepare(n)
	} else {
		x.batch.Evaluate(n)
	}
}

// add appends a job and assigns lanes to its children, whose parent is s.
func (x *Expander) add(j job, s machine.State) {
	x.jobs = append(x.jobs, j)
	for range j.n {
		x.parents = append(x.parents, s...)
	}
}

// open lists the moves of the evaluated position in a lane and allocates its children.
func (x *Expander) open(e *Expansion, lane int) {
	x.listMoves(e, lane)
	x.allocate(e)
}

// listMoves finds the moves and the number of children of the position in a lane.
func (x *Expander) listMoves(e *Expansion, lane int) {
	e.words, e.roles, e.Err, e.Lost = x.words, x.roles, nil, false
	for len(e.Moves) < x.roles {
		e.Moves = append(e.Moves, nil)
	}
	for r := range x.roles {
		if x.foresees != nil && x.foresees[r] {
			e.Moves[r] = x.able.AppendSensible(e.Moves[r][:0], lane, machine.Role(r))
		} else {
			e.Moves[r] = x.batch.AppendLegal(e.Moves[r][:0], lane, machine.Role(r))
		}
	}
	err := machine.ErrLost
	if !x.isLost(lane) {
		err = x.count(e)
	}
	if err != nil {
		e.refuse(err)
	}
}

// isLost reports whether the position in a lane is lost.
func (x *Expander) isLost(lane int) bool {
	if x.able.Limited == nil {
		return false
	}
	lost := x.able.Lost()
	return lost != nil && machine.State(lost).Has(lane)
}

// allocate allocates the children.
func (x *Expander) allocate(e *Expansion) {
	if e.Err != nil {
		return
	}
	e.States = scratch.Resize(e.States, e.Children*x.words)
	e.Terminal = scratch.Resize(e.Terminal, e.Children)
	e.Goals = scratch.Resize(e.Goals, e.Children*x.roles)
	x.bytes += x.memory(e) - e.charged
	e.charged = x.memory(e)
}

// count computes the number of children. It returns an error if a role has no legal move or a limit is
// exceeded.
func (x *Expander) count(e *Expansion) error {
	children := int64(1)
	for _, moves := range e.Moves {
		if len(moves) == 0 {
			return ErrStuck
		}
	}
	for _, moves := range e.Moves {
		if children *= int64(len(moves)); children > MaxChildren {
			return fmt.Errorf("%w: more than %d", ErrTooWide, MaxChildren)
		}
	}
	if children*x.childBytes() > MaxExpansionBytes {
		return fmt.Errorf("%w: %d take more than %d MiB", ErrTooWide, children, MaxExpansionBytes>>20)
	}
	e.Children = int(children)
	need := children * (x.childBytes() + x.perChild)
	if more := need - e.charged; x.maxBytes > 0 && more > 0 && x.bytes+more > x.maxBytes {
		return fullError(x.maxBytes)
	}
	return nil
}

// childBytes returns the memory of one child in an expansion.
func (x *Expander) childBytes() int64 {
	return int64(x.words)*8 + 1 + int64(x.roles)*int64(unsafe.Sizeof(int32(0)))
}

// memory returns the memory of e, with the caller's perChild bytes.
func (x *Expander) memory(e *Expansion) int64 {
	return int64(cap(e.Terminal)) * (x.childBytes() + x.perChild)
}

// stepParents computes the children of the collected jobs, in n lanes with a parent each.
func (x *Expander) stepParents(n int) {
	x.batch.Load(x.parents, n)
	x.ready(n)
	x.step(n)
	x.jobs, x.parents = x.jobs[:0], x.parents[:0]
}

// step computes the children of all jobs in n lanes, which hold their parents.
func (x *Expander) step(n int) {
	b := x.batch
	lane := 0
	for _, j := range x.jobs {
		x.choose(j, lane)
		lane += j.n
	}
	b.Advance(n)
	x.parents = scratch.Resize(x.parents, n*x.words)
	b.Store(x.parents, n)
	x.evaluate(n)
	terminal := b.Terminal()
	lane = 0
	for _, j := range x.jobs {
		e := j.e
		if j.n == e.Children {
			e.held, e.pass, e.lane = x, x.pass, lane
		}
		copy(e.States[j.first*x.words:], x.parents[lane*x.words:(lane+j.n)*x.words])
		for i := range j.n {
			over := machine.State(terminal).Has(lane + i)
			e.Terminal[j.first+i] = over
			if over {
				b.Goals(e.ChildGoals(j.first+i), lane+i)
			}
		}
		lane += j.n
	}
	x.markLost()
	for r, foresees := range x.foresees {
		if foresees {
			x.foresee(machine.Role(r))
		}
	}
}

// markLost marks the expansions with lost children, whose goals are not known.
func (x *Expander) markLost() {
	if x.able.Limited == nil {
		return
	}
	lost := machine.State(x.able.Lost())
	lane := 0
	for _, j := range x.jobs {
		for c := j.first; lost != nil && c < j.first+j.n; c++ {
			if lost.Has(lane) {
				j.e.Lost = true
				if j.e.Terminal[c] {
					j.e.Err = machine.ErrLost
				}
			}
			lane++
		}
	}
}

// foresee marks the children of all jobs in which role r wins as terminal.
func (x *Expander) foresee(r machine.Role) {
	goal, wins := x.able.Wins(r)
	if !slices.ContainsFunc(wins, func(w uint64) bool { return w != 0 }) {
		return
	}
	lane := 0
	for _, j := range x.jobs {
		for c := j.first; c < j.first+j.n; c++ {
			if machine.State(wins).Has(lane) {
				j.e.Terminal[c] = true
				goals := j.e.ChildGoals(c)
				goals[r], goals[1-r] = goal, x.sum-goal
			}
			lane++
		}
	}
}

// choose sets the joint moves of a job in its lanes, from the given lane on.
func (x *Expander) choose(j job, lane int) {
	after := 1 // number of joint moves of the roles after r
	for r := len(j.e.Moves) - 1; r >= 0; r-- {
		moves := j.e.Moves[r]
		digit, left := j.first/after%len(moves), after-j.first%after
		for i := range j.n {
			x.batch.Choose(lane+i, machine.Role(r), moves[digit])
			if left--; left > 0 {
				continue
			}
			left = after
			if digit++; digit == len(moves) {
				digit = 0
			}
		}
		after *= len(moves)
	}
}
