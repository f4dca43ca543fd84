package distributed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
)

// Folder is a subfolder of the archive with the queue of its tournaments, and a file for each tournament from which
// it can be resumed.
const Folder = "queue"

// State is the state of a tournament.
type State string

// The states.
const (
	Playing   State = "playing"
	Paused    State = "paused"
	Elsewhere State = "elsewhere" // another process uses the queue
	Ended     State = "ended"
)

// Status is a tournament with its state.
type Status struct {
	*Event
	State   State
	Matches int   // completed matches
	Fault   error // the error that stopped it, or nil
}

// Limits of a folder.
const (
	maxTournaments = 1000
	maxPlaying     = 4
)

// Tournaments manages the tournaments of an archive: this process begins, pauses, resumes and ends them. While a
// tournament is running, its queue is open and Work does its tasks. It is safe for concurrent use.
type Tournaments struct {
	Archive *arena.Archive
	Work    func(ctx context.Context, q *queue.Queue) error
	Log     zerolog.Logger
	ctx     context.Context // ends all tournaments
	all     sync.WaitGroup

	mu      sync.Mutex
	playing map[string]*playing // by run
	faults  map[string]error    // of the last run, by run
	queue   *queue.Queue        // nil while no tournament is running
	base    context.Context     // of all running tournaments: ends if all workers have stopped
	close   func()
}

// playing is a tournament running in this process.
type playing struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// NewTournaments opens the tournaments of an archive. Running tournaments end with ctx.
func NewTournaments(ctx context.Context, a *arena.Archive, work func(context.Context, *queue.Queue) error, log zerolog.Logger) *Tournaments {
	return &Tournaments{Archive: a, Work: work, Log: log, ctx: ctx, playing: make(map[string]*playing), faults: make(map[string]error)}
}

// ErrState is wrapped by errors of operations that the state of a tournament does not allow.
var ErrState = errors.New("not possible now")

func (t *Tournaments) dir() string { return filepath.Join(t.Archive.Dir(), Folder) }

// List returns all tournaments of the folder, the latest first.
func (t *Tournaments) List() ([]Status, error) {
	files, err := filepath.Glob(filepath.Join(t.dir(), "*.json"))
	if err != nil {
		return nil, err
	}
	records, _ := t.Archive.List() // skip files that are no records
	ended := make(map[string]int)
	for _, r := range records {
		if i := strings.LastIndexByte(r.Match, '.'); i > 0 && r.Ended() {
			ended[r.Match[:i]]++
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting := Paused
	if t.queue == nil && queue.InUse(t.dir()) {
		waiting = Elsewhere
	}
	var list []Status
	for _, file := range files {
		e, err := ReadEvent(file)
		if err != nil {
			t.Log.Warn().Err(err).Msg("skipped a tournament file")
			continue
		}
		s := Status{Event: e, State: waiting, Matches: ended[e.Run], Fault: t.faults[e.Run]}
		if e.Ended {
			s.State = Ended
		} else if t.playing[e.Run] != nil {
			s.State = Playing
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Status) int { return b.Begun.Compare(a.Begun) })
	return list, nil
}

// Find returns the tournament with a name, or the latest for "". The error wraps fs.ErrNotExist if there is none.
func (t *Tournaments) Find(run string) (Status, error) {
	list, err := t.List()
	i := slices.IndexFunc(list, func(s Status) bool { return run == "" || s.Run == run })
	if i < 0 {
		return Status{}, cmp.Or(err, fmt.Errorf("no tournament %q: %w", run, fs.ErrNotExist))
	}
	return list[i], nil
}

// Begin begins a tournament. A refused tournament leaves no file.
func (t *Tournaments) Begin(e *Event) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(t.dir(), "*.json"))
	file := filepath.Join(t.dir(), e.Run+".json")
	switch {
	case err != nil:
		return err
	case len(files) >= maxTournaments || slices.Contains(files, file):
		return fmt.Errorf("the folder has %d tournaments, which is the limit, or one with this name: %w", len(files), ErrState)
	}
	if err := e.Save(file); err != nil {
		return err
	}
	if err := t.play(e); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// Pause stops a tournament. Running matches are discarded, and repeated on resume.
func (t *Tournaments) Pause(run string) error {
	t.mu.Lock()
	p := t.playing[run]
	t.mu.Unlock()
	if p == nil {
		return fmt.Errorf("the tournament is not running: %w", ErrState)
	}
	p.cancel()
	<-p.done
	return nil
}

// Resume continues a tournament.
func (t *Tournaments) Resume(run string) error {
	e, err := t.paused(run)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.play(e)
}

// paused returns a tournament that is paused and has not ended.
func (t *Tournaments) paused(run string) (*Event, error) {
	s, err := t.Find(run)
	if err == nil && s.State != Paused {
		err = fmt.Errorf("the tournament is %s: %w", s.State, ErrState)
	}
	return s.Event, err
}

// End ends a tournament for good.
func (t *Tournaments) End(run string) error {
	_ = t.Pause(run) // if running
	e, err := t.paused(run)
	if err != nil {
		return err
	}
	return e.end()
}

// play runs a tournament in the background. The caller holds t.mu.
func (t *Tournaments) play(e *Event) error {
	if len(t.playing) >= maxPlaying || t.playing[e.Run] != nil {
		return fmt.Errorf("%d tournaments are running, which is the limit: %w", len(t.playing), ErrState)
	}
	if t.queue == nil {
		if err := t.open(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(t.base)
	p := &playing{cancel, make(chan struct{})}
	t.playing[e.Run] = p
	delete(t.faults, e.Run)
	q := t.queue
	t.all.Go(func() {
		defer close(p.done)
		_, err := Run(ctx, q, e, t.Archive, nil)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.faults[e.Run] = err
			t.Log.Error().Err(err).Str("run", e.Run).Msg("a tournament has stopped with an error")
		}
		if delete(t.playing, e.Run); len(t.playing) == 0 {
			t.close()
		}
	})
	return nil
}

// open opens the queue and starts workers; close stops them.
func (t *Tournaments) open() error {
	q, err := queue.Embed(t.ctx, t.dir(), "", t.Log)
	if err != nil {
		return err
	}
	base, cancel := context.WithCancelCause(t.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(t.Work(base, q)) // without workers no tournament can continue
	}()
	t.queue, t.base, t.close = q, base, func() {
		cancel(nil)
		<-done
		q.Close()
		t.queue = nil
	}
	return nil
}

// Wait waits until no tournament is running, after the end of the context of NewTournaments.
func (t *Tournaments) Wait() { t.all.Wait() }
