package datalog

import (
	"maps"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
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
// and rules about different fluents become independent. Assumption:
// shapes[pos] contains the shape of every term that can appear at pos, which
// holds because the inference follows every rule to a fixpoint.
const noFunctor = -1

// argPlace is an argument of a relation or of a function.
type argPlace struct {
	key      functorKey
	function bool
	index    int
}

// shapes maps each argument to the shapes that terms have there.
type shapes struct {
	terms   *termTable
	at      map[argPlace]map[int32]bool
	readers map[argPlace][]int // the rules whose variables an argument narrows
	changed []argPlace         // since the last rule
}

// inferShapes follows the shapes of terms through the rules to a fixpoint. A
// rule is applied again when an argument that it reads gets new shapes.
func inferShapes(w *guard.Watch, t *termTable, rules []*rule) *shapes {
	s := &shapes{terms: t, at: make(map[argPlace]map[int32]bool), readers: make(map[argPlace][]int)}
	queued := make([]bool, len(rules))
	todo := make([]int, 0, len(rules))
	enter := func(i int) {
		if !queued[i] {
			queued[i] = true
			todo = append(todo, i)
		}
	}
	for i := range rules {
		for _, l := range rules[i].body {
			if l.op == gdl.Holds {
				s.read(i, l.atom.rel.functor(), false, l.atom.args)
			}
		}
		enter(i)
	}
	for len(todo) > 0 {
		w.Step()
		i := todo[0]
		todo = todo[1:]
		queued[i] = false
		r := rules[i]
		vars := s.ofVariables(r)
		s.addArgs(r.head.rel.functor(), false, r.head.args, vars)
		if target, ok := readAs(r.head.rel.functor()); ok {
			s.addArgs(target, false, r.head.args, vars)
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

// read records that rule i reads the shapes of arguments.
func (s *shapes) read(i int, key functorKey, function bool, args []arg) {
	for k, a := range args {
		p := argPlace{key, function, k}
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

// readAs returns the relation that carries a head to the next step: true for init and next, does for legal.
func readAs(k functorKey) (functorKey, bool) {
	switch k {
	case functorKey{"init", 1}, functorKey{"next", 1}:
		return functorKey{"true", 1}, true
	case functorKey{"legal", 2}:
		return functorKey{"does", 2}, true
	}
	return functorKey{}, false
}

// ofVariables returns, for each variable of r, the shapes that its arguments in positive conditions have in
// common; nil for variables without such an argument.
func (s *shapes) ofVariables(r *rule) []map[int32]bool {
	vars := make([]map[int32]bool, r.vars)
	for _, l := range r.body {
		if l.op == gdl.Holds {
			for i, a := range l.atom.args {
				s.narrow(vars, argPlace{l.atom.rel.functor(), false, i}, a)
			}
		}
	}
	return vars
}

func (s *shapes) narrow(vars []map[int32]bool, p argPlace, a arg) {
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
			s.narrow(vars, argPlace{s.terms.names[a.id], true, i}, sub)
		}
	}
}

// functor returns the name and arity of an unflattened relation.
func (r *relation) functor() functorKey { return functorKey{r.name.name, r.arity} }

func (s *shapes) addArgs(of functorKey, function bool, args []arg, vars []map[int32]bool) {
	for i, a := range args {
		s.add(argPlace{of, function, i}, a, vars)
	}
}

// add records that the values of a appear at p.
func (s *shapes) add(p argPlace, a arg, vars []map[int32]bool) {
	switch a.kind {
	case constant:
		s.addTerm(p, a.id)
		return
	case variable:
		for shape := range vars[a.id] {
			s.addShape(p, shape)
		}
		return
	}
	s.addShape(p, a.id)
	s.addArgs(s.terms.names[a.id], true, a.args, vars)
}

func (s *shapes) addTerm(p argPlace, id term) {
	functor := s.terms.functorOf(id)
	if functor < 0 {
		s.addShape(p, noFunctor)
		return
	}
	s.addShape(p, functor)
	for i, sub := range s.terms.argsOf(id) {
		s.addTerm(argPlace{s.terms.names[functor], true, i}, sub)
	}
}

func (s *shapes) addShape(p argPlace, shape int32) {
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

// hasCompounds reports whether function terms occur at p.
func (s *shapes) hasCompounds(p argPlace) bool {
	return len(s.at[p]) > 1 || len(s.at[p]) == 1 && !s.at[p][noFunctor]
}

// flatten adds the rules to the theory, one for each choice of shapes of
// the variables in arguments with function terms.
func (s *shapes) flatten(th *theory, rules []*rule) {
	for _, r := range rules {
		f := flattening{theory: th, original: r, substitution: th.terms.identity(r.vars), vars: r.vars}
		needs, binds := s.needShape(r), r.binds()
		for v, set := range s.ofVariables(r) {
			if needs[v] {
				f.choose = append(f.choose, int32(v))
				f.options = append(f.options, slices.Sorted(maps.Keys(set)))
				if set[noFunctor] && len(set) > 1 && !binds[v] {
					f.loose = append(f.loose, int32(v))
				}
			}
		}
		f.enumerate(0)
	}
	th.addSymbols()
}

// binds returns, by variable, whether it is a direct argument of a positive literal. Such a variable is bound from
// a column of one shape; columns inside function terms hold all shapes.
func (r *rule) binds() []bool {
	binds := make([]bool, r.vars)
	for _, l := range r.body {
		if l.op != gdl.Holds {
			continue
		}
		for _, a := range l.atom.args {
			if a.kind == variable {
				binds[a.id] = true
			}
		}
	}
	return binds
}

// symbolRelation holds all symbols. No rewriting uses its number.
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

// needShape returns, by variable, whether it is an argument of a relation where function terms occur.
func (s *shapes) needShape(r *rule) []bool {
	needs := make([]bool, r.vars)
	look := func(x atom) {
		for i, a := range x.args {
			if a.kind == variable && s.hasCompounds(argPlace{x.rel.functor(), false, i}) {
				needs[a.id] = true
			}
		}
	}
	look(r.head)
	for _, l := range r.body {
		if l.atom.rel != nil {
			look(l.atom)
		}
	}
	return needs
}

// flattening is the state of flattening one rule: the replacements of its variables under the shapes chosen so
// far.
type flattening struct {
	substitution
	theory   *theory
	original *rule
	choose   []int32   // variables whose shape is chosen
	options  [][]int32 // by element of choose
	loose    []int32   // chosen variables that need a condition to be symbols only
	vars     int       // variables of the rule so far
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

// emit adds the rule for the chosen shapes.
func (f *flattening) emit() {
	r := f.rule(f.original, f.vars)
	r.head = f.atom(r.head)
	for i := range r.body {
		if r.body[i].atom.rel != nil {
			r.body[i].atom = f.atom(r.body[i].atom)
		}
	}
	for _, v := range f.loose {
		if f.to[v].kind == variable {
			r.body = append(r.body, positive(atom{f.theory.relation(symbolRelation, 1), []arg{f.to[v]}}))
		}
	}
	f.theory.add(r)
}

// atom flattens an atom.
func (f *flattening) atom(x atom) atom {
	p := predicate{name: x.rel.name.name}
	var columns []arg
	for _, a := range x.args {
		functor, args := int32(noFunctor), []arg(nil)
		if a.kind != variable {
			functor, args = f.terms.open(a)
		}
		if functor < 0 {
			functor, args = noFunctor, []arg{a}
		}
		p.shapes, columns = append(p.shapes, functor), append(columns, args...)
	}
	return atom{rel: f.theory.relation(p, len(columns)), args: columns}
}
