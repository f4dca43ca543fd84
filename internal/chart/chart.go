// Package chart draws diagrams of lines and points as SVG. It knows nothing of the project.
package chart

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// Diagram is one pair of axes with its curves.
type Diagram struct {
	Title, X, Y string
	// Names, if there are any, are the texts below X = 0, 1, …; otherwise Ticks are the numbers that
	// stand there; otherwise they are round numbers.
	Names  []string
	Ticks  []float64
	Log    bool // the scale of Y is logarithmic: only values above 0 are drawn
	Series []Series
}

// Series is a set of points that belong together.
type Series struct {
	Name   string // in the legend; "" for none
	Number int    // chooses the colour and the shape of the points
	Style  Style
	Points []Point
}

// Style is how a series is drawn.
type Style int

// The styles.
const (
	Line    Style = iota // points that a line joins
	Dashed               // points that a dashed line joins
	Dots                 // points
	Crosses              // crosses in place of points
)

// Point is a value with its error, if that is above 0.
type Point struct{ X, Y, Error float64 }

// Measures, in pixels.
const (
	left, right, top, bottom = 70, 20, 40, 50 // around the axes
	legendLine               = 16
	mark                     = 4 // half of a point
)

// legendShare is the part of the width of a diagram that is kept for its legend.
const legendShare = 1. / 3

var colours = []string{"#e41a1c", "#377eb8", "#4daf4a", "#984ea3", "#ff7f00", "#8d5f3c", "#d45a9f", "#666666"}

const style = `<style>text{font:12px sans-serif;fill:#222}.title{font-size:14px}.end{text-anchor:end}.middle{text-anchor:middle}` +
	`.grid{stroke:#ddd}.zero{stroke:#888}.axis{stroke:#222}.line{fill:none;stroke-width:1.5}.dashed{stroke-dasharray:6 4}` +
	`@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.axis{stroke:#ddd}rect{fill:#23252b}}</style>`

// SVG draws rows of diagrams, each of them width × height pixels. Where one is nil the room is left
// empty.
func SVG(rows [][]*Diagram, width, height float64) []byte {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g">`,
		width*float64(columns), height*float64(len(rows)))
	b.WriteString(style + `<rect width="100%" height="100%" fill="#fff"/>`)
	for i, row := range rows {
		for j, d := range row {
			if d != nil {
				fmt.Fprintf(&b, "\n<g transform=\"translate(%g %g)\">", width*float64(j), height*float64(i))
				newAxes(d, width, height).draw(&b)
				b.WriteString("</g>")
			}
		}
	}
	b.WriteString("\n</svg>\n")
	return []byte(b.String())
}

// axes know where the values of a diagram lie.
type axes struct {
	*Diagram
	width, height float64
	x, y          scale
}

func newAxes(d *Diagram, width, height float64) *axes {
	a := &axes{Diagram: d, width: width, height: height}
	x, y := empty(), empty()
	legend := 0.
	for _, s := range d.Series {
		if s.Name != "" {
			legend = legendShare
		}
		for _, p := range s.Points {
			if d.shows(p) {
				x.include(p.X)
				y.include(p.Y - p.Error)
				y.include(p.Y + p.Error)
			}
		}
	}
	x.from, x.to = left+legend*width, width-right
	y.from, y.to = height-bottom, top
	if len(d.Names) > 0 {
		x.least, x.most = -0.5, float64(len(d.Names))-0.5
	} else {
		x.widen(0.03)
	}
	switch y.log = d.Log; {
	case d.Log && y.least > y.most:
		y.least, y.most = 1, 10
	case d.Log:
		y.least, y.most = math.Pow(10, math.Floor(math.Log10(y.least))), math.Pow(10, math.Ceil(math.Log10(y.most)))
		y.most = max(y.most, 10*y.least)
	default:
		y.widen(0.05)
	}
	a.x, a.y = x, y
	return a
}

// shows reports whether a point can be drawn.
func (d *Diagram) shows(p Point) bool {
	return !math.IsNaN(p.Y) && !math.IsInf(p.Y, 0) && (p.Y > 0 || !d.Log)
}

