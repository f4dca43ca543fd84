package protocol

import (
	"strings"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
)

// spelling knows the symbols of a game, to undo what servers do that send moves
// in upper case.
type spelling struct {
	exact  map[string]bool
	folded map[string]string // lower case → as in the rules; "" where ambiguous
}

func newSpelling(g *gdl.Game) spelling {
	s := spelling{exact: make(map[string]bool), folded: make(map[string]string)}
	eachSymbol(g, func(name string) {
		if s.exact[name] {
			return
		}
		s.exact[name] = true
		low := strings.ToLower(name)
		if _, taken := s.folded[low]; taken {
			s.folded[low] = ""
		} else {
			s.folded[low] = name
		}
	})
	return s
}

// correct spells the symbols of t as the rules do, where that is unambiguous.
func (s spelling) correct(t gdl.Term) gdl.Term {
	return rewrite.Term(t, func(name string) string {
		if spelled := s.folded[strings.ToLower(name)]; !s.exact[name] && spelled != "" {
			return spelled
		}
		return name
	})
}

// correctAll spells every term of a joint move as the rules do.
func (s spelling) correctAll(joint []gdl.Term) []gdl.Term {
	var fixed []gdl.Term
	for _, t := range joint {
		fixed = append(fixed, s.correct(t))
	}
	return fixed
}

// eachSymbol calls f for every occurrence of a symbol, functor or relation in
// the rules of g, in order.
func eachSymbol(g *gdl.Game, f func(name string)) {
	visit := func(t gdl.Term) { symbolsOf(t, f) }
	for _, r := range g.Rules {
		visit(r.Head)
		for _, l := range r.Body {
			switch l.Op {
			case gdl.Holds, gdl.Not:
				visit(l.Atom)
			default:
				visit(l.Left)
				visit(l.Right)
			}
		}
	}
}

func symbolsOf(t gdl.Term, f func(name string)) {
	if t.Kind != gdl.Variable {
		f(t.Name)
	}
	for _, a := range t.Args {
		symbolsOf(a, f)
	}
}
