package datalog

import "slices"

// table is a set of tuples of terms, numbered in the order of insertion and
// never removed one by one. Tuples lie in one flat array, row by row. Because numbers only
// grow, the new tuples of a round are a range of numbers, as semi-naive
// evaluation needs.
//
// Cost: insertion and membership are one hash probe each; every index adds one
// probe to the insertion and one word per tuple. Large tables wait for memory, so
// they hold hashes beside tuples: a probe reads a row only if the hashes agree.
type table struct {
	arity   int
	data    []int32 // arity columns per tuple
	n       int32   // number of tuples
	old     int32   // tuples [old, seen) are the delta of the running round
	seen    int32
	all     index // over all columns: the set itself
	indexes []*index
	stats   []columnStats
	profile *profile // expected size, or nil for the current size
}

// profile holds the expected size of a table.
type profile struct {
	tuples   float64
	distinct []float64 // by column
}

// columnStats holds the planner's statistics of a column.
type columnStats struct {
	at       int32 // number of tuples at the last count
	distinct int32
}

func newTable(arity int) *table {
	x := &table{arity: arity, stats: make([]columnStats, arity)}
	x.all.slots = make([]entry, 4)
	x.all.columns = make([]int32, arity)
	for c := range x.all.columns {
		x.all.columns[c] = int32(c)
	}
	return x
}

// columns returns the numbers of all columns.
func (x *table) columns() []int32 { return x.all.columns }

// len returns the number of tuples.
func (x *table) len() int32 { return x.n }

// row holds the terms of tuple t; callers must not change them.
func (x *table) row(t int32) []int32 {
	return x.data[int(t)*x.arity : (int(t)+1)*x.arity]
}

// find returns the number of a tuple, or -1 if the tuple is not in the table.
func (x *table) find(tuple []int32) int32 {
	h := hashTuple(0, tuple)
	return x.all.slots[x.slot(h, tuple)].tuple()
}

// slot returns the slot of a tuple with hash h in the hash table, or a free slot.
func (x *table) slot(h uint32, tuple []int32) uint32 {
	slots := x.all.slots
	mask := uint32(len(slots) - 1)
	slot := h & mask
	for e := slots[slot]; e != 0; e = slots[slot] {
		if e.hash() == h && equalTuples(tuple, x.row(e.tuple())) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

// insert adds a tuple, and returns its number and whether it is new.
func (x *table) insert(tuple []int32) (t int32, added bool) {
	h := hashTuple(0, tuple)
	slot := x.slot(h, tuple)
	if e := x.all.slots[slot]; e != 0 {
		return e.tuple(), false
	}
	t = x.n
	x.data = append(withRoom(x.data, x.arity), tuple...)
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

// window is a range of tuples.
type window uint8

const (
	windowAll   window = iota // all tuples, including tuples of the current round
	windowOld                 // tuples before the last round
	windowDelta               // tuples of the last round
	windowSeen                // tuples before and of the last round
)

// bounds returns the range of tuples in a window.
func (x *table) bounds(w window) (from, to int32) {
	switch w {
	case windowOld:
		return 0, x.old
	case windowDelta:
		return x.old, x.seen
	case windowSeen:
		return 0, x.seen
	}
	return 0, x.n
}

// startRounds makes the present tuples the delta of the next round.
func (x *table) startRounds() { x.old, x.seen = 0, x.n }

// hasNew reports whether tuples were inserted in the current round.
func (x *table) hasNew() bool { return x.n > x.seen }

// endDelta makes the delta old.
func (x *table) endDelta() { x.old = x.seen }

// nextRound makes the tuples of the current round the delta.
func (x *table) nextRound() { x.old, x.seen = x.seen, x.n }

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

// index returns the index over the given columns, ascending, and makes it if
// there is none.
func (x *table) index(columns []int32) *index {
	for _, i := range x.indexes {
		if len(i.columns) == len(columns) && equalTuples(i.columns, columns) {
			return i
		}
	}
	i := &index{of: x, columns: columns, slots: make([]entry, 4)}
	for t := range x.n {
		i.add(t)
	}
	x.indexes = append(x.indexes, i)
	return i
}

// size returns the expected number of tuples.
func (x *table) size() float64 {
	if x.profile != nil {
		return x.profile.tuples
	}
	return float64(x.n)
}

// distinct estimates the number of different terms in a column. It is counted
// anew when the table has doubled since the last count.
func (x *table) distinct(column int32) float64 {
	if x.profile != nil {
		return x.profile.distinct[column]
	}
	s := &x.stats[column]
	if x.n > 2*s.at || x.n > 0 && s.at == 0 {
		*s = columnStats{at: x.n, distinct: x.count(column)}
	}
	return float64(max(1, s.distinct))
}

// count returns the number of different terms in a column.
func (x *table) count(column int32) int32 {
	var seen []uint64 // by term: a bit
	n := int32(0)
	for t := range x.n {
		y := x.row(t)[column]
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

// release frees the tuples, the indexes and the profile.
func (x *table) release() { *x = *newTable(x.arity) }

// clear removes all tuples and keeps the memory.
func (x *table) clear() {
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

// bytes estimates the memory of the table.
func (x *table) bytes() int64 {
	words := cap(x.data) + 2*len(x.all.slots)
	for _, i := range x.indexes {
		words += 2*len(i.slots) + cap(i.older)
	}
	return 4 * int64(words)
}
