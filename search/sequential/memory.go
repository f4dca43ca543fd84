package sequential

import (
	"math"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/table"
)

// entry is the transposition-table entry of a position and its images under symmetries that fix the
// players. The proved bounds hold for ever; the guess holds for searches of at most its depth.
type entry struct {
	value
	depth int32        // of the guess; 0 without a guess
	best  machine.Move // best move
	role  int8         // of the best move; -1 for none
}

// packing is the layout of packed entries. Without chance all values are goals, and their number is small: an entry is
// a single word,
//
//	move number + 1 | guess | proved | depth (11 bits)
//
// where an interval is a number in the list of intervals between goals. Otherwise (wide) an entry is
//
//	depth (16 bits) | role + 1 (8) | best (32)
//	proved, two float64
//	guess, two float32
type packing struct {
	wide   bool
	bits   int
	ends   *intervals     // numbering of intervals
	before []machine.Move // by role: number of moves of all roles before it
}

const depthBits = 11 // enough for exact.MaxPly

// packingOf returns the packing for a game.
func packingOf(m machine.Machine, p *payoff) packing {
	names := m.Names()
	c := packing{wide: true, bits: 4 * 64}
	if p.random >= 0 || names.Open != nil {
		return c
	}
	moves := machine.Move(0)
	for _, list := range names.Moves {
		c.before = append(c.before, moves)
		moves += machine.Move(len(list))
	}
	c.ends = newIntervals(p.levels(facts.GoalValues(m)))
	if n := depthBits + 2*c.ends.bits() + bits.Len(uint(moves)); n <= 64 {
		c.bits, c.wide = n, false
	}
	return c
}

// unit is the spacing of levels in goal points: goals are whole, and the middle of their range may be a half.
const unit = 0.5

