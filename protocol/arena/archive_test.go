package arena

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol"

	"github.com/google/go-cmp/cmp"
)

func archive(t testing.TB, dir string) *Archive {
	t.Helper()
	return must.Get(OpenArchive(dir))(t)
}

// played returns the record of a match of two that is in the archive.
func played(t testing.TB, a *Archive) *Record {
	t.Helper()
	s := quick
	s.Tell = a.Recorder()
	return playMatch(t, manager(t, choosing), s, in("a", &fake{}), in("b", saying(gdl.Term{Name: "pass"})))
}

// asJSON returns a record as programs see it: times are instants there.
func asJSON(t testing.TB, r *Record) string {
	t.Helper()
	text := must.Get(json.MarshalIndent(r, "", " "))(t)
	return string(text)
}

func TestARecordIsReadAsItWasTold(t *testing.T) {
	a := archive(t, filepath.Join(t.TempDir(), "new", "folder"))
	want := played(t, a)
	got := must.Get(a.Read(want.Match))(t)
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
		t.Errorf("(-told +read):\n%s", diff)
	}
	verify(t, manager(t, choosing), got)
	if got.Summary == nil || cmp.Diff(*got.Summary, got.Result()) != "" {
		t.Errorf("summary %+v of a record with %+v", got.Summary, got.Result())
	}
	text, err := a.Rulesheet(got.Rules)
	if err != nil || HashRules(text) != got.Rules {
		t.Errorf("%v, rules %s", err, text)
	}
	if _, _, err := gdl.Load(t.Context(), "kept", []byte(text)); err != nil {
		t.Error(err)
	}
	files, err := os.ReadDir(a.Dir())
	if names := fmt.Sprint(files); err != nil || names != "[- m.1.jsonl d rules/]" {
		t.Errorf("files %s, %v", names, err)
	}
}

func TestEveryBeginningOfARecordIsARecord(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	a := archive(t, t.TempDir())
	whole := played(t, a)
	text := must.Get(os.ReadFile(a.path(whole.Match)))(t)
	first := strings.Index(string(text), "\n")
	for n := first; n < len(text); n++ {
		must.OK(t, os.WriteFile(a.path(whole.Match), text[:n], 0o644))
		r, err := a.Read(whole.Match)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", n, len(text), err)
		}
		// All written parts are there, except the part in progress.
		parts := strings.Count(string(text[:n]), "\n")
		if turns := max(0, parts-2); r.Ended() && n < len(text)-1 || r.Turns < min(turns, whole.Turns) {
			t.Fatalf("%d of %d bytes, %d whole parts: %d turns, ended: %t", n, len(text), parts, r.Turns, r.Ended())
		}
		for i, moves := range r.Moves {
			if !slices.Equal(moves, whole.Moves[i]) {
				t.Fatalf("turn %d: moves %v, recorded %v", i, moves, whole.Moves[i])
			}
		}
	}
}

func TestAMatchIsRecordedOnce(t *testing.T) {
	a := archive(t, t.TempDir())
	r := played(t, a)
	s := quick
	s.Tell = a.Recorder()
	_, err := manager(t, choosing).Match(t.Context(), r.Match, []Player{in("a", &fake{}), in("b", &fake{})}, s)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "record of match m.1") {
		t.Errorf("%v, want that there is a record", err)
	}
	if again, err := a.Read(r.Match); err != nil || asJSON(t, again) != asJSON(t, r) {
		t.Errorf("the record has changed: %v", err)
	}
}

