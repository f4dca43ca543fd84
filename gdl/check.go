package gdl

import "stackmate/internal/guard"

// checker checks clauses for errors and warnings. Malformed clauses count as definitions and are not checked further.
type checker struct {
	watch    *guard.Watch
	findings *findings
	file     string
	infix    bool
	clauses  []*Clause
	sound    []*Clause // the clauses that are not malformed
	leftOut  []*Clause // rules of perception

	percepts []percept // of a game with perception rules but without hidden moves
	// stratified: the sound clauses after stratify.
	stratified []*Clause
	// fluentShapes and moveShapes are the functions of the fluents and moves that the rules define.
	fluentShapes, moveShapes shapes
}

// check runs all checks; whole: no clause has been left out.
func (c *checker) check(whole bool) {
	if whole {
		c.presence()
	}
	c.perception()
	c.soundness()
	c.warnings()
}

// soundness checks each clause, and the dependencies between clauses.
func (c *checker) soundness() {
	for _, cl := range c.clauses {
		c.watch.Step()
		if !cl.malformed {
			c.sound = append(c.sound, cl)
			c.fact(cl)
			c.body(cl)
			c.safety(cl)
		}
	}
	c.dependencies()
}

// presence reports missing relations that every game needs.
func (c *checker) presence() {
	defined := make(map[string]bool)
	for _, cl := range c.clauses {
		defined[cl.Head.Name] = true
	}
	for _, need := range []struct{ code, name string }{
		{"E020", "role"}, {"E021", "terminal"}, {"E022", "goal"}, {"E023", "legal"},
	} {
		if !defined[need.name] {
			c.findings.add(need.code, Pos{File: c.file}, "", "expected at least one rule for `"+need.name+"`, found none")
		}
	}
}

// fact reports variables in facts, and roles defined by rules.
func (c *checker) fact(cl *Clause) {
	if cl.Head.Name == "role" && len(cl.Body) > 0 {
		c.findings.add("E014", cl.Head.Pos, cl.Head.excerpt(),
			"expected roles as facts, found `role` as the head of a rule with a body")
	}
	if len(cl.Body) > 0 {
		return
	}
	for _, v := range cl.Head.variables(nil) {
		c.findings.add("E018", v.Pos, v.Name, "expected a ground fact, found the variable "+v.Name)
	}
}

// body reports conditions on init, next, base, input, sees and percept: the rules of a game must not read these
// relations.
func (c *checker) body(cl *Clause) {
	for _, f := range cl.Body {
		f.atoms(false, func(atom Term, _ bool) {
			switch atom.Name {
			case "init", "next", "base", "input", "sees", "percept":
				c.findings.add("E015", atom.Pos, atom.excerpt(),
					"expected a relation that rules may ask for, found `"+atom.Name+"` in a body")
			}
		})
	}
}

// atoms calls visit for each atom of f with its polarity.
func (f Formula) atoms(negated bool, visit func(atom Term, negated bool)) {
	switch f.Connective {
	case Atomic:
		visit(f.Atom, negated)
	case Negation:
		f.Subs[0].atoms(!negated, visit)
	case Disjunction, Conjunction:
		for _, g := range f.Subs {
			g.atoms(negated, visit)
		}
	}
}
