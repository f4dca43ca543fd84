package interpret

import (
	"slices"

	"stackmate/internal/guard"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
	"stackmate/reasoner/machine"
)

// evaluator computes relations of one position on demand. The tuples of a relation are available in three ways:
//
//	complete  the whole relation is computed at its first use in a position.
//	          A strongly connected component is computed by semi-naive iteration.
//	keyed     only the tuples with given terms in given columns are computed, once per
//	          key and position (tabling). If the key has all columns, the first proof
//	          ends the evaluation.
//	input     true and does hold the tuples of the position and of the joint move,
//	          translated by inputs.
//
// Invariant: when a relation is complete, or a key has been demanded, the relation holds all tuples (with that
// key) that follow from the rules in the position. Relations that depend on does are cleared with the joint move,
// relations that depend on true with the position. Static relations too large to be computed beforehand stay until
// they exceed maxLasting. After an error of the meter the invariant fails until the next position.
//
// Cost: one hash probe per lookup and per derived tuple. Nothing is allocated once the tables have grown to the
// sizes of the game's positions.
type evaluator struct {
	shared  *sharedRules
	meter   *join.Meter
	terms   *rules.TermTable
	copies  map[*rules.Relation]*rules.Relation
	derived map[*rules.Relation]*derived // by copy
	inputs  *inputs
	numbers []int32 // of the position's fluents
	frames  []*join.Joiner
	depth   int
	touched [lifetimes][]*derived // relations with tuples, by lifetime
}

// lifetime is the part of the input on which the tuples of a relation depend.
type lifetime uint8

const (
	forGood lifetime = iota
	ofPosition
	ofMoves
	lifetimes
)

// derived is a relation with its rules and the state of its computation.
type derived struct {
	rel       *rules.Relation
	rules     []*rules.Rule
	component *component // of a recursive relation, else nil
	lifetime  lifetime
	complete  bool
	touched   bool
	whole     *call
	calls     []*call // by key
}

// call is a use of a derived relation with some columns bound.
type call struct {
	evaluator *evaluator
	to        *derived
	columns   []int32         // the bound columns
	asked     *rules.Relation // the keys demanded in this position; nil for a call of the whole relation
	plans     []*join.Plan    // for a relation that is not recursive
	magic     *component      // for a recursive relation: the magic sets, whose fixpoint each new key extends
}

var _ join.Source = (*call)(nil)

// Answers returns the table of the called relation.
func (c *call) Answers() *tuples.Table { return c.to.rel.Table }

// component is a strongly connected component of the dependency graph, or the relations of a magic-sets rewriting.
type component struct {
	members  []*derived
	fixpoint *join.Fixpoint // nil before its first use
}

func newEvaluator(shared *sharedRules, w *guard.Watch) *evaluator {
	e := &evaluator{
		shared:  shared,
		terms:   shared.theory.Terms.Clone(),
		copies:  make(map[*rules.Relation]*rules.Relation),
		derived: make(map[*rules.Relation]*derived),
	}
	e.inputs = &inputs{vocabulary: shared.vocabulary, terms: e.terms, moves: make([][]inputTuple, len(shared.theory.Roles))}
	e.meter = join.NewMeter(w, shared.limits, e.bytes)
	for _, rel := range inputRelations(shared.theory) {
		e.inputs.addInput(e.copy(rel))
	}
	var list []*rules.Rule
	var heads []*rules.Relation
	for _, r := range shared.rules {
		w.Step()
		r := rebind(r, e.copy)
		if e.derived[r.Head.Rel] == nil {
			e.derived[r.Head.Rel] = &derived{rel: r.Head.Rel}
			heads = append(heads, r.Head.Rel)
		}
		d := e.derived[r.Head.Rel]
		d.rules, list = append(d.rules, r), append(list, r)
	}
	e.findLifetimes(list)
	e.findComponents(heads)
	return e
}

// copy returns the evaluator's own copy of an open relation; static relations are shared.
func (e *evaluator) copy(rel *rules.Relation) *rules.Relation {
	if rel == nil || !rel.IsOpen() {
		return rel
	}
	own := e.copies[rel]
	if own == nil {
		own = rel.Copy()
		e.copies[rel] = own
	}
	return own
}

