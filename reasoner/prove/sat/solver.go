package sat

import (
	"context"
	"slices"
)

// Solver is an Engine by conflict-driven clause learning (Marques-Silva and Sakallah, GRASP, 1996), after MiniSat
// (Eén and Sörensson, 2003): two watched literals, learning up to the first unique implication point with recursive
// minimisation, activities of variables (VSIDS), saved phases, assumptions as first decisions. Restarts and
// forgetting follow the number of decision levels in learnt clauses, the LBD (Audemard and Simon, Glucose, 2009).
// Clauses of two literals have separate lists.
//
// Invariants, when propagation is complete:
//
//   - a clause is watched by its first two literals; if a watched literal is false, the other
//     watched literal is true and was assigned at the same level or before;
//   - the trail holds the true literals in the order of their assignment, and levels
//     do not decrease along it.
//
// Cost: cache misses in propagate dominate the time.
type Solver struct {
	clauses arena
	learnt  []ref
	problem []ref
	binary  [][]Lit   // by literal: the literals that it implies by clauses of two literals
	watches [][]watch // by literal: the clauses in which its complement is watched
	pairs   int64     // literals in binary
	watched int64     // entries in watches

	values      []int8   // by literal: 1 true, -1 false, 0 unassigned
	phase       []bool   // by variable: its last value was true
	level       []int32  // by variable
	reason      []reason // by variable
	trail       []Lit
	levelStarts []int32 // by decision level - 1: length of the trail at its start
	head        int     // of the trail: literals before it are propagated
	activity    []float64
	order       heap
	bump        float64

	seen    []bool
	clause  []Lit
	stack   []Lit
	toClear []Lit
	stamp   []int64 // by level: the last call of countLevels that counted it
	stamps  int64

	broken           bool // the clauses are unsatisfiable
	conflicts        int64
	ticks            int64 // number of visited clauses
	fast, slow       float64
	nextReduce       int64
	lastRestart      int64
	reductions       int64
	conflict         []Lit // the false clause, after propagate
	model            []bool
	stable           bool  // restarts are rare, for satisfiable formulas
	modeEnd          int64 // number of conflicts at which stable changes
	modes            int64
	lubyStep         int64
	assumptionsDepth int32
}

var _ Engine = (*Solver)(nil)

// reason is the clause that implied a variable's value: 0 for a decision, a ref, or the other literal of a clause of
// two.
type reason uint64

const reasonBinary reason = 1 << 40

func binaryReason(other Lit) reason { return reasonBinary | reason(other) }

// watch is an entry of a watch list: if the blocker is true, the clause is true.
type watch struct {
	clause  ref
	blocker Lit
}

// NewSolver returns a solver with the empty formula.
func NewSolver() *Solver {
	s := &Solver{bump: 1, nextReduce: reduceFirst, modeEnd: modeFirst}
	s.order.activity = &s.activity
	s.clauses.mem = make([]Lit, 1, 1<<10) // ref 0 is no clause
	s.NewVar()
	s.Add(litTrue)
	return s
}

// NewVar implements Engine.
func (s *Solver) NewVar() Lit {
	v := int32(len(s.level))
	s.values = append(s.values, 0, 0)
	s.phase = append(s.phase, false)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, 0)
	s.activity = append(s.activity, 0)
	s.seen = append(s.seen, false)
	s.binary = append(s.binary, nil, nil)
	s.watches = append(s.watches, nil, nil)
	s.order.add(v)
	return Lit(v) << 1
}

// Add implements Engine.
func (s *Solver) Add(clause ...Lit) {
	s.backtrack(0)
	if s.broken {
		return
	}
	c := append(s.clause[:0], clause...)
	s.clause = c
	slices.Sort(c)
	c = slices.Compact(c)
	kept := c[:0]
	for i, l := range c {
		switch {
		case s.values[l] > 0, i+1 < len(c) && c[i+1] == l.Not():
			return // a tautology, or true at level 0
		case s.values[l] < 0:
		default:
			kept = append(kept, l)
		}
	}
	switch len(kept) {
	case 0:
		s.broken = true
	case 1:
		s.assign(kept[0], 0)
		s.broken = !s.propagate()
	case 2:
		s.addBinary(kept[0], kept[1])
	default:
		s.problem = append(s.problem, s.attach(kept, 0))
	}
}

func (s *Solver) addBinary(a, b Lit) {
	s.binary[a.Not()] = append(s.binary[a.Not()], b)
	s.binary[b.Not()] = append(s.binary[b.Not()], a)
	s.pairs += 2
}

// attach adds a clause of three or more literals, watched by the first two.
func (s *Solver) attach(lits []Lit, lbd uint32) ref {
	c := s.clauses.add(lits, lbd)
	s.watch(c, lits)
	return c
}

func (s *Solver) watch(c ref, lits []Lit) {
	s.watches[lits[0].Not()] = append(s.watches[lits[0].Not()], watch{c, lits[1]})
	s.watches[lits[1].Not()] = append(s.watches[lits[1].Not()], watch{c, lits[0]})
	s.watched += 2
}

