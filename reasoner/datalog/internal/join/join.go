package join

import "stackmate/reasoner/datalog/internal/rules"

// Joiner runs plans. It belongs to one goroutine.
//
// Cost: one hash probe for each lookup and membership test, one step along a chain for each match. Once the head
// of a rule is bound, the first match of the remaining body ends the search, as further matches derive the same
// head. If the head is known already, the remaining body is skipped.
type Joiner struct {
	terms *rules.TermTable
	Meter *Meter
	plan  *Plan
	regs  []int32
	at    []int32 // by literal: the matched tuple, or -1
	key   []int32
	cut   int
	visit func(head, at []int32) // called for each match instead of inserting the head
}

// NewJoiner returns a joiner that makes new terms in the given table.
func NewJoiner(terms *rules.TermTable, m *Meter) *Joiner { return &Joiner{terms: terms, Meter: m} }

// Derive inserts the heads that the plan derives for a key.
func (j *Joiner) Derive(p *Plan, key []int32) error {
	j.start(p)
	j.cut, j.visit = p.cut, nil
	for i, r := range p.load {
		j.regs[r] = key[i]
	}
	j.runFrom(0)
	return j.Meter.Err
}

// Matches calls visit for each match of the whole body, with the tuple of the head and, by literal, the matched tuple, or -1.
func (j *Joiner) Matches(p *Plan, visit func(head, at []int32)) error {
	j.start(p)
	j.cut, j.visit = len(p.steps)+1, visit
	j.runFrom(0)
	return j.Meter.Err
}

func (j *Joiner) start(p *Plan) {
	j.plan = p
	j.regs = append(j.regs[:0], p.regs...)
	j.at = j.at[:0]
	for range p.Rule.Body {
		j.at = append(j.at, -1)
	}
}

// gather collects registers in the scratch key, which the next call overwrites.
func (j *Joiner) gather(registers []int32) []int32 {
	j.key = j.key[:0]
	for _, r := range registers {
		j.key = append(j.key, j.regs[r])
	}
	return j.key
}

// runFrom executes the steps from i on and reports whether it found a match.
func (j *Joiner) runFrom(i int) bool {
	p := j.plan
	if i == j.cut && i < len(p.steps) && j.isDerived(p) {
		return false
	}
	if i == len(p.steps) {
		return j.finish()
	}
	s := &p.steps[i]
	switch s.op {
	case opScan:
		return j.scan(i, s)
	case opLookup:
		return j.lookup(i, s)
	case opBucket:
		return j.list(i, s, s.buckets.Find(j.gather(s.key)))
	case opList:
		return j.list(i, s, s.selected.List)
	case opBuild:
		j.regs[s.a] = j.terms.Compound(s.functor, j.gather(s.key))
	default:
		if !j.passes(s) {
			return false
		}
	}
	return j.runFrom(i + 1)
}

// passes reports whether the registers satisfy the filter s.
func (j *Joiner) passes(s *step) bool {
	switch s.op {
	case opDistinct:
		return j.regs[s.a] != j.regs[s.b]
	case opEqual:
		return j.regs[s.a] == j.regs[s.b]
	case opUnpack:
		return j.unpack(s)
	}
	key := j.gather(s.key)
	if s.selected != nil {
		return s.selected.Contains(key) == (s.op == opContains)
	}
	if s.source != nil {
		s.source.Ensure(key)
	}
	t := s.table.Find(key)
	j.at[s.literal] = t
	switch s.op {
	case opPossibly:
		return true
	case opAbsent:
		return t < 0
	}
	from, to := s.table.Bounds(s.window)
	return t >= from && t < to
}

// isDerived reports whether the tuple of the bound head has been derived already.
func (j *Joiner) isDerived(p *Plan) bool {
	if p.Collected != nil {
		return p.Collected.Contains(j.gather(p.head))
	}
	return p.into.Find(j.gather(p.head)) >= 0
}

// finish processes a match of the whole body: it calls visit, or adds the head to its selection or table.
func (j *Joiner) finish() bool {
	p := j.plan
	switch {
	case j.visit != nil:
		j.visit(j.gather(p.head), j.at)
	case p.Collected != nil:
		p.Collected.Insert(j.gather(p.head))
		j.Meter.tuple(p)
	default:
		j.Insert(p, j.gather(p.head))
	}
	return true
}

// Insert inserts a tuple into the table of the head, and returns its number.
func (j *Joiner) Insert(p *Plan, tuple []int32) int32 {
	t, added := p.into.Insert(tuple)
	if added {
		j.Meter.tuple(p)
	}
	return t
}

// scan tries the tuples of the window from the newest to the oldest.
func (j *Joiner) scan(i int, s *step) bool {
	if s.source != nil {
		s.source.Ensure(nil)
	}
	found := false
	from, to := s.table.Bounds(s.window)
	for t := to - 1; t >= from; t-- {
		if j.try(i, s, t) {
			if found = true; i >= j.cut || j.Meter.Err != nil {
				return true
			}
		}
	}
	return found
}

// lookup tries the tuples with the step's key.
func (j *Joiner) lookup(i int, s *step) bool {
	key := j.gather(s.key)
	if s.source != nil {
		s.source.Ensure(key)
	}
	found := false
	from, to := s.table.Bounds(s.window)
	for t := s.index.Newest(key); t >= from; t = s.index.Next(t) {
		if t < to && j.try(i, s, t) {
			if found = true; i >= j.cut || j.Meter.Err != nil {
				return true
			}
		}
	}
	return found
}

// list tries the given selected tuples.
func (j *Joiner) list(i int, s *step, tuples []int32) bool {
	found := false
	for _, t := range tuples {
		if j.try(i, s, t) {
			if found = true; i >= j.cut || j.Meter.Err != nil {
				return true
			}
		}
	}
	return found
}

// try binds tuple t and executes the next steps.
func (j *Joiner) try(i int, s *step, t int32) bool {
	if !j.Meter.tick(j.plan) {
		return true
	}
	return j.accept(s, t) && j.runFrom(i+1)
}

// accept compares tuple t with the bound registers and binds the other registers.
func (j *Joiner) accept(s *step, t int32) bool {
	j.at[s.literal] = t
	return j.match(s, s.table.Row(t))
}

// match binds registers to columns of a row, and reports whether the bound registers equal their columns.
func (j *Joiner) match(s *step, row []int32) bool {
	for _, x := range s.bind {
		j.regs[x.register] = row[x.column]
	}
	for _, x := range s.check {
		if j.regs[x.register] != row[x.column] {
			return false
		}
	}
	return true
}

// unpack matches the arguments of the function term in register a.
func (j *Joiner) unpack(s *step) bool {
	id := j.regs[s.a]
	return j.terms.FunctorOf(id) == s.functor && j.match(s, j.terms.ArgsOf(id))
}
