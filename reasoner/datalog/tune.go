package datalog

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// A tuner chooses, for one game, how its relations are computed. It plays
// some random moves, measures how many tuples relations hold (for the order of
// joins), and then tries for each relation whether computing all of it at first
// use costs less work than answering single keys. Work is counted, not timed, so
// the same rulesheet always gives the same machine.
type tuner struct {
	in       *interpreter
	watch    *guard.Watch
	samples  []sample
	spent    int64  // by trying choices
	measured int64  // by measuring relations
	undo     func() // takes back the choice that is being tried, if not nil

	recursive   map[*relation]bool
	definitions map[*relation]int // number of rules
}

// sample is a position with the moves that were chosen in it; over if it is
// terminal or stuck.
type sample struct {
	state machine.State
	joint []machine.Move
	over  bool
}

// How much tuning may do. Work is about 5 to 10 ns each.
const (
	tuningRounds    = 2
	tuningSamples   = 24
	samplingWork    = 2_000_000
	maxTry          = 10_000_000 // work at which positions count as intractable
	tuningWork      = 30_000_000
	tuningSeed      = 1
	measuredSamples = 2
	minTries        = 60
	maxDefinitions  = 8 // rules of a relation that may be inlined
	measuredWork    = 30_000
	maxMeasured     = 100_000_000 // work of measuring all relations
)

// tune fills in.cost. It ends early, with what it has found, when half of the
// time that ctx leaves has passed, or where a position takes more work than enough
// before any choice has been tried.
func (in *interpreter) tune(ctx context.Context, enough int64) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	c := &tuner{in: in, watch: guard.NewWatch(ctx, grounding), definitions: make(map[*relation]int)}
	var ended error // nothing but time is lost
	defer func() {
		if ended != nil && c.undo != nil {
			c.undo()
		}
		if c.in.cost.profiles == nil {
			c.beCareful()
		}
	}()
	defer guard.Stopped(&ended)
	for _, r := range in.rules {
		c.definitions[r.head.rel]++
	}
	c.recursive = newEvaluator(in, c.watch).recursive()
	if !c.start() {
		return
	}
	if in.work = c.try(0) / int64(len(c.samples)); in.work > enough {
		return
	}
	for round := range tuningRounds {
		if round > 0 {
			c.play()
		}
		c.measure()
		c.descend()
	}
	c.measure()
	in.work = c.try(0) / int64(len(c.samples))
}

// beCareful takes all derived relations to be huge, as long as nothing is known of them: of some
// it may be impossible to compute the whole.
func (c *tuner) beCareful() {
	c.in.cost.modes = nil
	c.in.cost.profiles = make(map[*relation]*profile)
	for _, r := range c.in.rules {
		c.in.cost.profiles[r.head.rel] = huge(r.head.rel.arity)
	}
}

// start finds choices under which the first positions can be computed: recursive
// relations as a whole or, where these are too large, by key.
func (c *tuner) start() bool {
	for _, m := range []mode{modeWhole, modeKeyed} {
		c.in.cost.modes = make(map[*relation]mode)
		for rel := range c.recursive {
			c.in.cost.modes[rel] = m
		}
		if c.play(); len(c.samples) > 0 {
			return true
		}
	}
	return false
}

// descend changes one choice after the other and keeps what saves work.
func (c *tuner) descend() {
	modes := c.in.cost.modes
	c.thin()
	best := c.try(0)
	c.spent = 0
	for _, rel := range c.candidates() {
		for _, m := range c.choices(rel) {
			if c.spent > tuningWork {
				return
			}
			c.watch.Look()
			before := modes[rel]
			c.undo = func() { modes[rel] = before }
			modes[rel] = m
			if w := c.try(best); w < best-best/64 {
				best = w
			} else {
				modes[rel] = before
			}
			c.undo = nil
		}
	}
}

// thin drops samples of games that are so slow that few choices could be tried.
func (c *tuner) thin() {
	perSample := c.try(0) / int64(len(c.samples))
	keep := max(1, int(tuningWork/minTries/max(1, perSample)))
	if keep < len(c.samples) {
		first := (len(c.samples) - keep) / 2
		c.samples = c.samples[first : first+keep]
	}
}

// choices are the other ways to compute rel.
func (c *tuner) choices(rel *relation) []mode {
	var list []mode
	for _, m := range []mode{modeKeyed, modeWhole, modeInline} {
		inlines := m == modeInline && !c.recursive[rel] && c.definitions[rel] <= maxDefinitions && !slices.Contains(c.in.without, "inline")
		if m != c.in.cost.modes[rel] && (m != modeInline || inlines) {
			list = append(list, m)
		}
	}
	return list
}

// recursive is the set of recursive relations.
func (e *evaluator) recursive() map[*relation]bool {
	set := make(map[*relation]bool)
	for original, own := range e.copies {
		if d := e.derived[own]; d != nil && d.component != nil {
			set[original] = true
		}
	}
	return set
}

