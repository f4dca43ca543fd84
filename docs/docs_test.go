// Package docs tests the documents: it has no code.
package docs

//go:generate go test -run TestTheCommandsPageIsCurrent -update

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/cli"
	"stackmate/internal/must"
)

var update = flag.Bool("update", false, "write the generated pages")

// documents returns all Markdown files of the project, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	list := make(map[string]string)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || path == "../dist" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			list[path] = string(text)
		}
		return nil
	})
	if err != nil || len(list) < 10 {
		t.Fatalf("%d documents, %v", len(list), err)
	}
	return list
}

func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	for path, text := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), found[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", path, found[1])
			}
		}
	}
}

func TestDocumentsAreShort(t *testing.T) {
	limits := map[string]int{"../README.md": 150, "../ARCHITECTURE.md": 250}
	for path, text := range documents(t) {
		most, listed := limits[path]
		if !listed && filepath.Base(path) == "README.md" {
			most = 80
		}
		if n := strings.Count(text, "\n"); most > 0 && n > most {
			t.Errorf("%s has %d lines, more than %d", path, n, most)
		}
	}
}

func TestFilesThatDocumentsNameExist(t *testing.T) {
	file := regexp.MustCompile("`((?:gdl|reasoner|search|player|protocol|games|internal|tools)/[\\w./]+)`")
	for path, text := range documents(t) {
		for _, found := range file.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", found[1])); err != nil {
				t.Errorf("%s: there is no %s", path, found[1])
			}
		}
	}
}

func TestCodeInDocumentsIsThatOfExamples(t *testing.T) {
	var examples strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "example_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		examples.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	for path, text := range documents(t) {
		for _, found := range block.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(found[1], "package main\n") {
				continue // TestAProgramOutsideOfTheTreeUsesTheModule runs it
			}
			if !strings.Contains(examples.String(), found[1]) {
				t.Errorf("%s: no example has this code:\n%s", path, found[1])
			}
		}
	}
}

func TestTheCommandsPageIsCurrent(t *testing.T) {
	const page = "commands.md"
	var want bytes.Buffer
	must.OK(t, cli.WriteReference(&want))
	if *update {
		must.OK(t, os.WriteFile(page, want.Bytes(), 0o644))
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what \"go generate ./docs\" writes (%v)", page, err)
	}
}

func TestBenchmarksThatDocumentsNameExist(t *testing.T) {
	var benchmarks []string
	function := regexp.MustCompile(`(?m)^func Benchmark(\w+)\(b \*testing\.B\)`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range function.FindAllStringSubmatch(string(text), -1) {
			benchmarks = append(benchmarks, "Benchmark"+found[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`-bench '?([A-Za-z]+)`)
	for path, text := range documents(t) {
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			if !slices.ContainsFunc(benchmarks, func(b string) bool { return strings.Contains(b, found[1]) }) {
				t.Errorf("%s: no benchmark %s", path, found[1])
			}
		}
	}
}
