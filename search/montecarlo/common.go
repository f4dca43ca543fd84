package montecarlo

import (
	"runtime"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// common is the shared state of the workers of a search: the tree, and the class of the game. A worker
// holds the lock while it descends, opens nodes and adds leaves; playouts run in parallel. Paths count as
// visits on the descent, which spreads the paths of different workers like the paths of one worker
// (virtual loss; Chaslot, Winands and van den Herik, 2008).
type common struct {
	tree *tree
	plan *plan // for a single role without chance, else nil

	adversarial bool  // see bounds.go
	sum         int32 // of the goals of the two players, if sumKnown
	sumKnown    bool
	mistaken    bool // the goals contradict adversarial
	first       int  // the first player
	second      int  // the other player of two, else -1

	mu sync.Mutex
}

// newTeam returns workers on m whose playouts run on the machine playing of the same game. Tree and
// batches take at most the given bytes.
func newTeam(m, playing machine.Machine, c Config, adversarial bool, seed uint64, count int, bytes int64) []*worker {
	names := m.Names()
	team := &common{adversarial: adversarial && len(names.Players()) <= 2}
	workers := make([]*worker, count)
	room := bytes
	for i := range workers {
		workers[i] = newWorker(m, playing, c, seed+uint64(i), bytes/int64(count))
		workers[i].common = team
		room -= workers[i].fixed
	}
	team.tree = newTree(len(names.Roles), len(m.Initial()), names.Chance(), max(room, bytes/4), c.has(Transpositions))
	team.first, team.second = max(0, team.tree.opponent(-1)), -1 // the only role may be chance
	if len(names.Players()) == 2 {
		team.second = team.tree.opponent(team.first)
	} else if len(names.Roles) == 1 && names.Chance() < 0 {
		team.plan = &plan{expander: play.NewExpander(m)}
	}
	return workers
}

// lockSpin is the time that a worker spins for the lock before it sleeps. The lock is held for up to 200
// µs. A wake-up takes as long, during which the tree would be idle (docs/lab/sampling.md).
const lockSpin = 200 * time.Microsecond

// lock acquires the lock of the tree.
func (c *common) lock() {
	for began := time.Now(); !c.mu.TryLock(); runtime.Gosched() {
		if time.Since(began) > lockSpin {
			c.mu.Lock()
			return
		}
	}
}

// goalSum records the sum of the goals of two players over the games of a batch.
type goalSum struct {
	sum          int32
	known, mixed bool
}

// checkSum records the sum of the goals of the two players.
func (w *worker) checkSum(goals []int32) {
	if w.second < 0 {
		return
	}
	sum := search.Points(goals[w.first]) + search.Points(goals[w.second])
	h := &w.seen
	h.mixed = h.mixed || h.known && sum != h.sum
	h.sum, h.known = sum, true
}

// isMistaken merges the recorded sums, and reports whether the search assumed an adversarial game and the
// sum is not constant. Then the bounds of the tree and the pruned moves are invalid.
func (w *worker) isMistaken() bool {
	if h := w.seen; w.adversarial && h.known {
		if !w.sumKnown {
			w.sum, w.sumKnown = h.sum, true
		}
		w.mistaken = w.mistaken || h.mixed || h.sum != w.sum
	}
	return w.mistaken
}
