package circuit_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search/table"
)

var (
	techniquesOf  = flag.String("techniques.of", "", "regular expression: measure the techniques on these rulesheets only")
	techniquesLog = flag.String("techniques.log", "", "file of the measurements, one line of JSON for each rulesheet; rulesheets in it are not measured again")
)

// techniqueBudget is the processor time for the measurements of a rulesheet.
const techniqueBudget = 5 * time.Minute

// techniques lists the passes and analyses of the table with the files that only they need: patterns, separated by
// spaces. A technique with two measures has two rows, and its files are in the first.
var techniques = []struct{ name, files string }{
	{"pass fluents", "fluents.go"},
	{"pass one-move", "onemove.go"},
	{"pass flatten", "flatten.go"},
	{"pass parts", "parts.go internal/choice/[c-s]*.go internal/choice/union.go"},
	{"pass factor", "factor.go logic/factor.go"},
	{"shared choice of turns", "turns.go internal/choice/turns.go"},
	{"parts: moves for each input", ""},
	{"symmetries: positions merged", "symmetry.go refine.go"},
	{"threats: signals", "threats.go"},
	{"mobility: signals", "mobility.go"},
	{"packing: bits of a position", "../../search/table/packing.go ../../search/table/cluster.go"},
}

// BenchmarkTechniques prints the table of docs/lab/reasoner.md of passes and analyses: the lines of each technique, the
// number of rulesheets of the corpus that it changes, and its gain. The gain of a pass is the ratio of the gates without
// it to the gates with it, and the ratio of the playout speeds with and without it; each is a geometric mean over the rulesheets
// whose gates differ. The gain of an analysis is the mean of its own measure. The time of a
// pass is its share of the processor time of grounding, lowering and all passes, of all rulesheets together.
func BenchmarkTechniques(b *testing.B) {
	filter := regexp.MustCompile(*techniquesOf)
	for range b.N {
		known := readLog(b)
		for _, sheet := range corpus.Rulesheets(b) {
			if _, done := known[sheet.Name]; done || !filter.MatchString(sheet.Name) {
				continue
			}
			ctx, cancel := cputime.Budget(context.Background(), techniqueBudget)
			m, err := measureTechniques(ctx, sheet.Name, corpus.Source(b, sheet.Name))
			cancel()
			if err != nil {
				m = &measurements{Sheet: sheet.Name, Failed: err.Error()}
			}
			known[sheet.Name] = m
			appendLog(b, m)
		}
		printTechniques(known)
	}
	b.ReportMetric(0, "ns/op")
}

// measurements are the measurements of a rulesheet.
type measurements struct {
	Sheet  string
	Failed string             // the reason for no measurements
	Load   map[string]float64 // processor seconds by technique; "" is the whole compilation
	Gains  []techniqueGain
}

// techniqueGain is the gain of a technique on a rulesheet.
type techniqueGain struct {
	Technique string
	Measure   float64
	Speed     float64 // ratio of playout speeds, 0 if not measured
}

// readLog returns the measurements of the log by rulesheet.
func readLog(b *testing.B) map[string]*measurements {
	known := make(map[string]*measurements)
	log, err := os.ReadFile(*techniquesLog)
	if err != nil {
		return known
	}
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		m := &measurements{}
		must.OK(b, json.Unmarshal(lines.Bytes(), m))
		known[m.Sheet] = m
	}
	return known
}

// appendLog appends measurements to the log, if there is one.
func appendLog(b *testing.B, m *measurements) {
	if *techniquesLog == "" {
		return
	}
	f := must.Get(os.OpenFile(*techniquesLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644))(b)
	must.OK(b, json.NewEncoder(f).Encode(m))
	must.OK(b, f.Close())
}

// printTechniques prints a row for each technique, and the rulesheets without measurements.
func printTechniques(all map[string]*measurements) {
	load := 0.0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if m := all[name]; m.Failed != "" {
			fmt.Printf("not measured: %s: %s\n", name, m.Failed)
		}
		load += all[name].Load[""]
	}
	for _, t := range techniques {
		fmt.Println(techniqueRow(t.name, countLines(t.files), load, all))
	}
}

