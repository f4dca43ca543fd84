package prove

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

const (
	// sampleSteps joint moves of random games, in all lanes of a narrow batch, suggest
	// invariants.
	sampleSteps = 150
	// calmRounds rounds of as many must pass without a candidate that fails, but there are no
	// more than maxRounds: what fails hardly ever is left to induction.
	calmRounds = 10
	maxRounds  = 40
	// walkSteps random moves go on from a position that refutes candidates.
	walkSteps = 30
	// maxCandidates bounds the clauses that are tried: some seconds of work.
	maxCandidates = 300_000
	// pairsPerRest is the number of pairs between two rests: less than a millisecond of work.
	pairsPerPause = 512
	// maxPairs bounds the pairs of fluents that are looked at.
	maxPairs = 8_000_000
)

// sample is positions of random games, and the candidates for invariants that hold in
// all of them.
type sample struct {
	Invariants
	machine machine.Machine
	batch   machine.Batch
	rng     *machine.Rand
	states  []uint64        // of the batch, laid out one after the other
	before  []uint64        // the same, a joint move ago
	rises   machine.State   // the fluents that have become true
	falls   machine.State   // those that have become false
	true    [][]uint64      // by fluent: in which positions it is true
	ticks   machine.State   // the fluents of the clock, of which all is known
	hull    *hull           // of all positions met, without the clock; nil if no equations are looked for
	banned  map[string]bool // equations that could not be decided
	changes int             // in the candidates
	pause   func() bool     // lets others work for a while, and returns false when it is over
}

// goOn is the rest of work that nobody interrupts.
func neverPause() bool { return true }

func newSample(m machine.Machine, clock []int32) *sample {
	b, names := m.NewNarrowBatch(), m.Names()
	words := b.Lanes() * m.Words()
	s := &sample{
		machine: m, batch: b, rng: machine.NewRand(1), states: make([]uint64, words), before: make([]uint64, words),
		true: make([][]uint64, len(names.Fluents)), rises: names.NewState(), falls: names.NewState(), ticks: names.NewState(),
		pause: neverPause,
	}
	for _, f := range clock {
		s.ticks.Set(int(f))
	}
	return s
}

// suggest plays random games and makes the candidates. It rests between joint moves, until
// rest says that it is over.
func (s *sample) suggest(pause func() bool) {
	s.pause = pause
	s.batch.Fill(s.machine.Initial(), nil)
	s.batch.Store(s.states, s.batch.Lanes())
	more := s.play()
	s.extendHull()
	fluents := make([]int32, len(s.true))
	for f := range fluents {
		fluents[f] = int32(f)
	}
	s.findPairs(fluents)
	s.findGroups()
	for calm, round := 0, 0; calm < calmRounds && round < maxRounds && more; calm, round = calm+1, round+1 {
		more = s.play()
		if s.filter() {
			calm = -1
		}
	}
	s.findEquations()
	for f := range int32(len(s.true)) {
		if !s.ticks.Has(int(f)) {
			s.findLasting(f)
		}
	}
}

// split leaves the groups and equations, with the pairs of fluents of one group and the
// fluents that never change, and returns the other candidates.
func (s *sample) split() Invariants {
	within := map[pair]bool{}
	for _, group := range s.groups {
		for _, f := range group {
			for _, g := range group {
				within[pair{literal(f).Not(), literal(g).Not()}] = true
			}
		}
	}
	others := Invariants{lasting: s.lasting}
	s.lasting = nil
	s.pairs = slices.DeleteFunc(s.pairs, func(p pair) bool {
		if p.a == p.b || within[p] {
			return false
		}
		others.pairs = append(others.pairs, p)
		return true
	})
	return others
}

// findLasting makes the literals over a fluent that have been true for good.
func (s *sample) findLasting(f int32) {
	if !s.falls.Has(int(f)) {
		s.lasting = append(s.lasting, literal(f))
	}
	if !s.rises.Has(int(f)) {
		s.lasting = append(s.lasting, literal(f).Not())
	}
}

// at is the position of a lane.
func (s *sample) state(states []uint64, lane int) machine.State {
	w := s.machine.Words()
	return states[lane*w : (lane+1)*w]
}

// play goes on with random games in all lanes: their next positions are the sample, the
// first one whatever rest says. Induction begins with it: without the initial position
// candidates could contradict each other, and then all would follow.
func (s *sample) play() bool {
	s.reset()
	for step := range sampleSteps {
		if step > 0 && !s.pause() {
			return false
		}
		s.record()
		s.advance(s.machine.Initial(), nil)
	}
	return true
}

// forget empties the sample.
func (s *sample) reset() {
	for f := range s.true {
		s.true[f] = s.true[f][:0]
	}
}

