package reference_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner/trace"
)

// respell applies rename to the symbols of recorded terms.
func respell(t *testing.T, rename func(string) string, terms []string) {
	t.Helper()
	for i, text := range terms {
		tree := must.Get(gdl.Parse("", []byte(text)))(t)
		terms[i] = rewrite.Symbols(tree, rename).Clauses[0].String()
	}
}

func TestRewrittenRulesReplayTheRenamedRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"biddingTicTacToe", "connectFour", "2pttc", "aipsrovers01", "blockerSerial"} {
		t.Run(name, func(t *testing.T) {
			tree := must.Get(gdl.Parse(name, corpus.Source(t, name)))(t)
			names := make(map[string]string)
			rename := func(s string) string {
				if names[s] == "" {
					names[s] = fmt.Sprintf("n%d", len(names))
				}
				return names[s]
			}
			tree = rewrite.Bodies(rewrite.Rules(rewrite.Disjunctions(tree), rng), rng)
			tree = rewrite.Variables(rewrite.Symbols(tree, rename), func(v string) string { return v + "v" })
			m := compile(t, gdl.Print(tree))
			file, _ := corpus.Trace(t, name)
			for match, err := range trace.Read(file) {
				if err != nil {
					t.Fatal(err)
				}
				respell(t, rename, match.Roles)
				for _, s := range match.Steps {
					respell(t, rename, s.State)
					respell(t, rename, s.Joint)
					for _, legal := range s.Legal {
						respell(t, rename, legal)
					}
				}
				respell(t, rename, match.Final.State)
				if err := trace.Replay(m, match); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
