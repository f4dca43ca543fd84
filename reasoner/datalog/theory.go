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
		rd.relations[key] = newRelation(predicate{name: key.name}, key.arity, static)
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
		r = newRelation(p, arity, static)
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
func (th *theory) auxiliary(name string, arity int, of class) *relation {
	*th.made++
	rel := th.relation(predicate{name, slices.Repeat([]int32{noFunctor}, arity), *th.made}, arity)
	rel.become(of)
	return rel
}

// classify makes the relations that depend on true, does or the given relations dynamic, and all others static.
func (th *theory) classify(inputs ...*relation) {
	for _, r := range slices.Clone(th.relations) {
		switch r.name.name {
		case "init", "next", "legal":
			inputs = append(inputs, th.successor(r))
		case "true", "does":
			inputs = append(inputs, r)
		}
	}
	open := dependents(inputs, th.rules)
	for _, rel := range th.relations {
		if open[rel] {
			rel.become(dynamic)
		} else {
			rel.become(static)
		}
	}
}

// roleOf returns the role in the first argument of an atom over t, or -1.
func (th *theory) roleOf(t *termTable, p predicate, row []int32) int32 {
	id := row[0]
	if shape := p.shapes[0]; shape >= 0 {
		id = t.compound(shape, row[:t.width(shape)])
	}
	for r, role := range th.roles {
		if role == id {
			return int32(r)
		}
	}
	return -1
}

func (th *theory) dynamicRules() []*rule {
	var rules []*rule
	for _, r := range th.rules {
		if r.head.rel.isOpen() {
			rules = append(rules, r)
		}
	}
	return rules
}

// carryRules returns the rules from one position to the next: true(F) ← init(F), true(F) ← next(F), does(R,M) ←
// legal(R,M) ∧ role(R).
func (th *theory) carryRules() []*rule {
	var rules []*rule
	for _, rel := range th.relations {
		switch rel.name.name {
		case "init", "next":
			rules = append(rules, carry(th.successor(rel), rel))
		case "legal":
			r := carry(th.successor(rel), rel)
			role := th.relation(predicate{name: "role", shapes: rel.name.shapes[:1]}, th.terms.width(rel.name.shapes[0]))
			r.body = append(r.body, positive(atom{rel: role, args: r.head.args[:role.arity]}))
			rules = append(rules, r)
		}
	}
	return rules
}

// carry returns the rule to(X...) ← from(X...).
func carry(to, from *relation) *rule {
	vars := from.columns() // the variables have the numbers of the columns
	return &rule{head: atomOf(to, vars), body: []literal{positive(atomOf(from, vars))}, vars: from.arity}
}

// bytes estimates the memory of all tables.
func (th *theory) bytes() int64 {
	sum := th.terms.bytes() + th.ruleBytes
	for _, rel := range th.relations {
		sum += rel.bytes()
	}
	return sum
}
