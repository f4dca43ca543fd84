package prove

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"stackmate/reasoner/circuit"
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

// casework is the search for candidates that a joint move does not keep.
type casework struct {
	local
	game   *circuit.Game
	parts  [][][]option        // by role: its options that go together
	going  option              // what is true until the game is over
	broken [][2]circuit.Lit    // by property: where it fails before and after a joint move
	held   map[string]*verdict // by joint move: of the last time
	said   Invariants          // the candidates
	since  []int               // by fluent: the time since when the same is said of it
	time   int                 // how often the candidates have changed
	moving []int32             // fluents that the joint move looked at may alter
}

// verdict is that a joint move kept, at a time, all that was said of the fluents that it met or altered.
type verdict struct {
	fluents []int32
	time    int
}

// obligation is what must not be after a joint move.
type obligation struct {
	broken   circuit.Lit                  // in the formula of the case
	anywhere func(f *formula) circuit.Lit // in that of the game
	stands   func(s *sample) bool         // it is one still
	equation *equation                    // that is broken, or nil
}

// newCasework is nil if the game is too large.
func newCasework(g *circuit.Game, properties []property) *casework {
	if g.Net.Len() > maxCaseGates || slices.ContainsFunc(g.Legal, func(row []circuit.Lit) bool { return len(row) > maxCases }) {
		return nil
	}
	u := unroll(g, nil)
	for f := range g.Fluents {
		u.fluent(1, f)
	}
	w := &casework{game: g, held: map[string]*verdict{}, since: make([]int, len(g.Fluents))}
	im := newImplication(u)
	for r := range g.Legal {
		w.parts = append(w.parts, im.partition(r))
	}
	w.going = im.of(g.Terminal.Not())
	for _, q := range properties {
		broken := [2]circuit.Lit{circuit.False, q.broken(u, 1)}
		if q.first == 0 {
			broken[0] = q.broken(u, 0)
		}
		w.broken = append(w.broken, broken)
	}
	w.local = newLocal(newSuccessors(u))
	return w
}

// say takes other candidates, or others that are known.
func (w *casework) say(known, candidates *Invariants) {
	w.time++
	for _, f := range differing(&w.said, candidates) {
		w.since[f] = w.time
	}
	w.said = candidates.clone()
	w.of = newIndex(len(w.game.Fluents), known, candidates)
}

// turns lists the joint moves, as far as the candidates allow; none if they are too many.
func (w *casework) turns() []*turn {
	return joinTurns(w.parts, func(literals []int32) bool {
		w.local.begin()
		return !w.know(literals)
	})
}

// begin goes on to a turn.
func (w *casework) begin(t *turn) {
	w.local.begin()
	w.know(t.literals)
	var known []int32
	for _, f := range w.fluents {
		known = append(known, 2*f|int32(w.signal[f]&1^1))
	}
	var always []circuit.Lit
	for _, options := range t.options {
		if len(options) == 1 {
			always = append(always, options[0].does)
		}
	}
	w.cof.begin(known, always)
}

// play makes a joint move. It returns false if there is no such position.
func (w *casework) play(joint []option) bool {
	var moves []circuit.Lit
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
	w.cof.make(moves)
	return true
}

