package gdl_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/internal/corpus"
)

// sameFile reports whether two texts have the same forms and the same comments.
func sameFile(t *testing.T, a, b []byte) bool {
	t.Helper()
	return cmp.Equal(forms(t, a), forms(t, b)) && cmp.Equal(comments(t, a), comments(t, b))
}

func forms(t *testing.T, src []byte) string {
	t.Helper()
	tree, err := gdl.Parse("", src)
	if err != nil {
		t.Fatal(err)
	}
	return gdl.Print(tree)
}

func comments(t *testing.T, src []byte) []string {
	t.Helper()
	tree, err := gdl.Parse("", src)
	if err != nil {
		t.Fatal(err)
	}
	return gdl.Comments(tree, src)
}

func TestFormatOfEveryRulesheetKeepsRulesAndCommentsAndIsIdempotent(t *testing.T) {
	for _, sheet := range corpus.Rulesheets(t) {
		file, src := sheet.Name, corpus.Source(t, sheet.Name)
		once, err := gdl.Format(src)
		if err != nil {
			t.Fatal(err)
		}
		if !sameFile(t, src, once) {
			t.Errorf("%s: forms or comments have changed", file)
		}
		twice, err := gdl.Format(once)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(once), string(twice)); d != "" {
			t.Errorf("%s: formatting again changes (-once +twice):\n%s", file, d)
		}
	}
}

func TestFormatGivesTheLayoutOfTheExamples(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "format.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(a.Files, 2) {
		t.Run(pair[0].Name, func(t *testing.T) {
			got, err := gdl.Format(pair[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(pair[1].Data), string(got)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			again, err := gdl.Format(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("formatting again gives %s, error %v", again, err)
			}
			if !sameFile(t, pair[0].Data, got) {
				t.Error("forms or comments have changed")
			}
		})
	}
}

func TestFormatOfFaultyTextIsRefusedWithThePosition(t *testing.T) {
	_, err := gdl.Format([]byte("(role p)\n(init (a)"))
	if err == nil || !strings.HasPrefix(err.Error(), "2:1: E002") {
		t.Errorf("error %v, want one at 2:1", err)
	}
}
