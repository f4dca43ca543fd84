package web

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackmate/games"
	"stackmate/internal/must"
	"stackmate/protocol/arena"
)

// copied returns a copy of a folder of records as a killed program leaves it.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	must.OK(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// restarted serves a page on a folder of records.
func restarted(t *testing.T, dir string) (*Server, string) {
	t.Helper()
	return page(t, 0, func(c *Config) {
		c.Archive = must.Get(arena.OpenArchive(dir))(t)
	})
}

func TestATableOutlivesAKillOfTheProgram(t *testing.T) {
	first, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, vacant}, Limit: 600, Increment: 5})
	for _, kill := range []struct {
		name  string
		moves []string
		sit   bool
	}{{name: "nobody has moved"}, {name: "three moves", moves: []string{"1 1", "2 2", "3 3"}, sit: true}, {name: "one move more", moves: []string{"1 3"}}} {
		if kill.sit {
			var o opened
			ask(t, s.url+"/sit", act{Role: "o"}, &o)
			s.keys["o"] = o.Keys["o"]
			s.until("o sits", func() bool { return s.Seats[1] == person })
		}
		s.play(kill.moves...)
		dir := copied(t, first.Archive.Dir())
		records, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		for _, path := range records { // it was writing
			text, _ := os.ReadFile(path)
			must.OK(t, os.WriteFile(path, append(text, `{"moves":[["(ma`...), 0o600))
		}
		for round := range 3 { // again and again, without a move in between
			now, newURL := restarted(t, dir)
			again := comeTo(t, newURL, opened{s.Table, s.keys})
			if !slices.EqualFunc(again.Moves, s.Moves, slices.Equal) || !slices.Equal(again.Seats, s.Seats) || again.Position.SVG != s.Position.SVG || again.Goals != nil {
				t.Fatalf("%s, round %d: moves %v and seats %v, want %v and %v", kill.name, round, again.Moves, again.Seats, s.Moves, s.Seats)
			}
			for r, c := range again.Clocks {
				if c != nil && (c.Left < 600-60 || c.Left > 600+5*float64(len(s.Moves))) {
					t.Errorf("%s: the clock of %d has %v s", kill.name, r, c.Left)
				}
			}
			list, err := now.Archive.List()
			if err != nil || len(list) != len(records) {
				t.Fatalf("%s, round %d: %v, %d records of %d", kill.name, round, err, len(list), len(records))
			}
			for _, r := range list {
				if r, err = now.Archive.Read(r.Match); err != nil || !r.Ended() || r.Completed || len(r.Moves) != len(s.Moves) {
					t.Errorf("%s: %v, %+v", kill.name, err, r)
				}
			}
			dir = copied(t, dir)
		}
		if len(s.Moves) == 4 {
			_, newURL := restarted(t, dir)
			again := comeTo(t, newURL, opened{s.Table, s.keys})
			again.play("1 2")
			if status := ask(t, again.url+"/undo", act{Role: "x", Key: s.keys["x"], Turn: 5, Keys: s.keys}, nil); status != http.StatusOK {
				t.Errorf("undo: status %d", status)
			}
			again.until("undo", func() bool { return len(again.Moves) == 4 })
			again.act("resign", "o", "")
			again.until("the end", func() bool { return again.Goals != nil })
			_, newURL = restarted(t, copied(t, dir))
			over := comeTo(t, newURL, opened{s.Table, s.keys})
			if over.Goals == nil || over.Resigned != "o" || over.Note != "o has resigned" || len(over.Moves) != 4 {
				t.Errorf("after the end: %+v, %v", over.seatsView, over.Moves)
			}
			if status := over.act("rematch", "x", ""); status != http.StatusOK {
				t.Errorf("rematch: status %d", status)
			}
		}
	}
}

