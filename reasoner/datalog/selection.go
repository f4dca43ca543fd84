package datalog

// selection is a set of tuples of a table that is cleared in constant time: the tuples of a position, of all tuples that
// have ever occurred.
type selection struct {
	of      *table
	list    []int32  // the selected tuples, in the order of their selection
	mark    []uint32 // by tuple: the last run in which it was selected
	run     uint32   // from 1
	buckets []*buckets
}

// buckets group the selected tuples by the chains of an index of the table, so selecting a tuple needs no hashing.
type buckets struct {
	index *index
	lists [][]int32 // by chain
	used  []int32   // the chains with non-empty lists
}

func newSelection(of *table) *selection { return &selection{of: of, run: 1} }

// has reports whether tuple t is selected; t may be -1.
func (x *selection) has(t int32) bool {
	return t >= 0 && int(t) < len(x.mark) && x.mark[t] == x.run
}

// contains reports whether the tuple with the given terms is selected.
func (x *selection) contains(tuple []int32) bool { return x.has(x.of.find(tuple)) }

// insert inserts a tuple into the table and selects it.
func (x *selection) insert(tuple []int32) {
	t, _ := x.of.insert(tuple)
	x.add(t)
}

// add selects tuple t.
func (x *selection) add(t int32) {
	if x.has(t) {
		return
	}
	if missing := int(t) + 1 - len(x.mark); missing > 0 {
		x.mark = append(withRoom(x.mark, missing), make([]uint32, missing)...)
	}
	x.mark[t] = x.run
	x.list = append(x.list, t)
	for _, b := range x.buckets {
		b.add(t)
	}
}

// clear removes all tuples from the selection.
func (x *selection) clear() {
	x.list = x.list[:0]
	if x.run++; x.run == 0 {
		clear(x.mark)
		x.run = 1
	}
	for _, b := range x.buckets {
		for _, c := range b.used {
			b.lists[c] = b.lists[c][:0]
		}
		b.used = b.used[:0]
	}
}

// clearAll empties the selection and its table.
func (x *selection) clearAll() {
	x.clear()
	x.of.clear()
}

// bucketsBy returns the buckets over the given columns, ascending.
func (x *selection) bucketsBy(columns []int32) *buckets {
	index := x.of.index(columns)
	for _, b := range x.buckets {
		if b.index == index {
			return b
		}
	}
	index.numberChains()
	b := &buckets{index: index}
	for _, t := range x.list {
		b.add(t)
	}
	x.buckets = append(x.buckets, b)
	return b
}

// add puts tuple t into its bucket.
func (b *buckets) add(t int32) {
	c := b.index.chain[t]
	for int(c) >= len(b.lists) {
		b.lists = append(b.lists, nil)
	}
	if len(b.lists[c]) == 0 {
		b.used = append(b.used, c)
	}
	b.lists[c] = append(b.lists[c], t)
}

// find returns the selected tuples with a key.
func (b *buckets) find(key []int32) []int32 {
	t := b.index.newest(key)
	if t < 0 || int(b.index.chain[t]) >= len(b.lists) {
		return nil
	}
	return b.lists[b.index.chain[t]]
}
