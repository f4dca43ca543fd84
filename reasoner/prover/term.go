package prover

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"stackmate/gdl"
)

// term is the number of a ground term; equal terms have equal numbers. Atoms are terms too. So a fact is a term, and
// so is a query: an atom in which arguments may be the wildcard.
type term int32

// wildcard is the unknown argument of a query. It is the first term of every table.
const wildcard term = 0

// functor is the number of a name with an arity. Symbols are functors of arity 0; relations are functors of atoms.
type functor int32

type signature struct {
	name  string
	arity int
}

// terms is the table of ground terms. It belongs to one goroutine.
type terms struct {
	functors    map[signature]functor
	signatures  []signature
	numbers     map[string]term
	heads       []functor // by term
	arguments   [][]term  // by term
	hasWildcard []bool    // by term: contains the wildcard
	length      []int32   // by term: text length in bytes, maxLength+1 if it is greater
	bytes       int64     // memory, approximately
	key         []byte
}

const (
	// maxLength bounds the text of a term. Subterms are shared, so a term of a few kilobytes may have an
	// astronomically long text.
	maxLength = 1 << 18
	// termBytes is the approximate memory of a term without arguments: its entries in the tables and the map.
	termBytes = 120
)

var errTooLong = fmt.Errorf("the rules derive a term of more than %d KiB of text", maxLength>>10)

func newTerms() *terms {
	t := &terms{functors: make(map[signature]functor), numbers: make(map[string]term)}
	t.term(t.functor("?", 0))
	t.hasWildcard[wildcard] = true
	return t
}

// clone returns an independent copy in which the terms have the same numbers.
func (t *terms) clone() *terms {
	return &terms{
		functors: maps.Clone(t.functors), signatures: slices.Clone(t.signatures), numbers: maps.Clone(t.numbers),
		heads: slices.Clone(t.heads), arguments: slices.Clone(t.arguments), hasWildcard: slices.Clone(t.hasWildcard), length: slices.Clone(t.length),
	}
}

func (t *terms) functor(name string, arity int) functor {
	s := signature{name, arity}
	f, ok := t.functors[s]
	if !ok {
		f = functor(len(t.signatures))
		t.functors[s] = f
		t.signatures = append(t.signatures, s)
	}
	return f
}

// term returns the number of the term f(args).
func (t *terms) term(f functor, args ...term) term {
	t.key = binary.LittleEndian.AppendUint32(t.key[:0], uint32(f))
	for _, a := range args {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(a))
	}
	n, ok := t.numbers[string(t.key)]
	if !ok {
		n = term(len(t.heads))
		t.numbers[string(t.key)] = n
		t.heads = append(t.heads, f)
		t.arguments = append(t.arguments, slices.Clone(args))
		t.hasWildcard = append(t.hasWildcard, slices.ContainsFunc(args, func(a term) bool { return t.hasWildcard[a] }))
		t.length = append(t.length, t.textLength(f, args))
		t.bytes += termBytes + int64(12*len(args))
	}
	return n
}

// ground returns the number of a term without variables.
func (t *terms) ground(g gdl.Term) term {
	args := make([]term, len(g.Args))
	for i, a := range g.Args {
		args[i] = t.ground(a)
	}
	return t.term(t.functor(g.Name, len(args)), args...)
}

// textLength returns the length of the text of f(args).
func (t *terms) textLength(f functor, args []term) int32 {
	n := len(t.signatures[f].name)
	if len(args) > 0 {
		n += len("()")
	}
	for _, a := range args {
		n = min(n+len(" ")+int(t.length[a]), maxLength)
	}
	if n >= maxLength {
		return maxLength + 1
	}
	return int32(n)
}

// text returns a term in prefix form, or errTooLong.
func (t *terms) text(n term) (string, error) {
	switch {
	case t.length[n] > maxLength:
		return "", errTooLong
	case len(t.arguments[n]) == 0:
		return t.signatures[t.heads[n]].name, nil
	}
	return string(t.appendText(make([]byte, 0, t.length[n]), n)), nil
}

func (t *terms) appendText(dst []byte, n term) []byte {
	name := t.signatures[t.heads[n]].name
	if len(t.arguments[n]) == 0 {
		return append(dst, name...)
	}
	dst = append(append(dst, '('), name...)
	for _, a := range t.arguments[n] {
		dst = t.appendText(append(dst, ' '), a)
	}
	return append(dst, ')')
}
