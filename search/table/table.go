// Package table owns the transposition table of the exact searches: a map from
// positions to whatever a search proved of them, in bounded memory. It knows
// packed positions (reasoner/machine), not what the values mean.
package table

import (
	"math/bits"
	"sync/atomic"

	"stackmate/reasoner/machine"
)

// Stats says what a table holds.
type Stats struct {
	Entries   int64 // positions held
	Evictions int64 // positions lost for want of memory
	Bytes     int64 // memory of entries and directory
}

// Table is a Shared table for one goroutine, of values of type V.
type Table[V any] struct {
	shared *Shared
	codec  Codec[V]
	memory []uint64 // for a key
	value  []uint64
}

// Codec says how values are written in so many bits.
type Codec[V any] struct {
	Bits   int
	Encode func(dst []uint64, v V)
	Decode func(src []uint64) V
}

// New makes a table for positions of m. Its memory is that of NewShared, but positions are packed wherever that makes
// entries shorter.
func New[V any](m machine.Machine, codec Codec[V], maxBytes int64) *Table[V] {
	t := &Table[V]{shared: newShared(choose(m, 1.1, codec.Bits, maxBytes), codec.Bits, maxBytes, new(atomic.Int64)), codec: codec, memory: make([]uint64, m.Words())}
	t.value = make([]uint64, 2*t.shared.ValueWords())
	return t
}

// Lookup returns what is stored for position s, and whether there is anything.
func (t *Table[V]) Lookup(s machine.State) (v V, ok bool) {
	if ok = t.shared.Lookup(t.value, t.shared.Key(t.memory, s)); ok {
		v = t.codec.Decode(t.value)
	}
	return v, ok
}

// Store stores the value of position s, in place of an older one. It cost work nodes to compute: where memory
// is short, cheap entries make room for others.
func (t *Table[V]) Store(s machine.State, v V, work int64) {
	t.codec.Encode(t.value, v)
	t.shared.Update(t.value, t.shared.Key(t.memory, s), work, keepNew)
}

func keepNew(_, _ []uint64) {}

// Stats returns the counters of the table.
func (t *Table[V]) Stats() Stats { return t.shared.Stats() }

// Hash mixes the words of a position to 64 bits that all depend on every
// bit of it: a chain of 64×64→128-bit products, folded.
func Hash(s machine.State) uint64 {
	h := uint64(multiplier)
	for _, w := range s {
		hi, lo := bits.Mul64(w^spreader, h)
		h = hi ^ lo ^ bits.RotateLeft64(h, 23)
	}
	hi, lo := bits.Mul64(h^spreader, multiplier)
	return hi ^ lo
}
