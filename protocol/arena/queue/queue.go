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
	workers      = "workers" // the consumer that hands out tasks

	taskSubject   = "stackmate.task."
	resultSubject = "stackmate.result."
	reportSubject = "stackmate.report."
)

// Lease is the time after which a worker that has fallen silent has lost its task.
const Lease = 5 * time.Second

// lease is Lease, but in tests.
var lease = Lease

// answerTime is how long to wait for the answer of a server before it is asked again: it
// may have gone away with the question.
const answerTime = 3 * time.Second

// attempt asks a server once.
func attempt(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return f(ctx)
}

// again is the time after which what has failed for a server that is away is tried again.
const again = 200 * time.Millisecond

// Task is something to do. Run and ID are letters, digits, "-" and "_"; of one Run, each ID
// is done once. Kind tells workers what is to be done with Data.
type Task struct {
	Run, ID, Kind string
	Data          []byte
	// Tries is how often the task has been handed out, this time included.
	Tries int
}

// kind is the header of a task that tells its kind.
const kind = "Stackmate-Kind"

// Result is what has come of a task.
type Result struct {
	ID   string
	Data []byte
	// Fault says why the result cannot be read: Redo has its task done again.
	Fault error
}

// Queue is a connection to the streams. It is safe for concurrent use.
type Queue struct {
	server  *server.Server // nil if it is elsewhere, and so is
	lock    io.Closer      // of its store
	self    *identity      // if it listens
	conn    *nats.Conn
	js      jetstream.JetStream
	tasks   jetstream.Stream
	results jetstream.Stream
	texts   jetstream.ObjectStore
	log     zerolog.Logger
}

