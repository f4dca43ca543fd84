package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
)

// nodding returns a player that is ready for every match and never makes a legal move.
// OnStart is called with the number of the match, from 1.
func nodding(t *testing.T, onStart func(match int)) string {
	t.Helper()
	matches := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.HasPrefix(string(text), "( START") {
			matches++
			onStart(matches)
		}
		fmt.Fprint(w, "ready")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAFolderThatTakesNoRecordsIsFoundBeforeTheFirstMatch(t *testing.T) {
	url := nodding(t, func(int) { t.Error("a match was begun") })
	records := filepath.Join(file(t, "file", ""), "records")
	for _, command := range []string{"match", "tournament"} {
		execute(t, command, "ticTacToe", "--players", "legal,"+url, "--record", records).
			expect(t, statusUsage, "--record: cannot write "+records)
	}
}

func TestStandingsAreShownWhenARecordCannotBeSaved(t *testing.T) {
	for _, args := range [][]string{{"match", "--count", "3"}, {"match", "--count", "3", "--json"}} {
		records := filepath.Join(t.TempDir(), "records")
		url := nodding(t, func(match int) {
			if match == 2 { // a file takes the place of the folder
				if err := os.RemoveAll(records); err != nil {
					t.Error(err)
				}
				if err := os.WriteFile(records, nil, 0o644); err != nil {
					t.Error(err)
				}
			}
		})
		o := execute(t, append(args, "ticTacToe", "--players", "legal,"+url, "--record", records)...)
		o.expect(t, statusBad, "record of match", "cannot be saved", records)
		if args[len(args)-1] == "--json" {
			if n := len(o.objects(t)); n != 2 {
				t.Errorf("%d results, want 2: %s", n, o.out)
			}
			continue
		}
		o.expect(t, statusBad, "legal        2")
	}
}

// TestATournamentWhoseFolderIsGoneEnds takes the store of the queue away, which may be
// writing just then.
func TestATournamentWhoseFolderIsGoneEnds(t *testing.T) {
	exhaustive.Only(t, "takes seconds")
	t.Parallel()
	records := filepath.Join(t.TempDir(), "records")
	url := nodding(t, func(match int) {
		if match == 2 {
			for range 10 {
				_ = os.RemoveAll(filepath.Join(records, "queue", "jetstream"))
			}
		}
	})
	execute(t, "tournament", "ticTacToe", "--players", "legal,"+url, "--record", records).
		expect(t, statusBad, "cannot be", records, "legal")
}

func TestInterruptedMatchesAreCountedSoFar(t *testing.T) {
	for _, args := range [][]string{{"match", "--count", "100"}, {"match", "--count", "100", "--json"}, {"tournament"}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		records := t.TempDir()
		begun := func() bool {
			list, err := arena.ReadArchive(records).List()
			return err == nil && len(list) == 3
		}
		url := nodding(t, func(match int) {
			if match == 3 {
				for deadline := time.Now().Add(10 * time.Second); !begun() && time.Now().Before(deadline); {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}
		})
		o := executeUntil(ctx, append(args, "ticTacToe", "--players", "legal,"+url, "--record", records)...)
		o.expect(t, statusBad, "legal        2", "interrupted")
		if args[0] == "tournament" {
			o.expect(t, statusBad, "to go on: stackmate tournament --resume --record "+records)
		}
		if args[len(args)-1] == "--json" {
			if list := o.objects(t); len(list) != 3 || list[2]["reason"] != "interrupted" {
				t.Errorf("results %s", o.out)
			}
		}
		if list, err := arena.ReadArchive(records).List(); err != nil || len(list) != 3 {
			t.Errorf("records %v, %v", list, err)
		}
		execute(t, "rate", records).expect(t, statusFine, "legal        2", "elo")
		must.OK(t, os.WriteFile(filepath.Join(records, "stray.json"), []byte("{"), 0o600))
		execute(t, "rate", records).expect(t, statusFine, "legal        2", "left out", "stray.json")
	}
}

func TestRatingNamesWhatIsNoRecord(t *testing.T) {
	half := file(t, "half.json", `{"match":`)
	execute(t, "rate", filepath.Dir(half)).expect(t, statusUsage, half)
	execute(t, "rate", t.TempDir()).expect(t, statusUsage, "found none")
	execute(t, "rate", "nosuch").expect(t, statusUsage, "nosuch")
}

func TestArgumentsMayComeFromAFile(t *testing.T) {
	args := file(t, "arguments", "# two players\n--players legal,random\n--rounds\n 2\n\nticTacToe\n")
	execute(t, "tournament", "@"+args).expect(t, statusFine, "legal        4")
	execute(t, "tournament", "@nosuch").expect(t, statusUsage, "@nosuch: expected a file of arguments")
}

func TestATournamentIsResumed(t *testing.T) {
	records := filepath.Join(t.TempDir(), "records")
	csv, plot := filepath.Join(t.TempDir(), "t.csv"), filepath.Join(t.TempDir(), "t.svg")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	url := nodding(t, func(match int) {
		if match == 6 {
			cancel()
		}
	})
	args := []string{"tournament", "--record", records, "--csv", csv, "--plot", plot}
	executeUntil(ctx, append(args, "ticTacToe", "nim-3.4", "--players", "legal,"+url, "--rounds", "4", "--openings", "1")...).
		expect(t, statusBad, "interrupted")
	execute(t, append(args, "ticTacToe", "--players", "legal,"+url)...).expect(t, statusUsage, "--resume continues it")
	execute(t, append(args, "--resume", "--rounds", "5")...).expect(t, statusUsage, "--resume: --rounds is 5, the tournament has 4")
	execute(t, append(args, "ticTacToe", "--resume")...).expect(t, statusUsage, "the tournament has ticTacToe nim-3.4")
	execute(t, append(args, "--resume", "--start-clock", "3")...).expect(t, statusUsage, "--start-clock is 3s, the tournament has")
	execute(t, append(args, "--resume", "ticTacToe", "nim-3.4", "--rounds", "4", "--openings", "1", "--players", "legal,"+url)...).expect(t, statusBad, "legal       16") // bad: the other makes no legal move
	execute(t, "rate", records).expect(t, statusFine, "legal       16")
	for file, want := range map[string]string{csv: "nim-3.4,legal", plot: "</svg>"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, want %s in %.200s", file, err, want, text)
		}
	}
	execute(t, "tournament", "--resume", "--record", t.TempDir()).expect(t, statusUsage, "--resume: expected --record")
	execute(t, "tournament", "--resume").expect(t, statusUsage, "--resume: expected --record")
	execute(t, "tournament", "ticTacToe", "--players", "legal,nobody").expect(t, statusUsage, `unknown player "nobody"`)
}

// A player at an address that tells its name is named so, and the address stands in brackets.
func TestPlayersAreNamedAsTheySay(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, _ := io.ReadAll(r.Body); strings.HasPrefix(strings.ToUpper(string(text)), "( INFO") {
			fmt.Fprint(w, "((name Deep  Thought) (status available))")
			return
		}
		fmt.Fprint(w, "ready")
	}))
	t.Cleanup(server.Close)
	for _, command := range []string{"match", "tournament"} {
		execute(t, command, "matchingPennies", "--players", "legal,"+server.URL, "--play-clock", "1").expect(t, statusBad, "Deep  Thought ["+server.URL+"]")
	}
}

