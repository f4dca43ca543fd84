// Package rewrite changes rulesheets and terms without changing the game: other
// names, another order. Game managers scramble names with it, a player corrects the
// spelling of what a server sends, and tests ask that engines find the same game in
// rewritten rules. It works on syntax trees, of which it makes new ones, and knows
// only which symbols the language itself uses.
package rewrite

import (
	"math/rand/v2"
	"strconv"

	"stackmate/gdl"
)

// Symbols gives every symbol of the game the name that rename returns: all but
// keywords and integers, which keep theirs. Rename is called once for each
// symbol and must return different names for different symbols.
func Symbols(tree *gdl.File, rename func(symbol string) string) *gdl.File {
	return atoms(tree, rename, func(name string) bool {
		_, err := strconv.Atoi(name)
		return err != nil && !gdl.IsVariable(name) && gdl.Keyword(name) == ""
	})
}

// Term gives the symbols and functors of a term the names that rename returns.
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

// Variables gives every variable the name that rename returns, which must start
// with a question mark and differ for different variables.
func Variables(tree *gdl.File, rename func(variable string) string) *gdl.File {
	return atoms(tree, rename, gdl.IsVariable)
}

// atoms renames the atoms that ok accepts.
func atoms(tree *gdl.File, rename func(string) string, ok func(string) bool) *gdl.File {
	names := make(map[string]string)
	return each(tree, func(f *gdl.Form) *gdl.Form {
		if f.IsList() || !ok(f.Atom) {
			return f
		}
		name, known := names[f.Atom]
		if !known {
			name = rename(f.Atom)
			names[f.Atom] = name
		}
		return &gdl.Form{Pos: f.Pos, Atom: name}
	})
}

// each rebuilds a tree from the leaves up with change applied to every form.
func each(tree *gdl.File, change func(*gdl.Form) *gdl.Form) *gdl.File {
	var form func(f *gdl.Form) *gdl.Form
	form = func(f *gdl.Form) *gdl.Form {
		copied := &gdl.Form{Pos: f.Pos, Atom: f.Atom}
		for _, g := range f.List {
			copied.List = append(copied.List, form(g))
		}
		return change(copied)
	}
	out := &gdl.File{Infix: tree.Infix}
	for _, f := range tree.Forms {
		out.Forms = append(out.Forms, form(f))
	}
	return out
}

// Bodies puts the conditions of every rule and the branches of every disjunction
// into a random order.
func Bodies(tree *gdl.File, rng *rand.Rand) *gdl.File {
	return each(tree, func(f *gdl.Form) *gdl.Form {
		switch {
		case starts(f, "<="):
			shuffle(f.List[min(2, len(f.List)):], rng)
		case starts(f, "or"):
			shuffle(f.List[1:], rng)
		}
		return f
	})
}

// Rules puts rules and facts into a random order, but for the roles, whose order
// is part of the game.
func Rules(tree *gdl.File, rng *rand.Rand) *gdl.File {
	out := &gdl.File{Infix: tree.Infix}
	var rest []*gdl.Form
	for _, f := range tree.Forms {
		if starts(f, "role") {
			out.Forms = append(out.Forms, f)
		} else {
			rest = append(rest, f)
		}
	}
	shuffle(rest, rng)
	out.Forms = append(out.Forms, rest...)
	return out
}

// Disjunctions replaces each rule with a disjunction among its conditions by one
// rule for each branch.
func Disjunctions(tree *gdl.File) *gdl.File {
	out := &gdl.File{Infix: tree.Infix}
	for _, f := range tree.Forms {
		out.Forms = append(out.Forms, branches(f)...)
	}
	return out
}

// branches expands the disjunctions of a rule, those inside others included.
func branches(f *gdl.Form) []*gdl.Form {
	if !starts(f, "<=") {
		return []*gdl.Form{f}
	}
	for i, g := range f.List {
		if i < 2 || !starts(g, "or") {
			continue
		}
		var out []*gdl.Form
		for _, branch := range g.List[1:] {
			list := append(append(append([]*gdl.Form(nil), f.List[:i]...), branch), f.List[i+1:]...)
			out = append(out, branches(&gdl.Form{Pos: f.Pos, List: list})...)
		}
		return out
	}
	return []*gdl.Form{f}
}

// starts tells whether f is a list that starts with the keyword.
func starts(f *gdl.Form, keyword string) bool {
	return len(f.List) > 0 && gdl.Keyword(f.List[0].Atom) == keyword
}

func shuffle(list []*gdl.Form, rng *rand.Rand) {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
