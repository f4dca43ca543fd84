package datalog

import "slices"

// relation is a set of tuples of terms, numbered in the order of insertion and
// never removed. Tuples lie in one flat array, row by row. Because numbers only
// grow, the new tuples of a round are a range of numbers, as semi-naive
// evaluation needs.
//
// Cost: insertion and membership are one hash probe each; every index adds one
// probe to the insertion and one word per tuple. Large relations wait for memory, so
// tables hold hashes beside tuples: a probe reads a row only if the hashes agree.
type relation struct {
	name    predicate
	arity   int
	dynamic bool    // depends on true or does
	data    []int32 // arity columns per tuple
	n       int32   // number of tuples
	old     int32   // tuples [old, seen) are the delta of the running round
	seen    int32
	all     index // over all columns: the set itself
	indexes []*index
	stats   []columnStats
	input   *input   // true and does of a running machine, else nil
	profile *profile // expected size, or nil for the current size
}

// profile holds the expected size of a relation.
type profile struct {
	tuples   float64
	distinct []float64 // by column
}

// columnStats holds the planner's statistics of a column.
type columnStats struct {
	at       int32 // number of tuples at the last count
	distinct int32
}

func newRelation(name predicate, arity int) *relation {
	r := &relation{name: name, arity: arity, stats: make([]columnStats, arity)}
	r.all.table = make([]entry, 4)
	r.all.columns = make([]int32, arity)
	for i := range r.all.columns {
		r.all.columns[i] = int32(i)
	}
	return r
}

// row holds the terms of tuple t; callers must not change them.
func (r *relation) row(t int32) []int32 {
	return r.data[int(t)*r.arity : (int(t)+1)*r.arity]
}

// find returns the number of a tuple, or -1 if the tuple is not in the relation.
func (r *relation) find(tuple []int32) int32 {
	h := hashTuple(0, tuple)
	return r.all.table[r.slot(h, tuple)].tuple()
}

