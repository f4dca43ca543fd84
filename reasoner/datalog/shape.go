package datalog

import (
	"maps"
	"slices"

	"stackmate/gdl"
)

// The shape of a term is its functor, or noFunctor for a symbol. Shapes are
// inferred for every argument position of every relation and function, and the
// relations are then split by the shapes of their arguments:
//
//	before  (legal ?p ?m) ← (option ?p ?m)         one column holds whole moves
//	after   legal/mark(?p, ?x, ?y) ← option/mark(?p, ?x, ?y)
//	        legal/symbol(?p, ?m)   ← option/symbol(?p, ?m)
//
// so that the arguments of fluents and moves are columns that can be indexed,
// and rules about different fluents depend on each other no more. Assumption:
// shapes[pos] contains the shape of every term that can appear at pos, which
// holds because the inference follows every rule to a fixpoint.
const noFunctor = -1

// position is an argument of a relation or of a function.
type position struct {
	key      functorKey
	function bool
	index    int
}

// shapes maps each position to the shapes that terms have there.
type shapes struct {
	terms   *termTable
	at      map[position]map[int32]bool
	readers map[position][]int // the clauses whose variables a position narrows
	changed []position         // since the last look
}

// inferShapes follows the shapes of terms through the clauses to a fixpoint. A
// clause is looked at again when shapes are added where it reads some.
func inferShapes(w *watch, t *termTable, clauses []clause) *shapes {
	s := &shapes{terms: t, at: make(map[position]map[int32]bool), readers: make(map[position][]int)}
	queued := make([]bool, len(clauses))
	todo := make([]int, 0, len(clauses))
	enter := func(i int) {
		if !queued[i] {
			queued[i] = true
			todo = append(todo, i)
		}
	}
	for i := range clauses {
		for _, k := range clauses[i].body {
			if k.op == gdl.Holds {
				s.read(i, k.sentence.relation, false, k.sentence.args)
			}
		}
		enter(i)
	}
	for len(todo) > 0 {
		w.step()
		i := todo[0]
		todo = todo[1:]
		queued[i] = false
		c := &clauses[i]
		vars := s.ofVariables(c)
		s.addSentence(c.head, vars)
		if target, ok := readAs(c.head.relation); ok {
			s.addSentence(sentence{target, c.head.args}, vars)
		}
		for _, p := range s.changed {
			for _, reader := range s.readers[p] {
				enter(reader)
			}
		}
		s.changed = s.changed[:0]
	}
	return s
}

// read notes that clause i reads the shapes of arguments.
func (s *shapes) read(i int, key functorKey, function bool, args []arg) {
	for k, a := range args {
		p := position{key, function, k}
		switch a.kind {
		case variable:
			if known := s.readers[p]; len(known) == 0 || known[len(known)-1] != i {
				s.readers[p] = append(known, i)
			}
		case compound:
			s.read(i, s.terms.names[a.id], true, a.args)
		}
	}
}

// readAs is the relation through which the rules read a head one step later.
func readAs(k functorKey) (functorKey, bool) {
	switch k {
	case functorKey{"init", 1}, functorKey{"next", 1}:
		return functorKey{"true", 1}, true
	case functorKey{"legal", 2}:
		return functorKey{"does", 2}, true
	}
	return functorKey{}, false
}

// ofVariables gives for each variable of c the shapes that all positions allow
// where it occurs in a positive condition; nil for variables that occur in none.
func (s *shapes) ofVariables(c *clause) []map[int32]bool {
	vars := make([]map[int32]bool, c.vars)
	for _, k := range c.body {
		if k.op == gdl.Holds {
			for i, a := range k.sentence.args {
				s.narrow(vars, position{k.sentence.relation, false, i}, a)
			}
		}
	}
	return vars
}

func (s *shapes) narrow(vars []map[int32]bool, p position, a arg) {
	switch a.kind {
	case variable:
		if vars[a.id] == nil {
			vars[a.id] = maps.Clone(s.at[p])
			if vars[a.id] == nil {
				vars[a.id] = make(map[int32]bool)
			}
			return
		}
		for shape := range vars[a.id] {
			if !s.at[p][shape] {
				delete(vars[a.id], shape)
			}
		}
	case compound:
		for i, sub := range a.args {
			s.narrow(vars, position{s.terms.names[a.id], true, i}, sub)
		}
	}
}

func (s *shapes) addSentence(x sentence, vars []map[int32]bool) {
	for i, a := range x.args {
		s.add(position{x.relation, false, i}, a, vars)
	}
}

// add records that the values of a appear at p.
func (s *shapes) add(p position, a arg, vars []map[int32]bool) {
	switch a.kind {
	case constant:
		s.addTerm(p, a.id)
		return
	case variable:
		for shape := range vars[a.id] {
			s.put(p, shape)
		}
		return
	}
	s.put(p, a.id)
	for i, sub := range a.args {
		s.add(position{s.terms.names[a.id], true, i}, sub, vars)
	}
}

func (s *shapes) addTerm(p position, id term) {
	functor := s.terms.functorOf(id)
	if functor < 0 {
		s.put(p, noFunctor)
		return
	}
	s.put(p, functor)
	for i, sub := range s.terms.argsOf(id) {
		s.addTerm(position{s.terms.names[functor], true, i}, sub)
	}
}

func (s *shapes) put(p position, shape int32) {
	set := s.at[p]
	if set == nil {
		set = make(map[int32]bool)
		s.at[p] = set
	}
	if !set[shape] {
		set[shape] = true
		s.changed = append(s.changed, p)
	}
}

