package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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
}

// WritePlot draws the finished rows to an SVG file: for each table time and nodes
// against size, with logarithmic scales, one line for each method. Figures of the
// literature are dashed. The file appears complete or not at all.
func WritePlot(path string, rows []Row) error {
	var panels [][]*plot.Plot
	for _, table := range distinct(rows, func(r Row) string { return r.Table }) {
		var line []*plot.Plot
		for _, q := range quantities {
			p, err := diagram(table, q, rows)
			if err != nil {
				return err
			}
			line = append(line, p)
		}
		if line[0] != nil && line[1] != nil {
			panels = append(panels, line)
		}
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
			panels[i][j].Draw(c)
		}
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return fmt.Errorf("cannot draw the plot: %w", err)
	}
	return replaceFile(path, svg.Bytes())
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
		var ours, paper plotter.XYs
		for _, r := range rows {
			if r.Method != method {
				continue
			}
			if v := q.ours(r); r.Finished && v > 0 {
				ours = append(ours, plotter.XY{X: float64(r.Size), Y: v})
			}
			if r.Paper != nil && q.paper(r.Paper) > 0 {
				paper = append(paper, plotter.XY{X: float64(r.Size), Y: q.paper(r.Paper)})
			}
		}
		if err := errors.Join(addLine(p, method, i, false, ours), addLine(p, method+", paper", i, true, paper)); err != nil {
			return nil, err
		}
		for _, at := range slices.Concat(ours, paper) {
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

// replaceFile writes a file by way of a temporary one.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("cannot write the plot: %w", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("cannot write the plot: %w", err)
	}
	return nil
}
