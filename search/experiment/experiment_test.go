package experiment_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/internal/recent"
	"stackmate/internal/toys"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/experiment"
	"stackmate/search/solve"
)

// machines are the machines of built-in games, compiled once for all methods.
var machines = recent.Cache[string, machine.Machine]{Size: 16}

// compile returns the machine of a built-in game.
func compile(ctx context.Context, game string) (machine.Machine, error) {
	return machines.Get(game, func() (machine.Machine, error) { return compiled(ctx, game) })
}

func compiled(ctx context.Context, game string) (machine.Machine, error) {
	file, src, err := games.Source(game)
	if err != nil {
		return nil, err
	}
	rules, _, err := gdl.Load(ctx, file, src)
	if err != nil {
		return nil, err
	}
	return reasoner.New(ctx, rules, reasoner.Options{Kernel: "portable/64"})
}

func lab(smallest, largest int) *experiment.Lab {
	return &experiment.Lab{
		Compile: compile, Sizes: experiment.Range{Min: smallest, Max: largest}, Limit: time.Minute, Memory: 64,
	}
}

// rows runs an experiment and returns its rows.
func rows(t *testing.T, l *experiment.Lab, name string) []experiment.Row {
	t.Helper()
	var list []experiment.Row
	err := l.Run(t.Context(), name, func(r experiment.Row) error {
		list = append(list, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBackwardInductionCountsTheNodesOfThePaper(t *testing.T) {
	checked, largest, others := 0, exhaustive.Choose(4, 5), errors.New("the rows of other methods follow")
	err := lab(4, largest).Run(t.Context(), "goofspiel", func(r experiment.Row) error {
		if r.Method != "bi" || r.Paper == nil || r.Paper.LPCalls == 0 {
			return nil
		}
		checked++
		if int64(r.Nodes) != r.Paper.Nodes || int64(r.LPCalls) != r.Paper.LPCalls {
			t.Errorf("size %d: %v nodes and %v LPs, the paper has %d and %d", r.Size, r.Nodes, r.LPCalls, r.Paper.Nodes, r.Paper.LPCalls)
		}
		if r.Size == largest {
			return others
		}
		return nil
	})
	if checked != largest-3 || !errors.Is(err, others) {
		t.Errorf("%d rows of Table 2, error %v", checked, err)
	}
}

// In the rules the lowest card comes first, which is the worst order.
func TestSMABExpandsNoMoreNodesThanThePaperThroughTheRules(t *testing.T) {
	published := []int64{55, 516, 13_560, 757_699} // Table 4, s = 0, sizes 4 to 7
	if !exhaustive.On() {
		published = published[:3]
	}
	for i, nodes := range published {
		game := fmt.Sprintf("goofspiel-%d", 4+i)
		m := must.Get(compile(t.Context(), game))(t)
		solver := must.Get(solve.New(solve.Options{Method: "smab", LP: "native", Order: "l", Memory: 64}))(t)
		got, err := solver.Search(t.Context(), m, m.Initial(), search.Limits{})
		if err != nil || !got.Solved() || got.Nodes > nodes {
			t.Errorf("%s: %d nodes (solved: %v, error: %v), the paper has %d", game, got.Nodes, got.Solved(), err, nodes)
		}
	}
}

func TestAllMethodsAgreeOnTheValue(t *testing.T) {
	few := map[string]int{"bidding": 1, "tron": 3, "pursuit": 2}
	for name, size := range exhaustive.Choose(few, map[string]int{"goofspiel": 4, "oshizumo": 8, "bidding": 1, "tron": 3, "pursuit": 2}) {
		values := map[string]float64{}
		for _, r := range rows(t, lab(size, size), name) {
			if !r.Finished {
				if r.Method != "seqform" {
					t.Errorf("%s, %s was not finished: %s", r.Table, r.Method, r.Note)
				}
				continue
			}
			if r.Note != "" {
				t.Errorf("%s, %s is finished with the note %q", r.Table, r.Method, r.Note)
			}
			last := r.Games[len(r.Games)-1]
			if want, ok := values[last]; ok && math.Abs(r.Value[0]-want) > 1e-6 {
				t.Errorf("%s: %s finds %v, another method %v", last, r.Method, r.Value, want)
			}
			values[last] = r.Value[0]
		}
		if len(values) == 0 {
			t.Errorf("%s: nothing was finished", name)
		}
	}
}

func TestRunsThatAreNotFinishedSayWhy(t *testing.T) {
	l := lab(3, 5)
	l.Limit = time.Nanosecond
	var notes []string
	skipped := make(map[string]int)
	for _, r := range rows(t, l, "tron") {
		if r.Finished {
			t.Errorf("size %d, %s is finished after a nanosecond", r.Size, r.Method)
		}
		notes = append(notes, r.Note)
		if line := r.Table + ", " + r.Method; r.Paper == nil && strings.Contains(r.Note, "not tried") {
			if skipped[line]++; skipped[line] > 1 {
				t.Errorf("%s: size %d is the second one that is noted as not tried", line, r.Size)
			}
		}
	}
	for _, want := range []string{"stopped after 0 s", "not tried: size 3"} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("no run notes %q: %q", want, notes)
		}
	}
}

func TestTheTableOfGrowthGoesOnToTheLargestSizeAskedFor(t *testing.T) {
	l := lab(11, 13)
	l.Limit = time.Second
	list := rows(t, l, "bidding")
	for i, r := range list {
		if r.Size != 11+i || r.Method != "auto" || !strings.Contains(r.Table, "Time and memory") {
			t.Errorf("row %+v", r)
		}
		if r.Finished && r.PeakBytes == 0 || !r.Finished && r.Note == "" {
			t.Errorf("row %+v: neither memory nor a note", r)
		}
	}
	if len(list) < 2 {
		t.Errorf("%d rows", len(list))
	}
}

func TestAGameThatFailsEndsItsLineOnly(t *testing.T) {
	l, broken := lab(3, 5), errors.New("broken")
	l.Compile = func(ctx context.Context, game string) (machine.Machine, error) {
		if game == "tron-4x4" {
			return nil, broken
		}
		return compile(ctx, game)
	}
	finished, notes := 0, ""
	err := l.Run(t.Context(), "tron", func(r experiment.Row) error {
		notes += r.Note + "\n"
		if r.Finished {
			finished++
			if r.Size != 3 {
				t.Errorf("size %d was finished", r.Size)
			}
		}
		return nil
	})
	if !errors.Is(err, broken) || finished == 0 || !strings.Contains(notes, "not tried: size 4") {
		t.Errorf("%d rows finished, error %v, notes\n%s", finished, err, notes)
	}
}

func TestALackOfMemoryIsNoted(t *testing.T) {
	m := must.Get(compile(t.Context(), "goofspiel-10"))(t)
	synctest.Test(t, func(t *testing.T) { // in which each pass takes its time, and nothing else does
		toys.PassesAfterEnd(m, 0, func(_ context.Context, m machine.Machine) {
			l, noted := lab(10, 10), errors.New("noted")
			l.Memory, l.Limit = 1, 5*time.Minute
			l.Compile = func(context.Context, string) (machine.Machine, error) { return m, nil }
			err := l.Run(t.Context(), "goofspiel", func(r experiment.Row) error {
				if !r.Finished && strings.Contains(r.Note, "for want of memory") {
					return noted
				}
				return nil
			})
			if !errors.Is(err, noted) {
				t.Errorf("no row says that a table of 1 MiB is too small for goofspiel with ten cards: %v", err)
			}
		})
	})
}

func TestTheRunThatIsInterruptedIsTheLastRow(t *testing.T) {
	m, err := compile(t.Context(), "tron-9x9")
	if err != nil {
		t.Fatal(err)
	}
	var last experiment.Row
	toys.PassesAfterEnd(m, 1000, func(ctx context.Context, m machine.Machine) { // when the search has begun
		l := lab(9, 9)
		l.Compile = func(context.Context, string) (machine.Machine, error) { return m, nil }
		err = l.Run(ctx, "tron", func(r experiment.Row) error {
			last = r
			return nil
		})
	})
	if !errors.Is(err, context.Canceled) || last.Finished || !strings.Contains(last.Note, "interrupted") || last.Nodes == 0 {
		t.Errorf("error %v, last row %+v", err, last)
	}
}

func TestAnInterruptedExperimentHasReportedWhatItHad(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reported := 0
	err := lab(3, 5).Run(ctx, "tron", func(experiment.Row) error {
		if reported++; reported == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || reported != 2 {
		t.Errorf("%d rows, error %v", reported, err)
	}
}

func TestWrongExperimentsAreNamed(t *testing.T) {
	for want, run := range map[string]func() error{
		"goofspiel, oshizumo":   func() error { return lab(3, 4).Run(t.Context(), "chess", nil) },
		"no size from 90 to 95": func() error { return lab(90, 95).Run(t.Context(), "tron", nil) },
		"some of 3 4 5 6 7 8 9": func() error { return lab(1, 2).Run(t.Context(), "tron", nil) },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestRangesOfSizesAreRead(t *testing.T) {
	for text, want := range map[string]experiment.Range{
		"4": {Min: 4, Max: 4}, "4-7": {Min: 4, Max: 7}, "10-50": {Min: 10, Max: 50},
		"": {}, "-": {}, "7-4": {}, "0-2": {}, "four": {}, "4-": {}, "1-2-3": {},
	} {
		var got experiment.Range
		err := got.UnmarshalText([]byte(text))
		isWanted := want != experiment.Range{}
		if isWanted && (err != nil || got != want) || !isWanted && err == nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestThePlotIsAnSVGFileWithALineForEachMethod(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tron.svg")
	must.OK(t, experiment.WritePlot(path, rows(t, lab(3, 4), "tron")))
	content := must.Get(os.ReadFile(path))(t)
	seen := map[string]bool{}
	for decoder := xml.NewDecoder(bytes.NewReader(content)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			seen[strings.TrimSpace(string(text))] = true
		}
	}
	for _, want := range []string{"Tron on N×N cells, by N", "seconds", "nodes", "MB", "3", "4", "bi", "do + table", "auto"} {
		if !seen[want] {
			t.Errorf("the plot does not show %q", want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}

func TestPathsOfPlotsAreCheckedBeforehand(t *testing.T) {
	dir := t.TempDir()
	if err := experiment.CheckPlot(filepath.Join(dir, "plot.svg")); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"plot.png": ".svg", filepath.Join("no", "plot.svg"): "cannot create a file in"} {
		if err := experiment.CheckPlot(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestOnePointIsEnoughForAPlot(t *testing.T) {
	row := experiment.Row{Table: "t", Method: "m", Size: 3, Finished: true, Nodes: 1, Seconds: 1}
	stopped := experiment.Row{Table: "t", Method: "slow", Size: 3, Nodes: 1, Seconds: 9}
	path := filepath.Join(t.TempDir(), "one.svg")
	if err := experiment.WritePlot(path, []experiment.Row{row, stopped}); err != nil {
		t.Error(err)
	}
	if svg, err := os.ReadFile(path); err != nil || !bytes.Contains(svg, []byte("slow, stopped")) {
		t.Errorf("the plot does not show what was stopped; error %v", err)
	}
	row.Finished = false
	err := experiment.WritePlot(filepath.Join(t.TempDir(), "none.svg"), []experiment.Row{row})
	if err == nil || !strings.Contains(err.Error(), "nothing was finished") {
		t.Errorf("error %v", err)
	}
}
