package queue

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
)

// The streams, and the subjects of their messages: task.RUN.ID and so on.
const (
	taskStream   = "STACKMATE_TASKS"
	resultStream = "STACKMATE_RESULTS"
	textBucket   = "STACKMATE_TEXTS"
	workers      = "workers" // the consumer that distributes tasks

	taskSubject   = "stackmate.task."
	resultSubject = "stackmate.result."
	reportSubject = "stackmate.report."
)

// Lease is the time without heartbeats after which a worker loses its task.
const Lease = 5 * time.Second

// lease is Lease; tests shorten it.
var lease = Lease

// answerTime is the time limit for a server's answer before the request is repeated: the server may have lost it in a
// restart.
const answerTime = 3 * time.Second

// attempt calls f once, within answerTime.
func attempt(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return f(ctx)
}

// again is the delay before an operation is retried after a failure of a server.
const again = 200 * time.Millisecond

// Task is a task for a worker. Run and ID consist of letters, digits, "-" and "_"; within a Run, each ID is done
// once. Kind selects the worker's function for Data.
type Task struct {
	Run, ID, Kind string
	Data          []byte
	// Tries counts the deliveries of the task, including this one.
	Tries int
}

// kind is the header with the kind of a task.
const kind = "Stackmate-Kind"

// Result is the result of a task.
type Result struct {
	ID   string
	Data []byte
	// Fault is the reason why the result is unreadable: Redo repeats its task.
	Fault error

	text string // name of a large result in the text bucket
}

// Queue is a connection to the streams. It is safe for concurrent use.
type Queue struct {
	server  *server.Server // embedded server, or nil
	lock    io.Closer      // of the embedded server's store
	self    *identity      // of an embedded server that listens
	conn    *nats.Conn
	closed  chan struct{} // closed after the last callback of conn
	js      jetstream.JetStream
	tasks   jetstream.Stream
	results jetstream.Stream
	texts   jetstream.ObjectStore
	log     zerolog.Logger
}

// open connects to the server and creates missing streams.
func open(ctx context.Context, url string, options []nats.Option, log zerolog.Logger) (*Queue, error) {
	q := &Queue{closed: make(chan struct{}), log: log}
	options = append(options, nats.ClosedHandler(func(*nats.Conn) { close(q.closed) }))
	var err error
	if q.conn, err = nats.Connect(url, append(options, connecting(log)...)...); err != nil {
		return nil, err
	}
	if q.js, err = jetstream.New(q.conn); err == nil {
		err = q.makeStreams(ctx)
	}
	if err != nil {
		q.disconnect()
		return nil, err
	}
	return q, nil
}

// The limits of the streams in bytes, and the retention of results and texts that are never forgotten. The sum of the
// limits is less than maxStore.
const (
	maxTaskBytes   = 512 << 20
	maxResultBytes = 2 << 30
	maxTextBytes   = 1 << 30
	resultAge      = 30 * 24 * time.Hour
	textAge        = 90 * 24 * time.Hour
)

// peerTime is the time limit for a new cluster to reach three servers. Smaller clusters keep one copy.
const peerTime = 10 * time.Second

