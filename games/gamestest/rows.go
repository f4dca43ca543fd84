package gamestest

import (
	"fmt"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
)

// TwoRows returns the rules of a game on two independent rows of cells: on each, the players alternate, and
// `marks` adjacent marks win.
func TwoRows(cells, marks int) string {
	var columns, line strings.Builder
	for c := 1; c <= cells; c++ {
		fmt.Fprintf(&columns, " (column %d)", c)
		if c < cells {
			fmt.Fprintf(&columns, " (succ %d %d)", c, c+1)
		}
	}
	for k := 1; k < marks; k++ {
		fmt.Fprintf(&line, " (succ ?%c ?%c) (true (cell ?b ?%[2]c ?r))", 'c'+k-1, 'c'+k)
	}
	return `
(role x) (role o)
(init (control x 1)) (init (control o 2))
(row 1) (row 2)` + columns.String() + `
(<= (legal ?r (mark ?b ?c)) (true (control ?r ?b)) (column ?c) (not (taken ?b ?c)))
(<= (taken ?b ?c) (true (cell ?b ?c ?r)))
(<= (next (cell ?b ?c ?r)) (does ?r (mark ?b ?c)))
(<= (next (cell ?b ?c ?r)) (true (cell ?b ?c ?r)))
(<= (next (control x ?b)) (true (control o ?b)))
(<= (next (control o ?b)) (true (control x ?b)))
(<= (line ?r) (true (cell ?b ?c ?r))` + line.String() + `)
(<= open (row ?b) (column ?c) (not (taken ?b ?c)))
(<= terminal (line ?r))
(<= terminal (not open))
(<= (goal x 100) (line x) (not (line o)))
(<= (goal o 100) (line o) (not (line x)))
(<= (goal x 0) (line o) (not (line x)))
(<= (goal o 0) (line x) (not (line o)))
(<= (goal ?r 50) (role ?r) (line x) (line o))
(<= (goal ?r 50) (role ?r) (not (line x)) (not (line o)))`
}

// Compiled returns the machine of rules given as text.
func Compiled(t testing.TB, rules string) machine.Machine {
	t.Helper()
	g, _ := must.Get2(gdl.Load(t.Context(), "rules", []byte(rules)))(t)
	m := must.Get(reasoner.New(t.Context(), g, reasoner.Options{}))(t)
	return m
}
