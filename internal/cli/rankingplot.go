package cli

import (
	"fmt"

	"stackmate/internal/atomicfile"
	"stackmate/internal/chart"
	"stackmate/protocol/arena"
)

// plotRanking draws ratings with their 95 % intervals to an SVG file, over all games and
// in each, and the course of the test if there was one.
func plotRanking(path string, r *arena.Ranking) error {
	const width, height = 600, 340 // of each diagram, in pixels
	panels := [][]*chart.Diagram{{ratingPanel(fmt.Sprintf("all games, %d matches", len(r.Results)), r.Ratings)}}
	for _, g := range r.Games {
		panels = append(panels, []*chart.Diagram{ratingPanel(fmt.Sprintf("%s, %d matches", g.Game, g.Matches), g.Ratings)})
	}
	if len(r.LLRs) > 0 {
		var course []chart.Point
		for i, llr := range r.LLRs {
			course = append(course, chart.Point{X: float64(i + 1), Y: llr})
		}
		panels = append(panels, []*chart.Diagram{{
			Title: "sequential test", X: "groups of matches", Y: "log-likelihood ratio",
			Series: []chart.Series{{Points: course}},
		}})
	}
	return atomicfile.Write(path, chart.SVG(panels, width, height))
}

func ratingPanel(title string, ratings []arena.Rating) *chart.Diagram {
	d := &chart.Diagram{Title: title, Y: "Elo", Series: []chart.Series{{Style: chart.Dots}}}
	for i, r := range ratings {
		d.Names = append(d.Names, r.Player)
		d.Series[0].Points = append(d.Series[0].Points, chart.Point{X: float64(i), Y: r.Elo, Error: r.Error})
	}
	return d
}
