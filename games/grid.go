package games

import "fmt"

// The facts about rectangular boards that several rulesheets share. Column 1 is
// in the west, row 1 in the south.

// steps writes the facts (step d x y u v): direction d leads from (x, y) to
// (u, v), both on a board of w columns and h rows.
func steps(w, h int) string {
	var facts []string
	for y := 1; y <= h; y++ {
		for x := 1; x <= w; x++ {
			for _, d := range []struct {
				name   string
				dx, dy int
			}{{"north", 0, 1}, {"east", 1, 0}, {"south", 0, -1}, {"west", -1, 0}} {
				u, v := x+d.dx, y+d.dy
				if u >= 1 && u <= w && v >= 1 && v <= h {
					facts = append(facts, fmt.Sprintf("(step %s %d %d %d %d)", d.name, x, y, u, v))
				}
			}
		}
	}
	return lines(facts)
}
