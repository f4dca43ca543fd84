// Package terminal lets a person play against a solution, line by line. It owns
// the dialogue and nothing else: it must not know where positions, solutions and
// lines come from.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stackmate/protocol/arena/board"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Match is one match of a person against a solution, which plays all other roles
// by sampling its mixed strategies. Chance plays itself.
type Match struct {
	Machine machine.Machine
	Person  machine.Role
	// Known is a saved solution; nil if there is none. What it does not know it answers with an error.
	Known search.Solution
	// Search finds out about a position that the solution does not know. It may
	// give up and answer with what it has.
	Search func(ctx context.Context, q machine.State) (search.Result, error)
	Seed   uint64        // of the solution's dice, and of chance
	Layout *board.Layout // draws positions; nil: they are lists of facts
}

// errLeft is the error of a person who has left: no error to the caller.
var errLeft = errors.New("the person has left")

// Play plays the match to its end, until in ends or says quit, or until ctx is
// done: none of these is an error.
func (m *Match) Play(ctx context.Context, in io.Reader, out io.Writer) error {
	lines, stop := readLines(in)
	defer stop()
	d := &dialogue{
		Match: m, ctx: ctx, lines: lines, out: out,
		names: m.Machine.Names(), batch: m.Machine.NewBatch(), rng: machine.NewRand(m.Seed),
	}
	fmt.Fprintf(out, "You are %s. Type a move or its number; ? shows what the solution would play, quit ends.\n",
		d.names.Roles[m.Person])
	err := d.play()
	if errors.Is(err, errLeft) || err != nil && ctx.Err() != nil {
		fmt.Fprintln(out, "\nThe match ends here.")
		return nil
	}
	return err
}

// dialogue is the course of a match.
type dialogue struct {
	*Match
	ctx   context.Context
	lines <-chan string
	out   io.Writer
	names *machine.Names
	batch machine.Batch
	rng   *machine.Rand
}

func (d *dialogue) play() error {
	q := slices.Clone(d.Machine.Initial())
	joint := make([]machine.Move, len(d.names.Roles))
	for turn := 1; ; turn++ {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		d.batch.Load(q, 1)
		d.batch.Evaluate(1)
		if err := machine.Unknown(d.batch, 0); err != nil {
			return err
		}
		fmt.Fprintf(d.out, "\nTurn %d\n", turn)
		d.show(q)
		if d.batch.Terminal()[0]&1 != 0 {
			d.tellGoals()
			return nil
		}
		if d.batch.Stuck()[0]&1 != 0 {
			return errors.New("a role has no legal move in a position that is not terminal: a fault of the game")
		}
		if err := d.choose(q, joint); err != nil {
			return err
		}
		for r, move := range joint {
			d.batch.Choose(0, machine.Role(r), move)
		}
		fmt.Fprintf(d.out, "Played: %s\n", d.names.JointString(joint))
		d.batch.Advance(1)
		d.batch.Store(q, 1)
	}
}

// show draws a position.
func (d *dialogue) show(q machine.State) {
	facts := d.names.AppendFluents(nil, q)
	if d.Layout == nil {
		d.list(facts)
		return
	}
	fmt.Fprint(d.out, d.Layout.Draw(facts).Text(lineWidth))
}

// tellGoals says how a match has ended.
func (d *dialogue) tellGoals() {
	goals := make([]int32, len(d.names.Roles))
	d.batch.Goals(goals, 0)
	fmt.Fprint(d.out, "The end.")
	for r, goal := range goals {
		if machine.Role(r) != d.names.Chance() {
			fmt.Fprintf(d.out, " %s: %d.", d.names.Roles[r], goal)
		}
	}
	fmt.Fprintln(d.out)
}

// choose finds the joint move at q. The solution throws its dice before it sees
// the person's move.
func (d *dialogue) choose(q machine.State, joint []machine.Move) error {
	legal := make([][]machine.Move, len(joint))
	choices := 0
	for r := range legal {
		legal[r] = d.batch.AppendLegal(nil, 0, machine.Role(r))
		if len(legal[r]) > 1 && machine.Role(r) != d.names.Chance() {
			choices++
		}
	}
	var strategies [][]search.Weighted
	if choices > 0 {
		var err error
		if strategies, err = d.advice(q); err != nil {
			return err
		}
	}
	for r := range joint {
		joint[r] = d.sample(legal[r], strategyOf(strategies, r))
	}
	var err error
	if len(legal[d.Person]) > 1 {
		joint[d.Person], err = d.ask(legal[d.Person], strategyOf(strategies, int(d.Person)))
	}
	return err
}

