package rules

import (
	"fmt"
	"slices"

	"stackmate/gdl"
)

// argKind is the kind of an argument.
type argKind uint8

// The kinds of arguments.
const (
	Constant argKind = iota // a ground term
	Variable                // a variable of the rule
	Compound                // a function term that contains variables
)

// Arg is an argument of an atom in a rule.
type Arg struct {
	Kind argKind
	Id   int32 // term, variable number or functor
	Args []Arg // of a compound
}

// Atom is a relation applied to arguments.
type Atom struct {
	Rel  *Relation
	Args []Arg
}

// Literal is one condition of a rule body.
type Literal struct {
	Op          gdl.Op
	Atom        Atom // of Holds and Not
	Left, Right Arg  // of Distinct and Equal
	// implied marks a condition that every rule using the head repeats. It limits the instances and is left out of
	// their bodies.
	Implied bool
}

// Rule is a clause over relations; its variables are numbered from 0.
type Rule struct {
	Head   Atom
	Body   []Literal
	Vars   int
	Source gdl.Rule // the rule of the rulesheet, for messages
	Split  bool     // head is an auxiliary relation made by splitting
}

// appendVars appends the variables of a, with repetitions.
func (a Arg) appendVars(dst []int32) []int32 {
	switch a.Kind {
	case Variable:
		return append(dst, a.Id)
	case Compound:
		for _, sub := range a.Args {
			dst = sub.appendVars(dst)
		}
	}
	return dst
}

// AppendVars appends the variables of a, with repetitions.
func (a Atom) AppendVars(dst []int32) []int32 {
	for _, x := range a.Args {
		dst = x.appendVars(dst)
	}
	return dst
}

// AppendVars appends the variables of l, with repetitions.
func (l *Literal) AppendVars(dst []int32) []int32 {
	if l.Op == gdl.Holds || l.Op == gdl.Not {
		return l.Atom.AppendVars(dst)
	}
	return l.Right.appendVars(l.Left.appendVars(dst))
}

// Vars lists the variables of l, with repetitions.
func (l *Literal) Vars() []int32 { return l.AppendVars(nil) }

// AppendBodyVars appends the variables of a body, with repetitions.
func AppendBodyVars(dst []int32, body []Literal) []int32 {
	for i := range body {
		dst = body[i].AppendVars(dst)
	}
	return dst
}

// allVars lists the variables of r, with repetitions.
func (r *Rule) allVars() []int32 { return AppendBodyVars(r.Head.AppendVars(nil), r.Body) }

// Variables returns the different variables of r in ascending order.
func (r *Rule) Variables() []int32 { return DistinctVars(r.allVars()) }

// Occurrences counts a variable in r.
func (r *Rule) Occurrences(v int32) int {
	n := 0
	for _, w := range r.allVars() {
		if v == w {
			n++
		}
	}
	return n
}

// Bound lists the variables that the positive literals of a body bind.
func Bound(body []Literal) []int32 {
	var vars []int32
	for i := range body {
		if body[i].Op == gdl.Holds {
			vars = body[i].AppendVars(vars)
		}
	}
	return vars
}

// DistinctVars sorts variables and removes duplicates.
func DistinctVars(vars []int32) []int32 {
	slices.Sort(vars)
	return slices.Compact(vars)
}

// Covers reports whether set contains all elements of part.
func Covers(set, part []int32) bool { return len(Intersect(part, set)) == len(part) }

// Intersect returns the elements of a that are in b, in the order of a.
func Intersect(a, b []int32) []int32 {
	var both []int32
	for _, x := range a {
		if slices.Contains(b, x) {
			both = append(both, x)
		}
	}
	return both
}

// LiteralsOf returns the literals of a body with the given indices.
func LiteralsOf(body []Literal, indices []int) []Literal {
	var list []Literal
	for _, i := range indices {
		list = append(list, body[i])
	}
	return list
}

// Count returns the number of literals of rel in the body of r.
func (r *Rule) Count(rel *Relation) int {
	n := 0
	for i := range r.Body {
		if r.Body[i].Atom.Rel == rel {
			n++
		}
	}
	return n
}

// Find returns the index of the first literal of rel in the body of r, or -1.
func (r *Rule) Find(rel *Relation) int {
	return slices.IndexFunc(r.Body, func(l Literal) bool { return l.Atom.Rel == rel })
}

// Uses reports whether rel occurs in a body of the rules.
func Uses(rules []*Rule, rel *Relation) bool {
	return slices.ContainsFunc(rules, func(r *Rule) bool { return r.Find(rel) >= 0 })
}

// IsOpen reports whether l is a literal of an open relation.
func (l *Literal) IsOpen() bool {
	return (l.Op == gdl.Holds || l.Op == gdl.Not) && l.Atom.Rel.IsOpen()
}

// IsOpenNegation reports whether l negates an atom of an open relation.
func (l *Literal) IsOpenNegation() bool { return l.Op == gdl.Not && l.Atom.Rel.IsOpen() }

// Describe names the rule of the rulesheet, with its position, from which r was made.
func Describe(r *Rule) string {
	if r.Source.Head.Name == "" {
		return "the carry from one position to the next"
	}
	what := "the rule"
	if r.Split {
		what = "a part of the rule"
	}
	pos := r.Source.Pos
	return fmt.Sprintf("%s for %s at %s:%d:%d", what, r.Source.Head, pos.File, pos.Line, pos.Column)
}
