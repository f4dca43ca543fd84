package prover

// facts is a set of facts with an index by the terms at the first and second level of their arguments.
type facts struct {
	terms    *terms
	log      []term // the facts in the order of insertion
	isMember []bool // by term
	index    map[path][]term
	bytes    int64 // memory, approximately
}

// path is a key of the index: the facts of a relation in which argument i, or argument j of argument i, is the term
// t.
type path struct {
	relation functor
	i, j     int8
	t        term
}

const (
	wholeArgument = -1       // as i: all facts of the relation; as j: the argument itself
	maxPath       = 1<<7 - 1 // later arguments have no index
	pathBytes     = 60       // approximate memory of a path with one or two facts
)

func newFacts(t *terms) *facts { return &facts{terms: t, index: make(map[path][]term)} }

// insert adds a fact, unless it is in the set.
func (s *facts) insert(fact term) {
	if s.holds(fact) {
		return
	}
	if n := int(fact) + 1; n > len(s.isMember) {
		s.isMember = append(s.isMember, make([]bool, n-len(s.isMember))...)
	}
	s.isMember[fact] = true
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
func (s *facts) holds(fact term) bool { return int(fact) < len(s.isMember) && s.isMember[fact] }

// truncate removes all facts except the n oldest.
func (s *facts) truncate(n int) {
	for len(s.log) > n {
		fact := s.log[len(s.log)-1]
		s.log = s.log[:len(s.log)-1]
		s.isMember[fact] = false
		s.paths(fact, func(p path) { s.index[p] = s.index[p][:len(s.index[p])-1] })
	}
}

// paths visits the paths of a fact.
func (s *facts) paths(fact term, visit func(path)) {
	relation := s.terms.heads[fact]
	visit(path{relation, wholeArgument, wholeArgument, 0})
	for i, a := range s.terms.arguments[fact] {
		if i > maxPath {
			return
		}
		visit(path{relation, int8(i), wholeArgument, a})
		for j, b := range s.terms.arguments[a] {
			if j <= maxPath {
				visit(path{relation, int8(i), int8(j), b})
			}
		}
	}
}

// candidates returns the facts of the path with the fewest facts. They include all matches of an atom under a
// binding.
func (s *facts) candidates(p *pattern, binding []term) []term {
	best := s.index[path{p.functor, wholeArgument, wholeArgument, 0}]
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
		consider(&p.args[i], i, wholeArgument)
		for j := range p.args[i].args {
			consider(&p.args[i].args[j], i, j)
		}
	}
	return best
}
