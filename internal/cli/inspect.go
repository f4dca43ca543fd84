package cli

import (
	"errors"
	"fmt"
	"strings"

	"stackmate/games"
	"stackmate/player"
	"stackmate/reasoner"
)

// inspectCommand shows what the compiler found.
type inspectCommand struct {
	oneGame
	Circuit bool `xor:"view" help:"Also show the circuit after each pass."`
	Dot     bool `xor:"view" help:"Draw the circuit in the language of Graphviz, and nothing else."`
}

// Help lists the built-in games.
func (c *inspectCommand) Help() string {
	var b strings.Builder
	b.WriteString("The built-in games:\n")
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
	return b.String()
}

// Run implements the command.
func (c *inspectCommand) Run(s *console) error {
	if c.Dot {
		return c.draw(s)
	}
	var passes []reasoner.PassInfo
	options := reasoner.Options{Engine: c.Engine}
	if c.Circuit {
		options.Trace = func(p reasoner.PassInfo) { passes = append(passes, p) }
	}
	m, took, err := s.compile(c.Game, options)
	if err != nil {
		return err
	}
	result := reasoner.Inspect(c.Game, m, took, passes)
	result.Class = player.Classify(s.ctx, m, 1).String()
	return errors.Join(s.show(c.JSON, result), s.ctx.Err()) // the class is of the matches played so far
}

func (c *inspectCommand) draw(s *console) error {
	rules, err := s.load(c.Game)
	if err != nil {
		return err
	}
	circuit, err := reasoner.Circuit(s.ctx, rules, reasoner.Options{Memory: s.memory.share(1)})
	if err != nil {
		return fmt.Errorf("%s: %w", c.Game, err)
	}
	return circuit.WriteDot(s.out.exactly())
}
