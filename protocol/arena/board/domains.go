package board

import (
	"context"
	"slices"

	"stackmate/gdl"
)

// The domain of each argument of each relation is the set of constants that some rule may put there. A
// variable of a head takes the intersection of the domains of the conditions that bind it. So a domain
// contains every value that occurs in a match, and possibly others. Fluents and moves are named by the terms
// inside of true and does.

// Bounds of the analysis of a game: values of an argument, arguments of a fluent (the search for coordinates
// takes a time that is cubic in them; boards have at most five), and total steps. Examples are read even
// after maxWork steps.
const (
	maxValues = 4096
	maxArity  = 8
	maxWork   = 20_000_000
)

// relation is a relation, a fluent or a move, with the number of its arguments.
type relation struct {
	kind  byte // one of static, fluent, move
	name  string
	arity int
}

const (
	static byte = iota // a relation that rules define
	fluent             // a term inside of true, next, init
	move               // a term inside of legal, does
	base               // a term inside of base: the fluents that the author declares
)

// slot is an argument position of a relation, from 0.
type slot struct {
	relation
	argument int
}

// set is a set of constants.
type set map[string]bool

// read splits an atom: true, next and init into the fluent, legal and does into the move. An atom with a
// variable for its fluent or move is no relation.
func read(atom gdl.Term) (relation, []gdl.Term, bool) {
	kind, inner := static, atom
	switch {
	case len(atom.Args) == 1 && (atom.Name == "true" || atom.Name == "next" || atom.Name == "init"):
		kind, inner = fluent, atom.Args[0]
	case len(atom.Args) == 2 && (atom.Name == "legal" || atom.Name == "does"):
		kind, inner = move, atom.Args[1]
	case len(atom.Args) == 1 && atom.Name == "base":
		kind, inner = base, atom.Args[0]
	}
	return relation{kind, inner.Name, len(inner.Args)}, inner.Args, inner.Kind != gdl.Variable
}

// clause is a rule with the relations of its head and conditions.
type clause struct {
	head relation
	args []gdl.Term
	// binding lists, by variable, the arguments of positive conditions that bind it.
	binding map[string][]slot
	rule    *gdl.Rule
}

func clauses(g *gdl.Game) []clause {
	var all []clause
	for i := range g.Rules {
		r := &g.Rules[i]
		head, args, ok := read(r.Head)
		if !ok {
			continue
		}
		c := clause{head: head, args: args, binding: make(map[string][]slot), rule: r}
		for _, l := range r.Body {
			if l.Op == gdl.Holds {
				c.bind(l.Atom)
			}
		}
		all = append(all, c)
	}
	return all
}

func (c *clause) bind(atom gdl.Term) {
	rel, args, ok := read(atom)
	if !ok {
		return
	}
	for i, a := range args {
		if a.Kind == gdl.Variable {
			c.binding[a.Name] = append(c.binding[a.Name], slot{rel, i})
		}
	}
}

// fixpoint applies put to the arguments of all heads until put finds nothing new, ctx ends or maxWork is
// reached. put reports whether its values are new, and returns the number of values that it has examined.
func fixpoint(ctx context.Context, all []clause, put func(c *clause, to slot, a gdl.Term) (isNew bool, looked int)) {
	work := 0
	for changed := true; changed; {
		changed = false
		for i := range all {
			for j, a := range all[i].args {
				if work >= maxWork || j == 0 && ctx.Err() != nil {
					return
				}
				isNew, looked := put(&all[i], slot{all[i].head, j}, a)
				changed, work = changed || isNew, work+looked+1
			}
		}
	}
}

// domains returns the values of all slots: the least fixpoint of the values that clauses put there.
func domains(ctx context.Context, all []clause) map[slot]set {
	found := make(map[slot]set)
	fixpoint(ctx, all, func(c *clause, to slot, a gdl.Term) (isNew bool, looked int) {
		if found[to] == nil {
			found[to] = make(set)
		}
		return c.addValues(found, found[to], a)
	})
	return found
}

// addValues adds the possible values of an argument of the head. It reports whether some value is new, and returns
// the number of values that it has examined.
func (c *clause) addValues(found map[slot]set, values set, a gdl.Term) (isNew bool, looked int) {
	add := func(v string) {
		if !values[v] && len(values) < maxValues {
			values[v], isNew = true, true
		}
	}
	if a.Kind == gdl.Symbol {
		add(a.Name)
		return isNew, 0
	}
	slots := c.binding[a.Name]
	if len(slots) == 0 {
		return false, 0 // a function term, or a variable that is only inside of one
	}
	least := found[slots[0]]
	for _, p := range slots[1:] {
		if len(found[p]) < len(least) {
			least = found[p]
		}
	}
	for v := range least {
		if !slices.ContainsFunc(slots, func(p slot) bool { return !found[p][v] }) {
			add(v)
		}
	}
	return isNew, len(least) * len(slots)
}

// links returns, for each argument of each move, the arguments of fluents with which it shares a variable.
// The variable is in one rule, or passes through relations that other rules define. The links show that the 3
// of (mark 1 3) is a column, and the 3 of (bid 3) is not.
func links(ctx context.Context, all []clause) map[slot]map[slot]bool {
	feeds := make(map[slot]map[slot]bool)
	fixpoint(ctx, all, func(c *clause, to slot, a gdl.Term) (isNew bool, looked int) {
		add := func(to, fluent slot) {
			if feeds[to] == nil {
				feeds[to] = make(map[slot]bool)
			}
			isNew = isNew || !feeds[to][fluent]
			feeds[to][fluent] = true
		}
		for _, p := range c.binding[a.Name] {
			looked += 1 + len(feeds[p])
			switch {
			case c.head.kind == fluent && p.kind == move:
				add(p, to)
			case c.head.kind == fluent:
			case p.kind == fluent:
				add(to, p)
			default:
				for f := range feeds[p] {
					add(to, f)
				}
			}
		}
		return isNew, looked
	})
	for p := range feeds {
		if p.kind != move {
			delete(feeds, p)
		}
	}
	return feeds
}