// makeStreams creates the streams, on three servers of a cluster or on a single one.
func (q *Queue) makeStreams(ctx context.Context) error {
	replicas, began := 3, time.Now()
	make := func(name, subject string, c jetstream.StreamConfig) (jetstream.Stream, error) {
		s, err := q.js.Stream(ctx, name)
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return s, err
		}
		for {
			c.Name, c.Subjects, c.Replicas, c.Storage, c.AllowDirect = name, []string{subject + ">"}, replicas, jetstream.FileStorage, true
			s, err = q.js.CreateStream(ctx, c)
			switch {
			case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // created concurrently
				return q.js.Stream(ctx, name)
			case isAPIError(err, noPeers) && time.Since(began) < peerTime:
				if err := wait(ctx, again); err != nil {
					return nil, err
				}
			case replicas > 1 && isAPIError(err, noPeers, notClustered):
				replicas = 1
			default:
				return s, err
			}
		}
	}
	var err error
	if q.tasks, err = make(taskStream, taskSubject, jetstream.StreamConfig{
		Retention: jetstream.WorkQueuePolicy, MaxBytes: maxTaskBytes, Discard: jetstream.DiscardNew,
	}); err != nil {
		return err
	}
	// A dropped result is recomputed on resume.
	if q.results, err = make(resultStream, resultSubject, jetstream.StreamConfig{
		MaxBytes: maxResultBytes, MaxAge: resultAge, Discard: jetstream.DiscardOld,
	}); err != nil {
		return err
	}
	q.texts, err = q.js.ObjectStore(ctx, textBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		q.texts, err = q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: textBucket, Replicas: q.tasks.CachedInfo().Config.Replicas, MaxBytes: maxTextBytes, TTL: textAge,
		})
		if errors.Is(err, jetstream.ErrBucketExists) {
			q.texts, err = q.js.ObjectStore(ctx, textBucket)
		}
	}
	if err != nil {
		return err
	}
	if _, err := q.tasks.Consumer(ctx, workers); err == nil {
		return nil
	}
	return q.makeConsumer(ctx)
}

// makeConsumer creates the consumer that distributes tasks.
func (q *Queue) makeConsumer(ctx context.Context) error {
	_, err := q.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// JetStream error codes of streams that cannot have replicas.
const (
	notClustered jetstream.ErrorCode = 10074
	noPeers      jetstream.ErrorCode = 10005
)

// isAPIError reports whether err is a server's answer with one of the codes.
func isAPIError(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}

// disconnect closes the connection and waits for its callbacks: none of them logs afterwards.
func (q *Queue) disconnect() {
	q.conn.Close()
	<-q.closed
}

// Close closes the connection, and stops an embedded server.
func (q *Queue) Close() {
	q.disconnect()
	if q.server != nil {
		q.server.Shutdown()
		q.server.WaitForShutdown()
		_ = q.lock.Close()
	}
}

// Invitation returns the address of a listening embedded server for workers in other processes, with its password and
// the fingerprint of its key. It is secret.
func (q *Queue) Invitation() string { return q.self.invitation(q.server.Addr().String()) }

// Submit adds a task to the queue, unless it is queued or done.
func (q *Queue) Submit(ctx context.Context, t Task) error {
	if known, err := q.has(ctx, q.results, resultSubject+t.Run+"."+t.ID); known || err != nil {
		return err
	}
	return q.put(ctx, t)
}

// put adds a task without result to the queue, unless it is queued.
func (q *Queue) put(ctx context.Context, t Task) error {
	return q.once(ctx, q.tasks, &nats.Msg{
		Subject: taskSubject + t.Run + "." + t.ID, Header: nats.Header{kind: []string{t.Kind}}, Data: t.Data,
	})
}

// storeTime is the time limit for a write of an embedded server. As the server is always reachable, a timeout means
// that its store has failed.
const storeTime = 8 * time.Second

// storeError is a failure of an embedded server's store.
type storeError struct {
	dir string
	err error
}

func (e *storeError) Error() string {
	return fmt.Sprintf("the queue in %s cannot be written: %v", e.dir, e.err)
}
func (e *storeError) Unwrap() error { return e.err }

// unstored returns the error of a failed write.
func (q *Queue) unstored(err error) error {
	if q.server == nil {
		return err
	}
	return &storeError{q.server.StoreDir(), err}
}

// once publishes a message unless its subject has one. It retries while remote servers are unreachable.
func (q *Queue) once(ctx context.Context, stream jetstream.Stream, m *nats.Msg) error {
	for began := time.Now(); ; {
		err := attempt(ctx, func(ctx context.Context) error {
			_, err := q.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0))
			return err
		})
		// The subject has a message, perhaps from an earlier attempt of ours.
		if isAPIError(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
			var known bool
			if known, err = q.has(ctx, stream, m.Subject); known {
				return nil
			}
		} else if err == nil || errors.Is(err, nats.ErrMaxPayload) {
			return err
		}
		if q.server != nil && ctx.Err() == nil && time.Since(began) > storeTime {
			return q.unstored(err)
		}
		if err := q.retry(ctx); err != nil {
			return err
		}
	}
}

