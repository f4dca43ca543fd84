package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
	"stackmate/protocol/wiretest"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// drifter plays legal moves that its seed and its match decide alone.
type drifter struct {
	seed  uint64
	rng   *machine.Rand
	at    machine.Batch
	names *machine.Names
	role  machine.Role
	told  int
}

func (d *drifter) Start(ctx context.Context, m protocol.Match) error {
	if m.Machine == nil { // the match begins elsewhere than the game
		var err error
		if m.Machine, err = reasoner.New(ctx, m.Game, reasoner.Options{}); err != nil {
			return err
		}
	}
	d.rng, d.at, d.names = machine.NewRand(d.seed), m.Machine.NewBatch(), m.Machine.Names()
	d.role, _ = d.names.Role(m.Role)
	d.told = 0
	return nil
}

func (d *drifter) Play(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
	for ; d.told < len(told); d.told++ {
		for r, t := range told[d.told] {
			move, _ := d.names.Move(machine.Role(r), t.String())
			d.at.Choose(0, machine.Role(r), move)
		}
		if told[d.told] != nil {
			d.at.Evaluate(1)
			d.at.Advance(1)
		}
	}
	d.at.Evaluate(1)
	legal := d.at.AppendLegal(nil, 0, d.role)
	return gdl.ParseTerm(d.names.MoveText(d.role, legal[d.rng.Intn(len(legal))]))
}

func (*drifter) Stop([][]gdl.Term) {}
func (*drifter) Abort()            {}

// worker makes drifters of all descriptions but "broken".
func worker() *Worker {
	return &Worker{Log: zerolog.Nop(), Player: func(spec string, seed uint64) (arena.Player, error) {
		if spec == "unknown" {
			return arena.Player{}, fmt.Errorf("no player %q", spec)
		}
		return arena.Player{Name: spec, New: func() protocol.Agent {
			if spec == "broken" {
				panic("out of order")
			}
			return &drifter{seed: seed}
		}}, nil
	}}
}

// event returns a tournament of three games.
func event(t testing.TB, rounds int, players ...string) *Event {
	t.Helper()
	e := &Event{
		Run: "t", Specs: players, Plan: arena.Tournament{Players: players, Rounds: rounds, Seed: 5},
		Setting: arena.Setting{StartClock: time.Minute, PlayClock: time.Minute},
	}
	for _, name := range []string{"ticTacToe", "nim-3.4", "matchingPennies"} {
		_, src := must.Get2(games.Source(name))(t)
		g := wiretest.Game(t, string(src))
		e.Plan.Games = append(e.Plan.Games, arena.Game{Name: name, Roles: len(g.Roles)})
		e.Rules = append(e.Rules, arena.RulesText(g))
	}
	return e
}

func embedded(t testing.TB, dir string) *queue.Queue {
	t.Helper()
	q := must.Get(queue.Embed(t.Context(), dir, "", zerolog.Nop()))(t)
	t.Cleanup(q.Close)
	return q
}

