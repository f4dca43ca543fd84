package machine

import (
	"context"
	"math/bits"
	"time"
)

// Playouts runs random playouts in lock step: every lane of a batch plays its
// own match of uniformly random moves from a root position. A lane whose match
// has ended sits out that one step and starts again from the root, so a pass is
// never made for the sake of the ended lanes alone.
//
// Goals are wanted in terminal positions only, and with many lanes some lane ends
// in nearly every step. So the final positions are gathered in a second batch,
// each in its own lane, and their goals are computed together as soon as a lane
// ends for the second time.
//
// Nothing is allocated after NewPlayouts. It belongs to one goroutine.
type Playouts struct {
	batch   Batch
	finals  Batch
	waiting []uint64 // the lanes of finals whose goals are still to be counted
	root    State
	rng     *Rand
	clock   int64   // steps made so far
	started []int64 // by lane: the clock when its match began
	done    []uint64
	ended   []uint64 // of done, those that are terminal

	// States counts the successor positions computed in matches under way.
	States int64
	// Ended counts the matches that reached a terminal position, Faulty those
	// that got stuck or were cut off after MaxSteps, Lost those that came to a position
	// for which the machine has no memory (Batch.Lost).
	Ended, Faulty, Lost int64

	goals []int64
}

// MaxSteps is the length at which a match is taken for endless, in joint moves.
const MaxSteps = 10_000

// NewPlayouts prepares playouts from root, reproducible by seed.
func NewPlayouts(m Machine, root State, seed uint64) *Playouts {
	b := m.NewBatch()
	b.Fill(root, nil)
	return &Playouts{
		batch:   b,
		finals:  m.NewBatch(),
		waiting: make([]uint64, len(b.Terminal())),
		root:    root,
		rng:     NewRand(seed),
		started: make([]int64, b.Lanes()),
		done:    make([]uint64, len(b.Terminal())),
		ended:   make([]uint64, len(b.Terminal())),
		goals:   make([]int64, len(m.Names().Roles)),
	}
}

// Step makes one random joint move in every lane.
func (p *Playouts) Step() {
	b := p.batch
	n := b.Lanes()
	b.Evaluate(n)
	p.settle(b.Terminal(), b.Stuck(), b.Lost())
	b.ChooseRandom(p.rng, n)
	b.Advance(n)
	p.clock++
	p.restart()
}

// settle books the matches that are over and marks their lanes.
func (p *Playouts) settle(terminal, stuck, lost []uint64) {
	var over, again uint64
	for w := range p.done {
		p.done[w] = terminal[w] | stuck[w] | lost[w]
		p.ended[w] = terminal[w] &^ lost[w]
		over |= p.ended[w]
		again |= p.ended[w] & p.waiting[w]
		p.Ended += int64(bits.OnesCount64(p.ended[w]))
		p.Faulty += int64(bits.OnesCount64(stuck[w] &^ lost[w]))
		p.Lost += int64(bits.OnesCount64(lost[w]))
		p.States += int64(bits.OnesCount64(^p.done[w]))
	}
	if again != 0 {
		p.countGoals()
	}
	if over != 0 {
		p.finals.Merge(p.batch, p.ended)
		for w := range p.waiting {
			p.waiting[w] |= p.ended[w]
		}
	}
	if p.clock%MaxSteps == MaxSteps-1 {
		p.cutOff()
	}
}

// countGoals adds up the goals of the final positions gathered so far.
func (p *Playouts) countGoals() {
	p.finals.Evaluate(p.finals.Lanes())
	p.finals.AddGoals(p.goals, p.waiting)
	for w, lost := range p.finals.Lost() {
		n := int64(bits.OnesCount64(lost & p.waiting[w]))
		p.Ended, p.Lost = p.Ended-n, p.Lost+n
	}
	clear(p.waiting)
}

// Goals returns the sum of the goals of the ended matches, by role.
func (p *Playouts) Goals() []int64 {
	p.countGoals()
	return p.goals
}

// cutOff marks the lanes whose match has gone on for MaxSteps.
func (p *Playouts) cutOff() {
	for lane, started := range p.started {
		bit := uint64(1) << (uint(lane) & 63)
		if p.clock-started >= MaxSteps && p.done[lane>>6]&bit == 0 {
			p.done[lane>>6] |= bit
			p.Faulty++
		}
	}
}

// restart puts the root into the marked lanes.
func (p *Playouts) restart() {
	any := uint64(0)
	for w, done := range p.done {
		any |= done
		for ; done != 0; done &= done - 1 {
			p.started[w*64+bits.TrailingZeros64(done)] = p.clock
		}
	}
	if any != 0 {
		p.batch.Fill(p.root, p.done)
	}
}

// Run steps until ctx is done or maxStates positions have been computed (0 means
// no limit). It looks at ctx after each step where steps take long, and after
// several where they do not.
func (p *Playouts) Run(ctx context.Context, maxStates int64) {
	every := 1
	for last := time.Now(); ctx.Err() == nil; {
		for range every {
			if maxStates > 0 && p.States >= maxStates {
				return
			}
			p.Step()
		}
		now := time.Now()
		if every < checkEvery && now.Sub(last) < checkTime {
			every *= 2
		}
		last = now
	}
}

const (
	// checkEvery bounds the steps between two looks at a context. Most steps take
	// about a microsecond, and a look a hundredth of that.
	checkEvery = 16
	// checkTime is how long fewer steps must take to leave it at them. Engines of one
	// position at a time can take tens of milliseconds for a step of all lanes.
	checkTime = 500 * time.Microsecond
)
