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
	machines int64 // taken by machines
	lost     int64 // held by searches that were left behind
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

// share is the memory for one of several searches side by side; 0 if there is too
// little for another one. One share is kept free: when a search is left behind and all are
// smaller from then on, the others may keep up to one and a half (thinker.granted).
func (m *memory) share() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	free := int64(earlyShare * float64(m.total))
	select {
	case <-m.compiled:
		free = m.total - m.machines - m.forProving()
	default:
	}
	if share := (free - m.lost) / (searches + 1); share >= leastBytes {
		return share
	}
	return 0
}

// lose takes note of memory that a search left behind goes on holding; a negative
// number gives it back.
func (m *memory) lose(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost += bytes
}
