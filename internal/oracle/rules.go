package oracle

import (
	"strconv"
	"strings"

	"stackmate/gdl"
)

// ground is the number of a ground term; 0 is no term.
type ground int32

// terms numbers ground terms. Equal terms have equal texts and equal numbers.
type terms struct {
	number map[string]ground
	nodes  []node
}

// node is a ground term: a functor with arguments, or a symbol without.
type node struct {
	text, name string
	args       []ground
}

// intern returns the number of a ground term.
func (t *terms) intern(name string, args ...ground) ground {
	text := name
	if len(args) > 0 {
		texts := []string{name}
		for _, a := range args {
			texts = append(texts, t.nodes[a].text)
		}
		text = "(" + strings.Join(texts, " ") + ")"
	}
	if _, known := t.number[text]; !known {
		t.number[text] = ground(len(t.nodes))
		t.nodes = append(t.nodes, node{text, name, args})
	}
	return t.number[text]
}

// pattern is a term of a rule, whose variables are numbered from 1; 0 stands for a symbol or a functor.
type pattern struct {
	variable int
	name     string
	args     []pattern
}

// binding holds the term bound to each variable of a rule, 0 for none.
type binding [24]ground

// match binds the variables of p so that it equals g, and reports whether that is possible.
func (t *terms) match(p *pattern, g ground, b *binding) bool {
	if p.variable > 0 {
		if b[p.variable] == 0 {
			b[p.variable] = g
		}
		return b[p.variable] == g
	}
	n := t.nodes[g]
	same := n.name == p.name && len(n.args) == len(p.args)
	for i := 0; same && i < len(p.args); i++ {
		same = t.match(&p.args[i], n.args[i], b)
	}
	return same
}

// instance returns p with its variables replaced. It panics at an unbound variable: safe rules have none.
func (t *terms) instance(p *pattern, b *binding) ground {
	if p.variable > 0 {
		if b[p.variable] == 0 {
			panic("oracle: unbound variable " + p.name)
		}
		return b[p.variable]
	}
	var args []ground
	for i := range p.args {
		args = append(args, t.instance(&p.args[i], b))
	}
	return t.intern(p.name, args...)
}

// facts are ground atoms by relation, on top of the facts below.
type facts struct {
	below *facts
	list  map[string][]ground
	has   map[ground]bool
}

func newFacts(below *facts) *facts {
	return &facts{below, make(map[string][]ground), make(map[ground]bool)}
}

// relation returns the key of a relation: relations with different numbers of arguments differ.
func relation(name string, arguments int) string { return name + "/" + strconv.Itoa(arguments) }

// add adds an atom and reports whether it is new.
func (f *facts) add(t *terms, atom ground) bool {
	for layer := f; layer != nil; layer = layer.below {
		if layer.has[atom] {
			return false
		}
	}
	key := relation(t.nodes[atom].name, len(t.nodes[atom].args))
	f.has[atom], f.list[key] = true, append(f.list[key], atom)
	return true
}

// arguments returns the arguments of all facts of a relation.
func (f *facts) arguments(t *terms, key string) (list [][]ground) {
	for layer := f; layer != nil; layer = layer.below {
		for _, atom := range layer.list[key] {
			list = append(list, t.nodes[atom].args)
		}
	}
	return list
}

// condition is a formula of a body: the atom of an Atomic one, both terms of Differ, the parts of the others.
type condition struct {
	kind gdl.Connective
	key  string // the relation of the atom
	args []pattern
	subs []condition
}

// rule is a clause: the head holds if all conditions do.
type rule struct {
	head pattern
	key  string // the relation of the head
	body []condition
}

// compiler numbers the variables of one clause.
type compiler map[string]int

func (c compiler) term(t gdl.Term) pattern {
	p := pattern{name: t.Name}
	if t.Kind == gdl.Variable {
		if c[t.Name] == 0 {
			c[t.Name] = len(c) + 1
		}
		p.variable = c[t.Name]
	}
	for _, a := range t.Args {
		p.args = append(p.args, c.term(a))
	}
	return p
}

