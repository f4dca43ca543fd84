package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"stackmate/internal/atomicfile"
)

// panel is the size of one diagram.
const (
	panelWidth  = 16 * vg.Centimeter
	panelHeight = 11 * vg.Centimeter
)

// quantity is what a diagram shows over the size, or over ε.
type quantity struct {
	label string
	ours  func(Row) float64
	paper func(*Published) float64
}

// axes are the quantities that the diagrams of a table show, and over what.
type axes struct {
	label       string
	x           func(Row) float64
	line        func(Row) string // what a row belongs to
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

// overTolerances are those of the Bounded Alpha-Beta paper: a line for each size.
var overTolerances = &axes{
	"ε", func(r Row) float64 { return r.Epsilon }, func(r Row) string { return fmt.Sprint(r.Size) }, false,
	[]quantity{
		{"ER", func(r Row) float64 { return r.Ratio }, func(p *Published) float64 { return p.Ratio }},
		{"AMB", func(r Row) float64 { return r.Bound }, func(p *Published) float64 { return p.Bound }},
	},
}

// overFifths are those of its Figures 4 (c) and 5 (c).
var overFifths = &axes{
	"fifth of ER", func(r Row) float64 { return float64(r.Size) }, func(Row) string { return "mean" }, false,
	[]quantity{{"AMB", func(r Row) float64 { return r.Bound }, func(*Published) float64 { return 0 }}},
}

// mostQuantities is the number of diagrams beside each other.
const mostQuantities = 3

// axesOf finds what to draw of a table: tolerances if there are several of a size.
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

// CheckPlot tells what is wrong with the path of a plot, before an experiment
// that may take hours.
func CheckPlot(path string) error {
	if filepath.Ext(path) != ".svg" {
		return fmt.Errorf("cannot write the plot: expected a name that ends in .svg, found %s", path)
	}
	return atomicfile.Check(path)
}

// WritePlot draws rows to an SVG file: for each table time, nodes and memory
// against size, with logarithmic scales, one line for each method; or ER and AMB against
// ε, one line for each size, and AMB against ER. Figures of the literature are dashed, and a cross stands where a
// run was stopped. The file appears complete or not at all.
func WritePlot(path string, rows []Row) error {
	var panels [][]*plot.Plot
	for _, table := range distinct(rows, func(r Row) string { return r.Table }) {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Table == table && r.Finished }) {
			continue
		}
		line := make([]*plot.Plot, mostQuantities)
		a := axesOf(table, rows)
		for i, q := range a.quantities {
			var err error
			if line[i], err = diagram(table, a, q, rows); err != nil {
				return err
			}
		}
		panels = append(panels, line)
	}
	if panels == nil {
		return errors.New("no plot: nothing was finished")
	}
	canvas := vgsvg.New(mostQuantities*panelWidth, vg.Length(len(panels))*panelHeight)
	tiles := draw.Tiles{
		Rows: len(panels), Cols: mostQuantities,
		PadX: vg.Centimeter, PadY: vg.Centimeter, PadTop: vg.Centimeter / 2, PadBottom: vg.Centimeter / 2, PadRight: vg.Centimeter / 2,
	}
	for i, line := range plot.Align(panels, tiles, draw.New(canvas)) {
		for j, c := range line {
			if p := panels[i][j]; p != nil {
				p.Draw(c)
			}
		}
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return fmt.Errorf("cannot draw the plot: %w", err)
	}
	return atomicfile.Write(path, svg.Bytes())
}

// diagram draws one quantity of one table; nil if there is nothing to draw.
func diagram(table string, a *axes, q quantity, rows []Row) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = table, a.label, q.label
	if a.logarithmic {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	sizes := make(map[float64]bool)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Table != table })
	for i, method := range distinct(rows, a.line) {
		var ours, stopped, paper plotter.XYs
		for _, r := range rows {
			if a.line(r) != method {
				continue
			}
			at := plotter.XY{X: a.x(r), Y: q.ours(r)}
			switch {
			case at.Y <= 0 && (a.logarithmic || r.Ratio == 0):
			case r.Finished:
				ours = append(ours, at)
			default:
				stopped = append(stopped, at)
			}
			if r.Paper != nil && q.paper(r.Paper) > 0 {
				paper = append(paper, plotter.XY{X: at.X, Y: q.paper(r.Paper)})
			}
		}
		err := errors.Join(addLine(p, method, i, false, ours), addLine(p, method+", paper", i, true, paper), addCrosses(p, method+", stopped", i, stopped))
		if err != nil {
			return nil, err
		}
		for _, at := range slices.Concat(ours, stopped, paper) {
			sizes[at.X] = true
		}
	}
	if len(sizes) == 0 {
		return nil, nil
	}
	p.X.Tick.Marker = sizeTicks(sizes)
	frame(p, a.logarithmic)
	return p, nil
}

// frame widens the axes: to whole decades if they are logarithmic, and to the left for the
// legend.
func frame(p *plot.Plot, logarithmic bool) {
	const legendShare = 0.5 // of the width of the data
	p.X.Min -= max(1, p.X.Max-p.X.Min) * legendShare
	p.X.Max += 0.1
	if !logarithmic {
		return
	}
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = max(10*p.Y.Min, math.Pow(10, math.Ceil(math.Log10(p.Y.Max))))
}

// addLine adds a line with points, if there are any.
func addLine(p *plot.Plot, name string, number int, dashed bool, points plotter.XYs) error {
	if len(points) == 0 {
		return nil
	}
	line, scatter, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, scatter.Color = plotutil.Color(number), plotutil.Color(number)
	scatter.Shape = plotutil.Shape(number)
	if dashed {
		line.Dashes = plotutil.Dashes(1)
	}
	p.Add(line, scatter)
	p.Legend.Add(name, line, scatter)
	return nil
}

// addCrosses marks where a method was stopped, if it was.
func addCrosses(p *plot.Plot, name string, number int, points plotter.XYs) error {
	if len(points) == 0 {
		return nil
	}
	crosses, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	crosses.Color, crosses.Shape, crosses.Radius = plotutil.Color(number), draw.CrossGlyph{}, vg.Points(5)
	p.Add(crosses)
	p.Legend.Add(name, crosses)
	return nil
}

// sizeTicks puts a tick at each size and nowhere else.
func sizeTicks(sizes map[float64]bool) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for size := range sizes {
		ticks = append(ticks, plot.Tick{Value: size, Label: fmt.Sprintf("%g", size)})
	}
	return ticks
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
