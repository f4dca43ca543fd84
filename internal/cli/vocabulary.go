package cli

import (
	"fmt"

	"stackmate/gdl"
)

// vocabulary holds the functors of the fluents in the rules of a game, and of the terms in these and in all other atoms. Symbols are
// functors without arguments. It does not depend on the engine: a game that begins elsewhere may reach other fluents.
type vocabulary struct{ fluents, terms map[string]bool }

func vocabularyOf(rules *gdl.Game) vocabulary {
	v := vocabulary{make(map[string]bool), make(map[string]bool)}
	for _, r := range rules.Rules {
		v.addAtom(r.Head)
		for _, l := range r.Body {
			v.addAtom(l.Atom)
			v.addTerms([]gdl.Term{l.Left, l.Right})
		}
	}
	return v
}

func (v vocabulary) addAtom(atom gdl.Term) {
	switch atom.Name {
	case "init", "next", "base", "true":
		v.fluents[functor(atom.Args[0])] = true
		v.addTerms(atom.Args[0].Args)
	default:
		v.addTerms(atom.Args)
	}
}

func (v vocabulary) addTerms(terms []gdl.Term) {
	for _, t := range terms {
		v.terms[functor(t)] = true
		v.addTerms(t.Args)
	}
}

// isFluent reports whether a ground term has the functor of a fluent, or there are fluents that the rules name by a variable, and all its
// arguments consist of terms of the rules.
func (v vocabulary) isFluent(fact gdl.Term) bool {
	f := functor(fact)
	return (v.fluents[f] || v.fluents[anyTerm] && v.terms[f]) && v.areTerms(fact.Args)
}

func (v vocabulary) areTerms(terms []gdl.Term) bool {
	for _, t := range terms {
		if !v.terms[functor(t)] || !v.areTerms(t.Args) {
			return false
		}
	}
	return true
}

// anyTerm is the functor of variables.
const anyTerm = "?"

// functor returns the name of a term with the number of its arguments.
func functor(t gdl.Term) string {
	if t.Kind == gdl.Variable {
		return anyTerm
	}
	return fmt.Sprint(t.Name, "/", len(t.Args))
}
