package simultaneous

import (
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
)

// memory is the transposition table: intervals proved of positions, in goal points
// of the row player. Symmetric positions share an entry.
type memory struct {
	*symmetry
	table    *table.Table[search.Interval]
	asked    []image // of look-ups that have begun
	answered int
}

// image is how a position that was asked stands in the table.
type image struct{ even, exchanged bool }

// lookup returns the interval known of position q.
func (m *memory) lookup(q machine.State) (search.Interval, bool) {
	r := m.canon.Find(q)
	if r.Even && m.ends {
		return m.even(), true
	}
	v, ok := m.table.Lookup(r.State)
	if !ok {
		return search.Interval{}, false
	}
	return m.exchange(v, r.Exchanged), true
}

// ask begins a look-up, and answer ends it, as in the table. It reports whether an exchange
// of the players leaves position q as it is, which answers the question.
func (m *memory) ask(q machine.State) bool {
	r := m.canon.Find(q)
	even := r.Even && m.ends
	if m.asked = append(m.asked, image{even, r.Exchanged}); !even {
		m.table.Ask(r.State)
	}
	return even
}

// answer ends the look-up that began first.
func (m *memory) answer() (search.Interval, bool) {
	r := m.asked[m.answered]
	if m.answered++; m.answered == len(m.asked) {
		m.asked, m.answered = m.asked[:0], 0
	}
	if r.even {
		return m.even(), true
	}
	v, ok := m.table.Answer()
	return m.exchange(v, r.exchanged), ok
}

// store keeps the interval known of position q, whose search took the given number of nodes.
func (m *memory) store(q machine.State, v search.Interval, work int64) {
	r := m.canon.Find(q)
	v = m.exchange(v, r.Exchanged)
	m.table.Store(r.State, v, work)
}

// recall tightens cells of a frame by the bounds that the table has of the children. If
// the search stops meanwhile, the other cells stay as they are.
func (s *solver) recall(f *frame, cells []cell) {
	if s.memory == nil {
		return
	}
	for _, c := range s.ask(f, cells) {
		if f.p[c.at] == f.o[c.at] {
			continue
		}
		v := s.mean(f, c.first, s.answer)
		if f.p[c.at], f.o[c.at] = v.Lower, v.Upper; v.Solved() {
			s.counters.TableHits++
		}
	}
}

// recallAll does so for all cells.
func (s *solver) recallAll(f *frame) {
	s.cells = s.cells[:0]
	for i := range f.m {
		for j := range f.n {
			s.cells = append(s.cells, f.cellAt(rowSide, i, j))
		}
	}
	s.recall(f, s.cells)
}

// ask begins to look up the children of cells, and returns the cells of which it has done so.
func (s *solver) ask(f *frame, cells []cell) []cell {
	for k, c := range cells {
		if s.isOverdue(k) {
			return cells[:k]
		}
		if f.p[c.at] == f.o[c.at] {
			continue
		}
		for t := range f.k {
			if child := c.first + t*f.chanceStep; !f.expansion.Terminal[child] {
				if s.memory.ask(f.expansion.Child(child)) {
					s.repeatsEven(f, f.expansion.Child(child))
				}
			}
		}
	}
	return cells
}

// answer returns the interval that the table has of a position that was asked.
func (s *solver) answer(machine.State) search.Interval {
	if v, ok := s.memory.answer(); ok {
		return v
	}
	return search.GoalRange
}

// proved is how tables keep intervals of goal points: both ends as multiples of grid, as values are, and one that
// is none lets the interval grow.
var proved = table.Codec[search.Interval]{
	Bits:   2 * endBits,
	Encode: func(dst []uint64, v search.Interval) { encode(dst, 0, v) },
	Decode: func(src []uint64) search.Interval { return decode(src, 0) },
	Merge:  meet,
}

// endBits are enough for a goal, in multiples of exact.Grid.
const endBits = 37

// encode writes an interval as number n of several, that are one after the other.
func encode(dst []uint64, n int, v search.Interval) {
	put(dst, 2*n*endBits, uint64(max(0, math.Floor(v.Lower/exact.Grid))))
	put(dst, (2*n+1)*endBits, uint64(math.Ceil(v.Upper/exact.Grid)))
}

func decode(src []uint64, n int) search.Interval {
	return search.Interval{
		Lower: float64(get(src, 2*n*endBits, endBits)) * exact.Grid,
		Upper: float64(get(src, (2*n+1)*endBits, endBits)) * exact.Grid,
	}
}

// put writes a number from bit at on, where all bits from there on are still to be written.
func put(dst []uint64, at int, v uint64) {
	i, shift := at/64, at%64
	dst[i] = dst[i]&(1<<shift-1) | v<<shift
	if i+1 < len(dst) {
		dst[i+1] = v >> (64 - shift)
	}
}

// get reads a number of some bits.
func get(src []uint64, at, width int) uint64 {
	i, shift := at/64, at%64
	v := src[i] >> shift
	if shift+width > 64 {
		v |= src[i+1] << (64 - shift)
	}
	return v & (1<<width - 1)
}