// techniqueRow returns the row of a technique; the rulesheets with the greatest gains come last.
func techniqueRow(technique string, lines int, load float64, all map[string]*measurements) string {
	type row struct {
		sheet   string
		measure float64
	}
	var rows []row
	var measures, speeds []float64
	more, time := 0, 0.0
	for _, m := range all {
		time += m.Load[technique]
		for _, g := range m.Gains {
			if g.Technique != technique {
				continue
			}
			rows, measures = append(rows, row{m.Sheet, g.Measure}), append(measures, g.Measure)
			if g.Measure > 1.05 {
				more++
			}
			if g.Speed > 0 {
				speeds = append(speeds, g.Speed)
			}
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(-cmp.Compare(a.measure, b.measure), strings.Compare(a.sheet, b.sheet))
	})
	var most []string
	for _, r := range rows[:min(4, len(rows))] {
		most = append(most, fmt.Sprintf("%s %.2f", r.sheet, r.measure))
	}
	mean, _ := geometric(measures)
	speed, share := "–", "–"
	if len(speeds) > 0 {
		mean, margin := geometric(speeds)
		speed = fmt.Sprintf("%.2f ± %.2f", mean, margin)
	}
	if time > 0 {
		share = fmt.Sprintf("%.1f %%", 100*time/load)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %.2f | %s | %s | %s |", technique, lines, len(rows), more, mean, speed, share, strings.Join(most, ", "))
}

// geometric returns the geometric mean of a list, and the half width of its 95 % confidence interval; 1 of an empty list.
func geometric(list []float64) (mean, margin float64) {
	sum, squares, n := 0.0, 0.0, float64(max(1, len(list)))
	for _, x := range list {
		sum += math.Log(x)
		squares += math.Log(x) * math.Log(x)
	}
	mean = math.Exp(sum / n)
	return mean, 1.96 * mean * math.Sqrt(max(0, squares/n-sum/n*sum/n)/max(1, n-1))
}

// countLines returns the number of lines of files, given as patterns separated by spaces, without tests.
func countLines(patterns string) (lines int) {
	for _, pattern := range strings.Fields(patterns) {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, "_test.go") {
				lines += bytes.Count(text, []byte("\n"))
			}
		}
	}
	return lines
}

// measureTechniques measures all techniques on a rulesheet.
func measureTechniques(ctx context.Context, name string, src []byte) (*measurements, error) {
	g, _, err := gdl.Load(ctx, name, src)
	if err != nil {
		return nil, err
	}
	out := &measurements{Sheet: name, Load: make(map[string]float64)}
	began := cputime.Now()
	lowered, err := reasoner.Circuit(ctx, g, reasoner.Options{Without: circuit.PassNames()})
	if err != nil {
		return nil, fmt.Errorf("no circuit: %w", err)
	}
	all, gates, err := optimised(ctx, lowered.Game, out.Load)
	if err != nil {
		return nil, err
	}
	out.Load[""] = (cputime.Now() - began).Seconds()
	m, err := all.Compile(ctx, circuit.Options{})
	if err != nil {
		return nil, err
	}
	for _, pass := range circuit.PassNames() {
		other, more, err := optimised(ctx, lowered.Game, nil, pass)
		if err != nil {
			return nil, err
		}
		if more == gates {
			continue
		}
		out.Gains = append(out.Gains, techniqueGain{"pass " + pass, float64(more+1) / float64(gates+1), speedRatio(ctx, m, other.Game)})
	}
	if alone := withoutTurns(lowered.Game); all.SharesTurns() && alone != nil {
		other, _, err := optimised(ctx, alone, nil)
		if err != nil {
			return nil, err
		}
		if ratio := speedRatio(ctx, m, other.Game); ratio > 0 {
			out.Gains = append(out.Gains, techniqueGain{Technique: "shared choice of turns", Measure: ratio})
		}
	}
	if ratio := ratioOfParts(all); ratio > 1 {
		out.Gains = append(out.Gains, techniqueGain{Technique: "parts: moves for each input", Measure: ratio})
	}
	compiled, err := reasoner.New(ctx, g, reasoner.Options{Engine: "circuit", Budget: time.Hour})
	if err != nil {
		return nil, err
	}
	out.Gains = append(out.Gains, measureAnalyses(ctx, compiled)...)
	return out, ctx.Err()
}

