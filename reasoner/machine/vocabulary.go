package machine

import (
	"slices"
	"sync"
)

// Vocabulary numbers the fluents and moves of a game at their first appearance. It serves games with too many
// possible fluents to list beforehand, of which a match reaches few. It is safe for concurrent use, and grows
// up to a bound on its memory; later texts get no number.
//
// The words of a position hold the numbers of its fluents plus one, ascending, two in a word and zeros after
// the last. A position with more fluents than fit is stored in the vocabulary, and its first word is longMark
// plus its number there: so equal positions have equal words. A position without room is lost, all ones; no
// role has a move in it.
//
// Cost: a map lookup for a text, and about 100 bytes of memory for each text.
type Vocabulary struct {
	mu       sync.RWMutex
	words    int
	bytes    int64
	maxBytes int64
	fluents  lexicon
	moves    []lexicon // by role
	longs    [][]int32
	longOf   map[string]int
}

// lexicon numbers texts.
type lexicon struct {
	texts  []string
	number map[string]int32
}

// longMark marks the first word of a position that the vocabulary stores.
const longMark = 1 << 63

// textBytes and longBytes are the approximate memory of a text and of a stored position in the tables,
// without the letters and numbers.
const (
	textBytes = 100
	longBytes = 100
)

// NewVocabulary makes an empty vocabulary of at most about maxBytes, for positions of the given number of
// words.
func NewVocabulary(roles, words int, maxBytes int64) *Vocabulary {
	v := &Vocabulary{words: words, maxBytes: maxBytes, fluents: newLexicon(), longOf: make(map[string]int)}
	for range roles {
		v.moves = append(v.moves, newLexicon())
	}
	return v
}

func newLexicon() lexicon {
	return lexicon{number: make(map[string]int32)}
}

// reserve adds bytes to the memory in use and reports whether they are within the bound.
func (v *Vocabulary) reserve(bytes int) bool {
	if v.bytes+int64(bytes) > v.maxBytes {
		return false
	}
	v.bytes += int64(bytes)
	return true
}

// number returns the number of a text, and gives a number to a new text; -1 if there is no memory for it.
func (v *Vocabulary) number(l *lexicon, text string) int32 {
	v.mu.RLock()
	n, ok := l.number[text]
	v.mu.RUnlock()
	if ok {
		return n
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n, ok := l.number[text]; ok {
		return n
	}
	if !v.reserve(textBytes + len(text)) {
		return -1
	}
	n = int32(len(l.texts))
	l.texts = append(l.texts, text)
	l.number[text] = n
	return n
}

// move returns the number of a numbered move: as spelled, or in any case if only one move matches; -1 if
// there is none.
func (v *Vocabulary) move(r Role, text string) int32 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	l := &v.moves[r]
	if n, ok := l.number[text]; ok {
		return n
	}
	return int32(inAnyCase(l.texts, text))
}

func (v *Vocabulary) text(l *lexicon, n int) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return l.texts[n]
}

// list returns a copy of the lexicon's texts.
func (v *Vocabulary) list(l *lexicon) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return slices.Clone(l.texts)
}

// pack writes the position of the given fluents, ascending and without repetition. A negative number stands
// for a fluent without a number, which makes the position lost.
func (v *Vocabulary) pack(dst State, fluents []int32) {
	clear(dst)
	switch {
	case len(fluents) > 0 && fluents[0] < 0:
		markLost(dst)
	case len(fluents) > 2*len(dst):
		v.packLong(dst, fluents)
	default:
		for i, f := range fluents {
			dst[i/2] |= uint64(f+1) << (32 * uint(i%2))
		}
	}
}

func markLost(dst State) {
	for i := range dst {
		dst[i] = ^uint64(0)
	}
}

func (v *Vocabulary) packLong(dst State, fluents []int32) {
	key := make([]byte, 0, 4*len(fluents))
	for _, f := range fluents {
		key = append(key, byte(f), byte(f>>8), byte(f>>16), byte(f>>24))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	n, ok := v.longOf[string(key)]
	if !ok {
		if !v.reserve(longBytes + 2*len(key)) {
			markLost(dst)
			return
		}
		n = len(v.longs)
		v.longOf[string(key)] = n
		v.longs = append(v.longs, slices.Clone(fluents))
	}
	dst[0] = longMark | uint64(n)
}

// unpack appends the fluents of a position, ascending. A lost position has none.
func (v *Vocabulary) unpack(dst []int32, s State) []int32 {
	if s[0] == ^uint64(0) {
		return dst
	}
	if s[0]&longMark != 0 {
		v.mu.RLock()
		defer v.mu.RUnlock()
		return append(dst, v.longs[s[0]&^longMark]...)
	}
	for _, w := range s {
		for ; w != 0; w >>= 32 {
			dst = append(dst, int32(uint32(w))-1)
		}
	}
	return dst
}
