package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
)

func TestBenchMeasuresEveryGame(t *testing.T) {
	var results []map[string]any
	ended := func(r map[string]any) bool { return r["playouts"].(float64) > 0 }
	for seconds := 0.02; seconds < 30; seconds *= 4 { // on a busy machine they may be over before the first match is
		o := execute(t, "bench", "ticTacToe", "hex-3x3", "--seconds", fmt.Sprint(seconds), "--json")
		o.expect(t, statusFine)
		if results = o.objects(t); len(results) != 2 {
			t.Fatalf("%d results, want 2", len(results))
		}
		if ended(results[0]) && ended(results[1]) {
			break
		}
	}
	for _, r := range results {
		for _, field := range []string{"init_seconds", "seconds", "states", "playouts", "states_per_second", "playouts_per_second", "threads", "lanes", "legal_ns", "step_ns", "expand_ns"} {
			if v, ok := r[field].(float64); !ok || v <= 0 {
				t.Errorf("%s is %v", field, r[field])
			}
		}
		if r["engine"] != "circuit" {
			t.Errorf("engine %v", r["engine"])
		}
	}
	execute(t, "bench", "ticTacToe", "--seconds", "0.02").expect(t, statusFine, "states/s", "ticTacToe")
}

func TestPerftCountsTicTacToe(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	o := execute(t, "perft", "ticTacToe", "5", "--json")
	o.expect(t, statusFine)
	r := o.objects(t)[0]
	if r["joint_moves"] != 15120.0 || r["terminals"] != 1440.0 || r["depth"] != 5.0 {
		t.Errorf("found %v", r)
	}
	execute(t, "perft", "ticTacToe", "3", "--engine", "reference").expect(t, statusFine, "504")
}

func TestInspectShowsWhatTheCompilerFound(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	o := execute(t, "inspect", "ticTacToe", "--json")
	o.expect(t, statusFine)
	r := o.objects(t)[0]
	for _, field := range []string{"game", "roles", "fluents", "moves", "gates", "engine", "class"} {
		if v, ok := r[field]; !ok || v == "" {
			t.Errorf("%s is %v", field, v)
		}
	}
	execute(t, "inspect", "ticTacToe", "--circuit").expect(t, statusFine, "fluents", "gates", "pass")
	execute(t, "inspect", "ticTacToe", "--prove").expect(t, statusFine, "proved   the goals of the players add up to 100 at the end", "proved   at most one player has a choice")
	execute(t, "inspect", "ticTacToe", "--prove", "--budget", "0s").expect(t, statusUsage, "--budget")
}

func TestReplayTellsTheFirstDifference(t *testing.T) {
	rules := file(t, "coin.kif", coin)
	for _, engine := range []string{"circuit", "reference", "auto"} {
		execute(t, "replay", rules, file(t, "coin.jsonl", recorded), "--engine", engine).
			expect(t, statusFine, "1 matches, 1 steps: no difference")
	}
	for part, other := range map[string]string{
		`"state":["won"]`:   `"state":["lost"]`,
		`"heads","tails"`:   `"heads"`,
		`"goals":[100]`:     `"goals":[0]`,
		`"terminal":true`:   `"terminal":false`,
		`"joint":["heads"]`: `"joint":["edge"]`,
		`"roles":["you"]`:   `"roles":["me"]`,
	} {
		execute(t, "replay", rules, file(t, "bad.jsonl", strings.Replace(recorded, part, other, 1))).
			expect(t, statusBad, "coin, match 0")
	}
	execute(t, "replay", rules, file(t, "bad.jsonl", recorded[:40])).expect(t, statusUsage, "bad.jsonl")
	for _, unread := range []string{"nosuch.jsonl", t.TempDir()} {
		execute(t, "replay", rules, unread).expect(t, statusUsage, "cannot read the recorded matches", unread)
	}
	records := t.TempDir()
	execute(t, "match", rules, "--players", "legal", "--record", records).expect(t, statusFine)
	record, err := filepath.Glob(filepath.Join(records, "*.jsonl"))
	if err != nil || len(record) != 1 {
		t.Fatalf("records %v (%v)", record, err)
	}
	execute(t, "replay", rules, record[0]).expect(t, statusFine, "1 matches, 1 steps: no difference")
	other := file(t, "other.kif", strings.ReplaceAll(coin, "heads", "head"))
	execute(t, "replay", other, record[0]).expect(t, statusBad, "match coin", "has no move heads")
	execute(t, "replay", rules, file(t, "none.jsonl", "")).expect(t, statusUsage, "none.jsonl: expected recorded matches, found none")
}
