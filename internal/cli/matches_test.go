package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nodding is a player that is ready for every match and never makes a legal move.
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
	for _, args := range [][]string{{"match", "--count", "3"}, {"match", "--count", "3", "--json"}, {"tournament"}} {
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

func TestInterruptedMatchesAreCountedSoFar(t *testing.T) {
	for _, args := range [][]string{{"match", "--count", "100"}, {"match", "--count", "100", "--json"}, {"tournament"}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		url := nodding(t, func(match int) {
			if match == 3 {
				cancel()
			}
		})
		records := t.TempDir()
		o := executeUntil(ctx, append(args, "ticTacToe", "--players", "legal,"+url, "--record", records)...)
		o.expect(t, statusBad, "legal        2", "interrupted")
		if args[len(args)-1] == "--json" {
			if list := o.objects(t); len(list) != 3 || list[2]["reason"] != "interrupted" {
				t.Errorf("results %s", o.out)
			}
		}
		if files, err := recordsIn(records); err != nil || len(files) != 3 {
			t.Errorf("records %v, %v", files, err)
		}
		execute(t, "standings", records).expect(t, statusFine, "legal        2", "elo")
	}
}

func TestStandingsNameWhatIsNoRecord(t *testing.T) {
	half := file(t, "half.json", `{"match":`)
	execute(t, "standings", filepath.Dir(half)).expect(t, statusUsage, half)
	execute(t, "standings", t.TempDir()).expect(t, statusUsage, "found none")
	execute(t, "standings", "nosuch").expect(t, statusUsage, "nosuch")
}
