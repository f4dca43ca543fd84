package datalog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
)

// argKind is the kind of an argument.
type argKind uint8

const (
	constant argKind = iota // a ground term
	variable                // a variable of the rule
	compound                // a function term that contains variables
)

// arg is an argument of an atom in a rule.
type arg struct {
	kind argKind
	id   int32 // term, variable number or functor
	args []arg // of a compound
}

// relation is a relation of the rules, with the tuples that are known of it.
type relation struct {
	name  predicate
	class class
	*table
	// selection holds the tuples of the position, for true and does in a running machine; else nil.
	selection *selection
}

// class says on which part of a game the tuples of a relation depend, and whether they are known.
type class uint8

const (
	static  class = iota // equal in all positions, and all in the table
	pending              // equal in all positions, but not computed, as there may be too many
	dynamic              // dependent on true, on does, or on demand that is not known yet
)

func newRelation(name predicate, arity int, of class) *relation {
	return &relation{name: name, class: of, table: newTable(arity)}
}

// isOpen reports whether the table of r may lack tuples that hold in some position.
func (r *relation) isOpen() bool { return r.class != static }

// is reports whether r has the given class.
func (r *relation) is(of class) bool { return r.class == of }

// become sets the class of r. A pending relation keeps no tuples.
func (r *relation) become(of class) {
	if r.class = of; of == pending {
		r.release()
	}
}

// isInput reports whether r is a relation of fluents or of moves: true or does.
func (r *relation) isInput() bool { return r.name.name == "true" || r.name.name == "does" }

// isInterface reports whether r is an input or an output of the game.
func (r *relation) isInterface() bool {
	return r.isInput() || slices.ContainsFunc(outputs, func(k functorKey) bool { return k.name == r.name.name })
}

// atom is a relation applied to arguments.
type atom struct {
	rel  *relation
	args []arg
}

// literal is one condition of a rule body.
type literal struct {
	op          gdl.Op
	atom        atom // of Holds and Not
	left, right arg  // of Distinct and Equal
	// implied marks a condition that every rule using the head repeats. It limits the instances and is left out of
	// their bodies.
	implied bool
}

// rule is a clause over relations; its variables are numbered from 0.
type rule struct {
	head   atom
	body   []literal
	vars   int
	source gdl.Rule // the rule of the rulesheet, for messages
	split  bool     // head is an auxiliary relation made by splitting
}

// predicate identifies a relation. The arguments whose functor is known are flattened
// into one column per argument of the function term: shapes[i] is the functor of
// argument i, or -1 if the argument is one column.
//
// Rulesheets may use any sign in a name, so relations of rewritings are distinguished by a number
// and never by their name.
type predicate struct {
	name      string
	shapes    []int32
	auxiliary int32 // number of a relation made by a rewriting; 0 for relations of the rules
}

// predicateKey is a comparable form of a predicate.
type predicateKey struct {
	name, shapes string // four bytes for each shape
	auxiliary    int32
}

func (p predicate) key() predicateKey { return predicateKey{p.name, packed(p.shapes), p.auxiliary} }

// packed encodes a list of numbers as a string, four bytes each.
func packed(list []int32) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

// argName writes argument i of a flattened atom.
func (t *termTable) argName(p predicate, i int, row []int32) string {
	var b strings.Builder
	for _, shape := range p.shapes[:i] {
		row = row[t.width(shape):]
	}
	t.writeArg(&b, p.shapes[i], row)
	return b.String()
}

// width returns the number of columns of an argument with this shape.
func (t *termTable) width(shape int32) int {
	if shape < 0 {
		return 1
	}
	return t.names[shape].arity
}

// writeArg writes the argument at the start of row and returns the rest of row.
func (t *termTable) writeArg(b *strings.Builder, shape int32, row []int32) []int32 {
	if shape < 0 {
		t.write(b, row[0])
		return row[1:]
	}
	b.WriteByte('(')
	b.WriteString(t.names[shape].name)
	for range t.names[shape].arity {
		b.WriteByte(' ')
		t.write(b, row[0])
		row = row[1:]
	}
	b.WriteByte(')')
	return row
}

