package sequential

import (
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// entry is what the transposition table remembers of a position, and of all that
// symmetries which leave the players in their places map onto it. Bounds that are
// proved hold for ever; the guess holds for searches of at most its depth.
//
// In the table it is packed:
//
//	depth (16 bits) | role + 1 (8) | settled (8) | best (32)
//	proved, two float32, or where these do not hold every value (wide) two float64
//	guess, two float32: estimates, unless it is settled that they are the bounds
type entry struct {
	value
	depth int32        // of the guess; 0 for none
	best  machine.Move // the best one
	role  int8         // of the best move; -1 for none
}

// packing is how entries are packed.
type packing struct{ wide bool }

// packingOf is that of a game whose goals lie in a range. Without chance values are
// goals, which are whole numbers.
func packingOf(p *payoff) packing {
	exact := func(v float64) bool { return float64(float32(v)) == v }
	return packing{wide: p.random >= 0 || !exact(p.goals.Lower) || !exact(p.goals.Upper)}
}

// words is the length of an entry.
func (p packing) words() int {
	if p.wide {
		return 4
	}
	return 3
}

func (p packing) pack(dst []uint64, e entry) {
	settled := uint64(0)
	if e.guess == e.proved {
		settled = 1
	}
	dst[0] = uint64(e.depth)<<48 | uint64(uint8(e.role+1))<<40 | settled<<32 | uint64(uint32(e.best))
	if p.wide {
		dst[1], dst[2] = math.Float64bits(e.proved.Lower), math.Float64bits(e.proved.Upper)
	} else {
		dst[1] = pair(e.proved)
	}
	dst[len(dst)-1] = pair(e.guess)
}

func (p packing) unpack(src []uint64) entry {
	e := entry{depth: int32(src[0] >> 48), role: int8(src[0]>>40&0xff) - 1, best: machine.Move(uint32(src[0]))}
	if p.wide {
		e.proved = search.Interval{Lower: math.Float64frombits(src[1]), Upper: math.Float64frombits(src[2])}
	} else {
		e.proved = unpair(src[1])
	}
	if e.guess = e.proved; src[0]>>32&0xff == 0 {
		e.guess = clamp(unpair(src[len(src)-1]), e.proved)
	}
	return e
}

// merge adds to a packed entry what an older one knows of the same position.
func (p packing) merge(value, old []uint64) {
	e, before := p.unpack(value), p.unpack(old)
	e.value = e.tightened(before.proved)
	if e.depth == 0 {
		e.guess, e.depth = clamp(before.guess, e.proved), before.depth
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

// key is what the table calls a position.
type key struct {
	table.Representative
	hash uint64
}

// find sets k to the key of q, which must stay as it is as long as k is in use;
// image is memory for a position.
func (r *run) find(k *key, image, q machine.State) {
	if r.Without&Table == 0 {
		k.Representative = r.canon.Keep(image, q)
		k.hash = table.Hash(k.State)
	}
}

// recall returns what is known of position k when it is to be searched depth
// choices deep, and the best move of the last time or NoMove.
func (r *run) recall(k *key, depth int) (v value, best machine.Move) {
	v = value{r.Goals, r.Goals}
	if r.Without&Table != 0 || !r.table.Lookup(r.packed, k.State, k.hash) {
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

// remember stores what a search of position k, expanded in f, found that began when
// the counter of nodes stood at first, and returns it with all that is proved. Depth is
// that of the guess, 0 for none; best is the best action.
func (r *run) remember(f *frame, k *key, v value, depth, best int, first int64) value {
	if r.Without&Table != 0 {
		return v
	}
	e := entry{value: v, depth: int32(depth), role: int8(f.decider)}
	if f.decider >= 0 {
		e.best = k.Move(f.decider, f.children.Moves[f.decider][best])
	}
	r.pack(r.packed, e)
	r.table.Update(r.packed, k.State, k.hash, r.nodes-first+1, r.merge)
	return v.tightened(r.unpack(r.packed).proved)
}
