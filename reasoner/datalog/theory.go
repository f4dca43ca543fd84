package datalog

import (
	"fmt"

	"stackmate/gdl"
)

// theory is a game as the engine sees it: relations with flat columns, and rules
// over them. It is built by newTheory, which also drops what no output of the
// game needs.
type theory struct {
	watch     *watch
	terms     *termTable
	relations []*relation // in order of first mention
	byKey     map[string]*relation
	rules     []*rule
	roles     []term
	maxBytes  int64 // of the rules, and of all tables
	ruleBytes int64 // of the rules, about
}

// clause is a rule whose atoms still have the arguments of the rulesheet.
type clause struct {
	head   sentence
	body   []condition
	vars   int
	source gdl.Rule
}

// sentence is an atom with the arguments of the rulesheet; functorKey names its
// relation.
type sentence struct {
	relation functorKey
	args     []arg
}

// condition is a literal of a clause.
type condition struct {
	op          gdl.Op
	sentence    sentence
	left, right arg
}

// newTheory translates the rules of a game that its outputs depend on.
func newTheory(w *watch, maxBytes int64, g *gdl.Game) *theory {
	th := &theory{watch: w, maxBytes: maxBytes, terms: newTermTable(), byKey: make(map[string]*relation)}
	for _, r := range g.Roles {
		th.roles = append(th.roles, th.terms.intern(r))
	}
	needed := neededRelations(g)
	var clauses []clause
	for _, r := range g.Rules {
		w.step()
		if needed[relationOf(r.Head)] {
			clauses = append(clauses, th.terms.clauseOf(r))
		}
	}
	inferShapes(w, th.terms, clauses).flatten(th, clauses)
	th.markDynamic()
	return th
}

func relationOf(t gdl.Term) functorKey { return functorKey{t.Name, len(t.Args)} }

// outputs are the relations that the rules of the game are asked for.
var outputs = []functorKey{{"role", 1}, {"init", 1}, {"next", 1}, {"legal", 2}, {"goal", 2}, {"terminal", 0}}

// neededRelations is the set of relations that the outputs depend on.
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
	needed := make(map[functorKey]bool)
	todo := append([]functorKey(nil), outputs...)
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !needed[k] {
			needed[k] = true
			todo = append(todo, uses[k]...)
		}
	}
	return needed
}

// clauseOf interns the terms of a rule and numbers its variables.
func (t *termTable) clauseOf(r gdl.Rule) clause {
	vars := make(map[string]int32)
	c := clause{source: r, head: t.sentenceOf(r.Head, vars)}
	for _, l := range r.Body {
		k := condition{op: l.Op}
		if l.Op == gdl.Holds || l.Op == gdl.Not {
			k.sentence = t.sentenceOf(l.Atom, vars)
		} else {
			k.left, k.right = t.argOf(l.Left, vars), t.argOf(l.Right, vars)
		}
		c.body = append(c.body, k)
	}
	c.vars = len(vars)
	return c
}

func (t *termTable) sentenceOf(g gdl.Term, vars map[string]int32) sentence {
	s := sentence{relation: relationOf(g)}
	for _, a := range g.Args {
		s.args = append(s.args, t.argOf(a, vars))
	}
	return s
}

func (t *termTable) argOf(g gdl.Term, vars map[string]int32) arg {
	switch g.Kind {
	case gdl.Symbol:
		return arg{kind: constant, id: t.symbol(g.Name)}
	case gdl.Variable:
		v, ok := vars[g.Name]
		if !ok {
			v = int32(len(vars))
			vars[g.Name] = v
		}
		return arg{kind: variable, id: v}
	}
	args := make([]arg, len(g.Args))
	for i, a := range g.Args {
		args[i] = t.argOf(a, vars)
	}
	return t.compoundArg(t.functor(g.Name, len(args)), args)
}

// ruleBytes and literalBytes are the memory of a rule and of a literal, about.
const (
	ruleBytes    = 300
	literalBytes = 250
)

// add adds a rule.
func (th *theory) add(r *rule) {
	th.watch.step()
	th.rules = append(th.rules, r)
	if th.ruleBytes += ruleBytes + literalBytes*int64(len(r.body)); th.ruleBytes > th.maxBytes {
		th.watch.stop(fmt.Errorf("%w: more than %d MiB of rules, at %s", ErrLimit, th.maxBytes>>20, describe(r)))
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

// successor is the relation through which the tuples of r are read one step
// later: true for init and next, does for legal.
func (th *theory) successor(r *relation) *relation {
	name := "true"
	if r.name.name == "legal" {
		name = "does"
	}
	return th.relation(predicate{name, r.name.shapes}, r.arity)
}

// markDynamic finds the relations that depend on true or does.
func (th *theory) markDynamic() {
	for _, r := range th.relations {
		switch r.name.name {
		case "init", "next", "legal":
			th.successor(r)
		}
	}
	users := make(map[*relation][]*rule)
	for _, r := range th.rules {
		for i := range r.body {
			if rel := r.body[i].atom.rel; rel != nil {
				users[rel] = append(users[rel], r)
			}
		}
	}
	var todo []*relation
	mark := func(rel *relation) {
		if !rel.dynamic {
			rel.dynamic = true
			todo = append(todo, rel)
		}
	}
	for _, r := range th.relations {
		if r.name.name == "true" || r.name.name == "does" {
			mark(r)
		}
	}
	for len(todo) > 0 {
		rel := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range users[rel] {
			mark(r.head.rel)
		}
	}
}
