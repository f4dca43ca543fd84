// Package corpus finds, for tests, the rulesheets in use and the matches that an independent engine has recorded of them. They were written
// by others and are no part of the product: they lie in the folder "shared" beside the checkout, or where STACKMATE_CORPUS says. Tests that
// need them are skipped with a message in the fast tier, and where the folder is absent; they fail there if STACKMATE_CORPUS_REQUIRED is set.
package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// Rulesheet is a rulesheet of the corpus.
type Rulesheet struct {
	Name string // file name without folder and extension
	Path string
}

// Dir returns the folder with the subfolders rulesheets and traces. Benchmarks belong to neither tier of the tests.
func Dir(t testing.TB) string {
	t.Helper()
	if _, ok := t.(*testing.B); !ok {
		exhaustive.Only(t, "reads the corpus")
	}
	dir := os.Getenv("STACKMATE_CORPUS")
	if dir == "" {
		dir = filepath.Join(moduleRoot(t), "..", "shared")
	}
	for _, part := range []string{"rulesheets", "traces"} {
		require(t, dir, part)
	}
	return dir
}

// Folder returns another folder of the corpus.
func Folder(t testing.TB, name string) string {
	t.Helper()
	return require(t, Dir(t), name)
}

// require returns a folder of the corpus. Without it the test fails or is skipped.
func require(t testing.TB, dir, name string) string {
	t.Helper()
	folder := filepath.Join(dir, name)
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	if os.Getenv("STACKMATE_CORPUS_REQUIRED") != "" {
		t.Fatalf("no corpus: %s has no folder %s; STACKMATE_CORPUS names the folder of the corpus", dir, name)
	}
	t.Skipf("no corpus: %s has no folder %s; STACKMATE_CORPUS names the folder of the corpus", dir, name)
	return ""
}

// moduleRoot returns the folder of go.mod: tests run in the folder of their package.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.Getwd())(t)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("the test does not run inside of a module")
		}
		dir = parent
	}
}

// Rulesheets lists all rulesheets by name, in order.
func Rulesheets(t testing.TB) []Rulesheet {
	t.Helper()
	pattern := filepath.Join(Dir(t), "rulesheets", "*.kif")
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no rulesheets at %s: %v", pattern, err)
	}
	list := make([]Rulesheet, len(files))
	for i, file := range files {
		list[i] = Rulesheet{Name: strings.TrimSuffix(filepath.Base(file), ".kif"), Path: file}
	}
	return list
}

// Source returns the text of a rulesheet.
func Source(t testing.TB, name string) []byte {
	t.Helper()
	src := must.Get(os.ReadFile(filepath.Join(Dir(t), "rulesheets", name+".kif")))(t)
	return src
}

// Trace returns the file of the recorded matches of a rulesheet, and reports whether there is one.
func Trace(t testing.TB, name string) (file string, ok bool) {
	t.Helper()
	file = filepath.Join(Dir(t), "traces", name+".jsonl.gz")
	_, err := os.Stat(file)
	return file, err == nil
}