// open connects and makes the streams where there are none.
func open(ctx context.Context, url string, options []nats.Option, log zerolog.Logger) (*Queue, error) {
	conn, err := nats.Connect(url, append(options, connecting(log)...)...)
	if err != nil {
		return nil, err
	}
	q := &Queue{conn: conn, log: log}
	if q.js, err = jetstream.New(conn); err == nil {
		err = q.makeStreams(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return q, nil
}

// The bounds of the streams, in bytes, and of how long results and texts are kept where nobody
// forgets them. Together they are less than maxStore.
const (
	maxTaskBytes   = 512 << 20
	maxResultBytes = 2 << 30
	maxTextBytes   = 1 << 30
	resultAge      = 30 * 24 * time.Hour
	textAge        = 90 * 24 * time.Hour
)

// peerTime is how long servers of a cluster that has just begun may take to find three of
// them. Smaller clusters keep one copy.
const peerTime = 10 * time.Second

// makeStreams makes the streams on three servers of a cluster, or on the only one.
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
			case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // somebody was faster
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
	// A result that is dropped before somebody reads it is one that never came: whoever resumes the
	// run submits its task again.
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

// makeConsumer makes what hands out tasks.
func (q *Queue) makeConsumer(ctx context.Context) error {
	_, err := q.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// Why a stream cannot have replicas, in the numbers of JetStream.
const (
	notClustered jetstream.ErrorCode = 10074
	noPeers      jetstream.ErrorCode = 10005
)

// isAPIError tells whether a server has answered with one of the codes.
func isAPIError(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}

// Close ends the connection, and the server if it is embedded.
func (q *Queue) Close() {
	q.conn.Close()
	if q.server != nil {
		q.server.Shutdown()
		q.server.WaitForShutdown()
		_ = q.lock.Close()
	}
}

// Invitation is for workers of other processes: the address of an embedded server that
// listens, with the password that it asks for and the key that it shows. It is secret.
func (q *Queue) Invitation() string { return q.self.invitation(q.server.Addr().String()) }

// Submit puts a task into the queue, unless it is there or done already.
func (q *Queue) Submit(ctx context.Context, t Task) error {
	if known, err := q.has(ctx, q.results, resultSubject+t.Run+"."+t.ID); known || err != nil {
		return err
	}
	return q.put(ctx, t)
}

// put puts a task that has no result into the queue, unless it is there.
func (q *Queue) put(ctx context.Context, t Task) error {
	return q.once(ctx, q.tasks, &nats.Msg{
		Subject: taskSubject + t.Run + "." + t.ID, Header: nats.Header{kind: []string{t.Kind}}, Data: t.Data,
	})
}

// storeTime is how long an embedded server may take to store something. It is never away:
// after that its store has failed.
const storeTime = 8 * time.Second

// storeError says that the store of an embedded server has failed.
type storeError struct {
	dir string
	err error
}

func (e *storeError) Error() string {
	return fmt.Sprintf("the queue in %s cannot be written: %v", e.dir, e.err)
}
func (e *storeError) Unwrap() error { return e.err }

// unstored is the error of what could not be stored.
func (q *Queue) unstored(err error) error {
	if q.server == nil {
		return err
	}
	return &storeError{q.server.StoreDir(), err}
}

// once publishes a message unless its subject has one. It goes on trying while servers
// elsewhere are away.
func (q *Queue) once(ctx context.Context, stream jetstream.Stream, m *nats.Msg) error {
	for began := time.Now(); ; {
		err := attempt(ctx, func(ctx context.Context) error {
			_, err := q.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0))
			return err
		})
		// Refused for another of its subject, which may be ours.
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

// retry waits until something that has failed may be tried again: not if the connection is
// closed for good.
func (q *Queue) retry(ctx context.Context) error {
	if q.conn.IsClosed() {
		return nats.ErrConnectionClosed
	}
	return wait(ctx, again)
}

// has tells whether a subject has a message.
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

// wait waits, or returns the error of ctx.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Results tells of all results of a run, those there are at first, each once. It goes on
// until ctx ends or f returns an error, which is returned.
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

// errLost says that a server has gone, and what was not read is to be read again.
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

// maxBad is the number of bad results of a task after which it is not done again.
const maxBad = 5

// Redo drops a bad result of a task, the number of which it is told from 1, and has the task done again. It
// reports false if there have been too many.
func (q *Queue) Redo(ctx context.Context, t Task, bad int, fault error) (again bool, err error) {
	log := q.log.Warn().Err(fault).Str("run", t.Run).Str("task", t.ID)
	if bad > maxBad {
		log.Msgf("%d results of the task were bad: it is not done again", bad)
		return false, nil
	}
	log.Msg("a bad result is dropped, and its task goes out again")
	// Its worker may not have returned the task yet.
	err = errors.Join(q.results.Purge(ctx, jetstream.WithPurgeSubject(resultSubject+t.Run+"."+t.ID)),
		q.tasks.Purge(ctx, jetstream.WithPurgeSubject(taskSubject+t.Run+"."+t.ID)))
	if err == nil {
		err = q.put(ctx, t)
	}
	return err == nil, err
}

// cutSubject finds run and id in the subject of a message.
func cutSubject(subject string) (run, id string) {
	i := strings.LastIndexByte(subject, '.')
	id, subject = subject[i+1:], subject[:max(i, 0)]
	return subject[strings.LastIndexByte(subject, '.')+1:], id
}

// Withdraw takes the tasks of a run that nobody has begun from the queue.
func (q *Queue) Withdraw(ctx context.Context, run string) error {
	return q.tasks.Purge(ctx, jetstream.WithPurgeSubject(taskSubject+run+".*"))
}

// Forget drops the results of a run.
func (q *Queue) Forget(ctx context.Context, run string) error {
	err := q.results.Purge(ctx, jetstream.WithPurgeSubject(resultSubject+run+".*"))
	texts, _ := q.texts.List(ctx) // there may be none
	for _, t := range texts {
		if strings.HasPrefix(t.Name, resultSubject+run+".") {
			err = errors.Join(err, q.texts.Delete(ctx, t.Name))
		}
	}
	return err
}

// PutText keeps a text under a name that tells its content, such as its hash.
func (q *Queue) PutText(ctx context.Context, name, text string) error {
	if _, err := q.texts.GetInfo(ctx, name); err == nil {
		return nil
	}
	_, err := q.texts.PutString(ctx, name, text)
	return err
}

// Text is the text of a name. It goes on trying for a while where a server is away or late.
func (q *Queue) Text(ctx context.Context, name string) (string, error) {
	for began := time.Now(); ; {
		text, err := q.texts.GetString(ctx, name)
		if err == nil || errors.Is(err, jetstream.ErrObjectNotFound) || time.Since(began) > textTime || q.retry(ctx) != nil {
			return text, err
		}
	}
}

// textTime is how long a text is tried to be had.
const textTime = time.Minute

// Report tells whoever listens of a task that is being worked on.
func (q *Queue) Report(t Task, data []byte) error {
	return q.conn.Publish(reportSubject+t.Run+"."+t.ID, data)
}

// maxReports is how many reports wait for whoever listens; more are lost.
const maxReports = 1 << 16

// Reports are those on the tasks of a run, from now on until stop is called.
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

// pack compresses.
func pack(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// MaxResult bounds a result, in bytes: the record of a match of two thousand turns of a thousand fluents.
const MaxResult = 64 << 20

// errTooLarge is the fault of a result beyond MaxResult.
var errTooLarge = fmt.Errorf("expected a result of at most %d MiB, found a larger one", MaxResult>>20)

// unpack decompresses a result. It counts the bytes first: a result that is too large takes no memory.
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

// withoutToken is a list of URLs without what is secret in them.
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
