package docs

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// home is the path that the module gets for the test, at a version of its own.
const home, homeVersion = "example.org/someone/stackmate", "v0.1.0"

// TestAProgramOutsideOfTheTreeUsesTheModule gives a copy of the tree the path of a home and serves it as a module proxy in a folder
// does. Another module gets it from there, with all other modules from the cache, and runs the program of library.md.
func TestAProgramOutsideOfTheTreeUsesTheModule(t *testing.T) {
	exhaustive.Only(t, "builds a program with another module path, about 20 s of processor time")
	tree, proxy, outside := t.TempDir(), t.TempDir(), t.TempDir()
	copyTree(t, tree)
	command(t, tree, nil, "git", "init", "-q")
	command(t, tree, nil, "git", "add", "-A")
	command(t, filepath.Join("..", "tools"), nil, "go", "run", "./module", "-root", tree, home)
	publish(t, tree, filepath.Join(proxy, filepath.FromSlash(home), "@v"))

	text := read(t, "library.md")
	program := regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n\n```text\n(.*?)```").FindStringSubmatch(text)
	if program == nil {
		t.Fatal("library.md has no program with its output")
	}
	write(t, filepath.Join(outside, "main.go"), strings.ReplaceAll(program[1], `"stackmate/`, `"`+home+`/`))
	command(t, ".", nil, "go", "mod", "graph") // brings the go.mod files that another module needs, too, into the cache
	cache := strings.TrimSpace(command(t, ".", nil, "go", "env", "GOMODCACHE"))
	env := []string{
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")),
		"GOSUMDB=off", "GONOSUMDB=", "GONOPROXY=none", "GOPRIVATE=", "GOWORK=off", "GOFLAGS=-trimpath -modcacherw", "GOMODCACHE=" + t.TempDir(),
	}
	command(t, outside, env, "go", "mod", "init", "example.org/outside")
	command(t, outside, env, "go", "get", home+"@"+homeVersion)
	if got := command(t, outside, env, "go", "run", "."); got != program[2] {
		t.Errorf("the program prints\n%s\nlibrary.md shows\n%s", got, program[2])
	}
}

func TestGoModReplacesNothing(t *testing.T) {
	if found := regexp.MustCompile(`(?m)^\s*(replace|exclude)\b.*`).FindString(read(t, filepath.Join("..", "go.mod"))); found != "" {
		t.Errorf("go install refuses a module with %q in its go.mod", found)
	}
}

// copyTree copies the files of the work tree that git has, or would add, into a folder.
func copyTree(t *testing.T, folder string) {
	t.Helper()
	list := command(t, "..", nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for _, name := range strings.Split(strings.TrimRight(list, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", name))
		if os.IsNotExist(err) { // removed in the work tree
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), string(text))
	}
}

// publish writes the files that a module proxy serves for the module in a tree. Folder tools is a module of its own.
func publish(t *testing.T, tree, folder string) {
	t.Helper()
	write(t, filepath.Join(folder, "list"), homeVersion+"\n")
	write(t, filepath.Join(folder, homeVersion+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2020-01-01T00:00:00Z"}`, homeVersion))
	write(t, filepath.Join(folder, homeVersion+".mod"), read(t, filepath.Join(tree, "go.mod")))
	out := must.Get(os.Create(filepath.Join(folder, homeVersion+".zip")))(t)
	archive := zip.NewWriter(out)
	list := command(t, tree, nil, "git", "ls-files", "-z", ":!tools")
	for _, name := range strings.Split(strings.TrimRight(list, "\x00"), "\x00") {
		file := must.Get(archive.Create(home + "@" + homeVersion + "/" + name))(t)
		must.Get(file.Write([]byte(read(t, filepath.Join(tree, name)))))(t)
	}
	must.OK(t, archive.Close())
	must.OK(t, out.Close())
}

// write writes a file and the folders above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

// command runs a program in a folder, with more variables of the environment, and returns its standard output.
func command(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	var fault strings.Builder
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env, c.Stderr = folder, append(os.Environ(), env...), &fault
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, fault.String())
	}
	return string(out)
}

// TestTheProgramForPythonDrawsEachStrategy runs the program of python.md with a library that counts the bars drawn.
func TestTheProgramForPythonDrawsEachStrategy(t *testing.T) {
	exhaustive.Only(t, "needs Python")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindStringSubmatch(read(t, "python.md"))
	if program == nil || strings.Count(program[1], "\n") > 35 {
		t.Fatalf("python.md has no short program: %q", program)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plot.py"), program[1])
	write(t, filepath.Join(dir, "matplotlib", "__init__.py"), "")
	write(t, filepath.Join(dir, "matplotlib", "pyplot.py"), `class Figure:
    def bar(self, places, heights): print(len(places), "%.3f" % sum(heights))
    def __getattr__(self, name): return lambda *values: None
def subplots(count, **options): return Figure(), [Figure() for _ in range(count)]
`)
	if got, want := command(t, dir, nil, python, "plot.py"), "3 1.000\n4 1.000\n5 1.000\n6 1.000\n7 1.000\n"; got != want {
		t.Errorf("the program draws\n%s\nwant cards and the sum of their probabilities\n%s", got, want)
	}
}

// TestWorkflowsRunStagesThatThereAre compares the stages of the workflows with the stages of .ci/run.
func TestWorkflowsRunStagesThatThereAre(t *testing.T) {
	script, workflow := read(t, filepath.Join("..", ".ci", "run")), read(t, filepath.Join("..", ".github", "workflows", "checks.yml"))
	_, matrix, _ := strings.Cut(workflow, "stages:\n")
	matrix, _, _ = strings.Cut(matrix, "steps:")
	listed := strings.Fields(strings.ReplaceAll(matrix, "- ", "") + " install")
	for _, name := range listed {
		if !strings.Contains(script, "\nstage_"+name+"() {") {
			t.Errorf(".ci/run has no stage %s", name)
		}
	}
	for _, found := range regexp.MustCompile(`(?m)^stage_(\w+)\(\)`).FindAllStringSubmatch(script, -1) {
		if !slices.Contains(listed, found[1]) {
			t.Errorf("no workflow runs stage %s", found[1])
		}
	}
	if strings.Contains(workflow, "://") {
		t.Error("the workflow names a host")
	}
}