func TestAnArchiveListsWithoutTurns(t *testing.T) {
	a := archive(t, t.TempDir())
	s := quick
	s.Tell = a.Recorder()
	m := manager(t, choosing)
	var results []Result
	for r, err := range m.Series(t.Context(), "s", []Player{in("a", &fake{}), in("b", &fake{})}, 3, s) {
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r.Result())
	}
	// One of another manager, one under way, and something else.
	whole := must.Get(a.Read("s.2"))(t)
	whole.Match, whole.Summary = "elsewhere", nil
	for name, text := range map[string]string{"elsewhere.json": asJSON(t, whole), "odd.json": "{}", "notes.txt": "", "begun.jsonl": "", "full.jsonl": `{"match": "f`} {
		must.OK(t, os.WriteFile(filepath.Join(a.Dir(), name), []byte(text), 0o644))
	}
	running := a.Recorder()
	head := &Record{Match: "running", Roles: whole.Roles, Players: whole.Players, StartTime: whole.StartTime.Add(1), StartClock: 90, PlayClock: 10}
	must.OK(t, running(head))
	for range 2 { // the second list is the one remembered
		list, err := a.List()
		if err == nil || !strings.Contains(err.Error(), "odd.json") || strings.Contains(err.Error(), ".jsonl") {
			t.Errorf("%v, want what is no record", err)
		}
		var got []string
		for _, r := range list {
			got = append(got, fmt.Sprint(r.Match, " ", r.Ended(), " ", len(r.States)+len(r.Moves)))
		}
		want := []string{"s.0 true 0", "s.1 true 0", "elsewhere true 0", "s.2 true 0", "running false 0"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(results[0], *list[0].Summary); diff != "" {
			t.Errorf("(-played +listed):\n%s", diff)
		}
		last := list[4].Written
		if !list[4].IsUnderWay(last.Add(2*time.Minute)) || list[4].IsUnderWay(last.Add(3*time.Minute)) || list[0].IsUnderWay(last) {
			t.Error("a match is under way as long as its clocks, and a minute, and not longer")
		}
		if people := (Record{StartClock: 90, Written: last}); !people.IsUnderWay(last.Add(time.Hour)) || people.IsUnderWay(last.Add(25*time.Hour)) {
			t.Error("a match of people without a clock has no end")
		}
		if list[2].Summary.Match != "elsewhere" || list[4].Summary != nil {
			t.Errorf("summaries %v and %v", list[2].Summary, list[4].Summary)
		}
	}
	summary := head.Result()
	summary.Aborted = true
	must.OK(t, running(&Record{Turns: 0, Aborted: true, Reason: "enough", Summary: &summary}))
	if list, _ := a.List(); !list[4].Ended() {
		t.Error("the match that has ended meanwhile is listed as running")
	}
}

// TestAMatchCanBeWatchedFromHereAndElsewhere has watchers follow a match from different
// moments on, in the process that records it and in another one: all see all of it.
func TestAMatchCanBeWatchedFromHereAndElsewhere(t *testing.T) {
	here := archive(t, t.TempDir())
	elsewhere := ReadArchive(here.Dir())
	var watchers sync.WaitGroup
	var mu sync.Mutex
	var stories []string
	watch := func(a *Archive) {
		parts := a.Follow(t.Context(), "m.1")
		watchers.Go(func() {
			story := &Record{}
			for part, err := range parts {
				if err != nil {
					t.Error(err)
				}
				story.Append(part)
			}
			mu.Lock()
			defer mu.Unlock()
			story.Rulesheet = ""
			stories = append(stories, asJSON(t, story))
		})
	}
	s := quick
	record := here.Recorder()
	s.Tell = func(part *Record) error {
		err := record(part)
		if !part.Ended() {
			watch(here)
			watch(elsewhere)
		}
		return err
	}
	r := playMatch(t, manager(t, choosing), s, in("a", &fake{}), in("b", &fake{OnStart: func(context.Context, protocol.Match) error { return nil }}))
	watch(here) // a finished match is read from the file
	watchers.Wait()
	if len(stories) != 2*(r.Turns+2)+1 {
		t.Errorf("%d stories of %d turns", len(stories), r.Turns)
	}
	for _, story := range stories {
		if diff := cmp.Diff(asJSON(t, r), story); diff != "" {
			t.Fatalf("(-played +watched):\n%s", diff)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range here.Follow(ctx, "nosuch") {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v, want that there is no record", err)
		}
	}
}

// Readers of a match that never ends, because its worker or its manager has failed, are released once that is known.
func TestNobodyWaitsForTheEndOfAMatchThatHasNone(t *testing.T) {
	begun := func(id string) *Record { return &Record{Match: id, Roles: []string{"x"}, Players: []string{"a"}} }
	for what, known := range map[string]func(a *Archive, tell func(*Record) error) error{
		"the next match": func(_ *Archive, tell func(*Record) error) error { return tell(begun("m.2")) },
		"no next match":  func(a *Archive, tell func(*Record) error) error { return tell(begun("ended")) },
		"played again":   func(a *Archive, _ func(*Record) error) error { return a.Discard("m.1") },
		"kept":           func(a *Archive, _ func(*Record) error) error { return a.Keep(begun("m.1")) },
	} {
		t.Run(what, func(t *testing.T) {
			a := archive(t, t.TempDir())
			must.OK(t, a.Keep(begun("ended")))
			tell := a.Recorder()
			must.OK(t, tell(begun("m.1")))
			parts := 0
			watched := make(chan struct{})
			story := a.Follow(t.Context(), "m.1")
			go func() {
				defer close(watched)
				for range story {
					parts++
				}
			}()
			if err := known(a, tell); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
			select {
			case <-watched:
			case <-time.After(time.Minute):
				t.Fatal("the match is followed for ever")
			}
			if parts != 1 {
				t.Errorf("%d parts seen of a match that was begun", parts)
			}
		})
	}
}

// BenchmarkListing lists a folder of ten thousand records: the first time and again.
func BenchmarkListing(b *testing.B) {
	a := archive(b, b.TempDir())
	one := played(b, a)
	text := must.Get(os.ReadFile(a.path(one.Match)))(b)
	for n := range 10_000 {
		must.OK(b, os.WriteFile(a.path(fmt.Sprintf("n.%d", n)), text, 0o644))
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			must.Get(ReadArchive(a.Dir()).List())(b)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			must.Get(a.List())(b)
		}
	})
}

