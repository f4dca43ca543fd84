package prove

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Goal-directed induction proves that a property of single positions holds, with only the invariants that the proof
// needs. It finds invariants lazily, by counterexample-guided refinement (Clarke, Grumberg, Jha, Lu and Veith 2000).
// A model is a position that breaks the property, or a joint move that breaks the property or an invariant. If the
// positions of random games contradict the model, the contradiction is a lemma: the formulas assume it from now on,
// and it must be proved, too. So the formulas contain only fluents on which the property and its lemmas depend.
//
// Theorem: let every lemma and the property hold in the initial position. Let a step be a legal joint move from a
// position that is not terminal and in which all lemmas hold. If no step breaks a lemma, then all lemmas hold in
// every position that can be reached, by induction on joint moves. If, moreover, no position with all lemmas breaks
// the property, or no step breaks it, the property holds in every position that can be reached.
//
// Formulas leave out two conditions until a model breaks them: the position before the joint move is not terminal,
// and moves are legal. Leaving out a condition adds models, so an unsatisfiable formula stays unsatisfiable with it.

const (
	// maxDropped bounds the lemmas that may be refuted.
	maxDropped = 12
	// maxLemmas bounds the lemmas of an attempt.
	maxLemmas = 3_000
	// maxModels bounds the models that are examined.
	maxModels = 150
	// maxSamples is the number of rounds of random games after which lemmas with less than minSupport are tried.
	maxSamples = 10
	// maxNew bounds the lemmas that one model adds.
	maxNew = 8
	// minSupport is the support in the sample from which a lemma is likelier than a missing condition of the joint
	// move.
	minSupport = 10
)

// lemma is an invariant of single positions: at least one of its literals is true, or exactly one.
type lemma struct {
	literals []logic.Lit // over fluents, ascending
	exactly  bool        // exactly one literal is true
	proved   bool        // every joint move keeps the lemma if all lemmas hold before
}

// key returns a map key of the lemma.
func (l *lemma) key() string { return fmt.Sprint(l.exactly, l.literals) }

// count returns the number of true literals of the lemma.
func (l *lemma) count(holds func(logic.Lit) bool) (n int) {
	for _, literal := range l.literals {
		if holds(literal) {
			n++
		}
	}
	return n
}

// holdsWith reports whether the lemma holds with count true literals.
func (l *lemma) holdsWith(count int) bool { return count == 1 || count > 1 && !l.exactly }

// violation returns the signal that the lemma fails, given the signals of its literals.
func (l *lemma) violation(net *logic.Network, values []logic.Lit) logic.Lit {
	none := net.Or(values...).Not()
	if !l.exactly {
		return none
	}
	return net.Or(none, net.AtLeastTwo(values...))
}

// directedProof is a proof by goal-directed induction.
type directedProof struct {
	ctx             context.Context
	game            *circuit.Game
	sample          *sample
	maxBytes        int64
	lemmas          []*lemma
	assumed         map[string]bool // by key of a lemma: true if assumed, false if dropped
	dropped         int
	cones           *circuit.Cones
	positionFormula *lazyFormula // one position
	stepFormula     *lazyFormula // one joint move
	models          int          // models examined
	// byFrequency lists the fluents by their frequency in the first countedWords words of the sample.
	byFrequency  []int32
	frequency    []int // by fluent: the number of sampled positions in which it is true
	rounds       int   // rounds of random games
	countedWords int
	grouped      map[int32][]*lemma // by fluent: the lemmas about its group, empty if it has no group
}

// holdsEverywhere reports whether goal-directed induction proves properties of single positions for every position
// that can be reached, and returns the number of examined models. The answer false refutes nothing.
func holdsEverywhere(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64, properties []property) (proved bool, models int) {
	d := &directedProof{
		ctx: ctx, game: g, sample: newSample(m, nil), maxBytes: maxBytes / 2, assumed: map[string]bool{}, cones: circuit.NewCones(g.Net),
		frequency: make([]int, len(g.Fluents)),
	}
	if d.sample.failsInitially(properties) {
		return false, 0
	}
	d.sampleMore()
	for d.dropped <= maxDropped && d.models <= maxModels && len(d.lemmas) <= maxLemmas && ctx.Err() == nil {
		proved, retry := d.attempt(properties)
		if proved || !retry {
			return proved, d.models
		}
	}
	return false, d.models
}

