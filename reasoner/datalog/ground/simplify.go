package ground

import (
	"slices"

	"stackmate/reasoner/datalog/internal/rules"
)

// simplified holds instances and their constant atoms: impossible atoms are false in every position, certain atoms
// are true in every position. Both sets are least fixpoints that depend on each other:
//
//	possible  a positive literal may hold if its atom is possible, a negative one
//	          unless its atom is certain; a fluent is possible if it is initial or
//	          possible next, a move if it is possibly legal
//	certain   a positive literal holds if its atom is certain, a negative one if
//	          its atom is not possible; a fluent is certain if it is initial and
//	          certain next, a move if its role has no other possible move
//
// The computations alternate until a set does not change; each pass is linear in the instances.
// Because both are least fixpoints, atoms that support only each other are found
// to be impossible too.
type simplified struct {
	*instances
	links
	possible, certain []bool
	only              []bool // by atom: a move that was found to be the only possible move of its role
	users             users
}

// constantTrue marks, in links, an atom that holds in every position.
const constantTrue = -2

// links connect the atoms of one position with atoms of the next.
type links struct {
	source []int32 // by atom: next of a fluent, legal of a move; or -1, constantTrue
	target []int32 // by atom: the fluent of a next, the move of a legal; or -1
	init   []bool  // by atom: a fluent that is true initially
	role   []int32 // by atom: the role of a move, or -1
}

// users lists, by atom, the instances whose bodies contain it, not negated.
type users struct{ start, list []int32 }

func (u *users) instancesOf(atom int32) []int32 { return u.list[u.start[atom]:u.start[atom+1]] }

// simplify determines the constant atoms. If exact is set, all atoms start as possible, which is the result of
// reaching.
func (in *instances) simplify(exact bool) *simplified {
	s := &simplified{
		instances: in,
		links:     in.link(),
		possible:  make([]bool, in.atoms()),
		certain:   make([]bool, in.atoms()),
		only:      make([]bool, in.atoms()),
		users:     in.users(),
	}
	if exact {
		for a := range s.possible {
			s.possible[a] = true
		}
	} else {
		s.findPossible()
	}
	// possible only shrinks and certain only grows: a set of equal size is unchanged.
	for possible, certain := count(s.possible), 0; ; possible, certain = count(s.possible), count(s.certain) {
		if s.findCertain(); count(s.certain) == certain || !s.deniesCertain() {
			return s
		}
		if s.findPossible(); count(s.possible) == possible {
			return s
		}
	}
}

// deniesCertain reports whether a body negates a certain atom. Otherwise the possible atoms stay the same.
func (s *simplified) deniesCertain() bool {
	return slices.ContainsFunc(s.body, func(lit int32) bool { return lit&1 == 1 && s.certain[lit>>1] })
}

func count(set []bool) int {
	n := 0
	for _, has := range set {
		if has {
			n++
		}
	}
	return n
}

// users inverts the bodies.
func (in *instances) users() users {
	u := users{start: make([]int32, in.atoms()+1)}
	for _, lit := range in.body {
		if lit&1 == 0 {
			u.start[lit>>1+1]++
		}
	}
	for a := range in.atoms() {
		u.start[a+1] += u.start[a]
	}
	u.list = make([]int32, u.start[in.atoms()])
	fill := slices.Clone(u.start)
	for i := range in.head {
		in.theory.Watch.Step()
		for _, lit := range in.bodyOf(i) {
			if lit&1 == 0 {
				u.list[fill[lit>>1]] = int32(i)
				fill[lit>>1]++
			}
		}
	}
	return u
}

// link finds the successor atoms.
func (in *instances) link() links {
	n := in.atoms()
	l := links{source: make([]int32, n), target: make([]int32, n), init: make([]bool, n), role: make([]int32, n)}
	for a := range n {
		l.source[a], l.target[a], l.role[a] = -1, -1, -1
	}
	for _, rel := range in.theory.Relations {
		switch rel.Name {
		case "init", "next", "legal":
			in.linkRelation(&l, rel)
		}
	}
	return l
}

func (in *instances) linkRelation(l *links, from *rules.Relation) {
	to := in.theory.Successor(from)
	for t := range from.Len() {
		in.theory.Watch.Step()
		k := to.Find(from.Row(t))
		if k < 0 {
			continue // legal for a term that is no role
		}
		atom := in.first[to] + k
		switch {
		case from.Name == "init":
			l.init[atom] = true
		case !from.IsOpen():
			l.source[atom] = constantTrue
		default:
			l.source[atom] = in.first[from] + t
			l.target[in.first[from]+t] = atom
		}
		if from.Name == "legal" {
			l.role[atom] = in.theory.RoleOf(in.theory.Terms, from.Predicate, from.Row(t))
		}
	}
}

// findPossible recomputes possible, given certain.
func (s *simplified) findPossible() {
	w := s.propagate(s.possible, s.certain)
	for a := range s.atoms() {
		if s.init[a] || s.source[a] == constantTrue {
			w.add(a)
		}
	}
	w.run(func(a int32) {
		if to := s.target[a]; to >= 0 {
			w.add(to)
		}
	})
}

// findCertain recomputes certain, given possible.
func (s *simplified) findCertain() {
	w := s.propagate(s.certain, s.possible)
	s.onlyMoves()
	for a := range s.atoms() {
		if s.init[a] && s.source[a] == constantTrue || s.only[a] {
			w.add(a)
		}
	}
	w.run(func(a int32) {
		if to := s.target[a]; to >= 0 && s.init[to] {
			w.add(to)
		}
	})
}

// onlyMoves marks each move that is the only possible move of its role. Marks persist, so each round of simplify
// finds at least the atoms of the round before. A role without another move makes this move or is stuck.
func (s *simplified) onlyMoves() {
	perRole := make([]int, len(s.theory.Roles))
	for a := range s.atoms() {
		if r := s.role[a]; r >= 0 && s.possible[a] {
			perRole[r]++
		}
	}
	for a, r := range s.role {
		if r >= 0 && s.possible[a] && perRole[r] == 1 {
			s.only[a] = true
		}
	}
}

// propagation computes a least fixpoint over the instances (unit propagation of Horn clauses, Dowling and Gallier
// 1984): an instance fires when its count of missing literals is 0.
type propagation struct {
	s       *simplified
	set     []bool
	missing []int32 // by instance: literals that do not hold yet
	queue   []int32
}

// propagate begins with the empty set: an instance misses its positive literals, and
// the negated ones whose atoms are in the other set.
func (s *simplified) propagate(set, other []bool) *propagation {
	clear(set)
	w := &propagation{s: s, set: set, missing: make([]int32, len(s.head))}
	for i := range s.head {
		s.theory.Watch.Step()
		for _, lit := range s.bodyOf(i) {
			if lit&1 == 0 || other[lit>>1] {
				w.missing[i]++
			}
		}
	}
	return w
}

// add puts an atom into the set.
func (w *propagation) add(a int32) {
	if !w.set[a] {
		w.set[a] = true
		w.queue = append(w.queue, a)
	}
}

// run fires instances until the set is closed, and calls carry for each added atom.
func (w *propagation) run(carry func(int32)) {
	for i, n := range w.missing {
		if n == 0 {
			w.add(w.s.head[i])
		}
	}
	for len(w.queue) > 0 {
		w.s.theory.Watch.Step()
		a := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		carry(a)
		for _, i := range w.s.users.instancesOf(a) {
			if w.missing[i]--; w.missing[i] == 0 {
				w.add(w.s.head[i])
			}
		}
	}
}
