package arena

import (
	"context"
	"iter"
	"sync"
)

// feed is the story of a match under way, for any number of watchers. Whoever tells it
// waits for none of them: they take the parts that they have not seen from the list.
type feed struct {
	mu    sync.Mutex
	told  []*Record
	over  bool
	fresh chan struct{} // closed when there is more
}

func newFeed() *feed { return &feed{fresh: make(chan struct{})} }

// add tells the next part.
func (f *feed) add(part *Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = append(f.told, part)
	close(f.fresh)
	f.fresh = make(chan struct{})
}

// close tells that there is no more.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	close(f.fresh)
	f.fresh = make(chan struct{})
}

// parts iterates over all that is told, from the beginning, until ctx ends.
func (f *feed) parts(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for seen := 0; ; {
			f.mu.Lock()
			told, over, fresh := f.told, f.over, f.fresh
			f.mu.Unlock()
			for _, part := range told[seen:] {
				if !yield(part, nil) {
					return
				}
			}
			if seen = len(told); over {
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
