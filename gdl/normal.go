package gdl

import (
	"fmt"
	"maps"
	"slices"

	"stackmate/internal/guard"
)

// The distribution of disjunctions turns a clause into at most maxBranches rules, with maxLiterals conditions in all;
// beyond these limits disjunctions become relations. Few known rulesheets come near.
const (
	maxBranches = 256
	maxLiterals = 1 << 16
)

// normaliser converts clauses to rules: it removes disjunctions and orders literals.
//
//	h ⇐ a, (b ∨ c)      →  h ⇐ a, b.   h ⇐ a, c.
//	h ⇐ ¬(b ∨ c)        →  h ⇐ ¬b, ¬c.
//	h ⇐ ¬(x ≠ y)        →  h ⇐ x = y.
//	h ⇐ a, (b₁ ∨ … bₙ)  →  h ⇐ a, d(V).   d(V) ⇐ a, bᵢ.     where n is large
//
// In the last line V is the set of variables shared by the disjunction and the rest of the clause. The rules of d
// repeat the conditions of a that bind variables for the branches, so that they are safe whenever the clause is.
type normaliser struct {
	watch    *guard.Watch
	findings *findings
	rules    []Rule
	names    names // of relations
	literals int   // of all rules

	unordered bool // literals keep their written order
}

func (n *normaliser) clause(c *Clause) {
	if n.literals > maxConditions {
		return
	}
	body := n.limitDisjunctions(c.Head, flatten(nil, c.Body, false))
	_, literals := distributed(body)
	if n.literals += literals; n.literals > maxConditions {
		n.findings.add("E009", c.Pos, c.Head.excerpt(), fmt.Sprintf(
			"expected at most %d conditions in all rules, their disjunctions distributed, found more", maxConditions))
		return
	}
	for _, literals := range distribute(body) {
		n.watch.Step()
		n.rules = append(n.rules, Rule{Head: c.Head, Body: n.order(literals), Pos: c.Pos})
	}
}

// distributed counts the rules and literals of a distributed flat conjunction, and stops past maxConditions.
func distributed(conj []Formula) (rules, literals int) {
	rules = 1
	for _, f := range conj {
		r, l := 1, 1
		if f.Connective == Disjunction {
			r, l = 0, 0
			for i := range f.Subs {
				more, long := distributed(flatten(nil, f.Subs[i:i+1], false))
				r, l = r+more, l+long
			}
		}
		literals = min(literals*r+l*rules, maxConditions+1)
		rules = min(rules*r, maxConditions+1)
	}
	return rules, literals
}

// flatten appends formulas to dst with nested conjunctions dissolved and negations pushed inward to atoms. The result
// consists of atoms, negated atoms, differ, negated differ, and disjunctions.
func flatten(dst, formulas []Formula, negated bool) []Formula {
	for _, f := range formulas {
		switch {
		case f.Connective == Negation:
			dst = flatten(dst, f.Subs, !negated)
		case f.Connective == Conjunction, f.Connective == Disjunction && negated:
			dst = flatten(dst, f.Subs, negated)
		case f.Connective == Disjunction && len(f.Subs) == 1:
			dst = flatten(dst, f.Subs, false)
		case negated:
			dst = append(dst, Formula{Connective: Negation, Subs: []Formula{f}, Pos: f.Pos})
		default:
			dst = append(dst, f)
		}
	}
	return dst
}

// limitDisjunctions replaces the largest disjunctions of a flat conjunction by auxiliary relations, so that the rest can be
// distributed. Disjunctions of one size are distributed together or not at all, so that their order does not matter.
func (n *normaliser) limitDisjunctions(head Term, conj []Formula) []Formula {
	limit := max(1, min(maxBranches, maxLiterals/(len(conj)+1)))
	if rules, _ := distributed(conj); rules <= limit {
		return conj
	}
	var ors []int
	sizes := make([]int, len(conj))
	for i, f := range conj {
		if f.Connective == Disjunction {
			sizes[i], _ = distributed(conj[i : i+1])
			ors = append(ors, i)
		}
	}
	slices.SortStableFunc(ors, func(i, j int) int { return sizes[i] - sizes[j] })
	rest := newSurroundings(head, conj)
	out := slices.Clone(conj)
	for product := 1; len(ors) > 0; {
		alike := 0
		for ; alike < len(ors) && sizes[ors[alike]] == sizes[ors[0]]; alike++ {
			product = min(product*sizes[ors[0]], maxBranches+1)
		}
		for _, i := range ors[:alike] {
			if product > limit {
				out[i] = n.relation(head, conj[i], rest)
			}
		}
		ors = ors[alike:]
	}
	return out
}

// surroundings describes the clause around a disjunction. Only where disjunctions alone bind a variable, it depends on
// their order.
type surroundings struct {
	conj    []Formula
	uses    map[string]int   // occurrences of each variable in the whole clause
	binders map[string][]int // for each variable the atoms with the fewest variables that bind it, else a disjunction
}

func newSurroundings(head Term, conj []Formula) surroundings {
	s := surroundings{conj: conj, uses: make(map[string]int), binders: make(map[string][]int)}
	for _, v := range head.variables(nil) {
		s.uses[v.Name]++
	}
	costs := make([]int, len(conj))
	for i, f := range conj {
		variables := f.variables(nil)
		for _, v := range variables {
			s.uses[v.Name]++
		}
		if costs[i] = len(variables); f.Connective != Atomic {
			costs[i] += maxClause
		}
		for v := range f.binds() {
			switch known := s.binders[v]; {
			case known == nil || costs[i] < costs[known[0]]:
				s.binders[v] = []int{i}
			case costs[i] == costs[known[0]] && f.Connective == Atomic:
				s.binders[v] = append(known, i)
			}
		}
	}
	return s
}

