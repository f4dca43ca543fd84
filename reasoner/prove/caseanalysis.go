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

// Induction by cases. After one joint move most fluents are what they were before, and the others
// depend on few: that candidates hold then is mostly seen without search, or by a formula of
// some dozen fluents, with the candidates that speak of these, and of equations a bound for the
// fluents left out. So the cost is that of following each joint move through the circuit, not
// that of a search through all of them. What such a formula lets fail is asked of the formula
// of the whole game.

const (
	// maxCaseGates is the number of gates of a game up to which there are cases.
	maxCaseGates = 1 << 18
	// maxContext is the number of gates of a condition of a move that a case knows of.
	maxContext = 200
	// maxCaseConflicts is what the engine may take for a case.
	maxCaseConflicts = 2_000
	// maxBoundSums is the number of sums of an equation that a case distinguishes.
	maxBoundSums = 100
)

// caseAnalysis is the search for candidates that a joint move does not keep.
type caseAnalysis struct {
	local
	game   *circuit.Game
	parts  [][][]option        // by role: its options that go together
	going  option              // what is true until the game is over
	broken [][2]logic.Lit      // by property: where it fails before and after a joint move
	held   map[string]*verdict // by joint move: the last one
	said   Invariants          // the candidates
	since  []int               // by fluent: the version since which the candidates over it are the same
	// version counts the sets of candidates: it grows with each change of the candidates.
	version int
	moving  []int32 // fluents that the joint move looked at may alter
}

// verdict is the proof that a joint move keeps all candidates, with the assumptions of the proof: the
// candidates of a version. It stands as long as none of these is dropped.
type verdict struct {
	version int
	// fluents: each candidate that was assumed, or that the joint move may break, is over one of these at least.
	fluents []int32
	// all: the formula of the whole game was asked, so any candidate may have been assumed.
	all bool
}

// newCaseAnalysis is nil if the game is too large.
func newCaseAnalysis(g *circuit.Game, properties []property) *caseAnalysis {
	if g.Net.Len() > maxCaseGates || slices.ContainsFunc(g.Legal, func(row []logic.Lit) bool { return len(row) > maxCases }) {
		return nil
	}
	u := unroll(g, nil)
	u.all(1, g.Fluents)
	w := &caseAnalysis{game: g, held: map[string]*verdict{}, since: make([]int, len(g.Fluents))}
	im := implication{u}
	for r := range g.Legal {
		w.parts = append(w.parts, im.partition(r))
	}
	w.going = im.of(g.Terminal.Not())
	for _, q := range properties {
		broken := [2]logic.Lit{logic.False, q.broken(u, 1)}
		if q.first == 0 {
			broken[0] = q.broken(u, 0)
		}
		w.broken = append(w.broken, broken)
	}
	w.local = newLocal(newSuccessors(u))
	return w
}

// suppose replaces the known invariants and the candidates.
func (w *caseAnalysis) suppose(known, candidates *Invariants) {
	if changed := differing(&w.said, candidates); len(changed) > 0 {
		w.version++
		for _, f := range changed {
			w.since[f] = w.version
		}
	}
	w.said = candidates.clone()
	w.of = newIndex(len(w.game.Fluents), known, candidates)
}

// turns lists the joint moves, as far as the candidates allow; none if they are too many.
func (w *caseAnalysis) turns() []*turn {
	return joinTurns(w.parts, func(literals []logic.Lit) bool {
		w.local.begin()
		return !w.know(literals)
	})
}

// begin goes on to a turn.
func (w *caseAnalysis) begin(t *turn) {
	w.local.begin()
	w.know(t.literals)
	var known []logic.Lit
	for _, f := range w.fluents {
		known = append(known, literal(f)^w.signal[f].Not())
	}
	var always []logic.Lit
	for _, options := range t.options {
		if len(options) == 1 {
			always = append(always, options[0].does)
		}
	}
	w.successor.begin(known, always)
	w.copies = nil
}

// play makes a joint move. It returns false if there is no such position.
func (w *caseAnalysis) play(joint []option) bool {
	var moves []logic.Lit
	known := w.going.literals
	for _, o := range joint {
		moves = append(moves, o.does)
		known = merge(known, o.literals)
	}
	w.local.begin()
	w.moving = w.moving[:0]
	if !w.know(known) {
		return false
	}
	w.follow(moves)
	return true
}

// obligations lists the candidates that may fail after a joint move, with where they do.
func (w *caseAnalysis) obligations(joint []option) (list []obligation, fails []logic.Lit) {
	if !w.play(joint) {
		return nil, nil
	}
	u := w.successor.from
	for f, l := range w.game.Fluents {
		before, after := w.successor.At(u.At(0, l)), w.successor.At(u.At(1, l))
		if before == after {
			continue
		}
		w.moving = append(w.moving, int32(f))
		if !w.of.speaksOf(int32(f)) {
			continue
		}
		if then := w.copy(after); then != w.before(l) {
			w.alter(int32(f), then)
		}
	}
	add := func(o obligation) {
		if broken := o.fails(w); broken != logic.False {
			list, fails = append(list, o), append(fails, broken)
		}
	}
	for _, f := range w.altered {
		for _, l := range []logic.Lit{literal(f), literal(f).Not()} {
			if w.after(l) == logic.True {
				continue
			}
			for _, o := range w.of.candidates[l] {
				if o >= l || !w.alters(fluent(o)) { // else it is a clause of the other one
					add(obligation{pair: pair{max(l, o), min(l, o)}})
				}
			}
			if w.of.lasting[l] {
				add(obligation{lasting: l})
			}
		}
		for _, number := range w.of.inGroup[f] {
			if group := w.of.groups[number]; group.candidate && w.groups.add(number) {
				add(obligation{group: group.of})
			}
		}
		for _, number := range w.of.inSum[f] {
			if e := w.of.sums[number]; e.candidate && w.sums.add(number) {
				add(obligation{equation: e.of})
			}
		}
	}
	w.groups.clear()
	w.sums.clear()
	return list, fails
}

