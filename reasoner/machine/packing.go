package machine

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// A Packing makes positions short for whoever keeps many of them. Fluents that depend on each
// other are put into clusters: the contents of a cell, the cells of a column that fills from
// below. Of the patterns that a cluster of n fluents could show, a game reaches far fewer
// than 2ⁿ. Each pattern gets a number when it is first met, and a position is the numbers of
// the patterns of all clusters, as digits of one number in a mixed radix:
//
//	position  00 01 10 00 | 01 00 00 00 | …      a pattern for each cluster
//	digits        17      |      1      | …      its number in the dictionary of the cluster
//	packed    17 + 127·(1 + 127·(…))             digits of radix 127, in words
//
// Of a cluster of which at most one fluent is true at a time, the number of the pattern is that of the fluent, and no
// dictionary is needed.
//
// Random games suggest which fluents belong together and how many patterns there are. Nothing
// rests on that being right: Unpack(Pack(s)) = s for every s that Pack takes. It takes no
// position with a pattern that is one more than the dictionary has room for, or with two fluents of
// which it takes one at most.
//
// Invariant: a number once given to a pattern is never given to another one, so packed
// positions are equal exactly if the positions are, at all times and for all goroutines.
//
// Cost: a step for each true fluent, and a look into a dictionary for each cluster that has one.

// Packing is safe for concurrent use.
type Packing struct {
	states int // words of a position
	words  int // of a packed one, at least 1
	bits   int // of the last of these
	// plainBits are those that positions use of the last of their words.
	plainBits int
	clusters  []*cluster // those with a dictionary first
	places    []place    // by fluent
	patterns  int        // words of all patterns
}

// place is what a true fluent adds: to the pattern of its cluster a bit or, where there is no
// dictionary, a digit to the packed position, and one bit for all such fluents of the cluster.
type place struct {
	bit     uint64
	digit   uint64
	pattern int32
	word    int32
}

// cluster is some fluents and the dictionary of their patterns.
type cluster struct {
	fluents []int32
	room    uint32 // patterns that there may be
	single  bool   // at most one fluent is true, or none: there is no dictionary
	word    int    // of the digit, and what a digit of 1 counts there
	weight  uint64

	// The dictionary: of few fluents by pattern, the digit plus 1, or 0; of more a hash table with linear probing, of
	// which slots are never emptied.
	direct []atomic.Uint32
	slots  []slot
	shift  uint // of a hash

	full     atomic.Bool // there is no room for more
	adding   sync.Mutex
	patterns []uint64 // by digit; of whoever holds the lock
}

// slot is a pattern plus 1, and its digit, which is written before it.
type slot struct {
	pattern atomic.Uint64
	digit   uint32
}

// Bounds on a cluster: patterns are words, one of which stands for none; a dictionary of
// maxPatterns takes 64 KiB at least.
const (
	maxClustered    = 63
	maxPatterns     = 2048
	maxDictionaries = 512
	maxDirect       = 12
)

// Words is the number of words of a packed position.
func (p *Packing) Words() int { return p.words }

// LastBits is the number of bits that packed positions use of the last of their words; they use
// all of the others.
func (p *Packing) LastBits() int { return p.bits }

// StateWords is the number of words of a position that is not packed.
func (p *Packing) StateWords() int { return p.states }

// Pack writes position s, packed, into the first Words() words of dst and tells whether it
// could.
func (p *Packing) Pack(dst []uint64, s State) bool {
	switch { // to clear no more than needed
	case p.clusters == nil:
		copy(dst, s)
		return true
	case p.patterns <= 8:
		var patterns [8]uint64
		return p.pack(dst, s, patterns[:])
	case p.patterns <= 64:
		var patterns [64]uint64
		return p.pack(dst, s, patterns[:])
	}
	var patterns [maxDictionaries]uint64
	return p.pack(dst, s, patterns[:])
}

func (p *Packing) pack(dst []uint64, s State, patterns []uint64) bool {
	dst = dst[:p.words]
	clear(dst)
	double := uint64(0)
	for i, w := range s {
		if w == 0 {
			continue
		}
		places := p.places[i<<6:]
		for ; w != 0; w &= w - 1 {
			at := &places[bits.TrailingZeros64(w)]
			pattern := &patterns[at.pattern]
			double |= *pattern & at.bit
			*pattern |= at.bit
			dst[at.word] += at.digit
		}
	}
	for i, c := range p.clusters {
		if c.single {
			break
		}
		digit, ok := c.digit(patterns[i])
		if !ok {
			return false
		}
		dst[c.word] += uint64(digit) * c.weight
	}
	return double == 0
}

// Unpack writes the position that is packed in src into s.
func (p *Packing) Unpack(s State, src []uint64) {
	if p.clusters == nil {
		copy(s, src)
		return
	}
	clear(s)
	for _, c := range p.clusters {
		digit := src[c.word] / c.weight % uint64(c.room)
		if c.single {
			if digit > 0 {
				s.Set(int(c.fluents[digit-1]))
			}
			continue
		}
		c.adding.Lock()
		pattern := c.patterns[digit]
		c.adding.Unlock()
		for ; pattern != 0; pattern &= pattern - 1 {
			s.Set(int(c.fluents[bits.TrailingZeros64(pattern)]))
		}
	}
}