// conditions compiles a conjunction: first the atoms, which bind variables, then disjunctions and conjunctions, at last
// the tests, all of whose variables are bound then.
func (c compiler) conditions(list []gdl.Formula) []condition {
	var atoms, parts, tests []condition
	for _, f := range list {
		d := condition{kind: f.Connective, subs: c.conditions(f.Subs)}
		switch f.Connective {
		case gdl.Atomic:
			d.key, d.args = relation(f.Atom.Name, len(f.Atom.Args)), []pattern{c.term(f.Atom)}
			atoms = append(atoms, d)
		case gdl.Differ:
			d.args = []pattern{c.term(f.Args[0]), c.term(f.Args[1])}
			tests = append(tests, d)
		case gdl.Negation:
			tests = append(tests, d)
		default:
			parts = append(parts, d)
		}
	}
	return append(append(atoms, parts...), tests...)
}

// rules is a rulesheet: its rules in the order of their evaluation, by stage and stratum.
type rules struct {
	terms
	stages [3][][]rule // the rules that need no position, a position, a joint move as well
	fixed  *facts      // the facts that hold in all positions
}

// read compiles a syntax tree and evaluates the rules that need no position.
func read(tree *gdl.File) *rules {
	r := &rules{terms: terms{number: make(map[string]ground), nodes: make([]node, 1)}}
	var all []rule
	for _, clause := range tree.Clauses {
		c := make(compiler)
		head := c.term(clause.Head)
		all = append(all, rule{head, relation(head.name, len(head.args)), c.conditions(clause.Body)})
	}
	stage, stratum := map[string]int{"true/1": 1, "does/2": 2}, make(map[string]int)
	for changed := true; changed; {
		changed = false
		for _, x := range all {
			each(x.body, 0, func(key string, negated int) {
				if stage[key] > stage[x.key] || stratum[key]+negated > stratum[x.key] {
					stage[x.key], stratum[x.key] = max(stage[key], stage[x.key]), max(stratum[key]+negated, stratum[x.key])
					changed = true
				}
				if stratum[key] > len(all) {
					panic("oracle: a relation depends on its own negation")
				}
			})
		}
	}
	for _, x := range all {
		s := &r.stages[stage[x.key]]
		for len(*s) <= stratum[x.key] {
			*s = append(*s, nil)
		}
		(*s)[stratum[x.key]] = append((*s)[stratum[x.key]], x)
	}
	r.fixed = r.evaluate(0, newFacts(nil))
	return r
}

// each calls visit with every relation that conditions depend on; negated is 1 under a negation.
func each(list []condition, negated int, visit func(key string, negated int)) {
	for _, c := range list {
		if c.kind == gdl.Atomic {
			visit(c.key, negated)
		}
		below := negated
		if c.kind == gdl.Negation {
			below = 1
		}
		each(c.subs, below, visit)
	}
}

// evaluate adds to f all heads of the rules of a stage that follow, stratum by stratum up to the fixpoint.
func (r *rules) evaluate(stage int, f *facts) *facts {
	for _, stratum := range r.stages[stage] {
		for changed := true; changed; {
			changed = false
			for i := range stratum {
				r.solve(stratum[i].body, binding{}, f, func(b binding) bool {
					changed = f.add(&r.terms, r.instance(&stratum[i].head, &b)) || changed
					return true
				})
			}
		}
	}
	return f
}

// solve calls found with every binding under which all conditions hold, until it returns false. It reports whether
// found always returned true.
func (r *rules) solve(list []condition, b binding, f *facts, found func(binding) bool) bool {
	if len(list) == 0 {
		return found(b)
	}
	c, rest := &list[0], list[1:]
	switch c.kind {
	case gdl.Atomic:
		for layer := f; layer != nil; layer = layer.below {
			for _, atom := range layer.list[c.key] {
				if next := b; r.match(&c.args[0], atom, &next) && !r.solve(rest, next, f, found) {
					return false
				}
			}
		}
	case gdl.Differ:
		return r.instance(&c.args[0], &b) == r.instance(&c.args[1], &b) || r.solve(rest, b, f, found)
	case gdl.Negation:
		return !r.solve(c.subs, b, f, func(binding) bool { return false }) || r.solve(rest, b, f, found)
	case gdl.Conjunction:
		return r.solve(append(c.subs[:len(c.subs):len(c.subs)], rest...), b, f, found)
	case gdl.Disjunction:
		for i := range c.subs {
			if !r.solve(append(c.subs[i:i+1:i+1], rest...), b, f, found) {
				return false
			}
		}
	}
	return true
}
