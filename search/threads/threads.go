// Package threads lets several goroutines search the same position with one table. It owns
// when they begin and end, and how they find different things to do. It does not know
// what they search.
package threads

import (
	"sync"
	"sync/atomic"

	"stackmate/internal/guard"
)

// Crew is the workers of one search. Whoever is first to complete it ends it for all: what
// the others have found by then is in the table.
type Crew struct {
	over  atomic.Bool
	join  func()
	group sync.WaitGroup
	lock  sync.Mutex
	first int
}

// IsOver tells whether all workers must unwind: one has completed the work, or failed.
func (c *Crew) IsOver() bool { return c.over.Load() }

// Join lets all workers begin. Before that worker 0 is alone; a Crew that does nothing
// together has none.
func (c *Crew) Join() {
	if c.join != nil {
		c.join()
	}
}

// Together lets n workers do the same until one of them completes it, which is returned, -1
// if none did. Worker 0 is the caller's goroutine, and calls Join. Do tells whether the
// worker has completed the work; failed is told of errors, panics included.
func (c *Crew) Together(n int, do func(i int) (complete bool, err error), failed func(i int, err error)) int {
	c.first = -1
	c.over.Store(false)
	work := func(i int) {
		complete := false
		err := guard.Do(func() (err error) {
			complete, err = do(i)
			return err
		})
		c.lock.Lock()
		defer c.lock.Unlock()
		if err != nil {
			failed(i, err)
		}
		if complete && err == nil && c.first < 0 {
			c.first = i
		}
		if c.first >= 0 || err != nil {
			c.over.Store(true)
		}
	}
	c.join = sync.OnceFunc(func() {
		for i := 1; i < n; i++ {
			c.group.Go(func() { work(i) })
		}
	})
	work(0)
	c.group.Wait()
	return c.first
}

// OutrunNodes is the number of nodes between two looks of a worker at what the others have
// answered of the questions on its path.
const OutrunNodes = 64

// Busy tells which positions are being searched by some worker: hashes, each at a place
// that follows from it. Of two at the same place only one is told.
type Busy [1 << 12]atomic.Uint64

func (b *Busy) at(h uint64) *atomic.Uint64 { return &b[h>>3%uint64(len(b))] }

// Has tells whether a worker searches the position with a hash.
func (b *Busy) Has(h uint64) bool { return b.at(h).Load() == h }

// Enter tells the others that a worker begins to search a position, and Leave that it does
// no longer.
func (b *Busy) Enter(h uint64) { b.at(h).Store(h) }

// Leave ends what Enter began.
func (b *Busy) Leave(h uint64) { b.at(h).CompareAndSwap(h, 0) }
