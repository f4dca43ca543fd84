package corpus_test

import (
	"testing"

	"stackmate/internal/corpus"
)

func TestTheCorpusHasRulesheetsWithTracesOfMany(t *testing.T) {
	list := corpus.Rulesheets(t)
	traces := 0
	for _, r := range list {
		if len(corpus.Source(t, r.Name)) == 0 {
			t.Errorf("%s is empty", r.Path)
		}
		if _, ok := corpus.Trace(t, r.Name); ok {
			traces++
		}
	}
	if traces < len(list)/2 {
		t.Errorf("%d of %d rulesheets have recorded matches", traces, len(list))
	}
}
