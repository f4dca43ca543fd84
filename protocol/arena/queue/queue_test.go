package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"stackmate/internal/cputime"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol/wiretest"
)

func TestMain(m *testing.M) {
	lease = time.Second
	os.Exit(m.Run())
}

func embedded(t testing.TB, dir, listen string) *Queue {
	t.Helper()
	q := must.Get(Embed(t.Context(), dir, listen, zerolog.Nop()))(t)
	t.Cleanup(q.Close)
	return q
}

func submit(t testing.TB, q *Queue, n int) {
	t.Helper()
	for id := range n {
		must.OK(t, q.Submit(t.Context(), Task{Run: "run", ID: fmt.Sprint(id), Data: fmt.Appendf(nil, "task %d", id)}))
	}
}

// collect reads the results of n tasks, each of which must come once and be of its task.
func collect(t testing.TB, q *Queue, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer time.AfterFunc(5*time.Minute, cancel).Stop()
	seen := make(map[string]bool)
	err := q.Results(ctx, "run", func(r Result) error {
		if want := "task " + r.ID + " done"; string(r.Data) != want || seen[r.ID] {
			t.Errorf("task %s: result %q, again: %t", r.ID, r.Data, seen[r.ID])
		}
		if seen[r.ID] = true; len(seen) == n {
			cancel()
		}
		return nil
	})
	if len(seen) != n {
		t.Fatalf("%d results of %d tasks: %v", len(seen), n, err)
	}
}

// works runs a worker until the test ends or stop is called.
func works(t testing.TB, q *Queue, n int, f func(ctx context.Context, t Task) ([]byte, error)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = q.Work(ctx, n, f) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func done(_ context.Context, t Task) ([]byte, error) { return append(t.Data, " done"...), nil }

func TestEveryTaskHasOneResult(t *testing.T) {
	before := lease
	t.Cleanup(func() { lease = before })
	lease = time.Minute // nobody here falls silent, however busy the machine is
	q := embedded(t, t.TempDir(), "")
	var calls, retries atomic.Int64
	works(t, q, 4, func(ctx context.Context, task Task) ([]byte, error) {
		calls.Add(1)
		if task.ID == "3" && task.Tries == 1 {
			retries.Add(1)
			return nil, ErrAgain
		}
		return done(ctx, task)
	})
	submit(t, q, 50)
	submit(t, q, 50) // by a process that does not know the results
	collect(t, q, 50)
	submit(t, q, 50) // nor that there are results
	collect(t, q, 50)
	time.Sleep(500 * time.Millisecond) // for repeated deliveries
	if n := calls.Load() - retries.Load(); n != 50 {
		t.Errorf("50 tasks were done %d times", n)
	}
	must.OK(t, q.Forget(t.Context(), "run"))
	submit(t, q, 1)
	collect(t, q, 1)
}

func TestWhatIsDoneIsNotDoneAgain(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	var calls atomic.Int64
	works(t, q, 2, func(ctx context.Context, task Task) ([]byte, error) {
		calls.Add(1)
		return done(ctx, task)
	})
	submit(t, q, 1)
	collect(t, q, 1)
	// As by a process that had looked for a result just before it came.
	must.OK(t, q.put(t.Context(), Task{Run: "run", ID: "0", Data: []byte("task 0")}))
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
		if info, err := q.tasks.Info(t.Context()); err == nil && info.State.Msgs == 0 {
			break
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("a task was done %d times", n)
	}
}

// halting is an in-process server whose answers are held back while the gate is locked.
type halting struct {
	*server.Server
	gate sync.RWMutex
}

func (s *halting) InProcessConn() (net.Conn, error) {
	c, err := s.Server.InProcessConn()
	return haltingConn{c, &s.gate}, err
}

type haltingConn struct {
	net.Conn
	gate *sync.RWMutex
}

func (c haltingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.gate.RLock()
	defer c.gate.RUnlock()
	return n, err
}

func TestAWorkerOutlivesAServerThatAnswersLate(t *testing.T) {
	exhaustive.Only(t, "takes seconds")
	q := embedded(t, t.TempDir(), "")
	s := &halting{Server: q.server}
	late, err := open(t.Context(), "", []nats.Option{nats.InProcessServer(s), nats.Token("secret")}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer late.conn.Close()
	late.server = q.server
	submit(t, q, 3)
	s.gate.Lock()
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- late.Work(ctx, 1, done) }()
	select {
	case err = <-ended:
	case <-time.After(answerTime + time.Second):
	}
	s.gate.Unlock()
	if err != nil {
		t.Fatalf("the worker ends by %v", err)
	}
	collect(t, q, 3)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the worker ends by %v", err)
	}
}

