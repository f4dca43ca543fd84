package book

import (
	"bytes"
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/sequential"
)

func TestASearchGoesOnWhereItWasKept(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-5x4")
	path := filepath.Join(t.TempDir(), "kept")
	whole, err := sequential.New(sequential.Config{}).Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 1 << 26})
	if err != nil || !whole.Solved() {
		t.Fatal(err, whole.Values)
	}
	first, second := sequential.New(sequential.Config{}), sequential.New(sequential.Config{})
	must.Get(first.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 1 << 26, MaxNodes: whole.Nodes / 2}))(t)
	label := Label{Game: "four", Rules: "digest", Method: "bab"}
	must.OK(t, SaveProofs(path, m, label, first))
	must.OK(t, LoadProofs(path, m, label, second, 1<<26))
	rest, err := second.Search(t.Context(), m, m.Initial(), search.Limits{MaxBytes: 1 << 26})
	if err != nil || rest.Values[0] != whole.Values[0] || rest.Nodes > whole.Nodes*3/4 {
		t.Errorf("%v after %d nodes more, error %v; want %v, and the whole takes %d", rest.Values, rest.Nodes, err, whole.Values, whole.Nodes)
	}
	if err := LoadProofs(path, m, Label{Rules: "another", Method: "bab"}, second, 1<<26); err == nil || !strings.Contains(err.Error(), "rules are others") {
		t.Errorf("of other rules: error %v", err)
	}
	if err := LoadProofs(path, m, Label{Rules: "digest", Method: "dfs"}, second, 1<<26); err == nil || !strings.Contains(err.Error(), "by method dfs") {
		t.Errorf("by another method: error %v", err)
	}
}

// keeper remembers some records.
type keeper struct {
	search.Searcher
	list [][]uint64
}

func (k *keeper) Kept() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		for _, r := range k.list {
			if !yield(r) {
				return
			}
		}
	}
}

func (k *keeper) Keep(_ machine.Machine, _ int64, records iter.Seq2[[]uint64, error]) error {
	for r, err := range records {
		if err != nil {
			return err
		}
		k.list = append(k.list, append([]uint64(nil), r...))
	}
	return nil
}

func TestDamagedProofsAreRefused(t *testing.T) {
	m := gamestest.Machine(t, "ticTacToe")
	var whole bytes.Buffer
	must.OK(t, writeProofs(&whole, m, Label{Game: "g", Rules: "r"}, &keeper{list: [][]uint64{{1, 2, 3}, {4, 5, 6}}}))
	var same keeper
	if err := readProofs(bytes.NewReader(whole.Bytes()), m, Label{Rules: "r"}, &same, 0); err != nil || len(same.list) != 2 || same.list[1][2] != 6 {
		t.Errorf("read %v, error %v", same.list, err)
	}
	for n := range whole.Len() {
		if err := readProofs(bytes.NewReader(whole.Bytes()[:n]), m, Label{Rules: "r"}, &keeper{}, 0); err == nil {
			t.Errorf("the first %d bytes are taken for the whole", n)
		}
	}
	for i := range whole.Len() {
		if 3 < i && i < 10 { // time and system, which say nothing
			continue
		}
		bad := bytes.Clone(whole.Bytes())
		bad[i] ^= 0x10
		var got keeper
		if err := readProofs(bytes.NewReader(bad), m, Label{Rules: "r"}, &got, 0); err == nil {
			t.Errorf("byte %d of %d changed: no error, %v", i, whole.Len(), got.list)
		}
	}
	missing := filepath.Join(t.TempDir(), "none")
	if err := LoadProofs(missing, m, Label{Rules: "r"}, &keeper{}, 0); err == nil {
		t.Error("a file that is not there is read")
	}
	must.OK(t, os.WriteFile(missing, []byte("nonsense"), 0o600))
	if err := LoadProofs(missing, m, Label{Rules: "r"}, &keeper{}, 0); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("nonsense: %v", err)
	}
}

func TestProofsCanBeKeptInTheMiddleOfASearch(t *testing.T) {
	m := gamestest.Machine(t, "connectFour-5x5")
	v := sequential.New(sequential.Config{Threads: 2})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "kept")
	_, err := v.Search(ctx, m, m.Initial(), search.Limits{MaxBytes: 1 << 26, Progress: func(r search.Result) {
		if r.Nodes < 5000 {
			return
		}
		if err := SaveProofs(path, m, Label{}, v); err != nil {
			t.Error(err)
		}
		cancel()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := LoadProofs(path, m, Label{}, sequential.New(sequential.Config{}), 1<<26); err != nil {
		t.Error(err)
	}
}
