// Package rules holds the rules of a game as clauses over relations of numbered terms.
package rules

import (
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
)

// Theory is a game as flat relations and rules over them, without the rules on which no output depends.
type Theory struct {
	Watch     *guard.Watch
	Terms     *TermTable
	Relations []*Relation // in order of first mention
	byKey     map[predicateKey]*Relation
	made      *int32 // number of relations that rewritings have made
	Rules     []*Rule
	Roles     []Term
	maxBytes  int64 // of the rules, and of all tables
	ruleBytes int64 // approximate memory of the rules
}

// Translate translates the rules of a game that its outputs depend on.
func Translate(w *guard.Watch, maxBytes int64, g *gdl.Game) *Theory {
	th := &Theory{Watch: w, maxBytes: maxBytes, Terms: newTermTable(), byKey: make(map[predicateKey]*Relation), made: new(int32)}
	for _, r := range g.Roles {
		th.Roles = append(th.Roles, th.Terms.intern(r))
	}
	needed := neededRelations(g)
	read := reader{terms: th.Terms, relations: make(map[functorKey]*Relation)}
	var rules []*Rule
	for _, r := range g.Rules {
		w.Step()
		if needed[relationOf(r.Head)] {
			rules = append(rules, read.rule(r))
		}
	}
	inferShapes(w, th.Terms, rules).flatten(th, rules)
	return th
}

func relationOf(t gdl.Term) functorKey { return functorKey{t.Name, len(t.Args)} }

// outputs are the relations that a machine queries.
var outputs = []functorKey{{"role", 1}, {"init", 1}, {"next", 1}, {"legal", 2}, {"goal", 2}, {"terminal", 0}}

// neededRelations returns the relations on which the outputs depend.
func neededRelations(g *gdl.Game) map[functorKey]bool {
	uses := make(map[functorKey][]functorKey)
	for _, r := range g.Rules {
		head := relationOf(r.Head)
		for _, l := range r.Body {
			if l.Op == gdl.Holds || l.Op == gdl.Not {
				uses[head] = append(uses[head], relationOf(l.Atom))
			}
		}
	}
	return Closure(outputs, func(k functorKey) []functorKey { return uses[k] })
}

// reader translates rules unflattened: a relation has one column for each argument.
type reader struct {
	terms     *TermTable
	relations map[functorKey]*Relation
	vars      map[string]int32 // of the running rule
}

// rule interns the terms of a rule and numbers its variables.
func (rd *reader) rule(r gdl.Rule) *Rule {
	rd.vars = make(map[string]int32)
	out := &Rule{Source: r, Head: rd.atom(r.Head)}
	for _, l := range r.Body {
		if l.Op == gdl.Holds || l.Op == gdl.Not {
			out.Body = append(out.Body, Literal{Op: l.Op, Atom: rd.atom(l.Atom)})
		} else {
			out.Body = append(out.Body, Literal{Op: l.Op, Left: rd.arg(l.Left), Right: rd.arg(l.Right)})
		}
	}
	out.Vars = len(rd.vars)
	return out
}

func (rd *reader) atom(g gdl.Term) Atom {
	key := relationOf(g)
	if rd.relations[key] == nil {
		rd.relations[key] = NewRelation(Predicate{Name: key.name}, key.arity, Static)
	}
	return Atom{rd.relations[key], rd.args(g.Args)}
}

func (rd *reader) args(list []gdl.Term) []Arg {
	args := make([]Arg, len(list))
	for i, a := range list {
		args[i] = rd.arg(a)
	}
	return args
}

func (rd *reader) arg(g gdl.Term) Arg {
	switch g.Kind {
	case gdl.Symbol:
		return Arg{Kind: Constant, Id: rd.terms.symbol(g.Name)}
	case gdl.Variable:
		v, ok := rd.vars[g.Name]
		if !ok {
			v = int32(len(rd.vars))
			rd.vars[g.Name] = v
		}
		return Arg{Kind: Variable, Id: v}
	}
	return rd.terms.compoundArg(rd.terms.functor(g.Name, len(g.Args)), rd.args(g.Args))
}

// ruleBytes and literalBytes are the approximate memory of a rule and of a literal.
const (
	ruleBytes    = 300
	literalBytes = 250
)

