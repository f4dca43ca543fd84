package distributed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"stackmate/internal/must"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
)

// folder opens the tournaments of a folder. Each match takes a while.
func folder(t *testing.T, dir string, while time.Duration) (all *Tournaments, stop func()) {
	t.Helper()
	archive := must.Get(arena.OpenArchive(dir))(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := worker()
	all = NewTournaments(ctx, archive, func(ctx context.Context, q *queue.Queue) error {
		return q.Work(ctx, 1, func(ctx context.Context, t queue.Task) ([]byte, error) {
			time.Sleep(while)
			return w.Do(ctx, q, t)
		})
	}, zerolog.Nop())
	stop = func() { cancel(); all.Wait() }
	t.Cleanup(stop)
	return all, stop
}

// becomes waits until a tournament has a state and a number of matches.
func becomes(t *testing.T, all *Tournaments, run string, state State, matches int) Status {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s, err := all.Find(run)
		if err == nil && s.State == state && s.Matches >= matches {
			return s
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%v: the tournament is %s with %d matches, want %s with %d", err, s.State, s.Matches, state, matches)
		}
	}
}

func TestTournamentsArePausedResumedAndEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	all, stop := folder(t, dir, 20*time.Millisecond)
	if _, err := all.Find(""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder has a tournament: %v", err)
	}
	e := event(t, 3, "a", "b")
	e.Begun = time.Now()
	must.OK(t, all.Begin(e))
	becomes(t, all, "t", Playing, 2)
	if err := all.Resume("t"); !errors.Is(err, ErrState) {
		t.Errorf("what is played is resumed: %v", err)
	}
	if err := all.Begin(e); !errors.Is(err, ErrState) {
		t.Errorf("a tournament is begun twice: %v", err)
	}
	must.OK(t, all.Pause("t"))
	paused := becomes(t, all, "t", Paused, 2)
	if paused.Matches >= 18 || paused.Fault != nil || all.queue != nil {
		t.Errorf("%d matches, fault %v, the queue is open: %v", paused.Matches, paused.Fault, all.queue != nil)
	}
	if err := all.Pause("t"); !errors.Is(err, ErrState) {
		t.Errorf("what is paused is paused: %v", err)
	}
	time.Sleep(100 * time.Millisecond)
	if s := becomes(t, all, "t", Paused, 0); s.Matches != paused.Matches {
		t.Errorf("%d matches, %d later", paused.Matches, s.Matches)
	}
	stop()

	// Another process goes on, which has begun a second one.
	all, stop = folder(t, dir, time.Millisecond)
	second := event(t, 100, "a", "b", "c")
	second.Run, second.Begun = "u", time.Now()
	must.OK(t, errors.Join(all.Begin(second), all.Resume("t")))
	becomes(t, all, "t", Ended, 18)
	must.OK(t, all.End("u"))
	if s := becomes(t, all, "", Ended, 0); s.Run != "u" || s.Matches == 1800 {
		t.Errorf("the latest is %s, with %d matches", s.Run, s.Matches)
	}
	for _, run := range []string{"t", "u"} {
		if err := errors.Join(all.Resume(run), all.End(run)); !errors.Is(err, ErrState) {
			t.Errorf("%s has ended, and is resumed or ended: %v", run, err)
		}
	}
	if err := all.Resume("v"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v of a tournament that there is not", err)
	}
	stop()

	// The outcome is that without a pause.
	ledger := arena.NewLedger(&e.Plan)
	list := must.Get(arena.ReadArchive(dir).List())(t)
	for _, r := range list {
		if n, ok := e.Number(r.Match); ok {
			ledger.Add(n, r.Counted())
		}
	}
	if diff := cmp.Diff(untimed(run(t, event(t, 3, "a", "b"), nil)), untimed(ledger.Ranking())); diff != "" {
		t.Errorf("(-at once +with a pause):\n%s", diff)
	}
}

func TestARefusedTournamentIsNotListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	all, stop := folder(t, dir, time.Millisecond)
	begin := func(all *Tournaments, run string) error {
		e := event(t, 100, "a", "b")
		e.Run = run
		return all.Begin(e)
	}
	for i := range maxPlaying {
		must.OK(t, begin(all, fmt.Sprint("t", i)))
	}
	if err := begin(all, "more"); !errors.Is(err, ErrState) {
		t.Errorf("%d tournaments are played, and another: %v", maxPlaying, err)
	}
	stop()
	q := embedded(t, filepath.Join(dir, Folder))
	defer q.Close()
	all, _ = folder(t, dir, 0)
	if err := begin(all, "elsewhere"); err == nil {
		t.Error("a tournament is begun whose queue another process uses")
	}
	if list, err := all.List(); err != nil || len(list) != maxPlaying {
		t.Errorf("%d tournaments are listed: %v", len(list), err)
	}
}

func TestATournamentOfAnotherProcessIsLeftAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	all, _ := folder(t, dir, 0)
	e := event(t, 1, "a", "b")
	must.OK(t, e.Save(filepath.Join(dir, Folder, "tournament.json")))
	q := embedded(t, filepath.Join(dir, Folder))
	becomes(t, all, "t", Elsewhere, 0)
	for what, act := range map[string]func(string) error{"paused": all.Pause, "resumed": all.Resume, "ended": all.End} {
		if err := act("t"); !errors.Is(err, ErrState) {
			t.Errorf("what another process plays is %s: %v", what, err)
		}
	}
	q.Close()
	must.OK(t, all.Resume("t"))
	becomes(t, all, "t", Ended, 6)
}

func TestWithoutWorkersATournamentStandsStillAndSaysWhy(t *testing.T) {
	all, _ := folder(t, filepath.Join(t.TempDir(), "records"), 0)
	all.Work = func(context.Context, *queue.Queue) error { return errors.New("nobody works") }
	e := event(t, 1, "a", "b")
	must.OK(t, all.Begin(e))
	if s := becomes(t, all, "t", Paused, 0); s.Fault == nil || s.Fault.Error() != "nobody works" {
		t.Errorf("the fault is %v", s.Fault)
	}
}
