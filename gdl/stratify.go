package gdl

import (
	"fmt"

	"stackmate/internal/guard"
)

// maxSplits limits the relations split by stratify; each split visits all clauses. Known rulesheets need one or two:
// `goal`, and its parts by role.
const maxSplits = 16

// stratify removes cycles through negation between names of relations that are not cycles between their instances: it
// renames the parts of a relation. It applies if every head of a relation has a symbol or a function term at some
// argument:
//
//	(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
//	→ (<= (goal/0 ?r 0) (role ?r) (not (goal/100 ?r 100)))
//	  (<= (goal ?1 0) (goal/0 ?1 0))      and the same for 100
//
// Clauses without such cycles are unchanged. Other cycles remain for the check of stratification to report.
func stratify(w *guard.Watch, clauses []*Clause) []*Clause {
	used := relationNames(clauses)
	done := make(map[relation]bool) // split relations: only bridges are left
	for len(done) < maxSplits {
		r, k, ok := separable(w, clauses, done)
		if !ok {
			return clauses
		}
		done[r] = true
		clauses = separate(w, clauses, r, k, used)
	}
	return clauses
}

// separable returns a relation in a cycle with negation, not in done, and an argument that distinguishes its clauses.
func separable(w *guard.Watch, clauses []*Clause, done map[relation]bool) (r relation, argument int, ok bool) {
	g := newGraph(w, clauses)
	inCycle := make(map[relation]bool)
	for _, cl := range clauses {
		for _, atom := range cl.unstratified(g) {
			inCycle[atom.relation()] = true
			inCycle[cl.Head.relation()] = true
		}
	}
	var order []relation
	heads := make(map[relation][]Term)
	for _, cl := range clauses {
		w.Step()
		r := cl.Head.relation()
		if !inCycle[r] || done[r] {
			continue
		}
		if heads[r] == nil {
			order = append(order, r)
		}
		heads[r] = append(heads[r], cl.Head)
	}
	for _, r := range order {
		for k := range r.arity {
			w.Step()
			if distinguishes(heads[r], k) {
				return r, k, true
			}
		}
	}
	return relation{}, 0, false
}

// unstratified returns the negated atoms of cl in a cycle with its head.
func (c *Clause) unstratified(g *graph) []Term {
	var out []Term
	for _, f := range c.Body {
		f.atoms(false, func(atom Term, negated bool) {
			if negated && g.inCycle(c.Head, atom) {
				out = append(out, atom)
			}
		})
	}
	return out
}

// distinguishes reports whether argument k is never a variable in the heads of a relation and differs between some of
// them.
func distinguishes(heads []Term, k int) bool {
	parts := make(map[relation]bool)
	for _, head := range heads {
		if head.Args[k].Kind == Variable {
			return false
		}
		parts[head.Args[k].relation()] = true
	}
	return len(parts) > 1
}

// separate splits relation r by the symbol or function at argument k.
func separate(w *guard.Watch, clauses []*Clause, r relation, k int, used names) []*Clause {
	parts := make(map[relation]string)
	rename := func(atom Term) Term {
		if atom.relation() == r {
			if name, ok := parts[atom.Args[k].relation()]; ok && atom.Args[k].Kind != Variable {
				atom.Name = name
			}
		}
		return atom
	}
	var out, bridges []*Clause
	for _, cl := range clauses {
		if cl.Head.relation() != r {
			continue
		}
		part := cl.Head.Args[k].relation()
		if _, ok := parts[part]; ok {
			continue
		}
		parts[part] = used.fresh(r.name + "/" + part.name)
		whole := general(cl.Head, k)
		bridges = append(bridges, &Clause{
			Head: whole, Pos: cl.Pos,
			Body: []Formula{{Connective: Atomic, Atom: rename(whole), Pos: cl.Pos}},
		})
	}
	for _, cl := range clauses {
		w.Step()
		copied := &Clause{Head: rename(cl.Head), Pos: cl.Pos}
		for _, f := range cl.Body {
			copied.Body = append(copied.Body, f.rename(rename))
		}
		out = append(out, copied)
	}
	return append(out, bridges...)
}

// names holds the used names, with the number of requests for each.
type names map[string]int

// relationNames returns the names of all relations in heads and bodies: an undefined relation stays undefined if no
// auxiliary relation has its name.
func relationNames(clauses []*Clause) names {
	used := make(names)
	for _, cl := range clauses {
		used[cl.Head.Name] = 1
		for _, f := range cl.Body {
			f.atoms(false, func(atom Term, _ bool) { used[atom.Name] = 1 })
		}
	}
	return used
}

// fresh adds and returns an unused name.
func (n names) fresh(name string) string {
	free := name
	for n[free] > 0 {
		n[name]++
		free = fmt.Sprintf("%s/%d", name, n[name])
	}
	n[free] = 1
	return free
}

// general returns the most general atom of t's relation with the symbol or function of t at argument k.
func general(t Term, k int) Term {
	n := 0
	variable := func() Term {
		n++
		return Term{Kind: Variable, Name: fmt.Sprintf("?%d", n), Pos: t.Pos}
	}
	out := Term{Kind: Compound, Name: t.Name, Args: make([]Term, len(t.Args)), Pos: t.Pos}
	for i, a := range t.Args {
		if i != k {
			out.Args[i] = variable()
			continue
		}
		out.Args[i] = Term{Kind: a.Kind, Name: a.Name, Pos: a.Pos}
		for range a.Args {
			out.Args[i].Args = append(out.Args[i].Args, variable())
		}
	}
	return out
}

// rename returns f with every atom replaced.
func (f Formula) rename(atom func(Term) Term) Formula {
	if f.Connective == Atomic {
		f.Atom = atom(f.Atom)
	}
	subs := make([]Formula, len(f.Subs))
	for i, g := range f.Subs {
		subs[i] = g.rename(atom)
	}
	f.Subs = subs
	return f
}
