package prover

// facts is a set of facts that finds those of a relation by the terms at the first and
// second level of their arguments.
type facts struct {
	terms *terms
	log   []term // all facts, in the order of insertion
	has   []bool // by term
	index map[path][]term
	bytes int64 // of memory, about
}

// path names the facts of a relation that have, as argument i, or as argument j of
// argument i, the term t.
type path struct {
	relation functor
	i, j     int8
	t        term
}

const (
	whole     = -1       // in place of i: all facts of the relation; in place of j: the argument itself
	maxPath   = 1<<7 - 1 // arguments past this one are not indexed
	pathBytes = 60       // the memory of a path with a fact or two, about
)

func newFacts(t *terms) *facts { return &facts{terms: t, index: make(map[path][]term)} }

// insert adds a fact that may be there already.
func (s *facts) insert(fact term) {
	if s.holds(fact) {
		return
	}
	if n := int(fact) + 1; n > len(s.has) {
		s.has = append(s.has, make([]bool, n-len(s.has))...)
	}
	s.has[fact] = true
	s.log = append(s.log, fact)
	s.paths(fact, func(p path) {
		list := s.index[p]
		if cap(list) == 0 {
			s.bytes += pathBytes
		}
		s.index[p] = append(list, fact)
	})
}

// holds reports whether a fact is in the set.
func (s *facts) holds(fact term) bool { return int(fact) < len(s.has) && s.has[fact] }

// truncate removes all facts but the n oldest.
func (s *facts) truncate(n int) {
	for len(s.log) > n {
		fact := s.log[len(s.log)-1]
		s.log = s.log[:len(s.log)-1]
		s.has[fact] = false
		s.paths(fact, func(p path) { s.index[p] = s.index[p][:len(s.index[p])-1] })
	}
}

// paths visits the paths by which a fact is found.
func (s *facts) paths(fact term, visit func(path)) {
	relation := s.terms.heads[fact]
	visit(path{relation, whole, whole, 0})
	for i, a := range s.terms.arguments[fact] {
		if i > maxPath {
			return
		}
		visit(path{relation, int8(i), whole, a})
		for j, b := range s.terms.arguments[a] {
			if j <= maxPath {
				visit(path{relation, int8(i), int8(j), b})
			}
		}
	}
}

// candidates lists facts among which are all that match an atom: those of the path on which
// there are fewest.
func (s *facts) candidates(p *pattern, binding []term) []term {
	best := s.index[path{p.functor, whole, whole, 0}]
	consider := func(q *pattern, i, j int) {
		t := q.ground
		if q.slot >= 0 {
			t = binding[q.slot]
		}
		if t == unbound || i > maxPath || j > maxPath {
			return
		}
		if list := s.index[path{p.functor, int8(i), int8(j), t}]; len(list) < len(best) {
			best = list
		}
	}
	for i := range p.args {
		consider(&p.args[i], i, whole)
		for j := range p.args[i].args {
			consider(&p.args[i].args[j], i, j)
		}
	}
	return best
}
