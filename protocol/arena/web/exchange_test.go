package web

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/must"
	"stackmate/protocol/arena"
)

const archived = `{"matchId":"base.ticTacToe.1325000000000","startTime":1325000000000,"gameMetaURL":"http://games.ggp.org/base/games/tictactoe/","isCompleted":true,
"moves":[["( mark 1 1 )","noop"],["noop","( mark 1 2 )"],["( mark 2 2 )","noop"],["noop","( mark 1 3 )"],["( mark 3 3 )","noop"]],
"goalValues":[100,0],"playerNamesFromHost":["alice","bob"],"startClock":30,"playClock":15}`

// send posts a text and reads the answer.
func send(t *testing.T, url, text string, into any) int {
	t.Helper()
	response := must.Get(http.Post(url, "text/plain", strings.NewReader(text)))(t)
	defer response.Body.Close()
	must.OK(t, json.NewDecoder(response.Body).Decode(into))
	return response.StatusCode
}

// exchange saves a record in each format and opens it again.
func exchange(t *testing.T, s *Server, url, match string) map[string]*arena.Record {
	t.Helper()
	records := make(map[string]*arena.Record)
	for _, as := range []string{"ggp", "lines"} {
		response := must.Get(http.Get(url + "/api/matches/" + match + "/record?as=" + as))(t)
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		var again map[string]string
		if status := send(t, url+"/api/records", string(text), &again); status != http.StatusOK {
			t.Fatalf("%s: status %d: %v: %s", as, status, again, text)
		}
		records[as] = must.Get(s.Archive.Read(again["match"]))(t)
	}
	return records
}

func TestRecordsComeInAndGoOut(t *testing.T) {
	s, url := page(t, 0, nil)
	var opened map[string]string
	if status := send(t, url+"/api/records", archived, &opened); status != http.StatusOK {
		t.Fatalf("status %d: %v", status, opened)
	}
	record, err := s.Archive.Read(opened["match"])
	if err != nil || !record.Completed || len(record.States) != 6 || record.Roles[0] != "x" || record.Players[1] != "bob" || record.Goals[0] != 100 {
		t.Fatalf("%+v, %v", record, err)
	}
	for as, same := range exchange(t, s, url, opened["match"]) {
		if len(same.States) != 6 || same.Players[0] != "alice" || same.Game != "ticTacToe" {
			t.Errorf("%s: %+v", as, same)
		}
	}
	for change, want := range map[string]string{
		"( mark 1 2 )|( mark 1 1 )": "turn 2", "tictactoe|nosuch": "no game here", `"bob"]|"bob","carol"]`: "2 moves of 3 roles", "moves|movex": "",
		`{|[`: "not a match record", `"goalValues"|"errors":[["",""],["",""],["",""],["",""],["",""],["",""],["",""]],"goalValues"`: "found more",
	} {
		old, by, _ := strings.Cut(change, "|")
		var reply map[string]string
		status := send(t, url+"/api/records", strings.Replace(archived, old, by, 1), &reply)
		if want == "" && status == http.StatusOK {
			if r, err := s.Archive.Read(reply["match"]); err != nil || r.Completed || !strings.Contains(r.Reason, "before the game does") {
				t.Errorf("%s: %+v, %v", change, r, err)
			}
		} else if status < 400 || status >= 500 || !strings.Contains(reply["error"], want) {
			t.Errorf("%s: status %d, %v, want %q", change, status, reply, want)
		}
	}
}

func TestAMatchWithATakebackComesInAndGoesOut(t *testing.T) {
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}})
	s.play("2 2", "1 1")
	ask(t, s.url+"/undo", act{Role: "o", Key: s.keys["o"], Turn: 2, Keys: s.keys}, nil)
	s.until("a takeback", func() bool { return len(s.Moves) == 1 })
	s.play("1 2", "1 1", "1 3", "3 3")
	match := "page.ticTacToe." + s.Table + ".2"
	await(t, server, match)
	for as, r := range exchange(t, server, url, match) {
		turns := len(r.Opening) + len(r.Moves)
		if !slices.Equal(r.Goals, []int{100, 0}) || turns != 5 || len(r.States) != len(r.Moves)+1 || len(r.Errors) != len(r.Moves) {
			t.Errorf("%s: %+v", as, r)
		}
	}
}

