package prove

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

const (
	// sampleSteps is the number of joint moves in a round of random games, which play in all lanes of a narrow batch.
	sampleSteps = 150
	// Sampling stops after calmRounds consecutive rounds that refute no candidate, or after maxRounds. Induction
	// drops candidates that fail more rarely.
	calmRounds = 10
	maxRounds  = 40
	// walkSteps is the number of random joint moves from a position that refutes a candidate.
	walkSteps = 30
	// maxCandidates bounds the clauses that are candidates: some seconds of work.
	maxCandidates = 300_000
	// pairsPerPause is the number of pairs between two calls of pause: less than a millisecond of work.
	pairsPerPause = 512
	// maxPairs bounds the pairs of fluents that are examined.
	maxPairs = 8_000_000
)

// sample holds positions of random games, and the candidates for invariants, which hold in all of them.
type sample struct {
	Invariants
	machine machine.Machine
	walk    play.Walk
	rng     *machine.Rand
	states  []uint64        // of the batch, one after the other
	before  []uint64        // states before the last joint move
	rises   machine.State   // fluents that have become true
	falls   machine.State   // fluents that have become false
	true    [][]uint64      // by fluent: the positions in which it is true
	ticks   machine.State   // fluents of the clock, whose invariants are known
	hull    *hull           // of all positions, without the clock; nil without equations
	banned  map[string]bool // equations that remained undecided
	changes int             // number of changes of the candidates
	pause   func() bool     // yields to other work; returns false when the time is over
}

// neverPause is the pause of work that is not interleaved.
func neverPause() bool { return true }

func newSample(m machine.Machine, clock []int32) *sample {
	b, names := m.NewNarrowBatch(), m.Names()
	words := b.Lanes() * len(m.Initial())
	s := &sample{
		machine: m, walk: play.Walk{Batch: b}, rng: machine.NewRand(1), states: make([]uint64, words), before: make([]uint64, words),
		true: make([][]uint64, len(names.Fluents)), rises: names.NewState(), falls: names.NewState(), ticks: names.NewState(),
		pause: neverPause,
	}
	for _, f := range clock {
		s.ticks.Set(int(f))
	}
	return s
}

// words returns the number of words for a fluent in all positions of the sample; 0 in a game without fluents.
func (s *sample) words() int {
	if len(s.true) == 0 {
		return 0
	}
	return len(s.true[0])
}

// suggest plays random games and computes the candidates. It calls pause between joint moves, and ends early when
// pause returns false.
func (s *sample) suggest(pause func() bool) {
	s.pause = pause
	s.walk.Batch.Fill(s.machine.Initial(), nil)
	s.walk.Batch.Store(s.states, s.walk.Batch.Lanes())
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

// split keeps the groups, the equations, the pairs within groups and the constant fluents, and returns the other
// candidates.
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

// findLasting appends the literals over a fluent that have never become false.
func (s *sample) findLasting(f int32) {
	if !s.falls.Has(int(f)) {
		s.lasting = append(s.lasting, literal(f))
	}
	if !s.rises.Has(int(f)) {
		s.lasting = append(s.lasting, literal(f).Not())
	}
}

// state returns the position of a lane.
func (s *sample) state(states []uint64, lane int) machine.State {
	w := len(s.machine.Initial())
	return states[lane*w : (lane+1)*w]
}

// play replaces the sample by positions of random games, which continue in all lanes. The first positions are
// recorded even if the time is over: without the initial position candidates could contradict each other, and would
// then imply anything.
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

// reset empties the sample.
func (s *sample) reset() {
	for f := range s.true {
		s.true[f] = s.true[f][:0]
	}
}

// advance makes a joint move in all lanes, or random joint moves if joint is nil. Lanes whose game is over restart at
// position again.
func (s *sample) advance(again machine.State, joint []machine.Move) {
	b, lanes := s.walk.Batch, s.walk.Batch.Lanes()
	ended := machine.State(s.walk.Evaluate())
	if joint == nil {
		s.walk.ChooseRandom(s.rng)
	}
	for r, m := range joint {
		for lane := range lanes {
			b.Choose(lane, machine.Role(r), m)
		}
	}
	s.walk.Advance(again)
	s.states, s.before = s.before, s.states
	b.Store(s.states, lanes)
	for lane := range lanes {
		if ended.Has(lane) {
			continue
		}
		now := s.state(s.states, lane)
		for w, before := range s.state(s.before, lane) {
			s.falls[w] |= before &^ now[w]
			s.rises[w] |= now[w] &^ before
		}
	}
}

// record adds the positions of the batch to the sample.
func (s *sample) record() {
	lanes, words := s.walk.Batch.Lanes(), len(s.machine.Initial())
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

// findPairs appends the clauses over fluents that hold in the whole sample, and sorts them. A clause with a constant
// fluent is a unit clause.
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

// appendPairs appends the clauses of two literals about fluents f and g.
func (s *sample) appendPairs(f, g int32) {
	var seen [4]bool // by 2 × value of f + value of g
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
	for v, occurs := range seen {
		if !occurs {
			s.pairs = append(s.pairs, pair{literal(f) | logic.Lit(v>>1), literal(g) | logic.Lit(v&1)})
		}
	}
}

// findGroups appends groups of fluents of which exactly one is true in each position of the sample. A group grows
// greedily from one fluent: the next member is the most frequent fluent that excludes all members.
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

// grouping is the input of findGroups, by fluent.
type grouping struct {
	positions int
	excluded  [][]int32 // fluents that are never true together with it
	frequency []int     // number of positions in which it is true
	excluders []int     // scratch: number of members that exclude it
}

// group returns the group that grows from a fluent, or nil if it does not cover the sample.
func (g *grouping) group(f int32) []int32 {
	candidates := slices.Clone(g.excluded[f])
	slices.SortStableFunc(candidates, func(a, b int32) int { return g.frequency[b] - g.frequency[a] })
	clear(g.excluders)
	var group []int32
	covered := 0
	add := func(h int32) {
		group = append(group, h)
		covered += g.frequency[h] // members exclude each other, so no position is counted twice
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

// filter drops the pairs and groups that fail in a position of the sample, extends the hull, and reports whether
// anything has changed. A fluent that becomes true for the first time may still exclude others, and so belong to a
// group.
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

// addExclusions appends pairs of a fluent that was never true before and each fluent that it excludes in the sample.
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

// coincide reports whether two fluents are true together in a position of the sample.
func (s *sample) coincide(f, g int32) bool {
	for i, w := range s.true[f] {
		if w&s.true[g][i] != 0 {
			return true
		}
	}
	return false
}

// covers reports whether each position of the sample makes a fluent of the group true.
func (s *sample) covers(group []int32) bool {
	for i := range s.true[group[0]] {
		var covered uint64
		for _, g := range group {
			covered |= s.true[g][i]
		}
		if covered != ^uint64(0) {
			return false
		}
	}
	return true
}

// extend returns the group with each fluent that excludes all its members; nil if the result does not cover the
// sample.
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

// refute drops the candidates that fail after the joint move of a model, or in a random game that continues from
// there.
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
	s.walk.Batch.Fill(position, nil)
	s.walk.Batch.Store(s.states, s.walk.Batch.Lanes())
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
