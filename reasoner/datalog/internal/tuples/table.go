// Package tuples holds sets of rows of numbers, with indexes over their columns.
package tuples

import "slices"

// Table is a set of tuples of terms, numbered in the order of insertion and
// never removed one by one. Tuples lie in one flat array, row by row. Because numbers only
// grow, the new tuples of a round are a range of numbers, as semi-naive
// evaluation needs.
//
// Cost: insertion and membership are one hash probe each; every index adds one
// probe to the insertion and one word per tuple. Large tables wait for memory, so
// they hold hashes beside tuples: a probe reads a row only if the hashes agree.
type Table struct {
	Arity   int
	data    []int32 // arity columns per tuple
	n       int32   // number of tuples
	old     int32   // tuples [old, seen) are the delta of the running round
	seen    int32
	all     Index // over all columns: the set itself
	indexes []*Index
	stats   []columnStats
	Profile *Profile // expected size, or nil for the current size
}

// Profile holds the expected size of a table.
type Profile struct {
	Tuples   float64
	Distinct []float64 // by column
}

// columnStats holds the planner's statistics of a column.
type columnStats struct {
	at       int32 // number of tuples at the last count
	distinct int32
}

// New returns an empty table.
func New(arity int) *Table {
	x := &Table{Arity: arity, stats: make([]columnStats, arity)}
	x.all.slots = make([]entry, 4)
	x.all.columns = make([]int32, arity)
	for c := range x.all.columns {
		x.all.columns[c] = int32(c)
	}
	return x
}

// Columns returns the numbers of all columns.
func (x *Table) Columns() []int32 { return x.all.columns }

// Len returns the number of tuples.
func (x *Table) Len() int32 { return x.n }

// Row holds the terms of tuple t; callers must not change them.
func (x *Table) Row(t int32) []int32 {
	return x.data[int(t)*x.Arity : (int(t)+1)*x.Arity]
}

// Find returns the number of a tuple, or -1 if the tuple is not in the table.
func (x *Table) Find(tuple []int32) int32 {
	h := Hash(0, tuple)
	return x.all.slots[x.slot(h, tuple)].tuple()
}

