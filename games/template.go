package games

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"
)

// Functions of the rulesheet templates. rules/shared.kif holds their shared rules. On rectangular boards column 1
// is west and row 1 south, and (cell c r p) is a mark of p.

//go:embed rules
var rules embed.FS

// templates are the rulesheets by file name, parsed when one is first used.
var templates = sync.OnceValue(func() *template.Template {
	t := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"add":    func(a, b int) int { return a + b },
		"sub":    func(a, b int) int { return a - b },
		"count":  count,
		"facts":  unary,
		"succ":   successors,
		"steps":  steps,
		"inLine": inLine,
		"max":    func(a, b int) int { return max(a, b) },
		"mul":    func(a, b int) int { return a * b },
		"div":    func(a, b int) int { return a / b },
	})
	return template.Must(t.ParseFS(rules, "rules/*.kif")) // the tests read all
})

// count lists the integers from lo to hi, inclusive.
func count(lo, hi int) []int {
	var list []int
	for n := lo; n <= hi; n++ {
		list = append(list, n)
	}
	return list
}

// unary writes the facts (relation lo) … (relation hi).
func unary(relation string, lo, hi int) string {
	var facts []string
	for _, n := range count(lo, hi) {
		facts = append(facts, fmt.Sprintf("(%s %d)", relation, n))
	}
	return lines(facts)
}

// successors writes the facts (succ lo lo+1) … (succ hi-1 hi).
func successors(lo, hi int) string {
	var facts []string
	for _, n := range count(lo, hi-1) {
		facts = append(facts, fmt.Sprintf("(succ %d %d)", n, n+1))
	}
	return lines(facts)
}

// lines writes facts, one a line.
func lines(facts []string) string { return strings.Join(facts, "\n") }

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
