package montecarlo

import (
	"runtime"
	"sync"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// common is what the workers of a search grow together: one tree, and what is known of the
// game. A worker holds the lock while it goes down the tree, opens nodes, and adds leaves; what
// takes the time, the playouts of a batch, goes on side by side. Paths count as visits from
// when they go down, so those of one worker part from those of the others, as they part from
// each other (Chaslot, Winands and van den Herik, 2008, virtual loss).
type common struct {
	tree *tree
	plan *plan // for a single role without chance, else nil

	adversarial bool  // see bounds.go
	sum         int32 // of the goals of two players, once known
	sumKnown    bool
	mistaken    bool // the game was taken for adversarial, and is not
	first       int  // the first player
	second      int  // the other one of two, else -1

	mu sync.Mutex
}

// newTeam makes workers on m, with playouts on the machine playing of the same game, that take
// the given bytes of memory at most.
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
	team.tree = newTree(len(names.Roles), m.Words(), names.Chance(), max(room, bytes/4), c.has(Transpositions))
	team.first, team.second = max(0, team.tree.opponent(-1)), -1 // there may be chance alone
	if len(names.Players()) == 2 {
		team.second = team.tree.opponent(team.first)
	} else if len(names.Roles) == 1 && names.Chance() < 0 {
		team.plan = &plan{expander: machine.NewExpander(m)}
	}
	return workers
}

// patience is how long a worker that finds the tree in use looks again before it sleeps. The tree is in use
// for up to 200 µs at a time; to be woken takes as long, and nobody would use it meanwhile (docs/lab/sampling.md).
const patience = 200 * time.Microsecond

// lock waits until nobody else uses the tree.
func (c *common) lock() {
	for began := time.Now(); !c.mu.TryLock(); runtime.Gosched() {
		if time.Since(began) > patience {
			c.mu.Lock()
			return
		}
	}
}

// hearing is what the games of a batch say of the sum of the goals of two players.
type hearing struct {
	sum          int32
	known, mixed bool
}

// checkSum notices what the goals of two players add up to.
func (w *worker) checkSum(goals []int32) {
	if w.second < 0 {
		return
	}
	sum := search.Points(goals[w.first]) + search.Points(goals[w.second])
	h := &w.heard
	h.mixed = h.mixed || h.known && sum != h.sum
	h.sum, h.known = sum, true
}

// isMistaken takes over what was heard, and tells whether the game was taken for adversarial
// and is not: the bounds of the tree, and the moves that it left out, were meant for another kind of game.
func (w *worker) isMistaken() bool {
	if h := w.heard; w.adversarial && h.known {
		if !w.sumKnown {
			w.sum, w.sumKnown = h.sum, true
		}
		w.mistaken = w.mistaken || h.mixed || h.sum != w.sum
	}
	return w.mistaken
}