// failsInitially reports whether a property fails in the initial position.
func (s *sample) failsInitially(properties []property) bool {
	s.walk.Batch.Fill(s.machine.Initial(), nil)
	s.walk.Batch.Evaluate(s.walk.Batch.Lanes())
	initial := viewOf(s.walk.Batch, 0, len(s.machine.Names().Roles))
	return slices.ContainsFunc(properties, func(q property) bool { return q.fails(initial, nil) })
}

// sampleMore adds the positions of a round of random games to the sample.
func (d *directedProof) sampleMore() {
	s := d.sample
	s.walk.Batch.Fill(s.machine.Initial(), nil)
	s.walk.Batch.Store(s.states, s.walk.Batch.Lanes())
	for range sampleSteps {
		if d.ctx.Err() != nil && s.words() > 0 {
			return
		}
		s.record()
		for f, row := range s.true {
			for _, w := range row[len(row)-s.walk.Batch.Lanes()/64:] {
				d.frequency[f] += bits.OnesCount64(w)
			}
		}
		s.advance(s.machine.Initial(), nil)
	}
	d.rounds++
}

// attempt tries a proof with the current lemmas, and adds lemmas that the proof needs. If a lemma fails, attempt
// drops the lemma and asks for a retry.
func (d *directedProof) attempt(properties []property) (proved, retry bool) {
	d.positionFormula, d.stepFormula = newLazyFormula(d.game), newLazyFormula(d.game)
	defer d.positionFormula.Close()
	defer d.stepFormula.Close()
	for _, l := range d.lemmas {
		l.proved = false
		d.positionFormula.assumeLemma(l)
		d.stepFormula.assumeLemma(l)
	}
	for _, q := range properties {
		if !d.isImpossible(d.positionFormula, q.violation(d.positionFormula.unrolling, 0)) && !d.isImpossible(d.stepFormula, q.violation(d.stepFormula.unrolling, 1)) {
			return false, false
		}
	}
	for l := d.nextLemma(); l != nil; l = d.nextLemma() {
		switch {
		case len(d.lemmas) > maxLemmas:
			return false, false
		case d.isKept(l):
			l.proved = true
		case d.ctx.Err() != nil || d.models > maxModels:
			return false, false
		default:
			d.drop(l)
			return false, true
		}
	}
	return true, false
}

// nextLemma returns a shortest unproved lemma, or nil: short lemmas have easy proofs, and fail more often.
func (d *directedProof) nextLemma() (shortest *lemma) {
	for _, l := range d.lemmas {
		if !l.proved && (shortest == nil || len(l.literals) < len(shortest.literals)) {
			shortest = l
		}
	}
	return shortest
}

// isKept reports whether joint moves are proved to keep a lemma. A lemma "exactly one" has a proof for each literal
// that may be true before.
func (d *directedProof) isKept(l *lemma) bool {
	fails := l.violation(d.stepFormula.net, d.stepFormula.after(l.literals))
	if !l.exactly {
		return d.isImpossible(d.stepFormula, fails)
	}
	return !slices.ContainsFunc(l.literals, func(before logic.Lit) bool { return !d.isImpossible(d.stepFormula, fails, before) })
}

// drop drops a lemma that is not kept, and all lemmas that more random games refute.
func (d *directedProof) drop(failed *lemma) {
	d.dropped++
	d.sampleMore()
	d.lemmas = slices.DeleteFunc(d.lemmas, func(l *lemma) bool {
		if l != failed && d.sample.confirms(l) {
			return false
		}
		d.assumed[l.key()] = false
		return true
	})
}

// isImpossible reports whether a signal is proved to be false in the formula's positions in which the lemmas and the
// literals of where hold.
func (d *directedProof) isImpossible(f *lazyFormula, signal logic.Lit, where ...logic.Lit) bool {
	f.include(signal)
	for d.ctx.Err() == nil && f.Bytes() < d.maxBytes && d.models <= maxModels {
		switch f.Solve(d.ctx, sat.Limits{MaxBytes: d.maxBytes}, append(where, signal)...) {
		case sat.Unsat:
			return true
		case sat.Unknown:
			return false
		}
		d.models++
		if !d.refine(f) {
			return false
		}
	}
	return false
}

