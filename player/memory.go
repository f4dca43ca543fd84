package player

import (
	"sync"

	"stackmate/reasoner/machine"
)

// The parts of the memory of a match while its game is being compiled. When that
// is done, all that the machines leave over belongs to the searches.
const (
	compilingShare = 0.75 // for compiling, with all engines together
	proverShare    = 0.05 // for answers from the rules alone
	earlyShare     = 0.2  // for searches on the first machine meanwhile
)

// leastProving is what answers from the rules alone take where a role has thousands of moves.
const leastProving = 64 << 20

// leastBytes is what a search needs to be of any use.
const leastBytes = 3 << 20

// memory divides the bytes that a match may take. It is safe for concurrent use.
type memory struct {
	total    int64
	compiled <-chan struct{} // closed when compiling is over; nil before it has begun

	mu       sync.Mutex
	machines int64         // taken by machines
	lost     int64         // held by abandoned searches
	returned chan struct{} // closed when an abandoned search gives memory back, and replaced; nil until asked for
}

// forCompiling is the memory for compiling.
func (m *memory) forCompiling() int64 { return int64(compilingShare * float64(m.total)) }

// forProving is the memory for answers from the rules alone.
func (m *memory) forProving() int64 {
	return max(int64(proverShare*float64(m.total)), min(leastProving, m.total/4))
}

// machine takes note of a machine that is kept.
func (m *memory) machine(of machine.Machine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.machines += of.Info().Bytes
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

// free returns the bytes that neither machines nor provers nor abandoned searches hold. The caller holds m.mu.
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
