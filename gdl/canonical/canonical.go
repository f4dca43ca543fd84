// Package canonical gives the symbols of a game canonical names: games that differ only in the names of symbols and variables
// and in the order of rules and conditions have the same rules in canonical names. Keywords, integers and the chance role keep
// their names, as in games that managers scramble; the order of the roles is a part of the game, as joint moves depend on it.
//
//	rules ─encode─▶ symbols and rules in numbers ─search─▶ canonical order of the symbols ─write─▶ rules in canonical names
//
// The order comes from colour refinement and, where symbols remain alike, from a search for the least numbering, as in
// canonical labellings of graphs (McKay and Piperno, "Practical graph isomorphism, II", 2014). The symbols are the vertices, the
// rules are the edges, and the variables of each rule are numbered on their own.
//
// The form contains the auxiliary relations of package gdl, which replace disjunctions of clauses with very many branches. The
// order of the conditions may matter for variables of such a disjunction that the head lacks or that no atom binds.
//
// Only the last step has to be correct. Canonical names are a bijection of the symbols, so games with the same rules in
// canonical names are isomorphic by construction. A fault in the search gives isomorphic games different names at worst.
package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stackmate/gdl"
)

// Form is a game in canonical names.
type Form struct {
	rules          string
	canonical, own map[string]string // names by names of the other kind
}

// New computes the canonical form of a game. Where the search exceeds its budget, the form has the names of the game.
func New(g *gdl.Game) *Form {
	c := encode(g)
	order, found := c.order()
	f := &Form{canonical: make(map[string]string), own: make(map[string]string)}
	for i, s := range order {
		own := c.symbols[s]
		name := own
		if found && !isFixed(own) {
			name = "s" + strconv.Itoa(i)
		}
		f.canonical[own], f.own[name] = name, own
	}
	f.rules = c.write(order, f.canonical)
	return f
}

// Rules returns the rules in canonical names, one a line, in order of their texts. If two games have the same text, then the
// map between their canonical names is an isomorphism of their rules.
func (f *Form) Rules() string { return f.rules }

// Digest returns the SHA-256 of Rules, in hexadecimal digits.
func (f *Form) Digest() string {
	sum := sha256.Sum256([]byte(f.rules))
	return hex.EncodeToString(sum[:])
}

// Canonical translates the text of a term, such as a fluent or a move, to canonical names.
func (f *Form) Canonical(text string) string { return rename(text, f.canonical) }

// Own translates the text of a term from canonical names to the names of the game.
func (f *Form) Own(text string) string { return rename(text, f.own) }

// isFixed reports whether the canonical name of a symbol or a parenthesis is its own name.
func isFixed(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil || name == "(" || name == ")" || gdl.Keyword(name) != ""
}

var apart, together = strings.NewReplacer("(", "( ", ")", " )"), strings.NewReplacer("( ", "(", " )", ")")

// split returns the names and parentheses of a text.
func split(text string) []string { return strings.Split(apart.Replace(text), " ") }

// rename replaces the names that a map contains.
func rename(text string, names map[string]string) string {
	parts := split(text)
	for i, name := range parts {
		if other, ok := names[name]; ok {
			parts[i] = other
		}
	}
	return together.Replace(strings.Join(parts, " "))
}

// code is a game in numbers.
type code struct {
	symbols []string // names and parentheses
	rules   []rule
	uses    [][]int32 // by symbol: the rules that contain it, ascending
}

// rule is a rule; the first literal is the head.
type rule struct {
	texts     []string  // of the literals
	literals  [][]int32 // the parts of the texts: symbols, and -1-v for variable v
	variables []string
}

// encode returns a game in numbers. The first literal of a rule is marked as its head; role facts are marked by their order.
func encode(g *gdl.Game) *code {
	c, numbers := &code{}, make(map[string]int32)
	for _, r := range g.Rules {
		mark := "<="
		if r.Head.Name == "role" && len(r.Body) == 0 {
			mark = strconv.Itoa(slices.IndexFunc(g.Roles, r.Head.Args[0].Equal))
		}
		texts := []string{mark + " " + r.Head.String()}
		for _, l := range r.Body {
			texts = append(texts, l.String())
		}
		c.add(texts, numbers)
	}
	return c
}

// add adds a rule, and its symbols to their numbers.
func (c *code) add(texts []string, numbers map[string]int32) {
	r, variables := rule{texts: texts}, make(map[string]int32)
	for _, text := range texts {
		var literal []int32
		for _, name := range split(text) {
			if gdl.IsVariable(name) {
				if _, known := variables[name]; !known {
					variables[name], r.variables = int32(-1-len(variables)), append(r.variables, name)
				}
				literal = append(literal, variables[name])
				continue
			}
			s, known := numbers[name]
			if !known {
				s = int32(len(numbers))
				numbers[name], c.symbols, c.uses = s, append(c.symbols, name), append(c.uses, nil)
			}
			if n := int32(len(c.rules)); len(c.uses[s]) == 0 || c.uses[s][len(c.uses[s])-1] != n {
				c.uses[s] = append(c.uses[s], n)
			}
			literal = append(literal, s)
		}
		r.literals = append(r.literals, literal)
	}
	c.rules = append(c.rules, r)
}

// write returns the rules with other names. The order of the symbols determines the order of the variables of a rule.
func (c *code) write(order []int32, names map[string]string) string {
	colours := make([]int32, len(order))
	for i, s := range order {
		colours[s] = int32(i)
	}
	names = maps.Clone(names)
	var h hasher
	var lines []string
	for i := range c.rules {
		r := &c.rules[i]
		h.canon(r, colours)
		for rank, v := range h.ranked() {
			names[r.variables[v]] = "?" + strconv.Itoa(rank)
		}
		var line []string
		for _, text := range r.texts {
			line = append(line, rename(text, names))
		}
		slices.Sort(line[1:])
		lines = append(lines, strings.Join(line, " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
