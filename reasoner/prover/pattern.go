package prover

import "stackmate/gdl"

// pattern is a term or an atom of a rule. Its variables are slots of a binding, which holds a term for each slot, or
// unbound.
type pattern struct {
	slot    int  // of a variable, otherwise -1
	ground  term // the term if the pattern has no variables, otherwise unbound
	functor functor
	args    []pattern
}

// unbound is the value of a slot without a term.
const unbound term = -1

func newBinding(slots int) []term {
	b := make([]term, slots)
	for i := range b {
		b[i] = unbound
	}
	return b
}

// pattern returns the pattern of a term of a rule; slots numbers its variables.
func (t *terms) pattern(g gdl.Term, slots map[string]int) pattern {
	if g.Kind == gdl.Variable {
		s, ok := slots[g.Name]
		if !ok {
			s = len(slots)
			slots[g.Name] = s
		}
		return pattern{slot: s, ground: unbound}
	}
	p := pattern{slot: -1, ground: unbound, functor: t.functor(g.Name, len(g.Args))}
	isGround := true
	for _, a := range g.Args {
		p.args = append(p.args, t.pattern(a, slots))
		isGround = isGround && p.args[len(p.args)-1].ground != unbound
	}
	if isGround {
		p.ground = t.ground(g)
	}
	return p
}

// variables appends the slots that occur in p.
func (p *pattern) variables(dst []int) []int {
	if p.slot >= 0 {
		return append(dst, p.slot)
	}
	for i := range p.args {
		dst = p.args[i].variables(dst)
	}
	return dst
}

// instance returns p under a binding: a ground term, or a query with the wildcard for each unbound variable.
func (t *terms) instance(p *pattern, binding []term) term {
	switch {
	case p.ground != unbound:
		return p.ground
	case p.slot >= 0 && binding[p.slot] == unbound:
		return wildcard
	case p.slot >= 0:
		return binding[p.slot]
	}
	var buffer [8]term
	args := buffer[:0]
	for i := range p.args {
		args = append(args, t.instance(&p.args[i], binding))
	}
	return t.term(p.functor, args...)
}

// match extends binding so that p equals the ground term n, and appends the newly bound slots to trail. The caller
// must unbind them, even if match fails.
func (t *terms) match(p *pattern, n term, binding []term, trail []int) ([]int, bool) {
	switch {
	case p.slot >= 0 && binding[p.slot] == unbound:
		binding[p.slot] = n
		return append(trail, p.slot), true
	case p.slot >= 0:
		return trail, binding[p.slot] == n
	case p.ground != unbound:
		return trail, p.ground == n
	case t.heads[n] != p.functor:
		return trail, false
	}
	for i := range p.args {
		var ok bool
		if trail, ok = t.match(&p.args[i], t.arguments[n][i], binding, trail); !ok {
			return trail, false
		}
	}
	return trail, true
}

// bindHead binds the variables of a head to the known arguments of a query. It reports whether an instance of the
// head may answer the query.
func (t *terms) bindHead(head *pattern, query term, binding []term) bool {
	switch {
	case query == wildcard:
		return true
	case !t.hasWildcard[query]:
		_, ok := t.match(head, query, binding, nil)
		return ok
	case head.slot >= 0:
		return true // answers compares the instances later
	case t.heads[query] != head.functor:
		return false
	}
	for i := range head.args {
		if !t.bindHead(&head.args[i], t.arguments[query][i], binding) {
			return false
		}
	}
	return true
}

// answers reports whether a fact answers a query.
func (t *terms) answers(query, fact term) bool {
	if query == fact || query == wildcard {
		return true
	}
	if !t.hasWildcard[query] || t.heads[query] != t.heads[fact] {
		return false
	}
	for i, a := range t.arguments[query] {
		if !t.answers(a, t.arguments[fact][i]) {
			return false
		}
	}
	return true
}
