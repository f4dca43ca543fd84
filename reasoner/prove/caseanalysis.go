package prove

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/prove/sat"
)

// Induction by cases: each joint move is a case. Most fluents do not change in a joint move, and the next values of
// the others depend on few fluents. So most candidates are proved without search, or by a formula of some dozen
// fluents. That formula assumes the candidates about these fluents; an equation is weakened to a bound on the sum of
// its remaining sets. The cost is one propagation of each joint move through the circuit. Candidates that the small
// formula cannot prove are checked by the formula of the whole game.

const (
	// maxCaseGates bounds the gates of a game that is analysed by cases.
	maxCaseGates = 1 << 18
	// maxContext bounds the gates of a condition of a move that the formula of a case includes.
	maxContext = 200
	// maxCaseConflicts bounds the conflicts of a query about a case.
	maxCaseConflicts = 2_000
	// maxBoundSums bounds the distinct sums of an equation that the formula of a case includes.
	maxBoundSums = 100
)

// caseAnalysis finds the candidates or properties that a joint move may break.
type caseAnalysis struct {
	caseNetwork
	game       *circuit.Game
	parts      [][][]option        // by role: its moves, divided by partition
	notOver    option              // the consequences of "not terminal"
	violations [][2]logic.Lit      // by property: the signals of its violation before and after a joint move
	verdicts   map[string]*verdict // by joint move: the latest verdict
	candidates Invariants
	changedIn  []int // by fluent: the version in which the candidates about it changed last
	// version counts the changes of the set of candidates.
	version   int
	mayChange []int32 // fluents that the current joint move may change
}

// verdict records that a joint move keeps all candidates of a version. It stands until a candidate changes that its
// proof assumed, or that the joint move may break.
type verdict struct {
	version int
	// fluents: each assumed candidate, and each candidate that the joint move may break, mentions one of these.
	fluents []int32
	// whole: the proof used the formula of the whole game, which assumes all candidates.
	whole bool
}

// newCaseAnalysis returns the case analysis of a game and its properties, or nil if the game is too large.
func newCaseAnalysis(g *circuit.Game, properties []property) *caseAnalysis {
	if g.Net.Len() > maxCaseGates || slices.ContainsFunc(g.Legal, func(row []logic.Lit) bool { return len(row) > maxCases }) {
		return nil
	}
	u := unroll(g, nil)
	u.signalsAt(1, g.Fluents)
	w := &caseAnalysis{game: g, verdicts: map[string]*verdict{}, changedIn: make([]int, len(g.Fluents))}
	im := implication{u}
	for r := range g.Legal {
		w.parts = append(w.parts, im.partition(r))
	}
	w.notOver = im.consequences(g.Terminal.Not())
	for _, q := range properties {
		broken := [2]logic.Lit{logic.False, q.violation(u, 1)}
		if q.first == 0 {
			broken[0] = q.violation(u, 0)
		}
		w.violations = append(w.violations, broken)
	}
	w.caseNetwork = newCaseNetwork(newCofactors(u))
	return w
}

// setCandidates replaces the known invariants and the candidates.
func (w *caseAnalysis) setCandidates(known, candidates *Invariants) {
	if changed := changedFluents(&w.candidates, candidates); len(changed) > 0 {
		w.version++
		for _, f := range changed {
			w.changedIn[f] = w.version
		}
	}
	w.candidates = candidates.clone()
	w.index = newIndex(len(w.game.Fluents), known, candidates)
}

// products returns the joint moves that the candidates allow, or nil if there are too many.
func (w *caseAnalysis) products() []*product {
	return newProducts(w.parts, func(literals []logic.Lit) bool {
		w.caseNetwork.reset()
		return !w.assumeLiterals(literals)
	})
}

// beginProduct prepares the cofactors for the joint moves of a product.
func (w *caseAnalysis) beginProduct(t *product) {
	w.caseNetwork.reset()
	w.assumeLiterals(t.literals)
	var known []logic.Lit
	for _, f := range w.fluents {
		known = append(known, literal(f)^w.value[f].Not())
	}
	var always []logic.Lit
	for _, options := range t.options {
		if len(options) == 1 {
			always = append(always, options[0].does)
		}
	}
	w.cofactors.build(known, always)
	w.copier = nil
}

