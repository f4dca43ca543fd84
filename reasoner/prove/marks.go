package prove

// marks is a set of small numbers that is cleared in constant time.
type marks struct {
	epoch int32
	added []int32 // by number: the epoch in which it was added, plus 1
}

func (m *marks) clear() { m.epoch++ }

func (m *marks) has(i int32) bool { return int(i) < len(m.added) && m.added[i] == m.epoch+1 }

// add adds a number and reports whether it is new.
func (m *marks) add(i int32) bool {
	for len(m.added) <= int(i) {
		m.added = append(m.added, 0)
	}
	was := m.added[i] == m.epoch+1
	m.added[i] = m.epoch + 1
	return !was
}
