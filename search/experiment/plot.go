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

// quantity is what a diagram shows over the size.
type quantity struct {
	label string
	ours  func(Row) float64
	paper func(*Published) float64
}

var quantities = []quantity{
	{"seconds", func(r Row) float64 { return r.Seconds }, func(p *Published) float64 { return p.Seconds }},
	{"nodes", func(r Row) float64 { return r.Nodes }, func(p *Published) float64 { return float64(p.Nodes) }},
	{"MB", func(r Row) float64 { return float64(r.PeakBytes) / 1e6 }, func(*Published) float64 { return 0 }},
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
// against size, with logarithmic scales, one line for each method. Figures of the
// literature are dashed, and a cross stands where a run was stopped. The file
// appears complete or not at all.
func WritePlot(path string, rows []Row) error {
	var panels [][]*plot.Plot
	for _, table := range distinct(rows, func(r Row) string { return r.Table }) {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Table == table && r.Finished }) {
			continue
		}
		var line []*plot.Plot
		for _, q := range quantities {
			p, err := diagram(table, q, rows)
			if err != nil {
				return err
			}
			line = append(line, p)
		}
		panels = append(panels, line)
	}
	if panels == nil {
		return errors.New("no plot: nothing was finished")
	}
	canvas := vgsvg.New(vg.Length(len(quantities))*panelWidth, vg.Length(len(panels))*panelHeight)
	tiles := draw.Tiles{
		Rows: len(panels), Cols: len(quantities),
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
func diagram(table string, q quantity, rows []Row) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = table, "size", q.label
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	sizes := make(map[float64]bool)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Table != table })
	for i, method := range distinct(rows, func(r Row) string { return r.Method }) {
		var ours, stopped, paper plotter.XYs
		for _, r := range rows {
			if r.Method != method {
				continue
			}
			at := plotter.XY{X: float64(r.Size), Y: q.ours(r)}
			switch {
			case at.Y <= 0:
			case r.Finished:
				ours = append(ours, at)
			default:
				stopped = append(stopped, at)
			}
			if r.Paper != nil && q.paper(r.Paper) > 0 {
				paper = append(paper, plotter.XY{X: float64(r.Size), Y: q.paper(r.Paper)})
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
	frame(p)
	return p, nil
}

// frame widens the axes: to whole decades, and to the left for the legend.
func frame(p *plot.Plot) {
	const legendShare = 0.5 // of the width of the data
	p.X.Min -= max(1, p.X.Max-p.X.Min) * legendShare
	p.X.Max += 0.1
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