// play computes the signals after a joint move. It returns false if the invariants exclude every position in which
// the joint move is legal.
func (w *caseAnalysis) play(joint []option) bool {
	var moves []logic.Lit
	known := w.notOver.literals
	for _, o := range joint {
		moves = append(moves, o.does)
		known = merge(known, o.literals)
	}
	w.caseNetwork.reset()
	w.mayChange = w.mayChange[:0]
	if !w.assumeLiterals(known) {
		return false
	}
	w.setMoves(moves)
	return true
}

// obligations returns the candidates that a joint move may break, and the signals of their violations.
func (w *caseAnalysis) obligations(joint []option) (list []obligation, fails []logic.Lit) {
	if !w.play(joint) {
		return nil, nil
	}
	u := w.cofactors.unrolled
	for f, l := range w.game.Fluents {
		before, after := w.cofactors.Lookup(u.SignalAt(0, l)), w.cofactors.Lookup(u.SignalAt(1, l))
		if before == after {
			continue
		}
		w.mayChange = append(w.mayChange, int32(f))
		if !w.index.mentions(int32(f)) {
			continue
		}
		if then := w.copy(after); then != w.before(l) {
			w.alter(int32(f), then)
		}
	}
	add := func(o obligation) {
		if broken := o.violation(w); broken != logic.False {
			list, fails = append(list, o), append(fails, broken)
		}
	}
	for _, f := range w.altered {
		for _, l := range []logic.Lit{literal(f), literal(f).Not()} {
			if w.after(l) == logic.True {
				continue
			}
			for _, o := range w.index.candidates[l] {
				if o >= l || !w.alters(fluent(o)) { // skips the second occurrence of a clause of two altered fluents
					add(obligation{pair: pair{max(l, o), min(l, o)}})
				}
			}
			if w.index.lasting[l] {
				add(obligation{lasting: l})
			}
		}
		for _, number := range w.index.inGroup[f] {
			if group := w.index.groups[number]; group.candidate && w.seenGroups.add(number) {
				add(obligation{group: group.value})
			}
		}
		for _, number := range w.index.inEquation[f] {
			if e := w.index.equations[number]; e.candidate && w.seenEquations.add(number) {
				add(obligation{equation: e.value})
			}
		}
	}
	w.seenGroups.clear()
	w.seenEquations.clear()
	return list, fails
}

// suspects returns the candidates that the formula of the case does not prove for a joint move.
func (w *caseAnalysis) suspects(ctx context.Context, joint []option) []obligation {
	list, fails := w.obligations(joint)
	if len(list) == 0 {
		return nil
	}
	f := w.formula(joint)
	defer f.Close()
	var suspects []obligation
	for len(list) > 0 {
		switch f.Solve(ctx, sat.Limits{MaxConflicts: maxCaseConflicts}, w.net.Or(fails...)) {
		case sat.Unsat:
			return suspects
		case sat.Unknown:
			return append(suspects, list...)
		}
		kept := 0
		for i, o := range list {
			if f.Value(fails[i]) {
				suspects = append(suspects, o)
				continue
			}
			list[kept], fails[kept] = o, fails[i]
			kept++
		}
		if kept == len(list) {
			return append(suspects, list...)
		}
		list, fails = list[:kept], fails[:kept]
	}
	return suspects
}

// keepsProperty reports whether it is proved that no joint move breaks a property that holds before.
func (w *caseAnalysis) keepsProperty(ctx context.Context, property int) bool {
	products := w.products()
	for _, t := range products {
		w.beginProduct(t)
		for more := true; more; more = t.next() {
			if ctx.Err() != nil || !w.keepsPropertyAfter(ctx, t.current(), property) {
				return false
			}
		}
	}
	return products != nil
}

// keepsPropertyAfter reports whether it is proved that the joint move does not break a property that holds before.
func (w *caseAnalysis) keepsPropertyAfter(ctx context.Context, joint []option, property int) bool {
	if !w.play(joint) {
		return true
	}
	before, after := w.cofactors.Lookup(w.violations[property][0]), w.cofactors.Lookup(w.violations[property][1])
	if after == logic.False || after == before {
		return true
	}
	for _, l := range w.notOver.others {
		if image := w.cofactors.Lookup(l); image.Node() != 0 {
			w.copier.Set(image, logic.True)
		}
	}
	broken := w.copy(after)
	if broken == logic.False {
		return true
	}
	signals := []logic.Lit{w.copy(before).Not()}
	for _, l := range w.notOver.others {
		if image := w.cofactors.Lookup(l); image.Complemented() && slices.ContainsFunc(w.cofactors.net.Operands(image.Node()), w.hasSignal) {
			signals = append(signals, w.nand(w.cofactors.net.Operands(image.Node())))
		}
	}
	f := w.formula(joint, signals...)
	defer f.Close()
	return f.Solve(ctx, sat.Limits{MaxConflicts: maxCaseConflicts}, broken) == sat.Unsat
}