// run holds a tournament with one worker of two matches at a time.
func run(t testing.TB, e *Event, archive *arena.Archive) *arena.Ranking {
	t.Helper()
	q := embedded(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	w := worker()
	go func() {
		done <- q.Work(ctx, 2, func(ctx context.Context, t queue.Task) ([]byte, error) { return w.Do(ctx, q, t) })
	}()
	ranking := must.Get(Run(ctx, q, e, archive, nil))(t)
	cancel()
	<-done
	return ranking
}

// untimed returns a ranking without figures that depend on the clock.
func untimed(r *arena.Ranking) *arena.Ranking {
	for i := range r.Results {
		r.Results[i].Slowest = nil
	}
	return r
}

func TestATournamentIsTheSameHoweverItIsHeld(t *testing.T) {
	e := event(t, 3, "a", "b", "c")
	e.Setting.Opening = 1
	archive := must.Get(arena.OpenArchive(filepath.Join(t.TempDir(), "records")))(t)
	want := untimed(run(t, e, archive))
	if n := e.Plan.Matches(); len(want.Results) != n || n != 3*3*6 {
		t.Fatalf("%d results of %d matches", len(want.Results), n)
	}
	list, err := archive.List()
	if err != nil || len(list) != len(want.Results) {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for _, r := range list {
		n, _ := e.Number(r.Match)
		whole, err := archive.Read(r.Match)
		if err != nil || len(whole.States) != whole.Turns+1 || len(whole.Opening) != 1 && whole.Game != "matchingPennies" {
			t.Errorf("%v: %d states of %d turns, opening %v", err, len(whole.States), whole.Turns, whole.Opening)
		}
		result := whole.Result()
		result.Slowest = nil
		if diff := cmp.Diff(want.Results[n], result); diff != "" {
			t.Errorf("(-counted +recorded):\n%s", diff)
		}
	}
	// Without records, and with the records of some matches.
	if diff := cmp.Diff(want, untimed(run(t, e, nil))); diff != "" {
		t.Errorf("without records (-want +got):\n%s", diff)
	}
	for n := 0; n < len(list); n += 2 {
		must.OK(t, os.Remove(filepath.Join(archive.Dir(), e.match(n)+".jsonl")))
	}
	if diff := cmp.Diff(want, untimed(run(t, e, archive))); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
}

func TestPlayersThatFailCostThemselvesPoints(t *testing.T) {
	r := run(t, event(t, 2, "a", "broken"), nil)
	if s := r.Standings; s[0].Wins != 12 || s[1].Losses != 12 || s[1].Failed != 12 {
		t.Errorf("standings %+v", s)
	}
	r = run(t, event(t, 1, "a", "unknown"), nil)
	for _, result := range r.Results {
		if !result.Aborted || result.Reason != `player unknown: no player "unknown"` {
			t.Errorf("%+v", result)
		}
	}
}

func TestReportsThatAreNoneEndNoTournament(t *testing.T) {
	e := event(t, 1, "a", "b")
	archive, err := arena.OpenArchive(filepath.Join(t.TempDir(), "records"))
	if err != nil {
		t.Fatal(err)
	}
	q := embedded(t, t.TempDir())
	r := &runner{event: e, queue: q, archive: archive, ledger: arena.NewLedger(&e.Plan), submitted: make(map[int]*submission), busy: make(map[string]bool)}
	for f := range e.Plan.Fixtures() {
		r.submitted[f.Number] = &submission{Fixture: f, order: e.order(f, r.ledger)}
	}
	for _, data := range []string{`{"number":0}`, `{`, `[]`, `{"number":-1,"part":{}}`} {
		if err := r.watch(queue.Result{ID: "0", Data: []byte(data)}); err != nil {
			t.Errorf("the report %s: %v", data, err)
		}
	}
	// until counts a result each time that its task goes out again, and returns how often that is.
	until := func(result queue.Result) (times int) {
		for counted := false; !counted; times++ {
			if counted, err = r.count(t.Context(), result); err != nil || times > 20 {
				t.Fatalf("a result that is none: counted %v, %v", counted, err)
			}
		}
		return times - 1
	}
	if times := until(queue.Result{ID: "0", Data: []byte("{")}); times < 2 {
		t.Errorf("the task went out again %d times", times)
	}
	// Records of other matches, of other players, and of no match at all.
	o := r.submitted[1].order
	for i, record := range []*arena.Record{
		{Match: "t.2", Rules: o.Rules, Roles: []string{"x", "y"}, Players: o.Names},
		{Match: o.Match, Rules: o.Rules, Roles: []string{"x", "y"}, Players: []string{"b", "b"}},
		{Match: o.Match, Rules: "../../rules", Roles: []string{"x", "y"}, Players: o.Names},
		{Match: o.Match, Rules: o.Rules, Roles: []string{"x", "y"}, Players: o.Names, Completed: true, Goals: []int{1}, States: [][]string{{}}},
	} {
		part := must.Get(json.Marshal(report{Attempt: "a", Part: record}))(t)
		if err := r.watch(queue.Result{ID: "1", Data: part}); err != nil {
			t.Errorf("the report of record %d: %v", i, err)
		}
		f := r.submitted[1].Fixture
		f.Number = 10 + i
		r.submitted[10+i] = &submission{Fixture: f, order: o}
		whole := must.Get(json.Marshal(held{Attempt: "a", Record: record}))(t)
		until(queue.Result{ID: strconv.Itoa(10 + i), Data: whole})
		if result := r.ledger.Ranking().Results; !result[len(result)-1].Aborted {
			t.Errorf("record %d is counted: %+v", i, result)
		}
	}
	// Parts that come after the end.
	for number, part := range []*arena.Record{
		{Match: o.Match, Rules: o.Rules, Roles: []string{"x", "y"}, Players: o.Names}, {Aborted: true}, {Aborted: true}, {Match: "t.7"},
	} {
		data, err := json.Marshal(report{Attempt: "b", Number: number, Part: part})
		if err = errors.Join(err, r.watch(queue.Result{ID: "1", Data: data})); err != nil {
			t.Errorf("part %d: %v", number, err)
		}
	}
	if list, err := archive.List(); err != nil || len(list) != 2 || !list[0].Aborted || !list[1].Aborted {
		t.Errorf("%d records, %v; want those of the match that failed and of the match that was reported", len(list), err)
	}
}

// A worker that spoils the first result of a match costs only time, even if nobody else is left to count the submissions of an earlier
// runner.
func TestABadResultIsDroppedAndItsMatchHeldAgain(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"no JSON":          func([]byte) []byte { return []byte("{") },
		"another match":    func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), `"match":"t.`, `"match":"u.`)) },
		"a false result":   func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), `"turns":`, `"turns":1`)) },
		"a failure at all": func([]byte) []byte { return []byte(`[]`) },
	} {
		t.Run(name, func(t *testing.T) {
			q := embedded(t, t.TempDir())
			w, e := worker(), event(t, 1, "a", "b")
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			tries := make(map[string]int)
			go func() {
				defer close(done)
				_ = q.Work(ctx, 1, func(ctx context.Context, task queue.Task) ([]byte, error) {
					data, err := w.Do(ctx, q, task)
					if tries[task.ID]++; tries[task.ID] == 1 {
						data = spoil(data)
					}
					return data, err
				})
			}()
			ranking, err := Run(ctx, q, e, nil, nil)
			cancel()
			<-done
			if err != nil || len(ranking.Results) != e.Plan.Matches() {
				t.Fatalf("%v: %d results", err, len(ranking.Results))
			}
			for _, r := range ranking.Results {
				if r.Aborted {
					t.Errorf("%+v", r)
				}
			}
			for id, n := range tries {
				if n != 2 {
					t.Errorf("match %s was held %d times", id, n)
				}
			}
		})
	}
}