// appendVars appends the variables of a, with repetitions.
func (a arg) appendVars(dst []int32) []int32 {
	switch a.kind {
	case variable:
		return append(dst, a.id)
	case compound:
		for _, sub := range a.args {
			dst = sub.appendVars(dst)
		}
	}
	return dst
}

func (a atom) appendVars(dst []int32) []int32 {
	for _, x := range a.args {
		dst = x.appendVars(dst)
	}
	return dst
}

func (l *literal) appendVars(dst []int32) []int32 {
	if l.op == gdl.Holds || l.op == gdl.Not {
		return l.atom.appendVars(dst)
	}
	return l.right.appendVars(l.left.appendVars(dst))
}

// vars lists the variables of l, with repetitions.
func (l *literal) vars() []int32 { return l.appendVars(nil) }

// appendBodyVars appends the variables of a body, with repetitions.
func appendBodyVars(dst []int32, body []literal) []int32 {
	for i := range body {
		dst = body[i].appendVars(dst)
	}
	return dst
}

// allVars lists the variables of r, with repetitions.
func (r *rule) allVars() []int32 { return appendBodyVars(r.head.appendVars(nil), r.body) }

// variables returns the different variables of r in ascending order.
func (r *rule) variables() []int32 { return distinctVars(r.allVars()) }

// occurrences counts a variable in r.
func (r *rule) occurrences(v int32) int {
	n := 0
	for _, w := range r.allVars() {
		if v == w {
			n++
		}
	}
	return n
}

// bound lists the variables that the positive literals of a body bind.
func bound(body []literal) []int32 {
	var vars []int32
	for i := range body {
		if body[i].op == gdl.Holds {
			vars = body[i].appendVars(vars)
		}
	}
	return vars
}

// distinctVars sorts variables and removes duplicates.
func distinctVars(vars []int32) []int32 {
	slices.Sort(vars)
	return slices.Compact(vars)
}

// covers reports whether set contains all elements of part.
func covers(set, part []int32) bool { return len(intersect(part, set)) == len(part) }

// intersect returns the elements of a that are in b, in the order of a.
func intersect(a, b []int32) []int32 {
	var both []int32
	for _, x := range a {
		if slices.Contains(b, x) {
			both = append(both, x)
		}
	}
	return both
}

// literalsOf returns the literals of a body with the given indices.
func literalsOf(body []literal, indices []int) []literal {
	var list []literal
	for _, i := range indices {
		list = append(list, body[i])
	}
	return list
}

// count returns the number of literals of rel in the body of r.
func (r *rule) count(rel *relation) int {
	n := 0
	for i := range r.body {
		if r.body[i].atom.rel == rel {
			n++
		}
	}
	return n
}

// find returns the index of the first literal of rel in the body of r, or -1.
func (r *rule) find(rel *relation) int {
	return slices.IndexFunc(r.body, func(l literal) bool { return l.atom.rel == rel })
}

// uses reports whether rel occurs in a body of the rules.
func uses(rules []*rule, rel *relation) bool {
	return slices.ContainsFunc(rules, func(r *rule) bool { return r.find(rel) >= 0 })
}

// isOpen reports whether l is a literal of an open relation.
func (l *literal) isOpen() bool {
	return (l.op == gdl.Holds || l.op == gdl.Not) && l.atom.rel.isOpen()
}

// isOpenNegation reports whether l negates an atom of an open relation.
func (l *literal) isOpenNegation() bool { return l.op == gdl.Not && l.atom.rel.isOpen() }

// describe names the rule of the rulesheet, with its position, from which r was made.
func describe(r *rule) string {
	if r.source.Head.Name == "" {
		return "the carry from one position to the next"
	}
	what := "the rule"
	if r.split {
		what = "a part of the rule"
	}
	pos := r.source.Pos
	return fmt.Sprintf("%s for %s at %s:%d:%d", what, r.source.Head, pos.File, pos.Line, pos.Column)
}
