package player

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// BenchmarkRehearsals shows which mind a start clock of 20 s chooses, and how the elections stood.
func BenchmarkRehearsals(b *testing.B) {
	for _, game := range []string{
		"hex", "hex-8x8", "blocker", "biddingTicTacToe-10", "connectFourSimultaneous", "goofspiel-10",
		"breakthrough", "linesOfAction", "speedChess", "checkersSmall", "reversi",
		"nineBoardTicTacToe", "connectFour", "gomoku_11x11", "amazons_8x8", "chinook",
	} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			for i := range b.N {
				var log strings.Builder
				t := newThinker(setting{seed: uint64(i), threads: 1, memory: &memory{total: 512 << 20}, margins: NewMargins(0, 0), log: zerolog.New(&log)})
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				t.begin(ctx, position{machine: m, state: m.Initial()})
				cancel()
				b.Logf("%s\n%s", t.mind.name, log.String())
			}
		})
	}
}
