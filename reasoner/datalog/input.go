package datalog

// bitset is a set of numbers as bits: the bits of a position, of a joint
// move, or of the moves that are legal.
type bitset struct{ words []uint64 }

func (b *bitset) has(i int32) bool { return b.words[i>>6]>>(uint(i)&63)&1 != 0 }

func (b *bitset) set(i int32) { b.words[i>>6] |= 1 << (uint(i) & 63) }

// input is a relation whose possible tuples are fixed and which holds those whose
// bit is set: the fluents of a position, the moves of a joint move. As a sink it
// collects the derived tuples in its bits.
type input struct {
	universe *relation // the possible tuples
	number   []int32   // by tuple: its bit; -1 where it has none
	truth    *bitset
	list     []int32 // the tuples that are true; not kept for sinks
	buckets  []*buckets
}

// buckets sort the true tuples of an input by the chains of an index over the
// possible ones: a lookup that passes over those that are false.
type buckets struct {
	index *index
	chain []int32   // by tuple
	lists [][]int32 // by chain
	used  []int32   // the chains whose lists are not empty
}

// by returns the buckets over an index of the universe.
func (in *input) by(x *index) *buckets {
	for _, b := range in.buckets {
		if b.index == x {
			return b
		}
	}
	b := &buckets{index: x, chain: x.numberChains(), lists: make([][]int32, x.keys)}
	in.buckets = append(in.buckets, b)
	return b
}

// reset makes all tuples false.
func (in *input) reset() {
	in.list = in.list[:0]
	for _, b := range in.buckets {
		for _, c := range b.used {
			b.lists[c] = b.lists[c][:0]
		}
		b.used = b.used[:0]
	}
}

// add makes possible tuple t true.
func (in *input) add(t int32) {
	in.list = append(in.list, t)
	for _, b := range in.buckets {
		c := b.chain[t]
		if len(b.lists[c]) == 0 {
			b.used = append(b.used, c)
		}
		b.lists[c] = append(b.lists[c], t)
	}
}

// find holds the true tuples with a key.
func (b *buckets) find(universe *relation, key []int32) []int32 {
	t := b.index.newest(universe, key)
	if t < 0 {
		return nil
	}
	return b.lists[b.chain[t]]
}

// isTrue tells whether possible tuple t holds.
func (in *input) isTrue(t int32) bool { return in.number[t] >= 0 && in.truth.has(in.number[t]) }

// has tells whether a tuple holds.
func (in *input) has(tuple []int32) bool {
	t := in.universe.find(tuple)
	return t >= 0 && in.isTrue(t)
}

// known tells whether a sink has no use for a tuple: it is there already or is
// not among the possible ones.
func (in *input) known(tuple []int32) bool {
	t := in.universe.find(tuple)
	return t < 0 || in.number[t] < 0 || in.truth.has(in.number[t])
}

// set puts a possible tuple into a sink.
func (in *input) set(tuple []int32) {
	if t := in.universe.find(tuple); t >= 0 && in.number[t] >= 0 {
		in.truth.set(in.number[t])
	}
}

// place is where the atom of a fluent or a move lies: an input and its tuple.
type place struct{ input, tuple int32 }
