package endurance

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"stackmate/games"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
)

// shuffled returns the rulesheets of the corpus in a random order that is the same each
// time.
func shuffled(t testing.TB) []corpus.Rulesheet {
	t.Helper()
	list := corpus.Rulesheets(t)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// builtIn returns the rules of a game of package games.
func builtIn(t testing.TB, name string) string {
	t.Helper()
	_, src := must.Get2(games.Source(name))(t)
	return string(src)
}

// save writes rules into a folder of the test and returns the path.
func save(t testing.TB, rules string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.kif")
	must.OK(t, os.WriteFile(path, []byte(rules), 0o644))
	return path
}
