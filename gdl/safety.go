package gdl

// safety asks that each variable of the head and of every test is bound by a
// positive condition.
func (c *checker) safety(cl *clause) {
	if len(cl.body) == 0 {
		return
	}
	bound := make(set)
	for _, f := range cl.body {
		bound.add(f.binds())
	}
	for _, v := range cl.head.variables(nil) {
		if !bound[v.Name] {
			c.unsafe(v, "the head")
		}
	}
	for _, f := range cl.body {
		c.tests(f, bound)
	}
}

func (c *checker) unsafe(v Term, where string) {
	if v.Name == "?" {
		return // reported as a variable without a name
	}
	c.found.add("E019", v.Pos, v.Name, "expected a positive condition that binds "+v.Name+" of "+where+", found none")
}

// tests asks that bound, with what branches bind themselves, covers all that the
// tests in f use.
func (c *checker) tests(f formula, bound set) {
	where := "`distinct`"
	switch f.connective {
	case atomic:
		return
	case negation:
		where = "`not`"
	case anyOf:
		for _, g := range f.subs {
			inner := g.binds()
			inner.add(bound)
			c.tests(g, inner)
		}
		return
	case allOf:
		for _, g := range f.subs {
			c.tests(g, bound)
		}
		return
	}
	for _, v := range f.variables(nil) {
		if !bound[v.Name] {
			c.unsafe(v, where)
		}
	}
}

// set is a set of names or of terms as text.
type set map[string]bool

func (s set) add(t set) {
	for x := range t {
		s[x] = true
	}
}

// binds is the set of variables that f binds whenever it holds.
func (f formula) binds() set {
	return f.guarantees(func(atom Term, out set) {
		for _, v := range atom.variables(nil) {
			out[v.Name] = true
		}
	})
}

// guarantees is what the positive atoms of f offer, whichever branches hold: the
// union over conjunctions and the intersection over disjunctions.
func (f formula) guarantees(offer func(atom Term, out set)) set {
	out := make(set)
	switch f.connective {
	case atomic:
		offer(f.atom, out)
	case allOf:
		for _, g := range f.subs {
			out.add(g.guarantees(offer))
		}
	case anyOf:
		for i, g := range f.subs {
			branch := g.guarantees(offer)
			if i == 0 {
				out = branch
			}
			for x := range out {
				if !branch[x] {
					delete(out, x)
				}
			}
		}
	}
	return out
}
