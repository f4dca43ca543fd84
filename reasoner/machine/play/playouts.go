package play

import (
	"context"
	"math/bits"
	"time"

	"stackmate/reasoner/machine"
)

// Playouts measures the throughput of a machine, for bench and tests; searches play with Lockstep. Every lane of
// a batch plays its own match of uniformly random moves from a root position, in step with the others. A lane
// whose match has ended idles for one step and starts again from the root, so no pass computes ended lanes alone.
type Playouts struct {
	batch   machine.Batch
	lost    machine.Limited // the batch, or nil
	sums    machine.Summing // the batch, or nil: goals are added up a lane at a time
	root    machine.State
	rng     *machine.Rand
	clock   int64    // steps made so far
	started []int64  // by lane: the clock when its match began
	done    []uint64 // mask of the lanes to restart
	ended   []uint64 // mask of the terminal lanes, a part of done

	// States counts the successor positions computed in matches under way.
	States int64
	// Ended is the number of matches that reached a terminal position. Faulty is the number of matches that
	// got stuck or were cut off after MaxSteps. Lost is the number of matches that reached a lost position
	// (machine.Lost).
	Ended, Faulty, Lost int64

	goals []int64
	lane  []int32 // goals of a lane
}

// MaxSteps is the number of joint moves after which a match counts as endless.
const MaxSteps = 10_000

// NewPlayouts prepares playouts from root, reproducible by seed.
func NewPlayouts(m machine.Machine, root machine.State, seed uint64) *Playouts {
	b := m.NewBatch()
	b.Fill(root, nil)
	p := &Playouts{
		batch:   b,
		root:    root,
		rng:     machine.NewRand(seed),
		started: make([]int64, b.Lanes()),
		done:    make([]uint64, len(b.Terminal())),
		ended:   make([]uint64, len(b.Terminal())),
		goals:   make([]int64, len(m.Names().Roles)),
		lane:    make([]int32, len(m.Names().Roles)),
	}
	p.lost, _ = machine.As[machine.Limited](b)
	p.sums, _ = machine.As[machine.Summing](b)
	return p
}

// Step makes one random joint move in every lane.
func (p *Playouts) Step() {
	b := p.batch
	n := b.Lanes()
	b.Evaluate(n)
	p.countEnded(b.Terminal(), b.Stuck())
	b.ChooseRandom(p.rng, n)
	b.Advance(n)
	p.clock++
	p.restart()
}

// countEnded counts the matches that are over and marks their lanes.
func (p *Playouts) countEnded(terminal, stuck []uint64) {
	var masks []uint64
	if p.lost != nil {
		masks = p.lost.Lost()
	}
	over := uint64(0)
	for w := range p.done {
		lost := uint64(0)
		if masks != nil {
			lost = masks[w]
		}
		p.done[w] = terminal[w] | stuck[w] | lost
		p.ended[w] = terminal[w] &^ lost
		over |= p.ended[w]
		p.Ended += int64(bits.OnesCount64(p.ended[w]))
		p.Faulty += int64(bits.OnesCount64(stuck[w] &^ lost))
		p.Lost += int64(bits.OnesCount64(lost))
		p.States += int64(bits.OnesCount64(^p.done[w]))
	}
	switch {
	case over == 0:
	case p.sums == nil:
		p.addGoals()
	default:
		p.sums.AddGoals(p.goals, p.ended)
	}
	if p.clock%MaxSteps == MaxSteps-1 {
		p.cutOff()
	}
}

// addGoals adds the goals of the ended lanes to the totals.
func (p *Playouts) addGoals() {
	for w, ended := range p.ended {
		for ; ended != 0; ended &= ended - 1 {
			lane := w<<6 | bits.TrailingZeros64(ended)
			p.batch.Goals(p.lane, lane)
			if machine.Unknown(p.batch, lane) != nil {
				p.Ended, p.Lost = p.Ended-1, p.Lost+1
				continue
			}
			for r, g := range p.lane {
				p.goals[r] += int64(max(g, 0))
			}
		}
	}
}

// Goals returns the sum of the goals of the ended matches, by role.
func (p *Playouts) Goals() []int64 { return p.goals }

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
