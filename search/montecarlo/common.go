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
//
// With a node limit the workers take turns, always in the same order, so that the outcome does
// not depend on their speed.
type common struct {
	tree *tree
	plan *plan // for a single role without chance, else nil

	adversarial bool  // see bounds.go
	sum         int32 // of the goals of two players, once known
	sumKnown    bool
	restarts    int // trees begun anew
	first       int // the first player
	second      int // the other one of two, else -1

	mu      sync.Mutex
	passed  *sync.Cond
	inTurn  bool
	next    int    // the worker whose turn it is
	working []bool // by worker
}

// newTeam makes workers on m, with playouts on the machine playing of the same game, that take
// the given bytes of memory at most.
func newTeam(m, playing machine.Machine, c Config, seed uint64, count int, bytes int64) []*worker {
	names := m.Names()
	team := &common{adversarial: true}
	team.passed = sync.NewCond(&team.mu)
	workers := make([]*worker, count)
	room := bytes
	for i := range workers {
		workers[i] = newWorker(m, playing, c, seed+uint64(i), bytes/int64(count))
		workers[i].common, workers[i].number = team, i
		room -= workers[i].fixed
	}
	team.tree = newTree(len(names.Roles), m.Words(), names.Chance(), max(room, bytes/4), c.has(Transpositions))
	team.first, team.second = max(0, team.tree.opponent(-1)), -1 // there may be chance alone
	switch players := len(names.Players()); {
	case players > 2:
		team.adversarial = false
	case players == 2:
		team.second = team.tree.opponent(team.first)
	case players == 1 && team.tree.roles == 1:
		team.plan = newPlan(m)
	}
	return workers
}

// start lets the workers begin, in turn or not.
func (c *common) start(workers int, inTurn bool) {
	c.inTurn, c.next, c.working = inTurn, 0, make([]bool, workers)
	for i := range c.working {
		c.working[i] = true
	}
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

// turn does something with the tree that no other worker may see half done.
func (w *worker) turn(do func() bool) bool {
	w.lock()
	defer w.mu.Unlock()
	for w.inTurn && w.next != w.number {
		w.passed.Wait()
	}
	defer w.pass()
	return do()
}

// leave lets the others go on without this worker.
func (w *worker) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.working[w.number] = false
	if w.next == w.number {
		w.pass()
	}
}

// pass makes it the turn of the next worker.
func (c *common) pass() {
	for range c.working {
		if c.next = (c.next + 1) % len(c.working); c.working[c.next] {
			break
		}
	}
	c.passed.Broadcast()
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
// and is not. All bounds are forgotten then: they were meant otherwise.
func (w *worker) isMistaken() bool {
	h := w.heard
	if !h.known || !w.adversarial {
		return false
	}
	if !w.sumKnown {
		w.sum, w.sumKnown = h.sum, true
	}
	w.adversarial = !h.mixed && h.sum == w.sum
	return !w.adversarial
}