// advance makes a joint move in all lanes, a random one in each if none is given; lanes in
// which the game is over begin again, at a position.
func (s *sample) advance(again machine.State, joint []machine.Move) {
	b, lanes := s.batch, s.batch.Lanes()
	b.Evaluate(lanes)
	done := slices.Clone(b.Terminal())
	for i, w := range b.Stuck() {
		done[i] |= w
	}
	if joint == nil {
		b.ChooseRandom(s.rng, lanes)
	}
	for r, m := range joint {
		for lane := range lanes {
			b.Choose(lane, machine.Role(r), m)
		}
	}
	b.Advance(lanes)
	s.states, s.before = s.before, s.states
	b.Store(s.states, lanes)
	for lane := range lanes {
		if done[lane>>6]>>(uint(lane)&63)&1 != 0 {
			continue
		}
		now := s.state(s.states, lane)
		for w, before := range s.state(s.before, lane) {
			s.falls[w] |= before &^ now[w]
			s.rises[w] |= now[w] &^ before
		}
	}
	b.Fill(again, done)
	b.Store(s.states, lanes)
}

// take adds the positions of the batch to the sample.
func (s *sample) record() {
	lanes, words := s.batch.Lanes(), s.machine.Words()
	var block [64]uint64
	for first := 0; first < lanes; first += 64 {
		for w := range words {
			for i := range block {
				block[i] = s.states[(first+i)*words+w]
			}
			circuit.Transpose(&block)
			for i := range min(64, len(s.true)-64*w) {
				s.true[64*w+i] = append(s.true[64*w+i], block[i])
			}
		}
	}
}

// findPairs makes the clauses that hold in all positions of the sample, but for those
// that follow from shorter ones, of some fluents, by their first literal.
func (s *sample) findPairs(fluents []int32) {
	var varying []int32
	for _, f := range fluents {
		row := s.true[f]
		always, never := true, true
		for _, w := range row {
			always, never = always && w == ^uint64(0), never && w == 0
		}
		switch l := literal(f); {
		case (always || never) && s.ticks.Has(int(f)):
		case always:
			s.pairs = append(s.pairs, pair{l, l})
		case never:
			s.pairs = append(s.pairs, pair{l.Not(), l.Not()})
		default:
			varying = append(varying, f)
		}
	}
	looked := 0
	for i, f := range varying {
		if !s.pause() {
			break
		}
		for _, g := range varying[:i] {
			if s.ticks.Has(int(f)) && s.ticks.Has(int(g)) {
				continue
			}
			if looked++; looked <= maxPairs && len(s.pairs) < maxCandidates {
				s.appendPairs(f, g)
			}
		}
	}
	slices.SortFunc(s.pairs, comparePairs)
}

// appendPairs appends the clauses of two fluents.
func (s *sample) appendPairs(f, g int32) {
	var seen [4]bool // by value of f, twice, and of g
	a, b := s.true[f], s.true[g]
	missing := 4
	for i := range a {
		for v, w := range [4]uint64{^a[i] & ^b[i], ^a[i] & b[i], a[i] & ^b[i], a[i] & b[i]} {
			if w != 0 && !seen[v] {
				seen[v] = true
				missing--
			}
		}
		if missing == 0 {
			return
		}
	}
	for v, met := range seen {
		if !met {
			s.pairs = append(s.pairs, pair{literal(f) | logic.Lit(v>>1), literal(g) | logic.Lit(v&1)})
		}
	}
}

// findGroups makes groups of fluents of which exactly one is true in all positions of
// the sample: to a fluent are added, of those that exclude all so far, the ones that are
// true most often, until one is in every position.
func (s *sample) findGroups() {
	g := grouping{excluded: make([][]int32, len(s.true)), frequency: make([]int, len(s.true)), excluders: make([]int, len(s.true))}
	for _, p := range s.pairs {
		if f, h := fluent(p.a), fluent(p.b); p.a.Complemented() && p.b.Complemented() && f != h {
			g.excluded[f] = append(g.excluded[f], h)
			g.excluded[h] = append(g.excluded[h], f)
		}
	}
	for f, row := range s.true {
		g.positions = max(g.positions, 64*len(row))
		for _, w := range row {
			g.frequency[f] += bits.OnesCount64(w)
		}
	}
	grouped := make([]bool, len(s.true))
	for f := range s.true {
		if grouped[f] || len(g.excluded[f]) == 0 {
			continue
		}
		if !s.pause() {
			break
		}
		if group := g.group(int32(f)); group != nil {
			s.groups = append(s.groups, group)
			for _, h := range group {
				grouped[h] = true
			}
		}
	}
}

// grouping is what groups are made of, by fluent.
type grouping struct {
	positions int
	excluded  [][]int32 // the fluents that are never true together with it
	frequency []int     // the positions in which it is true
	excluders []int     // scratch: members of the group that exclude it
}

