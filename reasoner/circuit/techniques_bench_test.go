package circuit_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// largestTechniques is the greatest number of operands of a lowered circuit that is optimised again without each pass.
const largestTechniques = 500_000

var techniquesOf = flag.String("techniques.of", "", "regular expression: measure the techniques on these rulesheets only")

// BenchmarkTechniques prints the table of docs/lab/reasoner.md of passes and analyses: for each technique the number of
// rulesheets of the corpus that it changes, and its gain. The gain of a pass is the ratio of the gates without it to the
// gates with it, and the ratio of the playout speeds with and without it on the rulesheets whose gates differ by a
// twentieth; each ratio is a geometric mean. The gain of an analysis is the mean of its own measure.
func BenchmarkTechniques(b *testing.B) {
	filter := regexp.MustCompile(*techniquesOf)
	for range b.N {
		rows := make(map[string]*gain)
		for _, sheet := range corpus.Rulesheets(b) {
			if !filter.MatchString(sheet.Name) {
				continue
			}
			must.OK(b, measureTechniques(sheet.Name, corpus.Source(b, sheet.Name), rows))
		}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			fmt.Println(rows[name].row(name))
		}
	}
	b.ReportMetric(0, "ns/op")
}

// gain is a row of the table: the rulesheets that a technique changes.
type gain struct {
	sheets  []string
	measure []float64 // by rulesheet
	speed   []float64 // ratios of playout speeds
}

// row returns the row of a technique: the rulesheets with the greatest gains come first.
func (g *gain) row(name string) string {
	order := make([]int, len(g.sheets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return -cmpFloat(g.measure[i], g.measure[j]) })
	var best []string
	for _, i := range order[:min(4, len(order))] {
		best = append(best, fmt.Sprintf("%s %.2f", g.sheets[i], g.measure[i]))
	}
	more := 0
	for _, m := range g.measure {
		if m > 1.05 {
			more++
		}
	}
	speed := "–"
	if len(g.speed) > 0 {
		speed = fmt.Sprintf("%.2f (%d)", geometric(g.speed), len(g.speed))
	}
	return fmt.Sprintf("| %s | %d | %d | %.3f | %s | %s |", name, len(g.sheets), more, geometric(g.measure), speed, strings.Join(best, ", "))
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// geometric returns the geometric mean of a list that is not empty.
func geometric(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}

// measureTechniques adds a rulesheet to the rows of the techniques that change it.
func measureTechniques(name string, src []byte, rows map[string]*gain) error {
	ctx := context.Background()
	g, _, err := gdl.Load(ctx, name, src)
	if err != nil {
		return err
	}
	lowered, err := reasoner.Circuit(ctx, g, reasoner.Options{Without: circuit.PassNames()})
	if err != nil {
		return nil //nolint:nilerr // another engine plays the game
	}
	add := func(technique string, measure float64) *gain {
		if rows[technique] == nil {
			rows[technique] = &gain{}
		}
		r := rows[technique]
		r.sheets, r.measure = append(r.sheets, name), append(r.measure, measure)
		return r
	}
	add("(all)", 1)
	if lowered.Net.OperandCount() > largestTechniques {
		return nil
	}
	all, gates := optimisedWithout(ctx, lowered.Game)
	m, err := all.Compile(ctx, circuit.Options{})
	if err != nil {
		return err
	}
	speed := sync.OnceValue(func() float64 { return playouts(m) })
	compare := func(technique string, other *circuit.Optimised, more int) {
		if more == gates {
			return
		}
		r := add(technique, float64(more+1)/float64(gates+1))
		if difference := float64(more) / float64(gates); difference < 0.95 || difference > 1.05 {
			if m, err := other.Compile(ctx, circuit.Options{}); err == nil {
				r.speed = append(r.speed, speed()/playouts(m))
			}
		}
	}
	for _, pass := range circuit.PassNames() {
		other, more := optimisedWithout(ctx, lowered.Game, pass)
		compare("pass "+pass, other, more)
	}
	if alone := withoutTurns(lowered.Game); all.SharesTurns() && alone != nil {
		other, _ := optimisedWithout(ctx, alone)
		if m, err := other.Compile(ctx, circuit.Options{}); err == nil {
			add("shared choice of turns", speed()/playouts(m))
		}
	}
	if ratio := ratioOfParts(all); ratio > 1 {
		add("parts: moves for each input", ratio)
	}
	compiled, err := reasoner.New(ctx, g, reasoner.Options{Engine: "circuit", Budget: time.Hour})
	if err != nil {
		return err
	}
	measureAnalyses(ctx, compiled, add)
	return nil
}

// measureAnalyses adds the analyses of a machine.
func measureAnalyses(ctx context.Context, m machine.Machine, add func(string, float64) *gain) {
	if n := len(facts.Symmetries(m)); n > 0 {
		add("symmetries: positions merged", float64(n+1))
	}
	if s := facts.SignalsOf(ctx, m); s != nil {
		threats := 0
		for _, signal := range s.List() {
			if signal.Move == machine.NoMove {
				threats++
			}
		}
		if threats > 0 {
			add("threats: signals", float64(threats))
		}
		if n := len(s.List()) - threats; n > 0 {
			add("mobility: signals", float64(n))
		}
	}
	if p := table.PackingOf(m); p != nil {
		packed, plain := 64*(p.Words()-1)+p.LastBits(), len(m.Names().Fluents)
		if packed < plain {
			add("packing: bits of a position", float64(plain)/float64(max(1, packed)))
		}
	}
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

// optimisedWithout returns a game optimised without some passes, and its number of live gates.
func optimisedWithout(ctx context.Context, g *circuit.Game, without ...string) (h *circuit.Optimised, gates int) {
	h, err := circuit.Optimise(ctx, g, circuit.PassOptions{Without: without, Trace: func(p circuit.PassInfo) { gates = p.Gates }})
	if err != nil {
		panic(err)
	}
	return h, gates
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

// playouts returns the positions of random games in a second of processor time.
func playouts(m machine.Machine) float64 {
	const stretch = 30 * time.Millisecond
	p := play.NewPlayouts(m, m.Initial(), 1)
	p.Step()
	p.States = 0
	began := cputime.Now()
	for cputime.Now()-began < stretch {
		p.Step()
	}
	return float64(p.States) / (cputime.Now() - began).Seconds()
}