// levels returns the possible values of positions and the middle of the range, in rising order. Without known goals it
// returns all units in the range.
func (p *payoff) levels(goals [][]int32) []float64 {
	levels := []float64{0, machine.MaxGoal / 2., machine.MaxGoal}
	if goals == nil {
		for v := 0.; v < machine.MaxGoal; v += unit {
			levels = append(levels, v)
		}
	} else {
		for _, g := range goals[p.First] {
			levels = append(levels, float64(search.Points(g)))
		}
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// intervals numbers the intervals whose ends are levels.
type intervals struct {
	list         []search.Interval // by number
	least        float64
	below, above []int // by unit from least on: index of the greatest level not above it, and of the least level not below it
}

func newIntervals(levels []float64) *intervals {
	n := &intervals{least: levels[0]}
	for j, upper := range levels {
		for _, lower := range levels[:j+1] {
			n.list = append(n.list, search.Interval{Lower: lower, Upper: upper})
		}
		for v := n.least + float64(len(n.above))*unit; v <= upper; v += unit {
			n.above = append(n.above, j)
			if n.below = append(n.below, j); v < upper {
				n.below[len(n.below)-1]--
			}
		}
	}
	return n
}

func (n *intervals) bits() int { return bits.Len(uint(len(n.list) - 1)) }

// number returns the number of the smallest numbered interval that contains i.
func (n *intervals) number(i search.Interval) uint64 {
	lower := n.below[int(math.Floor((i.Lower-n.least)/unit))]
	upper := n.above[int(math.Ceil((i.Upper-n.least)/unit))]
	return uint64(upper*(upper+1)/2 + lower)
}

func (p packing) pack(dst []uint64, e entry) {
	if p.wide {
		dst[0] = uint64(e.depth)<<48 | uint64(uint8(e.role+1))<<40 | uint64(uint32(e.best))
		dst[1], dst[2] = math.Float64bits(e.proved.Lower), math.Float64bits(e.proved.Upper)
		dst[3] = pair(e.guess)
		return
	}
	w := uint64(0)
	if e.role >= 0 {
		w = uint64(p.before[e.role]+e.best) + 1
	}
	w = w<<p.ends.bits() | p.ends.number(e.guess)
	w = w<<p.ends.bits() | p.ends.number(e.proved)
	dst[0] = w<<depthBits | uint64(e.depth)
}

func (p packing) unpack(src []uint64) entry {
	if p.wide {
		e := entry{depth: int32(src[0] >> 48), role: int8(src[0]>>40&0xff) - 1, best: machine.Move(uint32(src[0]))}
		e.proved = search.Interval{Lower: math.Float64frombits(src[1]), Upper: math.Float64frombits(src[2])}
		e.guess = clamp(unpair(src[3]), e.proved)
		return e
	}
	w := src[0]
	e := entry{depth: int32(w & (1<<depthBits - 1)), role: -1}
	w >>= depthBits
	e.proved = p.ends.list[w&(1<<p.ends.bits()-1)]
	w >>= p.ends.bits()
	e.guess = clamp(p.ends.list[w&(1<<p.ends.bits()-1)], e.proved)
	if w >>= p.ends.bits(); w > 0 {
		e.best = machine.Move(w - 1)
		for e.role = int8(len(p.before) - 1); p.before[e.role] > e.best; {
			e.role--
		}
		e.best -= p.before[e.role]
	}
	return e
}

// merge adds the bounds of an older entry to a packed entry. An interrupted search, for example after another worker's
// answer, replaces the best move only if it has proved a better bound.
func (p packing) merge(value, old []uint64) {
	e, before := p.unpack(value), p.unpack(old)
	isNews := e.proved.Lower > before.proved.Lower || e.proved.Upper < before.proved.Upper
	e.value = e.tightened(before.proved)
	if e.depth == 0 {
		e.guess, e.depth = clamp(before.guess, e.proved), before.depth
		if !isNews && before.role >= 0 {
			e.role, e.best = before.role, before.best
		}
	}
	p.pack(value, e)
}

func pair(i search.Interval) uint64 {
	return uint64(math.Float32bits(float32(i.Lower)))<<32 | uint64(math.Float32bits(float32(i.Upper)))
}

func unpair(w uint64) search.Interval {
	return search.Interval{
		Lower: float64(math.Float32frombits(uint32(w >> 32))),
		Upper: float64(math.Float32frombits(uint32(w))),
	}
}

// key is the key of a position in the table, with its symmetry.
type key struct {
	table.Representative
	table.Key
}

// find sets k to the key of q. The caller must not change q while k is in use; memory holds the words of a
// position.
func (r *run) find(k *key, memory []uint64, q machine.State) {
	if r.Without&Table == 0 {
		*k = keyOf(r.canon, r.table, memory, q)
	}
}

// keyOf returns the key of q in a table; memory is as in find.
func keyOf(c *table.Canon, t *table.Shared, memory []uint64, q machine.State) (k key) {
	k.Representative = c.Find(q)
	k.Key = t.Key(memory, k.State)
	k.State = nil
	return k
}

// recall returns the bounds in the table for a search of the given depth, and the best move of the last search or
// NoMove.
func (r *run) recall(k *key, depth int) (v value, best machine.Move) {
	v = unknown
	if r.Without&Table != 0 || !r.table.Lookup(r.packed, k.Key) {
		return v, machine.NoMove
	}
	r.hits++
	e := r.unpack(r.packed)
	v = value{e.proved, e.proved}
	if depth > 0 && int(e.depth) >= depth {
		v.guess = e.guess
		r.horizon = r.horizon || e.guess != e.proved
	}
	if e.role < 0 {
		return v, machine.NoMove
	}
	return v, k.Preimage(machine.Role(e.role), e.best)
}

// remember stores the outcome of a search of position k, expanded in f, and returns it with the merged bounds. Depth is
// the depth of the guess, 0 for an interrupted search; best is the best action. The cost of the entry is the
// number of nodes since first.
func (r *run) remember(f *frame, k *key, v value, depth, best int, first int64) value {
	if r.Without&Table != 0 {
		return v
	}
	e := entry{value: v, depth: int32(depth), role: int8(f.Decider)}
	if f.Decider >= 0 {
		e.best = k.Move(f.Decider, f.children.Moves[f.Decider][best])
	}
	r.pack(r.packed, e)
	r.table.Update(r.packed, k.Key, r.nodes-first+1, r.merge)
	return v.tightened(r.unpack(r.packed).proved)
}