// of is the group of a fluent, or nil if it is in none.
func (g *grouping) group(f int32) []int32 {
	candidates := slices.Clone(g.excluded[f])
	slices.SortStableFunc(candidates, func(a, b int32) int { return g.frequency[b] - g.frequency[a] })
	clear(g.excluders)
	var group []int32
	covered := 0
	add := func(h int32) {
		group = append(group, h)
		covered += g.frequency[h] // of positions in which no other member is true
		for _, x := range g.excluded[h] {
			g.excluders[x]++
		}
	}
	add(f)
	for _, h := range candidates {
		if g.frequency[h] > 0 && g.excluders[h] == len(group) {
			add(h)
		}
		if covered == g.positions {
			return group
		}
	}
	return nil
}

// filter drops the pairs and groups that fail in a position of the sample, and tells
// whether there were any. A fluent that is true for the first time may still exclude others,
// and so belong to a group.
func (s *sample) filter() bool {
	before := s.changes
	var risen []int32
	looked, more := 0, true
	s.pairs = slices.DeleteFunc(s.pairs, func(p pair) bool {
		if looked++; looked%pairsPerPause == 0 {
			more = more && s.pause()
		}
		if !more {
			return false
		}
		a, b := s.true[fluent(p.a)], s.true[fluent(p.b)]
		flipA, flipB := -uint64(p.a&1), -uint64(p.b&1)
		for i := range a {
			if (a[i]^flipA)|(b[i]^flipB) != ^uint64(0) {
				s.changes++
				if p.a == p.b && p.a.Complemented() {
					risen = append(risen, fluent(p.a))
				}
				return true
			}
		}
		return false
	})
	s.addExclusions(risen)
	kept := s.groups[:0]
	for _, group := range s.groups {
		if !s.covers(group) {
			s.changes++
			group = s.extend(group, risen)
		}
		if group != nil {
			kept = append(kept, group)
		}
	}
	s.groups = kept
	if s.extendHull() {
		s.changes++
	}
	return s.changes > before
}

// exclude makes pairs of fluents that have never been true before and those that they
// exclude in the sample.
func (s *sample) addExclusions(risen []int32) {
	if len(risen) == 0 || len(s.pairs) > maxCandidates {
		return
	}
	constant := s.machine.Names().NewState()
	for _, p := range s.pairs {
		if p.a == p.b {
			constant.Set(int(fluent(p.a)))
		}
	}
	for i, f := range risen {
		for h := range int32(len(s.true)) {
			if !constant.Has(int(h)) && !slices.Contains(risen[:i+1], h) && !s.coincide(f, h) {
				s.pairs = append(s.pairs, pair{literal(max(f, h)).Not(), literal(min(f, h)).Not()})
			}
		}
	}
	slices.SortFunc(s.pairs, comparePairs)
}

// meet tells whether two fluents are true together in a position of the sample.
func (s *sample) coincide(f, g int32) bool {
	for i, w := range s.true[f] {
		if w&s.true[g][i] != 0 {
			return true
		}
	}
	return false
}

// covers tells whether some fluent of a group is true in each position of the sample.
func (s *sample) covers(group []int32) bool {
	for i := range s.true[group[0]] {
		var some uint64
		for _, g := range group {
			some |= s.true[g][i]
		}
		if some != ^uint64(0) {
			return false
		}
	}
	return true
}

// extend is a group with fluents that exclude all in it; nil if it does not cover the sample.
func (s *sample) extend(group, fluents []int32) []int32 {
	for _, f := range fluents {
		if !slices.ContainsFunc(group, func(g int32) bool { return !s.excludes(f, g) }) {
			group = append(group[:len(group):len(group)], f)
		}
	}
	if !s.covers(group) {
		return nil
	}
	return group
}

// refute drops the candidates that fail after the joint move of a model, or after random
// moves from its position on: once those are dropped that fail in the positions of a
// step, the others hold in all of these.
func (s *sample) refute(f *Formula) {
	position := s.machine.Names().NewState()
	for i, l := range f.game.Fluents {
		if f.Value(f.SignalAt(0, l)) {
			position.Set(i)
		}
	}
	var joint []machine.Move
	if line := f.Line(1); len(line) > 0 {
		joint = line[0]
	}
	s.batch.Fill(position, nil)
	s.batch.Store(s.states, s.batch.Lanes())
	s.reset()
	for range walkSteps {
		s.advance(position, joint)
		joint = nil
		s.record()
	}
	if s.filter() {
		s.findEquations()
	}
	before := len(s.lasting)
	s.lasting = slices.DeleteFunc(s.lasting, func(l logic.Lit) bool {
		if l.Complemented() {
			return s.rises.Has(int(fluent(l)))
		}
		return s.falls.Has(int(fluent(l)))
	})
	s.changes += before - len(s.lasting)
}
