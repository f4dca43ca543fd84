package machine

import (
	"math"
	"math/bits"
	"slices"
)

// The clusters of a packing are found in positions of random games, in two steps:
//
//	groups  fluents of which no two are ever true together: what is in a cell
//	merged  two clusters become one if that has so few patterns that it saves some of the
//	        size of a position: cells that lie upon each other
//
// A small sample shows fewer patterns than there are. So their number is estimated from how many were
// seen once and twice, and clusters are merged only where nearly all were seen more often.
//
// Cost: of groups, a few instructions for each pair of fluents and 64 positions; of merging, one
// for each pair of clusters and position, and again for each cluster that is made.

const (
	// sampleLanes positions are looked at after each of sampleSteps joint moves of random games. So
	// many of them suggest which clusters to merge.
	sampleSteps = 512
	sampleLanes = 64
	suggesting  = 8192
	// maxSampled fluents are sampled at most.
	maxSampled = 1 << 14
	// maxPaired and maxMerged bound the work: pairs of fluents times words of positions, and
	// pairs of clusters times positions.
	maxPaired = 1 << 26
	maxMerged = 1 << 26
	// minSaved is what a merger has to save, in bits.
	minSaved = 0.05
	// Of so many patterns one may have been seen once, in all positions and in those that suggest.
	maxRare           = 32
	maxRareSuggesting = 8
	// minSeen is how often a fluent must have been true and false to be known.
	minSeen = 8
)

// positions is a sample.
type positions struct {
	fluents int
	count   int
	true    [][]uint64 // by fluent: in which positions it is true
	states  []State
}

// samplePositions plays random games. The sample is smaller for more fluents. Of every step other lanes are
// taken, since positions of one game tell less than those of many.
func samplePositions(m Machine, fluents int) *positions {
	p := &positions{fluents: fluents}
	each := sampleLanes
	for each > 8 && fluents*fluents/2*(sampleSteps*each/64) > maxPaired {
		each /= 2
	}
	b, rng := m.NewNarrowBatch(), NewRand(1)
	lanes := b.Lanes()
	each = min(each, lanes)
	again := make([]uint64, max(lanes/64, 1))
	states := make([]uint64, lanes*m.Words())
	next := 0
	for range sampleSteps {
		b.Evaluate(lanes)
		copy(again, b.Terminal())
		for i := range again {
			again[i] |= b.Stuck()[i] | b.Lost()[i]
		}
		b.Store(states, lanes)
		for range each {
			if !has(again, next) {
				p.states = append(p.states, slices.Clone(states[next*m.Words():(next+1)*m.Words()]))
			}
			next = (next + 1) % lanes
		}
		b.ChooseRandom(rng, lanes)
		b.Advance(lanes)
		b.Fill(m.Initial(), again)
	}
	p.count = len(p.states)
	p.true = make([][]uint64, fluents)
	for f := range p.true {
		p.true[f] = make([]uint64, (p.count+63)/64)
	}
	for i, s := range p.states {
		for k, w := range s {
			for ; w != 0; w &= w - 1 {
				State(p.true[k<<6+bits.TrailingZeros64(w)]).Set(i)
			}
		}
	}
	return p
}

// labelled is a cluster of fluents, with the pattern of each position of the sample.
type labelled struct {
	fluents  []int32
	patterns []uint64 // by label
	label    []uint16 // by position
	room     int      // for patterns, at least; 0 if the sample tells
	single   bool     // no two fluents are ever true together
}

// clusters finds those of all fluents.
func (p *positions) clusters() []*labelled {
	var list []*labelled
	for _, group := range p.groups() {
		for part := range slices.Chunk(group.fluents, maxClustered) {
			l := p.labelled(slices.Clone(part), group.room)
			l.single = group.room == 0
			list = append(list, l)
		}
	}
	return p.merged(list)
}

// group is fluents that are put together, and the room for their patterns.
type group struct {
	fluents []int32
	room    int
}

// groups divides the fluents: those that never change, those of which little is known, and of the others sets of
// which no two are true together. The fluent that is true most often begins a group.
func (p *positions) groups() []group {
	constant, rare := group{room: constantRoom}, group{room: maxPatterns}
	var order []int32
	often := make([]int, p.fluents)
	for f := range int32(p.fluents) {
		for _, w := range p.true[f] {
			often[f] += bits.OnesCount64(w)
		}
		switch known := min(often[f], p.count-often[f]); {
		case known == 0:
			constant.fluents = append(constant.fluents, f)
		case known < minSeen:
			rare.fluents = append(rare.fluents, f)
		default:
			order = append(order, f)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return often[b] - often[a] })
	groups := []group{constant, rare}
	for len(order) > 0 {
		found, others := p.disjoint(order, often)
		groups, order = append(groups, group{fluents: found}), others
	}
	return groups
}

