package prover

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"stackmate/gdl"
)

// term is a ground term, numbered: equal terms have equal numbers. Atoms are
// terms too, so a fact is a term.
type term int32

// functor is a name with an arity, numbered. Symbols are functors of arity 0;
// relations are functors of atoms.
type functor int32

type signature struct {
	name  string
	arity int
}

// terms is the table of ground terms. It belongs to one goroutine.
type terms struct {
	functors   map[signature]functor
	signatures []signature
	numbers    map[string]term
	heads      []functor // by term
	arguments  [][]term  // by term
	open       []bool    // by term: whether anything occurs in it
	length     []int32   // by term: of its text in bytes, maxLength+1 if it is more
	bytes      int64     // of memory, about
	key        []byte
}

// maxLength is the length of text past which terms are not written: shared parts
// are stored once, so a term of a few kilobytes may have more text than atoms in
// the universe.
const maxLength = 1 << 18

var errTooLong = fmt.Errorf("the rules derive a term of more than %d KiB of text", maxLength>>10)

// termBytes is the memory of a term without arguments, about: its entries in the
// tables by number and the map from keys.
const termBytes = 120

// anything stands in questions for what is not known: the first term of every
// table.
const anything term = 0

func newTerms() *terms {
	t := &terms{functors: make(map[signature]functor), numbers: make(map[string]term)}
	t.make(t.functor("?", 0))
	t.open[anything] = true
	return t
}

// clone is an independent copy that gives the same numbers to the same terms.
func (t *terms) clone() *terms {
	return &terms{
		functors:   maps.Clone(t.functors),
		signatures: slices.Clone(t.signatures),
		numbers:    maps.Clone(t.numbers),
		heads:      slices.Clone(t.heads),
		arguments:  slices.Clone(t.arguments),
		open:       slices.Clone(t.open),
		length:     slices.Clone(t.length),
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

// make numbers the term f(args).
func (t *terms) make(f functor, args ...term) term {
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
		t.open = append(t.open, slices.ContainsFunc(args, func(a term) bool { return t.open[a] }))
		t.length = append(t.length, t.measure(f, args))
		t.bytes += termBytes + int64(12*len(args))
	}
	return n
}

// ground numbers a term of the rules that has no variables.
func (t *terms) ground(g gdl.Term) term {
	args := make([]term, len(g.Args))
	for i, a := range g.Args {
		args[i] = t.ground(a)
	}
	return t.make(t.functor(g.Name, len(args)), args...)
}

// measure is the length of the text of f(args).
func (t *terms) measure(f functor, args []term) int32 {
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

// isWritable tells whether the text of a term is of a length to be written.
func (t *terms) isWritable(n term) bool { return t.length[n] <= maxLength }

// string writes a term in prefix form.
func (t *terms) string(n term) string {
	if len(t.arguments[n]) == 0 {
		return t.signatures[t.heads[n]].name
	}
	return string(t.appendText(make([]byte, 0, t.length[n]), n))
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

// pattern is a term of a rule, whose variables are slots of a binding.
type pattern struct {
	slot    int  // of a variable, else -1
	ground  term // the term itself if it has no variables, else unbound
	functor functor
	args    []pattern
}

// unbound is the value of a slot without a term.
const unbound term = -1

// pattern reads a term of a rule; slots numbers its variables.
func (t *terms) pattern(g gdl.Term, slots map[string]int) pattern {
	if g.Kind == gdl.Variable {
		s, ok := slots[g.Name]
		if !ok {
			s = len(slots)
			slots[g.Name] = s
		}
		return pattern{slot: s, ground: unbound}
	}
	p := pattern{slot: -1, ground: unbound, functor: t.functor(g.Name, len(g.Args))}
	isGround := true
	for _, a := range g.Args {
		p.args = append(p.args, t.pattern(a, slots))
		isGround = isGround && p.args[len(p.args)-1].ground != unbound
	}
	if isGround {
		p.ground = t.ground(g)
	}
	return p
}

// instance is the ground term that p stands for; all its slots must be bound.
func (t *terms) instance(p *pattern, binding []term) term {
	if p.ground != unbound {
		return p.ground
	}
	if p.slot >= 0 {
		return binding[p.slot]
	}
	var buffer [8]term
	args := buffer[:0]
	for i := range p.args {
		args = append(args, t.instance(&p.args[i], binding))
	}
	return t.make(p.functor, args...)
}

// match extends binding so that p becomes n, appending the slots that it binds
// to trail; they are to be unbound again whether it succeeds or not.
func (t *terms) match(p *pattern, n term, binding []term, trail []int) ([]int, bool) {
	if p.slot >= 0 {
		if binding[p.slot] == unbound {
			binding[p.slot] = n
			return append(trail, p.slot), true
		}
		return trail, binding[p.slot] == n
	}
	if p.ground != unbound {
		return trail, p.ground == n
	}
	if t.heads[n] != p.functor {
		return trail, false
	}
	for i := range p.args {
		var ok bool
		if trail, ok = t.match(&p.args[i], t.arguments[n][i], binding, trail); !ok {
			return trail, false
		}
	}
	return trail, true
}
