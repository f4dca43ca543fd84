package arena

import (
	"fmt"

	"stackmate/internal/chart"
)

// Plot draws the ratings with their 95 % intervals as SVG, over all games and in each, and the likelihood ratios of the
// test between their bounds if there is one; of a tuning, the course of each parameter.
func (s *Ranking) Plot() []byte {
	const width, height = 600, 340 // of each diagram, in pixels
	if s.Tuning != nil {
		var panels [][]*chart.Diagram
		for i, p := range s.Tuning.Parameters {
			panels = append(panels, []*chart.Diagram{{
				Title: p.Name, X: "iterations", Y: p.Unit, Series: []chart.Series{line(0, s.Tuning.Course, func(at []float64) float64 { return at[i] })},
			}})
		}
		return chart.SVG(panels, width, height)
	}
	panels := [][]*chart.Diagram{{ratingPanel("all games", s.Ratings)}}
	for _, g := range s.Games {
		panels = append(panels, []*chart.Diagram{ratingPanel(fmt.Sprintf("%s, %d matches", g.Game, g.Matches), g.Ratings)})
	}
	if n := float64(len(s.LLRs)); n > 0 {
		d := &chart.Diagram{
			Title: "sequential test", X: "pairs of matches", Y: "log-likelihood ratio",
			Series: []chart.Series{line(1, s.LLRs, func(llr float64) float64 { return llr })},
		}
		for _, bound := range s.Bounds {
			d.Series = append(d.Series, chart.Series{
				Number: 1, Style: chart.Dashed, Points: []chart.Point{{X: 0, Y: bound}, {X: n, Y: bound}},
			})
		}
		panels = append(panels, []*chart.Diagram{d})
	}
	return chart.SVG(panels, width, height)
}

// line joins values at first, first+1, ….
func line[T any](first int, values []T, y func(T) float64) (s chart.Series) {
	for i, v := range values {
		s.Points = append(s.Points, chart.Point{X: float64(first + i), Y: y(v)})
	}
	return s
}

func ratingPanel(title string, ratings []Rating) *chart.Diagram {
	d := &chart.Diagram{Title: title, Y: "Elo", Series: []chart.Series{{Style: chart.Dots}}}
	for i, r := range ratings {
		d.Names = append(d.Names, r.Player)
		d.Series[0].Points = append(d.Series[0].Points, chart.Point{X: float64(i), Y: r.Elo, Error: r.Error})
	}
	return d
}
