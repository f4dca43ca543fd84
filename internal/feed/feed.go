// Package feed is a broadcast log: one writer never blocks, each reader has its own offset.
package feed

import (
	"context"
	"iter"
	"slices"
	"sync"
)

// Feed is a log of values. It is safe for concurrent use.
type Feed[T any] struct {
	mu    sync.Mutex
	state []T // replaces the values before the offset from
	from  int
	news  []T // the values from the offset first on
	first int
	over  bool
	fresh chan struct{} // closed at the next value; nil while no reader waits
}

// Add appends values.
func (f *Feed[T]) Add(news ...T) { f.add(false, news) }

// Close appends the last values.
func (f *Feed[T]) Close(news ...T) { f.add(true, news) }

func (f *Feed[T]) add(last bool, news []T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	f.news, f.over = append(f.news, news...), last
	if f.fresh != nil {
		close(f.fresh)
		f.fresh = nil
	}
}

// Compact replaces all values so far by state for new readers. Values since the previous Compact are kept for readers
// that have read the earlier values; all other readers read state first.
func (f *Feed[T]) Compact(state ...T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.news, f.first = slices.Clone(f.news[f.from-f.first:]), f.from
	f.state, f.from = state, f.first+len(f.news)
}

// Replace appends a value and makes it the state for new readers.
func (f *Feed[T]) Replace(value T) {
	f.Compact()
	f.Add(value)
	f.Compact(value)
}

// After returns the values after an offset, the reader's new offset, whether the log is closed, and a channel that is
// closed at the next value.
func (f *Feed[T]) After(offset int) (news []T, now int, over bool, fresh <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fresh == nil {
		f.fresh = make(chan struct{})
	}
	now = f.first + len(f.news)
	if offset >= f.first {
		return f.news[offset-f.first:], now, f.over, f.fresh
	}
	return slices.Concat(f.state, f.news[f.from-f.first:]), now, f.over, f.fresh
}

// All iterates over the log from its beginning until it is closed or ctx ends.
func (f *Feed[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for offset := 0; ; {
			news, now, over, fresh := f.After(offset)
			for _, x := range news {
				if !yield(x) {
					return
				}
			}
			if offset = now; over {
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
