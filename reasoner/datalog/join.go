package datalog

// joiner runs plans. It belongs to one goroutine.
//
// Cost: one hash probe for each lookup and membership test, one step along a chain for each match. Once the head
// of a rule is bound, the first match of the remaining body ends the search, as further matches derive the same
// head. If the head is known already, the remaining body is skipped.
type joiner struct {
	terms *termTable
	meter *meter
	plan  *plan
	regs  []int32
	at    []int32 // by literal: the matched tuple, or -1
	key   []int32
	cut   int
	visit func() // called for each match instead of inserting the head
}

// derive inserts the heads that the plan derives for a key.
func (j *joiner) derive(p *plan, key []int32) error {
	j.start(p)
	j.cut, j.visit = p.cut, nil
	for i, r := range p.load {
		j.regs[r] = key[i]
	}
	j.runFrom(0)
	return j.meter.err
}

// matches calls visit for each match of the whole body, with the registers in j.regs and the matched tuples in
// j.at.
func (j *joiner) matches(p *plan, visit func()) error {
	j.start(p)
	j.cut, j.visit = len(p.steps)+1, visit
	j.runFrom(0)
	return j.meter.err
}

func (j *joiner) start(p *plan) {
	j.plan = p
	j.regs = append(j.regs[:0], p.regs...)
	j.at = j.at[:0]
	for range p.rule.body {
		j.at = append(j.at, -1)
	}
}

// gather collects registers in the scratch key, which the next call overwrites.
func (j *joiner) gather(registers []int32) []int32 {
	j.key = j.key[:0]
	for _, r := range registers {
		j.key = append(j.key, j.regs[r])
	}
	return j.key
}

// runFrom executes the steps from i on and reports whether it found a match.
func (j *joiner) runFrom(i int) bool {
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
		return j.list(i, s, s.buckets.find(j.gather(s.key)))
	case opList:
		return j.list(i, s, s.selected.list)
	case opBuild:
		j.regs[s.a] = j.terms.compound(s.functor, j.gather(s.key))
	default:
		if !j.passes(s) {
			return false
		}
	}
	return j.runFrom(i + 1)
}

// passes reports whether the registers satisfy the filter s.
func (j *joiner) passes(s *step) bool {
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
		return s.selected.contains(key) == (s.op == opContains)
	}
	if s.source != nil {
		s.source.ensure(key)
	}
	t := s.table.find(key)
	j.at[s.literal] = t
	switch s.op {
	case opPossibly:
		return true
	case opAbsent:
		return t < 0
	}
	from, to := s.table.bounds(s.window)
	return t >= from && t < to
}

// isDerived reports whether the tuple of the bound head has been derived already.
func (j *joiner) isDerived(p *plan) bool {
	if p.collected != nil {
		return p.collected.contains(j.gather(p.head))
	}
	return p.into.find(j.gather(p.head)) >= 0
}

// finish processes a match of the whole body: it calls visit, or adds the head to its selection or table.
func (j *joiner) finish() bool {
	p := j.plan
	switch {
	case j.visit != nil:
		j.visit()
	case p.collected != nil:
		p.collected.insert(j.gather(p.head))
		j.meter.tuple(p)
	default:
		j.insert(p, j.gather(p.head))
	}
	return true
}

// insert inserts a tuple into the table of the head, and returns its number.
func (j *joiner) insert(p *plan, tuple []int32) int32 {
	t, added := p.into.insert(tuple)
	if added {
		j.meter.tuple(p)
	}
	return t
}

// scan tries the tuples of the window from the newest to the oldest.
func (j *joiner) scan(i int, s *step) bool {
	if s.source != nil {
		s.source.ensure(nil)
	}
	found := false
	from, to := s.table.bounds(s.window)
	for t := to - 1; t >= from; t-- {
		if j.try(i, s, t) {
			if found = true; i >= j.cut || j.meter.err != nil {
				return true
			}
		}
	}
	return found
}

// lookup tries the tuples with the step's key.
func (j *joiner) lookup(i int, s *step) bool {
	key := j.gather(s.key)
	if s.source != nil {
		s.source.ensure(key)
	}
	found := false
	from, to := s.table.bounds(s.window)
	for t := s.index.newest(key); t >= from; t = s.index.next(t) {
		if t < to && j.try(i, s, t) {
			if found = true; i >= j.cut || j.meter.err != nil {
				return true
			}
		}
	}
	return found
}

// list tries the given selected tuples.
func (j *joiner) list(i int, s *step, tuples []int32) bool {
	found := false
	for _, t := range tuples {
		if j.try(i, s, t) {
			if found = true; i >= j.cut || j.meter.err != nil {
				return true
			}
		}
	}
	return found
}

// try binds tuple t and executes the next steps.
func (j *joiner) try(i int, s *step, t int32) bool {
	if !j.meter.tick(j.plan) {
		return true
	}
	return j.accept(s, t) && j.runFrom(i+1)
}

// accept compares tuple t with the bound registers and binds the other registers.
func (j *joiner) accept(s *step, t int32) bool {
	j.at[s.literal] = t
	return j.match(s, s.table.row(t))
}

// match binds registers to columns of a row, and reports whether the bound registers equal their columns.
func (j *joiner) match(s *step, row []int32) bool {
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
func (j *joiner) unpack(s *step) bool {
	id := j.regs[s.a]
	return j.terms.functorOf(id) == s.functor && j.match(s, j.terms.argsOf(id))
}