// measureAnalyses returns the gains of the analyses of a machine.
func measureAnalyses(ctx context.Context, m machine.Machine) (gains []techniqueGain) {
	add := func(technique string, measure int) {
		if measure > 0 {
			gains = append(gains, techniqueGain{Technique: technique, Measure: float64(measure)})
		}
	}
	if n := len(facts.Symmetries(m)); n > 0 {
		add("symmetries: positions merged", n+1)
	}
	if s := facts.SignalsOf(ctx, m); s != nil {
		threats := 0
		for _, signal := range s.List() {
			if signal.Move == machine.NoMove {
				threats++
			}
		}
		add("threats: signals", threats)
		add("mobility: signals", len(s.List())-threats)
	}
	if p := table.PackingOf(m); p != nil {
		packed, plain := 64*(p.Words()-1)+p.LastBits(), len(m.Names().Fluents)
		if packed < plain {
			gains = append(gains, techniqueGain{Technique: "packing: bits of a position", Measure: float64(plain) / float64(max(1, packed))})
		}
	}
	return gains
}

// ratioOfParts returns the number of moves for each input of a move.
func ratioOfParts(g *circuit.Optimised) float64 {
	moves, inputs := 0, 0
	for r, table := range g.Names.Moves {
		moves += len(table)
		inputs += len(g.Does[r])
		if p := g.Parts[r]; p != nil {
			inputs += len(p.First) + len(p.Second)
		}
	}
	return float64(moves) / float64(inputs)
}

// optimised returns a game optimised without some passes, and its number of live gates. It adds the processor time of
// each pass to load, if that is not nil.
func optimised(ctx context.Context, g *circuit.Game, load map[string]float64, without ...string) (h *circuit.Optimised, gates int, err error) {
	began := cputime.Now()
	h, err = circuit.Optimise(ctx, g, circuit.PassOptions{
		Without: without,
		Trace:   func(p circuit.PassInfo) { gates, began = p.Gates, cputime.Now() },
		Done: func(pass string) {
			if load != nil {
				load["pass "+pass] += (cputime.Now() - began).Seconds()
			}
		},
	})
	return h, gates, err
}

// withoutTurns returns a game whose last role has one more move, which is never legal: so it shares no choice with a
// role of as many moves. It returns nil if the game has recursion.
func withoutTurns(g *circuit.Game) *circuit.Game {
	last := len(g.Names.Roles) - 1
	if len(g.Net.Definitions()) > 0 {
		return nil
	}
	names := &machine.Names{Roles: g.Names.Roles, Moves: slices.Clone(g.Names.Moves), Fluents: g.Names.Fluents}
	names.Moves[last] = append(slices.Clone(names.Moves[last]), "never")
	h := circuit.NewGame(names, g.Initial)
	s := logic.NewSubstitution(g.Net, h.Net)
	s.SetAll(g.Fluents, h.Fluents)
	for r, row := range g.Does {
		s.SetAll(row, h.Does[r])
	}
	image := func(row []logic.Lit) []logic.Lit {
		s.Build(row...)
		out := make([]logic.Lit, len(row))
		for i, l := range row {
			out[i] = s.Lookup(l)
		}
		return out
	}
	h.Next = image(g.Next)
	for _, row := range g.Legal {
		h.Legal = append(h.Legal, image(row))
	}
	h.Legal[last] = append(h.Legal[last], logic.False)
	h.Terminal = image([]logic.Lit{g.Terminal})[0]
	for _, goal := range g.Goals {
		goal.When = image([]logic.Lit{goal.When})[0]
		h.Goals = append(h.Goals, goal)
	}
	return h
}

// speedRatio returns the speed of playouts on m, divided by the speed on the machine of another game: the median of
// pairs of stretches. It returns 0 if the other game cannot be compiled.
func speedRatio(ctx context.Context, m *circuit.Machine, g *circuit.Game) float64 {
	const pairs, stretch = 5, 10 * time.Millisecond
	other, err := g.Compile(ctx, circuit.Options{})
	if err != nil {
		return 0
	}
	with, without := play.NewPlayouts(m, m.Initial(), 1), play.NewPlayouts(other, other.Initial(), 1)
	speed := func(p *play.Playouts) float64 {
		p.States = 0
		began, used := cputime.Now(), time.Duration(0)
		for used < stretch {
			p.Step()
			used = cputime.Now() - began
		}
		return float64(p.States) / used.Seconds()
	}
	speed(with)
	speed(without)
	var ratios []float64
	for range pairs {
		ratios = append(ratios, speed(with)/speed(without))
	}
	slices.Sort(ratios)
	return ratios[pairs/2]
}