// add appends a rule. It stops the translation if the rules exceed the memory.
func (th *Theory) add(r *Rule) {
	th.Watch.Step()
	th.Rules = append(th.Rules, r)
	if th.ruleBytes += ruleBytes + literalBytes*int64(len(r.Body)); th.ruleBytes > th.maxBytes {
		guard.Stop(fmt.Errorf("%w: more than %d MiB of rules, at %s", datalog.ErrLimit, th.maxBytes>>20, Describe(r)))
	}
}

// Scratch returns a theory without rules over the terms of th, for rules that are made to be measured.
func (th *Theory) Scratch() *Theory {
	return &Theory{Watch: th.Watch, Terms: th.Terms, byKey: make(map[predicateKey]*Relation), made: th.made, maxBytes: th.maxBytes}
}

// Relation returns the relation of a flattened predicate, and makes it at its
// first mention.
func (th *Theory) Relation(p Predicate, arity int) *Relation {
	key := p.key()
	r := th.byKey[key]
	if r == nil {
		r = NewRelation(p, arity, Static)
		th.byKey[key] = r
		th.Relations = append(th.Relations, r)
	}
	return r
}

// Successor returns the relation that carries the tuples of r to the next step: true for init and next, does for
// legal.
func (th *Theory) Successor(r *Relation) *Relation {
	name := "true"
	if r.Name == "legal" {
		name = "does"
	}
	return th.Relation(Predicate{Name: name, Shapes: r.Shapes}, r.Arity)
}

// Auxiliary makes a relation that no rule of the game contains. The name appears in messages only.
func (th *Theory) Auxiliary(name string, arity int, of Class) *Relation {
	*th.made++
	rel := th.Relation(Predicate{name, slices.Repeat([]int32{NoFunctor}, arity), *th.made}, arity)
	rel.Become(of)
	return rel
}

// Classify makes the relations that depend on true, does or the given relations dynamic, and all others static.
func (th *Theory) Classify(inputs ...*Relation) {
	for _, r := range slices.Clone(th.Relations) {
		switch r.Name {
		case "init", "next", "legal":
			inputs = append(inputs, th.Successor(r))
		case "true", "does":
			inputs = append(inputs, r)
		}
	}
	open := Dependents(inputs, th.Rules)
	for _, rel := range th.Relations {
		if open[rel] {
			rel.Become(Dynamic)
		} else {
			rel.Become(Static)
		}
	}
}

// RoleOf returns the role in the first argument of an atom over t, or -1.
func (th *Theory) RoleOf(t *TermTable, p Predicate, row []int32) int32 {
	id := row[0]
	if shape := p.Shapes[0]; shape >= 0 {
		id = t.Compound(shape, row[:t.width(shape)])
	}
	for r, role := range th.Roles {
		if role == id {
			return int32(r)
		}
	}
	return -1
}

// OpenRules returns the rules of open relations.
func (th *Theory) OpenRules() []*Rule {
	var rules []*Rule
	for _, r := range th.Rules {
		if r.Head.Rel.IsOpen() {
			rules = append(rules, r)
		}
	}
	return rules
}

// CarryRules returns the rules from one position to the next: true(F) ← init(F), true(F) ← next(F), does(R,M) ←
// legal(R,M) ∧ role(R).
func (th *Theory) CarryRules() []*Rule {
	var rules []*Rule
	for _, rel := range th.Relations {
		switch rel.Name {
		case "init", "next":
			rules = append(rules, carry(th.Successor(rel), rel))
		case "legal":
			r := carry(th.Successor(rel), rel)
			role := th.Relation(Predicate{Name: "role", Shapes: rel.Shapes[:1]}, th.Terms.width(rel.Shapes[0]))
			r.Body = append(r.Body, Positive(Atom{Rel: role, Args: r.Head.Args[:role.Arity]}))
			rules = append(rules, r)
		}
	}
	return rules
}

// carry returns the rule to(X...) ← from(X...).
func carry(to, from *Relation) *Rule {
	vars := from.Columns() // the variables have the numbers of the columns
	return &Rule{Head: AtomOf(to, vars), Body: []Literal{Positive(AtomOf(from, vars))}, Vars: from.Arity}
}

// Bytes estimates the memory of all tables.
func (th *Theory) Bytes() int64 {
	sum := th.Terms.Bytes() + th.ruleBytes
	for _, rel := range th.Relations {
		sum += rel.Bytes()
	}
	return sum
}
