package cli

import (
	_ "embed"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

// welcome is printed if there are no arguments.
const welcome = about + `

  stackmate arena                         a page to play, watch and analyse
  stackmate match connectFour             watch two players
  stackmate play ticTacToe                play here, against perfect play
  stackmate solve goofspiel-6 --certify   solve a game, and check the solution
  stackmate serve                         game servers reach Stackmate
  stackmate validate game.kif             check rules of your own

"stackmate help" lists all commands, "stackmate help COMMAND" explains one.
`

// examples are command lines with explanations; the examples of one command are consecutive.
//
//go:embed examples.txt
var examples string

// examplesOf returns the examples of a command.
func examplesOf(command string) (lines []string) {
	for line := range strings.Lines(examples) {
		if words := strings.Fields(line); len(words) > 1 && words[1] == command {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// addExamples has the help of each command begin with its examples.
func addExamples(model *kong.Application) {
	for _, c := range model.Children {
		if lines := examplesOf(c.Name); lines != nil {
			c.Detail = strings.TrimRight("Examples:\n\n  "+strings.Join(lines, "\n  ")+"\n\n"+c.Detail, "\n")
		}
	}
}

// printHelp prints the help of a command, or one screen about all of them.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() != nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	fmt.Fprintf(ctx.Stdout, "%s\n\n", ctx.Model.Help)
	t := tabwriter.NewWriter(ctx.Stdout, 0, 0, 2, ' ', 0)
	for _, g := range groups {
		title, together := g.Title, []string(nil)
		for _, c := range ctx.Model.Children {
			switch {
			case c.Group == nil || c.Group.Key != g.Key:
			case g.Description != "":
				together = append(together, c.Name)
			default:
				fmt.Fprintf(t, "%s\t%s\t%s\n", title, c.Name, c.Help)
				title = ""
			}
		}
		if together != nil {
			fmt.Fprintf(t, "%s\t%s: %s\n", title, strings.Join(together, ", "), g.Description)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(ctx.Stdout, `
A GAME is the path of a rulesheet or the name of a built-in game. "stackmate
help COMMAND" explains a command; more topics: games, methods, players.
`)
	return err
}
