// Package table owns the transposition table of the exact searches: a map from positions to proved
// results, in bounded memory. It knows packed positions (reasoner/machine), not the meaning of values.
package table

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"stackmate/reasoner/machine"
)

// Stats is the size of a table.
type Stats struct {
	Entries   int64 // positions held
	Evictions int64 // positions dropped for lack of memory
	Bytes     int64 // memory of entries and directory
}

// Table is one goroutine's access to a Shared table with values of type V.
type Table[V any] struct {
	shared *Shared
	codec  Codec[V]
	merge  func(value, old []uint64)
	memory []uint64 // for a key
	value  []uint64

	asked    []Key // keys of pending look-ups
	keys     []uint64
	answered int
}

// Codec encodes values in a fixed number of bits.
type Codec[V any] struct {
	Bits   int
	Encode func(dst []uint64, v V)
	Decode func(src []uint64) V
	// Merge combines a new and an old value of a position. Nil: the new value replaces the old one.
	Merge func(v, old V) V
}

// New returns a table for positions of m, with the memory bound of NewShared. It packs positions
// wherever that makes entries shorter.
func New[V any](m machine.Machine, codec Codec[V], maxBytes int64) *Table[V] {
	return tableOf(newShared(choosePacking(m, 1.1, codec.Bits, maxBytes), codec.Bits, maxBytes, new(atomic.Int64)), codec)
}

func tableOf[V any](shared *Shared, codec Codec[V]) *Table[V] {
	t := &Table[V]{shared: shared, codec: codec, merge: func(_, _ []uint64) {}}
	t.memory, t.value = make([]uint64, shared.packing.StateWords()), make([]uint64, 2*shared.ValueWords())
	if codec.Merge != nil {
		t.merge = func(value, old []uint64) {
			codec.Encode(value, codec.Merge(codec.Decode(value), codec.Decode(old)))
		}
	}
	return t
}

// Another returns access to the same table for another goroutine.
func (t *Table[V]) Another() *Table[V] { return tableOf(t.shared, t.codec) }

// Lookup returns the value of position s, and whether the table holds it.
func (t *Table[V]) Lookup(s machine.State) (v V, ok bool) {
	return t.look(t.shared.Key(t.memory, s))
}

func (t *Table[V]) look(k Key) (v V, ok bool) {
	if ok = t.shared.Lookup(t.value, k); ok {
		v = t.codec.Decode(t.value)
	}
	return v, ok
}

// Ask begins a look-up of position s; Answer ends it. Look-ups end in the order in which they began.
// The memory accesses of consecutive Asks overlap.
func (t *Table[V]) Ask(s machine.State) {
	from := len(t.keys)
	t.keys = slices.Grow(t.keys, len(t.memory))[:from+len(t.memory)]
	t.asked = append(t.asked, t.shared.Key(t.keys[from:], s))
}

// Answer returns the result of the oldest pending look-up.
func (t *Table[V]) Answer() (v V, ok bool) {
	if t.answered == 0 {
		t.shared.Touch(t.asked)
	}
	v, ok = t.look(t.asked[t.answered])
	if t.answered++; t.answered == len(t.asked) {
		t.asked, t.keys, t.answered = t.asked[:0], t.keys[:0], 0
	}
	return v, ok
}

// Store stores the value of position s, merged with the old value. It cost work nodes to compute: when
// memory is full, cheap entries are replaced first.
func (t *Table[V]) Store(s machine.State, v V, work int64) {
	t.codec.Encode(t.value, v)
	t.shared.Update(t.value, t.shared.Key(t.memory, s), work, t.merge)
}

// Stats returns the counters of the table.
func (t *Table[V]) Stats() Stats { return t.shared.Stats() }

// Hash returns a 64-bit hash of the words of a position in which every bit depends on all of them: a
// chain of 64×64→128-bit products, folded.
func Hash(s machine.State) uint64 {
	h := uint64(multiplier)
	for _, w := range s {
		hi, lo := bits.Mul64(w^spreader, h)
		h = hi ^ lo ^ bits.RotateLeft64(h, 23)
	}
	return spread(h)
}
