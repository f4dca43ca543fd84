package queue

import (
	"context"
	"errors"
	"strconv"
	"sync"
)

// Caller has tasks of one kind done by whoever works on the queue, and waits for them. It
// is safe for concurrent use.
type Caller struct {
	queue     *Queue
	run, kind string

	mu      sync.Mutex
	last    int // number of the task submitted last
	waiting map[string]chan []byte
	err     error         // why there are no more results
	over    chan struct{} // closed then
	cancel  context.CancelFunc
}

// Call makes a caller for the tasks of a run, whose name nobody has used before. Close
// ends it.
func (q *Queue) Call(ctx context.Context, run, kind string) *Caller {
	c := &Caller{queue: q, run: run, kind: kind, waiting: make(map[string]chan []byte), over: make(chan struct{})}
	ctx, c.cancel = context.WithCancel(ctx)
	go func() {
		defer close(c.over)
		c.err = q.Results(ctx, run, func(r Result) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			if to := c.waiting[r.ID]; to != nil {
				to <- r.Data
				delete(c.waiting, r.ID)
			}
			return nil
		})
	}()
	return c
}

// Do submits a task and waits for its result. The error is that of ctx or of the queue.
func (c *Caller) Do(ctx context.Context, data []byte) ([]byte, error) {
	result := make(chan []byte, 1)
	c.mu.Lock()
	c.last++
	id := strconv.Itoa(c.last)
	c.waiting[id] = result
	c.mu.Unlock()
	if err := c.queue.put(ctx, Task{Run: c.run, ID: id, Kind: c.kind, Data: data}); err != nil {
		return nil, err
	}
	select {
	case data := <-result:
		return data, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.over:
		return nil, c.err
	}
}

// Close ends all waiting and takes what is left of the run from the queue.
func (c *Caller) Close() error {
	c.cancel()
	<-c.over
	ctx, cancel := context.WithTimeout(context.Background(), lease)
	defer cancel()
	return errors.Join(c.queue.Withdraw(ctx, c.run), c.queue.Forget(ctx, c.run))
}
