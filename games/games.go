// Package games owns the rulesheets that come with Stackmate: single games and
// families of games, whose members are generated. A family lives in one file:
// its rules, its parameters and their limits. The package produces text and
// must not know what reads it.
package games

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"
)

// Family describes the games that share one rulesheet.
type Family struct {
	Pattern    string // the form of the names: "connectFour-WxH"
	Parameters []Parameter
	Summary    string // one line
}

// Name is the family's own name, which alone stands for the member with all
// parameters at their defaults.
func (f Family) Name() string {
	name, _, _ := strings.Cut(f.Pattern, "-")
	return name
}

// Parameter is one number, or one list of numbers, in the name of a game.
type Parameter struct {
	Name     string // as in the pattern
	About    string // what it counts, with its unit
	Min, Max int    // limits, inclusive; of each element if List
	Default  int    // without meaning if List
	List     bool   // numbers joined by dots; empty by default

	// separator stands before the parameter in a name. A parameter that follows
	// "-" may be left out with all that follow; one that follows "x" may not.
	separator string
}

// arguments are the values of the parameters of one game by name (int, or []int
// if List), and whatever else the family's template needs.
type arguments map[string]any

// family is a Family with what generates its members.
type family struct {
	Family
	rules func() *template.Template
	// prepare, if not nil, checks the arguments against each other and adds the
	// derived ones.
	prepare func(arguments) error
}

// families lists all games, sorted by name.
var families = []family{
	amazons,
	biddingTicTacToe,
	breakthrough,
	checkers,
	chess,
	connectFour,
	copsAndRobber,
	copsAndRobberSlips,
	example2,
	gomoku,
	goofspiel,
	goofspielPoints,
	hex,
	liarsBid,
	matchingPennies,
	nim,
	oshiZumo,
	pentago,
	pig,
	prisonersDilemma,
	pursuit,
	quarto,
	reversi,
	rockPaperScissors,
	rockPaperScissorsMatch,
	slidingPuzzle,
	ticTacToe,
	trio,
	tron,
	ultimateTicTacToe,
}

// Families describes all games, sorted by name.
func Families() []Family {
	all := make([]Family, len(families))
	for i, f := range families {
		all[i] = f.Family
		all[i].Parameters = slices.Clone(f.Parameters)
	}
	return all
}

// Source returns the rulesheet of a game given by name, such as "ticTacToe" or
// "connectFour-5x4", and a file name for messages about it. The error says what
// is wrong with the name: an unknown family (with the nearest ones), a malformed
// or missing parameter, or one outside its limits.
func Source(name string) (file string, src []byte, err error) {
	first, rest, _ := strings.Cut(name, "-")
	i := slices.IndexFunc(families, func(f family) bool { return f.Name() == first })
	if i < 0 {
		return "", nil, unknownFamily(cmp.Or(first, name), name)
	}
	f := families[i]
	args, err := f.parse(name, strings.TrimPrefix(name, first))
	if err == nil && rest == "" && name != first {
		err = fmt.Errorf("game %q: expected %s, found nothing after the hyphen", name, f.Pattern)
	}
	if err == nil && f.prepare != nil {
		if err = f.prepare(args); err != nil {
			err = fmt.Errorf("game %q: %w", name, err)
		}
	}
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	if err := f.rules().Execute(&b, args); err != nil {
		return "", nil, fmt.Errorf("game %q: %w", name, err)
	}
	return name + ".kif", b.Bytes(), nil
}

// rulesheet is the template of a family, parsed when it is first used: to parse all of them
// takes a millisecond. Templates are constants, which the tests read.
func rulesheet(text string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
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
			"half":   func(a int) int { return a / 2 },
		})
		return template.Must(template.Must(t.Parse(pieces)).Parse(strings.TrimLeft(text, "\n")))
	})
}

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
