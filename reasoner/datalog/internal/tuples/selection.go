package tuples

// Selection is a set of tuples of a table that is cleared in constant time: the tuples of a position, of all tuples that
// have ever occurred.
type Selection struct {
	of      *Table
	List    []int32  // the selected tuples, in the order of their selection
	mark    []uint32 // by tuple: the last run in which it was selected
	run     uint32   // from 1
	buckets []*Buckets
}

// Buckets group the selected tuples by the chains of an index of the table, so selecting a tuple needs no hashing.
type Buckets struct {
	index *Index
	lists [][]int32 // by chain
	used  []int32   // the chains with non-empty lists
}

// NewSelection returns an empty selection of tuples of a table.
func NewSelection(of *Table) *Selection { return &Selection{of: of, run: 1} }

// has reports whether tuple t is selected; t may be -1.
func (x *Selection) has(t int32) bool {
	return t >= 0 && int(t) < len(x.mark) && x.mark[t] == x.run
}

// Contains reports whether the tuple with the given terms is selected.
func (x *Selection) Contains(tuple []int32) bool { return x.has(x.of.Find(tuple)) }

// Insert inserts a tuple into the table and selects it.
func (x *Selection) Insert(tuple []int32) {
	t, _ := x.of.Insert(tuple)
	x.Add(t)
}

// Add selects tuple t.
func (x *Selection) Add(t int32) {
	if x.has(t) {
		return
	}
	if missing := int(t) + 1 - len(x.mark); missing > 0 {
		x.mark = append(withRoom(x.mark, missing), make([]uint32, missing)...)
	}
	x.mark[t] = x.run
	x.List = append(x.List, t)
	for _, b := range x.buckets {
		b.add(t)
	}
}

// Clear removes all tuples from the selection.
func (x *Selection) Clear() {
	x.List = x.List[:0]
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

// ClearAll empties the selection and its table.
func (x *Selection) ClearAll() {
	x.Clear()
	x.of.Clear()
}

// BucketsBy returns the buckets over the given columns, ascending.
func (x *Selection) BucketsBy(columns []int32) *Buckets {
	index := x.of.Index(columns)
	for _, b := range x.buckets {
		if b.index == index {
			return b
		}
	}
	index.numberChains()
	b := &Buckets{index: index}
	for _, t := range x.List {
		b.add(t)
	}
	x.buckets = append(x.buckets, b)
	return b
}

// add puts tuple t into its bucket.
func (b *Buckets) add(t int32) {
	c := b.index.chain[t]
	for int(c) >= len(b.lists) {
		b.lists = append(b.lists, nil)
	}
	if len(b.lists[c]) == 0 {
		b.used = append(b.used, c)
	}
	b.lists[c] = append(b.lists[c], t)
}

// Find returns the selected tuples with a key.
func (b *Buckets) Find(key []int32) []int32 {
	t := b.index.Newest(key)
	if t < 0 || int(b.index.chain[t]) >= len(b.lists) {
		return nil
	}
	return b.lists[b.index.chain[t]]
}
