package prover

// A question is an atom in which anything stands for what is not known.

// question is the atom as far as the binding knows it, with anything for the rest.
func (t *terms) question(p *pattern, binding []term) term {
	if p.ground != unbound {
		return p.ground
	}
	if p.slot >= 0 {
		if binding[p.slot] == unbound {
			return anything
		}
		return binding[p.slot]
	}
	var buffer [8]term
	args := buffer[:0]
	for i := range p.args {
		args = append(args, t.question(&p.args[i], binding))
	}
	return t.make(p.functor, args...)
}

// adopt binds the variables of a head to what a question knows of them. It tells
// whether an instance of the head may answer the question.
func (t *terms) adopt(p *pattern, question term, binding []term) bool {
	switch {
	case question == anything:
		return true
	case !t.open[question]:
		_, ok := t.match(p, question, binding, nil)
		return ok
	case p.slot >= 0:
		return true // known in part: the instances are compared
	case t.heads[question] != p.functor:
		return false
	}
	for i := range p.args {
		if !t.adopt(&p.args[i], t.arguments[question][i], binding) {
			return false
		}
	}
	return true
}

// covers tells whether a fact answers a question.
func (t *terms) covers(question, fact term) bool {
	if question == fact || question == anything {
		return true
	}
	if !t.open[question] || t.heads[question] != t.heads[fact] {
		return false
	}
	for i, a := range t.arguments[question] {
		if !t.covers(a, t.arguments[fact][i]) {
			return false
		}
	}
	return true
}
