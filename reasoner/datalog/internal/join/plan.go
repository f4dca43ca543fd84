// Package join derives the tuples of relations by rules.
package join

import (
	"math"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
)

// Plan is the body of a rule as a nested loop: a sequence of steps over
// registers. Registers 0..vars-1 are the variables of the rule; constants and
// built or unpacked subterms have registers of their own, so that every operand
// is a register.
//
// The order is greedy: filters (negation, distinct, membership) as soon as their
// variables are bound, else the positive literal with the smallest expected
// number of matches, estimated from the sizes of relations and the numbers of
// different terms in their bound columns.
type Plan struct {
	Rule  *rules.Rule
	steps []step
	regs  []int32 // initial registers: the constants are set
	head  []int32 // registers of the head's columns
	cut   int     // the head is bound before step cut
	sizes []int32 // by literal: size of the table when the plan was made; nil if there are sources
	load  []int32 // registers that receive the key of the head
	// into receives the tuples of the head, unless Collected does.
	into      *tuples.Table
	Collected *tuples.Selection
}

// opcode is the operation of a step.
type opcode uint8

const (
	opScan     opcode = iota // every tuple of the window
	opLookup                 // every tuple of the window that has the key
	opContains               // the tuple must be in the table, and selected
	opAbsent                 // the tuple must not be in the table, or not selected
	opPossibly               // finds the tuple, if it is in the table
	opDistinct               // registers a and b differ
	opEqual                  // registers a and b agree
	opBuild                  // register a becomes functor(key...)
	opUnpack                 // register a must be functor(...); binds and checks
	opList                   // every selected tuple
	opBucket                 // every selected tuple that has the key
)

// step is one level of the nested loop.
type step struct {
	op       opcode
	window   tuples.Window
	table    *tuples.Table
	source   Source // fills the table first, or nil
	selected *tuples.Selection
	index    *tuples.Index
	buckets  *tuples.Buckets
	key      []int32    // registers of the key, of the tuple, of build arguments
	bind     []transfer // columns that set registers
	check    []transfer // columns that must equal registers
	a, b     int32      // registers
	functor  int32
	literal  int // index of the literal
}

// Source computes tuples of a table when plans ask for them.
type Source interface {
	// Ensure makes the table hold all tuples with the given terms in the columns for which the source was made.
	Ensure(key []int32)
	// Answers returns the table.
	Answers() *tuples.Table
}

// transfer pairs a column with a register.
type transfer struct{ column, register int32 }

// Planning holds the settings that plans of a set of rules share.
type Planning struct {
	Watch  *guard.Watch
	Ignore func(*rules.Literal) bool // literals that are left out, or nil
	// Possible makes negated literals of open relations hold: plans find the possible tuples of all positions.
	Possible bool
	// Source returns the source of a relation with the given columns bound, nil if its table is complete. If Source is
	// nil, all tables are complete.
	Source func(rel *rules.Relation, columns []int32) Source
	Grows  func(rel *rules.Relation) bool // relations that grow while the plans run, round by round
}

// planner builds a plan.
type planner struct {
	Planning
	plan   *Plan
	bound  []bool // by register
	done   []bool // by literal
	delta  int    // the literal that reads the delta, or WholeRule
	consts map[int32]int32
}

// WholeRule is the literal of plans that read no delta.
const WholeRule = -1

// NewPlan orders the body of r. With delta ≥ 0 literal delta reads the delta of
// its relation. Among literals of growing relations, earlier literals read the old tuples and later
// literals the seen tuples. So over all choices of delta each new match is found once. The given columns of the
// head are bound: register load[i] receives the value of column columns[i].
func (o Planning) NewPlan(r *rules.Rule, delta int, columns []int32) *Plan {
	p := o.newPlanner(r)
	p.plan.into, p.plan.regs, p.delta, p.consts = r.Head.Rel.Table, make([]int32, r.Vars), delta, make(map[int32]int32)
	if o.Source == nil {
		p.plan.sizes = make([]int32, len(r.Body))
	}
	for i := range r.Body {
		l := &r.Body[i]
		p.done[i] = o.Ignore != nil && o.Ignore(l)
		if o.Source == nil && l.Atom.Rel != nil {
			p.plan.sizes[i] = l.Atom.Rel.Len()
		}
	}
	var nested []nesting
	for _, c := range columns {
		nested = p.parameter(r.Head.Args[c], nested)
	}
	p.unpack(nested)
	p.filters()
	if delta >= 0 {
		p.join(delta)
		p.filters()
	}
	for next := p.cheapest(); next >= 0; next = p.cheapest() {
		p.join(next)
		p.filters()
	}
	return p.plan
}

func (o Planning) newPlanner(r *rules.Rule) *planner {
	o.Watch.Step()
	return &planner{Planning: o, plan: &Plan{Rule: r, cut: -1}, bound: make([]bool, r.Vars), done: make([]bool, len(r.Body)), delta: WholeRule}
}

