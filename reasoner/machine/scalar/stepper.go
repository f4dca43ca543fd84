// Package scalar makes machines of engines for one position at a time: a Stepper computes the positions of a batch lane
// by lane, and a vocabulary numbers the fluents and moves that such an engine meets.
package scalar

import (
	"stackmate/reasoner/machine"
)

// Stepper is an engine for one position at a time: the reference engine, the Datalog engine, a hand-written
// game of a test. It belongs to one goroutine. New makes a Machine of it.
type Stepper interface {
	// SetState sets the current position, about which the other methods answer. The stepper must not keep s:
	// the caller may change it after the call.
	SetState(s machine.State)
	// Terminal reports whether the position is terminal.
	Terminal() bool
	// AppendLegal appends the legal moves of role r, ascending.
	AppendLegal(dst []machine.Move, r machine.Role) []machine.Move
	// Goal returns the goal of role r in goal points, or NoGoal.
	Goal(r machine.Role) int32
	// Next writes the successor under a joint move (one move per role) to dst.
	Next(dst machine.State, joint []machine.Move)
}

// limited is a Stepper that may run out of memory. Err returns an error if its answers about the current
// position may be incomplete.
type limited interface{ Err() error }

// scalarLanes is the width of a batch over a Stepper: one lane word.
const (
	scalarLanes = 64
	allLanes    = ^uint64(0)
)

// scalar is a Machine whose batches run a Stepper lane by lane.
type scalar struct {
	names   *machine.Names
	initial machine.State
	info    machine.Info
	stepper func() Stepper
}

var (
	_ machine.Machine   = (*scalar)(nil)
	_ machine.Batch     = (*scalarBatch)(nil)
	_ machine.Limited   = (*scalarBatch)(nil)
	_ machine.Preparing = (*scalarBatch)(nil)
)

// New makes a Machine of a one-position engine. The function newStepper is called once for each batch
// and must be safe for concurrent use. The machine is not parallel, regardless of info.
func New(names *machine.Names, initial machine.State, info machine.Info, newStepper func() Stepper) machine.Machine {
	info.Parallel = false
	return &scalar{names: names, initial: initial, info: info, stepper: newStepper}
}

// Names implements machine.Machine.
func (m *scalar) Names() *machine.Names { return m.names }

// Initial implements machine.Machine.
func (m *scalar) Initial() machine.State { return m.initial }

// Info implements machine.Machine.
func (m *scalar) Info() machine.Info { return m.info }

// NewBatch implements machine.Machine.
func (m *scalar) NewBatch() machine.Batch {
	b := &scalarBatch{
		names:   m.names,
		stepper: m.stepper(),
		words:   len(m.Initial()),
		roles:   len(m.names.Roles),
		states:  make([]uint64, scalarLanes*len(m.Initial())),
		next:    make(machine.State, len(m.Initial())),
		joint:   make([]machine.Move, scalarLanes*len(m.names.Roles)),
		start:   make([]int32, scalarLanes*(len(m.names.Roles)+1)),
		current: -1,
	}
	b.limited, _ = b.stepper.(limited)
	b.Fill(m.initial, nil)
	return b
}

// NewNarrowBatch implements machine.Machine.
func (m *scalar) NewNarrowBatch() machine.Batch { return m.NewBatch() }

// scalarBatch moves its stepper from lane to lane. Legal moves take most of the work of a position, so the
// moves that Evaluate lists are kept until their lane changes.
type scalarBatch struct {
	names    *machine.Names
	stepper  Stepper
	limited  limited // the stepper, or nil
	words    int
	roles    int
	current  int // the lane of the stepper's position, or -1
	states   []uint64
	next     machine.State
	joint    []machine.Move // by lane, then role
	terminal [1]uint64
	stuck    [1]uint64
	moves    []machine.Move // of all lanes in listed, lane by lane
	start    []int32        // by lane, then role: index of its first move; one more entry for the end
	listed   uint64         // mask of the lanes whose moves are in moves
	lost     [1]uint64
}

func (b *scalarBatch) Lanes() int { return scalarLanes }

func (b *scalarBatch) lane(i int) machine.State { return b.states[i*b.words : (i+1)*b.words] }

