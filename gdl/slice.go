package gdl

import "slices"

// BegunAt returns the game that begins in the position in which exactly these ground facts are true.
func (g *Game) BegunAt(facts []Term) *Game {
	out := &Game{Roles: g.Roles, Rules: slices.DeleteFunc(slices.Clone(g.Rules), func(r Rule) bool { return r.Head.Name == "init" })}
	for _, f := range facts {
		out.Rules = append(out.Rules, Rule{Head: Term{Kind: Compound, Name: "init", Args: []Term{f}}})
	}
	return out
}

// Slice returns the rules that the named relations depend on, directly or through true and next, and reports whether
// it omits a rule of next. In every reachable position, the slice gives the same answers for these relations, but has fewer
// fluents.
//
// Fluents are distinguished by functor and arity, so a condition on all fluents (true ?f) keeps all of them.
func (g *Game) Slice(names ...string) (*Game, bool) {
	s := slicer{heads: make(map[sliceKey][]Rule), needed: make(map[sliceKey]bool)}
	for _, r := range g.Rules {
		k := headKey(r.Head)
		s.heads[k] = append(s.heads[k], r)
	}
	for _, r := range g.Rules {
		if r.Head.Name == "role" || slices.Contains(names, r.Head.Name) {
			s.need(relationKey(r.Head))
		}
	}
	for len(s.todo) > 0 {
		k := s.todo[0]
		s.todo = s.todo[1:]
		for _, r := range s.heads[k] {
			s.read(r)
		}
	}
	out, left := &Game{Roles: g.Roles}, false
	for _, r := range g.Rules {
		if s.needed[headKey(r.Head)] {
			out.Rules = append(out.Rules, r)
		} else {
			left = left || isNext(r.Head)
		}
	}
	return out, left
}

// LeftOut returns a function that reports whether a slice of g omits all rules for a fluent of g.
func (g *Game) LeftOut(slice *Game) func(fluent Term) bool {
	kinds := func(g *Game) map[sliceKey]bool {
		all := make(map[sliceKey]bool)
		for _, r := range g.Rules {
			k := headKey(r.Head)
			all[k] = k.fluent
		}
		return all
	}
	whole, kept := kinds(g), kinds(slice)
	return func(fluent Term) bool {
		k := fluentKey(fluent)
		return !kept[k] && !kept[anyFluent] && (whole[k] || whole[anyFluent])
	}
}

// sliceKey is a relation, or the fluents with a functor.
type sliceKey struct {
	name   string
	arity  int
	fluent bool
}

// anyFluent is the key of a head with a variable fluent, allFluents of a condition on one.
var (
	anyFluent  = sliceKey{fluent: true, arity: -1}
	allFluents = sliceKey{fluent: true, arity: -2}
)

type slicer struct {
	heads  map[sliceKey][]Rule // the rules with this head
	needed map[sliceKey]bool
	todo   []sliceKey
}

func relationKey(t Term) sliceKey { return sliceKey{t.Name, len(t.Args), false} }

func fluentKey(t Term) sliceKey {
	if t.Kind == Variable {
		return anyFluent
	}
	return sliceKey{t.Name, len(t.Args), true}
}

// isNext reports whether rules with this head make fluents true.
func isNext(head Term) bool { return head.Name == "next" || head.Name == "init" }

// headKey returns the key of a head.
func headKey(head Term) sliceKey {
	if isNext(head) {
		return fluentKey(head.Args[0])
	}
	return relationKey(head)
}

// need marks a key as needed.
func (s *slicer) need(k sliceKey) {
	if s.needed[k] {
		return
	}
	s.needed[k] = true
	s.todo = append(s.todo, k)
	switch {
	case k == allFluents:
		for other := range s.heads {
			if other.fluent {
				s.need(other)
			}
		}
	case k.fluent: // a rule may make any fluent true
		s.need(anyFluent)
	}
}

// read marks the keys in the body of a rule as needed.
func (s *slicer) read(r Rule) {
	for _, l := range r.Body {
		switch {
		case l.Op != Holds && l.Op != Not:
		case l.Atom.Name == "true" && l.Atom.Args[0].Kind == Variable:
			s.need(allFluents)
		case l.Atom.Name == "true":
			s.need(fluentKey(l.Atom.Args[0]))
		case l.Atom.Name == "does":
			s.need(sliceKey{"legal", 2, false})
		default:
			s.need(relationKey(l.Atom))
		}
	}
}
