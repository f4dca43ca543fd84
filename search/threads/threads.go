// Package threads lets several goroutines search the same position with a shared table. It owns the start and the end of
// the workers, and the list of positions being searched. It does not know the search.
package threads

import (
	"sync"
	"sync/atomic"

	"stackmate/internal/guard"
)

// Crew is the workers of one search. The first worker that completes it ends it for all; the table holds the results of the
// other workers.
type Crew struct {
	over  atomic.Bool
	join  func()
	group sync.WaitGroup
	lock  sync.Mutex
	first int
}

// IsOver reports whether all workers must unwind: one has completed the work, or failed.
func (c *Crew) IsOver() bool { return c.over.Load() }

// Join lets all workers begin. Before that worker 0 is alone; a Crew that does nothing
// together has none.
func (c *Crew) Join() {
	if c.join != nil {
		c.join()
	}
}

// Together runs do in n workers until one of them completes it. It returns this worker, or -1. Worker 0 is the caller's
// goroutine, and calls Join. do reports whether the worker has completed the work; failed is called with errors, panics
// included.
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

// OutrunNodes is the number of nodes between a worker's checks of the table for results of other workers on its path.
const OutrunNodes = 64

// Busy holds the hashes of positions being searched, each in a slot determined by the hash. Of two
// positions with the same slot it holds the last one.
type Busy [1 << 12]atomic.Uint64

func (b *Busy) at(h uint64) *atomic.Uint64 { return &b[h>>3%uint64(len(b))] }

// Has reports whether a worker searches the position with hash h.
func (b *Busy) Has(h uint64) bool { return b.at(h).Load() == h }

// Enter marks a position as being searched.
func (b *Busy) Enter(h uint64) { b.at(h).Store(h) }

// Leave undoes Enter.
func (b *Busy) Leave(h uint64) { b.at(h).CompareAndSwap(h, 0) }
