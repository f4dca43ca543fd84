package player

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// whole is a thinking player as a search: it plays pure strategies, for each role that has a
// choice after so much processor time.
type whole struct {
	*thinker
	clock time.Duration
}

func (w whole) Search(ctx context.Context, m machine.Machine, q machine.State, _ search.Limits) (search.Result, error) {
	b := m.NewNarrowBatch()
	b.Load(q, 1)
	b.Evaluate(1)
	r := search.Result{Strategies: make([][]search.Weighted, len(m.Names().Roles))}
	for role := range r.Strategies {
		at := position{machine: m, state: slices.Clone(q), role: machine.Role(role)}
		if at.legal = b.AppendLegal(nil, 0, at.role); len(at.legal) > 1 {
			clock, cancel := withProcessorTime(ctx, w.clock)
			r.Strategies[role] = []search.Weighted{{Move: w.choose(clock, at).move, Probability: 1}}
			cancel()
		}
	}
	return r, nil
}

// wholeStart is the start clock of whole players, wholeClock the processor time for each move, wholeMatches their matches.
const (
	wholeStart   = 20 * time.Second
	wholeClock   = 100 * time.Millisecond
	wholeMatches = 10
)

// BenchmarkWhole plays a whole player, after a start clock, against others, and reports its share of the
// points, in percent, with the 95 % error.
func BenchmarkWhole(b *testing.B) {
	for _, game := range []string{
		"cephalopodMicro", "pentagoSuicide", "knightwar", "skirmishNew", "connectFourSuicide", "connect5", "quartoSuicide",
		"dotsAndBoxesSuicide", "kalaha6x2x4", "atariGo_7x7", "qyshinsu", "copolymer_4_pie", "cubicup", "amazonsSuicide", "hex.kif", "blocker",
	} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			for _, rival := range []string{"mcts-plain", "stackmate:without=learning", "stackmate:without=exact"} {
				b.Run(rival, func(b *testing.B) { againstWhole(b, position{machine: m, state: m.Initial()}, rival) })
			}
		})
	}
}

// onOneThread returns a thinker that does without some techniques and takes no more than so many bytes.
func onOneThread(seed uint64, bytes int64, without ...string) *thinker {
	return newThinker(setting{
		spec: spec{threads: 1, without: without},
		seed: seed, log: zerolog.Nop(),
		memory: &memory{total: bytes, compiled: closed}, margins: NewMargins(0, 0),
	})
}

// againstWhole plays the matches of one game against one rival.
func againstWhole(b *testing.B, at position, rival string) {
	var players [2]*thinker
	for i, name := range []string{"stackmate", rival} {
		s, err := parse(name)
		if err != nil {
			b.Fatal(err)
		}
		players[i] = onOneThread(uint64(i), 512<<20, s.without...)
		ctx, cancel := context.WithTimeout(context.Background(), wholeStart)
		players[i].begin(ctx, at)
		cancel()
	}
	b.Log(players[0].approach)
	c := comparison{opening: 2, memory: comparisonBytes, searcher: func(i int) search.Searcher { return whole{players[i], wholeClock} }}
	c.report(b, at, wholeMatches*b.N)
}
