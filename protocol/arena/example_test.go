package arena_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/player"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
)

// agent lets a player sit behind the protocol: it has Play, Stop and Abort already.
type agent struct{ *player.Player }

// Start implements protocol.Agent.
func (a agent) Start(ctx context.Context, m protocol.Match) error {
	return a.Player.Start(ctx, player.Match{Game: m.Game, Role: m.Role, Machine: m.Machine, PlayClock: m.PlayClock, Log: m.Log})
}

// sit describes a player of a kind in this process.
func sit(kind string) arena.Player {
	return arena.Player{Name: kind, New: func() protocol.Agent {
		p, err := player.New(kind, player.Options{Seed: 1, Memory: 64 << 20})
		if err != nil {
			log.Fatal(err)
		}
		return agent{p}
	}}
}

// A match is held in this process: one player searches, the other one moves at random. The first player can win this game of Nim.
func ExampleManager_Match() {
	ctx := context.Background()
	file, text, err := games.Source("nim-3.4.5")
	if err != nil {
		log.Fatal(err)
	}
	rules, _, err := gdl.Load(ctx, file, text)
	if err != nil {
		log.Fatal(err)
	}
	m, err := reasoner.New(ctx, rules, reasoner.Options{})
	if err != nil {
		log.Fatal(err)
	}
	manager := arena.NewManager("nim", rules, m, zerolog.Nop())
	record, err := manager.Match(ctx, "example", []arena.Player{sit("stackmate"), sit("random")},
		arena.Setting{StartClock: 10 * time.Second, PlayClock: 10 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	result := record.Result()
	for role, name := range result.Players {
		fmt.Printf("%s: %d points, %d errors\n", name, result.Goals[role], result.Errors[role])
	}
	// Output:
	// stackmate: 100 points, 0 errors
	// random: 0 points, 0 errors
}
