package web

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"stackmate/internal/must"
)

func TestAMatchAtATableIsLiveHoweverLongPeopleThink(t *testing.T) {
	server, url := page(t, 0, nil)
	s := sitDown(t, url, opening{Game: "ticTacToe", Seats: []string{person, person}})
	s.play("1 1")
	isLive := func() bool {
		path := filepath.Join(server.Archive.Dir(), "page.ticTacToe."+s.Table+".jsonl")
		hourAgo := time.Now().Add(-time.Hour)
		must.OK(t, os.Chtimes(path, hourAgo, hourAgo))
		var list listing
		ask(t, url+"/api/matches", nil, &list)
		if list.Count != 1 {
			t.Fatalf("%+v", list)
		}
		return list.Matches[0].Live
	}
	if !isLive() {
		t.Error("the match that waits for a person is not live")
	}
	s.act("resign", "x", "")
	await(t, server, "page.ticTacToe."+s.Table)
	if isLive() {
		t.Error("the match that has ended is live")
	}
}
