package layers

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// A packing is derived in two steps: groups of bits from random games (findGroups), and the subset of bits
// in use in one layer from a sample of it (guess). Both are heuristics for short keys; positions are
// checked.

// sample is a list of positions.
type sample []machine.State

// maxSample is the maximum size of a sample, including symmetry images, before misfits are added.
var maxSample = 1 << 13 // variable for tests

// withImages returns the sample and the images of its positions.
func (s sample) withImages(symmetries []symmetry) sample {
	all := slices.Clone(s)
	for _, q := range s {
		for k := range symmetries {
			all = append(all, symmetries[k].apply(q))
		}
	}
	return all
}

// playouts returns positions of random games, with their images.
func (g *game) playouts() (s sample) {
	b, rng := g.machine.NewNarrowBatch(), machine.NewRand(1)
	const lanes = 64
	words := len(g.machine.Initial())
	positions := make([]uint64, lanes*words)
	for range maxSample / lanes {
		b.Fill(g.root, nil)
		b.Evaluate(lanes)
		play.NewLockstep(b).Run(g.ctx, rng, lanes, func(_ int, _, playing []uint64) bool {
			b.Store(positions, lanes)
			for w := playing[0]; w != 0; w &= w - 1 {
				i := bits.TrailingZeros64(w)
				s = append(s, slices.Clone(positions[i*words:(i+1)*words]))
			}
			return len(s) < maxSample/(1+len(g.symmetries))
		})
	}
	return s.withImages(g.symmetries)
}

// findGroups finds groups of bits of which exactly one is set in each position of random games.
func (g *game) findGroups() {
	seeds := make([][]int, 64*len(g.machine.Initial()))
	for b := range seeds {
		seeds[b] = []int{b}
	}
	g.groups = g.playouts().grow(seeds, make(machine.State, len(g.machine.Initial())), g.symmetries)
}

// grow extends seeds to groups of free bits and marks these bits as taken. In each position exactly one
// bit of a group is set. Seeds without such a group are dropped. The images of a group are groups, too.
func (s sample) grow(seeds [][]int, taken machine.State, symmetries []symmetry) (groups [][]int) {
	rows := s.rows(len(taken))
	for _, seed := range seeds {
		seed = slices.DeleteFunc(slices.Clone(seed), func(b int) bool { return rows[b] == nil })
		if len(seed) == 0 || slices.ContainsFunc(seed, taken.Has) {
			continue
		}
		if group := s.group(rows, taken, seed); len(group) > 1 {
			for _, image := range orbit(group, taken, symmetries) {
				for _, member := range image {
					taken.Set(member)
				}
				groups = append(groups, image)
			}
		}
	}
	return groups
}

// rows returns, for each bit, the set of positions in which it is set, or nil if there is none.
func (s sample) rows(words int) [][]uint64 {
	rows := make([][]uint64, 64*words)
	for k, q := range s {
		for i, w := range q {
			for ; w != 0; w &= w - 1 {
				b := i<<6 + bits.TrailingZeros64(w)
				if rows[b] == nil {
					rows[b] = make([]uint64, (len(s)+63)/64)
				}
				rows[b][k>>6] |= 1 << (k & 63)
			}
		}
	}
	return rows
}

// group extends seed to a set of bits of which exactly one is set in each position, or returns nil. For
// each uncovered position it adds the nearest bit that excludes all earlier ones: machines number fluents
// of one kind consecutively.
func (s sample) group(rows [][]uint64, taken machine.State, seed []int) []int {
	covered := make([]uint64, (len(s)+63)/64)
	var members []int
	add := func(b int) (ok bool) {
		ok = !intersects(covered, rows[b])
		members = append(members, b)
		for i, w := range rows[b] {
			covered[i] |= w
		}
		return ok
	}
	for _, b := range seed {
		if !add(b) {
			return nil
		}
	}
	for k, q := range s {
		if covered[k>>6]>>(k&63)&1 != 0 {
			continue
		}
		nearest, b := -1, seed[0]
		for i, w := range q {
			for w &^= taken[i]; w != 0; w &= w - 1 {
				c := i<<6 + bits.TrailingZeros64(w)
				if (nearest < 0 || max(c-b, b-c) < max(nearest-b, b-nearest)) && !intersects(covered, rows[c]) {
					nearest = c
				}
			}
		}
		if nearest < 0 || !add(nearest) {
			return nil
		}
	}
	slices.Sort(members)
	return members
}

func intersects(a, b []uint64) bool {
	for i, w := range a {
		if w&b[i] != 0 {
			return true
		}
	}
	return false
}

// orbit returns the images of a group under the symmetries, itself first. It returns nil if they overlap
// each other or taken bits.
func orbit(group []int, taken machine.State, symmetries []symmetry) [][]int {
	found, own := [][]int{group}, slices.Clone(taken)
	for _, member := range group {
		own.Set(member)
	}
	for _, y := range symmetries {
		image := make([]int, len(group))
		for i, member := range group {
			image[i] = y.to[member]
		}
		slices.Sort(image)
		if slices.ContainsFunc(found, func(g []int) bool { return slices.Equal(g, image) }) {
			continue
		}
		for _, member := range image {
			if own.Has(member) {
				return nil
			}
			own.Set(member)
		}
		found = append(found, image)
	}
	return found
}

// guess returns a packing that fits the positions and their images. It returns errWide if keys are too wide.
func (g *game) guess(positions sample) (*packing, error) {
	s := positions.withImages(g.symmetries)
	constant, value := s.constants()
	taken := slices.Clone(constant)
	digits := s.grow(g.groups, taken, g.symmetries)
	for b := range 64 * len(taken) {
		if !taken.Has(b) {
			digits = append(digits, []int{b})
		}
	}
	return newPacking(constant, value, digits, g.symmetries)
}

// constants returns the bits that are equal in the whole sample, and their values.
func (s sample) constants() (constant, value machine.State) {
	constant, value = make(machine.State, len(s[0])), slices.Clone(s[0])
	for i := range constant {
		constant[i] = ^uint64(0)
	}
	for _, q := range s {
		for i, w := range q {
			constant[i] &^= w ^ value[i]
		}
	}
	for i, c := range constant {
		value[i] &= c
	}
	return constant, value
}
