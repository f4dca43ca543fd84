package training

import "stackmate/internal/chart"

// Plot draws the strength of the checkpoints in Elo, and the correlation of their evaluations with the outcomes of unseen
// games, over the games learnt, as SVG.
func (t *Training) Plot() []byte {
	const width, height = 600, 340 // of each diagram, in pixels
	panel := func(title, unit string, y func(Checkpoint) float64) *chart.Diagram {
		var saved, weaker chart.Series
		weaker.Style, weaker.Number, weaker.Name = chart.Crosses, 1, "weaker, not saved"
		for _, c := range t.Checkpoints {
			s := &saved
			if !c.Saved {
				s = &weaker
			}
			s.Points = append(s.Points, chart.Point{X: float64(c.Games), Y: y(c)})
		}
		d := &chart.Diagram{Title: title, X: "games", Y: unit, Series: []chart.Series{saved}}
		if len(weaker.Points) > 0 {
			d.Series = append(d.Series, weaker)
		}
		return d
	}
	return chart.SVG([][]*chart.Diagram{
		{panel(t.Game+": strength", "Elo", func(c Checkpoint) float64 { return c.Elo })},
		{panel("evaluation and outcome", "correlation", func(c Checkpoint) float64 { return c.Correlation })},
	}, width, height)
}
