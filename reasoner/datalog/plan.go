package datalog

import (
	"math"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// A plan is the body of a rule as a nested loop: a sequence of steps over
// registers. Registers 0..vars-1 are the variables of the rule; constants and
// built or unpacked subterms have registers of their own, so that every operand
// is a register.
//
// The order is greedy: filters (negation, distinct, membership) as soon as their
// variables are bound, else the positive literal with the smallest expected
// number of matches, estimated from the sizes of relations and the numbers of
// different terms in their bound columns.
type plan struct {
	rule  *rule
	steps []step
	regs  []int32 // initial registers: the constants are set
	head  []int32 // registers of the head's columns
	cut   int     // the head is bound before step cut
	sizes []int32 // by literal: size of the table when the plan was made; nil if there are sources
	load  []int32 // registers that receive the key of the head
	// into receives the tuples of the head, except where the rule derives into collected.
	into      *table
	collected *selection
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
	window   window
	table    *table
	source   source // fills the table first, or nil
	selected *selection
	index    *index
	buckets  *buckets
	key      []int32    // registers of the key, of the tuple, of build arguments
	bind     []transfer // columns that set registers
	check    []transfer // columns that must equal registers
	a, b     int32      // registers
	functor  int32
	literal  int // index of the literal
}

// source computes tuples of a table when plans ask for them.
type source interface {
	// ensure makes the table hold all tuples with the given terms in the columns for which the source was made.
	ensure(key []int32)
	answers() *table
}

// transfer pairs a column with a register.
type transfer struct{ column, register int32 }

// planning holds the settings that plans of a set of rules share.
type planning struct {
	watch  *guard.Watch
	ignore func(*literal) bool // literals that are left out, or nil
	// possible makes negated literals of open relations hold: plans find the possible tuples of all positions.
	possible bool
	// source returns the source of a relation with the given columns bound, nil if its table is complete. If source is
	// nil, all tables are complete.
	source func(rel *relation, columns []int32) source
	grows  func(rel *relation) bool // relations that grow while the plans run, round by round
}

// planner builds a plan.
type planner struct {
	planning
	plan   *plan
	bound  []bool // by register
	done   []bool // by literal
	delta  int    // the literal that reads the delta, or wholeRule
	consts map[int32]int32
}

// wholeRule is the literal of plans that read no delta.
const wholeRule = -1

// newPlan orders the body of r. With delta ≥ 0 literal delta reads the delta of
// its relation. Among literals of growing relations, earlier literals read the old tuples and later
// literals the seen tuples. So over all choices of delta each new match is found once. The given columns of the
// head are bound: register load[i] receives the value of column columns[i].
func (o planning) newPlan(r *rule, delta int, columns []int32) *plan {
	p := o.newPlanner(r)
	p.plan.into, p.plan.regs, p.delta, p.consts = r.head.rel.table, make([]int32, r.vars), delta, make(map[int32]int32)
	if o.source == nil {
		p.plan.sizes = make([]int32, len(r.body))
	}
	for i := range r.body {
		l := &r.body[i]
		p.done[i] = o.ignore != nil && o.ignore(l)
		if o.source == nil && l.atom.rel != nil {
			p.plan.sizes[i] = l.atom.rel.len()
		}
	}
	var nested []nesting
	for _, c := range columns {
		nested = p.parameter(r.head.args[c], nested)
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

func (o planning) newPlanner(r *rule) *planner {
	o.watch.Step()
	return &planner{planning: o, plan: &plan{rule: r, cut: -1}, bound: make([]bool, r.vars), done: make([]bool, len(r.body)), delta: wholeRule}
}

// parameter makes the bound head argument x a parameter of the plan.
func (p *planner) parameter(x arg, nested []nesting) []nesting {
	if x.kind == variable && !p.bound[x.id] {
		p.bound[x.id] = true
		p.plan.load = append(p.plan.load, x.id)
		return nested
	}
	reg := p.temporary()
	p.plan.load = append(p.plan.load, reg)
	if x.kind == compound {
		return append(nested, nesting{x, reg})
	}
	p.plan.steps = append(p.plan.steps, step{op: opEqual, a: reg, b: p.operand(x), literal: -1})
	return nested
}

// grown reports whether a relation has grown so much since the plan was made that another join order may be
// better.
func (p *plan) grown() bool {
	for i, n := range p.sizes {
		if p.rule.body[i].op == gdl.Holds && p.rule.body[i].atom.rel.len() > 4*n+16 {
			return true
		}
	}
	return false
}

// cheapest returns the open positive literal with the fewest expected matches, or -1.
func (p *planner) cheapest() int {
	best, bestCost := -1, math.Inf(1)
	for i := range p.done {
		l := &p.plan.rule.body[i]
		if p.done[i] || l.op != gdl.Holds {
			continue
		}
		p.watch.Step()
		if cost := p.matches(&l.atom); cost < bestCost {
			best, bestCost = i, cost
		}
	}
	return best
}

// matches estimates how many tuples agree with the bound arguments of a.
func (p *planner) matches(a *atom) float64 {
	cost := a.rel.size() + 0.5
	for c, x := range a.args {
		if p.isBound(x) {
			cost /= a.rel.distinct(int32(c))
		}
	}
	return cost
}

// bind marks the variables of a literal.
func (p *planner) bind(l *literal) {
	for _, v := range l.vars() {
		p.bound[v] = true
	}
}

// expectedMatches returns the expected number of matches of the positive literals of r.
func expectedMatches(w *guard.Watch, r *rule) float64 {
	p := planning{watch: w}.newPlanner(r)
	size := 1.0
	for next := p.cheapest(); next >= 0; next = p.cheapest() {
		size *= p.matches(&r.body[next].atom)
		p.done[next] = true
		p.bind(&r.body[next])
	}
	return size
}

// expectedValues estimates the number of different values of a variable of r from the columns that bind it.
func expectedValues(r *rule, v int32) float64 {
	least := float64(manyTerms)
	for i := range r.body {
		for c, a := range r.body[i].atom.args {
			if r.body[i].op == gdl.Holds && a.kind == variable && a.id == v {
				least = min(least, r.body[i].atom.rel.distinct(int32(c)))
			}
		}
	}
	return least
}

// filters adds every open literal whose variables are bound, and, once its
// variables are bound, the head.
func (p *planner) filters() {
	for i := range p.done {
		if !p.done[i] && p.isReady(&p.plan.rule.body[i]) {
			p.filter(i)
		}
	}
	if p.plan.cut >= 0 {
		return
	}
	args := p.plan.rule.head.args
	if !p.allBound(args) {
		return
	}
	for _, a := range args {
		p.plan.head = append(p.plan.head, p.operand(a))
	}
	p.plan.cut = len(p.plan.steps)
}

func (p *planner) isReady(l *literal) bool {
	if l.op == gdl.Holds || l.op == gdl.Not {
		return p.allBound(l.atom.args)
	}
	return p.isBound(l.left) && p.isBound(l.right)
}

func (p *planner) allBound(args []arg) bool {
	for _, a := range args {
		if !p.isBound(a) {
			return false
		}
	}
	return true
}

func (p *planner) isBound(a arg) bool {
	switch a.kind {
	case variable:
		return p.bound[a.id]
	case compound:
		return p.allBound(a.args)
	}
	return true
}

// filter adds literal i, whose variables are bound.
func (p *planner) filter(i int) {
	p.done[i] = true
	l := &p.plan.rule.body[i]
	s := step{literal: i, window: p.window(i)}
	switch l.op {
	case gdl.Holds, gdl.Not:
		p.membership(&s, l)
	case gdl.Distinct:
		s.op, s.a, s.b = opDistinct, p.operand(l.left), p.operand(l.right)
	case gdl.Equal:
		s.op, s.a, s.b = opEqual, p.operand(l.left), p.operand(l.right)
	}
	p.plan.steps = append(p.plan.steps, s)
}

// membership makes s a test for the tuple of l in its relation.
func (p *planner) membership(s *step, l *literal) {
	rel := l.atom.rel
	s.table, s.selected = rel.table, rel.selection
	switch {
	case l.op != gdl.Not:
		s.op = opContains
	case p.possible && rel.isOpen():
		s.op = opPossibly
	default:
		s.op = opAbsent
	}
	for _, a := range l.atom.args {
		s.key = append(s.key, p.operand(a))
	}
	p.addSource(s, rel, rel.columns())
}

// addSource makes s read the answers of the source of its relation, if there is one.
func (p *planner) addSource(s *step, rel *relation, columns []int32) {
	if p.source == nil {
		return
	}
	if from := p.source(rel, columns); from != nil {
		s.source, s.table = from, from.answers()
	}
}

// window returns the range of tuples that literal i reads. In the first round it excludes tuples of that round,
// which are the delta of the second round. So each match is found once.
func (p *planner) window(i int) window {
	l := &p.plan.rule.body[i]
	switch {
	case l.op != gdl.Holds || p.grows == nil || !p.grows(l.atom.rel):
		return windowAll
	case p.delta == i:
		return windowDelta
	case i < p.delta:
		return windowOld
	}
	return windowSeen
}

// join adds the positive literal i as a loop over its matches.
func (p *planner) join(i int) {
	if p.done[i] {
		return
	}
	p.done[i] = true
	a := &p.plan.rule.body[i].atom
	s := step{op: opScan, table: a.rel.table, literal: i, window: p.window(i)}
	columns := p.keyColumns(a)
	for _, c := range columns {
		s.key = append(s.key, p.operand(a.args[c]))
	}
	var nested []nesting
	for c, x := range a.args {
		if !slices.Contains(columns, int32(c)) {
			nested = p.receive(&s, int32(c), x, nested)
		}
	}
	p.addSource(&s, a.rel, columns)
	switch {
	case a.rel.selection != nil && len(columns) > 0:
		s.op, s.buckets = opBucket, a.rel.selection.bucketsBy(columns)
	case a.rel.selection != nil:
		s.op, s.selected = opList, a.rel.selection
	case len(columns) > 0:
		s.op, s.index = opLookup, s.table.index(columns)
	}
	p.plan.steps = append(p.plan.steps, s)
	p.unpack(nested)
}

// keyColumns returns the bound columns of a, the key of the index lookup. A joint move has so few tuples that does
// is scanned.
func (p *planner) keyColumns(a *atom) []int32 {
	if a.rel.selection != nil && a.rel.name.name == "does" {
		return nil
	}
	var columns []int32
	for c, x := range a.args {
		if p.isBound(x) {
			columns = append(columns, int32(c))
		}
	}
	return columns
}

// nesting is a function term in a pattern and the register of its value.
type nesting struct {
	pattern  arg
	register int32
}

// receive matches column c of step s with the pattern x; function terms are
// added to nested.
func (p *planner) receive(s *step, c int32, x arg, nested []nesting) []nesting {
	switch {
	case x.kind == variable && !p.bound[x.id]:
		p.bound[x.id] = true
		s.bind = append(s.bind, transfer{c, x.id})
	case x.kind == compound:
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
		s := step{op: opUnpack, a: n.register, functor: n.pattern.id, literal: -1}
		for c, x := range n.pattern.args {
			nested = p.receive(&s, int32(c), x, nested)
		}
		p.plan.steps = append(p.plan.steps, s)
	}
}

// operand returns the register of the bound argument a, after the steps that build function terms.
func (p *planner) operand(a arg) int32 {
	switch a.kind {
	case variable:
		return a.id
	case constant:
		reg, ok := p.consts[a.id]
		if !ok {
			reg = p.temporary()
			p.consts[a.id] = reg
			p.plan.regs[reg] = a.id
		}
		return reg
	}
	s := step{op: opBuild, functor: a.id, literal: -1}
	for _, x := range a.args {
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
