package gdl_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
)

// sameFile reports whether two texts have the same forms and the same comments.
func sameFile(t *testing.T, a, b []byte) bool {
	t.Helper()
	forms, comments := content(t, a)
	otherForms, otherComments := content(t, b)
	return forms == otherForms && slices.Equal(comments, otherComments)
}

// content returns the forms and the comments of a text.
func content(t *testing.T, src []byte) (forms string, comments []string) {
	t.Helper()
	tree := must.Get(gdl.Parse("", src))(t)
	return gdl.Print(tree), gdl.Comments(tree, src)
}

func TestFormatOfEveryRulesheetKeepsRulesAndCommentsAndIsIdempotent(t *testing.T) {
	for _, sheet := range corpus.Rulesheets(t) {
		file, src := sheet.Name, corpus.Source(t, sheet.Name)
		once := must.Get(gdl.Format(src))(t)
		if !sameFile(t, src, once) {
			t.Errorf("%s: forms or comments have changed", file)
		}
		twice := must.Get(gdl.Format(once))(t)
		if !bytes.Equal(once, twice) {
			t.Errorf("%s: formatting again changes (-once +twice):\n%s", file, cmp.Diff(string(once), string(twice)))
		}
	}
}

func TestFormatGivesTheLayoutOfTheExamples(t *testing.T) {
	a := must.Get(txtar.ParseFile(filepath.Join("testdata", "format.txtar")))(t)
	for pair := range slices.Chunk(a.Files, 2) {
		t.Run(pair[0].Name, func(t *testing.T) {
			got := must.Get(gdl.Format(pair[0].Data))(t)
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

// Texts with all kinds of line ends have one layout, and their findings one position.
func TestLinesEndInAnyWay(t *testing.T) {
	const unix = "(role p) ; one\n\n(<= terminal ; c1\n ; c2\n (true b))\n"
	want := must.Get(gdl.Format([]byte(unix)))(t)
	for _, end := range []string{"\r\n", "\r"} {
		src := strings.ReplaceAll(unix, "\n", end)
		if got := must.Get(gdl.Format([]byte(src)))(t); !bytes.Equal(got, want) {
			t.Errorf("%q is laid out as %q, want %q", src, got, want)
		}
		if _, err := gdl.Format([]byte(src + "(init")); err == nil || !strings.HasPrefix(err.Error(), "6:1: E002") {
			t.Errorf("error %v, want one at 6:1", err)
		}
	}
}

func TestFormatOfFaultyTextIsRefusedWithThePosition(t *testing.T) {
	_, err := gdl.Format([]byte("(role p)\n(init (a)"))
	if err == nil || !strings.HasPrefix(err.Error(), "2:1: E002") {
		t.Errorf("error %v, want one at 2:1", err)
	}
}
