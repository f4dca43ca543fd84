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
	visit func()     // called for each match instead of inserting the head
	calls *evaluator // computes the relations of calls, or nil
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
		return j.list(i, s, s.rel.input.holding.list)
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
	if s.rel.input != nil {
		return s.rel.input.has(key) == (s.op == opContains)
	}
	if s.call != nil {
		j.calls.ensure(s.call, key)
	}
	t := s.rel.find(key)
	j.at[s.literal] = t
	if s.op == opAbsent {
		return t < 0 || s.rel.dynamic && j.calls == nil
	}
	from, to := s.bounds()
	return t >= from && t < to
}

// isDerived reports whether the tuple of the bound head has been derived already, or collected by the sink.
func (j *joiner) isDerived(p *plan) bool {
	if p.sink != nil {
		return p.sink.has(j.gather(p.head))
	}
	return p.rule.head.rel.find(j.gather(p.head)) >= 0
}

// finish processes a match of the whole body: it calls visit, or adds the head to the sink or the relation.
func (j *joiner) finish() bool {
	p := j.plan
	switch {
	case j.visit != nil:
		j.visit()
	case p.sink != nil:
		p.sink.add(j.gather(p.head))
		j.meter.tuple(p)
	default:
		j.insert(p, j.gather(p.head))
	}
	return true
}

// insert inserts a tuple into the relation of the head, and returns its number.
func (j *joiner) insert(p *plan, tuple []int32) int32 {
	t, added := p.rule.head.rel.insert(tuple)
	if added {
		j.meter.tuple(p)
	}
	return t
}

// bounds returns the range of tuples in the step's window.
func (s *step) bounds() (from, to int32) {
	switch s.window {
	case windowOld:
		return 0, s.rel.old
	case windowDelta:
		return s.rel.old, s.rel.seen
	case windowSeen:
		return 0, s.rel.seen
	}
	return 0, s.rel.n
}

// scan tries the tuples of the window from the newest to the oldest.
func (j *joiner) scan(i int, s *step) bool {
	if s.call != nil {
		j.calls.ensure(s.call, nil)
	}
	found := false
	from, to := s.bounds()
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
	if s.call != nil {
		j.calls.ensure(s.call, key)
	}
	found := false
	from, to := s.bounds()
	for t := s.index.newest(s.source, key); t >= from; t = s.index.older[t] {
		if t < to && j.try(i, s, t) {
			if found = true; i >= j.cut || j.meter.err != nil {
				return true
			}
		}
	}
	return found
}

// list tries the given tuples of an input.
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
	return j.match(s, s.source.row(t))
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
