package gdl

import (
	"fmt"

	"stackmate/internal/guard"
)

// maxSplits limits the rounds of stratify; each round visits all clauses. Known rulesheets need one or two: `goal`, and
// its parts by role.
const maxSplits = 16

// stratify removes cycles through negation between names of relations that are not cycles between their instances: it
// renames the parts of a relation. It applies if every head of a relation has a symbol or a function term at some
// argument:
//
//	(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
//	→ (<= (goal/0 ?r 0) (role ?r) (not (goal/100 ?r 100)))
//	  (<= (goal ?1 0) (goal/0 ?1 0))      and the same for 100
//
// Clauses without such cycles are unchanged. Other cycles remain for the check of stratification to report. Each round
// splits all such relations, so that the result does not depend on the order of the clauses.
func stratify(w *guard.Watch, clauses []*Clause) []*Clause {
	used := relationNames(clauses)
	done := make(map[relation]bool) // split relations: only bridges are left
	for range maxSplits {
		splits := separable(w, clauses, done)
		if len(splits) == 0 {
			return clauses
		}
		for r := range splits {
			done[r] = true
		}
		clauses = separate(w, clauses, splits, used)
	}
	return clauses
}

// separable returns the relations in a cycle with negation, not in done, each with the first argument that distinguishes
// its clauses.
func separable(w *guard.Watch, clauses []*Clause, done map[relation]bool) (argument map[relation]int) {
	g := newGraph(w, clauses)
	inCycle := make(map[relation]bool)
	for _, cl := range clauses {
		for _, atom := range cl.unstratified(g) {
			inCycle[atom.relation()] = true
			inCycle[cl.Head.relation()] = true
		}
	}
	heads := make(map[relation][]Term)
	for _, cl := range clauses {
		w.Step()
		if r := cl.Head.relation(); inCycle[r] && !done[r] {
			heads[r] = append(heads[r], cl.Head)
		}
	}
	argument = make(map[relation]int)
	for r, list := range heads {
		for k := range r.arity {
			w.Step()
			if distinguishes(list, k) {
				argument[r] = k
				break
			}
		}
	}
	return argument
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

// separate splits relations, each by the symbol or function at an argument.
func separate(w *guard.Watch, clauses []*Clause, splits map[relation]int, used names) []*Clause {
	type part struct{ whole, argument relation }
	parts := make(map[part]string)
	rename := func(atom Term) Term {
		if k, ok := splits[atom.relation()]; ok && atom.Args[k].Kind != Variable {
			if name, ok := parts[part{atom.relation(), atom.Args[k].relation()}]; ok {
				atom.Name = name
			}
		}
		return atom
	}
	var out, bridges []*Clause
	for _, cl := range clauses {
		k, ok := splits[cl.Head.relation()]
		if !ok {
			continue
		}
		p := part{cl.Head.relation(), cl.Head.Args[k].relation()}
		if _, ok := parts[p]; ok {
			continue
		}
		parts[p] = used.fresh(cl.Head.Name + "/" + p.argument.name)
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
