package machine

import (
	"context"
	"math/bits"
	"time"
)

// Playouts runs random playouts in lock step: every lane of a batch plays its own match of uniformly random
// moves from a root position. A lane whose match has ended idles for one step and starts again from the root,
// so no pass computes ended lanes alone.
//
// Goals are computed in terminal positions only, and with many lanes some lane ends in nearly every step. So
// a second batch gathers the final positions, each in its own lane, and their goals are computed together as
// soon as a lane ends for the second time.
type Playouts struct {
	batch   Batch
	finals  Batch
	waiting []uint64 // mask of the lanes of finals whose goals are not counted yet
	root    State
	rng     *Rand
	clock   int64    // steps made so far
	started []int64  // by lane: the clock when its match began
	done    []uint64 // mask of the lanes to restart
	ended   []uint64 // mask of the terminal lanes, a part of done

	// States counts the successor positions computed in matches under way.
	States int64
	// Ended is the number of matches that reached a terminal position. Faulty is the number of matches that
	// got stuck or were cut off after MaxSteps. Lost is the number of matches that reached a lost position
	// (Batch.Lost).
	Ended, Faulty, Lost int64

	goals []int64
}

// MaxSteps is the number of joint moves after which a match counts as endless.
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
	p.countEnded(b.Terminal(), b.Stuck(), b.Lost())
	b.ChooseRandom(p.rng, n)
	b.Advance(n)
	p.clock++
	p.restart()
}

// countEnded counts the matches that are over and marks their lanes.
func (p *Playouts) countEnded(terminal, stuck, lost []uint64) {
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

// countGoals adds the goals of the gathered final positions to the totals.
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

// cutOff marks the lanes whose match has lasted MaxSteps.
func (p *Playouts) cutOff() {
	for lane, started := range p.started {
		bit := uint64(1) << (uint(lane) & 63)
		if p.clock-started >= MaxSteps && p.done[lane>>6]&bit == 0 {
			p.done[lane>>6] |= bit
			p.Faulty++
		}
	}
}

// restart stores the root in the marked lanes.
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

// Run steps until ctx is done or maxStates positions have been computed (0 means no limit). It checks ctx
// after each step if steps are slow, and after several steps otherwise.
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
	// checkEvery is the greatest number of steps between two checks of a context. Most steps take about a
	// microsecond, and a check a hundredth of a microsecond.
	checkEvery = 16
	// checkTime is the duration of a group of steps from which the group no longer grows. Engines for one
	// position at a time can take tens of milliseconds for a step of all lanes.
	checkTime = 500 * time.Microsecond
)
