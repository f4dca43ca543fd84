package datalog

import (
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/internal/guard"
)

// theory is a game as flat relations and rules over them, without the rules on which no output depends.
type theory struct {
	watch     *guard.Watch
	terms     *termTable
	relations []*relation // in order of first mention
	byKey     map[predicateKey]*relation
	made      *int32 // number of relations that rewritings have made
	rules     []*rule
	roles     []term
	maxBytes  int64 // of the rules, and of all tables
	ruleBytes int64 // approximate memory of the rules
}

// newTheory translates the rules of a game that its outputs depend on.
func newTheory(w *guard.Watch, maxBytes int64, g *gdl.Game) *theory {
	th := &theory{watch: w, maxBytes: maxBytes, terms: newTermTable(), byKey: make(map[predicateKey]*relation), made: new(int32)}
	for _, r := range g.Roles {
		th.roles = append(th.roles, th.terms.intern(r))
	}
	needed := neededRelations(g)
	read := reader{terms: th.terms, relations: make(map[functorKey]*relation)}
	var rules []*rule
	for _, r := range g.Rules {
		w.Step()
		if needed[relationOf(r.Head)] {
			rules = append(rules, read.rule(r))
		}
	}
	inferShapes(w, th.terms, rules).flatten(th, rules)
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
	return closure(outputs, func(k functorKey) []functorKey { return uses[k] })
}

// closure returns the nodes reachable from start.
func closure[T comparable](start []T, next func(T) []T) map[T]bool {
	reached := make(map[T]bool)
	todo := slices.Clone(start)
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !reached[x] {
			reached[x] = true
			todo = append(todo, next(x)...)
		}
	}
	return reached
}

// reader translates rules unflattened: a relation has one column for each argument.
type reader struct {
	terms     *termTable
	relations map[functorKey]*relation
	vars      map[string]int32 // of the running rule
}

// rule interns the terms of a rule and numbers its variables.
func (rd *reader) rule(r gdl.Rule) *rule {
	rd.vars = make(map[string]int32)
	out := &rule{source: r, head: rd.atom(r.Head)}
	for _, l := range r.Body {
		if l.Op == gdl.Holds || l.Op == gdl.Not {
			out.body = append(out.body, literal{op: l.Op, atom: rd.atom(l.Atom)})
		} else {
			out.body = append(out.body, literal{op: l.Op, left: rd.arg(l.Left), right: rd.arg(l.Right)})
		}
	}
	out.vars = len(rd.vars)
	return out
}

func (rd *reader) atom(g gdl.Term) atom {
	key := relationOf(g)
	if rd.relations[key] == nil {
		rd.relations[key] = &relation{name: predicate{name: key.name}, arity: key.arity}
	}
	return atom{rd.relations[key], rd.args(g.Args)}
}

func (rd *reader) args(list []gdl.Term) []arg {
	args := make([]arg, len(list))
	for i, a := range list {
		args[i] = rd.arg(a)
	}
	return args
}

func (rd *reader) arg(g gdl.Term) arg {
	switch g.Kind {
	case gdl.Symbol:
		return arg{kind: constant, id: rd.terms.symbol(g.Name)}
	case gdl.Variable:
		v, ok := rd.vars[g.Name]
		if !ok {
			v = int32(len(rd.vars))
			rd.vars[g.Name] = v
		}
		return arg{kind: variable, id: v}
	}
	return rd.terms.compoundArg(rd.terms.functor(g.Name, len(g.Args)), rd.args(g.Args))
}

// ruleBytes and literalBytes are the approximate memory of a rule and of a literal.
const (
	ruleBytes    = 300
	literalBytes = 250
)

// add appends a rule. It stops the translation if the rules exceed the memory.
func (th *theory) add(r *rule) {
	th.watch.Step()
	th.rules = append(th.rules, r)
	if th.ruleBytes += ruleBytes + literalBytes*int64(len(r.body)); th.ruleBytes > th.maxBytes {
		guard.Stop(fmt.Errorf("%w: more than %d MiB of rules, at %s", ErrLimit, th.maxBytes>>20, describe(r)))
	}
}

// relation returns the relation of a flattened predicate, and makes it at its
// first mention.
func (th *theory) relation(p predicate, arity int) *relation {
	key := p.key()
	r := th.byKey[key]
	if r == nil {
		r = newRelation(p, arity)
		th.byKey[key] = r
		th.relations = append(th.relations, r)
	}
	return r
}

// successor returns the relation that carries the tuples of r to the next step: true for init and next, does for
// legal.
func (th *theory) successor(r *relation) *relation {
	name := "true"
	if r.name.name == "legal" {
		name = "does"
	}
	return th.relation(predicate{name: name, shapes: r.name.shapes}, r.arity)
}

// auxiliary makes a relation that no rule of the game contains. The name appears in messages only.
func (th *theory) auxiliary(name string, arity int) *relation {
	*th.made++
	return th.relation(predicate{name, slices.Repeat([]int32{noFunctor}, arity), *th.made}, arity)
}

// markDynamic marks the relations that depend on true, does or the given relations.
func (th *theory) markDynamic(inputs ...*relation) {
	for _, r := range slices.Clone(th.relations) {
		switch r.name.name {
		case "init", "next", "legal":
			inputs = append(inputs, th.successor(r))
		case "true", "does":
			inputs = append(inputs, r)
		}
	}
	for rel := range dependents(inputs, th.rules) {
		rel.dynamic = true
	}
}

// dependents returns the given relations and all relations that depend on them.
func dependents(on []*relation, rules []*rule) map[*relation]bool {
	users := make(map[*relation][]*relation)
	for _, r := range rules {
		for _, rel := range r.uses() {
			users[rel] = append(users[rel], r.head.rel)
		}
	}
	return closure(on, func(rel *relation) []*relation { return users[rel] })
}

// below returns the function that lists the relations in the bodies of rel's rules.
func below(byHead map[*relation][]*rule) func(rel *relation) []*relation {
	return func(rel *relation) []*relation {
		var list []*relation
		for _, r := range byHead[rel] {
			list = append(list, r.uses()...)
		}
		return list
	}
}

// uses returns the relations in the body of r.
func (r *rule) uses() []*relation {
	var list []*relation
	for i := range r.body {
		if rel := r.body[i].atom.rel; rel != nil {
			list = append(list, rel)
		}
	}
	return list
}

// allUsed returns the relations in the bodies of rules.
func allUsed(rules []*rule) map[*relation]bool {
	set := make(map[*relation]bool)
	for _, r := range rules {
		for _, rel := range r.uses() {
			set[rel] = true
		}
	}
	return set
}

// rulesOf returns rules by head, for the relations that satisfy include; all rules if include is nil.
func (th *theory) rulesOf(include func(*relation) bool) map[*relation][]*rule {
	byHead := make(map[*relation][]*rule)
	for _, r := range th.rules {
		if include == nil || include(r.head.rel) {
			byHead[r.head.rel] = append(byHead[r.head.rel], r)
		}
	}
	return byHead
}