func TestADeadPlayerIsNamedOnce(t *testing.T) {
	const dead = "http://127.0.0.1:1"
	o := execute(t, "tournament", "matchingPennies", "--players", "legal,"+dead, "--rounds", "3")
	o.expect(t, statusBad, "and 5 more: player "+dead+" cannot start: dial tcp")
	if n := strings.Count(o.out+o.err, "connection refused"); n != 1 {
		t.Errorf("said %d times:\n%s%s", n, o.out, o.err)
	}
}

func TestFormatsOfTournaments(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	for format, want := range map[string]string{
		"round-robin": "legal-2       40", "gauntlet": "legal-2       20", "swiss": "legal        4", "knockout": "winner: ",
	} {
		o := execute(t, "tournament", "matchingPennies", "--players", "legal,legal,random", "--format", format)
		o.expect(t, statusFine, want)
	}
	execute(t, "tournament", "trio-3x3", "--players", "legal,legal,random", "--format", "swiss").expect(t, statusUsage, "needs games for two")
	execute(t, "tournament", "ticTacToe", "--players", "legal,random", "--rounds", "0").expect(t, statusUsage, "--rounds: expected 1 or more")
}

func TestATestGoesOnUntilItIsDecided(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	args := []string{"tournament", "ticTacToe", "--players", "legal,random", "--seed", "3"}
	o := execute(t, append(args, "--sprt", "-5,5")...)
	if o.expect(t, statusFine, "log-likelihood ratio"); strings.Contains(o.out, "undecided") {
		t.Errorf("%s", o.out)
	}
	execute(t, append(args, "--sprt", "-5,5", "--rounds", "2")...).expect(t, statusFine, "undecided")
}

