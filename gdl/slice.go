package gdl

import "slices"

// BegunAt is the game begun in the position in which exactly these facts, ground terms, are true.
func (g *Game) BegunAt(facts []Term) *Game {
	out := &Game{Roles: g.Roles, Rules: slices.DeleteFunc(slices.Clone(g.Rules), func(r Rule) bool { return r.Head.Name == "init" })}
	for _, f := range facts {
		out.Rules = append(out.Rules, Rule{Head: Term{Kind: Compound, Name: "init", Args: []Term{f}}})
	}
	return out
}

// Slice is the game without the rules that no relation of a list depends on, through the
// positions either: who asks for these relations alone gets the same answers in every position
// that follows from the initial one, without the other fluents. It also tells whether anything was left out.
//
// Fluents are told apart by functor and arity, so a rule that reads all of them
// (true ?f) keeps them all.
func (g *Game) Slice(names ...string) (*Game, bool) {
	s := slicer{heads: make(map[sliceKey][]int), needed: make(map[sliceKey]bool)}
	for i, r := range g.Rules {
		for _, k := range headKeys(r.Head) {
			s.heads[k] = append(s.heads[k], i)
		}
	}
	s.rules = g.Rules
	kept := make([]bool, len(g.Rules))
	for _, r := range g.Rules {
		if r.Head.Name == "role" {
			s.need(sliceKey{"role", 1, false})
		}
		for _, name := range names {
			if r.Head.Name == name {
				s.need(sliceKey{name, len(r.Head.Args), false})
			}
		}
	}
	for len(s.todo) > 0 {
		k := s.todo[0]
		s.todo = s.todo[1:]
		for _, i := range s.heads[k] {
			if !kept[i] {
				kept[i] = true
				s.read(g.Rules[i])
			}
		}
	}
	out := &Game{Roles: g.Roles}
	for i, r := range g.Rules {
		if kept[i] {
			out.Rules = append(out.Rules, r)
		}
	}
	left := false
	for i, r := range g.Rules {
		left = left || !kept[i] && (r.Head.Name == "next" || r.Head.Name == "init")
	}
	return out, left
}

// LeftOut tells of fluents whether a slice of g has no rules for them, though g has.
func (g *Game) LeftOut(slice *Game) func(fluent Term) bool {
	kinds := func(g *Game) map[sliceKey]bool {
		all := make(map[sliceKey]bool)
		for _, r := range g.Rules {
			for _, k := range headKeys(r.Head) {
				all[k] = all[k] || k.fluent
			}
		}
		return all
	}
	whole, kept := kinds(g), kinds(slice)
	return func(fluent Term) bool {
		k := fluentKey(fluent)
		return !kept[k] && !kept[anyFluent] && (whole[k] || whole[anyFluent])
	}
}

// sliceKey is a relation, or the fluents of a functor.
type sliceKey struct {
	name   string
	arity  int
	fluent bool
}

// anyFluent stands for fluents whose functor is a variable.
var anyFluent = sliceKey{fluent: true, arity: -1}

type slicer struct {
	rules  []Rule
	heads  map[sliceKey][]int // the rules that make it true
	needed map[sliceKey]bool
	todo   []sliceKey
}

func fluentKey(t Term) sliceKey {
	if t.Kind == Variable {
		return anyFluent
	}
	return sliceKey{t.Name, len(t.Args), true}
}

// headKeys are what a rule with this head says something of.
func headKeys(head Term) []sliceKey {
	if (head.Name == "next" || head.Name == "init") && len(head.Args) == 1 {
		return []sliceKey{fluentKey(head.Args[0])}
	}
	return []sliceKey{{head.Name, len(head.Args), false}}
}

// need notes that what a key stands for is asked for.
func (s *slicer) need(k sliceKey) {
	if s.needed[k] {
		return
	}
	s.needed[k] = true
	s.todo = append(s.todo, k)
	switch {
	case k == anyFluent:
		for other := range s.heads {
			if other.fluent {
				s.need(other)
			}
		}
	case k.fluent: // may be made true by a rule for all fluents
		if len(s.heads[anyFluent]) > 0 && !s.needed[anyFluent] {
			s.needed[anyFluent] = true
			s.todo = append(s.todo, anyFluent)
		}
	}
}

// read notes what the body of a rule asks for.
func (s *slicer) read(r Rule) {
	for _, l := range r.Body {
		if l.Op != Holds && l.Op != Not {
			continue
		}
		switch {
		case l.Atom.Name == "true" && len(l.Atom.Args) == 1:
			s.need(fluentKey(l.Atom.Args[0]))
		case l.Atom.Name == "does" && len(l.Atom.Args) == 2:
			s.need(sliceKey{"legal", 2, false})
		case (l.Atom.Name == "init" || l.Atom.Name == "next") && len(l.Atom.Args) == 1:
			s.need(fluentKey(l.Atom.Args[0]))
		default:
			s.need(sliceKey{l.Atom.Name, len(l.Atom.Args), false})
		}
	}
}
