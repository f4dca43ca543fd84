package games

import (
	"fmt"
	"strings"
)

// What several rulesheets share of rectangular boards. Column 1 is in the west,
// row 1 in the south; (cell c r p) is a mark of p.

// pieces are the templates that rulesheets include.
//
// threeOnNine is the end of tic-tac-toe, for the roles x and o and the indices 1 to
// 3, where (marked c r) says that a cell is taken: three in a row, column or
// diagonal win, and a full board without such a line is a draw.
//
// compass defines steps in eight directions. The rules need succ, column and row.
const pieces = `{{define "compass"}}; (step d x y u v): one step in direction d leads from (x, y) to (u, v).

(<= (step north ?x ?y ?x ?v)
    (column ?x)
    (row ?y)
    (row ?v)
    (succ ?y ?v))

(<= (step east ?x ?y ?u ?y)
    (column ?x)
    (column ?u)
    (row ?y)
    (succ ?x ?u))

(<= (step northeast ?x ?y ?u ?v)
    (step north ?x ?y ?x ?v)
    (step east ?x ?v ?u ?v))

(<= (step northwest ?x ?y ?u ?v)
    (step north ?x ?y ?x ?v)
    (step east ?u ?v ?x ?v))

(<= (step south ?x ?y ?u ?v)
    (step north ?u ?v ?x ?y))

(<= (step west ?x ?y ?u ?v)
    (step east ?u ?v ?x ?y))

(<= (step southwest ?x ?y ?u ?v)
    (step northeast ?u ?v ?x ?y))

(<= (step southeast ?x ?y ?u ?v)
    (step northwest ?u ?v ?x ?y)){{end}}{{define "threeOnNine"}}(<= (line ?p)
    (index ?c)
    (true (cell ?c 1 ?p))
    (true (cell ?c 2 ?p))
    (true (cell ?c 3 ?p)))

(<= (line ?p)
    (index ?r)
    (true (cell 1 ?r ?p))
    (true (cell 2 ?r ?p))
    (true (cell 3 ?r ?p)))

(<= (line ?p)
    (true (cell 1 1 ?p))
    (true (cell 2 2 ?p))
    (true (cell 3 3 ?p)))

(<= (line ?p)
    (true (cell 1 3 ?p))
    (true (cell 2 2 ?p))
    (true (cell 3 1 ?p)))

(<= open
    (index ?c)
    (index ?r)
    (not (marked ?c ?r)))

(<= terminal
    (line ?p))

(<= terminal
    (not open))

(<= (goal ?p 100)
    (line ?p))

(<= (goal ?p 50)
    (role ?p)
    (not (line x))
    (not (line o)))

(<= (goal ?p 0)
    (other ?p ?q)
    (line ?q)){{end}}`

// inLine writes the rules for (line p): n marks of p side by side in a row, column
// or diagonal. The rules need succ.
func inLine(n int) string {
	var rules []string
	for _, d := range []struct{ dx, dy int }{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		var body []string
		for i := range n {
			if i > 0 && d.dx == 1 {
				body = append(body, fmt.Sprintf("(succ ?x%d ?x%d)", i, i+1))
			}
			if i > 0 && d.dy != 0 {
				body = append(body, fmt.Sprintf("(succ ?y%d ?y%d)", i+max(0, -d.dy), i+max(0, d.dy)))
			}
			body = append(body, fmt.Sprintf("(true (cell ?x%d ?y%d ?p))", i*d.dx+1, i*d.dy*d.dy+1))
		}
		rules = append(rules, "(<= (line ?p)\n    "+strings.Join(body, "\n    ")+")")
	}
	return strings.Join(rules, "\n\n")
}

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
