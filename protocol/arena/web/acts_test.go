package web

import (
	"net/http"
	"testing"
	"time"

	"stackmate/protocol"
	"stackmate/protocol/arena"
)

func TestASecretChoiceOutlivesAnotherStrengthOfAPlayer(t *testing.T) {
	_, url := page(t, 0, func(c *Config) {
		c.Player = func(kind string) (arena.Player, error) {
			after := time.Duration(0)
			if kind == "slow" {
				after = time.Hour
			}
			return arena.Player{Name: kind, New: func() protocol.Agent { return &sloth{after: after} }}, nil
		}
	})
	s := sitDown(t, url, opening{Game: "matchingPennies", Seats: []string{person, "slow"}, Clock: 60})
	if status := s.act("move", "row", "heads"); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	s.until("row chooses", func() bool { return s.Chosen[0] })
	ask(t, s.url+"/strength", act{Role: "row", Key: s.keys["row"], Of: "column", Kind: "fast"}, nil)
	s.until("another player", func() bool { return s.Seats[1] == "fast" })
	if !s.Chosen[0] && len(s.Moves) == 0 {
		t.Fatal("the choice of row is forgotten")
	}
	s.until("the move of both", func() bool { return len(s.Moves) == 1 })
	if s.Moves[0][0] != "heads" {
		t.Errorf("row has played %v", s.Moves)
	}
}
