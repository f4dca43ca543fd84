package scalar

import (
	"slices"
	"sync"

	"stackmate/reasoner/machine"
)

// vocabulary numbers the fluents and moves of a game at their first appearance. It serves games with too many
// possible fluents to list beforehand, of which a match reaches few. It is safe for concurrent use, and grows
// up to a bound on its memory; later texts get no number.
//
// The words of a position hold the numbers of its fluents plus one, ascending, two in a word and zeros after
// the last. A position with more fluents than fit is stored in the vocabulary, and its first word is longMark
// plus its number there: so equal positions have equal words. A position without room is lost, all ones; no
// role has a move in it.
//
// Cost: a map lookup for a text, and about 100 bytes of memory for each text.
type vocabulary struct {
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
func NewVocabulary(roles, words int, maxBytes int64) machine.Vocabulary {
	v := &vocabulary{words: words, maxBytes: maxBytes, fluents: newLexicon(), longOf: make(map[string]int)}
	for range roles {
		v.moves = append(v.moves, newLexicon())
	}
	return v
}

func newLexicon() lexicon {
	return lexicon{number: make(map[string]int32)}
}

// reserve adds bytes to the memory in use and reports whether they are within the bound.
func (v *vocabulary) reserve(bytes int) bool {
	if v.bytes+int64(bytes) > v.maxBytes {
		return false
	}
	v.bytes += int64(bytes)
	return true
}

// number returns the number of a text, and gives a number to a new text; -1 if there is no memory for it.
func (v *vocabulary) number(l *lexicon, text string) int {
	v.mu.RLock()
	n, ok := l.number[text]
	v.mu.RUnlock()
	if ok {
		return int(n)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n, ok := l.number[text]; ok {
		return int(n)
	}
	if !v.reserve(textBytes + len(text)) {
		return -1
	}
	n = int32(len(l.texts))
	l.texts = append(l.texts, text)
	l.number[text] = n
	return int(n)
}

// Move implements machine.Vocabulary.
func (v *vocabulary) Move(r machine.Role, text string) (machine.Move, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	n, ok := v.moves[r].number[text]
	return machine.Move(n), ok
}

// AddMove implements machine.Vocabulary.
func (v *vocabulary) AddMove(r machine.Role, text string) (machine.Move, bool) {
	n := v.number(&v.moves[r], text)
	return machine.Move(n), n >= 0
}

// AddFluent implements machine.Vocabulary.
func (v *vocabulary) AddFluent(text string) (int, bool) {
	n := v.number(&v.fluents, text)
	return n, n >= 0
}

// MoveText implements machine.Vocabulary.
func (v *vocabulary) MoveText(r machine.Role, m machine.Move) string {
	return v.text(&v.moves[r], int(m))
}

// FluentText implements machine.Vocabulary.
func (v *vocabulary) FluentText(f int) string { return v.text(&v.fluents, f) }

// MoveTexts implements machine.Vocabulary.
func (v *vocabulary) MoveTexts(r machine.Role) []string { return v.list(&v.moves[r]) }

// FluentTexts implements machine.Vocabulary.
func (v *vocabulary) FluentTexts() []string { return v.list(&v.fluents) }

// Words implements machine.Vocabulary.
func (v *vocabulary) Words() int { return v.words }

func (v *vocabulary) text(l *lexicon, n int) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return l.texts[n]
}

// list returns a copy of the lexicon's texts.
func (v *vocabulary) list(l *lexicon) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return slices.Clone(l.texts)
}

// Pack implements machine.Vocabulary. A negative number stands for a fluent without a number, which makes the position lost.
func (v *vocabulary) Pack(dst machine.State, fluents []int32) {
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

func markLost(dst machine.State) {
	for i := range dst {
		dst[i] = ^uint64(0)
	}
}

func (v *vocabulary) packLong(dst machine.State, fluents []int32) {
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

// Unpack implements machine.Vocabulary. A lost position has no fluents.
func (v *vocabulary) Unpack(dst []int32, s machine.State) []int32 {
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