// slot returns the slot of a tuple with hash h in the hash table, or a free slot.
func (r *relation) slot(h uint32, tuple []int32) uint32 {
	table := r.all.table
	mask := uint32(len(table) - 1)
	slot := h & mask
	for x := table[slot]; x != 0; x = table[slot] {
		if x.hash() == h && equalTuples(tuple, r.row(x.tuple())) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

// insert adds a tuple, and returns its number and whether it is new.
func (r *relation) insert(tuple []int32) (t int32, added bool) {
	h := hashTuple(0, tuple)
	slot := r.slot(h, tuple)
	if e := r.all.table[slot]; e != 0 {
		return e.tuple(), false
	}
	t = r.n
	r.data = append(withRoom(r.data, r.arity), tuple...)
	r.n++
	r.all.table[slot] = newEntry(h, t)
	if r.all.keys++; 2*int(r.all.keys) > len(r.all.table) {
		r.all.rebuild()
	}
	for _, x := range r.indexes {
		x.add(r, t)
	}
	return t, true
}

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
func (r *relation) index(columns []int32) *index {
	for _, x := range r.indexes {
		if len(x.columns) == len(columns) && equalTuples(x.columns, columns) {
			return x
		}
	}
	x := &index{columns: columns, table: make([]entry, 4)}
	for t := range r.n {
		x.add(r, t)
	}
	r.indexes = append(r.indexes, x)
	return x
}

// table returns the relation that stores the tuples of r: for an input, the known tuples.
func (r *relation) table() *relation {
	if r.input != nil {
		return r.input.known
	}
	return r
}

// size returns the expected number of tuples.
func (r *relation) size() float64 {
	if r.profile != nil {
		return r.profile.tuples
	}
	return float64(r.n)
}

// distinct estimates the number of different terms in a column. It is counted
// anew when the relation has doubled since the last count.
func (r *relation) distinct(column int32) float64 {
	if r.profile != nil {
		return r.profile.distinct[column]
	}
	s := &r.stats[column]
	if r.n > 2*s.at || r.n > 0 && s.at == 0 {
		*s = columnStats{at: r.n, distinct: r.count(column)}
	}
	return float64(max(1, s.distinct))
}

// count returns the number of different terms in a column.
func (r *relation) count(column int32) int32 {
	var seen []uint64 // by term: a bit
	n := int32(0)
	for t := range r.n {
		x := r.row(t)[column]
		if word := int(x >> 6); word >= len(seen) {
			seen = append(withRoom(seen, word+1-len(seen)), make([]uint64, word+1-len(seen))...)
		}
		if bit := uint64(1) << (x & 63); seen[x>>6]&bit == 0 {
			seen[x>>6] |= bit
			n++
		}
	}
	return n
}

// release frees the tuples.
func (r *relation) release() {
	*r = relation{name: r.name, arity: r.arity, dynamic: r.dynamic, all: index{table: make([]entry, 4), columns: r.all.columns}, stats: make([]columnStats, r.arity)}
}

// clear removes all tuples and keeps the memory.
func (r *relation) clear() {
	if r.n == 0 {
		return
	}
	r.n, r.old, r.seen, r.all.keys = 0, 0, 0, 0
	r.data = r.data[:0]
	clear(r.all.table)
	for _, x := range r.indexes {
		clear(x.table)
		x.older, x.keys, x.chain = x.older[:0], 0, x.chain[:0]
	}
}

// bytes estimates the memory of the relation.
func (r *relation) bytes() int64 {
	words := cap(r.data) + 2*len(r.all.table)
	for _, x := range r.indexes {
		words += 2*len(x.table) + cap(x.older)
	}
	return 4 * int64(words)
}

// index finds the tuples with given terms in some columns. Tuples that agree in
// these columns form a chain from the newest to the oldest.
type index struct {
	columns []int32
	table   []entry // open addressing: the newest tuple of each key
	keys    int32   // number of chains
	older   []int32 // by tuple: the next older tuple of its chain, or -1
	chain   []int32 // by tuple: the number of its chain, if chains are numbered
	counts  bool    // chains are numbered
	scratch []int32
}

// slot returns the slot of a key with hash h in the hash table, or a free slot.
func (x *index) slot(r *relation, h uint32, key []int32) uint32 {
	mask := uint32(len(x.table) - 1)
	slot := h & mask
	for e := x.table[slot]; e != 0; e = x.table[slot] {
		if e.hash() == h && x.matches(r, e.tuple(), key) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *index) matches(r *relation, t int32, key []int32) bool {
	row := r.row(t)
	for i, c := range x.columns {
		if key[i] != row[c] {
			return false
		}
	}
	return true
}

// newest returns the newest tuple with the key, or -1.
func (x *index) newest(r *relation, key []int32) int32 {
	return x.table[x.slot(r, hashTuple(0, key), key)].tuple()
}

// add puts tuple t, which must be the newest of all, at the front of its chain.
func (x *index) add(r *relation, t int32) {
	key := x.key(r, t)
	h := hashTuple(0, key)
	slot := x.slot(r, h, key)
	x.older = append(withRoom(x.older, 1), x.table[slot].tuple())
	if x.table[slot] == 0 {
		x.keys++
	}
	if x.counts {
		x.number(t)
	}
	x.table[slot] = newEntry(h, t)
	if 2*int(x.keys) > len(x.table) {
		x.rebuild()
	}
}

// numberChains numbers the existing chains, and makes add number later chains.
func (x *index) numberChains() {
	x.counts, x.chain = true, x.chain[:0]
	chains := int32(0)
	for _, older := range x.older {
		if older >= 0 {
			x.chain = append(x.chain, x.chain[older])
			continue
		}
		x.chain = append(x.chain, chains)
		chains++
	}
}

// number gives tuple t the number of its chain, a new one if it is the first.
func (x *index) number(t int32) {
	c := x.keys - 1
	if older := x.older[t]; older >= 0 {
		c = x.chain[older]
	}
	x.chain = append(x.chain, c)
}

// key returns the key of tuple t, valid until the next call.
func (x *index) key(r *relation, t int32) []int32 {
	row := r.row(t)
	x.scratch = x.scratch[:0]
	for _, c := range x.columns {
		x.scratch = append(x.scratch, row[c])
	}
	return x.scratch
}

// rebuild doubles the table. Chains stay as they are: only their newest tuples
// are in the table.
func (x *index) rebuild() {
	old := x.table
	x.table = make([]entry, 2*len(old))
	mask := uint32(len(x.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		slot := e.hash() & mask
		for x.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.table[slot] = e
	}
}
