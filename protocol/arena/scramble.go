package arena

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
)

// Scrambling gives all symbols of a game new names, so that players cannot recognise a game by its words. Keywords
// and integers stay.

// scrambling translates names in both directions. The zero value changes nothing.
type scrambling struct {
	to, from map[string]string
}

// scramble draws a new name for each symbol of g and returns g in these names.
func scramble(ctx context.Context, g *gdl.Game, rng *machine.Rand) (s scrambling, scrambled *gdl.Game, err error) {
	const file = "the scrambled rules"
	tree, err := gdl.Parse(file, []byte(RulesText(g)))
	if err != nil {
		return s, nil, err
	}
	taken := make(map[string]bool)
	rewrite.Symbols(tree, func(name string) string { taken[strings.ToLower(name)] = true; return name })
	s = scrambling{to: make(map[string]string), from: make(map[string]string)}
	tree = rewrite.Symbols(tree, func(name string) string {
		word := inventWord(rng)
		for taken[word] || gdl.Keyword(word) != "" {
			word = inventWord(rng)
		}
		taken[word] = true
		s.to[name], s.from[word] = word, name
		return word
	})
	scrambled, _, err = gdl.LoadToPlay(ctx, file, []byte(gdl.Print(tree)))
	return s, scrambled, err
}

// there translates a term of the rules into scrambled names.
func (s scrambling) there(t gdl.Term) gdl.Term {
	return rewrite.Term(t, func(name string) string { return cmp.Or(s.to[name], name) })
}

// back translates a player's term into the names of the rules, in any case.
func (s scrambling) back(t gdl.Term) gdl.Term {
	return rewrite.Term(t, func(name string) string { return cmp.Or(s.from[name], s.from[strings.ToLower(name)], name) })
}

// explained translates a player's explanation into the names of the rules.
func (s scrambling) explained(e *protocol.Explanation) *protocol.Explanation {
	if e == nil || s.from == nil {
		return e
	}
	back := func(text string) string {
		term, err := gdl.ParseTerm(text)
		if err != nil {
			return text
		}
		return s.back(term).String()
	}
	out := *e
	out.Move = back(e.Move)
	out.Values = slices.Clone(e.Values)
	for i := range out.Values {
		out.Values[i].Role = back(out.Values[i].Role)
	}
	out.Strategy = slices.Clone(e.Strategy)
	for i := range out.Strategy {
		out.Strategy[i].Move = back(out.Strategy[i].Move)
	}
	out.Line = nil
	for _, joint := range e.Line {
		var moves []string
		for _, m := range joint {
			moves = append(moves, back(m))
		}
		out.Line = append(out.Line, moves)
	}
	return &out
}

// inventWord returns a word of three to five open syllables.
func inventWord(rng *machine.Rand) string {
	const consonants, vowels = "bdfghjklmnprstvwz", "aeiou"
	var b strings.Builder
	for range 3 + rng.Intn(3) {
		b.WriteByte(consonants[rng.Intn(len(consonants))])
		b.WriteByte(vowels[rng.Intn(len(vowels))])
	}
	return b.String()
}

// RulesText returns the rulesheet of a game, one rule per line: the rules of START, hashed as Record.Rules.
func RulesText(g *gdl.Game) string {
	var b strings.Builder
	for _, r := range g.Rules {
		if len(r.Body) == 0 {
			fmt.Fprintf(&b, "\n%s", &gdl.Clause{Head: r.Head, Pos: r.Head.Pos})
			continue
		}
		fmt.Fprintf(&b, "\n(<= %s", r.Head)
		for _, l := range r.Body {
			b.WriteByte(' ')
			b.WriteString(l.String())
		}
		b.WriteByte(')')
	}
	return b.String()
}
