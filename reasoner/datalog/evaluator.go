package datalog

import (
	"slices"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// evaluator computes relations of one position on demand. Three ways lead to the
// tuples of a relation:
//
//	complete  the whole relation is computed at its first use in a position;
//	          a component of mutually recursive relations always is, by
//	          semi-naive iteration
//	keyed     only the tuples that have given terms in given columns, once per
//	          key and position (tabling); where all columns are given, the search
//	          stops at the first proof
//	input     true and does are the tuples of the position and of the joint move,
//	          which inputs translate
//
// Invariant: when a relation is complete, or a key has been asked for, the
// relation holds all tuples (with that key) that follow from the rules in the
// position. Relations that depend on does are dropped with the joint move, those
// that depend on true with the position; what is static, and too large to be
// computed beforehand, lasts until it takes too much room. Where the meter has an
// error, nothing of this holds until the next position.
//
// Cost: one hash probe per lookup and per derived tuple; nothing is allocated
// once the tables have grown to the sizes that positions need.
type evaluator struct {
	in      *interpreter
	meter   *meter
	terms   *termTable
	copies  map[*relation]*relation
	derived map[*relation]*derived // by copy
	inputs  *inputs
	numbers []int32 // of the fluents of the position
	frames  []*joiner
	depth   int
	touched [lifetimes][]*derived // that hold tuples
}

// lifetime says how long the tuples of a relation stay the same.
type lifetime uint8

const (
	forGood lifetime = iota
	ofPosition
	ofMoves
	lifetimes
)

// derived is a relation with its rules.
type derived struct {
	rel       *relation
	rules     []*rule
	component *component // of a recursive relation
	lifetime  lifetime
	complete  bool
	touched   bool
	whole     *call
	calls     []*call // by key
}

// call is a use of a derived relation with some columns known.
type call struct {
	to      *derived
	answers *relation  // the relation of to
	columns []int32    // the known columns
	asked   *relation  // the keys asked for in this position; nil where the whole relation is
	plans   []*plan    // or, of a recursive relation:
	magic   *component // what grows from a new key
}

// component is a set of relations that are computed together.
type component struct {
	members  []*derived
	fixpoint *fixpoint // nil as long as it has not been needed
}

func newEvaluator(in *interpreter, w *guard.Watch) *evaluator {
	e := &evaluator{
		in:      in,
		terms:   in.theory.terms.clone(),
		copies:  make(map[*relation]*relation),
		derived: make(map[*relation]*derived),
	}
	e.inputs = &inputs{theory: in.theory, names: in.names, terms: e.terms, moves: make([][]inputTuple, len(in.theory.roles))}
	e.meter = &meter{watch: w, bytes: e.bytes}
	e.meter.limits = in.limits
	for _, rel := range in.theory.relations {
		if rel.name.name == "true" || rel.name.name == "does" {
			e.inputs.addInput(e.copy(rel))
		}
	}
	var rules []*rule
	var heads []*relation
	for _, r := range in.inlined() {
		w.Step()
		r := r.rebind(e.copy)
		if e.derived[r.head.rel] == nil {
			e.derived[r.head.rel] = &derived{rel: r.head.rel}
			heads = append(heads, r.head.rel)
		}
		d := e.derived[r.head.rel]
		d.rules, rules = append(d.rules, r), append(rules, r)
	}
	e.findLifetimes(rules)
	e.findComponents(heads)
	return e
}

// copy is the evaluator's own relation for a dynamic one; static ones are shared.
func (e *evaluator) copy(rel *relation) *relation {
	if rel == nil || !rel.dynamic {
		return rel
	}
	own := e.copies[rel]
	if own == nil {
		own = newRelation(rel.name, rel.arity)
		own.dynamic, own.profile = true, e.in.cost.profiles[rel]
		e.copies[rel] = own
	}
	return own
}

// rebind copies r with every relation replaced.
func (r *rule) rebind(to func(*relation) *relation) *rule {
	out := *r
	out.head.rel = to(r.head.rel)
	out.body = append([]literal(nil), r.body...)
	for i := range out.body {
		out.body[i].atom.rel = to(out.body[i].atom.rel)
	}
	return &out
}

// findLifetimes finds which relations depend on the position, and which on the joint
// move.
func (e *evaluator) findLifetimes(rules []*rule) {
	for _, in := range e.inputs.list {
		life := ofPosition
		if in.name.name == "does" {
			life = ofMoves
		}
		for rel := range dependents([]*relation{in.rel}, rules) {
			if d := e.derived[rel]; d != nil {
				d.lifetime = max(d.lifetime, life)
			}
		}
	}
}

// findComponents finds the recursive relations.
func (e *evaluator) findComponents(heads []*relation) {
	rules := make(map[*relation][]*rule, len(heads))
	for _, rel := range heads {
		rules[rel] = e.derived[rel].rules
	}
	for _, members := range components(heads, rules) {
		if len(members) == 1 && !uses(rules[members[0]], members[0]) {
			continue
		}
		c := &component{}
		for _, rel := range members {
			e.derived[rel].component = c
			c.members = append(c.members, e.derived[rel])
		}
	}
}

// planning calls what computes the relations of a body.
func (e *evaluator) planning() planning { return planning{watch: e.meter.watch, call: e.call} }

// call compiles what computes rel for known columns.
func (e *evaluator) call(rel *relation, columns []int32) *call {
	d := e.derived[rel]
	if d == nil {
		return nil // static, or without rules
	}
	recursive := d.component != nil
	if recursive && slices.Contains(e.in.without, "magic") || len(columns) == 0 && (rel.arity > 0 || recursive) || e.in.cost.modes[e.original(rel)] == modeWhole {
		return e.wholeCall(d)
	}
	for _, c := range d.calls {
		if slices.Equal(c.columns, columns) {
			return c
		}
	}
	if recursive {
		c := e.magicCall(d, columns)
		d.calls = append(d.calls, c)
		return c
	}
	c := &call{to: d, answers: rel, columns: columns, asked: newRelation(predicate{}, len(columns))}
	d.calls = append(d.calls, c)
	for _, r := range d.rules {
		c.plans = append(c.plans, e.planning().newPlan(r, wholeRule, columns))
	}
	return c
}

// wholeCall is the call that computes all of d.
func (e *evaluator) wholeCall(d *derived) *call {
	if d.whole != nil {
		return d.whole
	}
	d.whole = &call{to: d, answers: d.rel}
	if d.component == nil {
		for _, r := range d.rules {
			d.whole.plans = append(d.whole.plans, e.planning().newPlan(r, wholeRule, nil))
		}
	} else if c := d.component; c.fixpoint == nil {
		var rules []*rule
		for _, m := range c.members {
			rules = append(rules, m.rules...)
		}
		c.fixpoint = e.fixpoint(rules, c)
		c.fixpoint.plan(c.fixpoint.first)
	}
	return d.whole
}

// fixpoint computes rules together, and calls what they do not compute. What is part of the same
// recursion in the rules of the game is called as a whole.
func (e *evaluator) fixpoint(rules []*rule, recursion *component, growing ...*relation) *fixpoint {
	f := newFixpoint(e.planning(), rules, growing...)
	f.call = func(rel *relation, columns []int32) *call {
		if f.grows(rel) {
			return nil
		}
		if d := e.derived[rel]; d != nil && d.component == recursion {
			return e.wholeCall(d)
		}
		return e.call(rel, columns)
	}
	f.plan(f.uses)
	return f
}

// original is the relation of the interpreter that rel is a copy of.
func (e *evaluator) original(rel *relation) *relation {
	return e.in.theory.byKey[rel.name.key()]
}

// ensure computes what c promises for a key.
func (e *evaluator) ensure(c *call, key []int32) {
	d := c.to
	if d.complete {
		return
	}
	if c.asked == nil {
		e.complete(d)
		return
	}
	e.meter.work += callWork
	if _, added := c.asked.insert(key); !added {
		return
	}
	e.meter.tuples++
	e.touch(d)
	j := e.enter()
	defer e.leave()
	if c.magic != nil {
		for _, m := range c.magic.members {
			e.touch(m)
		}
		f := c.magic.fixpoint
		f.note(f.members[c.asked])
		_ = f.saturate(j) // the meter keeps the error
		return
	}
	for _, p := range c.plans {
		if _ = j.derive(p, key); len(key) == d.rel.arity && d.rel.find(key) >= 0 {
			break
		}
	}
}

// enter is the joiner of the next depth of calls.
func (e *evaluator) enter() *joiner {
	if e.depth == len(e.frames) {
		e.frames = append(e.frames, &joiner{terms: e.terms, meter: e.meter, calls: e})
	}
	e.depth++
	return e.frames[e.depth-1]
}

func (e *evaluator) leave() { e.depth-- }

// touch notes that d must be cleared with the position or the joint move.
func (e *evaluator) touch(d *derived) {
	if d.touched {
		return
	}
	d.touched = true
	e.touched[d.lifetime] = append(e.touched[d.lifetime], d)
}

// complete computes all of d, and of what is recursive with it.
func (e *evaluator) complete(d *derived) {
	j := e.enter()
	defer e.leave()
	e.touch(d)
	d.complete = true
	if d.component == nil {
		for _, p := range d.whole.plans {
			_ = j.derive(p, nil) // the meter keeps the error
		}
		return
	}
	for _, m := range d.component.members {
		e.touch(m)
		m.complete = true
	}
	_ = d.component.fixpoint.run(j)
}

// forget drops what has been computed of a lifetime.
func (e *evaluator) forget(of lifetime) {
	for _, d := range e.touched[of] {
		d.touched, d.complete = false, false
		d.rel.clear()
		for _, c := range d.calls {
			c.asked.clear()
		}
	}
	e.touched[of] = e.touched[of][:0]
}

// What is kept from position to position: terms that only arise at run time, and
// tuples that depend on no position.
const (
	maxNewTerms = 1 << 20
	maxLasting  = 1 << 20
)

// setState makes the fluents of s true.
func (e *evaluator) setState(s machine.State) {
	e.forget(ofMoves)
	e.forget(ofPosition)
	if e.meter.err != nil {
		e.repair()
	}
	e.meter.tuples, e.meter.atoms = 0, 0
	if base := e.in.theory.terms; len(e.terms.head) > len(base.head)+maxNewTerms {
		e.forget(forGood)
		*e.terms = *base.clone()
		e.inputs.forget()
	} else if e.lasting() > maxLasting {
		e.forget(forGood)
	}
	e.clearInputs("true")
	e.numbers = e.in.names.Unpack(e.numbers[:0], s)
	for _, f := range e.numbers {
		e.inputs.hold(e.inputs.fluent(f))
	}
}

// repair drops what may be incomplete after work was given up.
func (e *evaluator) repair() {
	e.meter.err, e.depth = nil, 0
	for of := range lifetimes {
		e.forget(of)
	}
}

// bytes estimates the memory of what was computed, and of what was met.
func (e *evaluator) bytes() int64 {
	sum := e.terms.bytes() - e.in.theory.terms.bytes()
	for _, own := range e.copies {
		sum += own.bytes()
	}
	for _, in := range e.inputs.list {
		sum += in.known.bytes()
	}
	for _, list := range e.touched {
		for _, d := range list {
			sum += d.rel.bytes() // of magic sets, too
			for _, c := range d.calls {
				sum += c.asked.bytes()
			}
		}
	}
	return sum
}

// lasting is the number of tuples that depend on no position.
func (e *evaluator) lasting() int {
	tuples := 0
	for _, d := range e.touched[forGood] {
		tuples += int(d.rel.n)
		for _, c := range d.calls {
			tuples += int(c.asked.n)
		}
	}
	return tuples
}

// setJoint makes the moves of a joint move true.
func (e *evaluator) setJoint(joint []machine.Move) {
	e.forget(ofMoves)
	e.clearInputs("does")
	for r, m := range joint {
		e.inputs.hold(e.inputs.move(machine.Role(r), m))
	}
}

func (e *evaluator) clearInputs(name string) {
	for _, in := range e.inputs.list {
		if in.name.name == name {
			in.reset()
		}
	}
}