func TestADamagedTournamentIsNotResumed(t *testing.T) {
	const whole = `{"run": "t-1", "plan": {"Games": [{"Name": "g", "Roles": 2}], "Players": ["a", "b"], "Rounds": 1}, "rules": ["(role x)"], "specs": ["legal", "random"]}`
	for damage, want := range map[[2]string]string{
		{whole, "{"}:                               "not a tournament file",
		{`["(role x)"]`, `[]`}:                     "rules of 1 games and descriptions of 2 players, found 0 and 2",
		{`["legal", "random"]`, `null`}:            "found 1 and 0",
		{`"t-1"`, `"../t 1"`}:                      `found "../t 1"`,
		{`"Rounds": 1`, `"Rounds": 1000000000000`}: "at most 1000000 matches",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, distributed.Folder, eventFile)
		text := strings.Replace(whole, damage[0], damage[1], 1)
		must.OK(t, errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)))
		for _, w := range []string{want, file} {
			execute(t, "tournament", "--resume", "--record", dir).expect(t, statusBad, w)
		}
	}
}

func TestMatchesAreHeldAndRecorded(t *testing.T) {
	records := t.TempDir()
	o := execute(t, "match", "ticTacToe", "--players", "legal,random", "--count", "2", "--json", "--record", records)
	o.expect(t, statusFine)
	results := o.objects(t)
	if len(results) != 2 {
		t.Fatalf("%d results, want 2", len(results))
	}
	for i, r := range results {
		for _, field := range []string{"match", "game", "players", "goals", "turns", "errors"} {
			if _, ok := r[field]; !ok {
				t.Errorf("no field %s in %s", field, o.out)
			}
		}
		if first := r["players"].([]any)[0]; first != []string{"legal", "random"}[i] {
			t.Errorf("match %d: %v has the first role", i, first)
		}
		record, err := arena.ReadRecord(filepath.Join(records, r["match"].(string)+".jsonl"))
		if err != nil || !record.Completed {
			t.Errorf("record of match %d: %v, %+v", i, err, record)
		}
	}
	execute(t, "match", "ticTacToe", "--players", "legal,random").expect(t, statusFine, "player", "share", "legal")
}

func TestAPlayerThatDoesNotAnswerIsNamed(t *testing.T) {
	const address = "http://127.0.0.1:1"
	execute(t, "match", "ticTacToe", "--players", "random,"+address, "--start-clock", "1", "--play-clock", "1").
		expect(t, statusBad, address)
}

func TestTournamentsRateThePlayers(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	args := []string{"tournament", "ticTacToe", "--players", "legal,random", "--rounds", "2"}
	execute(t, args...).expect(t, statusFine, "elo", "legal", "random")
	r := execute(t, append(args, "--json")...).objects(t)[0]
	if n := len(r["results"].([]any)); n != 4 {
		t.Errorf("%d matches, want 4", n)
	}
}

func TestWorkersOfOtherMachinesAreInvitedByAFile(t *testing.T) {
	records := filepath.Join(t.TempDir(), "records")
	invitation := filepath.Join(records, distributed.Folder, invitationFile)
	must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(invitation), 0o755), os.WriteFile(invitation, nil, 0o644)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan outcome)
	go func() {
		for ctx.Err() == nil {
			if text, err := os.ReadFile(invitation); err == nil && strings.HasPrefix(string(text), "tls://worker:") {
				break
			}
			time.Sleep(time.Millisecond)
		}
		ended <- executeUntil(ctx, "worker", "--nats", invitation, "--matches", "1")
	}()
	o := execute(t, "tournament", "ticTacToe", "--players", "random,legal", "--rounds", "20", "--listen", "127.0.0.1:0", "--record", records)
	o.expect(t, statusFine, "stackmate worker --nats "+invitation, "legal       40")
	if info, err := os.Stat(invitation); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(o.err, "worker:") {
		t.Errorf("%v: the invitation is for all to read: %s", err, o.err)
	}
	cancel()
	if w := <-ended; w.status != statusFine {
		t.Errorf("the worker: %d, %s", w.status, w.err)
	}
}

