package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

func TestTheTestsThatReachTheTiersAreFound(t *testing.T) {
	const header = "package p\nimport (\"testing\"; \"stackmate/internal/exhaustive\"; \"stackmate/internal/corpus\")\n"
	files := make(map[string]*ast.File)
	for name, text := range map[string]string{
		"internal/corpus/corpus.go": "package corpus\nimport \"stackmate/internal/exhaustive\"\nfunc Rulesheets() { exhaustive.Only(nil, \"\") }\n",
		"p/p_test.go": header + `
func TestAtOnce(t *testing.T) { exhaustive.Only(t, "") }
func TestOfAHelper(t *testing.T) { step(t) }
func TestOfAVariable(t *testing.T) { _ = size }
func TestOfAMethod(t *testing.T) { s{}.often() }
func TestOfAnotherPackage(t *testing.T) { corpus.Rulesheets() }
func TestTheSame(t *testing.T) { exhaustive.NotUnderRace(t, "") }
func BenchmarkAll(b *testing.B) { exhaustive.Only(b, "") }
`,
		"p/helpers_test.go":     header + "func step(t *testing.T) { exhaustive.Choose(1, 2) }\nvar size = exhaustive.Choose(1, 2)\ntype s struct{}\nfunc (s) often() { exhaustive.On() }\n",
		"main/main_test.go":     header + "func TestMain(m *testing.M) { exhaustive.On() }\nfunc FuzzAll(f *testing.F) {}\n",
		"neither/plain_test.go": "package p\nimport \"testing\"\nfunc TestPlain(t *testing.T) { step(t) }\n",
	} {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
	}
	tests, folders := differing(files)
	if want := []string{"FuzzAll", "TestAtOnce", "TestOfAHelper", "TestOfAMethod", "TestOfAVariable", "TestOfAnotherPackage"}; !slices.Equal(tests, want) {
		t.Errorf("tests %v, want %v", tests, want)
	}
	if want := []string{"./main", "./p"}; !slices.Equal(folders, want) {
		t.Errorf("folders %v, want %v", folders, want)
	}
}

func TestTheModuleIsParsed(t *testing.T) {
	files, err := parse("../..")
	if tests, _ := differing(files); err != nil || !slices.Contains(tests, "TestSearchesDoWhatTheSignatureSays") {
		t.Errorf("%v, tests %v", err, tests)
	}
}
