package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// texts returns the texts of a drawing, which must be well-formed.
func texts(t *testing.T, svg []byte) (list []string) {
	t.Helper()
	for decoder := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if text, ok := token.(xml.CharData); ok && len(strings.TrimSpace(string(text))) > 0 {
			list = append(list, string(text))
		}
	}
}

func TestADiagramHasItsTextsTicksAndLegend(t *testing.T) {
	svg := SVG([][]*Diagram{{nil, {
		Title: "A < B", X: "size", Y: "seconds", Log: true, Ticks: []float64{3, 4},
		Series: []Series{
			{Name: "fast", Points: []Point{{X: 3, Y: 0.02}, {X: 4, Y: 3}}},
			{Name: "stopped", Number: 1, Style: Crosses, Points: []Point{{X: 4, Y: 7}, {X: 4, Y: 0}}},
		},
	}}}, 600, 400)
	want := []string{"3", "4", "0.01", "0.1", "1", "10", "A < B", "size", "seconds", "fast", "stopped"}
	if got := texts(t, svg)[1:]; !slices.Equal(got, want) { // after the styles
		t.Errorf("texts %q, want %q", got, want)
	}
}

// The ends of an interval lie where the axis says.
func TestErrorsAreDrawnToScale(t *testing.T) {
	d := &Diagram{Names: []string{"a", "b"}, Series: []Series{{Style: Dots, Points: []Point{{Y: 10, Error: 10}, {X: 1, Y: -10, Error: 10}}}}}
	a := newAxes(d, 400, 300)
	if a.y.least > -20 || a.y.most < 20 || a.y.at(-20) > 250 || a.y.at(20) < top {
		t.Errorf("the axis goes from %v to %v", a.y.least, a.y.most)
	}
	if got, want := a.y.at(20)-a.y.at(0), a.y.at(0)-a.y.at(-20); math.Abs(got-want) > 1e-9 {
		t.Errorf("20 points are %v and %v pixels", got, want)
	}
	if bars := regexp.MustCompile(`V[0-9.]+m-4 0h8`).FindAllString(string(SVG([][]*Diagram{{d}}, 400, 300)), -1); len(bars) != 2 {
		t.Errorf("error bars %q", bars)
	}
}

func TestTicksAreRoundAndFew(t *testing.T) {
	for _, s := range []scale{{least: 0, most: 1}, {least: -103, most: 517}, {least: 1e-3, most: 2.2e-3}, {least: 7, most: 9}} {
		ticks := s.ticks()
		if len(ticks) < 2 || len(ticks) > 6 || ticks[0] < s.least || ticks[len(ticks)-1] > s.most {
			t.Errorf("%v to %v: %v", s.least, s.most, ticks)
		}
	}
}

func TestWhatCannotBeDrawnIsLeftOut(t *testing.T) {
	for _, d := range []*Diagram{
		{},
		{Series: []Series{{Name: "none"}}},
		{Series: []Series{{Points: []Point{{X: 1, Y: math.NaN()}, {X: 2, Y: math.Inf(1)}, {X: 3, Y: 5}}}}},
		{Log: true, Series: []Series{{Points: []Point{{X: 3, Y: 5}}}}},
	} {
		if svg := string(SVG([][]*Diagram{{d}}, 400, 300)); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%+v: %s", d, svg)
		}
	}
}

func TestTicksAreMultiplesOfOneTwoOrFiveInTheRange(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        []float64
	}{
		{0, 100, []float64{0, 20, 40, 60, 80, 100}},
		{0, 250, []float64{0, 50, 100, 150, 200, 250}},
		{0, 240, []float64{0, 50, 100, 150, 200}},
		{-3, 7, []float64{-2, 0, 2, 4, 6}},
		{1, 5.5, []float64{1, 2, 3, 4, 5}},
		{0, 1000, []float64{0, 200, 400, 600, 800, 1000}},
		{-45, -1, []float64{-40, -30, -20, -10}},
	} {
		if got := (scale{least: c.least, most: c.most}).ticks(); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: ticks %v, want %v", c.least, c.most, got, c.want)
		}
	}
	if got := (scale{least: 0.01, most: 100, log: true}).ticks(); len(got) != 5 || math.Abs(got[0]-0.01) > 1e-12 || got[4] != 100 {
		t.Errorf("powers of ten: %v", got)
	}
}

func TestTheLineOfZeroIsDrawnAndLabelled(t *testing.T) {
	for _, values := range [][]float64{{0, 10}, {-140, 140}, {-3, 0}} {
		svg := SVG([][]*Diagram{{{Names: []string{"a", "b"}, Series: []Series{{Points: []Point{{X: 0, Y: values[0]}, {X: 1, Y: values[1]}}}}}}}, 600, 400)
		if found := texts(t, svg); !slices.Contains(found, "0") || !strings.Contains(string(svg), `class="zero"`) {
			t.Errorf("%v: texts %q", values, found)
		}
	}
}