func TestAResignedMatchKeepsItsResult(t *testing.T) {
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}})
	s.play("2 2", "1 1")
	s.act("resign", "o", "")
	match := "page.ticTacToe." + s.Table
	await(t, server, match)
	for as, r := range exchange(t, server, url, match) {
		if !r.Completed || !r.Forfeit || !slices.Equal(r.Goals, []int{100, 0}) || r.Reason != "o has resigned" {
			t.Errorf("%s: %+v", as, r)
		}
	}
	var opened map[string]string
	send(t, url+"/api/records", `{"matchId":"m","gameMetaURL":"ticTacToe/","isCompleted":true,"forfeit":true,"moves":[["(mark 1 1)","noop"]]}`, &opened)
	if r, err := server.Archive.Read(opened["match"]); err != nil || !r.Aborted {
		t.Errorf("a forfeit without goals: %+v, %v", r, err)
	}
}

func TestRecordsThatArePutInAreBounded(t *testing.T) {
	s, url := page(t, 0, nil)
	for i := range maxPutIn - 1 {
		must.OK(t, os.WriteFile(filepath.Join(s.Archive.Dir(), fmt.Sprintf("%s%d.jsonl", putIn, i)), nil, 0o600))
	}
	var reply map[string]string
	for _, want := range []int{http.StatusOK, http.StatusInsufficientStorage} {
		if status := send(t, url+"/api/records", archived, &reply); status != want {
			t.Errorf("status %d, want %d: %v", status, want, reply)
		}
	}
	if !strings.Contains(reply["error"], "remove some") {
		t.Errorf("the reply %v does not say what to do", reply)
	}
}

func TestRecordsThatContradictThemselvesAreRefused(t *testing.T) {
	s, url := page(t, 0, nil)
	const own = `{"match":"m","game":"ticTacToe","roles":["x","o"],"players":["a","b"],"moves":[["(mark 1 1)","noop"]]`
	for rest, want := range map[string]string{
		``: "", `,"reply_times":[[0,0],[0,0]]`: "found more", `,"errors":[["",""],["",""]]`: "found more", `,"turns":9`: "9 turns, but 1 moves",
	} {
		var reply map[string]string
		status := send(t, url+"/api/records", own+rest+"}", &reply)
		if refused := status == http.StatusBadRequest; refused != (want != "") || !strings.Contains(reply["error"], want) {
			t.Errorf("%s: status %d, %v", rest, status, reply)
		}
	}
	if list, err := s.Archive.List(); err != nil || len(list) != 1 {
		t.Errorf("%d records: %v", len(list), err)
	}
}

func TestARecordFromTheFarFutureDoesNotHideTheOthers(t *testing.T) {
	s, url := page(t, 0, nil)
	for name, start := range map[string]string{"m": "1325000000000", "far": "253402387200000"} {
		text := strings.NewReplacer("base.ticTacToe.1325000000000", name, `"startTime":1325000000000`, `"startTime":`+start).Replace(archived)
		must.OK(t, os.WriteFile(filepath.Join(s.Archive.Dir(), name+".json"), []byte(text), 0o600))
	}
	var list struct{ Count int }
	if status := ask(t, url+"/api/matches", nil, &list); status != http.StatusOK || list.Count != 1 {
		t.Errorf("status %d, %d matches", status, list.Count)
	}
}

func TestAnAnswerThatCannotBeWrittenIsAnError(t *testing.T) {
	s, _ := page(t, 0, nil)
	w := httptest.NewRecorder()
	s.writeJSON(w, math.NaN(), nil)
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"error":`) {
		t.Errorf("status %d, %q", w.Code, w.Body)
	}
}

// A match of an archive that lies in the folder is shown with the roles and the boards of its rules.
func TestMatchesOfArchivesInTheFolderHaveTheRolesOfTheRules(t *testing.T) {
	s, url := page(t, 0, nil)
	text := strings.Replace(archived, `"moves"`, `"states":["( ( cell 1 1 b ) ( control x ) )"],"moves"`, 1)
	must.OK(t, os.WriteFile(filepath.Join(s.Archive.Dir(), "m.json"), []byte(text), 0o600))
	response := must.Get(http.Get(url + "/api/matches/m/position?turn=0"))(t)
	defer response.Body.Close()
	var at Position
	if err := json.NewDecoder(response.Body).Decode(&at); err != nil || len(at.Roles) != 2 || at.Roles[0] != "x" || !strings.Contains(at.SVG, "<svg") {
		t.Errorf("%v: %+v", err, at)
	}
}