// relation defines an auxiliary relation for a disjunction and returns its atom. Its arguments are in the order of the
// head, followed by the variables that the head lacks.
func (n *normaliser) relation(head Term, or Formula, rest surroundings) Formula {
	atom := Term{Name: n.names.fresh("or/" + head.Name), Pos: or.Pos}
	needed := make(map[int]bool) // conditions that bind variables for the branches
	boundVariables := or.binds()
	inside := make(map[string]int)
	variables := or.variables(nil)
	for _, v := range variables {
		inside[v.Name]++
	}
	for _, v := range append(head.variables(nil), variables...) {
		uses := inside[v.Name]
		if uses == 0 {
			continue // seen before, or not in the disjunction
		}
		inside[v.Name] = 0
		if rest.uses[v.Name] > uses {
			atom.Args = append(atom.Args, v)
		}
		if !boundVariables[v.Name] {
			for _, i := range rest.binders[v.Name] {
				needed[i] = true
			}
		}
	}
	if len(atom.Args) > 0 {
		atom.Kind = Compound
	}
	var binders []Formula
	for _, i := range slices.Sorted(maps.Keys(needed)) {
		binders = append(binders, rest.conj[i])
	}
	for _, f := range or.Subs {
		body := append(binders[:len(binders):len(binders)], f)
		n.clause(&Clause{Head: atom, Body: body, Pos: or.Pos})
	}
	return Formula{Connective: Atomic, Atom: atom, Pos: or.Pos}
}

// variables appends the occurrences of variables in f.
func (f Formula) variables(dst []Term) []Term {
	collect := func(t Term) { dst = t.variables(dst) }
	f.each(collect, collect)
	return dst
}

// distribute returns the disjunctive normal form of a flat conjunction: one list of literals for each choice of
// branches.
func distribute(conj []Formula) [][]Literal {
	out := [][]Literal{make([]Literal, 0, len(conj))}
	for _, f := range conj {
		if f.Connective != Disjunction {
			l := literal(f)
			for i := range out {
				out[i] = append(out[i], l)
			}
			continue
		}
		var longer [][]Literal
		for i := range f.Subs {
			for _, tail := range distribute(flatten(nil, f.Subs[i:i+1], false)) {
				for _, l := range out {
					longer = append(longer, append(l[:len(l):len(l)], tail...))
				}
			}
		}
		out = longer
	}
	return out
}

// literal converts a formula other than a disjunction.
func literal(f Formula) Literal {
	l := Literal{Pos: f.Pos}
	switch inner := f; f.Connective {
	case Atomic:
		l.Op, l.Atom = Holds, f.Atom
	case Differ:
		l.Op, l.Left, l.Right = Distinct, f.Args[0], f.Args[1]
	case Negation:
		inner = f.Subs[0]
		if inner.Connective == Differ {
			l.Op, l.Left, l.Right = Equal, inner.Args[0], inner.Args[1]
		} else {
			l.Op, l.Atom = Not, inner.Atom
		}
	}
	return l
}

// order moves every test (Not, Distinct, Equal) to the earliest position at which its variables are bound, and
// otherwise keeps the order.
func (n *normaliser) order(literals []Literal) []Literal {
	if n.unordered {
		return literals
	}
	o := orderer{out: make([]Literal, 0, len(literals)), literals: literals, boundVariables: make(set), waiting: make(map[string][]int)}
	o.unbound = make([]int, len(literals))
	for i, l := range literals {
		n.watch.Step()
		if l.Op != Holds {
			o.test(i)
			continue
		}
		o.out = append(o.out, l)
		var ready []int
		for _, v := range l.Atom.variables(nil) {
			ready = append(ready, o.bind(v.Name)...)
		}
		slices.Sort(ready)
		for _, j := range ready {
			o.out = append(o.out, literals[j])
		}
	}
	return o.out
}

// orderer orders the literals of one body.
type orderer struct {
	literals, out  []Literal
	boundVariables set
	unbound        []int            // by literal: variables that are not bound yet
	waiting        map[string][]int // by variable: the tests that use it
}

// test places a test, or defers it until its variables are bound.
func (o *orderer) test(i int) {
	own := make(set)
	for _, v := range o.literals[i].variables() {
		if !o.boundVariables[v.Name] && !own[v.Name] {
			own[v.Name] = true
			o.unbound[i]++
			o.waiting[v.Name] = append(o.waiting[v.Name], i)
		}
	}
	if o.unbound[i] == 0 {
		o.out = append(o.out, o.literals[i])
	}
}

// bind marks a variable as bound and returns the tests that have become ready.
func (o *orderer) bind(name string) (ready []int) {
	if o.boundVariables[name] {
		return nil
	}
	o.boundVariables[name] = true
	for _, i := range o.waiting[name] {
		if o.unbound[i]--; o.unbound[i] == 0 {
			ready = append(ready, i)
		}
	}
	return ready
}

// variables lists the occurrences of variables in l.
func (l Literal) variables() []Term {
	return l.Right.variables(l.Left.variables(l.Atom.variables(nil)))
}
