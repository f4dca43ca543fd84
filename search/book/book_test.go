package book

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search"
)

// names makes a machine that is only good for its names: 70 fluents, so that a
// position has two words, in ascending or descending order.
func names(descending bool) machine.Machine {
	n := &machine.Names{Roles: []string{"left", "right"}, Moves: make([][]string, 2)}
	for f := range 70 {
		if descending {
			f = 69 - f
		}
		n.Fluents = append(n.Fluents, fmt.Sprint("f", f))
	}
	for m := range 5 {
		if descending {
			m = 4 - m
		}
		for r := range n.Moves {
			n.Moves[r] = append(n.Moves[r], fmt.Sprintf("(play %d)", m))
		}
	}
	return scalar.New(n, make(machine.State, 2), machine.Info{}, func() scalar.Stepper { return nil })
}

var label = Label{Game: "toy", Rules: "digest of the rules", Method: "bi"}

// drawBook draws a book and the positions that are in it.
func drawBook(t *rapid.T) (*Book, []machine.State) {
	b := New(names(false), label, 0)
	var positions []machine.State
	for range rapid.IntRange(0, 20).Draw(t, "positions") {
		q := make(machine.State, 2)
		for _, f := range rapid.SliceOfN(rapid.IntRange(0, 69), 0, 5).Draw(t, "fluents") {
			q.Set(f)
		}
		claim := search.Claim{
			Value:      float64(rapid.IntRange(0, 300).Draw(t, "value")) / 3,
			Strategies: [][]search.Weighted{{{Move: machine.Move(rapid.IntRange(0, 4).Draw(t, "move")), Probability: 1}}, nil},
		}
		if rapid.Bool().Draw(t, "mixed") {
			claim.Strategies[1] = []search.Weighted{{Move: 0, Probability: 1. / 3}, {Move: 4, Probability: 2. / 3}}
		}
		must.OK(t, b.add(q, claim))
		positions = append(positions, q)
	}
	return b, positions
}

func written(t rapid.TB, b *Book) []byte {
	t.Helper()
	var file bytes.Buffer
	must.OK(t, b.write(&file))
	return file.Bytes()
}

func TestABookReadsAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := drawBook(t)
		file := written(t, b)
		got := must.Get(read(bytes.NewReader(file), b.machine, label.Rules, 0))(t)
		if diff := cmp.Diff(b.claims, got.claims); diff != "" || got.Label != label {
			t.Fatalf("label %v, claims (-written +read):\n%s", got.Label, diff)
		}
		if !bytes.Equal(file, written(t, got)) {
			t.Fatal("equal books make different files")
		}
	})
}

func TestABookFitsAnotherEngineOfTheGame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, positions := drawBook(t)
		other := names(true)
		got := must.Get(read(bytes.NewReader(written(t, b)), other, label.Rules, 0))(t)
		for _, q := range positions {
			want, _ := b.Lookup(q)
			there := must.Get(other.Names().State(b.machine.Names().AppendFluents(nil, q)))(t)
			claim, ok := got.Lookup(there)
			if !ok || claim.Value != want.Value {
				t.Fatalf("value %v (known %v), want %v", claim.Value, ok, want.Value)
			}
			for r, strategy := range want.Strategies {
				for i, w := range strategy {
					if c := claim.Strategies[r][i]; c.Move != 4-w.Move || c.Probability != w.Probability {
						t.Fatalf("found %v for %v", c, w)
					}
				}
			}
		}
	})
}

func TestDamagedFilesAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := drawBook(t)
		file := written(t, b)
		cut := rapid.IntRange(0, len(file)-1).Draw(t, "cut")
		if _, err := read(bytes.NewReader(file[:cut]), b.machine, label.Rules, 0); err == nil {
			t.Fatalf("a file of %d bytes cut off after %d is read", len(file), cut)
		}
	})
}

// compress makes a file of a header line and a body.
func compress(content string) []byte {
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	io.WriteString(z, content)
	z.Close()
	return file.Bytes()
}

