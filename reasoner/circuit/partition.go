package circuit

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Which ways there are to take a table of moves apart; parts.go chooses among them.

// partition is one way to take a table of moves apart.
type partition struct {
	of    [][2]int32
	parts [2]int // how many there are
	texts [][]int32
}

// moveTable is the moves of roles that have most of them in common, so that they get the
// same parts.
type moveTable struct {
	names []string
	place map[string]int32 // of a name
	ways  []partition      // to take all of them apart
}

// commonTables are, by role, the tables that those of at least so many moves belong to.
// All moves of a role have different names.
func commonTables(tables [][]string, least int) []*moveTable {
	out := make([]*moveTable, len(tables))
	t := &moveTable{}
	for r, table := range tables {
		if len(table) < least {
			continue
		}
		if slices.Equal(table, t.names) {
			out[r] = t
			continue
		}
		known := 0
		for _, name := range table {
			if _, ok := t.place[name]; ok {
				known++
			}
		}
		if 2*known < len(table) {
			t = &moveTable{place: make(map[string]int32, len(table))}
		}
		for _, name := range table {
			if _, ok := t.place[name]; !ok {
				t.place[name] = int32(len(t.names))
				t.names = append(t.names, name)
			}
		}
		out[r] = t
	}
	return out
}

// take is a way to take the table apart, for some of its moves.
func (t *moveTable) take(way partition, names []string) *Parts {
	if !slices.Equal(names, t.names) {
		of := make([][2]int32, len(names))
		for m, name := range names {
			of[m] = way.of[t.place[name]]
		}
		way.of = of
	}
	return way.empty()
}

// partitions lists the ways to take moves with these names apart that are looked at:
// after so many words of the name, and by number. Cost: a look into a table for each word.
func partitions(names []string) []partition {
	words := make(map[string]int32)
	texts := make([][]int32, len(names))
	longest := 0
	for m, name := range names {
		for w := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '(' || c == ')' || c == ' ' }) {
			n, ok := words[w]
			if !ok {
				n = int32(len(words))
				words[w] = n
			}
			texts[m] = append(texts[m], n)
		}
		longest = max(longest, len(texts[m]))
	}
	tails, different := tailsOf(texts)
	var out []partition
	heads := make([]int32, len(texts)) // of the words so far
	for k := 1; k < longest && different; k++ {
		p := partition{of: make([][2]int32, len(texts))}
		longer := make(map[[2]int32]int32) // heads by the one without the last word, and that
		number := make(map[int32]int32)    // of tails
		for m, text := range texts {
			at := min(k, len(text))
			key := [2]int32{heads[m], -1}
			if at == k {
				key[1] = text[at-1]
			}
			head, ok := longer[key]
			if !ok {
				head = int32(len(longer))
				longer[key] = head
				p.texts = append(p.texts, text[:at])
			}
			tail, ok := number[tails[m][at]]
			if !ok {
				tail = int32(len(number))
				number[tails[m][at]] = tail
			}
			heads[m], p.of[m] = head, [2]int32{head, tail}
		}
		p.parts = [2]int{len(longer), len(number)}
		out = append(out, p)
	}
	return append(out, blocks(texts))
}

// tailsOf numbers what is left of each text after so many words, and tells whether all
// texts are different.
func tailsOf(texts [][]int32) (tails [][]int32, different bool) {
	tails = make([][]int32, len(texts))
	longer := make(map[[2]int32]int32) // by the first word, and what is left after it
	whole := make(map[int32]bool, len(texts))
	for m, text := range texts {
		tails[m] = make([]int32, len(text)+1)
		for i, w := range slices.Backward(text) {
			key := [2]int32{w, tails[m][i+1]}
			n, ok := longer[key]
			if !ok {
				n = int32(len(longer)) + 1
				longer[key] = n
			}
			tails[m][i] = n
		}
		whole[tails[m][0]] = true
	}
	return tails, len(whole) == len(texts)
}

// keyOf is a list of numbers as the key of a map.
func keyOf(numbers []int32) string {
	key := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
}

// blocks is the partition of moves into blocks of consecutive ones. A move without
// arguments is one of its own: mostly it is that of a role that waits, at other times than
// all others are legal.
func blocks(texts [][]int32) partition {
	size := 1
	for size*size*secondCost < len(texts)*firstCost {
		size++
	}
	p := partition{parts: [2]int{0, size}}
	last, left := int32(0), 0 // the present block, and how many moves it has room for
	for _, text := range texts {
		switch {
		case len(text) == 1:
			p.of = append(p.of, [2]int32{int32(p.parts[0]), 0})
			p.parts[0]++
			continue
		case left == 0:
			last, left = int32(p.parts[0]), size
			p.parts[0]++
		}
		p.of = append(p.of, [2]int32{last, int32(size - left)})
		left--
	}
	p.texts = make([][]int32, p.parts[0])
	return p
}

// empty is a table of moves in these parts, of which nothing is known.
func (p partition) empty() *Parts {
	out := &Parts{
		First: make([]Lit, p.parts[0]), Second: make([]Lit, p.parts[1]),
		of: p.of, texts: p.texts,
		moves: make([][]int32, p.parts[0]), second: make([][]int32, p.parts[1]),
	}
	for m, parts := range p.of {
		out.moves[parts[0]] = append(out.moves[parts[0]], int32(m))
		out.second[parts[1]] = append(out.second[parts[1]], int32(m))
	}
	return out
}