func TestATaskThatNobodyCanDoKeepsNobodyBusy(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	calls := make(chan time.Time, 1000)
	works(t, q, 2, func(context.Context, Task) ([]byte, error) {
		select {
		case calls <- time.Now():
		default: // the test is over
		}
		return nil, ErrAgain
	})
	submit(t, q, 1)
	const tolerance = again / 10 // of the clocks
	last := <-calls
	for range 4 {
		next := <-calls
		if pause := next.Sub(last); pause < again-tolerance {
			t.Errorf("tried again after %v, expected a pause of %v", pause, again)
		}
		last = next
	}
}

// A worker sends heartbeats: a task that takes longer than the lease stays with it.
func TestATaskThatOutlivesTheLeaseStaysWithItsWorker(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	var begun atomic.Int32
	works(t, q, 2, func(ctx context.Context, task Task) ([]byte, error) {
		if begun.Add(1) == 1 && wait(ctx, 3*lease) != nil {
			return nil, ctx.Err()
		}
		return done(ctx, task)
	})
	submit(t, q, 1)
	collect(t, q, 1)
	if n := begun.Load(); n != 1 {
		t.Errorf("the task was begun %d times", n)
	}
}

// A worker that falls silent loses its task to another one.
func TestATaskOfASilentWorkerGoesToAnother(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	submit(t, q, 1)
	c := must.Get(q.tasks.Consumer(t.Context(), workers))(t)
	if m, err := c.Next(); err != nil || m.Subject() != taskSubject+"run.0" { // and is never heard of again
		t.Fatal(err)
	}
	tries := make(chan int, 9)
	works(t, q, 1, func(ctx context.Context, task Task) ([]byte, error) {
		tries <- task.Tries
		return done(ctx, task)
	})
	collect(t, q, 1)
	if n := <-tries; n != 2 {
		t.Errorf("the task was handed out %d times", n)
	}
}

// bomb returns a small result that unpacks to more than is allowed.
func bomb() []byte { return pack(make([]byte, MaxResult+1)) }

// Bad results reach the caller, which has the task repeated, and end nothing.
func TestResultsThatCannotBeReadAreToldAndRedone(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	for id, bad := range map[string]*nats.Msg{
		"0": {Data: []byte("no gzip")}, "1": {Data: bomb()}, "2": {Data: pack([]byte("cut"))[:12]}, "3": {Data: nil},
		"4": {Header: nats.Header{elsewhere: []string{"nowhere"}}},
	} {
		bad.Subject = resultSubject + "run." + id
		must.OK(t, q.once(t.Context(), q.results, bad))
	}
	works(t, q, 1, done)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	redone, results := 0, 0
	err := q.Results(ctx, "run", func(r Result) error {
		if r.Fault == nil {
			if results++; string(r.Data) != "task "+r.ID+" done" {
				t.Errorf("result %+v", r)
			}
			if results == 5 {
				cancel()
			}
			return nil
		}
		redone++
		again, err := q.Redo(ctx, Task{Run: "run", ID: r.ID, Data: []byte("task " + r.ID)}, 1, r.Fault)
		if !again {
			t.Errorf("task %s is not done again: %v", r.ID, err)
		}
		return err
	})
	if !errors.Is(err, context.Canceled) || redone != 5 || results != 5 {
		t.Errorf("%v: %d redone, %d results", err, redone, results)
	}
	if again, err := q.Redo(t.Context(), Task{Run: "run", ID: "0"}, maxBad+1, errTooLarge); again || err != nil {
		t.Errorf("redone for ever: %v, %v", again, err)
	}
}