// The turns that a worker has reported are on record before its result is: a record in lines, not in one piece.
func TestTheTurnsComeBeforeTheResult(t *testing.T) {
	e := event(t, 1, "a", "b")
	archive := must.Get(arena.OpenArchive(filepath.Join(t.TempDir(), "records")))(t)
	r := &runner{event: e, queue: embedded(t, t.TempDir()), archive: archive, ledger: arena.NewLedger(&e.Plan), submitted: make(map[int]*submission), busy: make(map[string]bool)}
	for f := range e.Plan.Fixtures() {
		r.submitted[f.Number] = &submission{Fixture: f, order: e.order(f, r.ledger)}
	}
	o, whole := r.submitted[0].order, arena.Record{}
	reports := make(chan queue.Result, 9)
	for number, part := range []*arena.Record{
		{Match: o.Match, Rules: o.Rules, Roles: []string{"x", "y"}, Players: o.Names},
		{Moves: [][]string{{"go", "go"}}, Turns: 1},
		{Turns: 1, Aborted: true, Reason: "interrupted"},
	} {
		whole.Append(part)
		data := must.Get(json.Marshal(report{Attempt: "w", Number: number, Part: part}))(t)
		reports <- queue.Result{ID: "0", Data: data}
	}
	data := must.Get(json.Marshal(held{Attempt: "w", Record: &whole}))(t)
	if counted, err := r.settle(t.Context(), queue.Result{ID: "0", Data: data}, reports); !counted || err != nil {
		t.Fatalf("counted %v, %v", counted, err)
	}
	text, err := os.ReadFile(filepath.Join(archive.Dir(), o.Match+".jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 3 {
		t.Errorf("%v: the record is\n%s", err, text)
	}
}

func TestWhatIsNotRecordedIsForgotten(t *testing.T) {
	for _, ends := range []bool{true, false} {
		q := embedded(t, t.TempDir())
		ctx, cancel := context.WithCancel(t.Context())
		working, stopWork := context.WithCancel(t.Context())
		w, e := worker(), event(t, 2, "a", "b")
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = q.Work(working, 1, func(ctx context.Context, t queue.Task) ([]byte, error) { return w.Do(ctx, q, t) })
		}()
		_, err := Run(ctx, q, e, nil, func(l *arena.Ledger) {
			if l.Count() == 3 && !ends { // the worker may leave another result, which nobody will have counted
				stopWork()
				<-done
				cancel()
			}
		})
		if ends != (err == nil) {
			t.Fatal(err)
		}
		cancel()
		stopWork()
		<-done
		short, stop := context.WithTimeout(t.Context(), time.Second)
		_ = q.Results(short, e.Run, func(r queue.Result) error {
			t.Errorf("to its end: %v, the result of match %s is kept", ends, r.ID)
			return nil
		})
		stop()
	}
}

