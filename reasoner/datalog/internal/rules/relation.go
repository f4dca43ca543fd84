package rules

import (
	"encoding/binary"
	"slices"
	"strings"

	"stackmate/reasoner/datalog/internal/tuples"
)

// Relation is a relation of the rules, with the tuples that are known of it.
type Relation struct {
	Predicate
	class Class
	*tuples.Table
	// Selection holds the tuples of the position, for true and does in a running machine; else nil.
	Selection *tuples.Selection
}

// Class says on which part of a game the tuples of a relation depend, and whether they are known. A relation that is not
// static is open.
type Class uint8

// The classes.
const (
	Static  Class = iota // equal in all positions, and all in the table
	Pending              // equal in all positions, but not computed, as there may be too many
	Dynamic              // dependent on true, on does, or on demand that is not known yet
)

// NewRelation returns a relation without tuples.
func NewRelation(p Predicate, arity int, of Class) *Relation {
	return &Relation{Predicate: p, class: of, Table: tuples.New(arity)}
}

// IsOpen reports whether the table of r may lack tuples that hold in some position.
func (r *Relation) IsOpen() bool { return r.class != Static }

// Copy returns a relation of the same predicate, class and expected size, without tuples.
func (r *Relation) Copy() *Relation {
	out := NewRelation(r.Predicate, r.Arity, r.class)
	out.Profile = r.Profile
	return out
}

// Is reports whether r has the given class.
func (r *Relation) Is(of Class) bool { return r.class == of }

// Become sets the class of r. A pending relation keeps no tuples.
func (r *Relation) Become(of Class) {
	if r.class = of; of == Pending {
		r.Release()
	}
}

// IsInput reports whether r is a relation of fluents or of moves: true or does.
func (r *Relation) IsInput() bool { return r.Name == "true" || r.Name == "does" }

// IsInterface reports whether r is an input or an output of the game.
func (r *Relation) IsInterface() bool {
	return r.IsInput() || slices.ContainsFunc(outputs, func(k functorKey) bool { return k.name == r.Name })
}

// Predicate identifies a relation. The arguments whose functor is known are flattened
// into one column per argument of the function term: Shapes[i] is the functor of
// argument i, or NoFunctor if the argument is one column.
//
// Rulesheets may use any sign in a name, so relations of rewritings are distinguished by a number
// and never by their name.
type Predicate struct {
	Name      string
	Shapes    []int32
	Auxiliary int32 // number of a relation made by a rewriting; 0 for relations of the rules
}

// predicateKey is a comparable form of a predicate.
type predicateKey struct {
	name, shapes string // four bytes for each shape
	auxiliary    int32
}

func (p Predicate) key() predicateKey { return predicateKey{p.Name, Packed(p.Shapes), p.Auxiliary} }

// Packed encodes a list of numbers as a string, four bytes each.
func Packed(list []int32) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

// ArgName writes argument i of a flattened atom.
func (t *TermTable) ArgName(p Predicate, i int, row []int32) string {
	var b strings.Builder
	for _, shape := range p.Shapes[:i] {
		row = row[t.width(shape):]
	}
	t.writeArg(&b, p.Shapes[i], row)
	return b.String()
}

// width returns the number of columns of an argument with this shape.
func (t *TermTable) width(shape int32) int {
	if shape < 0 {
		return 1
	}
	return t.names[shape].arity
}

// writeArg writes the argument at the start of row and returns the rest of row.
func (t *TermTable) writeArg(b *strings.Builder, shape int32, row []int32) []int32 {
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
