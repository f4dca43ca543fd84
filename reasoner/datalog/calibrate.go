package datalog

import (
	"slices"

	"stackmate/reasoner/machine"
)

// Calibration chooses, for one game, how its relations are computed. It plays
// some random moves, measures how many tuples relations hold (for the order of
// joins), and then tries for each relation whether computing all of it at first
// use costs less work than answering single keys. Work is counted, not timed, so
// the same rulesheet always gives the same machine.
type calibration struct {
	in      *interpreter
	samples []sample
	spent   int64
}

// sample is a position with the moves that were chosen in it; over if it is
// terminal or stuck.
type sample struct {
	state machine.State
	joint []machine.Move
	over  bool
}

// The size of calibration. Work is about 5 to 10 ns each.
const (
	calibrationSamples = 24
	samplingWork       = 2_000_000
	calibrationWork    = 30_000_000
	calibrationSeed    = 1
)

// calibrate fills in.cost.
func (in *interpreter) calibrate() {
	c := &calibration{in: in}
	in.cost.full = make(map[*relation]bool)
	c.play()
	c.measure()
	best := c.try(0)
	for _, rel := range c.candidates() {
		if c.spent > calibrationWork {
			break
		}
		in.cost.full[rel] = !in.cost.full[rel]
		if w := c.try(best); w < best-best/64 {
			best = w
		} else {
			in.cost.full[rel] = !in.cost.full[rel]
		}
	}
	c.measure()
}

// play collects samples: positions of random matches, more or less evenly spread
// over their course.
func (c *calibration) play() {
	s := newStepper(c.in)
	rng := machine.NewRand(calibrationSeed)
	state := slices.Clone(c.in.initial)
	skip := 0
	for steps := 1; len(c.samples) < calibrationSamples; steps++ {
		now := sample{state: slices.Clone(state)}
		s.SetState(state)
		now.over = s.Terminal()
		for r := range c.in.names.Roles {
			moves := s.AppendLegal(nil, machine.Role(r))
			if len(moves) == 0 {
				now.over = true
				break
			}
			now.joint = append(now.joint, moves[rng.Intn(len(moves))])
		}
		if skip--; skip < 0 || now.over {
			c.samples = append(c.samples, now)
			skip = int(rng.Uint64() & 3)
		}
		if s.meter.work > samplingWork {
			return
		}
		if now.over {
			copy(state, c.in.initial)
		} else {
			s.Next(state, now.joint)
		}
	}
}

// try is the work that the samples take under the present choices, or more than
// limit, if that is not 0.
func (c *calibration) try(limit int64) int64 {
	s := newStepper(c.in)
	s.meter.stop = limit
	for i := range c.samples {
		s.visit(&c.samples[i])
	}
	c.spent += s.meter.work
	return s.meter.work
}

// visit asks everything that a playout asks of a position.
func (s *stepper) visit(x *sample) {
	s.SetState(x.state)
	if s.Terminal(); x.over {
		s.Goal(0)
		return
	}
	s.moves = s.AppendLegal(s.moves[:0], 0)
	s.Next(s.after.words, x.joint)
}

// measure takes the profile of every relation from the samples.
func (c *calibration) measure() {
	s := newStepper(c.in)
	sums := make(map[*relation]*profile)
	for i := range c.samples {
		s.visit(&c.samples[i])
		for original, rel := range s.copies {
			p := sums[original]
			if p == nil {
				p = &profile{distinct: make([]float64, rel.arity)}
				sums[original] = p
			}
			p.add(rel)
		}
	}
	for _, p := range sums {
		p.average(len(c.samples))
	}
	c.in.cost.profiles = sums
}

// add counts the tuples that rel holds now.
func (p *profile) add(rel *relation) {
	if rel.input == nil {
		p.tuples += float64(rel.n)
		for c := range p.distinct {
			p.distinct[c] += float64(rel.count(int32(c)))
		}
		return
	}
	p.tuples += float64(len(rel.input.list))
	for c := range p.distinct {
		seen := make(map[int32]struct{})
		for _, t := range rel.input.list {
			seen[rel.input.universe.row(t)[c]] = struct{}{}
		}
		p.distinct[c] += float64(len(seen))
	}
}

func (p *profile) average(samples int) {
	p.tuples /= float64(samples)
	for c := range p.distinct {
		p.distinct[c] = max(1, p.distinct[c]/float64(samples))
	}
}

// candidates are the relations for which there is a choice, in a fixed order:
// those that are asked by key.
func (c *calibration) candidates() []*relation {
	s := newStepper(c.in)
	var list []*relation
	for _, rel := range c.in.theory.relations {
		own := s.copies[rel]
		if own == nil || s.derived[own] == nil {
			continue
		}
		for _, call := range s.derived[own].calls {
			if !call.full && len(call.columns) > 0 {
				list = append(list, rel)
				break
			}
		}
	}
	return list
}
