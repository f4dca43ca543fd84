package web

import (
	"net/http"
	"strings"
	"testing"
)

func TestPeopleMayHaveClocks(t *testing.T) {
	_, url := page(t, 0, nil)
	for limit := 0.1; limit < 100; limit *= 4 { // on a busy machine the first move may be drawn before its clock is seen
		s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, vacant}, Limit: limit})
		runsOf := func(role int) bool { return !s.Clocks[role].Due.IsZero() }
		s.until("no clock while a seat is free", func() bool { return !runsOf(0) && !runsOf(1) })
		s.act("sit", "o", "")
		runs := false
		s.until("moves are drawn to the end", func() bool {
			runs = runs || runsOf(0) && !runsOf(1) && len(s.Moves) == 0
			return s.Goals != nil && !runsOf(0) && !runsOf(1) && strings.Contains(s.Note, "in time")
		})
		if runs {
			return
		}
	}
	t.Error("the clock is never seen to run")
}

func TestAClockThatRunsOutLeavesTheOthersTheirTime(t *testing.T) {
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "rockPaperScissors", Seats: []string{person, person}, Limit: 3600})
	runs := func(role int) bool { return !s.Clocks[role].Due.IsZero() }
	s.until("both clocks run", func() bool { return runs(0) && runs(1) })
	s.act("move", "row", "rock")
	s.until("row chooses", func() bool { return s.Chosen[0] })
	table := server.tables.byID[s.Table]
	table.mu.Lock()
	table.seats[1].left = 0
	table.mu.Unlock()
	s.act("undo", "row", "")
	s.until("column's time is up", func() bool { return !runs(1) })
	if status := s.act("move", "column", "rock"); status != http.StatusConflict || !runs(0) || len(s.Moves) > 0 {
		t.Errorf("column chooses after its time: status %d, row's clock runs: %v, moves %v", status, runs(0), s.Moves)
	}
	s.act("move", "row", "paper")
	s.until("a move is drawn", func() bool { return len(s.Moves) == 1 })
	if s.Moves[0][0] != "paper" || !strings.HasPrefix(s.Note, "column had no move in time") {
		t.Errorf("moves %v, %q", s.Moves, s.Note)
	}
}