// disjoint are the first of some fluents and others that are never true with any of these, although by
// chance they would be, and the rest.
func (p *positions) disjoint(order []int32, often []int) (group, others []int32) {
	group = order[:1:1]
	taken, times := slices.Clone(p.true[order[0]]), often[order[0]]
	for _, f := range order[1:] {
		if times*often[f] < minSeen*p.count || !isDisjoint(taken, p.true[f]) {
			others = append(others, f)
			continue
		}
		group = append(group, f)
		times += often[f]
		for i, w := range p.true[f] {
			taken[i] |= w
		}
	}
	return group, others
}

func isDisjoint(a, b []uint64) bool {
	for i, w := range a {
		if w&b[i] != 0 {
			return false
		}
	}
	return true
}

// labelled is a cluster of some fluents.
func (p *positions) labelled(fluents []int32, room int) *labelled {
	l := &labelled{fluents: fluents, label: make([]uint16, p.count), room: room}
	numbers := map[uint64]uint16{}
	for i, s := range p.states {
		pattern := uint64(0)
		for k, f := range fluents {
			if s.Has(int(f)) {
				pattern |= 1 << k
			}
		}
		n, ok := numbers[pattern]
		if !ok {
			n = uint16(len(l.patterns))
			numbers[pattern] = n
			l.patterns = append(l.patterns, pattern)
		}
		l.label[i] = n
	}
	return l
}

// and is the cluster of the fluents of two.
func (l *labelled) and(other *labelled) *labelled {
	both := &labelled{fluents: slices.Concat(l.fluents, other.fluents), label: make([]uint16, len(l.label))}
	numbers := make([]uint16, len(l.patterns)*len(other.patterns)) // plus 1
	for i, x := range l.label {
		y := other.label[i]
		n := &numbers[int(x)*len(other.patterns)+int(y)]
		if *n == 0 {
			both.patterns = append(both.patterns, l.patterns[x]|other.patterns[y]<<len(l.fluents))
			*n = uint16(len(both.patterns))
		}
		both.label[i] = *n - 1
	}
	return both
}

// estimated is the number of patterns that there are, of which a sample has shown some, single
// ones of them once and double ones twice (Chao, 1984).
func estimated(seen, single, double int) float64 {
	return float64(seen) + float64(single*single)/float64(2*(double+1))
}

// frequencies is how many patterns were seen, and how many of them once and twice.
func (l *labelled) frequencies() (seen, single, double int) {
	counts := make([]uint32, len(l.patterns))
	for _, n := range l.label {
		counts[n]++
	}
	return frequencies(counts)
}

func frequencies(counts []uint32) (seen, single, double int) {
	for _, n := range counts {
		switch {
		case n == 1:
			single++
		case n == 2:
			double++
		}
		if n > 0 {
			seen++
		}
	}
	return seen, single, double
}

// merged merges clusters, those first that save most.
func (p *positions) merged(list []*labelled) []*labelled {
	if len(list)*len(list)/2*min(p.count, suggesting) > maxMerged {
		return list
	}
	var counts []uint32
	saved := make([][]float64, len(list)) // by pair, the greater one first
	for i := range list {
		saved[i] = make([]float64, i)
		for k := range i {
			saved[i][k] = saving(list[i], list[k], &counts)
		}
	}
	for {
		best, a, b := minSaved, -1, -1
		for i := range saved {
			for k, s := range saved[i] {
				if s > best {
					best, a, b = s, i, k
				}
			}
		}
		if a < 0 {
			break
		}
		both := list[b].and(list[a])
		if seen, single, _ := both.frequencies(); single*maxRare > seen {
			saved[a][b] = 0
			continue
		}
		list[a], list[b] = nil, both
		for i := range list {
			switch {
			case i < a:
				saved[a][i] = 0
			case i > a:
				saved[i][a] = 0
			}
			switch {
			case list[i] == nil:
			case i < b:
				saved[b][i] = saving(list[b], list[i], &counts)
			case i > b:
				saved[i][b] = saving(list[i], list[b], &counts)
			}
		}
	}
	return slices.DeleteFunc(list, func(l *labelled) bool { return l == nil })
}

// saving is the number of bits that it saves to merge two clusters; 0 if they cannot be.
func saving(a, b *labelled, counts *[]uint32) float64 {
	n, m := len(a.patterns), len(b.patterns)
	if a.room+b.room > 0 || n*m > 16*maxPatterns || len(a.fluents)+len(b.fluents) > maxClustered {
		return 0
	}
	*counts = slices.Grow((*counts)[:0], n*m)[:n*m]
	clear(*counts)
	for i, x := range a.label[:min(len(a.label), suggesting)] {
		(*counts)[int(x)*m+int(b.label[i])]++
	}
	seen, single, double := frequencies(*counts)
	if single*maxRareSuggesting > seen {
		return 0
	}
	if both := estimated(seen, single, double); both <= maxPatterns {
		return math.Log2(float64(n) * float64(m) / both)
	}
	return 0
}
