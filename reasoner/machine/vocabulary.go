package machine

import (
	"slices"
	"sync"
)

// Vocabulary numbers the fluents and moves of a game as they are met. It is for
// games of which nobody can list them beforehand: the possible ones are too many,
// though a match sees few. It is safe for concurrent use, and grows until its bound
// only; a text that comes later has no number.
//
// The words of a position hold the numbers of its fluents plus one, ascending, two
// in a word and zeros after the last. A position of more fluents than fit is kept
// here as a whole, and its first word is long plus its number: so equal positions
// have equal words. A position for which there is no room is lost, all ones; no role
// has a move in it.
//
// Cost: one look into a map for a text, and about 100 bytes of memory for each.
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

// long marks the first word of a position that is kept as a whole.
const long = 1 << 63

// The memory of a text and of a position in the tables, about, without its letters
// and numbers.
const (
	textBytes = 100
	longBytes = 100
)

// NewVocabulary makes an empty vocabulary of at most maxBytes, about. A position has
// the given number of words.
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

// reserve takes memory, if there is any left.
func (v *Vocabulary) reserve(bytes int) bool {
	if v.bytes+int64(bytes) > v.maxBytes {
		return false
	}
	v.bytes += int64(bytes)
	return true
}

// number is the number of a text, which gets one if it has none; -1 if there is no memory for it.
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

// move is the number of a move that was met, as spelled, or in any case if only one
// such move was met; -1 if there is none.
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

// list is what the lexicon holds now.
func (v *Vocabulary) list(l *lexicon) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return slices.Clone(l.texts)
}

// pack writes the position of the given fluents, ascending and without repetition.
// A negative number stands for fluents that are not known, so the position is lost.
func (v *Vocabulary) pack(dst State, fluents []int32) {
	clear(dst)
	switch {
	case len(fluents) > 0 && fluents[0] < 0:
		lose(dst)
	case len(fluents) > 2*len(dst):
		v.packLong(dst, fluents)
	default:
		for i, f := range fluents {
			dst[i/2] |= uint64(f+1) << (32 * uint(i%2))
		}
	}
}

func lose(dst State) {
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
			lose(dst)
			return
		}
		n = len(v.longs)
		v.longOf[string(key)] = n
		v.longs = append(v.longs, slices.Clone(fluents))
	}
	dst[0] = long | uint64(n)
}

// unpack appends the fluents of a position, ascending; of a lost one none.
func (v *Vocabulary) unpack(dst []int32, s State) []int32 {
	if s[0] == ^uint64(0) {
		return dst
	}
	if s[0]&long != 0 {
		v.mu.RLock()
		defer v.mu.RUnlock()
		return append(dst, v.longs[s[0]&^long]...)
	}
	for _, w := range s {
		for ; w != 0; w >>= 32 {
			dst = append(dst, int32(uint32(w))-1)
		}
	}
	return dst
}
