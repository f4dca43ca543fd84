package web

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"stackmate/protocol/arena"
)

// Who has lost cannot take back what the other has won, unless the other agrees; what is played then
// is another match, and the record of the first one stays.
func TestMovesAreTakenBackIfAllAgree(t *testing.T) {
	s, url := page(t, 0, nil)
	var o opened
	ask(t, url+"/api/tables", opening{Game: "ticTacToe", Seats: []string{person, person}}, &o)
	act := func(what, role string, turn int, move string) int {
		return ask(t, url+"/api/tables/"+o.Table+"/"+what, act{Role: role, Key: o.Keys[role], Turn: turn, Move: move}, nil)
	}
	played := func() *TableView {
		at, err := s.tables.get(o.Table)
		if err != nil {
			t.Fatal(err)
		}
		at.mu.Lock()
		defer at.mu.Unlock()
		return at.view()
	}
	roles := []string{"x", "o"}
	for turn, cell := range []string{"1 1", "2 1", "1 2", "2 2", "1 3"} {
		if status := act("move", roles[turn%2], turn, "(mark "+cell+")"); status != http.StatusOK {
			t.Fatalf("turn %d: status %d", turn, status)
		}
	}
	first := "page.ticTacToe." + o.Table
	await(t, s, first)
	act("undo", "o", 5, "")
	if v := played(); v.Position.Goals == nil || !slices.Equal(v.Asked["undo"], []string{"o"}) {
		t.Fatalf("after one has asked: goals %v, asked %v", v.Position.Goals, v.Asked)
	}
	act("refuse", "x", 5, "")
	if v := played(); v.Position.Goals == nil || v.Asked != nil {
		t.Fatalf("after the other has refused: goals %v, asked %v", v.Position.Goals, v.Asked)
	}
	act("undo", "o", 5, "")
	act("undo", "x", 5, "")
	if v := played(); v.Position.Goals != nil || len(v.Moves) != 3 || v.Asked != nil {
		t.Fatalf("after both have asked: goals %v, %d moves, asked %v", v.Position.Goals, len(v.Moves), v.Asked)
	}
	for turn, cell := range []string{"1 3", "3 3", "2 2", "3 1", "2 3"} {
		if status := act("move", roles[(turn+1)%2], 3+turn, "(mark "+cell+")"); status != http.StatusOK {
			t.Fatalf("turn %d: status %d", 3+turn, status)
		}
	}
	second := await(t, s, first+".2")
	if len(second.Opening) != 3 || len(second.Moves) != 5 || !slices.Equal(second.Goals, []int{0, 100}) {
		t.Errorf("the second match: opening %v, moves %v, goals %v", second.Opening, second.Moves, second.Goals)
	}
	if again := await(t, s, first); !slices.Equal(again.Goals, []int{100, 0}) || len(again.Moves) != 5 {
		t.Errorf("the first match: moves %v, goals %v", again.Moves, again.Goals)
	}
}

// await waits for the record of a match.
func await(t *testing.T, s *Server, match string) *arena.Record {
	t.Helper()
	for range 500 {
		if r, err := s.Archive.Read(match); err == nil && r.Ended() {
			return r
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there is no record of %s", match)
	return nil
}
