package simultaneous

import (
	"context"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/certify"
)

// played are strategies, position by position, without a claim of a value.
type played func(q machine.State) (search.Result, error)

// At implements search.Solution.
func (p played) At(_ context.Context, q machine.State) (search.Claim, error) {
	r, err := p(q)
	return search.Claim{Strategies: r.Strategies}, err
}

func TestSolutionsOfRandomGamesAreCertified(t *testing.T) {
	for _, config := range methods {
		rapid.Check(t, func(t *rapid.T) {
			g := drawStacked(t)
			m := g.machine()
			searcher := must.Get(New(config))(t)
			solution := certify.Search{Machine: m, Searcher: searcher, Limits: search.Limits{NoLine: true}}
			c := must.Get(certify.Check(context.Background(), m, m.Initial(), solution, certify.Limits{}))(t)
			if !c.Certified() || c.Gap > tolerance {
				t.Fatalf("%s: not certified: %+v, %+v", config.name(), c, c.First)
			}
			value, low, high := g.exact(), new(big.Rat).SetFloat64(c.Guarantee), new(big.Rat).SetFloat64(c.Limit)
			if low.Cmp(value) > 0 || value.Cmp(high) > 0 {
				t.Fatalf("%s: the value %v is not in [%v, %v], which is proved", config.name(), value, c.Guarantee, c.Limit)
			}
		})
	}
}

func TestWithoutALineTheRestOfAResultIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawStacked(t).machine()
		results := make([]search.Result, 2)
		for i := range results {
			searcher, err := New(Config{Table: true})
			if err != nil {
				t.Fatal(err)
			}
			results[i], err = searcher.Search(context.Background(), m, m.Initial(), search.Limits{NoLine: i == 1})
			if err != nil {
				t.Fatal(err)
			}
		}
		if results[1].Line != nil {
			t.Fatalf("found the line %v", results[1].Line)
		}
		results[0].Line = nil
		if diff := cmp.Diff(results[0], results[1], cmpopts.IgnoreFields(search.Counters{}, "Elapsed", "LPTime", "PeakBytes")); diff != "" {
			t.Fatal(diff)
		}
	})
}
