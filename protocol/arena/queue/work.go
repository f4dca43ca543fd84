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

// ErrAgain is the error of a worker that gives a task back.
var ErrAgain = errors.New("the task is given back")

// elsewhere is the header of a result that is too large for a message: the name under
// which the text bucket has it.
const elsewhere = "Stackmate-Elsewhere"

// Work does tasks, n at a time, until ctx ends: f makes the result of one, and its context
// ends with ctx. A task is given back if f returns an error. The error is that of ctx, or
// of the store of an embedded server.
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
				if time.Since(began) > longestPause+answerTime { // it has worked meanwhile
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

// longestPause is how long a worker waits at most before it turns again to a server that was away or
// late.
const longestPause = 3 * time.Second

// patience is how long a worker waits for a task before it asks again.
const patience = 5 * time.Second

// serveTasks does one task after the other until ctx ends or a server is away. It asks for the next one while the
// result of the last one is published.
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

// serve has one task after the other done until ctx ends, do fails or a server is away.
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

// do does a task, whose result publish publishes. The error is why it could not be published.
func (q *Queue) do(ctx context.Context, m jetstream.Msg, f func(ctx context.Context, t Task) ([]byte, error)) (publish func() error) {
	run, id := cutSubject(m.Subject())
	subject := resultSubject + run + "." + id
	stop := q.keep(m)
	t := Task{Run: run, ID: id, Kind: m.Headers().Get(kind), Data: m.Data(), Tries: 1}
	if meta, err := m.Metadata(); err == nil {
		t.Tries = int(meta.NumDelivered)
	}
	var data []byte
	// Who had it before may have got as far as the result, or whoever submitted it again may have looked for that too early.
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
		// If the server does not learn of it, the task is handed out again, and the result
		// that there is ends it.
		_ = m.Ack()
		return nil
	}
}

// giveBack leaves a task to others: at once where this worker ends, else after a while, as
// it may be the only one.
func giveBack(ctx context.Context, m jetstream.Msg) {
	if ctx.Err() != nil {
		_ = m.Nak()
		return
	}
	_ = m.NakWithDelay(again)
}

// publish publishes the result of a task that has none.
func (q *Queue) publish(ctx context.Context, subject string, data []byte) error {
	// A result that is there outlives the context.
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
