package oracle

import (
	"slices"
	"strings"

	"stackmate/gdl"
)

// ground is the number of a ground term.
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

// texts returns the texts of terms, in order.
func (t *terms) texts(list []ground) (texts []string) {
	for _, g := range list {
		texts = append(texts, t.nodes[g].text)
	}
	slices.Sort(texts)
	return texts
}

// binding is a list of variables, each with its ground term.
type binding struct {
	variable string
	term     ground
	rest     *binding
}

// find returns the term of a variable, if the binding has one.
func (b *binding) find(variable string) (term ground, bound bool) {
	for ; b != nil; b = b.rest {
		if b.variable == variable {
			return b.term, true
		}
	}
	return 0, false
}

// match extends b so that p equals g, and reports whether that is possible.
func (t *terms) match(p *gdl.Term, g ground, b *binding) (extended *binding, ok bool) {
	if p.Kind == gdl.Variable {
		if term, bound := b.find(p.Name); bound {
			return b, term == g
		}
		return &binding{p.Name, g, b}, true
	}
	n := t.nodes[g]
	ok = n.name == p.Name && len(n.args) == len(p.Args)
	for i := 0; ok && i < len(p.Args); i++ {
		b, ok = t.match(&p.Args[i], n.args[i], b)
	}
	return b, ok
}

// instance returns p with its variables replaced. It panics at an unbound variable: safe rules have none.
func (t *terms) instance(p *gdl.Term, b *binding) ground {
	if p.Kind == gdl.Variable {
		term, bound := b.find(p.Name)
		if !bound {
			panic("oracle: unbound variable " + p.Name)
		}
		return term
	}
	var args []ground
	for i := range p.Args {
		args = append(args, t.instance(&p.Args[i], b))
	}
	return t.intern(p.Name, args...)
}

// relation identifies a relation: relations with different numbers of arguments differ.
type relation struct {
	name  string
	arity int
}

func relationOf(atom *gdl.Term) relation { return relation{atom.Name, len(atom.Args)} }

// facts are ground atoms by relation, on top of the facts below.
type facts struct {
	below *facts
	list  map[relation][]ground
	has   map[ground]bool
}

func newFacts(below *facts) *facts {
	return &facts{below, make(map[relation][]ground), make(map[ground]bool)}
}

// holds reports whether an atom is among the facts.
func (f *facts) holds(atom ground) bool { return f != nil && (f.has[atom] || f.below.holds(atom)) }

// add adds an atom and reports whether it is new.
func (r *rules) add(f *facts, atom ground) bool {
	if f.holds(atom) {
		return false
	}
	of := relation{r.nodes[atom].name, len(r.nodes[atom].args)}
	f.has[atom], f.list[of] = true, append(f.list[of], atom)
	return true
}

// last returns the last arguments of the facts of a relation whose other arguments are given.
func (r *rules) last(f *facts, name string, given ...ground) (list []ground) {
	for layer := f; layer != nil; layer = layer.below {
		for _, atom := range layer.list[relation{name, len(given) + 1}] {
			if args := r.nodes[atom].args; slices.Equal(args[:len(given)], given) {
				list = append(list, args[len(given)])
			}
		}
	}
	return list
}

// rules is a rulesheet: its clauses by stage and stratum.
type rules struct {
	terms
	stages [3][][]*gdl.Clause // the clauses that need no position, a position, a joint move as well
	fixed  *facts             // the facts that hold in all positions
}

// read orders the clauses of a syntax tree and evaluates the ones that need no position.
func read(tree *gdl.File) *rules {
	r := &rules{terms: terms{number: make(map[string]ground)}}
	stage, stratum := map[relation]int{{"true", 1}: 1, {"does", 2}: 2}, make(map[relation]int)
	for changed := true; changed; {
		changed = false
		for _, c := range tree.Clauses {
			head := relationOf(&c.Head)
			eachRelation(c.Body, 0, func(of relation, negated int) {
				if stage[of] > stage[head] || stratum[of]+negated > stratum[head] {
					stage[head], stratum[head], changed = max(stage[of], stage[head]), max(stratum[of]+negated, stratum[head]), true
				}
				if stratum[of] > len(tree.Clauses) {
					panic("oracle: a relation depends on its own negation")
				}
			})
		}
	}
	for _, c := range tree.Clauses {
		s, level := &r.stages[stage[relationOf(&c.Head)]], stratum[relationOf(&c.Head)]
		for len(*s) <= level {
			*s = append(*s, nil)
		}
		(*s)[level] = append((*s)[level], c)
	}
	r.fixed = r.evaluate(0, newFacts(nil))
	return r
}

// order puts atoms, which bind variables, before disjunctions and conjunctions, and these before tests, all of whose
// variables are bound then.
var order = map[gdl.Connective]int{gdl.Disjunction: 1, gdl.Conjunction: 1, gdl.Negation: 2, gdl.Differ: 2}

// eachRelation orders a conjunction, and calls f with every relation that it depends on; negated is 1 under a negation.
func eachRelation(list []gdl.Formula, negated int, f func(of relation, negated int)) {
	slices.SortStableFunc(list, func(a, b gdl.Formula) int { return order[a.Connective] - order[b.Connective] })
	for i := range list {
		if list[i].Connective == gdl.Atomic {
			f(relationOf(&list[i].Atom), negated)
		}
		below := negated
		if list[i].Connective == gdl.Negation {
			below = 1
		}
		eachRelation(list[i].Subs, below, f)
	}
}

// evaluate adds to f all heads of the clauses of a stage that follow, stratum by stratum up to the fixpoint.
func (r *rules) evaluate(stage int, f *facts) *facts {
	for _, stratum := range r.stages[stage] {
		for changed := true; changed; {
			changed = false
			for _, c := range stratum {
				r.solve(c.Body, nil, f, func(b *binding) bool {
					changed = r.add(f, r.instance(&c.Head, b)) || changed
					return true
				})
			}
		}
	}
	return f
}

// solve calls found with every binding under which all conditions hold, until it returns false. It reports whether
// found always returned true.
func (r *rules) solve(list []gdl.Formula, b *binding, f *facts, found func(*binding) bool) bool {
	if len(list) == 0 {
		return found(b)
	}
	c, rest := &list[0], list[1:]
	switch c.Connective {
	case gdl.Atomic:
		for layer := f; layer != nil; layer = layer.below {
			for _, atom := range layer.list[relationOf(&c.Atom)] {
				if next, ok := r.match(&c.Atom, atom, b); ok && !r.solve(rest, next, f, found) {
					return false
				}
			}
		}
	case gdl.Differ:
		return r.instance(&c.Args[0], b) == r.instance(&c.Args[1], b) || r.solve(rest, b, f, found)
	case gdl.Negation:
		return !r.solve(c.Subs, b, f, func(*binding) bool { return false }) || r.solve(rest, b, f, found)
	case gdl.Conjunction:
		return r.solve(slices.Concat(c.Subs, rest), b, f, found)
	case gdl.Disjunction:
		for i := range c.Subs {
			if !r.solve(slices.Concat(c.Subs[i:i+1], rest), b, f, found) {
				return false
			}
		}
	}
	return true
}
