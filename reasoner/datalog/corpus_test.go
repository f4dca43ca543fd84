package datalog

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/trace"
)

// rulesheets returns every stride-th rulesheet of the corpus by name; in short mode,
// every shortStride-th.
func rulesheets(t testing.TB, stride int) []string {
	t.Helper()
	if !exhaustive.On() {
		stride = shortStride
	}
	var names []string
	for i, sheet := range corpus.Rulesheets(t) {
		if i%stride == 0 {
			names = append(names, sheet.Name)
		}
	}
	return names
}

const (
	shortStride   = 12
	programStride = 4 // ground programs: the circuit is compiled from them, and its tests replay all
)

func loadRulesheet(t testing.TB, name string) *gdl.Game {
	t.Helper()
	return load(t, name+".kif", string(corpus.Source(t, name)))
}

func load(t rapid.TB, name, src string) *gdl.Game {
	t.Helper()
	g, _ := must.Get2(gdl.Load(context.Background(), name, []byte(src)))(t)
	return g
}

// replay compares m with all recorded matches of a rulesheet.
func replay(t *testing.T, name string, m machine.Machine) {
	t.Helper()
	file, ok := corpus.Trace(t, name)
	if !ok {
		t.Log("no recorded matches")
		return
	}
	for match, err := range trace.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		must.OK(t, trace.Replay(m, match))
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
	for _, name := range rulesheets(t, programStride) {
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
	for _, name := range rulesheets(t, 1) {
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

// checkContract tests the documented properties of a Program.
func checkContract(t *testing.T, p *Program) {
	t.Helper()
	for i, h := range p.Head {
		body := p.Body[p.Start[i]:p.Start[i+1]]
		if len(body) == 0 {
			t.Fatalf("rule %d: the head %d is a fact", i, h)
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