// parameter makes the bound head argument x a parameter of the plan.
func (p *planner) parameter(x rules.Arg, nested []nesting) []nesting {
	if x.Kind == rules.Variable && !p.bound[x.Id] {
		p.bound[x.Id] = true
		p.plan.load = append(p.plan.load, x.Id)
		return nested
	}
	reg := p.temporary()
	p.plan.load = append(p.plan.load, reg)
	if x.Kind == rules.Compound {
		return append(nested, nesting{x, reg})
	}
	p.plan.steps = append(p.plan.steps, step{op: opEqual, a: reg, b: p.operand(x), literal: -1})
	return nested
}

// grown reports whether a relation has grown so much since the plan was made that another join order may be
// better.
func (p *Plan) grown() bool {
	for i, n := range p.sizes {
		if p.Rule.Body[i].Op == gdl.Holds && p.Rule.Body[i].Atom.Rel.Len() > 4*n+16 {
			return true
		}
	}
	return false
}

// cheapest returns the open positive literal with the fewest expected matches, or -1.
func (p *planner) cheapest() int {
	best, bestCost := -1, math.Inf(1)
	for i := range p.done {
		l := &p.plan.Rule.Body[i]
		if p.done[i] || l.Op != gdl.Holds {
			continue
		}
		p.Watch.Step()
		if cost := p.matches(&l.Atom); cost < bestCost {
			best, bestCost = i, cost
		}
	}
	return best
}

// matches estimates how many tuples agree with the bound arguments of a.
func (p *planner) matches(a *rules.Atom) float64 {
	cost := a.Rel.Size() + 0.5
	for c, x := range a.Args {
		if p.isBound(x) {
			cost /= a.Rel.Distinct(int32(c))
		}
	}
	return cost
}

// bind marks the variables of a literal.
func (p *planner) bind(l *rules.Literal) {
	for _, v := range l.Vars() {
		p.bound[v] = true
	}
}

// ExpectedMatches returns the expected number of matches of the positive literals of r.
func ExpectedMatches(w *guard.Watch, r *rules.Rule) float64 {
	p := Planning{Watch: w}.newPlanner(r)
	size := 1.0
	for next := p.cheapest(); next >= 0; next = p.cheapest() {
		size *= p.matches(&r.Body[next].Atom)
		p.done[next] = true
		p.bind(&r.Body[next])
	}
	return size
}

// ExpectedValues estimates the number of different values of a variable of r from the columns that bind it.
func ExpectedValues(r *rules.Rule, v int32) float64 {
	least := float64(manyTerms)
	for i := range r.Body {
		for c, a := range r.Body[i].Atom.Args {
			if r.Body[i].Op == gdl.Holds && a.Kind == rules.Variable && a.Id == v {
				least = min(least, r.Body[i].Atom.Rel.Distinct(int32(c)))
			}
		}
	}
	return least
}

// filters adds every open literal whose variables are bound, and, once its
// variables are bound, the head.
func (p *planner) filters() {
	for i := range p.done {
		if !p.done[i] && p.isReady(&p.plan.Rule.Body[i]) {
			p.filter(i)
		}
	}
	if p.plan.cut >= 0 {
		return
	}
	args := p.plan.Rule.Head.Args
	if !p.allBound(args) {
		return
	}
	for _, a := range args {
		p.plan.head = append(p.plan.head, p.operand(a))
	}
	p.plan.cut = len(p.plan.steps)
}

func (p *planner) isReady(l *rules.Literal) bool {
	if l.Op == gdl.Holds || l.Op == gdl.Not {
		return p.allBound(l.Atom.Args)
	}
	return p.isBound(l.Left) && p.isBound(l.Right)
}

func (p *planner) allBound(args []rules.Arg) bool {
	for _, a := range args {
		if !p.isBound(a) {
			return false
		}
	}
	return true
}

func (p *planner) isBound(a rules.Arg) bool {
	switch a.Kind {
	case rules.Variable:
		return p.bound[a.Id]
	case rules.Compound:
		return p.allBound(a.Args)
	}
	return true
}

// filter adds literal i, whose variables are bound.
func (p *planner) filter(i int) {
	p.done[i] = true
	l := &p.plan.Rule.Body[i]
	s := step{literal: i, window: p.window(i)}
	switch l.Op {
	case gdl.Holds, gdl.Not:
		p.membership(&s, l)
	case gdl.Distinct:
		s.op, s.a, s.b = opDistinct, p.operand(l.Left), p.operand(l.Right)
	case gdl.Equal:
		s.op, s.a, s.b = opEqual, p.operand(l.Left), p.operand(l.Right)
	}
	p.plan.steps = append(p.plan.steps, s)
}