// TestTheArchiveAloneKnowsWhatIsCounted interrupts a tournament: the queue has none of the counted results, and the next run counts the
// records, also of matches that failed.
func TestTheArchiveAloneKnowsWhatIsCounted(t *testing.T) {
	for _, second := range []string{"b", "unknown"} {
		q := embedded(t, t.TempDir())
		archive := must.Get(arena.OpenArchive(filepath.Join(t.TempDir(), "records")))(t)
		e := event(t, 2, "a", second)
		working, stopWork := context.WithCancel(t.Context())
		w, held, done := worker(), 0, make(chan struct{})
		go func() {
			defer close(done)
			_ = q.Work(working, 1, func(ctx context.Context, t queue.Task) ([]byte, error) {
				held++
				return w.Do(ctx, q, t)
			})
		}()
		ctx, interrupt := context.WithCancel(t.Context())
		counted, err := Run(ctx, q, e, archive, func(l *arena.Ledger) {
			if l.Count() == 3 {
				interrupt()
			}
		})
		if err == nil || len(counted.Results) < 3 {
			t.Fatalf("%d matches before the interruption: %v", len(counted.Results), err)
		}
		short, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_ = q.Results(short, e.Run, func(r queue.Result) error {
			if slices.ContainsFunc(counted.Results[:2], func(c arena.Result) bool { return c.Match == e.Run+"."+r.ID }) {
				t.Errorf("%s: the queue has the result of match %s, which is counted", second, r.ID)
			}
			return nil
		})
		stop()
		ranking, err := Run(t.Context(), q, e, archive, nil)
		stopWork()
		<-done
		if n := e.Plan.Matches(); err != nil || len(ranking.Results) != n || held > n+1 {
			t.Errorf("%s: %v; %d results of %d matches, which were held %d times", second, err, len(ranking.Results), n, held)
		}
	}
}

// tuning returns an event in which a parameter of a player is tuned that decides how well it plays.
func tuning(t testing.TB, iterations int) *Event {
	t.Helper()
	e := event(t, iterations, "b:x=1", "b:x=1-2")
	e.Specs = []string{"b:x=1", "b:x=1"}
	e.Plan.Tuning = &arena.Tuning{
		Parameters: []arena.Parameter{{Name: "a", Start: 20, Low: 0, High: 100}}, Pairs: 1,
		Perturbation: arena.DefaultPerturbation, Step: arena.DefaultStep,
	}
	return e
}

func TestAnInvalidTournamentIsRefused(t *testing.T) {
	must.OK(t, event(t, 2, "b:x=1", "b:x=1-2").Check())
	for want, change := range map[string]func(e *Event){
		"named by letters":          func(e *Event) { e.Run = "a/b" },
		"descriptions of 2 players": func(e *Event) { e.Specs = e.Specs[:1] },
		"one player, of this":       func(e *Event) { e.Specs = []string{"b:x=1", "b:x=2"} },
		"and descriptions of":       func(e *Event) { e.Rules = nil },
	} {
		e := tuning(t, 2)
		if change(e); e.Check() == nil || !strings.Contains(e.Check().Error(), want) {
			t.Errorf("error %v, want %q", e.Check(), want)
		}
	}
}

func TestTuningRunsOverTheQueueAndIsResumed(t *testing.T) {
	e := tuning(t, 6)
	must.OK(t, e.Check())
	want := run(t, e, nil).Tuning
	if len(want.Course) != 7 || want.Course[6][0] == 20 {
		t.Fatalf("the course %v", want.Course)
	}
	archive := must.Get(arena.OpenArchive(filepath.Join(t.TempDir(), "records")))(t)
	if diff := cmp.Diff(want.Course, run(t, e, archive).Tuning.Course); diff != "" {
		t.Errorf("with records (-want +got):\n%s", diff)
	}
	list, err := archive.List()
	if err != nil || len(list) != 6*3*2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for _, r := range list {
		n, _ := e.Number(r.Match)
		for _, p := range r.Players {
			if !strings.HasPrefix(p, "b:x=1,a=") {
				t.Errorf("%s plays", p)
			}
		}
		if n >= 20 { // of the fourth iteration, and later
			must.OK(t, os.Remove(filepath.Join(archive.Dir(), r.Match+".jsonl")))
		}
	}
	if diff := cmp.Diff(want.Course, run(t, e, archive).Tuning.Course); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
}

func TestRulesThatAreNotThoseOfTheTaskAreRefused(t *testing.T) {
	q := embedded(t, t.TempDir())
	e := event(t, 1, "a", "b")
	hash := arena.HashRules(e.Rules[0])
	must.OK(t, q.PutText(t.Context(), hash, e.Rules[1]))
	if _, err := Rules(t.Context(), q, "ticTacToe", hash); err == nil || !strings.Contains(err.Error(), "do not have the hash in the task") {
		t.Errorf("rules of another game: %v", err)
	}
	must.OK(t, q.PutText(t.Context(), arena.HashRules(e.Rules[2]), e.Rules[2]))
	if g, err := Rules(t.Context(), q, "matchingPennies", arena.HashRules(e.Rules[2])); err != nil || len(g.Roles) != 2 {
		t.Errorf("rules that are there: %v", err)
	}
}