// rebind returns a copy of r with every relation replaced.
func rebind(r *rules.Rule, to func(*rules.Relation) *rules.Relation) *rules.Rule {
	out := *r
	out.Head.Rel = to(r.Head.Rel)
	out.Body = append([]rules.Literal(nil), r.Body...)
	for i := range out.Body {
		out.Body[i].Atom.Rel = to(out.Body[i].Atom.Rel)
	}
	return &out
}

// findLifetimes determines the relations that depend on the position, and on the joint move.
func (e *evaluator) findLifetimes(list []*rules.Rule) {
	for _, in := range e.inputs.list {
		life := ofPosition
		if in.Name == "does" {
			life = ofMoves
		}
		for rel := range rules.Dependents([]*rules.Relation{in.Relation}, list) {
			if d := e.derived[rel]; d != nil {
				d.lifetime = max(d.lifetime, life)
			}
		}
	}
}

// findComponents determines the recursive relations and their strongly connected components.
func (e *evaluator) findComponents(heads []*rules.Relation) {
	byHead := make(map[*rules.Relation][]*rules.Rule, len(heads))
	for _, rel := range heads {
		byHead[rel] = e.derived[rel].rules
	}
	for _, members := range rules.Components(heads, byHead) {
		if len(members) == 1 && !rules.Uses(byHead[members[0]], members[0]) {
			continue
		}
		c := &component{}
		for _, rel := range members {
			e.derived[rel].component = c
			c.members = append(c.members, e.derived[rel])
		}
	}
}

// planning returns the settings of plans, in which derived relations are called.
func (e *evaluator) planning() join.Planning {
	return join.Planning{Watch: e.meter.Watch, Source: e.source}
}

// source returns the call of rel for the given bound columns, nil for a static relation or one without rules.
func (e *evaluator) source(rel *rules.Relation, columns []int32) join.Source {
	if d := e.derived[rel]; d != nil {
		return e.call(d, columns)
	}
	return nil
}

