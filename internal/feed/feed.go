// Package feed tells what happens to any number of listeners. Whoever tells waits for none
// of them: each takes what it has not heard yet.
package feed

import (
	"context"
	"iter"
	"sync"
)

// Feed is something that is told bit by bit. It is safe for concurrent use.
type Feed[T any] struct {
	mu    sync.Mutex
	told  int // so far
	last  []T // of what was told: what a new listener needs
	over  bool
	fresh chan struct{} // closed when there is more; nil while nobody waits
}

// Add tells what comes after all that was told.
func (f *Feed[T]) Add(news ...T) { f.tell(false, false, news) }

// Replace tells the latest: nobody needs what was told before.
func (f *Feed[T]) Replace(news T) { f.tell(true, false, []T{news}) }

// Close tells that there is no more after this.
func (f *Feed[T]) Close(news ...T) { f.tell(false, true, news) }

func (f *Feed[T]) tell(alone, last bool, news []T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	if alone {
		f.last = nil
	}
	f.last, f.told, f.over = append(f.last, news...), f.told+len(news), last
	if f.fresh != nil {
		close(f.fresh)
		f.fresh = nil
	}
}

// After is what a listener of so much needs, how much that is with it, whether it is all, and a
// channel that is closed when there is more.
func (f *Feed[T]) After(heard int) (news []T, now int, over bool, fresh <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fresh == nil {
		f.fresh = make(chan struct{})
	}
	return f.last[max(0, len(f.last)-(f.told-heard)):], f.told, f.over, f.fresh
}

// All iterates over what is told, from the beginning, until there is no more or ctx ends.
func (f *Feed[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for heard := 0; ; {
			news, now, over, fresh := f.After(heard)
			for _, x := range news {
				if !yield(x) {
					return
				}
			}
			if heard = now; over {
				return
			}
			select {
			case <-fresh:
			case <-ctx.Done():
				return
			}
		}
	}
}
