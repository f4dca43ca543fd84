package sat

import "slices"

const (
	// checkEvery is the number of visited clauses between two checks of the context: about a millisecond.
	checkEvery = 1 << 17
	// variableDecay is the factor by which activities decay with each conflict.
	variableDecay = 0.95
	maxActivity   = 1e100
	// The solver restarts if the LBD of recent conflicts exceeds restartMargin times the average LBD, at the earliest
	// after restartLeast conflicts. In stable mode the intervals follow the sequence of Luby, Sinclair and Zuckerman,
	// in units of restartUnit conflicts.
	restartMargin = 1.1
	restartLeast  = 10
	restartUnit   = 256
	fastShare     = 1. / 32
	slowShare     = 1. / 8192
	// The first reduction of learnt clauses is after reduceFirst conflicts; each interval is longer than the
	// preceding by reduceStep. A reduction forgets forgottenShare of its candidates. Clauses of LBD up to keptLBD are
	// never candidates; clauses of LBD up to usedLBD are candidates if they were not used.
	reduceFirst    = 2000
	reduceStep     = 300
	keptLBD        = 2
	usedLBD        = 6
	forgottenShare = 0.6
	// modeFirst is the number of conflicts in the first mode.
	modeFirst = 1000
)

// learn derives a clause from the conflict, backtracks to the level at which the clause is unit, and propagates it.
func (s *Solver) learn() {
	s.conflicts++
	s.firstUIP()
	s.minimise()
	c := s.clause
	lbd := s.countLevels(c)
	s.fast += fastShare * (float64(lbd) - s.fast)
	s.slow += max(slowShare, 1/float64(s.conflicts)) * (float64(lbd) - s.slow)
	back := int32(0)
	for i := 1; i < len(c); i++ { // watches a literal of the highest remaining level
		if l := s.level[c[i].Var()]; l > back {
			back = l
			c[1], c[i] = c[i], c[1]
		}
	}
	s.backtrack(back)
	switch len(c) {
	case 1:
		s.assign(c[0], 0)
	case 2:
		s.addBinary(c[0], c[1])
		s.assign(c[0], binaryReason(c[1]))
	default:
		r := s.attach(c, uint32(lbd))
		s.learnt = append(s.learnt, r)
		s.assign(c[0], reason(r))
	}
	s.bump /= variableDecay
}

