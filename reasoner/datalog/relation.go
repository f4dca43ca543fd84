package datalog

// relation is a set of tuples of terms, numbered in the order of insertion and
// never removed. Tuples lie in one flat array, row by row. Because numbers only
// grow, the tuples that are new since some moment are a range of numbers, which
// is what semi-naive evaluation asks for.
//
// Cost: insertion and membership are one hash probe each; every index adds one
// probe to the insertion and one word per tuple.
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
	profile *profile // what sizes to expect at run time, or nil
}

// profile is what a relation holds on average in the positions of a game.
type profile struct {
	tuples   float64
	distinct []float64 // by column
}

// columnStats is what the planner knows of a column.
type columnStats struct {
	at       int32 // number of tuples when it was counted
	distinct int32
}

func newRelation(name predicate, arity int) *relation {
	r := &relation{name: name, arity: arity, stats: make([]columnStats, arity)}
	r.all.table = make([]int32, 4)
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

// find is the number of a tuple, or -1 if the relation does not have it.
func (r *relation) find(tuple []int32) int32 { return r.all.table[r.slot(tuple)] - 1 }

// slot is the place of a tuple in the table of the set: its own, or a free one.
func (r *relation) slot(tuple []int32) uint32 {
	table := r.all.table
	mask := uint32(len(table) - 1)
	slot := hashTuple(0, tuple) & mask
	for table[slot] != 0 && !equalTuples(tuple, r.row(table[slot]-1)) {
		slot = (slot + 1) & mask
	}
	return slot
}

// insert adds a tuple and tells whether it is new.
func (r *relation) insert(tuple []int32) bool {
	slot := r.slot(tuple)
	if r.all.table[slot] != 0 {
		return false
	}
	t := r.n
	r.data = append(r.data, tuple...)
	r.n++
	r.all.table[slot] = t + 1
	if r.all.keys++; 2*int(r.all.keys) > len(r.all.table) {
		r.all.rebuild(r)
	}
	for _, x := range r.indexes {
		x.add(r, t)
	}
	return true
}

// index returns the index over the given columns, ascending, and makes it if
// there is none.
func (r *relation) index(columns []int32) *index {
	for _, x := range r.indexes {
		if len(x.columns) == len(columns) && equalTuples(x.columns, columns) {
			return x
		}
	}
	x := &index{columns: columns, table: make([]int32, 4)}
	for t := range r.n {
		x.add(r, t)
	}
	r.indexes = append(r.indexes, x)
	return x
}

// table is where the tuples of r lie: for an input, those that were met.
func (r *relation) table() *relation {
	if r.input != nil {
		return r.input.known
	}
	return r
}

// size is the number of tuples to expect.
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

// count is the number of different terms in a column.
func (r *relation) count(column int32) int32 {
	seen := make(map[int32]struct{})
	for t := range r.n {
		seen[r.row(t)[column]] = struct{}{}
	}
	return int32(len(seen))
}

// release frees the tuples.
func (r *relation) release() {
	*r = relation{name: r.name, arity: r.arity, dynamic: r.dynamic, all: index{table: make([]int32, 4), columns: r.all.columns}, stats: make([]columnStats, r.arity)}
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
	words := cap(r.data) + len(r.all.table)
	for _, x := range r.indexes {
		words += len(x.table) + cap(x.older)
	}
	return 4 * int64(words)
}

// index finds the tuples with given terms in some columns. Tuples that agree in
// these columns form a chain from the newest to the oldest.
type index struct {
	columns []int32
	table   []int32 // open addressing: newest tuple of a key + 1, 0 if free
	keys    int32   // number of chains
	older   []int32 // by tuple: the next older tuple of its chain, or -1
	chain   []int32 // by tuple: the number of its chain, if chains are numbered
	counts  bool    // chains are numbered
	scratch []int32
}

// slot is the place of a key in the table: taken by its chain, or free.
func (x *index) slot(r *relation, key []int32) uint32 {
	mask := uint32(len(x.table) - 1)
	slot := hashTuple(0, key) & mask
	for x.table[slot] != 0 && !x.matches(r, x.table[slot]-1, key) {
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

// newest is the newest tuple that has the key, or -1.
func (x *index) newest(r *relation, key []int32) int32 {
	return x.table[x.slot(r, key)] - 1
}

// add puts tuple t, which must be the newest of all, at the front of its chain.
func (x *index) add(r *relation, t int32) {
	slot := x.slot(r, x.key(r, t))
	x.older = append(x.older, x.table[slot]-1)
	if x.table[slot] == 0 {
		x.keys++
	}
	if x.counts {
		x.number(t)
	}
	x.table[slot] = t + 1
	if 2*int(x.keys) > len(x.table) {
		x.rebuild(r)
	}
}

// numberChains numbers the chains, those that will come too.
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

// key is the key of tuple t, valid until the next call.
func (x *index) key(r *relation, t int32) []int32 {
	row := r.row(t)
	x.scratch = x.scratch[:0]
	for _, c := range x.columns {
		x.scratch = append(x.scratch, row[c])
	}
	return x.scratch
}

// rebuild doubles the table. Chains stay as they are: only their newest tuples
// have a place in the table.
func (x *index) rebuild(r *relation) {
	old := x.table
	x.table = make([]int32, 2*len(old))
	mask := uint32(len(x.table) - 1)
	for _, entry := range old {
		if entry == 0 {
			continue
		}
		slot := hashTuple(0, x.key(r, entry-1)) & mask
		for x.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.table[slot] = entry
	}
}
