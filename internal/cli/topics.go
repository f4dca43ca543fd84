package cli

import (
	"fmt"
	"io"
	"strings"

	"stackmate/games"
	"stackmate/player"
)

// topic is an explanation that several commands share: "stackmate help NAME" prints it.
type topic struct {
	Name  string
	write func(io.Writer) error
}

// topics lists the topics of the help.
var topics = []topic{{"games", writeGames}, {"methods", writeMethods}, {"players", writePlayers}}

// Text returns the explanation.
func (t topic) Text() (string, error) {
	var b strings.Builder
	err := t.write(&b)
	return b.String(), err
}

// writeGames writes the built-in games with their parameters.
func writeGames(w io.Writer) error {
	var b strings.Builder
	b.WriteString("The built-in games. A name alone stands for the usual size: connectFour is connectFour-7x6.\n")
	for _, f := range games.Families() {
		fmt.Fprintf(&b, "\n  %s\n      %s\n", f.Pattern, f.Summary)
		for _, p := range f.Parameters {
			each := ""
			if p.List {
				each = "joined by dots, each "
			}
			fmt.Fprintf(&b, "      %s: %s, %s%d to %d\n", p.Name, p.About, each, p.Min, p.Max)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// methods lists the methods of solve by the class of the game.
var methods = []struct{ class, method, about string }{
	{"any", "auto", "the method that fits the class of the game; the next one, if a position shows another class"},
	{"", "mcts", "sampling, as far as it proves bounds"},
	{"two players, simultaneous moves", "smab", "Simultaneous Move Alpha-Beta"},
	{"", "layers", "backward induction of all positions, on the disk with --save"},
	{"", "bi", "backward induction"},
	{"", "biab", "backward induction with serialized alpha-beta bounds"},
	{"", "do", "double oracle with serialized alpha-beta bounds"},
	{"", "seqform", "one linear program of the sequence form (GLPK)"},
	{"two players, turn-based", "bab", "Bounded Alpha-Beta with iterative deepening, with chance"},
	{"", "dfs", "Bounded Alpha-Beta, depth first"},
	{"", "threats", "wins by threats alone"},
	{"one player", "plan", "a plan by satisfiability, without chance"},
	{"two players, any sum of goals", "equilibrium", "one equilibrium in fractions, for small games"},
	{"any number of players", "paranoid", "the goal that each role can guarantee"},
	{"", "lattice", "guarantees, and all undominated outcomes"},
	{"any number of players, turn-based", "maxn", "one equilibrium in which each role maximizes its own goal"},
}

// writeMethods writes the values of solve --method.
func writeMethods(w io.Writer) error {
	var b strings.Builder
	b.WriteString("The values of solve --method, by the games that they solve.\n")
	for _, m := range methods {
		if m.class != "" {
			fmt.Fprintf(&b, "\n%s\n", m.class)
		}
		fmt.Fprintf(&b, "  %-12s  %s\n", m.method, m.about)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writePlayers writes the descriptions that --players takes, with their options.
func writePlayers(w io.Writer) error {
	var b strings.Builder
	entry := func(name, about string) { fmt.Fprintf(&b, "  %-19s  %s\n", name, about) }
	b.WriteString("Values of --players in match and tournament, separated by commas.\n\n")
	for _, k := range player.Kinds() {
		entry(k.Name, k.About)
	}
	entry(humanPlayer, "a person at this terminal, in match")
	entry(solutionPlayer+":PATH", "a solution of solve --save, in match; without PATH positions are solved")
	entry("http://host:port", "a player at an address")
	b.WriteString("\nOptions follow a colon, as in mcts:threads=1,without=rave+bounds.\n\n")
	entry("threads=N", "number of searching threads")
	entry("exact=METHOD", "exact search next to the sampling search, as in stackmate:exact=smab, or none")
	entry("without=A+B", "disables techniques")
	entry("NAME=NUMBER", "sets a number of the sampling search")
	b.WriteString("\nTechniques\n")
	for _, t := range player.Techniques() {
		entry(t.Name, t.About)
	}
	b.WriteString("\nNumbers\n")
	for _, p := range parameters() {
		entry(p.Name, fmt.Sprintf("%s: %g %s, from %g to %g", p.About, p.Start, p.Unit, p.Low, p.High))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
