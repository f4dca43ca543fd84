package gdl_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/internal/must"
)

// snippets runs the files of an archive in testdata and compares the findings
// that keep accepts, written as CODE@line:column.
func snippets(t *testing.T, archive string, keep func(gdl.Diagnostic) bool) {
	a := must.Get(txtar.ParseFile(filepath.Join("testdata", archive)))(t)
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			src := string(f.Data)
			first, _, _ := strings.Cut(src, "\n")
			want := strings.Fields(strings.TrimLeft(first, ";%"))
			if slices.Contains(want, "whole") {
				want = slices.DeleteFunc(want, func(s string) bool { return s == "whole" })
			} else {
				src += frame
			}
			_, found, err := gdl.Load(t.Context(), f.Name, []byte(src))
			var got []string
			for _, d := range found {
				if keep(d) {
					got = append(got, fmt.Sprintf("%s@%d:%d", d.Code, d.Pos.Line, d.Pos.Column))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("findings (-want +got):\n%s%v", d, err)
			}
		})
	}
}

func TestFaultySnippetsHaveExactlyTheExpectedErrors(t *testing.T) {
	snippets(t, "errors.txtar", gdl.Diagnostic.IsError)
}

func TestOddSnippetsHaveExactlyTheExpectedWarnings(t *testing.T) {
	snippets(t, "warnings.txtar", func(gdl.Diagnostic) bool { return true })
}
