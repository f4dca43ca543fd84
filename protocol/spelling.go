package protocol

import (
	"strings"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
)

// spelling maps symbols to their spelling in the rules: some servers send moves in upper case.
type spelling struct {
	exact  map[string]bool
	folded map[string]string // lower case → spelling in the rules; "" if ambiguous
}

func newSpelling(g *gdl.Game) spelling {
	s := spelling{exact: make(map[string]bool), folded: make(map[string]string)}
	note := func(name string) string {
		low := strings.ToLower(name)
		if known, taken := s.folded[low]; !taken {
			s.folded[low] = name
		} else if known != name {
			s.folded[low] = ""
		}
		s.exact[name] = true
		return name
	}
	for _, r := range g.Rules {
		rewrite.Term(r.Head, note)
		for _, l := range r.Body {
			for _, t := range []gdl.Term{l.Atom, l.Left, l.Right} {
				rewrite.Term(t, note)
			}
		}
	}
	return s
}

// correct spells the symbols of t as in the rules, where that is unambiguous.
func (s spelling) correct(t gdl.Term) gdl.Term {
	return rewrite.Term(t, func(name string) string {
		if spelled := s.folded[strings.ToLower(name)]; !s.exact[name] && spelled != "" {
			return spelled
		}
		return name
	})
}

// correctAll spells the terms of a joint move as in the rules.
func (s spelling) correctAll(joint []gdl.Term) []gdl.Term {
	var fixed []gdl.Term
	for _, t := range joint {
		fixed = append(fixed, s.correct(t))
	}
	return fixed
}
