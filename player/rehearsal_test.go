package player

import (
	"context"
	"fmt"
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

// BenchmarkRehearsals shows which candidate a start clock chooses, how the trials stood, and the
// share of the points, in percent with its 95 % error, that it then gets against the candidate that
// there is without trials.
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
				t := newThinker(setting{spec: spec{threads: 1}, seed: uint64(i), memory: &memory{total: 512 << 20}, margins: NewMargins(0, 0), log: zerolog.New(&log)})
				ctx, cancel := context.WithTimeout(context.Background(), rehearsalClock)
				t.prepare(ctx, at)
				first := t.candidate
				t.begin(ctx, at)
				cancel()
				b.Logf("%s\n%s", t.candidate.name, log.String())
				if t.candidate != first {
					candidates := []candidate{t.candidate, first}
					c := comparison{opening: 2, memory: comparisonBytes, searcher: func(i int) search.Searcher {
						return &metered{Searcher: t.searcher(candidates[i], 1), clock: chosenClock}
					}}
					c.report(b, at, chosenMatches)
				}
			}
		})
	}
}

// BenchmarkClocks shows how what is best changes with the clock: the share of the points, in percent
// with its 95 % error, that each candidate gets against the first one, the evaluation
// being the same, with a short clock and with longer ones, of processor time.
func BenchmarkClocks(b *testing.B) {
	for _, game := range []string{
		"tictactoe_3d_2player", "knightazons", "pentagoSuicide", "linesOfAction", "breakthrough", "reversi",
		"speedChess", "cubicup", "kalaha6x2x4", "hex", "connectFour", "checkersSmall", "amazons_8x8", "gomoku_11x11",
	} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			at := position{machine: m, state: m.Initial()}
			t := newThinker(setting{spec: spec{threads: 1}, seed: 1, memory: &memory{total: 512 << 20}, margins: NewMargins(0, 0)})
			t.prepare(b.Context(), at)
			l := learnt(b, m, true)
			l.Weigh(b.Context())
			candidates := t.candidates(l.Evaluation())
			for _, d := range candidates[1:] {
				for _, clock := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 250 * time.Millisecond} {
					b.Run(fmt.Sprintf("%s/%v", d.name, clock), func(b *testing.B) {
						c := comparison{opening: trialOpening, memory: comparisonBytes, searcher: func(i int) search.Searcher {
							return &metered{Searcher: t.searcher([]candidate{d, candidates[0]}[i], 1), clock: clock}
						}}
						b.ReportMetric(l.Evaluation().Weight(), "weight")
						c.report(b, at, 8*b.N)
					})
				}
			}
		})
	}
}
