package lattice

// memory is a transposition table of intervals, which hold for every window. It has two generations. When
// the young generation has half of the allowed entries, it replaces the old generation. A hit in the old
// generation moves the entry to the young one, so entries in use stay.
type memory[K comparable, V any] struct {
	half       int
	young, old map[K]entry[V]
}

type entry[V any] struct {
	bounds Bounds[V]
	best   int32 // index of the move that last tightened the bounds
	pass   int32 // last pass in which the search of the position met a position on its path; 0 for none
}

func newMemory[K comparable, V any](entries int) *memory[K, V] {
	return &memory[K, V]{half: max(entries/2, 1), young: make(map[K]entry[V])}
}

func (m *memory[K, V]) find(key K) (entry[V], bool) {
	e, found := m.young[key]
	if !found {
		if e, found = m.old[key]; found {
			m.put(key, e)
		}
	}
	return e, found
}

func (m *memory[K, V]) len() int { return len(m.young) + len(m.old) }

func (m *memory[K, V]) put(key K, e entry[V]) {
	if _, found := m.young[key]; !found && len(m.young) >= m.half {
		m.old, m.young = m.young, make(map[K]entry[V], m.half)
	}
	m.young[key] = e
}