// formula returns the formula of the case. It requires signals, the conditions of the moves up to maxContext gates
// each, and the candidates.
func (w *caseAnalysis) formula(joint []option, signals ...logic.Lit) *Formula {
	f := &Formula{unrolling: &unrolling{net: w.net, game: w.game}, engine: sat.New()}
	for _, l := range signals {
		f.Require(l)
	}
	for _, o := range joint {
		for _, l := range o.others {
			if image, ok := w.copyUpTo(w.cofactors.Lookup(l), maxContext); ok {
				f.Require(image)
			}
		}
	}
	w.assume(f)
	return f
}

// assume requires the groups, pairs and equations about the fluents of the case.
func (w *caseAnalysis) assume(f *Formula) {
	for i := 0; i < len(w.fluents); i++ {
		g := w.fluents[i]
		if w.value[g].Node() == 0 {
			continue
		}
		for _, number := range w.index.inGroup[g] {
			if w.seenGroups.add(number) {
				var literals []logic.Lit
				for _, h := range w.index.groups[number].value {
					literals = append(literals, w.before(literal(h)))
				}
				f.Require(literals...)
			}
		}
	}
	for _, g := range w.fluents {
		for _, l := range []logic.Lit{literal(g), literal(g).Not()} {
			for _, o := range w.index.clauses[l] {
				if o <= l && w.hasValue.has(fluent(o)) {
					f.Require(w.before(l), w.before(o))
				}
			}
		}
	}
	for _, g := range w.fluents {
		for _, number := range w.index.inEquation[g] {
			if w.seenEquations.add(number) {
				w.bound(f, w.index.equations[number].value)
			}
		}
	}
}

// bound requires an equation as a bound: sets whose fluents are all in the case contribute their values, the others
// an interval.
func (w *caseAnalysis) bound(f *Formula, e *equation) {
	sums := map[int]logic.Lit{e.constant: logic.True}
	low, high := 0, 0 // range of the sum of the other sets
	for _, set := range e.sets {
		l, h := extent(set)
		if len(sums) > maxBoundSums || slices.ContainsFunc(set, func(t term) bool { return !w.hasValue.has(t.fluent) }) {
			low, high = low+l, high+h
		} else {
			sums = add(w.net, sums, values(w.net, set, w.before), math.MinInt, math.MaxInt)
		}
	}
	var possible []logic.Lit
	for _, s := range sorted(sums) {
		if -high <= s && s <= -low {
			possible = append(possible, sums[s])
		}
	}
	f.Require(possible...)
}

// hasVerdict reports whether the latest verdict of a joint move stands.
func (w *caseAnalysis) hasVerdict(joint []option) bool {
	v := w.verdicts[jointKey(joint)]
	switch {
	case v == nil:
		return false
	case v.whole:
		return v.version == w.version
	}
	return !slices.ContainsFunc(v.fluents, func(f int32) bool { return w.changedIn[f] > v.version })
}

// addVerdict records that the current joint move keeps all candidates, proved by the formula of its case.
func (w *caseAnalysis) addVerdict(joint []option) {
	w.verdicts[jointKey(joint)] = &verdict{version: w.version, fluents: slices.Concat(w.fluents, w.mayChange)}
}

// addWholeVerdict records that a joint move keeps all candidates, proved by the formula of the whole game, which
// assumes the candidates of a version.
func (w *caseAnalysis) addWholeVerdict(joint []option, version int) {
	w.verdicts[jointKey(joint)] = &verdict{version: version, whole: true}
}

// jointKey returns a map key of a joint move.
func jointKey(joint []option) string {
	key := make([]byte, 0, 4*len(joint))
	for _, o := range joint {
		key = binary.LittleEndian.AppendUint32(key, uint32(o.move))
	}
	return string(key)
}
