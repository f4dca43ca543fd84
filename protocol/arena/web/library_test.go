package web

import (
	"testing"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
)

func TestBoardsAreFoundByAsManyPositionsOnAnyMachine(t *testing.T) {
	for name, want := range map[string]int{"chess": examples + 1, "matchingPennies": 2} {
		file, text, err := games.Source(name)
		must.OK(t, err)
		rules, _ := must.Get2(gdl.LoadToPlay(t.Context(), file, text))(t)
		if positions := firstPositions(t.Context(), rules); len(positions) != want {
			t.Errorf("%s: %d positions, want %d", name, len(positions), want)
		}
	}
}
