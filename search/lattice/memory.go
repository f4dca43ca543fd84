package lattice

// memory is the transposition table: what is known of positions, whatever the window
// was in which they were searched. It holds two generations; when the young one has
// half of the entries allowed, the old one is forgotten. What is found in the old one
// becomes young again, so what is in use stays.
type memory[K comparable, V any] struct {
	half       int
	young, old map[K]entry[V]
}

type entry[V any] struct {
	bounds Bounds[V]
	best   int32 // the move that moved the bounds last
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
