package cli

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"stackmate/internal/atomicfile"
	"stackmate/protocol/arena"
)

// plotRanking draws ratings with their 95 % intervals to an SVG file, over all games and
// in each, and the course of the test if there was one.
func plotRanking(path string, r *arena.Ranking) error {
	const width, height = 16 * vg.Centimeter, 9 * vg.Centimeter
	panels := []*plot.Plot{ratingPanel(fmt.Sprintf("all games, %d matches", len(r.Results)), r.Ratings)}
	for _, g := range r.Games {
		panels = append(panels, ratingPanel(fmt.Sprintf("%s, %d matches", g.Game, g.Matches), g.Ratings))
	}
	if len(r.LLRs) > 0 {
		panels = append(panels, coursePanel(r.LLRs))
	}
	canvas := vgsvg.New(width, height*vg.Length(len(panels)))
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadX: vg.Centimeter, PadY: vg.Centimeter}
	for i, p := range panels {
		p.Draw(tiles.At(draw.New(canvas), 0, i))
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	return atomicfile.Write(path, svg.Bytes())
}

// intervals are ratings as points with error bars.
type intervals []arena.Rating

func (v intervals) Len() int                         { return len(v) }
func (v intervals) XY(i int) (x, y float64)          { return float64(i), v[i].Elo }
func (v intervals) YError(i int) (below, up float64) { return v[i].Error, v[i].Error }

func ratingPanel(title string, ratings []arena.Rating) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = "Elo"
	var names []string
	for _, rating := range ratings {
		names = append(names, rating.Player)
	}
	p.NominalX(names...)
	// Ratings are finite numbers: nothing can be wrong with them.
	if points, err := plotter.NewScatter(intervals(ratings)); err == nil {
		points.Shape = draw.CircleGlyph{}
		p.Add(points)
	}
	if bars, err := plotter.NewYErrorBars(intervals(ratings)); err == nil {
		p.Add(bars)
	}
	p.Add(plotter.NewGrid())
	return p
}

func coursePanel(llrs []float64) *plot.Plot {
	p := plot.New()
	p.Title.Text = "sequential test"
	p.X.Label.Text = "groups of matches"
	p.Y.Label.Text = "log-likelihood ratio"
	points := make(plotter.XYs, len(llrs))
	for i, llr := range llrs {
		points[i] = plotter.XY{X: float64(i + 1), Y: llr}
	}
	if line, err := plotter.NewLine(points); err == nil {
		p.Add(line)
	}
	p.Add(plotter.NewGrid())
	return p
}
