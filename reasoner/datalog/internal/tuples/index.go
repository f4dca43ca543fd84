package tuples

// Index finds the tuples with given terms in some columns. Tuples that agree in
// these columns form a chain from the newest to the oldest.
type Index struct {
	of      *Table
	columns []int32
	slots   []entry // open addressing: the newest tuple of each key
	keys    int32   // number of chains
	older   []int32 // by tuple: the next older tuple of its chain, or -1
	chain   []int32 // by tuple: the number of its chain, if chains are numbered
	counts  bool    // chains are numbered
	scratch []int32
}

// slot returns the slot of a key with hash h in the hash table, or a free slot.
func (x *Index) slot(h uint32, key []int32) uint32 {
	mask := uint32(len(x.slots) - 1)
	slot := h & mask
	for e := x.slots[slot]; e != 0; e = x.slots[slot] {
		if e.hash() == h && x.matches(e.tuple(), key) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *Index) matches(t int32, key []int32) bool {
	row := x.of.Row(t)
	for i, c := range x.columns {
		if key[i] != row[c] {
			return false
		}
	}
	return true
}

// Newest returns the newest tuple with the key, or -1.
func (x *Index) Newest(key []int32) int32 {
	return x.slots[x.slot(Hash(0, key), key)].tuple()
}

// Next returns the next older tuple with the key of tuple t, or -1.
func (x *Index) Next(t int32) int32 { return x.older[t] }

// add puts tuple t, which must be the newest of all, at the front of its chain.
func (x *Index) add(t int32) {
	key := x.key(t)
	h := Hash(0, key)
	slot := x.slot(h, key)
	x.older = append(withRoom(x.older, 1), x.slots[slot].tuple())
	if x.slots[slot] == 0 {
		x.keys++
	}
	if x.counts {
		x.number(t)
	}
	x.slots[slot] = newEntry(h, t)
	if 2*int(x.keys) > len(x.slots) {
		x.rebuild()
	}
}

// numberChains numbers the existing chains, and makes add number later chains.
func (x *Index) numberChains() {
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
func (x *Index) number(t int32) {
	c := x.keys - 1
	if older := x.older[t]; older >= 0 {
		c = x.chain[older]
	}
	x.chain = append(x.chain, c)
}

// key returns the key of tuple t, valid until the next call.
func (x *Index) key(t int32) []int32 {
	row := x.of.Row(t)
	x.scratch = x.scratch[:0]
	for _, c := range x.columns {
		x.scratch = append(x.scratch, row[c])
	}
	return x.scratch
}

// rebuild doubles the hash table. Chains stay as they are: only their newest tuples
// are in the table.
func (x *Index) rebuild() {
	old := x.slots
	x.slots = make([]entry, 2*len(old))
	mask := uint32(len(x.slots) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		slot := e.hash() & mask
		for x.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.slots[slot] = e
	}
}