// explaining explains its move by 50 points for every role.
type explaining struct {
	compiling
	role string
	move string
}

func (e *explaining) Start(ctx context.Context, m protocol.Match) error {
	e.role = m.Role
	return e.compiling.Start(ctx, m)
}

func (e *explaining) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	move, err := e.compiling.Play(ctx, told)
	e.move = move.String()
	return move, err
}

func (e *explaining) Explain() *protocol.Explanation {
	return &protocol.Explanation{
		Move: e.move, By: "chance", Line: [][]string{{e.move}}, Values: []protocol.RoleValue{{Role: e.role}},
		Strategy: []protocol.MoveShare{{Move: e.move, Probability: 1}},
	}
}

func TestWhatPlayersSayIsRecordedInTheNamesOfTheRules(t *testing.T) {
	m := builtIn(t, "ticTacToe")
	for _, scramble := range []bool{false, true} {
		a := archive(t, t.TempDir())
		s := quick
		s.Scramble, s.Tell = scramble, a.Recorder()
		saying := Player{Name: "a", New: func() protocol.Agent { return &explaining{compiling: compiling{t: t}} }}
		silent := Player{Name: "b", New: func() protocol.Agent { return &compiling{t: t} }}
		playMatch(t, m, s, saying, silent)
		r := must.Get(a.Read("m.1"))(t)
		for turn, moves := range r.Moves {
			want := &protocol.Explanation{
				Move: moves[0], By: "chance", Line: [][]string{{moves[0]}}, Values: []protocol.RoleValue{{Role: r.Roles[0]}},
				Strategy: []protocol.MoveShare{{Move: moves[0], Probability: 1}},
			}
			if diff := cmp.Diff([]*protocol.Explanation{want, nil}, r.Explanations[turn]); diff != "" {
				t.Fatalf("scramble %t, turn %d (-want +got):\n%s", scramble, turn, diff)
			}
		}
	}
}

