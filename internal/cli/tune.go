package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"stackmate/player"
	"stackmate/protocol/arena"
)

// tuneCommand tunes parameters of a player by matches against itself.
type tuneCommand struct {
	Parameters   []string `placeholder:"NAME,…" help:"Parameters to tune, with bounds if the default bounds do not fit, as in exploration=5:60: ${parameters}."`
	Iterations   int      `default:"100" help:"Number of iterations."`
	Pairs        int      `default:"4" help:"Pairs of matches of each game in an iteration, with seats swapped."`
	Perturbation float64  `default:"${perturbation}" help:"Initial perturbation, as a fraction of each range."`
	Step         float64  `default:"${step}" help:"Step of the first iteration, as a fraction of each range, if one side wins all its matches."`
	eventFlags
}

// Run implements the command.
func (c *tuneCommand) Run(s *console) error {
	if len(c.Players) == 0 {
		c.Players = []string{player.Kinds()[0].Name}
	}
	return c.run(s, c)
}

// plan implements planner.
func (c *tuneCommand) plan(*console) (arena.Tournament, error) {
	if c.Iterations < 1 || c.Pairs < 1 {
		return arena.Tournament{}, fmt.Errorf("--iterations, --pairs: expected 1 or more, found %d and %d", c.Iterations, c.Pairs)
	}
	t := &arena.Tuning{Pairs: c.Pairs, Perturbation: c.Perturbation, Step: c.Step}
	for _, text := range c.Parameters {
		p, err := readParameter(text)
		if err == nil {
			p, err = c.startAtPlayer(p)
		}
		if err != nil {
			return arena.Tournament{}, fmt.Errorf("--parameters: %w", err)
		}
		t.Parameters = append(t.Parameters, p)
	}
	return arena.Tournament{Rounds: c.Iterations * c.Pairs, Tuning: t}, nil
}

// startAtPlayer returns the parameter with the value in the name of the player as its start, and removes the value from the name.
func (c *tuneCommand) startAtPlayer(p arena.Parameter) (arena.Parameter, error) {
	for i, name := range c.Players { // two players of a tuning have the same name
		kind, text, _ := strings.Cut(name, ":")
		options := strings.Split(text, ",")
		at := slices.IndexFunc(options, func(option string) bool { return strings.HasPrefix(option, p.Name+"=") })
		if at < 0 {
			continue
		}
		start, err := strconv.ParseFloat(options[at][len(p.Name)+1:], 64)
		if err != nil {
			return p, fmt.Errorf("expected %s=NUMBER in player %q", p.Name, name)
		}
		c.Players[i] = strings.TrimSuffix(kind+":"+strings.Join(slices.Delete(options, at, at+1), ","), ":")
		if p, err = p.Within(nil, nil, &start); err != nil {
			return p, err
		}
	}
	return p, nil
}

// report implements planner.
func (c *tuneCommand) report(*arena.Ranking) error { return nil }

// parameters returns the tunable parameters of players.
func parameters() (list []arena.Parameter) {
	for _, p := range player.Parameters() {
		list = append(list, arena.Parameter{Name: p.Name, About: p.About, Unit: p.Unit, Start: p.Default, Low: p.Low, High: p.High, Integer: p.Integer})
	}
	return list
}

// parametersHelp describes them.
func parametersHelp() string {
	var texts []string
	for _, p := range parameters() {
		texts = append(texts, fmt.Sprintf("%s (%s: %g %s, from %g to %g)", p.Name, p.About, p.Start, p.Unit, p.Low, p.High))
	}
	return strings.Join(texts, ", ")
}

// readParameter reads NAME, or NAME=LOW:HIGH with bounds within the usual ones.
func readParameter(text string) (arena.Parameter, error) {
	all := parameters()
	name, limits, bounded := strings.Cut(text, "=")
	i := slices.IndexFunc(all, func(p arena.Parameter) bool { return p.Name == name })
	if i < 0 {
		return arena.Parameter{}, fmt.Errorf("no parameter %q: it is one of %s", name, parametersHelp())
	}
	p := all[i]
	if bounded {
		first, second, _ := strings.Cut(limits, ":")
		low, err := strconv.ParseFloat(first, 64)
		high, wrong := strconv.ParseFloat(second, 64)
		if err != nil || wrong != nil {
			return p, fmt.Errorf("expected %s=LOW:HIGH with two numbers, found %q", name, text)
		}
		return p.Within(&low, &high, nil)
	}
	return p, nil
}

// ranges formats parameters for --parameters.
func ranges(list []arena.Parameter) string {
	var texts []string
	for _, p := range list {
		texts = append(texts, fmt.Sprintf("%s=%g:%g", p.Name, p.Low, p.High))
	}
	return strings.Join(texts, ",")
}

// writeCourse writes the course of a tuning.
func writeCourse(w io.Writer, c *arena.Course) error {
	t := newTable(w, tabwriter.AlignRight)
	fmt.Fprintln(t, "parameter\tfrom\tto\tbounds\tunit\t")
	for i, p := range c.Parameters {
		value := c.Course[len(c.Course)-1][i]
		if p.Integer {
			value = math.Round(value)
		}
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%g to %g\t%s\t\n", p.Name, p.Start, value, p.Low, p.High, p.Unit)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d of %d iterations: %s\n", len(c.Scores), c.Iterations, c.Player)
	return err
}