// membership makes s a test for the tuple of l in its relation.
func (p *planner) membership(s *step, l *rules.Literal) {
	rel := l.Atom.Rel
	s.table, s.selected = rel.Table, rel.Selection
	switch {
	case l.Op != gdl.Not:
		s.op = opContains
	case p.Possible && rel.IsOpen():
		s.op = opPossibly
	default:
		s.op = opAbsent
	}
	for _, a := range l.Atom.Args {
		s.key = append(s.key, p.operand(a))
	}
	p.addSource(s, rel, rel.Columns())
}

// addSource makes s read the answers of the source of its relation, if there is one.
func (p *planner) addSource(s *step, rel *rules.Relation, columns []int32) {
	if p.Source == nil {
		return
	}
	if from := p.Source(rel, columns); from != nil {
		s.source, s.table = from, from.Answers()
	}
}

// window returns the range of tuples that literal i reads. In the first round it excludes tuples of that round,
// which are the delta of the second round. So each match is found once.
func (p *planner) window(i int) tuples.Window {
	l := &p.plan.Rule.Body[i]
	switch {
	case l.Op != gdl.Holds || p.Grows == nil || !p.Grows(l.Atom.Rel):
		return tuples.All
	case p.delta == i:
		return tuples.Delta
	case i < p.delta:
		return tuples.Old
	}
	return tuples.Seen
}

// join adds the positive literal i as a loop over its matches.
func (p *planner) join(i int) {
	if p.done[i] {
		return
	}
	p.done[i] = true
	a := &p.plan.Rule.Body[i].Atom
	s := step{op: opScan, table: a.Rel.Table, literal: i, window: p.window(i)}
	columns := p.keyColumns(a)
	for _, c := range columns {
		s.key = append(s.key, p.operand(a.Args[c]))
	}
	var nested []nesting
	for c, x := range a.Args {
		if !slices.Contains(columns, int32(c)) {
			nested = p.receive(&s, int32(c), x, nested)
		}
	}
	p.addSource(&s, a.Rel, columns)
	switch {
	case a.Rel.Selection != nil && len(columns) > 0:
		s.op, s.buckets = opBucket, a.Rel.Selection.BucketsBy(columns)
	case a.Rel.Selection != nil:
		s.op, s.selected = opList, a.Rel.Selection
	case len(columns) > 0:
		s.op, s.index = opLookup, s.table.Index(columns)
	}
	p.plan.steps = append(p.plan.steps, s)
	p.unpack(nested)
}

// keyColumns returns the bound columns of a, the key of the index lookup. A joint move has so few tuples that does
// is scanned.
func (p *planner) keyColumns(a *rules.Atom) []int32 {
	if a.Rel.Selection != nil && a.Rel.Name == "does" {
		return nil
	}
	var columns []int32
	for c, x := range a.Args {
		if p.isBound(x) {
			columns = append(columns, int32(c))
		}
	}
	return columns
}

// nesting is a function term in a pattern and the register of its value.
type nesting struct {
	pattern  rules.Arg
	register int32
}

// receive matches column c of step s with the pattern x; function terms are
// added to nested.
func (p *planner) receive(s *step, c int32, x rules.Arg, nested []nesting) []nesting {
	switch {
	case x.Kind == rules.Variable && !p.bound[x.Id]:
		p.bound[x.Id] = true
		s.bind = append(s.bind, transfer{c, x.Id})
	case x.Kind == rules.Compound:
		reg := p.temporary()
		s.bind = append(s.bind, transfer{c, reg})
		nested = append(nested, nesting{x, reg})
	default:
		s.check = append(s.check, transfer{c, p.operand(x)})
	}
	return nested
}

// unpack adds the steps that decompose function terms.
func (p *planner) unpack(nested []nesting) {
	for len(nested) > 0 {
		n := nested[0]
		nested = nested[1:]
		s := step{op: opUnpack, a: n.register, functor: n.pattern.Id, literal: -1}
		for c, x := range n.pattern.Args {
			nested = p.receive(&s, int32(c), x, nested)
		}
		p.plan.steps = append(p.plan.steps, s)
	}
}

// operand returns the register of the bound argument a, after the steps that build function terms.
func (p *planner) operand(a rules.Arg) int32 {
	switch a.Kind {
	case rules.Variable:
		return a.Id
	case rules.Constant:
		reg, ok := p.consts[a.Id]
		if !ok {
			reg = p.temporary()
			p.consts[a.Id] = reg
			p.plan.regs[reg] = a.Id
		}
		return reg
	}
	s := step{op: opBuild, functor: a.Id, literal: -1}
	for _, x := range a.Args {
		s.key = append(s.key, p.operand(x))
	}
	s.a = p.temporary()
	p.plan.steps = append(p.plan.steps, s)
	return s.a
}

func (p *planner) temporary() int32 {
	p.plan.regs = append(p.plan.regs, 0)
	p.bound = append(p.bound, true)
	return int32(len(p.plan.regs) - 1)
}
