package rules

import (
	"slices"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/tuples"
)

// Term is the number of a ground term in a TermTable. Equal terms have equal
// numbers, so comparing terms is comparing integers.
type Term = int32

// TermTable interns ground terms: symbols by their text, function terms by
// functor and arguments (hash-consing). Terms are numbered in the order of their
// first appearance and never removed. Both lookups take constant time.
type TermTable struct {
	symbols  map[string]Term
	functors map[functorKey]int32
	names    []functorKey // by functor
	head     []int32      // by term: its functor, or -1-i for symbol text i
	first    []int32      // by term: index of its first argument in args
	args     []Term
	text     []string // symbol texts
	table    []int32  // open addressing: compound term + 1, 0 if free
	used     int
	shared   int // number of terms that a clone has in common with its origin
}

// functorKey identifies a function symbol: (f a) and (f a b) have different
// functors.
type functorKey struct {
	name  string
	arity int
}

// minTermTable is the least size of the hash table, a power of two.
const minTermTable = 64

func newTermTable() *TermTable {
	return &TermTable{
		symbols:  make(map[string]Term),
		functors: make(map[functorKey]int32),
		table:    make([]int32, minTermTable),
	}
}

// symbol interns a symbol.
func (t *TermTable) symbol(name string) Term {
	if id, ok := t.symbols[name]; ok {
		return id
	}
	id := Term(len(t.head))
	t.symbols[name] = id
	t.head = append(t.head, int32(-1-len(t.text)))
	t.first = append(t.first, int32(len(t.args)))
	t.text = append(t.text, name)
	return id
}

// functor interns a function symbol.
func (t *TermTable) functor(name string, arity int) int32 {
	key := functorKey{name, arity}
	id, ok := t.functors[key]
	if !ok {
		id = int32(len(t.names))
		t.functors[key] = id
		t.names = append(t.names, key)
	}
	return id
}

// Compound interns the function term of a functor and its arguments.
func (t *TermTable) Compound(functor int32, args []Term) Term {
	mask := uint32(len(t.table) - 1)
	slot := tuples.Hash(uint32(functor), args) & mask
	for t.table[slot] != 0 {
		id := t.table[slot] - 1
		if t.head[id] == functor && tuples.Equal(t.ArgsOf(id), args) {
			return id
		}
		slot = (slot + 1) & mask
	}
	id := Term(len(t.head))
	t.head = append(t.head, functor)
	t.first = append(t.first, int32(len(t.args)))
	t.args = append(t.args, args...)
	t.table[slot] = id + 1
	if t.used++; 2*t.used > len(t.table) {
		t.rehash(2 * len(t.table))
	}
	return id
}

// Truncate removes the terms from number n on, which must be compound.
func (t *TermTable) Truncate(n int) {
	if n == len(t.head) {
		return
	}
	t.args = slices.Clone(t.args[:t.first[n]])
	t.head, t.first = slices.Clone(t.head[:n]), slices.Clone(t.first[:n])
	size := minTermTable
	for size < 4*n {
		size *= 2
	}
	t.rehash(size)
}

// rehash enters all compound terms into a new table.
func (t *TermTable) rehash(size int) {
	t.table = make([]int32, size)
	t.used = 0
	mask := uint32(size - 1)
	for id := range int32(len(t.head)) {
		if t.head[id] < 0 {
			continue
		}
		t.used++
		slot := tuples.Hash(uint32(t.head[id]), t.ArgsOf(id)) & mask
		for t.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.table[slot] = id + 1
	}
}

// FunctorOf returns the functor of a term, or a negative number for a symbol.
func (t *TermTable) FunctorOf(id Term) int32 { return t.head[id] }

// ArgsOf returns the arguments of a term; callers must not change them.
func (t *TermTable) ArgsOf(id Term) []Term {
	if t.head[id] < 0 {
		return nil
	}
	first := t.first[id]
	return t.args[first : int(first)+t.names[t.head[id]].arity]
}

// Len returns the number of terms.
func (t *TermTable) Len() int { return len(t.head) }

// Compounds returns the number of function terms.
func (t *TermTable) Compounds() int { return t.used }

// intern numbers a ground term of a rulesheet.
func (t *TermTable) intern(g gdl.Term) Term {
	if g.Kind != gdl.Compound {
		return t.symbol(g.Name)
	}
	args := make([]Term, len(g.Args))
	for i, a := range g.Args {
		args[i] = t.intern(a)
	}
	return t.Compound(t.functor(g.Name, len(args)), args)
}

// Read is the inverse of name, for terms whose symbols and functors all occur in the table.
func (t *TermTable) Read(text string) (Term, bool) {
	type begun struct {
		functor string
		args    int // index of its first argument
	}
	var open []begun
	var args []Term
	for text != "" {
		switch text[0] {
		case ' ':
			text = text[1:]
		case '(':
			name, rest := cutSymbol(text[1:])
			open, text = append(open, begun{name, len(args)}), rest
		case ')':
			if len(open) == 0 {
				return 0, false
			}
			last := open[len(open)-1]
			functor, ok := t.functors[functorKey{last.functor, len(args) - last.args}]
			if !ok {
				return 0, false
			}
			args = append(args[:last.args], t.Compound(functor, args[last.args:]))
			open, text = open[:len(open)-1], text[1:]
		default:
			name, rest := cutSymbol(text)
			id, ok := t.symbols[name]
			if !ok {
				return 0, false
			}
			args, text = append(args, id), rest
		}
	}
	if len(open) > 0 || len(args) != 1 {
		return 0, false
	}
	return args[0], true
}

// cutSymbol cuts off the symbol at the beginning of a text.
func cutSymbol(text string) (symbol, rest string) {
	if end := strings.IndexAny(text, " ()"); end >= 0 {
		return text[:end], text[end:]
	}
	return text, ""
}

// Clone returns a copy that grows independently of t. The copies share symbols: only
// compound terms are made at run time.
func (t *TermTable) Clone() *TermTable {
	out := *t
	out.shared = len(t.head)
	out.head = slices.Clone(t.head)
	out.first = slices.Clone(t.first)
	out.args = slices.Clone(t.args)
	out.table = slices.Clone(t.table)
	return &out
}

// Import returns the number of a term of another clone of the same table, which had no further terms between the clones.
func (t *TermTable) Import(from *TermTable, id Term) Term {
	if t == from || int(id) < t.shared {
		return id
	}
	args := make([]Term, 0, 4)
	for _, a := range from.ArgsOf(id) {
		args = append(args, t.Import(from, a))
	}
	return t.Compound(from.FunctorOf(id), args)
}

// Bytes estimates the memory of the table.
func (t *TermTable) Bytes() int64 {
	return int64(len(t.head))*8 + int64(len(t.args))*4 + int64(len(t.table))*4
}

// Name writes a term as the rulesheet does: prefix form, single blanks.
func (t *TermTable) Name(id Term) string {
	if t.head[id] < 0 {
		return t.text[-1-t.head[id]]
	}
	var b strings.Builder
	t.write(&b, id)
	return b.String()
}

func (t *TermTable) write(b *strings.Builder, id Term) {
	if t.head[id] < 0 {
		b.WriteString(t.text[-1-t.head[id]])
		return
	}
	b.WriteByte('(')
	b.WriteString(t.names[t.head[id]].name)
	for _, a := range t.ArgsOf(id) {
		b.WriteByte(' ')
		t.write(b, a)
	}
	b.WriteByte(')')
}
