package choice

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"stackmate/reasoner/circuit/logic"
)

// Enumeration of the partitions of a move table.

// partition is a split of the moves of a table into two parts each.
type partition struct {
	pair  [][2]int32
	count [2]int // number of first and second parts
	texts [][]int32
}

// Table is the union of the moves of roles that share most moves, so that these roles get the same parts.
type Table struct {
	names  []string
	number numbering[string]
	ways   []partition // candidate partitions; nil until Best needs them
}

// Tables returns the table of each role with at least `least` moves, nil for other roles. Roles share a table if at
// least half of the moves are common. The names of a role's moves must be unique.
func Tables(tables [][]string, least int) []*Table {
	out := make([]*Table, len(tables))
	t := &Table{}
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
			if _, ok := t.number[name]; ok {
				known++
			}
		}
		if 2*known < len(table) {
			t = &Table{number: make(numbering[string], len(table))}
		}
		for _, name := range table {
			if int(t.number.index(name)) == len(t.names) {
				t.names = append(t.names, name)
			}
		}
		out[r] = t
	}
	return out
}

// partsFor returns the parts of the named moves under a partition of the table.
func (t *Table) partsFor(way partition, names []string) *Parts {
	if !slices.Equal(names, t.names) {
		of := make([][2]int32, len(names))
		for m, name := range names {
			of[m] = way.pair[t.number[name]]
		}
		way.pair = of
	}
	return NewParts(way.pair, way.count, way.texts)
}

// partitions lists the candidate partitions: a split after each number of words, and blocks of moves. Cost: one
// map access per word.
func partitions(names []string) []partition {
	words := numbering[string]{}
	texts := make([][]int32, len(names))
	longest := 0
	for m, name := range names {
		for w := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '(' || c == ')' || c == ' ' }) {
			texts[m] = append(texts[m], words.index(w))
		}
		longest = max(longest, len(texts[m]))
	}
	tails, different := tailsOf(texts)
	var out []partition
	heads := make([]int32, len(texts)) // of the words so far
	for k := 1; k < longest && different; k++ {
		p := partition{pair: make([][2]int32, len(texts))}
		longer := numbering[[2]int32]{} // of heads, by the shorter head and the last word
		rest := numbering[int32]{}      // of tails
		for m, text := range texts {
			at := min(k, len(text))
			key := [2]int32{heads[m], -1}
			if at == k {
				key[1] = text[at-1]
			}
			if heads[m] = longer.index(key); int(heads[m]) == len(p.texts) {
				p.texts = append(p.texts, text[:at])
			}
			p.pair[m] = [2]int32{heads[m], rest.index(tails[m][at])}
		}
		p.count = [2]int{len(longer), len(rest)}
		out = append(out, p)
	}
	return append(out, blocks(texts))
}

// tailsOf numbers the suffix of each text after each number of words, and reports whether all texts differ.
func tailsOf(texts [][]int32) (tails [][]int32, different bool) {
	tails = make([][]int32, len(texts))
	longer := numbering[[2]int32]{} // by the first word, and the rest
	whole := numbering[int32]{}
	for m, text := range texts {
		tails[m] = make([]int32, len(text)+1)
		for i, w := range slices.Backward(text) {
			tails[m][i] = 1 + longer.index([2]int32{w, tails[m][i+1]})
		}
		whole.index(tails[m][0])
	}
	return tails, len(whole) == len(texts)
}

// numbering numbers keys from 0 in the order of first use.
type numbering[K comparable] map[K]int32

func (n numbering[K]) index(key K) int32 {
	i, ok := n[key]
	if !ok {
		i = int32(len(n))
		n[key] = i
	}
	return i
}

// keyOf encodes a list of numbers as the key of a map.
func keyOf(numbers []int32) string {
	key := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
}

// blocks returns the partition into blocks of consecutive moves. A move without arguments gets its own block: it
// is mostly the noop of a waiting role.
func blocks(texts [][]int32) partition {
	size := 1
	for size*size*secondCost < len(texts)*firstCost {
		size++
	}
	p := partition{count: [2]int{0, size}}
	block, room := int32(0), 0 // the present block, and how many moves it has room for
	for _, text := range texts {
		switch {
		case len(text) == 1:
			p.pair = append(p.pair, [2]int32{int32(p.count[0]), 0})
			p.count[0]++
			continue
		case room == 0:
			block, room = int32(p.count[0]), size
			p.count[0]++
		}
		p.pair = append(p.pair, [2]int32{block, int32(size - room)})
		room--
	}
	p.texts = make([][]int32, p.count[0])
	return p
}

// Best returns the parts of the cheapest partition for choice and legality. It returns nil if one row per move is
// cheaper, unless anyway is set.
func (t *Table) Best(net *logic.Network, names []string, legal []logic.Lit, anyway bool) (best *Parts) {
	cost := len(legal) * (wholeCost - moveCost)
	for _, l := range legal {
		cost += len(net.Conjuncts(l))
	}
	if anyway {
		cost = math.MaxInt
	}
	if t.ways == nil {
		t.ways = partitions(t.names)
	}
	for _, way := range slices.Backward(t.ways) {
		c := firstCost*way.count[0] + secondCost*way.count[1]
		if c >= cost {
			continue
		}
		p := t.partsFor(way, names)
		if c += p.tailCost(net, legal, cost-c); c < cost {
			best, cost = p, c
		}
	}
	return best
}

// tailCost returns the number of operands of the different tails, or a number ≥ limit if the cost reaches limit.
func (p *Parts) tailCost(net *logic.Network, legal []logic.Lit, limit int) int {
	common := p.Common(net, legal)
	seen := make(map[uint64]bool)
	cost := 0
	for m, l := range legal {
		tail := logic.Difference(net.Conjuncts(l), common[p.Pair[m][0]])
		hash := uint64(logic.Hash(tail)) | uint64(len(tail))<<32
		if !seen[hash] {
			seen[hash] = true
			if cost += len(tail); cost >= limit {
				break
			}
		}
	}
	return cost
}