// slot returns the slot of a tuple with hash h in the hash table, or a free slot.
func (x *Table) slot(h uint32, tuple []int32) uint32 {
	slots := x.all.slots
	mask := uint32(len(slots) - 1)
	slot := h & mask
	for e := slots[slot]; e != 0; e = slots[slot] {
		if e.hash() == h && Equal(tuple, x.Row(e.tuple())) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

// Insert adds a tuple, and returns its number and whether it is new.
func (x *Table) Insert(tuple []int32) (t int32, added bool) {
	h := Hash(0, tuple)
	slot := x.slot(h, tuple)
	if e := x.all.slots[slot]; e != 0 {
		return e.tuple(), false
	}
	t = x.n
	x.data = append(withRoom(x.data, x.Arity), tuple...)
	x.n++
	x.all.slots[slot] = newEntry(h, t)
	if x.all.keys++; 2*int(x.all.keys) > len(x.all.slots) {
		x.all.rebuild()
	}
	for _, i := range x.indexes {
		i.add(t)
	}
	return t, true
}

// Window is a range of tuples.
type Window uint8

// The windows.
const (
	All   Window = iota // all tuples, including tuples of the current round
	Old                 // tuples before the last round
	Delta               // tuples of the last round
	Seen                // tuples before and of the last round
)

// Bounds returns the range of tuples in a window.
func (x *Table) Bounds(w Window) (from, to int32) {
	switch w {
	case Old:
		return 0, x.old
	case Delta:
		return x.old, x.seen
	case Seen:
		return 0, x.seen
	}
	return 0, x.n
}

// StartRounds makes the present tuples the delta of the next round.
func (x *Table) StartRounds() { x.old, x.seen = 0, x.n }

// HasNew reports whether tuples were inserted in the current round.
func (x *Table) HasNew() bool { return x.n > x.seen }

// EndDelta makes the delta old.
func (x *Table) EndDelta() { x.old = x.seen }

// NextRound makes the tuples of the current round the delta.
func (x *Table) NextRound() { x.old, x.seen = x.seen, x.n }

// withRoom returns s with capacity for n more elements. It doubles full slices; append grows long slices by a
// quarter and copies more.
func withRoom[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, max(n, len(s)))
}

// entry is a slot of a hash table: the hash of a key and its tuple, or 0 if free.
type entry uint64

func newEntry(hash uint32, tuple int32) entry { return entry(hash)<<32 | entry(tuple+1) }

func (x entry) hash() uint32 { return uint32(x >> 32) }

// tuple returns the number of the tuple, or -1 for a free slot.
func (x entry) tuple() int32 { return int32(uint32(x)) - 1 }

// Index returns the index over the given columns, ascending, and makes it if
// there is none.
func (x *Table) Index(columns []int32) *Index {
	for _, i := range x.indexes {
		if len(i.columns) == len(columns) && Equal(i.columns, columns) {
			return i
		}
	}
	i := &Index{of: x, columns: columns, slots: make([]entry, 4)}
	for t := range x.n {
		i.add(t)
	}
	x.indexes = append(x.indexes, i)
	return i
}

// Size returns the expected number of tuples.
func (x *Table) Size() float64 {
	if x.Profile != nil {
		return x.Profile.Tuples
	}
	return float64(x.n)
}

// Distinct estimates the number of different terms in a column. It is counted
// anew when the table has doubled since the last count.
func (x *Table) Distinct(column int32) float64 {
	if x.Profile != nil {
		return x.Profile.Distinct[column]
	}
	s := &x.stats[column]
	if x.n > 2*s.at || x.n > 0 && s.at == 0 {
		*s = columnStats{at: x.n, distinct: x.count(column)}
	}
	return float64(max(1, s.distinct))
}

// count returns the number of different terms in a column.
func (x *Table) count(column int32) int32 {
	var seen []uint64 // by term: a bit
	n := int32(0)
	for t := range x.n {
		y := x.Row(t)[column]
		if word := int(y >> 6); word >= len(seen) {
			seen = append(withRoom(seen, word+1-len(seen)), make([]uint64, word+1-len(seen))...)
		}
		if bit := uint64(1) << (y & 63); seen[y>>6]&bit == 0 {
			seen[y>>6] |= bit
			n++
		}
	}
	return n
}

// Release frees the tuples, the indexes and the profile.
func (x *Table) Release() { *x = *New(x.Arity) }

// Clear removes all tuples and keeps the memory.
func (x *Table) Clear() {
	if x.n == 0 {
		return
	}
	x.n, x.old, x.seen, x.all.keys = 0, 0, 0, 0
	x.data = x.data[:0]
	clear(x.all.slots)
	for _, i := range x.indexes {
		clear(i.slots)
		i.older, i.keys, i.chain = i.older[:0], 0, i.chain[:0]
	}
}

// Bytes estimates the memory of the table.
func (x *Table) Bytes() int64 {
	words := cap(x.data) + 2*len(x.all.slots)
	for _, i := range x.indexes {
		words += 2*len(i.slots) + cap(i.older)
	}
	return 4 * int64(words)
}

// Project returns the profile of the keys of a relation.
func (p *Profile) Project(columns []int32) *Profile {
	if p == nil {
		return nil
	}
	out := &Profile{Tuples: p.Tuples}
	for _, c := range columns {
		out.Distinct = append(out.Distinct, p.Distinct[c])
	}
	return out
}

// Hash mixes a row of integers: multiplicative hashing, the multiplier being
// 2^64 divided by the golden ratio (Knuth, TAOCP 6.4). The high half is mixed best.
func Hash(seed uint32, row []int32) uint32 {
	h := uint64(seed)
	for _, x := range row {
		h = (h ^ uint64(uint32(x))) * 0x9e3779b97f4a7c15
	}
	h *= 0x9e3779b97f4a7c15
	return uint32(h >> 32)
}

// Equal reports whether two rows of equal length are equal.
func Equal(a, b []int32) bool {
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}