func TestParametersAreTuned(t *testing.T) {
	records, plot := filepath.Join(t.TempDir(), "records"), filepath.Join(t.TempDir(), "t.svg")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // it is interrupted in the second iteration
		for ctx.Err() == nil {
			if list, err := arena.ReadArchive(records).List(); err == nil && len(list) > 4 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	args := []string{"tune", "ticTacToe", "--players", "mcts:without=learning", "--parameters", "exploration=5:60,playouts", "--iterations", "5", "--pairs", "2", "--start-clock", "0.5", "--play-clock", "0.05"}
	executeUntil(ctx, append(args, "--record", records)...).expect(t, statusBad, "interrupted", "of 5 iterations")
	execute(t, "tune", "--resume", "--record", records, "--iterations", "6").expect(t, statusUsage, "--iterations is 6, the tournament has 5")
	execute(t, "tune", "--resume", "--record", records, "--parameters", "puct").expect(t, statusUsage, "--parameters is puct=1:150")
	execute(t, append(args, "--resume", "--record", records, "--plot", plot)...).
		expect(t, statusFine, "parameter", "exploration", "5 to 60", "5 of 5 iterations: mcts:without=learning,exploration=", ",playouts=")
	if list, err := arena.ReadArchive(records).List(); err != nil || len(list) != 20 {
		t.Errorf("%d records, %v", len(list), err)
	}
	if text, err := os.ReadFile(plot); err != nil || !strings.Contains(string(text), "playouts") || !strings.Contains(string(text), "iterations") {
		t.Errorf("%v: %.300s", err, text)
	}
	o := execute(t, "tune", "--resume", "--record", records, "--json").objects(t)[0]
	if course := o["tuning"].(map[string]any)["course"].([]any); len(course) != 6 {
		t.Errorf("the course %v", course)
	}
	for args, want := range map[string]string{
		"--parameters speed":                     `no parameter "speed"`,
		"--parameters exploration=0:50":          "bounds of exploration from 1 to 100",
		"--parameters exploration=x":             "two numbers",
		"--parameters puct --pairs 0":            "--iterations, --pairs: expected 1 or more, found 100 and 0",
		"--parameters puct --step 2":             "a step of up to 1",
		"--parameters puct --players a,b":        "a tuning needs one player",
		"--parameters puct --players random":     "for a player that samples",
		"--parameters puct --players http://x:1": "a tuning needs one player, of this program",
		"--iterations 3":                         "expected at least one parameter to tune",
	} {
		execute(t, append([]string{"tune", "ticTacToe"}, strings.Fields(args)...)...).expect(t, statusUsage, want)
	}
}

func TestATuningStartsAtTheValueOfThePlayer(t *testing.T) {
	o := execute(t, "tune", "ticTacToe", "--players", "mcts:exploration=30,without=learning", "--parameters", "exploration,playouts",
		"--iterations", "1", "--pairs", "1", "--start-clock", "0.2", "--play-clock", "0.02", "--json")
	o.expect(t, statusFine, `"player":"mcts:without=learning,exploration=`)
	tuning := o.objects(t)[0]["tuning"].(map[string]any)
	if first := tuning["course"].([]any)[0].([]any); first[0] != 30. || first[1] == 30. {
		t.Errorf("the tuning starts at %v", first)
	}
}

func TestAFolderWithoutWeightsIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "typo")
	match := []string{"match", "ticTacToe", "--players", "legal,random", "--knowledge", dir}
	execute(t, match...).expect(t, statusFine, "the folder has no weights yet", dir)
	must.OK(t, os.WriteFile(filepath.Join(dir, "weights"), nil, 0o600))
	if o := execute(t, match...); strings.Contains(o.err, "no weights") {
		t.Errorf("%s", o.err)
	}
}

func TestChanceIsNeverRated(t *testing.T) {
	record := file(t, "match.json", `{"match": "m", "game": "pig", "roles": ["a", "random", "b"], "players": ["p", "chance", "q"], "completed": true,
		"goals": [100, 0, 0], "states": [[]], "result": {"match": "m", "game": "pig", "players": ["p", "chance", "q"], "goals": [100, 0, 0], "turns": 0,
		"errors": [0, 0, 0], "late": [0, 0, 0], "illegal": [0, 0, 0], "failed": [0, 0, 0], "slowest": [0, 0, 0]}}`)
	for _, of := range []string{record, filepath.Dir(record)} {
		o := execute(t, "rate", of)
		o.expect(t, statusFine, "p        1     100", "q        1       0")
		if strings.Contains(o.out, "chance") {
			t.Errorf("chance is a player:\n%s", o.out)
		}
	}
}
