package gdl

// checker finds all that is wrong with or odd about clauses. Clauses that are
// malformed count as definitions, and are not looked into.
type checker struct {
	watch   *watch
	found   *findings
	file    string
	infix   bool
	clauses []*clause
	sound   []*clause // the clauses that are not malformed
	// stratified are the sound clauses after stratify.
	stratified []*clause
}

// check does all checks; whole tells that no clause has been left out.
func (c *checker) check(whole bool) {
	if whole {
		c.presence()
	}
	for _, cl := range c.clauses {
		c.watch.step()
		if !cl.malformed {
			c.sound = append(c.sound, cl)
			c.fact(cl)
			c.body(cl)
			c.safety(cl)
		}
	}
	c.dependencies()
	c.warnings()
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

// fact asks that facts are ground, that roles are facts, and that all is known
// to all roles.
func (c *checker) fact(cl *clause) {
	switch cl.head.Name {
	case "role":
		if len(cl.body) > 0 {
			c.found.add("E014", cl.head.Pos, cl.head.excerpt(),
				"expected roles as facts, found `role` as the head of a rule with a body")
		}
	case "sees", "percept":
		c.found.add("E030", cl.head.Pos, cl.head.excerpt(),
			"imperfect information is not supported, found a rule for `"+cl.head.Name+"`")
	}
	if len(cl.body) > 0 {
		return
	}
	for _, v := range cl.head.variables(nil) {
		c.found.add("E018", v.Pos, v.Name, "expected a ground fact, found the variable "+v.Name)
	}
}

// body asks that no rule asks for what is meant for whoever runs the game.
func (c *checker) body(cl *clause) {
	for _, f := range cl.body {
		f.atoms(false, func(atom Term, _ bool) {
			switch atom.Name {
			case "init", "next", "base", "input", "sees", "percept":
				c.found.add("E015", atom.Pos, atom.excerpt(),
					"expected a relation that rules may ask for, found `"+atom.Name+"` in a body")
			}
		})
	}
}

// atoms visits the atoms of f with their polarity.
func (f formula) atoms(negated bool, visit func(atom Term, negated bool)) {
	switch f.connective {
	case atomic:
		visit(f.atom, negated)
	case negation:
		f.subs[0].atoms(!negated, visit)
	case anyOf, allOf:
		for _, g := range f.subs {
			g.atoms(negated, visit)
		}
	}
}