// hasCompounds tells whether function terms appear at p.
func (s *shapes) hasCompounds(p position) bool {
	return len(s.at[p]) > 1 || len(s.at[p]) == 1 && !s.at[p][noFunctor]
}

// flatten adds the clauses to the theory, one rule for each choice of shapes of
// the variables that stand where function terms appear.
func (s *shapes) flatten(th *theory, clauses []clause) {
	for i := range clauses {
		c := &clauses[i]
		to := make([]arg, c.vars)
		for v := range to {
			to[v] = arg{kind: variable, id: int32(v)}
		}
		f := flattening{theory: th, clause: c, to: to, vars: c.vars}
		needs, binds := s.needShape(c), c.binds()
		for v, set := range s.ofVariables(c) {
			if needs[v] {
				f.choose = append(f.choose, int32(v))
				f.options = append(f.options, sortedShapes(set))
				if set[noFunctor] && len(set) > 1 && !binds[v] {
					f.loose = append(f.loose, int32(v))
				}
			}
		}
		f.enumerate(0)
	}
	th.addSymbols()
}

// binds tells which variables are arguments of a positive condition. Only then is
// a variable bound from a column that has one shape; inside a function term, a
// column holds terms of all shapes.
func (c *clause) binds() []bool {
	binds := make([]bool, c.vars)
	for _, k := range c.body {
		if k.op != gdl.Holds {
			continue
		}
		for _, a := range k.sentence.args {
			if a.kind == variable {
				binds[a.id] = true
			}
		}
	}
	return binds
}

// symbolRelation holds all symbols. Its number is that of no relation that a rewriting makes.
var symbolRelation = predicate{"a symbol", []int32{noFunctor}, -1}

// addSymbols adds the facts of symbolRelation if a rule uses it.
func (th *theory) addSymbols() {
	if th.byKey[symbolRelation.key()] == nil {
		return
	}
	rel := th.relation(symbolRelation, 1)
	for id := range int32(len(th.terms.head)) {
		if th.terms.functorOf(id) < 0 {
			th.add(&rule{head: atom{rel: rel, args: []arg{{kind: constant, id: id}}}})
		}
	}
}

func sortedShapes(set map[int32]bool) []int32 {
	list := make([]int32, 0, len(set))
	for shape := range set {
		list = append(list, shape)
	}
	slices.Sort(list)
	return list
}

// needShape tells which variables are arguments of a relation at a position where
// function terms appear.
func (s *shapes) needShape(c *clause) []bool {
	needs := make([]bool, c.vars)
	look := func(x sentence) {
		for i, a := range x.args {
			if a.kind == variable && s.hasCompounds(position{x.relation, false, i}) {
				needs[a.id] = true
			}
		}
	}
	look(c.head)
	for _, k := range c.body {
		if k.op == gdl.Holds || k.op == gdl.Not {
			look(k.sentence)
		}
	}
	return needs
}

// flattening is the work on one clause.
type flattening struct {
	theory  *theory
	clause  *clause
	choose  []int32   // variables whose shape is chosen
	options [][]int32 // by element of choose
	loose   []int32   // chosen variables that need a condition to be symbols only
	to      []arg     // by variable of the clause: what it becomes
	vars    int       // variables of the rule so far
}

func (f *flattening) enumerate(i int) {
	if i == len(f.choose) {
		f.emit()
		return
	}
	v, vars := f.choose[i], f.vars
	for _, shape := range f.options[i] {
		if shape == noFunctor {
			f.to[v] = arg{kind: variable, id: v}
		} else {
			args := make([]arg, f.theory.terms.names[shape].arity)
			for k := range args {
				args[k] = arg{kind: variable, id: int32(f.vars + k)}
			}
			f.vars += len(args)
			f.to[v] = arg{kind: compound, id: shape, args: args}
		}
		f.enumerate(i + 1)
		f.vars = vars
	}
}

// emit adds the rule of the shapes chosen.
func (f *flattening) emit() {
	r := &rule{head: f.atom(f.clause.head), vars: f.vars, source: f.clause.source}
	for _, k := range f.clause.body {
		l := literal{op: k.op}
		if k.op == gdl.Holds || k.op == gdl.Not {
			l.atom = f.atom(k.sentence)
		} else {
			l.left = k.left.substitute(f.theory.terms, f.to)
			l.right = k.right.substitute(f.theory.terms, f.to)
		}
		r.body = append(r.body, l)
	}
	for _, v := range f.loose {
		if f.to[v].kind == variable {
			symbols := atom{f.theory.relation(symbolRelation, 1), []arg{f.to[v]}}
			r.body = append(r.body, literal{op: gdl.Holds, atom: symbols})
		}
	}
	f.theory.add(r)
}

// atom flattens a sentence.
func (f *flattening) atom(x sentence) atom {
	t := f.theory.terms
	p := predicate{name: x.relation.name}
	var columns []arg
	for _, a := range x.args {
		a = a.substitute(t, f.to)
		functor := int32(noFunctor)
		switch {
		case a.kind == compound:
			functor = a.id
			columns = append(columns, a.args...)
		case a.kind == constant && t.functorOf(a.id) >= 0:
			functor = t.functorOf(a.id)
			for _, sub := range t.argsOf(a.id) {
				columns = append(columns, arg{kind: constant, id: sub})
			}
		default:
			columns = append(columns, a)
		}
		p.shapes = append(p.shapes, functor)
	}
	return atom{rel: f.theory.relation(p, len(columns)), args: columns}
}
