package table

import (
	"sync/atomic"
)

// The hash is the first word of the position, packed and mixed (Key). Entries leave out the bits of the
// hash that their address implies:
//
//	first word of a key   first bits | remainder | bucket (6 to 9)
//	                      directory  |   kept    |
//
//	entry   work (5 bits) | displacement (3) | remainder | other words of the key | value
//	bucket  8 entries: their first words, their second words, …
//
// so an entry is exact, and most are one or two words long. The directory always has the first bits: as
// many as make an entry a word shorter, if memory allows. Blocks are allocated at their first write.

const (
	workBits      = 5
	displacedBits = 3
	metaBits      = workBits + displacedBits
	workMask      = 1<<workBits - 1
	// maxFirst bounds the bits of the initial directory.
	maxFirst = 9
	// minWidth is the minimum width of the first word of a key.
	minWidth = 20
)

// layout is the layout of the bits of an entry.
type layout struct {
	width     uint // bits of the first word of a key
	first     uint // bits of the initial directory
	bucket    uint // bits of the bucket number in a block
	remainder uint
	keyWords  int
	entry     int // words
	// Full words of the value follow the key; the remaining bits are in word inWord, from bit inBit on.
	valueWords int
	inBits     uint // 0 if there are none
	inWord     int
	inBit      uint
}

// newLayout chooses the layout of entries for values of valueBits bits.
func newLayout(p *Packing, valueBits int, maxBytes int64) layout {
	last := uint(p.LastBits())
	l := layout{
		width: 64, keyWords: p.Words(), entry: p.Words() + valueBits/64,
		valueWords: (valueBits + 63) / 64, inBits: uint(valueBits) % 64, inWord: p.Words() - 1, inBit: last,
	}
	for l.bucket = maxBucketBits; l.bucket > minBucketBits; l.bucket-- {
		if n := l.blockBytes(); n <= maxBlockBytes && (maxBytes == 0 || n <= maxBytes/blockShare) {
			break
		}
	}
	if l.keyWords == 1 {
		l.width = max(last, minWidth)
	}
	room := 64 - metaBits + l.bucket // of the first word, without first
	l.first = 1
	if l.width > room {
		l.first = max(l.first, l.width-room)
	}
	if l.keyWords == 1 {
		if need := l.width + l.inBits; l.inBits > 0 && need > room && need-room <= maxFirst &&
			(maxBytes == 0 || l.blockBytes()<<(need-room) <= maxBytes/4) {
			l.first = max(l.first, need-room)
		}
		l.inBit = metaBits + l.width - l.first - l.bucket
	}
	if l.inBit+l.inBits > 64 {
		l.inWord, l.inBit = l.entry, 0
		l.entry++
	}
	l.remainder = l.width - l.first - l.bucket
	return l
}

// fullWords returns the number of value words that are stored whole.
func (l *layout) fullWords() int { return l.valueWords - min(int(l.inBits), 1) }

// slotsOfBlock returns the capacity of a block, in entries.
func (l *layout) slotsOfBlock() int { return bucketSlots << l.bucket }

func (l *layout) blockBytes() int64 {
	const header = 128 // of a block, at most
	return int64(l.slotsOfBlock()*8*l.entry) + header
}

// holds reports whether a slot holds the words of a key after the first.
func (t *Shared) holds(words []uint64, slot int, k Key) bool {
	for i, w := range k.words[1:] {
		have := atomic.LoadUint64(&words[slot+(i+1)*bucketSlots])
		if i+1 == t.inWord {
			have &= 1<<t.inBit - 1
		}
		if have != w {
			return false
		}
	}
	return true
}

// read reads the value in a slot.
func (t *Shared) read(value, words []uint64, slot int) {
	full := t.fullWords()
	for i := range full {
		value[i] = atomic.LoadUint64(&words[slot+(t.keyWords+i)*bucketSlots])
	}
	if t.inBits > 0 {
		value[full] = atomic.LoadUint64(&words[slot+t.inWord*bucketSlots]) >> t.inBit & (1<<t.inBits - 1)
	}
}

// write writes an entry; first is its first word, with the key bits and the meta bits.
func (t *Shared) write(words []uint64, slot int, k Key, first uint64, value []uint64) {
	full := t.fullWords()
	for i := range t.entry {
		w := uint64(0)
		switch {
		case i == 0:
			w = first
		case i < t.keyWords:
			w = k.words[i]
		case i < t.keyWords+full:
			w = value[i-t.keyWords]
		}
		if t.inBits > 0 && i == t.inWord {
			w |= value[full] << t.inBit
		}
		atomic.StoreUint64(&words[slot+i*bucketSlots], w)
	}
}

// recover reads the key of the entry in a slot of a block.
func (t *Shared) recover(key, words []uint64, slot int, prefix uint64) {
	w := words[slot]
	home := slot/(t.entry*bucketSlots) - int(w>>workBits&(1<<displacedBits-1))
	home &= 1<<t.bucket - 1
	key[0] = prefix<<(t.width-t.first) | w>>metaBits&(1<<t.remainder-1)<<t.bucket | uint64(home)
	for i := 1; i < t.keyWords; i++ {
		if key[i] = words[slot+i*bucketSlots]; i == t.inWord {
			key[i] &= 1<<t.inBit - 1
		}
	}
}