// retry waits for a moment before another attempt. It returns an error if ctx is done or the connection is closed for good.
func (q *Queue) retry(ctx context.Context) error {
	if q.conn.IsClosed() {
		return nats.ErrConnectionClosed
	}
	return wait(ctx, again)
}

// has reports whether a subject has a message.
func (q *Queue) has(ctx context.Context, stream jetstream.Stream, subject string) (bool, error) {
	for {
		err := attempt(ctx, func(ctx context.Context) error {
			_, err := stream.GetLastMsgForSubject(ctx, subject)
			return err
		})
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return false, nil
		}
		if err := q.retry(ctx); err != nil {
			return false, err
		}
	}
}

// wait sleeps for d or until ctx ends, and then returns its error.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Results calls f with each result of a run once, including existing results. It continues until ctx ends or f
// returns an error, which it returns.
func (q *Queue) Results(ctx context.Context, run string, f func(Result) error) error {
	for {
		messages, err := q.follow(ctx, run)
		if err != nil {
			if err := q.retry(ctx); err != nil {
				return err
			}
			continue
		}
		stop := context.AfterFunc(ctx, messages.Stop)
		err = q.read(ctx, messages, f)
		stop()
		messages.Stop()
		if !errors.Is(err, errLost) {
			return err
		}
	}
}

// errLost: the connection to the results is lost; unread results must be read again.
var errLost = errors.New("the connection to the results is lost")

func (q *Queue) follow(ctx context.Context, run string) (jetstream.MessagesContext, error) {
	var c jetstream.Consumer
	err := attempt(ctx, func(ctx context.Context) (err error) {
		c, err = q.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultSubject + run + ".*"}})
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.Messages()
}

func (q *Queue) read(ctx context.Context, messages jetstream.MessagesContext, f func(Result) error) error {
	for {
		m, err := messages.Next()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return errLost
		}
		r := Result{Data: m.Data()}
		_, r.ID = cutSubject(m.Subject())
		if name := m.Headers().Get(elsewhere); name != "" {
			r.text = name
			info, err := q.texts.GetInfo(ctx, name)
			switch {
			case errors.Is(err, jetstream.ErrObjectNotFound):
				r.Fault = err
			case err == nil && info.Size > MaxResult:
				r.Fault = errTooLarge
			case err == nil:
				r.Data, err = q.texts.GetBytes(ctx, name)
			}
			if err != nil && r.Fault == nil {
				return errLost
			}
		}
		if r.Fault == nil {
			r.Data, r.Fault = unpack(r.Data)
		}
		if err := f(r); err != nil {
			return err
		}
	}
}

// maxBad is the number of invalid results after which a task is not repeated.
const maxBad = 5

// Redo drops an invalid result of a task and repeats the task; bad is the number of invalid results so far. It
// reports false after maxBad invalid results.
func (q *Queue) Redo(ctx context.Context, t Task, bad int, fault error) (again bool, err error) {
	log := q.log.Warn().Err(fault).Str("run", t.Run).Str("task", t.ID)
	if bad > maxBad {
		log.Msgf("%d results of the task were bad: it is not done again", bad)
		return false, nil
	}
	log.Msg("dropped an invalid result; its task is queued again")
	if err = q.drop(ctx, t.Run, Result{ID: t.ID}); err == nil {
		err = q.put(ctx, t)
	}
	return err == nil, err
}

// Settle removes a result that the caller has stored, and its task. A result that cannot be removed stays until Forget: the next
// reader of the run gets it again.
func (q *Queue) Settle(ctx context.Context, run string, r Result) {
	for began := time.Now(); ; {
		err := attempt(ctx, func(ctx context.Context) error { return q.drop(ctx, run, r) })
		if err == nil || ctx.Err() != nil {
			return
		}
		if time.Since(began) > storeTime || q.retry(ctx) != nil {
			q.log.Warn().Err(err).Str("run", run).Str("task", r.ID).Msg("a counted result stays in the queue")
			return
		}
	}
}

