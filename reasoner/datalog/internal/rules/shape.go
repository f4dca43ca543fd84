package rules

import (
	"fmt"
	"maps"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
)

// NoFunctor is the shape of a symbol; the shape of another term is its functor. Shapes are
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
const NoFunctor = -1

// argPlace is an argument of a relation or of a function.
type argPlace struct {
	key      functorKey
	function bool
	index    int
}

// shapes maps each argument to the shapes that terms have there.
type shapes struct {
	terms   *TermTable
	at      map[argPlace]map[int32]bool
	readers map[argPlace][]int // the rules whose variables an argument narrows
	changed []argPlace         // since the last rule
}

// inferShapes follows the shapes of terms through the rules to a fixpoint. A
// rule is applied again when an argument that it reads gets new shapes.
func inferShapes(w *guard.Watch, t *TermTable, rules []*Rule) *shapes {
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
		for _, l := range rules[i].Body {
			if l.Op == gdl.Holds {
				s.read(i, l.Atom.Rel.functor(), false, l.Atom.Args)
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
		s.addArgs(r.Head.Rel.functor(), false, r.Head.Args, vars)
		if target, ok := readAs(r.Head.Rel.functor()); ok {
			s.addArgs(target, false, r.Head.Args, vars)
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
func (s *shapes) read(i int, key functorKey, function bool, args []Arg) {
	for k, a := range args {
		p := argPlace{key, function, k}
		switch a.Kind {
		case Variable:
			if known := s.readers[p]; len(known) == 0 || known[len(known)-1] != i {
				s.readers[p] = append(known, i)
			}
		case Compound:
			s.read(i, s.terms.names[a.Id], true, a.Args)
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
func (s *shapes) ofVariables(r *Rule) []map[int32]bool {
	vars := make([]map[int32]bool, r.Vars)
	for _, l := range r.Body {
		if l.Op == gdl.Holds {
			for i, a := range l.Atom.Args {
				s.narrow(vars, argPlace{l.Atom.Rel.functor(), false, i}, a)
			}
		}
	}
	return vars
}

func (s *shapes) narrow(vars []map[int32]bool, p argPlace, a Arg) {
	switch a.Kind {
	case Variable:
		if vars[a.Id] == nil {
			vars[a.Id] = maps.Clone(s.at[p])
			if vars[a.Id] == nil {
				vars[a.Id] = make(map[int32]bool)
			}
			return
		}
		for shape := range vars[a.Id] {
			if !s.at[p][shape] {
				delete(vars[a.Id], shape)
			}
		}
	case Compound:
		for i, sub := range a.Args {
			s.narrow(vars, argPlace{s.terms.names[a.Id], true, i}, sub)
		}
	}
}

// functor returns the name and arity of an unflattened relation.
func (r *Relation) functor() functorKey { return functorKey{r.Name, r.Arity} }

func (s *shapes) addArgs(of functorKey, function bool, args []Arg, vars []map[int32]bool) {
	for i, a := range args {
		s.add(argPlace{of, function, i}, a, vars)
	}
}

// add records that the values of a appear at p.
func (s *shapes) add(p argPlace, a Arg, vars []map[int32]bool) {
	switch a.Kind {
	case Constant:
		s.addTerm(p, a.Id)
		return
	case Variable:
		for shape := range vars[a.Id] {
			s.addShape(p, shape)
		}
		return
	}
	s.addShape(p, a.Id)
	s.addArgs(s.terms.names[a.Id], true, a.Args, vars)
}

func (s *shapes) addTerm(p argPlace, id Term) {
	functor := s.terms.FunctorOf(id)
	if functor < 0 {
		s.addShape(p, NoFunctor)
		return
	}
	s.addShape(p, functor)
	for i, sub := range s.terms.ArgsOf(id) {
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
	return len(s.at[p]) > 1 || len(s.at[p]) == 1 && !s.at[p][NoFunctor]
}

// mostCombinations is the number of rules that flattening may add to a game: a fraction of a second. The rulesheets of
// the corpus need at most six.
const mostCombinations = 10_000

// flatten adds the rules to the theory, one for each choice of shapes of
// the variables in arguments with function terms. It stops the translation if the combinations of shapes are too many.
func (s *shapes) flatten(th *Theory, rules []*Rule) {
	left := len(rules) + mostCombinations
	for _, r := range rules {
		f := flattening{theory: th, original: r, substitution: th.Terms.Identity(r.Vars), vars: r.Vars}
		needs, binds, combinations := s.needShape(r), r.binds(), 1
		for v, set := range s.ofVariables(r) {
			if needs[v] {
				f.choose = append(f.choose, int32(v))
				f.options = append(f.options, slices.Sorted(maps.Keys(set)))
				combinations = len(set) * min(combinations, left+1)
				if set[NoFunctor] && len(set) > 1 && !binds[v] {
					f.loose = append(f.loose, int32(v))
				}
			}
		}
		if left -= combinations; left < 0 {
			guard.Stop(fmt.Errorf("%w: more than %d combinations of function terms, at %s", datalog.ErrLimit, mostCombinations, Describe(r)))
		}
		if combinations > 0 {
			f.enumerate(0)
		}
	}
	th.addSymbols()
}

// binds returns, by variable, whether it is a direct argument of a positive literal. Such a variable is bound from
// a column of one shape; columns inside function terms hold all shapes.
func (r *Rule) binds() []bool {
	binds := make([]bool, r.Vars)
	for _, l := range r.Body {
		if l.Op != gdl.Holds {
			continue
		}
		for _, a := range l.Atom.Args {
			if a.Kind == Variable {
				binds[a.Id] = true
			}
		}
	}
	return binds
}

// symbolRelation holds all symbols. No rewriting uses its number.
var symbolRelation = Predicate{"a symbol", []int32{NoFunctor}, -1}

// addSymbols adds the facts of symbolRelation if a rule uses it.
func (th *Theory) addSymbols() {
	if th.byKey[symbolRelation.key()] == nil {
		return
	}
	rel := th.Relation(symbolRelation, 1)
	for id := range int32(len(th.Terms.head)) {
		if th.Terms.FunctorOf(id) < 0 {
			th.add(&Rule{Head: Atom{Rel: rel, Args: []Arg{{Kind: Constant, Id: id}}}})
		}
	}
}

// needShape returns, by variable, whether it is an argument of a relation where function terms occur.
func (s *shapes) needShape(r *Rule) []bool {
	needs := make([]bool, r.Vars)
	look := func(x Atom) {
		for i, a := range x.Args {
			if a.Kind == Variable && s.hasCompounds(argPlace{x.Rel.functor(), false, i}) {
				needs[a.Id] = true
			}
		}
	}
	look(r.Head)
	for _, l := range r.Body {
		if l.Atom.Rel != nil {
			look(l.Atom)
		}
	}
	return needs
}

// flattening is the state of flattening one rule: the replacements of its variables under the shapes chosen so
// far.
type flattening struct {
	substitution
	theory   *Theory
	original *Rule
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
		if shape == NoFunctor {
			f.To[v] = Arg{Kind: Variable, Id: v}
		} else {
			args := make([]Arg, f.theory.Terms.names[shape].arity)
			for k := range args {
				args[k] = Arg{Kind: Variable, Id: int32(f.vars + k)}
			}
			f.vars += len(args)
			f.To[v] = Arg{Kind: Compound, Id: shape, Args: args}
		}
		f.enumerate(i + 1)
		f.vars = vars
	}
}

// emit adds the rule for the chosen shapes.
func (f *flattening) emit() {
	r := f.rule(f.original, f.vars)
	r.Head = f.atom(r.Head)
	for i := range r.Body {
		if r.Body[i].Atom.Rel != nil {
			r.Body[i].Atom = f.atom(r.Body[i].Atom)
		}
	}
	for _, v := range f.loose {
		if f.To[v].Kind == Variable {
			r.Body = append(r.Body, Positive(Atom{f.theory.Relation(symbolRelation, 1), []Arg{f.To[v]}}))
		}
	}
	f.theory.add(r)
}

// atom flattens an atom.
func (f *flattening) atom(x Atom) Atom {
	p := Predicate{Name: x.Rel.Name}
	var columns []Arg
	for _, a := range x.Args {
		functor, args := int32(NoFunctor), []Arg(nil)
		if a.Kind != Variable {
			functor, args = f.terms.open(a)
		}
		if functor < 0 {
			functor, args = NoFunctor, []Arg{a}
		}
		p.Shapes, columns = append(p.Shapes, functor), append(columns, args...)
	}
	return Atom{Rel: f.theory.Relation(p, len(columns)), Args: columns}
}