// invalidate drops the moves of lanes whose positions change.
func (b *scalarBatch) invalidate(lanes uint64) {
	b.current = -1
	b.listed &^= lanes
}

func (b *scalarBatch) Fill(s machine.State, mask []uint64) {
	b.invalidate(allLanes)
	for i := range scalarLanes {
		if mask == nil || mask[0]>>uint(i)&1 != 0 {
			copy(b.lane(i), s)
		}
	}
}

func (b *scalarBatch) Load(states []uint64, n int) {
	b.invalidate(allLanes)
	copy(b.states, states[:n*b.words])
}

func (b *scalarBatch) Store(dst []uint64, n int) { copy(dst, b.states[:n*b.words]) }

// seek sets the stepper to the position of a lane.
func (b *scalarBatch) seek(lane int) {
	if b.current != lane {
		b.stepper.SetState(b.lane(lane))
		b.current = lane
	}
}

func (b *scalarBatch) Evaluate(n int) {
	b.terminal[0], b.stuck[0] = 0, 0
	b.moves, b.listed, b.lost[0] = b.moves[:0], 0, 0
	for i := range n {
		b.seek(i)
		bit := uint64(1) << uint(i)
		if b.stepper.Terminal() {
			b.terminal[0] |= bit
			b.recordLost(i)
			continue
		}
		start := b.start[i*(b.roles+1):]
		for r := range b.roles {
			start[r] = int32(len(b.moves))
			if b.moves = b.stepper.AppendLegal(b.moves, machine.Role(r)); len(b.moves) == int(start[r]) {
				b.stuck[0] |= bit
			}
		}
		start[b.roles] = int32(len(b.moves))
		b.listed |= bit
		b.recordLost(i)
	}
}

// recordLost marks a lane as lost if the stepper's answers about its position are incomplete.
func (b *scalarBatch) recordLost(lane int) {
	if b.names.Lost(b.lane(lane)) || b.limited != nil && b.limited.Err() != nil {
		b.lost[0] |= 1 << uint(lane)
	}
}

func (b *scalarBatch) Terminal() []uint64 { return b.terminal[:] }

func (b *scalarBatch) Stuck() []uint64 { return b.stuck[:] }

func (b *scalarBatch) Lost() []uint64 { return b.lost[:] }

// legal returns the legal moves of a lane in listed.
func (b *scalarBatch) legal(lane int, r machine.Role) []machine.Move {
	start := b.start[lane*(b.roles+1)+int(r):]
	return b.moves[start[0]:start[1]]
}

func (b *scalarBatch) AppendLegal(dst []machine.Move, lane int, r machine.Role) []machine.Move {
	if b.listed>>uint(lane)&1 != 0 {
		return append(dst, b.legal(lane, r)...)
	}
	b.seek(lane)
	return b.stepper.AppendLegal(dst, r)
}

func (b *scalarBatch) Goals(dst []int32, lane int) {
	b.seek(lane)
	for r := range b.roles {
		dst[r] = b.stepper.Goal(machine.Role(r))
	}
	b.recordLost(lane)
}

// Prepare drops the answers: successors are computed from positions and moves alone.
func (b *scalarBatch) Prepare(int) {
	b.terminal[0], b.stuck[0], b.lost[0], b.listed = 0, 0, 0, 0
}

func (b *scalarBatch) Choose(lane int, r machine.Role, m machine.Move) {
	b.joint[lane*b.roles+int(r)] = m
}

func (b *scalarBatch) ChooseRandom(rng *machine.Rand, n int) {
	dead := b.terminal[0] | b.stuck[0]
	for i := range n {
		if dead>>uint(i)&1 != 0 {
			continue
		}
		for r := range b.roles {
			legal := b.legal(i, machine.Role(r))
			b.joint[i*b.roles+r] = legal[rng.Intn(len(legal))]
		}
	}
}

func (b *scalarBatch) Advance(n int) {
	dead := b.terminal[0] | b.stuck[0]
	for i := range n {
		if dead>>uint(i)&1 != 0 {
			continue
		}
		b.seek(i)
		b.stepper.Next(b.next, b.joint[i*b.roles:(i+1)*b.roles])
		copy(b.lane(i), b.next)
	}
	b.invalidate(allLanes)
}