// suspects are what may fail after a joint move, as far as the fluents tell that it meets.
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

// keptProperty tells whether no joint move breaks a property that held before.
func (w *caseAnalysis) keptProperty(ctx context.Context, property int) bool {
	turns := w.turns()
	for _, t := range turns {
		w.begin(t)
		for more := true; more; more = t.next() {
			if ctx.Err() != nil || !w.never(ctx, t.joint(), property) {
				return false
			}
		}
	}
	return turns != nil
}

// never tells whether a joint move does not break a property.
func (w *caseAnalysis) never(ctx context.Context, joint []option, property int) bool {
	if !w.play(joint) {
		return true
	}
	before, after := w.successor.At(w.broken[property][0]), w.successor.At(w.broken[property][1])
	if after == logic.False || after == before {
		return true
	}
	for _, l := range w.going.others {
		if image := w.successor.At(l); image.Node() != 0 {
			w.copies.Set(image, logic.True)
		}
	}
	broken := w.copy(after)
	if broken == logic.False {
		return true
	}
	signals := []logic.Lit{w.copy(before).Not()}
	for _, l := range w.going.others {
		if image := w.successor.At(l); image.Complemented() && slices.ContainsFunc(w.successor.net.Operands(image.Node()), w.knows) {
			signals = append(signals, w.nand(w.successor.net.Operands(image.Node())))
		}
	}
	f := w.formula(joint, signals...)
	defer f.Close()
	return f.Solve(ctx, sat.Limits{MaxConflicts: maxCaseConflicts}, broken) == sat.Unsat
}

// formula is that of the case, in which signals are true, the joint move is legal and the
// candidates hold.
func (w *caseAnalysis) formula(joint []option, signals ...logic.Lit) *Formula {
	f := &Formula{unrolling: &unrolling{net: w.net, game: w.game}, engine: sat.New()}
	for _, l := range signals {
		f.Require(l)
	}
	for _, o := range joint {
		for _, l := range o.others {
			if image, ok := w.copyUpTo(w.successor.At(l), maxContext); ok {
				f.Require(image)
			}
		}
	}
	w.assume(f)
	return f
}

// assume makes the candidates true that speak of the fluents of the case.
func (w *caseAnalysis) assume(f *Formula) {
	for i := 0; i < len(w.fluents); i++ {
		g := w.fluents[i]
		if w.signal[g].Node() == 0 {
			continue
		}
		for _, number := range w.of.inGroup[g] {
			if w.groups.add(number) {
				var some []logic.Lit
				for _, h := range w.of.groups[number].of {
					some = append(some, w.before(literal(h)))
				}
				f.Require(some...)
			}
		}
	}
	for _, g := range w.fluents {
		for _, l := range []logic.Lit{literal(g), literal(g).Not()} {
			for _, o := range w.of.clauses[l] {
				if o <= l && w.met.has(fluent(o)) {
					f.Require(w.before(l), w.before(o))
				}
			}
		}
	}
	for _, g := range w.fluents {
		for _, number := range w.of.inSum[g] {
			if w.sums.add(number) {
				w.bound(f, w.of.sums[number].of)
			}
		}
	}
}

// bound makes true what an equation says of those of its sets that the case has met.
func (w *caseAnalysis) bound(f *Formula, e *equation) {
	sums := map[int]logic.Lit{e.constant: logic.True}
	low, high := 0, 0 // what the others can add
	for _, set := range e.sets {
		l, h := extent(set)
		if len(sums) > maxBoundSums || slices.ContainsFunc(set, func(t term) bool { return !w.met.has(t.fluent) }) {
			low, high = low+l, high+h
		} else {
			sums = add(w.net, sums, values(w.net, set, w.before), math.MinInt, math.MaxInt)
		}
	}
	var some []logic.Lit
	for _, s := range sorted(sums) {
		if -high <= s && s <= -low {
			some = append(some, sums[s])
		}
	}
	f.Require(some...)
}

// isKept reports whether the last verdict of a joint move stands: no candidate that it rests on was dropped since.
func (w *caseAnalysis) isKept(joint []option) bool {
	v := w.held[jointKey(joint)]
	switch {
	case v == nil:
		return false
	case v.all:
		return v.version == w.version
	}
	return !slices.ContainsFunc(v.fluents, func(f int32) bool { return w.since[f] > v.version })
}

// keep records that the joint move looked at last keeps all candidates, by the formula of its case alone.
func (w *caseAnalysis) keep(joint []option) {
	w.held[jointKey(joint)] = &verdict{version: w.version, fluents: slices.Concat(w.fluents, w.moving)}
}

// keepByAll records that a joint move keeps all candidates, by a formula of the whole game that assumes the candidates
// of a version.
func (w *caseAnalysis) keepByAll(joint []option, version int) {
	w.held[jointKey(joint)] = &verdict{version: version, all: true}
}

// jointKey is different for different joint moves.
func jointKey(joint []option) string {
	key := make([]byte, 0, 4*len(joint))
	for _, o := range joint {
		key = binary.LittleEndian.AppendUint32(key, uint32(o.move))
	}
	return string(key)
}