// owed lists what may fail after a joint move.
func (w *casework) owed(joint []option) []obligation {
	if !w.play(joint) {
		return nil
	}
	for f := range w.game.Fluents {
		before, after := w.cof.at(w.cof.from.fluent(0, f)), w.cof.at(w.cof.from.fluent(1, f))
		if before == after {
			continue
		}
		w.moving = append(w.moving, int32(f))
		if !w.of.owes(int32(f)) {
			continue
		}
		if then := w.copy(after); then != w.before(int32(f)) {
			w.alter(int32(f), then)
		}
	}
	var list []obligation
	owe := func(o obligation) {
		if o.broken != circuit.False {
			list = append(list, o)
		}
	}
	for _, f := range w.altered {
		w.clausesOwed(2*f, owe)
		w.clausesOwed(2*f|1, owe)
		for _, number := range w.of.inGroup[f] {
			if group := w.of.groups[number]; group.owed && w.groups.add(number) {
				var some []circuit.Lit
				for _, g := range group.fluents {
					some = append(some, w.after(g))
				}
				owe(obligation{
					broken:   w.net.Or(some...).Not(),
					anywhere: func(f *formula) circuit.Lit { return f.net.Or(f.fluents(1, group.fluents)...).Not() },
					stands:   func(s *sample) bool { return s.hasGroup(group.fluents) },
				})
			}
		}
		for _, number := range w.of.inSum[f] {
			if e := w.of.sums[number]; e.owed && w.sums.add(number) {
				owe(obligation{
					broken:   w.keeps(e.equation).Not(),
					anywhere: func(f *formula) circuit.Lit { return f.keeps(e.equation).Not() },
					stands:   func(s *sample) bool { return slices.Contains(s.equations, e.equation) },
					equation: e.equation,
				})
			}
		}
	}
	w.groups.clear()
	w.sums.clear()
	return list
}

// clausesOwed are those with a literal that has altered.
func (w *casework) clausesOwed(l int32, owe func(obligation)) {
	then := w.then(l)
	if then == circuit.True {
		return
	}
	for _, o := range w.of.owed[l] {
		if o < l && w.alters.has(o>>1) {
			continue // it is a clause of the other one
		}
		owe(obligation{
			broken:   w.net.And(then.Not(), w.then(o).Not()),
			anywhere: func(f *formula) circuit.Lit { return f.net.And(f.fluentLit(1, l).Not(), f.fluentLit(1, o).Not()) },
			stands:   func(s *sample) bool { return s.hasPair(l, o) },
		})
	}
	if w.of.lasting[l] {
		owe(obligation{
			broken:   w.net.And(w.now(l), then.Not()),
			anywhere: func(f *formula) circuit.Lit { return f.net.And(f.fluentLit(0, l), f.fluentLit(1, l).Not()) },
			stands:   func(s *sample) bool { return slices.Contains(s.lasting, l) },
		})
	}
}

// keeps is where an equation is kept: by those of its sets that alter.
func (w *casework) keeps(e *equation) circuit.Lit {
	var sets [][]term
	for _, set := range e.sets {
		if slices.ContainsFunc(set, func(t term) bool { return w.alters.has(t.fluent) }) {
			sets = append(sets, set)
		}
	}
	return keeps(w.net, sets, w.before, w.after)
}

// suspects are what may fail after a joint move, as far as the fluents tell that it meets.
func (w *casework) suspects(ctx context.Context, joint []option) []obligation {
	list := w.owed(joint)
	if len(list) == 0 {
		return nil
	}
	f := w.formula(joint)
	defer f.engine.Close()
	var suspects []obligation
	for len(list) > 0 {
		some := make([]circuit.Lit, len(list))
		for i, o := range list {
			some[i] = o.broken
		}
		switch f.solve(ctx, sat.Limits{Conflicts: maxCaseConflicts}, w.net.Or(some...)) {
		case sat.Unsat:
			return suspects
		case sat.Unknown:
			return append(suspects, list...)
		}
		before := len(list)
		list = slices.DeleteFunc(list, func(o obligation) bool {
			if f.value(o.broken) {
				suspects = append(suspects, o)
				return true
			}
			return false
		})
		if len(list) == before {
			return append(suspects, list...)
		}
	}
	return suspects
}

