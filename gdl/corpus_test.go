package gdl_test

import (
	"os"
	"path/filepath"
	"testing"

	"stackmate/gdl"
)

// corpus lists the rulesheets of the corpus, or skips the test without one.
func corpus(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("STACKMATE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(dir, "rulesheets", "*.kif"))
	if err != nil || len(files) == 0 {
		t.Skip("no corpus of rulesheets at " + dir + "; STACKMATE_CORPUS names its folder")
	}
	return files
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestEveryRulesheetOfTheCorpusLoads(t *testing.T) {
	for _, file := range corpus(t) {
		if _, _, err := gdl.Load(t.Context(), filepath.Base(file), read(t, file)); err != nil {
			t.Error(err)
		}
	}
}
