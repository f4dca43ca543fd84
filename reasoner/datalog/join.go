package datalog

// joiner runs plans. It belongs to one goroutine.
//
// Cost: one hash probe for each lookup and membership test, one step along a
// chain for each match. Once the head of a rule is bound, a match of the rest of
// the body ends the search for more (they would give the same head), and a head
// that is known already is not looked into at all.
type joiner struct {
	terms *termTable
	meter *meter
	plan  *plan
	regs  []int32
	at    []int32 // by literal: the tuple that matched, or -1
	key   []int32
	cut   int
	visit func() // called for every match instead of inserting the head
}

// derive inserts into the head relation whatever the plan derives.
func (j *joiner) derive(p *plan) error {
	j.start(p)
	j.cut, j.visit = p.cut, nil
	j.run(0)
	return j.meter.err
}

// matches calls visit for every match of the whole body. The registers and the
// matched tuples are then in j.regs and j.at.
func (j *joiner) matches(p *plan, visit func()) error {
	j.start(p)
	j.cut, j.visit = len(p.steps)+1, visit
	j.run(0)
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

// run executes the steps from i on and tells whether a match was found.
func (j *joiner) run(i int) bool {
	p := j.plan
	if i == j.cut && i < len(p.steps) && p.rule.head.rel.find(j.gather(p.head)) >= 0 {
		return false
	}
	if i == len(p.steps) {
		return j.finish()
	}
	s := &p.steps[i]
	switch s.op {
	case opScan, opLookup:
		return j.loop(i, s)
	case opContains:
		t := s.rel.find(j.gather(s.key))
		if from, to := s.bounds(); t < from || t >= to {
			return false
		}
		j.at[s.literal] = t
	case opAbsent:
		t := s.rel.find(j.gather(s.key))
		if t >= 0 && !s.rel.dynamic {
			return false
		}
		j.at[s.literal] = t
	case opDistinct:
		if j.regs[s.a] == j.regs[s.b] {
			return false
		}
	case opEqual:
		if j.regs[s.a] != j.regs[s.b] {
			return false
		}
	case opBuild:
		j.regs[s.a] = j.terms.compound(s.functor, j.gather(s.key))
	case opUnpack:
		if !j.unpack(s) {
			return false
		}
	}
	return j.run(i + 1)
}

// finish handles a match of the whole body.
func (j *joiner) finish() bool {
	if j.visit != nil {
		j.visit()
		return true
	}
	if j.plan.rule.head.rel.insert(j.gather(j.plan.head)) {
		j.meter.tuple(j.plan)
	}
	return true
}

// bounds is the range of tuples that the step sees.
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

// loop tries the tuples of a scan or of a lookup from the newest to the oldest.
func (j *joiner) loop(i int, s *step) bool {
	from, to := s.bounds()
	t := to - 1
	if s.op == opLookup {
		t = s.index.newest(s.rel, j.gather(s.key))
	}
	found := false
	for t >= from {
		if t < to && j.accept(s, t) {
			if !j.meter.tick(j.plan) {
				return true
			}
			if j.run(i + 1) {
				if found = true; i >= j.cut || j.meter.err != nil {
					return true
				}
			}
		}
		if s.op == opLookup {
			t = s.index.older[t]
		} else {
			t--
		}
	}
	return found
}

// accept compares tuple t with the registers and binds the rest.
func (j *joiner) accept(s *step, t int32) bool {
	row := s.rel.row(t)
	for _, x := range s.bind {
		j.regs[x.register] = row[x.column]
	}
	for _, x := range s.check {
		if j.regs[x.register] != row[x.column] {
			return false
		}
	}
	j.at[s.literal] = t
	return true
}

// unpack takes the function term in register a apart.
func (j *joiner) unpack(s *step) bool {
	id := j.regs[s.a]
	if j.terms.functorOf(id) != s.functor {
		return false
	}
	args := j.terms.argsOf(id)
	for _, x := range s.bind {
		j.regs[x.register] = args[x.column]
	}
	for _, x := range s.check {
		if j.regs[x.register] != args[x.column] {
			return false
		}
	}
	return true
}
