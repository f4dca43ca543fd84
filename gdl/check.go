package gdl

// check finds the faults of clauses that are well-formed each for itself.
func check(file string, clauses []clause) Diagnostics {
	c := checker{file: file, clauses: clauses}
	c.presence()
	for i := range clauses {
		if !clauses[i].malformed {
			c.fact(&clauses[i])
			c.safety(&clauses[i])
		}
	}
	return c.found
}

// checker holds what the checks share.
type checker struct {
	file    string
	clauses []clause
	found   Diagnostics
}

// presence asks for the relations that every game needs.
func (c *checker) presence() {
	defined := make(map[string]bool)
	for _, cl := range c.clauses {
		defined[cl.head.Name] = true
	}
	for _, need := range []struct{ code, name string }{
		{"E020", "role"}, {"E021", "terminal"}, {"E022", "goal"}, {"E023", "legal"},
	} {
		if !defined[need.name] {
			c.found.add(need.code, Pos{File: c.file}, "", "expected at least one rule for `"+need.name+"`, found none")
		}
	}
}

// fact asks that facts are ground and that roles are facts.
func (c *checker) fact(cl *clause) {
	if cl.head.Name == "role" && len(cl.body) > 0 {
		c.found.add("E014", cl.head.Pos, cl.head.String(), "`role` cannot be the head of a rule: roles are facts")
	}
	if len(cl.body) > 0 {
		return
	}
	for _, v := range cl.head.variables(nil) {
		c.found.add("E018", v.Pos, v.Name, "expected a ground fact, found the variable "+v.Name)
	}
}

// safety asks that each variable of the head and of every test is bound by a
// positive literal.
func (c *checker) safety(cl *clause) {
	if len(cl.body) == 0 {
		return
	}
	bound := make(map[string]bool)
	for _, f := range cl.body {
		for v := range f.binds() {
			bound[v] = true
		}
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
	c.found.add("E019", v.Pos, v.Name, "expected a positive literal that binds "+v.Name+" of "+where+", found none")
}

// tests asks that bound, or the surrounding conjunction inside f, binds all that
// the tests in f use.
func (c *checker) tests(f formula, bound map[string]bool) {
	where := "`distinct`"
	switch f.connective {
	case atomic:
		return
	case negation:
		where = "`not`"
	case anyOf:
		for _, g := range f.subs {
			c.tests(g, union(bound, g.binds()))
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

// binds is the set of variables that f binds whenever it holds.
func (f formula) binds() map[string]bool {
	out := make(map[string]bool)
	switch f.connective {
	case atomic:
		for _, v := range f.atom.variables(nil) {
			out[v.Name] = true
		}
	case allOf:
		for _, g := range f.subs {
			out = union(out, g.binds())
		}
	case anyOf:
		for i, g := range f.subs {
			if i == 0 {
				out = g.binds()
				continue
			}
			other := g.binds()
			for v := range out {
				if !other[v] {
					delete(out, v)
				}
			}
		}
	}
	return out
}

func union(a, b map[string]bool) map[string]bool {
	out := make(map[string]bool, len(a)+len(b))
	for v := range a {
		out[v] = true
	}
	for v := range b {
		out[v] = true
	}
	return out
}
