package arena

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/protocol"

	"github.com/google/go-cmp/cmp"
)

// TestATranscriptBecomesARecord holds matches with an endpoint that writes down what is
// said: what it tells is what the manager has recorded.
func TestATranscriptBecomesARecord(t *testing.T) {
	m := builtIn(t, "ticTacToe")
	dir := t.TempDir()
	e := protocol.NewEndpoint("Tester", drifters(t, m.machine), zlog)
	e.Record = dir
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	want := play(t, m, quick, Player{Name: "here", New: drifters(t, m.machine)}, at("there", server.URL))
	archive := ReadArchive(dir)
	var got *Record
	for began := time.Now(); got == nil || !got.Ended(); time.Sleep(10 * time.Millisecond) {
		list, err := archive.List()
		if err != nil || time.Since(began) > time.Minute {
			t.Fatalf("%d transcripts: %v", len(list), err)
		}
		if len(list) == 1 {
			if got = list[0]; got.Summary != nil || len(got.Moves) > 0 {
				t.Fatalf("outline %+v", got)
			}
		}
	}
	id := got.Match
	got, err := archive.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	type story struct {
		Roles         []string
		Moves, States [][]string
		Goals         []int
		Completed     bool
	}
	sorted := func(states [][]string) [][]string {
		var out [][]string
		for _, s := range states {
			out = append(out, slices.Sorted(slices.Values(s)))
		}
		return out
	}
	of := func(r *Record) story {
		return story{Roles: r.Roles, Moves: r.Moves, States: sorted(r.States), Goals: r.Goals, Completed: r.Completed}
	}
	if diff := cmp.Diff(of(want), of(got)); diff != "" {
		t.Errorf("(-manager +transcript):\n%s", diff)
	}
	if got.Game != want.Match || got.Players[0] != elsewhere || got.Players[1] != servedHere || !strings.Contains(got.Rulesheet, "(role x)") {
		t.Errorf("%s played by %v", got.Game, got.Players)
	}
	clean(t, got)
	verify(t, m, got)
	var parts Record
	for part, err := range archive.Follow(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		parts.Append(part)
	}
	if diff := cmp.Diff(of(got), of(&parts)); diff != "" {
		t.Errorf("followed:\n%s", diff)
	}

	// Without its end, and with a joint move that is none.
	path := filepath.Join(dir, id+suffix)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(text)), "\n")
	write := func(lines ...string) *Record {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := archive.Read(id)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := write(lines[:6]...); r.Ended() || len(r.Moves) == 0 {
		t.Errorf("cut: %+v", r)
	}
	if r := write(append(lines[:2:2], `{"number":9,"request":"(PLAY m ((mark 1 1)))"}`)...); !r.Aborted || !strings.Contains(r.Reason, "cannot be followed") {
		t.Errorf("nonsense: %+v", r)
	}
}