func strategyOf(strategies [][]search.Weighted, r int) []search.Weighted {
	if r < len(strategies) {
		return strategies[r]
	}
	return nil
}

// advice tells the value of q and returns the strategies of all roles.
func (d *dialogue) advice(q machine.State) ([][]search.Weighted, error) {
	player, _, err := search.Opponents(d.names)
	if err != nil {
		return nil, err
	}
	first := d.names.Roles[player]
	if d.Known != nil {
		if claim, err := d.Known.At(d.ctx, q); err == nil {
			fmt.Fprintf(d.out, "Value for %s: %.4g\n", first, claim.Value)
			return claim.Strategies, nil
		}
	}
	r, err := d.Search(d.ctx, q)
	if err != nil {
		return nil, err
	}
	if v := r.Values[player]; r.Proved && v.Solved() {
		fmt.Fprintf(d.out, "Value for %s: %.4g (just computed)\n", first, v.Lower)
	} else {
		fmt.Fprintf(d.out, "Value for %s: about %.4g (not solved in the time: moves are good, not perfect)\n", first, r.Guess(player))
	}
	return r.Strategies, nil
}

// sample draws a move: by the strategy, or uniformly where there is none.
func (d *dialogue) sample(legal []machine.Move, strategy []search.Weighted) machine.Move {
	if len(strategy) == 0 {
		return legal[d.rng.Intn(len(legal))]
	}
	left := d.rng.Float64()
	for _, w := range strategy {
		if left < w.Probability {
			return w.Move
		}
		left -= w.Probability
	}
	return strategy[len(strategy)-1].Move // what rounding leaves
}

// ask asks the person for a move until it is legal.
func (d *dialogue) ask(legal []machine.Move, strategy []search.Weighted) (machine.Move, error) {
	text := func(m machine.Move) string { return strings.Trim(d.names.MoveText(d.Person, m), "()") }
	slices.SortFunc(legal, func(x, y machine.Move) int { return board.Natural(text(x), text(y)) })
	var menu []string
	for i, move := range legal {
		menu = append(menu, fmt.Sprintf("%d: %s", i+1, d.names.MoveText(d.Person, move)))
	}
	d.list(menu)
	for {
		fmt.Fprintf(d.out, "%s> ", d.names.Roles[d.Person])
		line, err := d.line()
		if err != nil {
			return machine.NoMove, err
		}
		switch strings.ToLower(line) {
		case "":
		case "quit", "exit":
			return machine.NoMove, errLeft
		case "?", "help":
			d.hint(strategy)
		default:
			if move, ok := d.parse(line, legal); ok {
				return move, nil
			}
			fmt.Fprintf(d.out, "Expected a number from 1 to %d or a legal move such as %s, found %q.\n",
				len(legal), d.names.MoveText(d.Person, legal[0]), line)
		}
	}
}

// parse reads a legal move: its number in the menu, or its text, for which the
// outer parentheses are not needed.
func (d *dialogue) parse(line string, legal []machine.Move) (machine.Move, bool) {
	for i, move := range legal {
		if line == fmt.Sprint(i+1) {
			return move, true
		}
	}
	text := strings.Join(strings.Fields(line), " ")
	for _, spelled := range []string{text, "(" + text + ")"} {
		if move, ok := d.names.Move(d.Person, spelled); ok && slices.Contains(legal, move) {
			return move, true
		}
	}
	return machine.NoMove, false
}

// hint shows the solution's strategy for the person.
func (d *dialogue) hint(strategy []search.Weighted) {
	var parts []string
	for _, w := range strategy {
		parts = append(parts, fmt.Sprintf("%s with %.4f", d.names.MoveText(d.Person, w.Move), w.Probability))
	}
	if parts == nil {
		parts = []string{"the solution has no strategy for you here"}
	}
	d.list(parts)
}