// keptProperty tells whether no joint move breaks a property that held before.
func (w *casework) keptProperty(ctx context.Context, property int) bool {
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
func (w *casework) never(ctx context.Context, joint []option, property int) bool {
	if !w.play(joint) {
		return true
	}
	before, after := w.cof.at(w.broken[property][0]), w.cof.at(w.broken[property][1])
	if after == circuit.False || after == before {
		return true
	}
	for _, l := range w.going.others {
		image := w.cof.at(l)
		w.hold(image.Node(), circuit.True^image&1)
	}
	broken := w.copy(after)
	if broken == circuit.False {
		return true
	}
	signals := []circuit.Lit{w.copy(before).Not()}
	for _, l := range w.going.others {
		if image := w.cof.at(l); image.Complemented() && slices.ContainsFunc(w.cof.net.Operands(image.Node()), w.knows) {
			signals = append(signals, w.nand(w.cof.net.Operands(image.Node())))
		}
	}
	f := w.formula(joint, signals...)
	defer f.engine.Close()
	return f.solve(ctx, sat.Limits{Conflicts: maxCaseConflicts}, broken) == sat.Unsat
}

// formula is that of the case, in which signals are true, the joint move is legal and the
// candidates hold.
func (w *casework) formula(joint []option, signals ...circuit.Lit) *formula {
	f := newFormula(&unrolling{game: w.game, net: w.net}, sat.New())
	for _, l := range signals {
		f.require(l)
	}
	for _, o := range joint {
		for _, l := range o.others {
			if image, ok := w.copyUpTo(w.cof.at(l), maxContext); ok {
				f.require(image)
			}
		}
	}
	w.assume(f)
	return f
}

// assume makes the candidates true that speak of the fluents of the case.
func (w *casework) assume(f *formula) {
	for i := 0; i < len(w.fluents); i++ {
		g := w.fluents[i]
		if w.signal[g].Node() == 0 {
			continue
		}
		for _, number := range w.of.inGroup[g] {
			if w.groups.add(number) {
				var some []circuit.Lit
				for _, h := range w.of.groups[number].fluents {
					some = append(some, w.before(h))
				}
				f.require(some...)
			}
		}
	}
	for _, g := range w.fluents {
		for _, l := range []int32{2 * g, 2*g | 1} {
			for _, o := range w.of.clauses[l] {
				if o <= l && w.met.has(o>>1) {
					f.require(w.now(l), w.now(o))
				}
			}
		}
	}
	for _, g := range w.fluents {
		for _, number := range w.of.inSum[g] {
			if w.sums.add(number) {
				w.bound(f, w.of.sums[number].equation)
			}
		}
	}
}

// bound makes true what an equation says of those of its sets that the case has met.
func (w *casework) bound(f *formula, e *equation) {
	sums := map[int]circuit.Lit{e.constant: circuit.True}
	low, high := 0, 0 // what the others can add
	for _, set := range e.sets {
		l, h := extent(set)
		if len(sums) > maxBoundSums || slices.ContainsFunc(set, func(t term) bool { return !w.met.has(t.fluent) }) {
			low, high = low+l, high+h
		} else {
			sums = add(w.net, sums, values(w.net, set, w.before), math.MinInt, math.MaxInt)
		}
	}
	var some []circuit.Lit
	for _, s := range sorted(sums) {
		if -high <= s && s <= -low {
			some = append(some, sums[s])
		}
	}
	f.require(some...)
}

// has tells whether a joint move keeps all that is said, as it did when the same was said of all
// fluents that it meets or alters.
func (w *casework) has(joint []option) bool {
	v := w.held[jointKey(joint)]
	return v != nil && !slices.ContainsFunc(v.fluents, func(f int32) bool { return w.since[f] > v.time })
}

// keep takes note that the joint move looked at last does.
func (w *casework) keep(joint []option) {
	w.held[jointKey(joint)] = &verdict{slices.Concat(w.fluents, w.moving), w.time}
}

// jointKey is different for different joint moves.
func jointKey(joint []option) string {
	key := make([]byte, 0, 4*len(joint))
	for _, o := range joint {
		key = binary.LittleEndian.AppendUint32(key, uint32(o.move))
	}
	return string(key)
}
