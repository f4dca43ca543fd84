package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrAgain is returned by a worker's function to give a task back.
var ErrAgain = errors.New("the worker gave the task back")

// elsewhere is the header of a result too large for a message: its name in the text bucket.
const elsewhere = "Stackmate-Elsewhere"

// Work runs n workers until ctx ends. A worker calls f for each task, with a context that ends with ctx, and
// publishes the result. An error of f gives the task back. Work returns ctx's error, or an error of an embedded
// server's store.
func (q *Queue) Work(ctx context.Context, n int, f func(ctx context.Context, t Task) ([]byte, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			pause := again
			for ctx.Err() == nil {
				began := time.Now()
				var broken *storeError
				if err := q.serveTasks(ctx, f); errors.As(err, &broken) {
					cancel(err)
				}
				if time.Since(began) > longestPause+answerTime { // the worker has worked since the last failure
					pause = again
				}
				_ = wait(ctx, pause)
				pause = min(2*pause, longestPause)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// longestPause limits the delay before a worker retries an unreachable or slow server.
const longestPause = 3 * time.Second

// patience is the time limit of a request for a task; then the worker asks again.
const patience = 5 * time.Second

// serveTasks does tasks until ctx ends or a server is unreachable. It fetches the next task while the last result is
// published.
func (q *Queue) serveTasks(ctx context.Context, f func(ctx context.Context, t Task) ([]byte, error)) error {
	published := make(chan error, 1)
	published <- nil
	err := q.serve(ctx, func(m jetstream.Msg) error {
		publish := q.do(ctx, m, f)
		err := <-published
		go func() { published <- publish() }()
		return err
	})
	return errors.Join(err, <-published)
}

// serve calls do for each task until ctx ends, do fails or a server is unreachable.
func (q *Queue) serve(ctx context.Context, do func(m jetstream.Msg) error) error {
	var c jetstream.Consumer
	err := attempt(ctx, func(ctx context.Context) (err error) {
		c, err = q.tasks.Consumer(ctx, workers)
		return err
	})
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, patience)
		batch, err := c.Fetch(1, jetstream.FetchContext(asking))
		if err == nil {
			var unpublished error
			for m := range batch.Messages() {
				unpublished = do(m)
			}
			err = errors.Join(unpublished, batch.Error())
		}
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) {
			return err
		}
	}
	return nil
}

// do does a task. The returned function publishes its result and returns the error of publishing.
func (q *Queue) do(ctx context.Context, m jetstream.Msg, f func(ctx context.Context, t Task) ([]byte, error)) (publish func() error) {
	run, id := cutSubject(m.Subject())
	subject := resultSubject + run + "." + id
	stop := q.keep(m)
	t := Task{Run: run, ID: id, Kind: m.Headers().Get(kind), Data: m.Data(), Tries: 1}
	if meta, err := m.Metadata(); err == nil {
		t.Tries = int(meta.NumDelivered)
	}
	var data []byte
	// Another worker may have published the result already.
	done, err := q.has(ctx, q.results, subject)
	if err == nil && !done {
		data, err = f(ctx, t)
	}
	if err != nil {
		giveBack(ctx, m)
	}
	return func() error {
		defer stop()
		if err != nil {
			return nil
		}
		if !done {
			if err := q.publish(ctx, subject, pack(data)); err != nil {
				_ = m.Nak()
				return err
			}
		}
		// Without the acknowledgement the task is delivered again, and the existing result ends it.
		_ = m.Ack()
		return nil
	}
}

// giveBack returns a task to the queue: immediately if this worker ends, else with a delay, as it may be the only
// worker.
func giveBack(ctx context.Context, m jetstream.Msg) {
	if ctx.Err() != nil {
		_ = m.Nak()
		return
	}
	_ = m.NakWithDelay(again)
}

// publish publishes the result of a task without result.
func (q *Queue) publish(ctx context.Context, subject string, data []byte) error {
	// Publishing must not end with the context: the result exists.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	m := &nats.Msg{Subject: subject, Data: data}
	if room := q.conn.MaxPayload() - 1<<10; int64(len(data)) > room {
		name := subject + "." + rand.Text()
		if _, err := q.texts.PutBytes(ctx, name, data); err != nil {
			return q.unstored(err)
		}
		m.Data, m.Header = nil, nats.Header{elsewhere: []string{name}}
	}
	return q.once(ctx, q.results, m)
}

// keep sends heartbeats until stop is called.
func (q *Queue) keep(m jetstream.Msg) (stop func()) {
	quit, tick := make(chan struct{}), time.NewTicker(lease/4)
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = m.InProgress()
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit) }
}
