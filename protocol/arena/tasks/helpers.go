package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stackmate/internal/guard"
	"stackmate/protocol/arena/queue"
)

// helpers do the tasks of one run: the workers of the queue, among them the worker of this process.
type helpers struct {
	queue  *queue.Queue
	caller *queue.Caller
	close  func() // ends the work and closes the queue
}

// help begins a run.
func (w *Worker) help(ctx context.Context, q *queue.Queue, kind string) *helpers {
	c := q.Call(ctx, fmt.Sprintf("%s-%d", kind, time.Now().UnixMilli()), kind)
	working, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := guard.Do(func() error { return w.Work(working, q) }); working.Err() == nil {
			guard.Log(w.Log.Warn(), err).Msg("this process does no tasks any more")
		}
	}()
	return &helpers{q, c, func() {
		cancel()
		<-done
		if err := c.Close(); err != nil {
			w.Log.Warn().Err(err).Msg("tasks of this command may be left in the queue")
		}
		q.Close()
	}}
}

// submit has a worker do a task and returns its result.
func submit[T, R any](ctx context.Context, h *helpers, task T) (value R, err error) {
	data, err := json.Marshal(task)
	if err != nil {
		return value, err
	}
	if data, err = h.caller.Do(ctx, data); err != nil {
		return value, err
	}
	var result outcome[R]
	if err := json.Unmarshal(data, &result); err != nil {
		return value, fmt.Errorf("the result of a worker: %w", err)
	}
	if result.Failure != "" {
		err = errors.New(result.Failure)
	}
	return result.Value, err
}