func TestBadFilesAreNamed(t *testing.T) {
	const head = `{"format":"stackmate solution","version":2,"game":"toy","rules":"R","method":"bi","positions":1,` +
		`"roles":["left","right"],"moves":[["(play 0)","jump"],["(play 0)"]],"fluents":["f0","other"]}` + "\n"
	value := strings.Repeat("\x00", 8)
	number := func(v float64) string { return string(appendFloat(nil, v)) }
	for want, content := range map[string]string{
		"expected a solution saved by stackmate": "hello",
		"version 2 of the format, found 1":       strings.Replace(head, `"version":2`, `"version":1`, 1),
		"found one of toy":                       strings.Replace(head, `"rules":"R"`, `"rules":"Q"`, 1),
		"expected the roles":                     strings.Replace(head, `"left"`, `"red"`, 1),
		"position 1 of 1: number of fluents":     head,
		"number below 1, found 1":                head + "\x01",
		"number below 3, found 9":                head + "\x00\x09",
		"found number 1":                         head + "\x00\x01\x02" + value,
		"value: the file ends too early":         head + "\x00\x01\x01\x00",
		"strategy of left: number of moves":      head + "\x00\x00" + value + "\x07",
		"found jump with 0":                      head + "\x00\x00" + value + "\x01\x01" + value,
		"expected a number, found NaN":           head + "\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff",
		"from 0 to 100, found 9999":              head + "\x00\x00" + number(9999),
		"from 0 to 100, found -1":                head + "\x00\x00" + number(-1),
		"strategy of left: expected probabilities with the sum 1, found the sum 1e-09": head + "\x00\x00" + value + "\x01\x00" + number(1e-9),
		"with the sum 1, found the sum 2":                                              head + "\x00\x00" + value + "\x02\x00" + number(1) + "\x00" + number(1),
		"expected the end, found more":                                                 head + "\x00\x00" + value + "\x00\x00more",
	} {
		_, err := read(bytes.NewReader(compress(content)), names(false), "R", 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := read(strings.NewReader("plain text"), names(false), "R", 0); !errors.Is(err, errFormat) {
		t.Errorf("error %v", err)
	}
}

func TestASavedBookReplacesTheFileAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "toy.solution")
	for _, value := range []float64{10, 20} {
		b := New(names(false), label, 0)
		must.OK(t, b.add(machine.State{1, 2}, search.Claim{Value: value, Strategies: make([][]search.Weighted, 2)}))
		must.OK(t, b.Save(path))
		got := must.Get(Load(path, b.machine, label.Rules, 0))(t)
		if claim, ok := got.Lookup(machine.State{1, 2}); !ok || claim.Value != value || got.Len() != 1 {
			t.Errorf("value %v (known %v), want %v", claim.Value, ok, value)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
	if err := New(names(false), label, 0).Save(filepath.Join(dir, "no", "such")); err == nil || !strings.Contains(err.Error(), "cannot save") {
		t.Errorf("error %v", err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	b := New(names(false), label, 1000)
	var err error
	for i := range 100 {
		if err = b.add(machine.State{uint64(i), 0}, search.Claim{}); err != nil {
			break
		}
	}
	if !errors.Is(err, search.ErrMemory) || b.Len() == 0 || b.Len() > 20 {
		t.Errorf("error %v after %d positions", err, b.Len())
	}
}

// counted counts how often it is asked.
type counted struct{ calls int }

func (c *counted) At(context.Context, machine.State) (search.Claim, error) {
	c.calls++
	return search.Claim{Value: 7}, nil
}

func TestARecorderAsksOnceForEachPosition(t *testing.T) {
	b, source := New(names(false), label, 0), &counted{}
	s := b.Recorder(source)
	for range 3 {
		if claim, err := s.At(context.Background(), machine.State{5, 6}); err != nil || claim.Value != 7 {
			t.Fatalf("claim %v, error %v", claim, err)
		}
	}
	if source.calls != 1 || b.Len() != 1 {
		t.Errorf("%d calls, %d positions", source.calls, b.Len())
	}
	if _, err := b.At(context.Background(), machine.State{1, 0}); err == nil || !strings.Contains(err.Error(), "f0") {
		t.Errorf("unknown position: error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"format":"stackmate solution","version":2,"rules":"R","positions":1,"roles":["left","right"],"moves":[["(play 0)"],["(play 1)"]],"fluents":["f0"]}` + "\n\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		b, err := read(bytes.NewReader(compress(string(content))), names(false), "R", 1<<20)
		if err == nil && b.Label.Rules != "R" {
			t.Errorf("a book of other rules is read: %v", b.Label)
		}
	})
}
