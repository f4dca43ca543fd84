package player

import (
	"sync"

	"stackmate/reasoner/machine"
)

// The shares of the memory of a match during compilation. Afterwards the searches get all memory that the
// machines leave free.
const (
	compilingShare = 0.75 // compilation by all engines together
	proverShare    = 0.05 // provers
	earlyShare     = 0.2  // searches on the first machine
)

// leastProving is the memory that provers need in a game with thousands of moves a role.
const leastProving = 64 << 20

// leastBytes is the least memory of a useful search.
const leastBytes = 3 << 20

// memory divides the memory of a match. It is safe for concurrent use.
type memory struct {
	total    int64
	compiled <-chan struct{} // closed when compilation has ended; nil before it begins

	mu       sync.Mutex
	machines int64         // held by machines
	lost     int64         // held by abandoned searches
	returned chan struct{} // closed when an abandoned search gives memory back, and replaced; nil until asked for
}

// forCompiling returns the memory for compilation.
func (m *memory) forCompiling() int64 { return int64(compilingShare * float64(m.total)) }

// forProving returns the memory for provers.
func (m *memory) forProving() int64 {
	return max(int64(proverShare*float64(m.total)), min(leastProving, m.total/4))
}

// addMachine records the memory of a machine.
func (m *memory) addMachine(added machine.Machine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.machines += added.Info().Bytes
}

// share returns the bytes for one of several searches side by side; 0 if too little is left. One share stays free: when a
// search is abandoned and all shares shrink, the other searches may keep up to one and a half (thinker.granted).
func (m *memory) share() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if share := m.free() / (searches + 1); share >= leastBytes {
		return share
	}
	return 0
}

// floor returns the bytes that the sampling search gets where no share is left: the free share is for this.
func (m *memory) floor() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.free() >= leastBytes {
		return leastBytes
	}
	return 0
}

// free returns the bytes that neither machines nor provers nor abandoned searches hold; it may be negative. The caller
// holds m.mu.
func (m *memory) free() int64 {
	select {
	case <-m.compiled:
		return m.total - m.machines - m.forProving() - m.lost
	default:
		return int64(earlyShare*float64(m.total)) - m.lost
	}
}

// lose records that an abandoned search goes on holding some bytes; a negative number gives them back.
func (m *memory) lose(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost += bytes; bytes < 0 && m.returned != nil {
		close(m.returned)
		m.returned = nil
	}
}

// awaitReturn returns a channel that is closed when an abandoned search gives memory back.
func (m *memory) awaitReturn() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.returned == nil {
		m.returned = make(chan struct{})
	}
	return m.returned
}