// firstUIP resolves the conflict with reasons until a single literal of the decision level remains: the first unique
// implication point, which is s.clause[0].
func (s *Solver) firstUIP() {
	s.clause = append(s.clause[:0], 0)
	s.toClear = s.toClear[:0]
	unresolved, index := 0, len(s.trail)
	lits := s.conflict
	for {
		for _, l := range lits {
			v := l.Var()
			if s.seen[v] || s.level[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.toClear = append(s.toClear, l)
			s.bumpVariable(v)
			if s.level[v] == s.decisionLevel() {
				unresolved++
			} else {
				s.clause = append(s.clause, l)
			}
		}
		for index--; !s.seen[s.trail[index].Var()]; index-- {
		}
		p := s.trail[index]
		if unresolved--; unresolved == 0 {
			s.clause[0] = p.Not()
			return
		}
		lits = s.reasonLiterals(p)
	}
}

// reasonLiterals returns the false literals of the clause that implied p.
func (s *Solver) reasonLiterals(p Lit) []Lit {
	r := s.reason[p.Var()]
	if r&reasonBinary != 0 {
		s.conflict = append(s.conflict[:0], Lit(r&^reasonBinary))
		return s.conflict
	}
	c := ref(r)
	if s.clauses.markUsed(c) {
		if lbd := s.countLevels(s.clauses.lits(c)); uint32(lbd) < s.clauses.lbd(c) {
			s.clauses.setLBD(c, uint32(lbd))
		}
	}
	return s.clauses.lits(c)[1:]
}

// minimise removes literals from the learnt clause that the remaining literals imply.
func (s *Solver) minimise() {
	var levels uint64 // set of the clause's levels, modulo 64
	for _, l := range s.clause[1:] {
		levels |= 1 << (uint(s.level[l.Var()]) & 63)
	}
	kept := s.clause[:1]
	for _, l := range s.clause[1:] {
		if s.reason[l.Var()] == 0 || !s.implied(l, levels) {
			kept = append(kept, l)
		}
	}
	s.clause = kept
	for _, l := range s.toClear {
		s.seen[l.Var()] = false
	}
}

// implied reports whether the other literals of the clause imply that l is false.
func (s *Solver) implied(l Lit, levels uint64) bool {
	s.stack = append(s.stack[:0], l)
	top := len(s.toClear)
	for len(s.stack) > 0 {
		p := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		r := s.reason[p.Var()]
		var one [1]Lit
		lits := one[:]
		if r&reasonBinary != 0 {
			one[0] = Lit(r &^ reasonBinary)
		} else {
			lits = s.clauses.lits(ref(r))[1:]
		}
		for _, q := range lits {
			v := q.Var()
			if s.seen[v] || s.level[v] == 0 {
				continue
			}
			if s.reason[v] == 0 || levels>>(uint(s.level[v])&63)&1 == 0 {
				for _, x := range s.toClear[top:] {
					s.seen[x.Var()] = false
				}
				s.toClear = s.toClear[:top]
				return false
			}
			s.seen[v] = true
			s.toClear = append(s.toClear, q)
			s.stack = append(s.stack, q)
		}
	}
	return true
}

// countLevels returns the LBD of a clause: its number of decision levels.
func (s *Solver) countLevels(lits []Lit) int {
	s.stamps++
	n := 0
	for _, l := range lits {
		level := int(s.level[l.Var()])
		for level >= len(s.stamp) {
			s.stamp = append(s.stamp, 0)
		}
		if level > 0 && s.stamp[level] != s.stamps {
			s.stamp[level] = s.stamps
			n++
		}
	}
	return n
}

func (s *Solver) bumpVariable(v int32) {
	if s.activity[v] += s.bump; s.activity[v] > maxActivity {
		for i := range s.activity {
			s.activity[i] /= maxActivity
		}
		s.bump /= maxActivity
	}
	s.order.raise(v)
}

// restartOrReduce restarts the search, and reduces the learnt clauses, at the scheduled conflicts.
func (s *Solver) restartOrReduce() {
	if s.conflicts >= s.modeEnd {
		s.stable = !s.stable
		s.modes++
		s.modeEnd = s.conflicts + modeFirst*(s.modes+1)*(s.modes+1)
	}
	if s.conflicts >= s.nextReduce {
		s.reductions++
		s.nextReduce = s.conflicts + reduceFirst + reduceStep*s.reductions
		s.backtrack(0)
		s.reduce()
	}
	since := s.conflicts - s.lastRestart
	if s.stable {
		if since < restartUnit*Luby(s.lubyStep) {
			return
		}
		s.lubyStep++
	} else if since < restartLeast || s.fast < restartMargin*s.slow {
		return
	}
	s.lastRestart = s.conflicts
	s.backtrack(min(s.decisionLevel(), s.assumptionsDepth))
}

// Luby returns element i of the sequence 1 1 2 1 1 2 4 1 1 2 …
func Luby(i int64) int64 {
	for i++; ; {
		k := int64(1)
		for k <= i {
			k <<= 1
		}
		if i == k-1 {
			return k >> 1
		}
		i -= k>>1 - 1
	}
}

// reduce forgets learnt clauses of high LBD, and all clauses that are satisfied at level 0. It is called at level 0,
// where no reason is needed.
func (s *Solver) reduce() {
	candidates := make([]ref, 0, len(s.learnt))
	for _, c := range s.learnt {
		used := s.clauses.clearUsed(c)
		if lbd := s.clauses.lbd(c); lbd > usedLBD || lbd > keptLBD && !used {
			candidates = append(candidates, c)
		}
	}
	slices.SortStableFunc(candidates, func(a, b ref) int {
		if d := int(s.clauses.lbd(b)) - int(s.clauses.lbd(a)); d != 0 {
			return d
		}
		return len(s.clauses.lits(b)) - len(s.clauses.lits(a))
	})
	for _, c := range candidates[:int(forgottenShare*float64(len(candidates)))] {
		s.clauses.forget(c)
	}
	for p := range s.watches {
		s.watches[p] = s.watches[p][:0]
	}
	s.watched = 0
	old := s.clauses.mem
	s.clauses.mem = make([]Lit, 1, len(old)) // copyKept fills the new arena
	from := arena{old}
	s.problem = s.copyKept(from, s.problem)
	s.learnt = s.copyKept(from, s.learnt)
}

// copyKept copies clauses that are not forgotten into the arena, without their false literals.
func (s *Solver) copyKept(from arena, clauses []ref) []ref {
	kept := clauses[:0]
	for _, c := range clauses {
		if from.isForgotten(c) {
			continue
		}
		lits := from.lits(c)
		left := lits[:0]
		for _, l := range lits {
			if s.values[l] > 0 {
				left = nil
				break
			}
			if s.values[l] == 0 {
				left = append(left, l)
			}
		}
		switch {
		case left == nil:
		case len(left) == 2:
			s.addBinary(left[0], left[1])
		default:
			kept = append(kept, s.attach(left, from.lbd(c)))
		}
	}
	return kept
}
