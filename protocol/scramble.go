package protocol

import (
	"fmt"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Scrambling gives all symbols of a game new names, so that players cannot know
// a game by its words. Keywords, numbers and the names that machines give a
// meaning stay.

// reserved are the symbols with a fixed meaning, in rules or on the wire.
var reserved = map[string]bool{
	"role": true, "init": true, "base": true, "input": true, "true": true, "does": true,
	"next": true, "legal": true, "goal": true, "terminal": true, "distinct": true,
	"not": true, "or": true, "<=": true, "sees": true, "percept": true, "nil": true,
	machine.RandomRole: true,
}

// scrambling translates names there and back. The zero value changes nothing.
type scrambling struct {
	to, from map[string]string
}

// newScrambling draws a new name for each symbol of g.
func newScrambling(g *gdl.Game, rng *machine.Rand) scrambling {
	s := scrambling{to: make(map[string]string), from: make(map[string]string)}
	kept := make(map[string]bool)
	eachSymbol(g, func(name string) { kept[strings.ToLower(name)] = true })
	eachSymbol(g, func(name string) {
		if s.to[name] != "" || reserved[strings.ToLower(name)] || isNumber(name) {
			return
		}
		word := inventWord(rng)
		for s.from[word] != "" || kept[word] || reserved[word] {
			word = inventWord(rng)
		}
		s.to[name], s.from[word] = word, name
	})
	return s
}

// there translates a term of the rules into scrambled names.
func (s scrambling) there(t gdl.Term) gdl.Term { return rename(t, lookup(s.to)) }

// back translates a term of a player into the names of the rules, in any case.
func (s scrambling) back(t gdl.Term) gdl.Term {
	from := lookup(s.from)
	return rename(t, func(name string) string {
		if known := from(name); known != name {
			return known
		}
		if known := from(strings.ToLower(name)); known != strings.ToLower(name) {
			return known
		}
		return name
	})
}

func lookup(names map[string]string) func(string) string {
	return func(name string) string {
		if other, ok := names[name]; ok {
			return other
		}
		return name
	}
}

// game scrambles the rules.
func (s scrambling) game(g *gdl.Game) *gdl.Game {
	out := &gdl.Game{}
	for _, r := range g.Roles {
		out.Roles = append(out.Roles, s.there(r))
	}
	for _, r := range g.Rules {
		scrambled := gdl.Rule{Head: s.there(r.Head), Pos: r.Pos}
		for _, l := range r.Body {
			l.Atom, l.Left, l.Right = s.there(l.Atom), s.there(l.Left), s.there(l.Right)
			scrambled.Body = append(scrambled.Body, l)
		}
		out.Rules = append(out.Rules, scrambled)
	}
	return out
}

func isNumber(name string) bool {
	digits := strings.TrimPrefix(name, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// inventWord makes a word of three to five open syllables.
func inventWord(rng *machine.Rand) string {
	const consonants, vowels = "bdfghjklmnprstvwz", "aeiou"
	var b strings.Builder
	for range 3 + rng.Intn(3) {
		b.WriteByte(consonants[rng.Intn(len(consonants))])
		b.WriteByte(vowels[rng.Intn(len(vowels))])
	}
	return b.String()
}

// rulesText writes a game as a rulesheet, one rule to a line.
func rulesText(g *gdl.Game) string {
	var b strings.Builder
	for _, r := range g.Rules {
		if len(r.Body) == 0 {
			fmt.Fprintf(&b, "\n%s", r.Head)
			continue
		}
		fmt.Fprintf(&b, "\n(<= %s", r.Head)
		for _, l := range r.Body {
			b.WriteByte(' ')
			b.WriteString(literalText(l))
		}
		b.WriteByte(')')
	}
	return b.String()
}

func literalText(l gdl.Literal) string {
	switch l.Op {
	case gdl.Not:
		return fmt.Sprintf("(not %s)", l.Atom)
	case gdl.Distinct:
		return fmt.Sprintf("(distinct %s %s)", l.Left, l.Right)
	case gdl.Equal:
		return fmt.Sprintf("(not (distinct %s %s))", l.Left, l.Right)
	default:
		return l.Atom.String()
	}
}
