package prover

// store is a set of facts that finds those of a relation by the terms at the
// first and second level of their arguments.
type store struct {
	terms *terms
	log   []term // all facts, in the order of insertion
	has   []bool // by term
	index map[path][]term
	bytes int64 // of memory, about
}

// pathBytes is the memory of a path with a fact or two, about.
const pathBytes = 60

// path names the facts of a relation that have, as argument i, or as argument j
// of argument i, the term t; with i < 0, all facts of the relation.
type path struct {
	relation functor
	i, j     int8
	t        term
}

const (
	whole   = -1       // no argument, or the argument itself
	maxPath = 1<<7 - 1 // arguments past this one are not indexed
)

func newStore(t *terms) *store {
	return &store{terms: t, index: make(map[path][]term)}
}

// insert adds a fact and tells whether it is new.
func (s *store) insert(fact term) bool {
	if s.holds(fact) {
		return false
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
	return true
}

// holds tells whether a fact is in the store.
func (s *store) holds(fact term) bool { return int(fact) < len(s.has) && s.has[fact] }

// only lists one fact if it is in the store.
func (s *store) only(fact term) []term {
	if !s.holds(fact) {
		return nil
	}
	return []term{fact}
}

// truncate removes all facts but the n oldest.
func (s *store) truncate(n int) {
	for len(s.log) > n {
		fact := s.log[len(s.log)-1]
		s.log = s.log[:len(s.log)-1]
		s.has[fact] = false
		s.paths(fact, func(p path) {
			list := s.index[p]
			s.index[p] = list[:len(list)-1]
		})
	}
}

// paths visits the paths by which a fact is found.
func (s *store) paths(fact term, visit func(path)) {
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

// facts lists all facts of a relation.
func (s *store) facts(relation functor) []term {
	return s.index[path{relation, whole, whole, 0}]
}

// candidates lists facts among which are all that match the atom p.
func (s *store) candidates(p *pattern, binding []term) []term {
	best := s.facts(p.functor)
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
