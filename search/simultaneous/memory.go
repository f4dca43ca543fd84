package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// memory is the transposition table: what is proved of positions, in goal points
// of the row player. Symmetric positions share an entry.
type memory struct {
	*symmetry
	table *table.Table[bounds]
}

// lookup returns what is known of position q.
func (m *memory) lookup(q machine.State) (search.Interval, bool) {
	r := m.canon.Find(q)
	if r.Even {
		return m.even(), true
	}
	b := m.table.Lookup(r.State)
	if b == nil {
		return search.Interval{}, false
	}
	return m.exchange(search.Interval{Lower: b.lower, Upper: b.upper}, r.Exchanged), true
}

// store keeps what is known of position q, which cost so many nodes.
func (m *memory) store(q machine.State, v search.Interval, work int64) {
	r := m.canon.Find(q)
	v = m.exchange(v, r.Exchanged)
	*m.table.Insert(r.State, work) = bounds{v.Lower, v.Upper}
}
