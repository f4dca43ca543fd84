package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// memory is the transposition table: what is proved of positions, in goal points
// of the row player. Positions that a symmetry of the rules maps onto each other
// share an entry. Where it exchanges the players, a value v of the one position
// is sum-v in the other, sum being what the goals of both players add up to; and
// a position that such a symmetry leaves as it is is worth sum/2 without search.
//
// Nothing depends on which symmetries the machine knows but the number of
// entries: the bounds read for a position hold for it.
type memory struct {
	table *table.Table[bounds]
	canon *table.Canon
	sum   float64
}

// newMemory makes a table of at most so many bytes.
func (s *solver) newMemory(maxBytes int64) *memory {
	exchange := len(s.machine.Symmetries()) > 0 && s.survey()
	return &memory{
		table: table.New[bounds](s.machine.Words(), maxBytes),
		canon: table.NewCanon(s.machine, [2]machine.Role{s.row, s.column}, exchange),
		sum:   s.sum,
	}
}

// lookup returns what is known of position q.
func (m *memory) lookup(q machine.State) (search.Interval, bool) {
	r := m.canon.Find(q)
	if r.Even {
		return search.Exact(m.sum / 2), true
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

// exchange is v as the other player sees it, if the players are exchanged.
func (m *memory) exchange(v search.Interval, exchanged bool) search.Interval {
	if !exchanged {
		return v
	}
	return search.Interval{Lower: m.sum - v.Upper, Upper: m.sum - v.Lower}
}

// survey plays a random game from the initial position to learn what the goals
// add up to. It returns false if that game does not end, or ends without goals.
func (s *solver) survey() bool {
	rng := machine.NewRand(1)
	var e machine.Expansion
	q := append(machine.State(nil), s.machine.Initial()...)
	for range maxPlies {
		if terminal, goals := s.expander.Look(q); terminal {
			s.payoff(goals)
			return s.err == nil
		}
		if !s.expander.Expand(&e, q) {
			return false
		}
		copy(q, e.Child(rng.Intn(e.Children)))
	}
	return false
}