// digit is the number of a pattern, a new one if it was never met; false if there is no room.
func (c *cluster) digit(pattern uint64) (digit uint32, ok bool) {
	if digit, ok = c.known(pattern); !ok && !c.full.Load() {
		return c.add(pattern)
	} else if !ok {
		return c.known(pattern) // the last one that was added, maybe
	}
	return digit, ok
}

// known is the number of a pattern that was met.
func (c *cluster) known(pattern uint64) (uint32, bool) {
	if c.direct != nil {
		n := c.direct[pattern].Load()
		return n - 1, n > 0
	}
	if at := &c.slots[c.find(pattern)]; at.pattern.Load() == pattern+1 {
		return at.digit, true
	}
	return 0, false
}

// find is the slot of a pattern, or the free one where it would be.
func (c *cluster) find(pattern uint64) int {
	at := int((pattern + 1) * 0x9e3779b97f4a7c15 >> c.shift)
	for {
		if have := c.slots[at].pattern.Load(); have == pattern+1 || have == 0 {
			return at
		}
		at = (at + 1) & (len(c.slots) - 1)
	}
}

// add gives a number to a pattern.
func (c *cluster) add(pattern uint64) (uint32, bool) {
	c.adding.Lock()
	defer c.adding.Unlock()
	if digit, ok := c.known(pattern); ok || c.full.Load() {
		return digit, ok // somebody else was here
	}
	digit := uint32(len(c.patterns))
	c.patterns = append(c.patterns, pattern)
	if c.direct != nil {
		c.direct[pattern].Store(digit + 1)
	} else {
		at := c.find(pattern)
		c.slots[at].digit = digit
		c.slots[at].pattern.Store(pattern + 1)
	}
	c.full.Store(len(c.patterns) == int(c.room))
	return digit, true
}

// PlainPacking leaves positions of so many words as they are.
func PlainPacking(words int) *Packing {
	return &Packing{states: words, words: words, bits: 64, plainBits: 64}
}

// Plain leaves positions as they are.
func (p *Packing) Plain() *Packing {
	return &Packing{states: p.states, words: p.states, bits: p.plainBits}
}

// NewPacking finds the packing of a machine whose tables of fluents are complete; for others it
// is plain. It takes some hundredths of a second, and depends on the rules alone.
func NewPacking(m Machine) *Packing {
	fluents := len(m.Names().Fluents)
	if fluents == 0 || fluents > maxSampled {
		return PlainPacking(m.Words())
	}
	s := samplePositions(m, fluents)
	p := &Packing{states: m.Words(), plainBits: fluents - 64*(m.Words()-1), places: make([]place, fluents)}
	for _, found := range s.clusters() {
		p.add(found)
	}
	p.layOut()
	if p.words > p.states || p.patterns > maxDictionaries {
		return p.Plain()
	}
	return p
}

// add makes a cluster of one that was found in a sample.
func (p *Packing) add(found *labelled) {
	c := &cluster{fluents: found.fluents, room: found.estimate(), single: found.single}
	p.clusters = append(p.clusters, c)
	if c.single {
		c.room = uint32(len(c.fluents) + 1)
		return
	}
	if len(c.fluents) <= maxDirect {
		c.direct = make([]atomic.Uint32, 1<<len(c.fluents))
	} else {
		width := max(bits.Len32(2*c.room), 3) // half of the slots are free
		c.slots, c.shift = make([]slot, 1<<width), uint(64-width)
	}
	for _, pattern := range found.patterns {
		c.digit(pattern)
	}
}

// layOut gives each cluster its digit.
func (p *Packing) layOut() {
	slices.SortStableFunc(p.clusters, func(a, b *cluster) int {
		if a.single != b.single {
			return map[bool]int{false: -1, true: 1}[a.single]
		}
		return int(b.room) - int(a.room)
	})
	size, singles := uint64(1), 0 // size: of the digits in the word
	for i, c := range p.clusters {
		high, low := bits.Mul64(size, uint64(c.room))
		if high != 0 {
			p.words, low, size = p.words+1, uint64(c.room), 1
		}
		c.word, c.weight = p.words, size
		size = low
		for k, f := range c.fluents {
			p.places[f] = place{bit: 1 << k, pattern: int32(i)}
			if c.single {
				p.places[f] = place{
					bit: 1 << (singles % 64), pattern: int32(i - singles + singles/64), digit: uint64(k+1) * c.weight, word: int32(c.word),
				}
			}
		}
		if c.single {
			singles++
		}
	}
	p.patterns = len(p.clusters) - singles + (singles+63)/64
	p.words++
	p.bits = max(bits.Len64(size-1), 1)
}

// estimate is the number of patterns that a cluster should have room for.
func (l *labelled) estimate() uint32 {
	seen, single, double := l.frequencies()
	if single == 0 && double == 0 {
		return uint32(max(l.room, seen))
	}
	return uint32(max(l.room, int(math.Ceil(estimated(seen, single, double)))+single+seen/spareRoom))
}

// constantRoom is that of a cluster that has always been the same: random games may not show what
// those with a purpose do.
const constantRoom = 64

// spareRoom: where some patterns are rare there is room for one more of so many.
const spareRoom = 16
