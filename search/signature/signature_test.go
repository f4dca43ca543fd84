package signature_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/signature"
)

var update = flag.Bool("update", false, "write signature.txt anew")

// Searches change only on purpose: run the test with -update after a change; the commit shows the difference.
func TestSearchesDoWhatTheSignatureSays(t *testing.T) {
	exhaustive.Only(t, "all searches on all games take seconds")
	var entries []signature.Entry
	compile := func(ctx context.Context, game string) (machine.Machine, error) {
		return reasoner.New(ctx, gamestest.Rules(t, game), reasoner.Options{Kernel: signature.Kernel})
	}
	err := signature.Run(t.Context(), compile, func(e signature.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := signature.Format(entries)
	const file = "signature.txt"
	if *update {
		must.OK(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(file))(t)
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("-signature.txt +now:\n%s", d)
	}
}
