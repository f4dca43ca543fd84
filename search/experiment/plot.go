package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"stackmate/internal/atomicfile"
	"stackmate/internal/chart"
)

// panelWidth and panelHeight are the size of one diagram, in pixels.
const (
	panelWidth  = 600
	panelHeight = 420
)

// quantity is a quantity that a diagram plots over the size, or over ε.
type quantity struct {
	label string
	ours  func(Row) float64
	paper func(*Published) float64
}

// axes are the x axis and the quantities of the diagrams of a table.
type axes struct {
	label       string
	x           func(Row) float64
	line        func(Row) string // name of the line that a row belongs to
	logarithmic bool
	quantities  []quantity
}

var overSizes = &axes{
	"size", func(r Row) float64 { return float64(r.Size) }, func(r Row) string { return r.Method }, true,
	[]quantity{
		{"seconds", func(r Row) float64 { return r.Seconds }, func(p *Published) float64 { return p.Seconds }},
		{"nodes", func(r Row) float64 { return r.Nodes }, func(p *Published) float64 { return float64(p.Nodes) }},
		{"MB", func(r Row) float64 { return float64(r.PeakBytes) / 1e6 }, func(*Published) float64 { return 0 }},
	},
}

// overTolerances are the axes of the Bounded Alpha-Beta paper: one line for each size.
var overTolerances = &axes{
	"ε", func(r Row) float64 { return r.Epsilon }, func(r Row) string { return fmt.Sprint(r.Size) }, false,
	[]quantity{
		{"ER", func(r Row) float64 { return r.Ratio }, func(p *Published) float64 { return p.Ratio }},
		{"AMB", func(r Row) float64 { return r.Bound }, func(p *Published) float64 { return p.Bound }},
	},
}

// overFifths are the axes of its Figures 4 (c) and 5 (c).
var overFifths = &axes{
	"fifth of ER", func(r Row) float64 { return float64(r.Size) }, func(Row) string { return "mean" }, false,
	[]quantity{{"AMB", func(r Row) float64 { return r.Bound }, func(*Published) float64 { return 0 }}},
}

// axesOf returns the axes of a table: over tolerances if a size has several.
func axesOf(table string, rows []Row) *axes {
	tolerances, binned := make(map[float64]bool), false
	for _, r := range rows {
		if r.Table == table && r.Ratio > 0 {
			tolerances[r.Epsilon] = true
		}
		binned = binned || r.Table == table && r.Ratio == 0 && r.Bound > 0
	}
	switch {
	case len(tolerances) > 2:
		return overTolerances
	case binned:
		return overFifths
	}
	return overSizes
}

// CheckPlot returns an error if a plot cannot be written to path. It is called before an experiment of
// hours.
func CheckPlot(path string) error {
	if filepath.Ext(path) != ".svg" {
		return fmt.Errorf("cannot write the plot: expected a name that ends in .svg, found %s", path)
	}
	return atomicfile.Check(path)
}

// WritePlot draws rows to an SVG file. For each table it draws time, nodes and memory against size, with
// logarithmic scales and one line for each method; or ER and AMB against ε, one line for each size, and AMB
// against ER. Figures of the literature are dashed; a cross marks a run that was stopped. The file appears
// complete or not at all.
func WritePlot(path string, rows []Row) error {
	var panels [][]*chart.Diagram
	for _, table := range distinct(rows, func(r Row) string { return r.Table }) {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Table == table && r.Finished }) {
			continue
		}
		var line []*chart.Diagram
		a := axesOf(table, rows)
		for _, q := range a.quantities {
			line = append(line, diagram(table, a, q, rows))
		}
		panels = append(panels, line)
	}
	if panels == nil {
		return errors.New("no plot: nothing was finished")
	}
	return atomicfile.Write(path, chart.SVG(panels, panelWidth, panelHeight))
}

// diagram draws one quantity of one table; nil if there is nothing to draw.
func diagram(table string, a *axes, q quantity, rows []Row) *chart.Diagram {
	d := &chart.Diagram{Title: table, X: a.label, Y: q.label, Log: a.logarithmic}
	add := func(name string, number int, style chart.Style, points []chart.Point) {
		if len(points) == 0 {
			return
		}
		d.Series = append(d.Series, chart.Series{Name: name, Number: number, Style: style, Points: points})
		for _, p := range points {
			if !slices.Contains(d.Ticks, p.X) {
				d.Ticks = append(d.Ticks, p.X)
			}
		}
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Table != table })
	for i, method := range distinct(rows, a.line) {
		var ours, stopped, paper []chart.Point
		for _, r := range rows {
			if a.line(r) != method {
				continue
			}
			at := chart.Point{X: a.x(r), Y: q.ours(r)}
			switch {
			case at.Y <= 0 && (a.logarithmic || r.Ratio == 0):
			case r.Finished:
				ours = append(ours, at)
			default:
				stopped = append(stopped, at)
			}
			if r.Paper != nil && q.paper(r.Paper) > 0 {
				paper = append(paper, chart.Point{X: at.X, Y: q.paper(r.Paper)})
			}
		}
		add(method, i, chart.Line, ours)
		add(method+", paper", i, chart.Dashed, paper)
		add(method+", stopped", i, chart.Crosses, stopped)
	}
	if d.Series == nil {
		return nil
	}
	return d
}

// distinct lists the different texts of rows in order of appearance.
func distinct(rows []Row, text func(Row) string) []string {
	var list []string
	for _, r := range rows {
		if t := text(r); !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}