// refine adds lemmas that the model of a formula breaks, or else conditions of the joint move, and reports whether it
// has added any. It tries lemmas with much support first.
func (d *directedProof) refine(f *lazyFormula) bool {
	model := make([]logic.Lit, len(f.fluents))
	for i, g := range f.fluents {
		model[i] = literal(g) ^ logic.Constant(!f.Value(literal(g)))
	}
	found := d.exclusive(f, model)
	if len(found) == 0 {
		found = d.missing(f, model)
	}
	if len(found) == 0 {
		if f == d.positionFormula { // a property may fail in terminal positions, too
			return false
		}
		if f.restrict() {
			return true
		}
		found = d.clauses(f, model, minSupport)
		for ; len(found) == 0 && d.rounds < maxSamples && d.ctx.Err() == nil; found = d.clauses(f, model, minSupport) {
			d.sampleMore()
		}
		if len(found) == 0 {
			found = d.clauses(f, model, 1)
		}
	}
	for _, l := range found {
		d.lemmas = append(d.lemmas, l)
		d.positionFormula.assumeLemma(l)
		d.stepFormula.assumeLemma(l)
	}
	return len(found) > 0
}

// appendFirst appends the first lemma of a list that was not dropped and holds in the initial position. It appends
// nothing if it comes to a lemma that is assumed already, or that the model satisfies.
func (d *directedProof) appendFirst(found []*lemma, f *lazyFormula, list ...*lemma) []*lemma {
	for _, l := range list {
		slices.Sort(l.literals)
		key := l.key()
		assumed, known := d.assumed[key]
		switch {
		case assumed || l.holdsWith(l.count(f.Value)):
			return found
		case known || !l.holdsWith(l.count(func(l logic.Lit) bool { return Holds(d.game.Initial, l) })):
			continue
		}
		d.assumed[key] = true
		return append(found, l)
	}
	return found
}

// contradiction is two literals that are never true together in the sample. Its support is the number of sampled
// positions in which both would be true if they were independent.
type contradiction struct {
	a, b    logic.Lit
	support int
}

// contradictions returns the contradictions among literals with at least the given support, the greatest support
// first.
func (d *directedProof) contradictions(literals []logic.Lit, support int) (list []contradiction) {
	d.sortedByFrequency()
	positions := 64 * d.countedWords
	count := func(l logic.Lit) int {
		if n := d.frequency[fluent(l)]; !l.Complemented() {
			return n
		} else {
			return positions - n
		}
	}
	for i, a := range literals {
		for _, b := range literals[:i] {
			if n := int(int64(count(a)) * int64(count(b)) / int64(positions)); n >= support && !d.sample.together(a, b) {
				list = append(list, contradiction{a, b, n})
			}
		}
	}
	slices.SortStableFunc(list, func(c, e contradiction) int { return cmp.Compare(e.support, c.support) })
	return list
}

// together reports whether two literals are true in a common position of the sample.
func (s *sample) together(a, b logic.Lit) bool {
	flipA, flipB := -uint64(a&1), -uint64(b&1)
	other := s.true[fluent(b)]
	for i, w := range s.true[fluent(a)] {
		if (w^flipA)&(other[i]^flipB) != 0 {
			return true
		}
	}
	return false
}

// exclusive returns lemmas about fluents that are true together in a model, but never in the sample.
func (d *directedProof) exclusive(f *lazyFormula, model []logic.Lit) (found []*lemma) {
	positive := slices.DeleteFunc(slices.Clone(model), logic.Lit.Complemented)
	for _, c := range d.contradictions(positive, minSupport) {
		if len(found) == maxNew {
			break
		}
		found = d.appendFirst(found, f, append(d.groups(fluent(c.a), fluent(c.b)), &lemma{literals: []logic.Lit{c.a.Not(), c.b.Not()}})...)
	}
	return found
}

// missing returns lemmas "exactly one" about groups of which the model makes no fluent true.
func (d *directedProof) missing(f *lazyFormula, model []logic.Lit) (found []*lemma) {
	d.sortedByFrequency()
	for _, l := range model {
		if !l.Complemented() || len(found) == maxNew || d.frequency[fluent(l)] == 0 {
			continue
		}
		if d.grouped[fluent(l)] == nil {
			d.grouped[fluent(l)] = append([]*lemma{}, d.groups(fluent(l))...)
		}
		found = d.appendFirst(found, f, d.grouped[fluent(l)]...)
	}
	return found
}