func TestARecordCanBeReplayed(t *testing.T) {
	m := builtIn(t, "ticTacToe")
	players := Player{Name: "a", New: drifters(t, m.machine)}
	r := playMatch(t, m, quick, players, players)
	_, hash := m.rules()
	// As a manager that was killed would leave it.
	cut := *r
	cut.Completed, cut.Moves, cut.States, cut.Summary = false, r.Moves[:2], r.States[:3], nil
	cut.Errors, cut.ReplyTimes, cut.Turns, cut.Goals = r.Errors[:2], r.ReplyTimes[:2], 2, nil
	later := *r
	later.Opening, later.Moves, later.States, later.Errors, later.ReplyTimes = r.Moves[:2], r.Moves[2:], r.States[2:], r.Errors[2:], r.ReplyTimes[2:]
	later.Turns, later.Summary = len(later.Moves), nil
	for name, r := range map[string]*Record{"whole": r, "cut": &cut, "after an opening": &later} {
		if err := r.Replay(m.machine, hash); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Any change of a record contradicts the rest of it, or the rules.
func TestAFalseRecordIsNoticed(t *testing.T) {
	m := builtIn(t, "ticTacToe")
	players := Player{Name: "a", New: drifters(t, m.machine)}
	truth := playMatch(t, m, quick, players, players)
	for truth.Goals[0] == truth.Goals[1] || truth.Turns < 6 {
		truth = playMatch(t, m, quick, players, players)
	}
	_, hash := m.rules()
	text := asJSON(t, truth)
	for name, c := range map[string]struct {
		change func(r *Record)
		want   string
	}{
		"goals of the result":   {func(r *Record) { slices.Reverse(r.Summary.Goals) }, "the summary has goals"},
		"goals":                 {func(r *Record) { slices.Reverse(r.Goals); slices.Reverse(r.Summary.Goals) }, "by the rules it is"},
		"too many points":       {func(r *Record) { r.Goals[0] = 1000; r.Summary.Goals[0] = 1000 }, "by the rules it is"},
		"turns of the result":   {func(r *Record) { r.Summary.Turns++ }, "the summary has turns"},
		"turns":                 {func(r *Record) { r.Turns += 3; r.Summary.Turns += 3 }, "turns, but"},
		"players of the result": {func(r *Record) { r.Summary.Players = []string{"c", "b"} }, "the summary has players"},
		"errors of the result":  {func(r *Record) { r.Summary.Errors[0]++ }, "the summary has errors"},
		"another match":         {func(r *Record) { r.Summary.Match = "other" }, "the summary has match"},
		"slowest move":          {func(r *Record) { r.Summary.Slowest[1] += 3 }, "the summary has slowest"},
		"aborted":               {func(r *Record) { r.Summary.Aborted = true }, "the summary has aborted"},
		"rules":                 {func(r *Record) { r.Rules = HashRules("other rules") }, "recorded with the rules of SHA-256"},
		"roles":                 {func(r *Record) { slices.Reverse(r.Roles) }, "recorded roles"},
		"illegal move":          {func(r *Record) { r.Moves[2] = r.Moves[0] }, "is not legal"},
		"a turn left out":       {func(r *Record) { r.Moves = r.Moves[1:]; r.States = r.States[1:] }, "fluents"},
		"last turn left out": {func(r *Record) {
			n := len(r.Moves) - 1
			r.Moves, r.States, r.Errors, r.ReplyTimes, r.Turns, r.Summary = r.Moves[:n], r.States[:n+1], r.Errors[:n], r.ReplyTimes[:n], n, nil
		}, "the match is not over"},
		"no positions":          {func(r *Record) { r.States = nil; slices.Reverse(r.Goals); r.Summary.Goals = r.Goals }, "by the rules it is"},
		"a position":            {func(r *Record) { r.States[3] = r.States[2] }, "fluents"},
		"a position at the end": {func(r *Record) { r.States = append(r.States, r.States[0]) }, "found more"},
	} {
		t.Run(name, func(t *testing.T) {
			r := must.Get(DecodeRecord(strings.NewReader(text), "r.jsonl"))(t)
			must.OK(t, r.Replay(m.machine, hash))
			c.change(r)
			if err := r.Replay(m.machine, hash); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A role with two goals at the end has none that counts, and 0 on record: fresh records are true.
func TestARecordWithoutASingleGoalIsTrue(t *testing.T) {
	m := manager(t, "(role a) (role b) (init s) (<= (legal ?r go) (role ?r)) (<= (next t) (true s)) (<= terminal (true t)) (goal a 10) (goal a 20) (goal b 30)")
	r := playMatch(t, m, quick, in("a", saying(gdl.Term{Name: "go"})), in("b", saying(gdl.Term{Name: "go"})))
	if err := r.Replay(m.machine); err != nil || fmt.Sprint(r.Goals) != "[0 30]" {
		t.Errorf("%v, goals %v", err, r.Goals)
	}
}

// textOf returns the text of a file.
func textOf(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func TestFilesOfSeveralMatchesAreReadWhole(t *testing.T) {
	dir := t.TempDir()
	a := archive(t, dir)
	setting, text := quick, ""
	setting.Tell = a.Recorder()
	for range manager(t, choosing).Series(t.Context(), "s", []Player{in("a", &fake{}), in("b", &fake{})}, 3, setting) {
	}
	for k := range 3 {
		text += textOf(t, filepath.Join(dir, fmt.Sprintf("s.%d.jsonl", k)))
	}
	several := filepath.Join(t.TempDir(), "all.jsonl")
	must.OK(t, os.WriteFile(several, []byte(text+whole(func(*ggpMatch) {})), 0o600))
	records, err := ReadRecords(several)
	if err != nil || len(records) != 4 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for k, r := range records[:3] {
		if one, err := a.Read(r.Match); err != nil || r.Match != fmt.Sprintf("s.%d", k) || cmp.Diff(one, r) != "" {
			t.Errorf("%v, %+v", err, r)
		}
	}
	// A match whose result is false is none of a folder.
	last := filepath.Join(dir, "s.2.jsonl")
	must.OK(t, os.WriteFile(last, []byte(strings.Replace(textOf(t, last), `"turns":2,"errors"`, `"turns":9,"errors"`, 1)), 0o600))
	if list, err := archive(t, dir).List(); len(list) != 2 || err == nil || !strings.Contains(err.Error(), "the summary has turns 9, the record 2") {
		t.Errorf("%d records, %v", len(list), err)
	}
	// A file of several is not taken for one match.
	for _, read := range []func(string) (*Record, error){ReadRecord, ReadOutline} {
		if _, err := read(several); err == nil || !strings.Contains(err.Error(), "expected the record of one match, found 4") {
			t.Errorf("error %v", err)
		}
	}
}

func TestALongMatchIDKeepsItsRecord(t *testing.T) {
	a := archive(t, t.TempDir())
	first, second := strings.Repeat("a", 249)+"b", strings.Repeat("a", 249)+"c"
	for _, id := range []string{first, second} {
		tell := a.Recorder()
		for _, part := range []*Record{
			{Match: id, Game: "g", Roles: []string{"r"}, Players: []string{"p"}}, {StartErrors: []string{""}}, {Completed: true, Goals: []int{len(id[249:]) * int(id[249])}},
		} {
			must.OK(t, tell(part))
		}
	}
	for _, id := range []string{first, second} {
		if r, err := a.Read(id); err != nil || r.Match != id || r.Goals[0] != int(id[249]) {
			t.Errorf("%v, %+v", err, r)
		}
	}
	if list, err := a.List(); err != nil || len(list) != 2 {
		t.Errorf("%v, %d records", err, len(list))
	}
}

func TestARecordThatWasBrokenOffIsEnded(t *testing.T) {
	a := archive(t, t.TempDir())
	want := played(t, a)
	path := a.path(want.Match)
	text := must.Get(os.ReadFile(path))(t)
	lines := strings.SplitAfter(string(text), "\n")
	must.OK(t, os.WriteFile(path, []byte(strings.Join(lines[:3], "")+lines[3][:10]), 0o600))
	for range 2 { // the second time it has ended
		r, err := a.BreakOff(want.Match, "killed")
		if err != nil || !r.Aborted || r.Reason != "killed" || len(r.Moves) != 1 || r.Summary == nil || r.Summary.Turns != 1 {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	if r, err := a.Read(want.Match); err != nil || !r.Aborted || len(r.States) != 2 || r.Moves[0][0] != want.Moves[0][0] {
		t.Errorf("%v, %+v", err, r)
	}
	if _, err := a.BreakOff("nobody's", "killed"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no record: %v", err)
	}
}

func TestTheOldestFilesAreTrimmed(t *testing.T) {
	a := archive(t, t.TempDir())
	for i := range 5 {
		path := a.path(fmt.Sprint("page.", (i+2)%5))
		must.OK(t, os.WriteFile(path, nil, 0o600))
		must.OK(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(i)*time.Minute)))
	}
	must.OK(t, os.WriteFile(a.path("other"), nil, 0o600))
	must.OK(t, a.Trim("page.*", 2))
	left, _ := filepath.Glob(filepath.Join(a.Dir(), "*"))
	if want := []string{a.path("other"), a.path("page.0"), a.path("page.1")}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}

func TestRulesThatWereChangedAreRefused(t *testing.T) {
	a := archive(t, t.TempDir())
	r := played(t, a)
	text, err := a.Rulesheet(r.Rules)
	if err != nil || HashRules(text) != r.Rules {
		t.Fatal(err)
	}
	must.OK(t, os.WriteFile(a.rulesPath(r.Rules), []byte(text+" "), 0o600))
	if _, err := a.Rulesheet(r.Rules); err == nil || strings.Contains(err.Error(), a.Dir()) {
		t.Errorf("changed rules: %v", err)
	}
}

func TestARecordIsOnTheDiskWhenItsMatchHasEnded(t *testing.T) {
	before := syncFile
	t.Cleanup(func() { syncFile = before })
	var synced []int64 // sizes
	syncFile = func(f *os.File) error {
		info, err := f.Stat()
		synced = append(synced, info.Size())
		return errors.Join(err, before(f))
	}
	a := archive(t, t.TempDir())
	r := played(t, a)
	if size, err := a.Size(r.Match); err != nil || !slices.Equal(synced, []int64{size}) {
		t.Errorf("%v: a record of %d bytes was synced at %v bytes", err, size, synced)
	}
}
