package gdl_test

import (
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
)

func TestEveryRulesheetOfTheCorpusLoads(t *testing.T) {
	for _, sheet := range corpus.Rulesheets(t) {
		if _, _, err := gdl.Load(t.Context(), sheet.Name, corpus.Source(t, sheet.Name)); err != nil {
			t.Error(err)
		}
	}
}
