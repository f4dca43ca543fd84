package machine

// From is m with another initial position.
func From(m Machine, initial State) Machine { return &from{m, initial} }

type from struct {
	Machine
	initial State
}

// Initial implements Machine.
func (m *from) Initial() State { return m.initial }
