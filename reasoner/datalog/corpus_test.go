package datalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/trace"
)

// corpusDir is the folder with rulesheets and traces; the test is skipped where
// there is none.
func corpusDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("STACKMATE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "rulesheets")); err != nil {
		t.Skip("no corpus of rulesheets at " + dir + "; STACKMATE_CORPUS names its folder")
	}
	return dir
}

// rulesheets lists the rulesheets of the corpus by name; in short mode, some.
func rulesheets(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpusDir(t), "rulesheets", "*.kif"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, file := range files {
		if !testing.Short() || i%shortStride == 0 {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".kif"))
		}
	}
	return names
}

// shortStride is how many rulesheets there are to one that a short run takes.
const shortStride = 12

func source(t testing.TB, name string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(corpusDir(t), "rulesheets", name+".kif"))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func loadRulesheet(t testing.TB, name string) *gdl.Game {
	t.Helper()
	return load(t, name+".kif", string(source(t, name)))
}

func load(t rapid.TB, name, src string) *gdl.Game {
	t.Helper()
	g, _, err := gdl.Load(context.Background(), name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// replay compares m with all recorded matches of a rulesheet.
func replay(t *testing.T, name string, m machine.Machine) {
	t.Helper()
	file := filepath.Join(corpusDir(t), "traces", name+".jsonl.gz")
	if _, err := os.Stat(file); err != nil {
		t.Log("no recorded matches")
		return
	}
	for match, err := range trace.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		if err := trace.Replay(m, match); err != nil {
			t.Fatal(err)
		}
	}
}

// skipTooLarge skips a game that exceeds the default limits.
func skipTooLarge(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrLimit) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestGroundProgramsReplayTheCorpus(t *testing.T) {
	for _, name := range rulesheets(t) {
		t.Run(name, func(t *testing.T) {
			g := loadRulesheet(t, name)
			start := time.Now()
			p, err := Ground(context.Background(), g, Limits{})
			skipTooLarge(t, err)
			t.Logf("%.2f s, %d fluents, %d inputs, %d signals, %d rules, %d literals", time.Since(start).Seconds(),
				len(p.Names.Fluents), p.inputs(), p.Signals, len(p.Head), len(p.Body))
			checkContract(t, p)
			replay(t, name, newProgramMachine(p))
		})
	}
}

func TestMachinesReplayTheCorpus(t *testing.T) {
	for _, name := range rulesheets(t) {
		t.Run(name, func(t *testing.T) {
			g := loadRulesheet(t, name)
			start := time.Now()
			m, err := NewMachine(context.Background(), g, Limits{})
			skipTooLarge(t, err)
			t.Logf("%.2f s, %d rules, %d bytes", time.Since(start).Seconds(), m.Info().Gates, m.Info().Bytes)
			replay(t, name, m)
		})
	}
}

func (p *Program) inputs() int {
	n := len(p.Names.Fluents)
	for _, table := range p.Names.Moves {
		n += len(table)
	}
	return n
}

// checkContract tests what Program promises.
func checkContract(t *testing.T, p *Program) {
	t.Helper()
	for i, h := range p.Head {
		body := p.Body[p.Start[i]:p.Start[i+1]]
		if len(body) == 0 {
			t.Fatalf("rule %d: the head %s is a fact", i, p.AtomName(h))
		}
		if int(h) < p.inputs() || int32(h) >= p.Signals {
			t.Fatalf("rule %d: head %d is no derived atom", i, h)
		}
		for k, l := range body {
			if l < 0 || int32(l.Signal()) >= p.Signals {
				t.Fatalf("rule %d: literal %d speaks of no signal", i, l)
			}
			if k > 0 && body[k-1].Signal() >= l.Signal() {
				t.Fatalf("rule %d: signal %d twice or out of order", i, l.Signal())
			}
		}
	}
	if !slices.IsSorted(p.Names.Fluents) || !slices.IsSorted(p.Init) {
		t.Fatal("fluents are not in order")
	}
}