// drop removes a result and its task: the worker may not have acknowledged the task yet.
func (q *Queue) drop(ctx context.Context, run string, r Result) error {
	err := errors.Join(q.results.Purge(ctx, jetstream.WithPurgeSubject(resultSubject+run+"."+r.ID)),
		q.tasks.Purge(ctx, jetstream.WithPurgeSubject(taskSubject+run+"."+r.ID)))
	if r.text != "" {
		if gone := q.texts.Delete(ctx, r.text); !errors.Is(gone, jetstream.ErrObjectNotFound) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// cutSubject returns the run and id in the subject of a message.
func cutSubject(subject string) (run, id string) {
	i := strings.LastIndexByte(subject, '.')
	id, subject = subject[i+1:], subject[:max(i, 0)]
	return subject[strings.LastIndexByte(subject, '.')+1:], id
}

// Withdraw removes the run's tasks that no worker has begun.
func (q *Queue) Withdraw(ctx context.Context, run string) error {
	return q.tasks.Purge(ctx, jetstream.WithPurgeSubject(taskSubject+run+".*"))
}

// Forget removes the results of a run.
func (q *Queue) Forget(ctx context.Context, run string) error {
	err := q.results.Purge(ctx, jetstream.WithPurgeSubject(resultSubject+run+".*"))
	texts, _ := q.texts.List(ctx) // the bucket may be empty
	for _, t := range texts {
		if strings.HasPrefix(t.Name, resultSubject+run+".") {
			err = errors.Join(err, q.texts.Delete(ctx, t.Name))
		}
	}
	return err
}

// PutText stores a text under a name derived from its content, such as its hash.
func (q *Queue) PutText(ctx context.Context, name, text string) error {
	if _, err := q.texts.GetInfo(ctx, name); err == nil {
		return nil
	}
	_, err := q.texts.PutString(ctx, name, text)
	return err
}

// Text returns the text with a name. It retries for textTime if a server is unreachable or slow.
func (q *Queue) Text(ctx context.Context, name string) (string, error) {
	for began := time.Now(); ; {
		text, err := q.texts.GetString(ctx, name)
		if err == nil || errors.Is(err, jetstream.ErrObjectNotFound) || time.Since(began) > textTime || q.retry(ctx) != nil {
			return text, err
		}
	}
}

// textTime is the time limit for reading a text.
const textTime = time.Minute

// Report publishes a progress report of a task.
func (q *Queue) Report(t Task, data []byte) error {
	return q.conn.Publish(reportSubject+t.Run+"."+t.ID, data)
}

// maxReports limits the queued reports of a subscriber; further reports are lost.
const maxReports = 1 << 16

// Reports returns the progress reports of a run's tasks, until stop is called.
func (q *Queue) Reports(run string) (reports <-chan Result, stop func(), err error) {
	out := make(chan Result, maxReports)
	sub, err := q.conn.Subscribe(reportSubject+run+".*", func(m *nats.Msg) {
		_, id := cutSubject(m.Subject)
		select {
		case out <- Result{ID: id, Data: m.Data}:
		default:
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return out, func() { _ = sub.Unsubscribe() }, nil
}

// pack compresses data.
func pack(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// MaxResult is the largest result in bytes: the record of a match of two thousand turns of a thousand fluents.
const MaxResult = 64 << 20

// errTooLarge is the fault of a result beyond MaxResult.
var errTooLarge = fmt.Errorf("expected a result of at most %d MiB, found a larger one", MaxResult>>20)

// unpack decompresses a result. It checks the size first, so that excessive results take no memory.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, MaxResult+1))
	if err != nil {
		return nil, err
	}
	if n > MaxResult {
		return nil, errTooLarge
	}
	if err := r.Reset(bytes.NewReader(data)); err != nil {
		return nil, err
	}
	out := make([]byte, n)
	_, err = io.ReadFull(r, out)
	return out, err
}

// withoutToken returns a list of URLs without their secrets.
func withoutToken(list string) string {
	var out []string
	for address := range strings.SplitSeq(list, ",") {
		if u, err := url.Parse(strings.TrimSpace(address)); err == nil {
			u.User = nil
			address = u.String()
		}
		out = append(out, address)
	}
	return strings.Join(out, ",")
}
