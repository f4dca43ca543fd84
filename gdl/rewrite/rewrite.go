// Package rewrite changes rulesheets and terms without changing the game: it renames symbols and reorders rules. Game
// managers scramble names with it, players correct the spelling of messages, and tests check that engines treat
// rewritten rules alike. It returns new syntax trees.
package rewrite

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"stackmate/gdl"
)

// Symbols replaces every symbol of the game except keywords and integers by the result of rename. Rename is called
// once per symbol and must return distinct names.
func Symbols(tree *gdl.File, rename func(symbol string) string) *gdl.File {
	return atoms(tree, rename, func(name string) bool {
		_, err := strconv.Atoi(name)
		return err != nil && !gdl.IsVariable(name) && gdl.Keyword(name) == ""
	})
}

// Term replaces the symbols and functors of a term by the results of rename.
func Term(t gdl.Term, rename func(symbol string) string) gdl.Term {
	if t.Kind != gdl.Variable {
		t.Name = rename(t.Name)
	}
	var args []gdl.Term
	for _, a := range t.Args {
		args = append(args, Term(a, rename))
	}
	t.Args = args
	return t
}

// Variables replaces every variable by the result of rename, which must start with a question mark and be distinct.
func Variables(tree *gdl.File, rename func(variable string) string) *gdl.File {
	return atoms(tree, rename, gdl.IsVariable)
}

// atoms renames the symbols and variables that ok accepts.
func atoms(tree *gdl.File, rename func(string) string, ok func(string) bool) *gdl.File {
	names := make(map[string]string)
	renamed := func(name string) string {
		if name == "" || !ok(name) {
			return name
		}
		if _, known := names[name]; !known {
			names[name] = rename(name)
		}
		return names[name]
	}
	var term func(t gdl.Term) gdl.Term
	terms := func(list []gdl.Term) []gdl.Term {
		var out []gdl.Term
		for _, t := range list {
			out = append(out, term(t))
		}
		return out
	}
	term = func(t gdl.Term) gdl.Term {
		t.Name, t.Args = renamed(t.Name), terms(t.Args)
		return t
	}
	return each(tree, func(c *gdl.Clause) {
		c.Head = term(c.Head)
		formulas(c.Body, func(f *gdl.Formula) { f.Atom, f.Args = term(f.Atom), terms(f.Args) })
	})
}

// each returns a copy of a tree, down to the conditions, with every clause changed.
func each(tree *gdl.File, change func(*gdl.Clause)) *gdl.File {
	out := &gdl.File{Infix: tree.Infix}
	for _, c := range tree.Clauses {
		copied := *c
		copied.Body = clone(c.Body)
		change(&copied)
		out.Clauses = append(out.Clauses, &copied)
	}
	return out
}

func clone(list []gdl.Formula) []gdl.Formula {
	list = slices.Clone(list)
	for i := range list {
		list[i].Subs = clone(list[i].Subs)
	}
	return list
}

// formulas visits conditions and their nested conditions.
func formulas(list []gdl.Formula, visit func(*gdl.Formula)) {
	for i := range list {
		visit(&list[i])
		formulas(list[i].Subs, visit)
	}
}

// Bodies shuffles the conditions of every rule and the branches of every disjunction.
func Bodies(tree *gdl.File, rng *rand.Rand) *gdl.File {
	return each(tree, func(c *gdl.Clause) {
		shuffle(c.Body, rng)
		formulas(c.Body, func(f *gdl.Formula) {
			if f.Connective == gdl.Disjunction {
				shuffle(f.Subs, rng)
			}
		})
	})
}

// Rules shuffles rules and facts, except role facts, whose order is part of the game.
func Rules(tree *gdl.File, rng *rand.Rand) *gdl.File {
	out := &gdl.File{Infix: tree.Infix}
	var rest []*gdl.Clause
	for _, c := range tree.Clauses {
		if gdl.Keyword(c.Head.Name) == "role" {
			out.Clauses = append(out.Clauses, c)
		} else {
			rest = append(rest, c)
		}
	}
	shuffle(rest, rng)
	out.Clauses = append(out.Clauses, rest...)
	return out
}

// Scramble gives all symbols and variables random names, and shuffles rules and conditions.
func Scramble(tree *gdl.File, rng *rand.Rand) *gdl.File {
	taken := make(map[int]bool)
	number := func() string {
		n := rng.IntN(1 << 30)
		for taken[n] {
			n = rng.IntN(1 << 30)
		}
		taken[n] = true
		return strconv.Itoa(n)
	}
	tree = Symbols(tree, func(string) string { return "w" + number() })
	tree = Variables(tree, func(string) string { return "?w" + number() })
	return Rules(Bodies(tree, rng), rng)
}

// Disjunctions replaces each rule with a disjunction among its conditions by one rule per branch.
func Disjunctions(tree *gdl.File) *gdl.File {
	out := &gdl.File{Infix: tree.Infix}
	for _, c := range tree.Clauses {
		out.Clauses = append(out.Clauses, branches(c)...)
	}
	return out
}

// branches expands the disjunctions of a rule, including nested ones.
func branches(c *gdl.Clause) []*gdl.Clause {
	i := slices.IndexFunc(c.Body, func(f gdl.Formula) bool { return f.Connective == gdl.Disjunction })
	if i < 0 {
		return []*gdl.Clause{c}
	}
	var out []*gdl.Clause
	for _, branch := range c.Body[i].Subs {
		copied := *c
		copied.Body = slices.Concat(c.Body[:i], []gdl.Formula{branch}, c.Body[i+1:])
		out = append(out, branches(&copied)...)
	}
	return out
}

func shuffle[T any](list []T, rng *rand.Rand) {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
