package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestEveryFaultOfTheListCanBePlanted(t *testing.T) {
	faults, err := read("faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if _, err := f.plant("../.."); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// module writes a module with a function, a test that finds some faults of it, and a test of the exhaustive tier.
func module(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example\n",
		"p/p.go": "package p\n\nfunc Sum(a, b int) int {\n\tif a > 5 {\n\t\treturn b + a\n\t}\n\treturn a + b\n}\n",
		"p/p_test.go": `package p
import ("os"; "testing")
func TestSmall(t *testing.T) { if Sum(1, 2) != 3 { t.Error() } }
func TestLarge(t *testing.T) { if os.Getenv("STACKMATE_EXHAUSTIVE") != "" && Sum(6, 1) != 7 { t.Error() } }
`,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const list = `# a comment
p/p.go: minus
-return a + b
+return a - b

p/p.go: minus of large numbers
-return b + a
+return b - a

p/p.go: another order
-	if a > 5 {
-		return b + a
+	if a > 6 {
+		return b + a
equivalent: both orders have the same sum

p/p.go: a test that does not look
-return a + b
+return 0
test: ./p -run None
`

func TestFaultsAreFoundByTheTierThatFindsThem(t *testing.T) {
	faults, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = runner{root: module(t), limit: time.Minute, out: &out}.testAll(faults)
	if err == nil || !strings.Contains(err.Error(), "a test that does not look: LIVED") || strings.Contains(err.Error(), "order") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		"p/p.go: minus: found\n", "p/p.go: minus of large numbers: found by the exhaustive tier\n", "another order: LIVED\n",
		"p                                     3            0      1          1      1          1\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("expected %q in\n%s", want, out.String())
		}
	}
}

func TestFaultsThatCannotBePlantedAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"p/p.go: nowhere\n-return c\n+return d\n":              "found it 0 times",
		"p/p.go: in two places\n-return\n+\n":                  "found it 2 times",
		"p/p.go: no change\n-a > 5\n+a > 5\n":                  "changes nothing",
		"p/p.go: not compiled\n-return a + b\n+return c + b\n": "no test ran",
		"p/q.go: no file\n-a\n+b\n":                            "no such file",
		"no name\n":                                            "line 1: expected a file",
		"p/p.go: unknown\nmore: text\n":                        "line 2: expected -, +",
	} {
		faults, err := parse(text)
		if err == nil {
			err = runner{root: module(t), fast: true, limit: time.Minute, out: &strings.Builder{}}.testAll(faults)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