// draw draws the diagram: grid and labels below the curves.
func (a *axes) draw(b *strings.Builder) {
	text := func(x, y float64, class, s string) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, escaped(s))
	}
	segment := func(x1, y1, x2, y2 float64, class string) {
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" class="%s"/>`, x1, y1, x2, y2, class)
	}
	x0, x1, y0, y1 := float64(left), a.x.to, a.y.from, a.y.to
	ticks := a.Ticks
	if ticks == nil {
		ticks = a.x.ticks()
	}
	for i, name := range a.Names {
		text(a.x.at(float64(i)), y0+18, "middle", name)
	}
	if len(a.Names) == 0 {
		for _, v := range ticks {
			segment(a.x.at(v), y0, a.x.at(v), y1, "grid")
			text(a.x.at(v), y0+18, "middle", number(v))
		}
	}
	for _, v := range a.y.ticks() {
		class := "grid"
		if v == 0 && a.y.least < 0 {
			class = "zero"
		}
		segment(x0, a.y.at(v), x1, a.y.at(v), class)
		text(x0-6, a.y.at(v)+4, "end", number(v))
	}
	segment(x0, y0, x1, y0, "axis")
	segment(x0, y0, x0, y1, "axis")
	text(a.width/2, top/2, "title middle", a.Title)
	text((x0+x1)/2, a.height-12, "middle", a.X)
	fmt.Fprintf(b, `<text transform="translate(16 %.1f) rotate(-90)" class="middle">%s</text>`, (y0+y1)/2, escaped(a.Y))
	line := y1 + legendLine
	for _, s := range a.Series {
		a.series(b, s)
		if s.Name != "" {
			a.mark(b, s, x0+14, line)
			text(x0+26, line+4, "", s.Name)
			line += legendLine
		}
	}
}

// series draws the points of a series, with their errors and the line through them.
func (a *axes) series(b *strings.Builder, s Series) {
	colour := colours[s.Number%len(colours)]
	var path strings.Builder
	for _, p := range s.Points {
		if !a.shows(p) {
			continue
		}
		x, y := a.x.at(p.X), a.y.at(p.Y)
		fmt.Fprintf(&path, "L%.1f %.1f", x, y)
		if p.Error > 0 {
			low, high := a.y.at(p.Y-p.Error), a.y.at(p.Y+p.Error)
			fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1fm-4 0h8M%.1f %.1fh8" stroke="%s"/>`, x, low, high, x-4, low, colour)
		}
		a.mark(b, s, x, y)
	}
	if class := map[Style]string{Line: "line", Dashed: "line dashed"}[s.Style]; class != "" && path.Len() > 0 {
		fmt.Fprintf(b, `<path d="M%s" class="%s" stroke="%s"/>`, path.String()[1:], class, colour)
	}
}

// mark draws a point of a series: a circle, a square, a triangle or a cross.
func (a *axes) mark(b *strings.Builder, s Series, x, y float64) {
	shape := fmt.Sprintf("m-%[1]d -%[1]dh%[2]dv%[2]dh-%[2]dz", mark, 2*mark)
	switch {
	case s.Style == Crosses:
		shape = fmt.Sprintf("m-%[1]d -%[1]dl%[2]d %[2]dm0 -%[2]dl-%[2]d %[2]d", mark, 2*mark)
	case s.Number%3 == 0:
		shape = fmt.Sprintf("m-%[1]d 0a%[1]d %[1]d 0 1 0 %[2]d 0a%[1]d %[1]d 0 1 0 -%[2]d 0z", mark, 2*mark)
	case s.Number%3 == 2:
		shape = fmt.Sprintf("m0 -%[1]dl%[1]d %[2]dh-%[2]dz", mark, 2*mark)
	}
	colour := colours[s.Number%len(colours)]
	fill := colour
	if s.Style == Dashed {
		fill = "#fff"
	}
	fmt.Fprintf(b, `<path d="M%.1f %.1f%s" stroke="%s" fill="%s"/>`, x, y, shape, colour, fill)
}

// scale maps values to pixels.
type scale struct {
	least, most float64 // values
	from, to    float64 // pixels
	log         bool
}

func empty() scale { return scale{least: math.Inf(1), most: math.Inf(-1)} }

func (s *scale) include(v float64) { s.least, s.most = min(s.least, v), max(s.most, v) }

// widen leaves a share of the room on both sides; a single value gets room around it.
func (s *scale) widen(share float64) {
	if s.least > s.most {
		s.least, s.most = 0, 1
	}
	if s.least == s.most {
		s.least, s.most = s.least-1, s.most+1
	}
	room := share * (s.most - s.least)
	s.least, s.most = s.least-room, s.most+room
}

func (s scale) at(v float64) float64 {
	least, most := s.least, s.most
	if s.log {
		least, most, v = math.Log(least), math.Log(most), math.Log(v)
	}
	return s.from + (v-least)/(most-least)*(s.to-s.from)
}

// ticks returns powers of ten, or about five multiples of 1, 2 or 5 times a power of ten.
func (s scale) ticks() []float64 {
	var list []float64
	if s.log {
		for e := math.Round(math.Log10(s.least)); e <= math.Round(math.Log10(s.most)); e++ {
			list = append(list, math.Pow(10, e))
		}
		return list
	}
	const wanted = 5
	step := math.Pow(10, math.Floor(math.Log10((s.most-s.least)/wanted)))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
		if (s.most-s.least)/step > wanted {
			step *= factor
		}
	}
	for k := math.Ceil(s.least / step); k*step <= s.most; k++ {
		list = append(list, k*step+0) // not -0
	}
	return list
}

// number writes the number at a tick.
func number(v float64) string { return fmt.Sprintf("%.6g", v) }

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