// clauses returns lemmas of one or two literals that the model breaks.
func (d *directedProof) clauses(f *lazyFormula, model []logic.Lit, support int) (found []*lemma) {
	for _, c := range d.contradictions(model, support) {
		if len(found) == maxNew {
			return found
		}
		found = d.appendFirst(found, f, &lemma{literals: []logic.Lit{c.a.Not(), c.b.Not()}})
	}
	for _, l := range model {
		if len(found) < maxNew && support <= 1 && !d.sample.together(l, l) {
			found = d.appendFirst(found, f, &lemma{literals: []logic.Lit{l.Not()}})
		}
	}
	return found
}

// group returns positive literals of fluents, the given fluents among them, of which exactly one is true in every
// position of the sample; nil if it finds none. It extends the given fluents greedily, by the most frequent fluent
// that excludes all fluents so far.
func (d *directedProof) group(given ...int32) []logic.Lit {
	s := d.sample
	covered := make([]uint64, s.words())
	var group []logic.Lit
	left := 64 * len(covered)
	add := func(f int32) {
		group = append(group, literal(f))
		for i, w := range s.true[f] {
			covered[i] |= w
			left -= bits.OnesCount64(w)
		}
	}
	for _, f := range given {
		add(f)
	}
	for _, f := range d.sortedByFrequency() {
		if left <= 0 {
			break
		}
		if !slices.Contains(given, f) && !intersect(s.true[f], covered) {
			add(f)
		}
	}
	if left != 0 || len(group) < 2 {
		return nil
	}
	return group
}

// groups returns the lemmas "exactly one" about the group of the given fluents, the likelier lemma first. The sample
// may lack rare fluents, such as the extreme values of a counter. So the first lemma also contains the fluents that
// never occur in the sample and depend on the group.
func (d *directedProof) groups(given ...int32) []*lemma {
	group := d.group(given...)
	if group == nil {
		return nil
	}
	list := []*lemma{{literals: group, exactly: true}}
	var rare []logic.Lit
	for u := range int32(len(d.frequency)) {
		if d.frequency[u] == 0 && slices.ContainsFunc(d.support(d.game.Next[u]), func(g int32) bool { return slices.Contains(group, literal(g)) }) {
			rare = append(rare, literal(u))
		}
	}
	if len(rare) > 0 {
		list = append([]*lemma{{literals: slices.Concat(group, rare), exactly: true}}, list...)
	}
	return list
}

// maxSupport bounds the gates of a signal whose fluents are searched.
const maxSupport = 1 << 14

// support returns the fluents on which signals of the game depend, or nothing if the signals have too many gates.
func (d *directedProof) support(signals ...logic.Lit) (fluents []int32) {
	nodes, _ := d.cones.Nodes(maxSupport, signals...)
	for _, i := range nodes {
		if int(i) > len(d.game.Fluents) {
			break
		}
		fluents = append(fluents, i-1)
	}
	return fluents
}

// sortedByFrequency returns the fluents of the sample, the most frequent first.
func (d *directedProof) sortedByFrequency() []int32 {
	if d.countedWords == d.sample.words() {
		return d.byFrequency
	}
	d.byFrequency, d.countedWords, d.grouped = nil, d.sample.words(), map[int32][]*lemma{}
	for f, n := range d.frequency {
		if n > 0 {
			d.byFrequency = append(d.byFrequency, int32(f))
		}
	}
	slices.SortStableFunc(d.byFrequency, func(a, b int32) int { return cmp.Compare(d.frequency[b], d.frequency[a]) })
	return d.byFrequency
}

// intersect reports whether two sets of positions have a common element.
func intersect(a, b []uint64) bool {
	for i, w := range a {
		if w&b[i] != 0 {
			return true
		}
	}
	return false
}

// confirms reports whether a lemma holds in every position of the sample.
func (s *sample) confirms(l *lemma) bool {
	for i := range s.words() {
		var once, twice uint64
		for _, literal := range l.literals {
			w := s.true[fluent(literal)][i] ^ -uint64(literal&1)
			twice |= once & w
			once |= w
		}
		if once != ^uint64(0) || l.exactly && twice != 0 {
			return false
		}
	}
	return true
}