// Bytes implements Engine.
func (s *Solver) Bytes() int64 {
	const perVariable = 2*(1+24+24) + 1 + 4 + 8 + 8 + 1 + 8 // slices by variable and by literal
	return 4*int64(cap(s.clauses.mem)) + 4*int64(len(s.learnt)+len(s.problem)) +
		(4*s.pairs+8*s.watched)*3/2 + perVariable*int64(cap(s.level))
}

// Close implements Engine.
func (s *Solver) Close() {}

// Value implements Engine.
func (s *Solver) Value(l Lit) bool { return s.model[l.Var()] != (l&1 != 0) }

func (s *Solver) decisionLevel() int32 { return int32(len(s.levelStarts)) }

func (s *Solver) assign(l Lit, why reason) {
	s.values[l], s.values[l.Not()] = 1, -1
	v := l.Var()
	s.level[v], s.reason[v] = s.decisionLevel(), why
	s.trail = append(s.trail, l)
}

// backtrack undoes all decisions above a level.
func (s *Solver) backtrack(level int32) {
	if s.decisionLevel() <= level {
		return
	}
	for _, l := range slices.Backward(s.trail[s.levelStarts[level]:]) {
		v := l.Var()
		s.values[l], s.values[l.Not()] = 0, 0
		s.phase[v] = l&1 == 0
		s.order.add(v)
	}
	s.trail = s.trail[:s.levelStarts[level]]
	s.levelStarts = s.levelStarts[:level]
	s.head = len(s.trail)
}

// propagate assigns the consequences of the trail. It returns false if a clause becomes false: s.conflict.
func (s *Solver) propagate() bool {
	for s.head < len(s.trail) {
		p := s.trail[s.head]
		s.head++
		for _, q := range s.binary[p] {
			if v := s.values[q]; v < 0 {
				s.conflict = append(s.conflict[:0], q, p.Not())
				s.head = len(s.trail)
				return false
			} else if v == 0 {
				s.assign(q, binaryReason(p.Not()))
			}
		}
		if !s.propagateWatches(p) {
			s.head = len(s.trail)
			return false
		}
	}
	return true
}

// propagateWatches visits the clauses that watch the complement of p, which has become true.
func (s *Solver) propagateWatches(p Lit) bool {
	ws := s.watches[p]
	s.ticks += int64(len(ws)) + 1
	values := s.values
	to, ok := 0, true
	gone := p.Not()
next:
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if values[w.blocker] > 0 {
			ws[to] = w
			to++
			continue
		}
		lits := s.clauses.lits(w.clause)
		if lits[0] == gone {
			lits[0], lits[1] = lits[1], gone
		}
		first := lits[0]
		if first != w.blocker && values[first] > 0 {
			ws[to] = watch{w.clause, first}
			to++
			continue
		}
		for k := 2; k < len(lits); k++ {
			if l := lits[k]; values[l] >= 0 {
				lits[1], lits[k] = l, gone
				s.watches[l.Not()] = append(s.watches[l.Not()], watch{w.clause, first})
				continue next
			}
		}
		ws[to] = watch{w.clause, first}
		to++
		if values[first] < 0 {
			s.conflict = append(s.conflict[:0], lits...)
			s.clauses.markUsed(w.clause)
			to += copy(ws[to:], ws[i+1:])
			ok = false
			break
		}
		s.assign(first, reason(w.clause))
	}
	s.watches[p] = ws[:to]
	return ok
}

// Solve implements Engine.
func (s *Solver) Solve(ctx context.Context, lim Limits, assumptions ...Lit) Status {
	s.backtrack(0)
	if s.broken {
		return Unsat
	}
	end, look := s.conflicts+lim.MaxConflicts, s.ticks
	for {
		if s.ticks >= look {
			if ctx.Err() != nil || lim.MaxBytes > 0 && s.Bytes() > lim.MaxBytes {
				return Unknown
			}
			look = s.ticks + checkEvery
		}
		s.ticks++
		if !s.propagate() {
			if s.decisionLevel() == 0 {
				s.broken = true
				return Unsat
			}
			s.learn()
			look = s.ticks // learning takes as long as many visits
			if lim.MaxConflicts > 0 && s.conflicts >= end {
				return Unknown
			}
			continue
		}
		s.restartOrReduce()
		next, status := s.decide(assumptions)
		if status != Unknown {
			return status
		}
		s.levelStarts = append(s.levelStarts, int32(len(s.trail)))
		if next >= 0 {
			s.assign(next, 0)
		}
	}
}

// decide returns the next decision, first the assumptions, then the most active variable. It returns -1 for an
// assumption that is true already and has an empty level.
func (s *Solver) decide(assumptions []Lit) (Lit, Status) {
	if depth := int(s.decisionLevel()); depth < len(assumptions) {
		s.assumptionsDepth = int32(len(assumptions))
		a := assumptions[depth]
		switch s.values[a] {
		case 1:
			return -1, Unknown
		case -1:
			return 0, Unsat
		}
		return a, Unknown
	}
	s.assumptionsDepth = int32(len(assumptions))
	for {
		v, ok := s.order.pop()
		if !ok {
			s.model = s.model[:0]
			for v := range s.level {
				s.model = append(s.model, s.values[2*v] > 0)
			}
			return 0, Sat
		}
		if s.values[2*v] == 0 {
			if s.phase[v] {
				return Lit(v) << 1, Unknown
			}
			return Lit(v)<<1 | 1, Unknown
		}
	}
}
