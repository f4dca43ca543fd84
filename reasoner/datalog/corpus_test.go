package datalog

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
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

// eachRulesheet runs f as a subtest for every rulesheet of the corpus.
func eachRulesheet(t *testing.T, f func(t *testing.T, name string, g *gdl.Game)) {
	files, err := filepath.Glob(filepath.Join(corpusDir(t), "rulesheets", "*.kif"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".kif")
		t.Run(name, func(t *testing.T) { f(t, name, load(t, file)) })
	}
}

func load(t testing.TB, file string) *gdl.Game {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := gdl.Load(filepath.Base(file), src)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

type match struct {
	Roles []string
	Steps []struct {
		State []string
		Legal [][]string
		Joint []string
	}
	Final struct {
		Terminal bool
		State    []string
		Goals    []*int32
	}
}

func matches(t testing.TB, name string) []match {
	t.Helper()
	f, err := os.Open(filepath.Join(corpusDir(t), "traces", name+".jsonl.gz"))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []match
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); {
		var m match
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		m.normalise()
		list = append(list, m)
	}
	return list
}

// replay compares a machine with a recorded match.
func replay(m machine.Machine, record *match) error {
	n, b := m.Names(), m.NewBatch()
	state := slices.Clone(m.Initial())
	for i, step := range record.Steps {
		if got := sortedFluents(n, state); !slices.Equal(got, step.State) {
			return fmt.Errorf("step %d: state is %v, recorded %v", i, got, step.State)
		}
		b.Load(state, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 {
			return fmt.Errorf("step %d: terminal", i)
		}
		for r := range n.Roles {
			var got []string
			for _, mv := range b.AppendLegal(nil, 0, machine.Role(r)) {
				got = append(got, n.Moves[r][mv])
			}
			slices.Sort(got)
			if !slices.Equal(got, step.Legal[r]) {
				return fmt.Errorf("step %d: legal moves of %s are %v, recorded %v", i, n.Roles[r], got, step.Legal[r])
			}
			mv, ok := n.Move(machine.Role(r), step.Joint[r])
			if !ok {
				return fmt.Errorf("step %d: %s has no move %s", i, n.Roles[r], step.Joint[r])
			}
			b.Choose(0, machine.Role(r), mv)
		}
		b.Advance(1)
		b.Store(state, 1)
	}
	b.Load(state, 1)
	b.Evaluate(1)
	if got := sortedFluents(n, state); !slices.Equal(got, record.Final.State) {
		return fmt.Errorf("final state is %v, recorded %v", got, record.Final.State)
	}
	if got := b.Terminal()[0]&1 != 0; got != record.Final.Terminal {
		return fmt.Errorf("final position: terminal is %v, recorded %v", got, record.Final.Terminal)
	}
	goals := make([]int32, len(n.Roles))
	b.Goals(goals, 0)
	for r, want := range record.Final.Goals {
		if record.Final.Terminal && want != nil && goals[r] != *want {
			return fmt.Errorf("goal of %s is %d, recorded %d", n.Roles[r], goals[r], *want)
		}
	}
	return nil
}

func sortedFluents(n *machine.Names, s machine.State) []string {
	list := n.AppendFluents(nil, s)
	slices.Sort(list)
	return list
}

// normalise reads (p) as p: the recording engine takes them for two.
func (m *match) normalise() {
	fix := func(terms []string) {
		for i, t := range terms {
			if strings.HasPrefix(t, "(") && !strings.Contains(t, " ") {
				terms[i] = strings.Trim(t, "()")
			}
		}
		slices.Sort(terms)
	}
	for i := range m.Steps {
		fix(m.Steps[i].State)
		for _, legal := range m.Steps[i].Legal {
			fix(legal)
		}
	}
	fix(m.Final.State)
}

func TestGroundProgramsReplayTheCorpus(t *testing.T) {
	eachRulesheet(t, func(t *testing.T, name string, g *gdl.Game) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		p, err := Ground(ctx, g, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		seconds := time.Since(start).Seconds()
		moves := 0
		for _, table := range p.Names.Moves {
			moves += len(table)
		}
		t.Logf("%.2f s, %d fluents, %d moves, %d signals, %d rules, %d literals",
			seconds, len(p.Names.Fluents), moves, p.Signals, len(p.Head), len(p.Body))
		m := newProgramMachine(p)
		for i, record := range matches(t, name) {
			if err := replay(m, &record); err != nil {
				msg := err.Error()
				t.Fatalf("match %d: %s", i, msg[:min(len(msg), 600)])
			}
		}
	})
}

func TestMachineReplaysTheCorpus(t *testing.T) {
	eachRulesheet(t, func(t *testing.T, name string, g *gdl.Game) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		m, err := NewMachine(ctx, g, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		init := time.Since(start).Seconds()
		p := machine.NewPlayouts(m, m.Initial(), 1)
		start = time.Now()
		before := cpu()
		for time.Since(start) < 300*time.Millisecond {
			p.Step()
		}
		rate := float64(p.States) / (cpu()-before)
		in, err := newInterpreter(ctx, g, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		first := in.rate()
		in.calibrate()
		fmt.Printf("%-40s init %6.2f  %8.0f states/s work %8.0f -> %8.0f\n", name, init, rate, first, in.rate())
		for i, record := range matches(t, name) {
			if err := replay(m, &record); err != nil {
				msg := err.Error()
				t.Fatalf("match %d: %s", i, msg[:min(len(msg), 600)])
			}
		}
	})
}

func cpu() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// rate is the work per state of some random playouts.
func (in *interpreter) rate() float64 {
	s := newStepper(in)
	c := &calibration{in: in}
	c.play()
	work := s.meter.work
	for i := range c.samples {
		s.visit(&c.samples[i])
	}
	return float64(s.meter.work-work) / float64(len(c.samples))
}
