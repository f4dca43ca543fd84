package queue

import (
	"context"
	"errors"
	"strconv"
	"sync"
)

// Caller submits tasks of one kind to the queue and waits for their results. It is safe for concurrent use.
type Caller struct {
	queue     *Queue
	run, kind string

	mu      sync.Mutex
	last    int // number of the last submitted task
	waiting map[string]*call
	err     error         // the reason for the end of results
	over    chan struct{} // closed at the end of results
	cancel  context.CancelFunc
}

// call is a pending task.
type call struct {
	task   Task
	bad    int // invalid results so far
	result chan Result
}

// Call returns a caller for the tasks of a run with an unused name. Close ends it.
func (q *Queue) Call(ctx context.Context, run, kind string) *Caller {
	c := &Caller{queue: q, run: run, kind: kind, waiting: make(map[string]*call), over: make(chan struct{})}
	ctx, c.cancel = context.WithCancel(ctx)
	go func() {
		defer close(c.over)
		c.err = q.Results(ctx, run, func(r Result) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			w := c.waiting[r.ID]
			if w == nil {
				return nil
			}
			if r.Fault != nil {
				w.bad++
				if again, err := q.Redo(ctx, w.task, w.bad, r.Fault); again || err != nil {
					return err
				}
			}
			w.result <- r
			delete(c.waiting, r.ID)
			q.Settle(ctx, run, r)
			return nil
		})
	}()
	return c
}

// Do submits a task and waits for its result. It returns an error if ctx ends, the queue fails, or all results were
// invalid.
func (c *Caller) Do(ctx context.Context, data []byte) ([]byte, error) {
	w := &call{result: make(chan Result, 1)}
	c.mu.Lock()
	c.last++
	w.task = Task{Run: c.run, ID: strconv.Itoa(c.last), Kind: c.kind, Data: data}
	c.waiting[w.task.ID] = w
	c.mu.Unlock()
	if err := c.queue.put(ctx, w.task); err != nil {
		return nil, err
	}
	select {
	case r := <-w.result:
		return r.Data, r.Fault
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.over:
		return nil, c.err
	}
}

// Close ends all pending calls and removes the run's tasks and results from the queue.
func (c *Caller) Close() error {
	c.cancel()
	<-c.over
	ctx, cancel := context.WithTimeout(context.Background(), lease)
	defer cancel()
	return errors.Join(c.queue.Withdraw(ctx, c.run), c.queue.Forget(ctx, c.run))
}