// play collects samples: positions of random matches, more or less evenly spread
// over their course. There is no machine yet, whose playouts could be used, and the
// work of each position is counted.
func (c *tuner) play() {
	var samples []sample
	s := newStepper(c.in, c.watch)
	s.meter.stop = maxTry
	rng := machine.NewRand(tuningSeed)
	state := slices.Clone(c.in.initial)
	for skip := 0; len(samples) < tuningSamples && s.meter.work < samplingWork; skip-- {
		now := s.sample(state, rng)
		if s.meter.err != nil {
			break
		}
		c.in.largest = max(c.in.largest, len(s.numbers))
		if skip <= 0 || now.over {
			samples = append(samples, now)
			skip = 1 + int(rng.Uint64()&3)
		}
		if now.over {
			copy(state, c.in.initial)
		} else if s.Next(state, now.joint); s.meter.err != nil {
			break
		}
	}
	if len(samples) > 0 {
		c.samples = samples
	}
}

// sample chooses random moves in a position.
func (s *stepper) sample(state machine.State, rng *machine.Rand) sample {
	x := sample{state: slices.Clone(state)}
	s.SetState(state)
	x.over = s.Terminal()
	for r := range s.in.names.Roles {
		moves := s.AppendLegal(nil, machine.Role(r))
		if len(moves) == 0 {
			x.over = true
			break
		}
		x.joint = append(x.joint, moves[rng.Intn(len(moves))])
	}
	return x
}

// try is the work that the samples take under the present choices, or more than
// limit. A limit of 0 stands for maxTry.
func (c *tuner) try(limit int64) int64 {
	s := newStepper(c.in, c.watch)
	s.meter.stop = limit
	if limit == 0 {
		s.meter.stop = maxTry
	}
	for i := range c.samples {
		if s.visit(&c.samples[i]); s.meter.err != nil {
			c.spent += s.meter.work
			return s.meter.stop + 1
		}
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
	s.Next(s.after, x.joint)
}

// measure takes the profile of every relation: of inputs from all samples, of
// derived relations, computed whole, from a few.
func (c *tuner) measure() {
	s := newStepper(c.in, c.watch)
	profiles := make(map[*relation]*profile)
	for _, in := range s.inputs.list {
		profiles[s.original(in.rel)] = &profile{distinct: make([]float64, in.rel.arity)}
	}
	for i := range c.samples {
		s.setState(c.samples[i].state)
		s.setJoint(c.samples[i].joint)
		for _, in := range s.inputs.list {
			profiles[s.original(in.rel)].add(in.known, in.holding.list)
		}
	}
	for _, p := range profiles {
		p.average(len(c.samples))
	}
	for _, rel := range c.in.theory.relations {
		if d := s.derived[s.copies[rel]]; d != nil {
			profiles[rel] = c.measureDerived(s, d)
		} else if rel.dynamic && profiles[rel] == nil { // inlining has left none of its rules: it is empty
			profiles[rel] = &profile{distinct: slices.Repeat([]float64{1}, rel.arity)}
		}
	}
	c.in.cost.profiles = profiles
}

// measureDerived computes all of d in some samples. Where that is too much work, d
// is taken to be huge, with as many different terms in each column, and better
// answered by key.
func (c *tuner) measureDerived(s *stepper, d *derived) *profile {
	p := &profile{distinct: make([]float64, d.rel.arity)}
	var all []int32
	for k := range measuredSamples {
		if c.watch.Err() != nil || c.measured > maxMeasured || !s.complete(d, &c.samples[len(c.samples)*(2*k+1)/(2*measuredSamples)]) {
			if rel := s.original(d.rel); c.in.cost.modes[rel] == modeWhole {
				c.in.cost.modes[rel] = modeKeyed
			}
			return huge(d.rel.arity)
		}
		c.measured += s.meter.work
		for len(all) < int(d.rel.n) {
			all = append(all, int32(len(all)))
		}
		p.add(d.rel, all[:d.rel.n])
	}
	p.average(measuredSamples)
	return p
}

// huge is the profile of a relation that is too large to be computed, or that there was no
// time for.
func huge(arity int) *profile {
	p := &profile{tuples: measuredWork, distinct: make([]float64, arity)}
	for i := range p.distinct {
		p.distinct[i] = math.Pow(measuredWork, 1/float64(arity))
	}
	return p
}

// complete computes all of d in a sample; it returns false if that is too much
// work.
func (s *stepper) complete(d *derived, x *sample) bool {
	s.setState(x.state)
	s.setJoint(x.joint)
	s.meter.work, s.meter.stop = 0, measuredWork
	s.ensure(s.wholeCall(d), nil)
	if s.meter.err != nil {
		s.repair()
		return false
	}
	return true
}

// add counts tuples of rel.
func (p *profile) add(rel *relation, tuples []int32) {
	p.tuples += float64(len(tuples))
	for c := range p.distinct {
		seen := make(map[int32]struct{})
		for _, t := range tuples {
			seen[rel.row(t)[c]] = struct{}{}
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

// candidates are the relations for which there is a choice, those that some rule
// uses, the largest first.
func (c *tuner) candidates() []*relation {
	used := allUsed(c.in.rules)
	var list []*relation
	for _, rel := range c.in.theory.relations {
		if c.definitions[rel] > 0 && used[rel] && rel.arity > 0 {
			list = append(list, rel)
		}
	}
	slices.SortStableFunc(list, func(a, b *relation) int {
		return cmp.Compare(c.in.cost.profiles[b].tuples, c.in.cost.profiles[a].tuples)
	})
	return list
}
