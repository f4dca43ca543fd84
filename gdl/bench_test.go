package gdl_test

import (
	"bytes"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
)

// megabyte returns a rulesheet of at least 1 MB: one of the corpus, over and over.
func megabyte(b *testing.B) []byte {
	src := corpus.Source(b, "chess")
	return bytes.Repeat(src, 1+1_000_000/len(src))
}

func BenchmarkParse(b *testing.B) {
	src := megabyte(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	rules := 0
	for b.Loop() {
		tree := must.Get(gdl.Parse("", src))(b)
		rules = len(tree.Clauses)
	}
	perRule(b, rules)
}

func BenchmarkLoad(b *testing.B) {
	src := megabyte(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	rules := 0
	for b.Loop() {
		g, _ := must.Get2(gdl.Load(b.Context(), "", src))(b)
		rules = len(g.Rules)
	}
	perRule(b, rules)
}

// perRule reports the time for each rule of the rulesheet.
func perRule(b *testing.B, rules int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rules), "ns/rule")
	b.ReportMetric(float64(rules), "rules")
}
