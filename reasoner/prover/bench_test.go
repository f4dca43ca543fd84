package prover_test

import (
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/internal/must"
	"stackmate/reasoner/prover"
)

// BenchmarkFirstMoves reports the processor time in milliseconds from the text of a rulesheet, as in START, to a
// legal move of the first role in the initial position, for each rulesheet of the corpus.
func BenchmarkFirstMoves(b *testing.B) {
	for _, sheet := range corpus.Rulesheets(b) {
		source := corpus.Source(b, sheet.Name)
		b.Run(sheet.Name, func(b *testing.B) {
			before := cputime.Now()
			for b.Loop() {
				game, _ := must.Get2(gdl.Load(b.Context(), sheet.Name, source))(b)
				p := prover.New(game)
				fluents := must.Get(p.Initial(b.Context()))(b)
				if over, err := p.Terminal(b.Context(), fluents); err != nil || over {
					b.Fatalf("the game begins at its end: %v, %v", over, err)
				}
				moves, err := p.Legal(b.Context(), fluents, game.Roles[0].String(), 1)
				if err != nil || len(moves) == 0 {
					b.Fatalf("no first move: %v", err)
				}
			}
			b.ReportMetric((cputime.Now()-before).Seconds()*1e3/float64(b.N), "cpu-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