func TestARecordThatIsAheadOfTheTablesFileIsFollowed(t *testing.T) {
	first, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}})
	s.play("1 1", "2 2")
	before := must.Get(os.ReadFile(first.tablePath(s.Table)))(t)
	ask(t, s.url+"/undo", act{Role: "o", Key: s.keys["o"], Turn: 2, Keys: s.keys}, nil)
	s.until("undo", func() bool { return len(s.Moves) == 1 })
	s.play("3 3")
	for _, name := range []string{"whole", "unbegun"} {
		dir := copied(t, first.Archive.Dir()) // killed before the second match was in the file of the table
		must.OK(t, os.WriteFile(filepath.Join(dir, tableFolder, s.Table+".json"), before, 0o600))
		if name == "unbegun" {
			must.OK(t, os.WriteFile(filepath.Join(dir, "page.ticTacToe."+s.Table+".3.jsonl"), []byte(`{"match":"`), 0o600))
		}
		now, url := restarted(t, dir)
		again := comeTo(t, url, opened{s.Table, s.keys})
		if len(again.Moves) != 2 || again.Moves[1][1] != "(mark 3 3)" {
			t.Errorf("%s: moves %v", name, again.Moves)
		}
		again.act("move", []string{"x", "o"}[len(again.Moves)%2], "(mark 1 3)")
		again.until("the match goes on", func() bool { return len(again.Moves) == 3 })
		if list, err := now.Archive.List(); err != nil || len(list) != 3 {
			t.Errorf("%s: %v, %d records, want those of both matches and the one that goes on", name, err, len(list))
		}
	}
}

func TestAStoppedArenaEndsItsRecordsAndOpensItsTablesAgain(t *testing.T) {
	first, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, "sloth"}})
	s.act("move", "x", "(mark 2 2)")
	s.until("both move", func() bool { return len(s.Moves) == 2 })
	first.tables.close()
	<-first.tables.byID[s.Table].ended
	r, err := first.Archive.Read("page.ticTacToe." + s.Table)
	if err != nil || !r.Aborted || r.Reason != errStopped.Error() {
		t.Errorf("%v, %+v", err, r)
	}
	_, url = restarted(t, copied(t, first.Archive.Dir()))
	again := comeTo(t, url, opened{s.Table, s.keys})
	again.act("move", "x", "(mark 3 3)")
	again.until("both move", func() bool { return len(again.Moves) == 4 })
}

func TestATableKeepsItsUploadedRules(t *testing.T) {
	first, url := page(t, 0, nil)
	_, rules, err := games.Source("ticTacToe")
	must.OK(t, err)
	upload := func(more string) string {
		var g struct{ Game string }
		send(t, url+"/api/rules", string(rules)+more, &g)
		return g.Game
	}
	game := upload("; ours\n")
	s := sitDown(t, url, opening{Game: game, Seats: []string{person, person}})
	isDrawn := func(url string) bool {
		var p Position
		status := ask(t, url+"/api/position?game="+game, nil, &p)
		return status == http.StatusOK && strings.Contains(p.SVG, "<svg")
	}
	for i := range maxUploads + 1 {
		upload(fmt.Sprintf("; %d\n", i))
	}
	if !isDrawn(url) {
		t.Error("the game of an open table is gone after many uploads")
	}
	_, url = restarted(t, copied(t, first.Archive.Dir()))
	again := comeTo(t, url, opened{s.Table, s.keys})
	again.play("1 1", "2 2")
	if !isDrawn(url) {
		t.Error("the game of a table is gone after a restart")
	}
	if status := ask(t, url+"/api/position?game=upload:123456789012", nil, nil); status != http.StatusNotFound {
		t.Errorf("unknown rules: status %d", status)
	}
}

func TestAFileOfATableThatIsDamagedIsExplained(t *testing.T) {
	first, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, "sloth"}, Limit: 60})
	path := first.tablePath(s.Table)
	text := must.Get(os.ReadFile(path))(t)
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the keys can be read by others: %v, %v", info.Mode(), err)
	}
	for name, damaged := range map[string][]byte{
		"cut": text[:len(text)/2], "no keys": bytes.Replace(text, []byte(`"keys":[`), []byte(`"KEYS":[],"x":[`), 1),
		"clocks": bytes.Replace(text, []byte(`"lefts":[[`), []byte(`"lefts":[[],[`), 1), "goals": append(bytes.Clone(text[:len(text)-1]), `,"goals":[1,2,3]}`...), "score": append(bytes.Clone(text[:len(text)-1]), `,"score":[1]}`...), "no game": bytes.Replace(text, []byte("ticTacToe"), []byte("nosuch"), 1),
	} {
		dir := copied(t, first.Archive.Dir())
		must.OK(t, os.WriteFile(filepath.Join(dir, tableFolder, s.Table+".json"), damaged, 0o600))
		_, url := restarted(t, dir)
		if text := refusal(t, url+"/api/tables/"+s.Table); text == "" || strings.Contains(text, dir) {
			t.Errorf("%s: %q", name, text)
		}
	}
}
