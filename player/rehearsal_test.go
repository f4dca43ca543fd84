package player

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/search"
)

// rehearsalClock is the start clock of rehearsals; chosenClock the processor time for each move
// of the matches that show whether what was chosen is right, chosenMatches their number.
const (
	rehearsalClock = 20 * time.Second
	chosenClock    = 50 * time.Millisecond
	chosenMatches  = 16
)

// BenchmarkRehearsals shows which mind a start clock chooses, how the elections stood, and the
// share of the points, in percent with its 95 % error, that it then gets against the mind that
// there is without elections.
func BenchmarkRehearsals(b *testing.B) {
	for _, game := range []string{
		"hex", "hex-8x8", "blocker", "biddingTicTacToe-10", "connectFourSimultaneous", "goofspiel-10",
		"breakthrough", "linesOfAction", "speedChess", "checkersSmall", "reversi",
		"nineBoardTicTacToe", "connectFour", "gomoku_11x11", "amazons_8x8", "chinook",
		"cephalopodMicro", "pentagoSuicide", "knightwar", "skirmishNew", "connectFourSuicide", "connect5", "quartoSuicide",
		"dotsAndBoxesSuicide", "kalaha6x2x4", "atariGo_7x7", "qyshinsu", "copolymer_4_pie", "cubicup", "amazonsSuicide",
	} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			at := position{machine: m, state: m.Initial()}
			for i := range b.N {
				var log strings.Builder
				t := newThinker(setting{seed: uint64(i), threads: 1, memory: &memory{total: 512 << 20}, margins: NewMargins(0, 0), log: zerolog.New(&log)})
				ctx, cancel := context.WithTimeout(context.Background(), rehearsalClock)
				t.prepare(ctx, at)
				first := t.mind
				t.begin(ctx, at)
				cancel()
				b.Logf("%s\n%s", t.mind.name, log.String())
				if t.mind != first {
					minds := []mind{t.mind, first}
					c := comparison{opening: 2, searcher: func(i int) search.Searcher {
						return &metered{Searcher: t.searcher(minds[i], 1), clock: chosenClock}
					}}
					c.report(b, at, chosenMatches)
				}
			}
		})
	}
}