// call compiles the computation of d for the given bound columns.
func (e *evaluator) call(d *derived, columns []int32) *call {
	recursive := d.component != nil
	if recursive && slices.Contains(e.shared.without, "magic") || len(columns) == 0 && (d.rel.Arity > 0 || recursive) {
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
	c := &call{evaluator: e, to: d, columns: columns, asked: rules.NewRelation(rules.Predicate{}, len(columns), rules.Dynamic)}
	d.calls = append(d.calls, c)
	for _, r := range d.rules {
		c.plans = append(c.plans, e.planning().NewPlan(r, join.WholeRule, columns))
	}
	return c
}

// wholeCall returns the call that computes the whole relation of d.
func (e *evaluator) wholeCall(d *derived) *call {
	if d.whole != nil {
		return d.whole
	}
	d.whole = &call{evaluator: e, to: d}
	if d.component == nil {
		for _, r := range d.rules {
			d.whole.plans = append(d.whole.plans, e.planning().NewPlan(r, join.WholeRule, nil))
		}
	} else if c := d.component; c.fixpoint == nil {
		var list []*rules.Rule
		for _, m := range c.members {
			list = append(list, m.rules...)
		}
		c.fixpoint = e.fixpoint(list, c)
		c.fixpoint.MakePlans(true)
	}
	return d.whole
}

// fixpoint prepares the joint evaluation of a list of rules, with calls of all other relations. Members of the same
// recursion in the rules of the game are called as a whole.
func (e *evaluator) fixpoint(list []*rules.Rule, recursion *component, growing ...*rules.Relation) *join.Fixpoint {
	f := join.NewFixpoint(e.planning(), list, growing...)
	f.Source = func(rel *rules.Relation, columns []int32) join.Source {
		d := e.derived[rel]
		switch {
		case d == nil || f.Grows(rel):
			return nil
		case d.component == recursion:
			return e.wholeCall(d)
		}
		return e.call(d, columns)
	}
	return f
}

// Ensure computes the tuples of c with the given key, unless they are available.
func (c *call) Ensure(key []int32) {
	e, d := c.evaluator, c.to
	if d.complete {
		return
	}
	if c.asked == nil {
		e.complete(d)
		return
	}
	if _, added := c.asked.Insert(key); !added {
		return
	}
	e.meter.Add()
	e.touch(d)
	j := e.enter()
	defer e.leave()
	if c.magic != nil {
		for _, m := range c.magic.members {
			e.touch(m)
		}
		f := c.magic.fixpoint
		f.Note(c.asked)
		_ = f.Saturate(j) // the meter keeps the error
		return
	}
	for _, p := range c.plans {
		if _ = j.Derive(p, key); len(key) == d.rel.Arity && d.rel.Find(key) >= 0 {
			break
		}
	}
}

// enter returns the joiner for the next depth of nested calls.
func (e *evaluator) enter() *join.Joiner {
	if e.depth == len(e.frames) {
		e.frames = append(e.frames, join.NewJoiner(e.terms, e.meter))
	}
	e.depth++
	return e.frames[e.depth-1]
}

func (e *evaluator) leave() { e.depth-- }

// touch records that d must be cleared at the end of its lifetime.
func (e *evaluator) touch(d *derived) {
	if d.touched {
		return
	}
	d.touched = true
	e.touched[d.lifetime] = append(e.touched[d.lifetime], d)
}

// complete computes the whole relation of d, and its strongly connected component.
func (e *evaluator) complete(d *derived) {
	j := e.enter()
	defer e.leave()
	e.touch(d)
	d.complete = true
	if d.component == nil {
		for _, p := range d.whole.plans {
			_ = j.Derive(p, nil) // the meter keeps the error
		}
		return
	}
	for _, m := range d.component.members {
		e.touch(m)
		m.complete = true
	}
	_ = d.component.fixpoint.Run(j)
}

// forget clears the relations of a lifetime.
func (e *evaluator) forget(of lifetime) {
	for _, d := range e.touched[of] {
		d.touched, d.complete = false, false
		d.rel.Clear()
		for _, c := range d.calls {
			c.asked.Clear()
		}
	}
	e.touched[of] = e.touched[of][:0]
}

// Limits of the data kept from position to position: terms created at run time, and tuples that are independent of
// the position.
const (
	maxNewTerms = 1 << 20
	maxLasting  = 1 << 20
)

// setState makes the fluents of s true.
func (e *evaluator) setState(s machine.State) {
	e.forget(ofMoves)
	e.forget(ofPosition)
	if e.meter.Err != nil {
		e.repair()
	}
	e.meter.Reset()
	if base := e.shared.theory.Terms; e.terms.Len() > base.Len()+maxNewTerms {
		e.forget(forGood)
		*e.terms = *base.Clone()
		e.inputs.forget()
	} else if e.lasting() > maxLasting {
		e.forget(forGood)
	}
	e.clearInputs("true")
	e.numbers = e.shared.names.Unpack(e.numbers[:0], s)
	for _, f := range e.numbers {
		e.inputs.setTrue(e.inputs.fluent(f))
	}
}

// repair clears all relations after an aborted evaluation, as they may be incomplete.
func (e *evaluator) repair() {
	e.meter.Err, e.depth = nil, 0
	for of := range lifetimes {
		e.forget(of)
	}
}

// bytes estimates the memory of the computed relations, of new terms and of the known inputs.
func (e *evaluator) bytes() int64 {
	sum := e.terms.Bytes() - e.shared.theory.Terms.Bytes()
	for _, own := range e.copies {
		sum += own.Bytes()
	}
	for _, list := range e.touched {
		for _, d := range list {
			sum += d.rel.Bytes() // including magic sets
			for _, c := range d.calls {
				sum += c.asked.Bytes()
			}
		}
	}
	return sum
}

// lasting returns the number of tuples that are independent of the position.
func (e *evaluator) lasting() int {
	tuples := 0
	for _, d := range e.touched[forGood] {
		tuples += int(d.rel.Len())
		for _, c := range d.calls {
			tuples += int(c.asked.Len())
		}
	}
	return tuples
}

// setJoint makes does true for the moves of a joint move.
func (e *evaluator) setJoint(joint []machine.Move) {
	e.forget(ofMoves)
	e.clearInputs("does")
	for r, m := range joint {
		e.inputs.setTrue(e.inputs.move(machine.Role(r), m))
	}
}

func (e *evaluator) clearInputs(name string) {
	for _, in := range e.inputs.list {
		if in.Name == name {
			in.Selection.Clear()
		}
	}
}
