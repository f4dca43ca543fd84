package ground

import (
	"context"
	"slices"
	"testing"
	"time"

	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
)

func TestGroundProgramsReplayTheCorpus(t *testing.T) {
	for _, name := range gametest.Rulesheets(t, 4) {
		t.Run(name, func(t *testing.T) {
			g := gametest.LoadRulesheet(t, name)
			start := time.Now()
			p, err := New(context.Background(), g, datalog.Limits{})
			gametest.SkipTooLarge(t, err)
			t.Logf("%.2f s, %d fluents, %d inputs, %d atoms, %d rules, %d literals", time.Since(start).Seconds(),
				len(p.Names.Fluents), p.inputs(), p.Atoms, len(p.Head), len(p.Body))
			checkContract(t, p)
			gametest.Replay(t, name, newProgramMachine(p))
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
		if int(h) < p.inputs() || int32(h) >= p.Atoms {
			t.Fatalf("rule %d: head %d is no derived atom", i, h)
		}
		for k, l := range body {
			if l < 0 || int32(l.Atom()) >= p.Atoms {
				t.Fatalf("rule %d: literal %d has no atom of the program", i, l)
			}
			if k > 0 && body[k-1].Atom() >= l.Atom() {
				t.Fatalf("rule %d: atom %d twice or out of order", i, l.Atom())
			}
		}
	}
	if !slices.IsSorted(p.Names.Fluents) || !slices.IsSorted(p.Init) {
		t.Fatal("fluents are not in order")
	}
}
