package table

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// The clusters of a packing are found in positions of random games, in two steps:
//
//	groups  sets of fluents of which no two are ever true together: the contents of a cell
//	merged  two clusters become one if the union has so few patterns that a position gets
//	        shorter: cells that depend on each other
//
// A small sample shows fewer patterns than exist. The numbers of patterns seen once and twice give an
// estimate of their number. Clusters are merged only if nearly all patterns were seen more often.
//
// Cost: groups takes a few instructions for each pair of fluents and 64 positions; merging takes one for each
// pair of clusters and position, and again for each new cluster.

const (
	// The sample has sampleLanes positions after each of sampleSteps joint moves of random games. Its first
	// firstPart positions suggest the pairs of clusters to merge.
	sampleSteps = 512
	sampleLanes = 64
	firstPart   = 8192
	// maxSampled is the greatest number of fluents for which a sample is drawn.
	maxSampled = 1 << 14
	// maxPaired and maxMerged bound the work: pairs of fluents times words of positions, and
	// pairs of clusters times positions.
	maxPaired = 1 << 26
	maxMerged = 1 << 26
	// minSaved is the least saving of a merger, in bits.
	minSaved = 0.05
	// Clusters merge only if at most one pattern in maxRare was seen once in the sample, and one in
	// maxRareFirstPart in its first part.
	maxRare          = 32
	maxRareFirstPart = 8
	// minSeen is the number of times that a fluent must have been true, and false, to be grouped.
	minSeen = 8
)

// sample holds positions of random games.
type sample struct {
	fluents int
	count   int
	true    [][]uint64 // by fluent: the set of positions in which it is true
}

// drawSample draws a sample from random games, smaller if there are more fluents. Successive steps contribute
// different lanes, since positions of one game vary less than positions of many games.
func drawSample(m machine.Machine, fluents int) *sample {
	p := &sample{fluents: fluents}
	perStep := sampleLanes
	for perStep > 8 && fluents*fluents/2*(sampleSteps*perStep/64) > maxPaired {
		perStep /= 2
	}
	walk, rng := play.Walk{Batch: m.NewNarrowBatch()}, machine.NewRand(1)
	lanes := walk.Batch.Lanes()
	perStep = min(perStep, lanes)
	words := len(m.Initial())
	states := make([]uint64, lanes*words)
	p.true = make([][]uint64, fluents)
	for f := range p.true {
		p.true[f] = make([]uint64, (sampleSteps*perStep+63)/64)
	}
	next := 0
	for range sampleSteps {
		ended := machine.State(walk.Evaluate())
		walk.Batch.Store(states, lanes)
		for range perStep {
			if !ended.Has(next) {
				p.add(states[next*words : (next+1)*words])
			}
			next = (next + 1) % lanes
		}
		walk.ChooseRandom(rng)
		walk.Advance(m.Initial())
	}
	for f := range p.true {
		p.true[f] = p.true[f][:(p.count+63)/64]
	}
	return p
}

// add adds a position to the sample.
func (p *sample) add(s machine.State) {
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			machine.State(p.true[k<<6+bits.TrailingZeros64(w)]).Set(p.count)
		}
	}
	p.count++
}

// labelled is a cluster of fluents, with the pattern of each position of the sample.
type labelled struct {
	fluents     []int32
	patterns    []uint64 // by label
	label       []uint16 // by position
	minCapacity int      // least capacity for patterns; 0 if the sample decides
	exclusive   bool     // no two fluents are ever true together
}

// clusters divides all fluents into clusters.
func (p *sample) clusters() []*labelled {
	var list []*labelled
	for _, group := range p.groups() {
		for part := range slices.Chunk(group.fluents, maxClustered) {
			l := p.labelled(slices.Clone(part), group.minCapacity)
			l.exclusive = group.minCapacity == 0
			list = append(list, l)
		}
	}
	return p.merge(list)
}

// group is a set of fluents, and the least capacity for their patterns.
type group struct {
	fluents     []int32
	minCapacity int
}

// groups divides the fluents into constant fluents, fluents that changed too rarely, and sets of which no two
// fluents are true together. The most frequent remaining fluent begins each set.
func (p *sample) groups() []group {
	constant, rare := group{minCapacity: constantCapacity}, group{minCapacity: maxPatterns}
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

// disjoint returns a group and the other fluents. The group has the first fluent and each further fluent that
// never coincides with the group, although by chance it would.
func (p *sample) disjoint(order []int32, often []int) (group, others []int32) {
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

// labelled returns the cluster of the given fluents, with the patterns of the sample.
func (p *sample) labelled(fluents []int32, minCapacity int) *labelled {
	l := &labelled{fluents: fluents, label: make([]uint16, p.count), minCapacity: minCapacity}
	patterns := make([]uint64, p.count) // by position
	for k, f := range fluents {
		for j, w := range p.true[f] {
			for ; w != 0; w &= w - 1 {
				patterns[j<<6+bits.TrailingZeros64(w)] |= 1 << k
			}
		}
	}
	numbers := map[uint64]uint16{}
	for i, pattern := range patterns {
		if i > 0 && pattern == patterns[i-1] {
			l.label[i] = l.label[i-1]
			continue
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

// union returns the cluster of the fluents of both clusters.
func (l *labelled) union(other *labelled) *labelled {
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

// chao estimates the number of patterns from a sample: it has `seen` different patterns, of which `once`
// appeared once and `twice` twice (Chao, 1984).
func chao(seen, once, twice int) float64 {
	return float64(seen) + float64(once*once)/float64(2*(twice+1))
}

// frequencies returns the number of patterns in the sample, and how many of them appear once and twice.
func (l *labelled) frequencies() (seen, once, twice int) {
	counts := make([]uint32, len(l.patterns))
	for _, n := range l.label {
		counts[n]++
	}
	return frequencies(counts)
}

func frequencies(counts []uint32) (seen, once, twice int) {
	for _, n := range counts {
		switch {
		case n == 1:
			once++
		case n == 2:
			twice++
		}
		if n > 0 {
			seen++
		}
	}
	return seen, once, twice
}

// merge merges clusters greedily: the pair with the greatest saving first.
func (p *sample) merge(list []*labelled) []*labelled {
	if len(list)*len(list)/2*min(p.count, firstPart) > maxMerged {
		return list
	}
	var counts []uint32
	saved := make([][]float64, len(list)) // by pair of indices, the greater index first
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
		both := list[b].union(list[a])
		if seen, once, _ := both.frequencies(); once*maxRare > seen {
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

// saving returns the bits that merging two clusters saves; 0 if they cannot be merged.
func saving(a, b *labelled, counts *[]uint32) float64 {
	n, m := len(a.patterns), len(b.patterns)
	if a.minCapacity+b.minCapacity > 0 || n*m > 16*maxPatterns || len(a.fluents)+len(b.fluents) > maxClustered {
		return 0
	}
	*counts = slices.Grow((*counts)[:0], n*m)[:n*m]
	clear(*counts)
	for i, x := range a.label[:min(len(a.label), firstPart)] {
		(*counts)[int(x)*m+int(b.label[i])]++
	}
	seen, once, twice := frequencies(*counts)
	if once*maxRareFirstPart > seen {
		return 0
	}
	if both := chao(seen, once, twice); both <= maxPatterns {
		return math.Log2(float64(n) * float64(m) / both)
	}
	return 0
}