func TestALargeResultTakesNoMoreMemoryThanAllowed(t *testing.T) {
	exhaustive.NotUnderRace(t, "measures the heap, of which the detector takes several times as much")
	data := bomb()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := unpack(data); !errors.Is(err, errTooLarge) {
		t.Errorf("error %v", err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes for %d", grown, len(data))
	}
}

func TestTasksAndResultsOutliveTheServer(t *testing.T) {
	dir := t.TempDir()
	q := embedded(t, dir, "")
	submit(t, q, 20)
	begun := make(chan bool, 1)
	stop := works(t, q, 1, func(ctx context.Context, task Task) ([]byte, error) {
		if task.ID == "10" { // is under way when the server ends
			begun <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return done(ctx, task)
	})
	<-begun
	if _, err := Embed(t.Context(), dir, "", zerolog.Nop()); err == nil || !strings.Contains(err.Error(), "another process uses the store") {
		t.Errorf("a second server on one store: %v", err)
	}
	q.Close()
	stop()
	q = embedded(t, dir, "")
	works(t, q, 2, done)
	collect(t, q, 20)
}

// noise returns a result that is too large for a message, and cannot be packed.
func noise() []byte {
	large := make([]byte, maxPayload+1000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range large {
		large[i] = byte(rng.Uint32())
	}
	return large
}

func TestLargeResultsAndTexts(t *testing.T) {
	exhaustive.NotUnderRace(t, "copies megabytes; other tests of results look at their goroutines")
	q := embedded(t, t.TempDir(), "")
	large := noise()
	works(t, q, 1, func(context.Context, Task) ([]byte, error) { return large, nil })
	submit(t, q, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	_ = q.Results(ctx, "run", func(r Result) error {
		if !bytes.Equal(r.Data, large) {
			t.Errorf("%d bytes, want %d", len(r.Data), len(large))
		}
		cancel()
		return nil
	})
	if ctx.Err() != context.Canceled {
		t.Error("no result")
	}
	for range 2 {
		must.OK(t, q.PutText(t.Context(), "name", "text"))
	}
	if text, err := q.Text(t.Context(), "name"); err != nil || text != "text" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWithdrawnTasksAreNotBegun(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	submit(t, q, 10)
	must.OK(t, q.Withdraw(t.Context(), "run"))
	must.OK(t, q.Submit(t.Context(), Task{Run: "run", ID: "0", Data: []byte("task 0")}))
	works(t, q, 1, func(ctx context.Context, task Task) ([]byte, error) {
		if task.ID != "0" {
			t.Errorf("task %s was begun", task.ID)
		}
		return done(ctx, task)
	})
	collect(t, q, 1)
}

// invited returns a worker of another process.
func invited(t testing.TB, q *Queue, log zerolog.Logger) *Queue {
	t.Helper()
	w := must.Get(Dial(t.Context(), q.Invitation(), log))(t)
	t.Cleanup(w.Close)
	return w
}

// slowLog is the output of a log that takes its time.
type slowLog struct{ begun, written chan struct{} }

func (l slowLog) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "lost the connection") {
		close(l.begun)
		time.Sleep(100 * time.Millisecond)
		close(l.written)
	}
	return len(line), nil
}

func TestNothingIsLoggedOfAClosedConnection(t *testing.T) {
	q := embedded(t, t.TempDir(), "127.0.0.1:0")
	l := slowLog{make(chan struct{}), make(chan struct{})}
	w := must.Get(Dial(t.Context(), q.Invitation(), zerolog.New(l)))(t)
	q.Close()
	<-l.begun
	w.Close()
	select {
	case <-l.written:
	default:
		t.Error("the connection is closed while it writes to the log")
	}
}

func TestWorkersOfOtherProcessesNeedTheInvitation(t *testing.T) {
	dir := t.TempDir()
	q := embedded(t, dir, "127.0.0.1:0")
	good, err := url.Parse(q.Invitation())
	if err != nil || good.User == nil || good.Fragment == "" {
		t.Fatalf("%v: no password or certificate", err)
	}
	for what, spoil := range map[string]func(*url.URL){
		"no password":           func(u *url.URL) { u.User = nil },
		"another password":      func(u *url.URL) { u.User = url.UserPassword(workerName, "wrong") },
		"a name without one":    func(u *url.URL) { u.User = url.User(runnerName) },
		"another certificate":   func(u *url.URL) { u.Fragment = strings.Repeat("0", 64) },
		"no certificate":        func(u *url.URL) { u.Fragment = "" },
		"text that is not TLS":  func(u *url.URL) { u.Scheme, u.Fragment = "nats", "" },
		"the runner's password": func(u *url.URL) { u.User = url.UserPassword(runnerName, "") },
	} {
		u := *good
		spoil(&u)
		w, err := Dial(t.Context(), u.String(), zerolog.Nop())
		if err == nil {
			w.Close()
			t.Errorf("%s is let in", what)
		} else if password, _ := u.User.Password(); password != "" && strings.Contains(err.Error(), password) {
			t.Errorf("%s: the password is shown: %v", what, err)
		}
	}
	var faults strings.Builder
	w := invited(t, q, zerolog.New(&faults))
	reports, stop := must.Get2(q.Reports("run"))(t)
	defer stop()
	must.OK(t, q.PutText(t.Context(), "rules", "text"))
	end := works(t, w, 1, func(ctx context.Context, task Task) ([]byte, error) {
		text, err := w.Text(ctx, "rules")
		if err = errors.Join(err, w.Report(task, []byte("at work"))); err != nil || text != "text" {
			t.Errorf("%q, %v", text, err)
		}
		return done(ctx, task)
	})
	submit(t, q, 1)
	collect(t, q, 1)
	if r := <-reports; r.ID != "0" || string(r.Data) != "at work" {
		t.Errorf("report %+v", r)
	}
	end()
	if strings.Contains(faults.String(), "ermission") {
		t.Errorf("what a worker needs is refused: %s", &faults)
	}
	// A restarted server has the same invitation.
	q.Close()
	again, err := url.Parse(embedded(t, dir, "127.0.0.1:0").Invitation())
	if good.Host = again.Host; err != nil || good.String() != again.String() {
		t.Errorf("%v: another invitation after a new start", err)
	}
	if info, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key is for all to read: %v, %v", info.Mode(), err)
	}
}

func TestWorkersMayDoNothingButWork(t *testing.T) {
	q := embedded(t, t.TempDir(), "127.0.0.1:0")
	submit(t, q, 1)
	must.OK(t, q.PutText(t.Context(), "rules", "text"))
	w := invited(t, q, zerolog.Nop())
	refused := func(what string, f func(ctx context.Context) error) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if err := f(ctx); err == nil {
			t.Errorf("a worker may %s", what)
		}
	}
	refused("submit tasks", func(ctx context.Context) error { return w.Submit(ctx, Task{Run: "run", ID: "2"}) })
	refused("withdraw tasks", func(ctx context.Context) error { return w.Withdraw(ctx, "run") })
	refused("purge results", func(ctx context.Context) error { return w.results.Purge(ctx) })
	refused("delete the workers", func(ctx context.Context) error { return w.tasks.DeleteConsumer(ctx, workers) })
	refused("make streams", func(ctx context.Context) error {
		_, err := w.js.CreateStream(ctx, jetstream.StreamConfig{Name: "MINE", Subjects: []string{"mine"}})
		return err
	})
	sub, err := w.conn.SubscribeSync(runnerInbox + ".>")
	if err == nil {
		_ = w.conn.Flush()
		submit(t, q, 2)
		_, err = sub.NextMsg(300 * time.Millisecond)
	}
	if err == nil {
		t.Error("a worker may read what is meant for the runner")
	}
	if known, err := q.has(t.Context(), q.tasks, taskSubject+"run.0"); !known || err != nil {
		t.Errorf("the task is gone: %v", err)
	}
}

func TestNothingGrowsWithoutBound(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	texts := must.Get(q.js.Stream(t.Context(), "OBJ_"+textBucket))(t)
	sum := int64(0)
	for _, s := range []jetstream.Stream{q.tasks, q.results, texts} {
		c := s.CachedInfo().Config
		sum += c.MaxBytes
		if c.MaxBytes <= 0 || c.MaxAge == 0 && c.Name != taskStream {
			t.Errorf("the stream %s has no bounds: %+v", c.Name, c)
		}
	}
	if sum >= maxStore {
		t.Errorf("streams may have %d bytes of %d", sum, int64(maxStore))
	}
	// A result too large for a message is forgotten with its run.
	large := noise()
	subject := resultSubject + "run.0"
	must.OK(t, errors.Join(q.publish(t.Context(), subject, large), q.PutText(t.Context(), "rules", "text"), q.Forget(t.Context(), "run")))
	if list, err := q.texts.List(t.Context()); err != nil || len(list) != 1 || list[0].Name != "rules" {
		t.Errorf("%v: %d texts are left", err, len(list))
	}
	if known, err := q.has(t.Context(), q.results, subject); known || err != nil {
		t.Errorf("the result is left: %v", err)
	}
}

func TestASettledResultIsGoneWithItsTaskAndItsText(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	must.OK(t, errors.Join(q.Submit(t.Context(), Task{Run: "run", ID: "0"}), q.publish(t.Context(), resultSubject+"run.0", noise())))
	errAll := errors.New("all are read")
	err := q.Results(t.Context(), "run", func(r Result) error {
		q.Settle(t.Context(), "run", r)
		return errAll
	})
	if !errors.Is(err, errAll) {
		t.Fatal(err)
	}
	if list, _ := q.texts.List(t.Context()); len(list) != 0 {
		t.Errorf("%d texts are left", len(list))
	}
	for name, stream := range map[string]jetstream.Stream{"task": q.tasks, "result": q.results} {
		if info, err := stream.Info(t.Context()); err != nil || info.State.Msgs != 0 {
			t.Errorf("the %s is left: %v", name, err)
		}
	}
}

func TestWhoeverUsesAStoreIsSeen(t *testing.T) {
	dir := t.TempDir()
	if InUse(dir) || InUse(filepath.Join(dir, "nowhere")) {
		t.Error("a store that nobody has opened is in use")
	}
	q := embedded(t, dir, "")
	if !InUse(dir) {
		t.Error("a store that is open is not in use")
	}
	q.Close()
	if InUse(dir) {
		t.Error("a store that has been closed is in use")
	}
}

// cluster is three servers of one.
type cluster struct {
	t       testing.TB
	options []*server.Options
	servers []*server.Server
}

func newCluster(t testing.TB) *cluster {
	t.Helper()
	const n = 3
	ports := wiretest.FreePorts(t, 2*n)
	clients, routes := ports[:n], ports[n:]
	c := &cluster{t: t, servers: make([]*server.Server, n)}
	for i := range n {
		o := &server.Options{
			ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: clients[i], NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(t.TempDir(), fmt.Sprint(i)),
			Cluster: server.ClusterOpts{Name: "stackmate", Host: "127.0.0.1", Port: routes[i]},
		}
		for j, port := range routes {
			if j != i {
				o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", port)})
			}
		}
		c.options = append(c.options, o)
		c.start(i)
	}
	for began := time.Now(); !slices.ContainsFunc(c.servers, func(s *server.Server) bool { return s.JetStreamIsLeader() }); {
		if time.Since(began) > time.Minute {
			t.Fatal("the servers elect no leader")
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Cleanup(func() {
		for i := range n {
			c.servers[i].Shutdown()
			c.servers[i].WaitForShutdown() // or files appear in a folder that is being removed
		}
	})
	return c
}

func (c *cluster) start(i int) {
	s, err := server.NewServer(c.options[i].Clone())
	if err != nil {
		c.t.Fatal(err)
	}
	c.servers[i] = s
	go s.Start()
}

func (c *cluster) url() string {
	var list []string
	for _, o := range c.options {
		list = append(list, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	return strings.Join(list, ",")
}

// TestAClusterLosesNothing lets six workers work on a cluster of three servers, while
// workers fall silent in the middle of tasks and servers go away and come back.
func TestAClusterLosesNothing(t *testing.T) {
	exhaustive.Only(t, "takes seconds")
	c := newCluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dial := func() *Queue {
		q, err := Dial(ctx, c.url(), zerolog.Nop())
		for err != nil && wait(ctx, again) == nil {
			q, err = Dial(ctx, c.url(), zerolog.Nop())
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		return q
	}
	runner := dial()
	if runner == nil {
		t.FailNow()
	}
	defer runner.Close()
	if n := runner.tasks.CachedInfo().Config.Replicas; n != 3 {
		t.Fatalf("%d replicas of tasks on three servers", n)
	}
	const tasks = 120
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(1, 3))
	silent := 0
	var workers sync.WaitGroup
	for range 6 {
		workers.Go(func() {
			for ctx.Err() == nil { // a worker that has died is started again
				q := dial()
				if q == nil {
					return
				}
				life, die := context.WithCancel(ctx)
				_ = q.Work(life, 1, func(_ context.Context, task Task) ([]byte, error) {
					mu.Lock()
					dies := silent < 12 && rng.IntN(8) == 0
					if dies {
						silent++
					}
					mu.Unlock()
					time.Sleep(50 * time.Millisecond)
					if dies {
						q.conn.Close() // nothing more is heard of it
						die()
					}
					return done(ctx, task)
				})
				q.Close()
				die()
			}
		})
	}
	workers.Go(func() {
		for i := range c.servers { // one after the other, so that two are left
			time.Sleep(300 * time.Millisecond)
			c.servers[i].Shutdown()
			c.servers[i].WaitForShutdown()
			time.Sleep(300 * time.Millisecond)
			c.start(i)
			c.servers[i].ReadyForConnections(startTime)
		}
	})
	submit(t, runner, tasks)
	collect(t, runner, tasks)
	cancel()
	workers.Wait()
	t.Logf("%d workers fell silent", silent)
	if silent == 0 {
		t.Error("no worker fell silent")
	}
}

// BenchmarkTask measures the cost of the queue: a task that takes no time.
func BenchmarkTask(b *testing.B) {
	q := embedded(b, b.TempDir(), "")
	works(b, q, 1, done)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	results := make(chan Result)
	go func() {
		_ = q.Results(ctx, "run", func(r Result) error { results <- r; return nil })
	}()
	n := 0
	before := cputime.Now()
	for b.Loop() {
		must.OK(b, q.Submit(ctx, Task{Run: "run", ID: fmt.Sprint(n)}))
		n++
		<-results
	}
	b.ReportMetric((cputime.Now()-before).Seconds()*1e3/float64(n), "cpu-ms/op")
}

func TestACallerHasBadResultsDoneAgain(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	for _, worst := range []bool{false, true} {
		c := q.Call(t.Context(), fmt.Sprint("calls", worst), "sum")
		var tries atomic.Int32
		stop := works(t, q, 1, func(_ context.Context, task Task) ([]byte, error) {
			if n := tries.Add(1); n <= 2 || worst { // another worker publishes in the place of this one
				if err := q.once(t.Context(), q.results, &nats.Msg{Subject: resultSubject + task.Run + "." + task.ID, Data: []byte("bad")}); err != nil {
					t.Error(err)
				}
			}
			if worst {
				return nil, ErrAgain
			}
			return []byte("good"), nil
		})
		got, err := c.Do(t.Context(), nil)
		if worst != (err != nil) || !worst && string(got) != "good" {
			t.Errorf("always bad: %v, got %s, %v", worst, got, err)
		}
		stop()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestACallerWaitsForWhatItHasAskedFor(t *testing.T) {
	q := embedded(t, t.TempDir(), "")
	stop := works(t, q, 3, func(_ context.Context, task Task) ([]byte, error) {
		return fmt.Append(nil, task.Kind, " ", string(task.Data), " done"), nil
	})
	defer stop()
	c := q.Call(t.Context(), "calls", "sum")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if got, err := c.Do(t.Context(), fmt.Append(nil, i)); err != nil || string(got) != fmt.Sprintf("sum %d done", i) {
				t.Errorf("call %d: %s, %v", i, got, err)
			}
		})
	}
	all.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Do(t.Context(), nil); err == nil {
		t.Error("a caller that is closed answers")
	}
}
