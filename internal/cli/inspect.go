package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/solve"
)

// inspectCommand prints the compiler's analysis.
type inspectCommand struct {
	oneGame
	kernelFlag
	Circuit bool `help:"Also show the circuit after each pass."`
	Prove   bool `help:"Also prove or refute properties that should hold in all positions."`

	Budget time.Duration `default:"10s" help:"Time for the proofs."`
}

// Run implements the command.
func (c *inspectCommand) Run(s *console) error {
	if c.Budget <= 0 {
		return noBudget(c.Budget)
	}
	var passes []reasoner.PassInfo
	options := reasoner.Options{Engine: c.Engine, Kernel: c.Kernel}
	if c.Circuit {
		options.Trace = func(p reasoner.PassInfo) { passes = append(passes, p) }
	}
	began := time.Now()
	rules, err := s.load(c.Game, gdl.Load)
	if err != nil {
		return err
	}
	read := machine.Stages{{Name: "read", Took: time.Since(began)}}
	m, took, err := s.machine(c.Game, rules, options)
	if err != nil {
		return err
	}
	result := inspect(c.Game, m, took, passes)
	result.Stages = append(staged(read), result.Stages...)
	class := solve.Classify(s.ctx, m, 1)
	result.Class, result.Games = observed(class), class.Playouts
	result.proveFacts(s.ctx, m, c.Budget/factShare)
	if c.Prove {
		line := s.progress("proving what holds in %s", c.Game)
		result.Proofs, err = proofs(s.ctx, s, rules, c.Budget)
		line.end()
		if err != nil && s.ctx.Err() == nil {
			return fmt.Errorf("%s: %w", c.Game, err)
		}
	}
	return errors.Join(show(s, c.JSON, result, writeInspection), s.ctx.Err()) // the class is of the matches played so far
}

// inspection is the compiler's analysis of a game.
type inspection struct {
	Game        string         `json:"game"`
	Roles       []string       `json:"roles"`
	Fluents     int            `json:"fluents"`
	Moves       map[string]int `json:"moves"` // possible moves by role
	Gates       int            `json:"gates"` // two-input gates, or rules of an engine without a circuit
	Depth       int            `json:"depth"` // levels of the circuit
	Engine      string         `json:"engine"`
	Reason      string         `json:"reason"`           // why this engine
	Kernel      string         `json:"kernel,omitempty"` // that the circuit runs on
	Lanes       int            `json:"lanes"`            // positions per batch
	Bytes       int64          `json:"bytes"`            // memory of the machine, without batches
	BatchBytes  int64          `json:"batch_bytes"`
	Symmetries  int            `json:"symmetries"` // automorphisms of the rules, the identity left out
	InitSeconds float64        `json:"init_seconds"`
	// VerifiedSeconds is the part of it that went into proving the circuit's programs
	// safe to run.
	VerifiedSeconds float64  `json:"verified_seconds"`
	Class           string   `json:"class"`              // the kind of game, as random games show it; left to the caller
	Games           int      `json:"random_games"`       // the number of these games; left to the caller
	GoalSum         *int32   `json:"goal_sum,omitempty"` // of the players at every end, if it is proved
	Longest         *int     `json:"longest,omitempty"`  // joint moves that no game exceeds, if that is proved
	Stages          []stage  `json:"stages"`             // parts of init_seconds, besides reading the rules
	Passes          []passed `json:"passes,omitempty"`   // as traced
	Proofs          []proof  `json:"proofs,omitempty"`   // left to the caller
}

// factShare is the part of the time for proofs, one divided by it, that each fact may take which is proved in any case.
const factShare = 5

// observed returns the class of a game in words, with the number of random games that it was seen in, or "" without games.
func observed(c solve.Class) string {
	if c.Playouts == 0 {
		return ""
	}
	return fmt.Sprintf("%s (in %d random games)", c, c.Playouts)
}

// inspection is the compiler's analysis of a game.
func (i *inspection) proveFacts(ctx context.Context, m machine.Machine, within time.Duration) {
	short, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if sum, ok := facts.ProvedGoalSum(short, m); ok {
		i.GoalSum = &sum
	}
	again, cancelAgain := context.WithTimeout(ctx, within)
	defer cancelAgain()
	if moves, ok := facts.ProvedLength(again, m); ok {
		i.Longest = &moves
	}
}

// writeFacts writes the class, which random games show, and the facts that are proved.
func (i *inspection) writeFacts(w io.Writer) {
	fmt.Fprintf(w, "class\t%s\n", cmp.Or(i.Class, "-"))
	sum, length := "not proved to be constant", "not proved to be bounded"
	if i.GoalSum != nil {
		sum = fmt.Sprintf("%d at every end (proved)", *i.GoalSum)
	}
	if i.Longest != nil {
		length = fmt.Sprintf("at most %d joint moves (proved)", *i.Longest)
	}
	fmt.Fprintf(w, "goal sum\t%s\nlength\t%s\n", sum, length)
}

// inspect describes a machine that took the given time to make, and the passes
// that reasoner.Options.Trace told of meanwhile.
func inspect(game string, m machine.Machine, init time.Duration, passes []reasoner.PassInfo) inspection {
	names, info := m.Names(), m.Info()
	i := inspection{
		Game:        game,
		Roles:       names.Roles,
		Fluents:     len(names.FluentTexts()),
		Moves:       make(map[string]int, len(names.Roles)),
		Gates:       info.Gates,
		Depth:       info.Depth,
		Engine:      info.Engine,
		Reason:      info.Reason,
		Kernel:      info.Kernel,
		Lanes:       m.NewBatch().Lanes(),
		Bytes:       info.Bytes,
		BatchBytes:  info.Batch,
		Symmetries:  len(facts.Symmetries(m)),
		InitSeconds: init.Seconds(),

		VerifiedSeconds: info.Verified.Seconds(),
		Stages:          staged(info.Stages),
	}
	for r, role := range names.Roles {
		i.Moves[role] = len(names.MoveTexts(machine.Role(r)))
	}
	for _, p := range passes {
		i.Passes = append(i.Passes, passed{p.Name, p.Gates, p.Nodes, p.Depth})
	}
	return i
}

// writeInspection writes the inspection for people.
func writeInspection(w io.Writer, i inspection) error {
	t := newTable(w, 0)
	fmt.Fprintf(t, "game\t%s\n", i.Game)
	i.writeFacts(t)
	moves := make([]string, len(i.Roles))
	for r, role := range i.Roles {
		moves[r] = fmt.Sprintf("%s (%d moves)", role, i.Moves[role])
	}
	fmt.Fprintf(t, "roles\t%s\n", strings.Join(moves, ", "))
	fmt.Fprintf(t, "fluents\t%d\n", i.Fluents)
	fmt.Fprintf(t, "engine\t%s: %s\n", i.Engine, i.Reason)
	if i.Depth > 0 {
		fmt.Fprintf(t, "gates\t%d in %d levels\n", i.Gates, i.Depth)
	} else {
		fmt.Fprintf(t, "rules\t%d\n", i.Gates)
	}
	fmt.Fprintf(t, "symmetries\t%d\n", i.Symmetries)
	if i.Kernel != "" {
		fmt.Fprintf(t, "kernel\t%s\n", i.Kernel)
	}
	fmt.Fprintf(t, "lanes\t%d\n", i.Lanes)
	fmt.Fprintf(t, "memory\t%.2f MB, and %.2f MB a batch\n", float64(i.Bytes)/1e6, float64(i.BatchBytes)/1e6)
	fmt.Fprintf(t, "compiled in\t%.3f s", i.InitSeconds)
	if i.VerifiedSeconds > 0 {
		fmt.Fprintf(t, ", of which %.1f ms to prove the programs safe", 1000*i.VerifiedSeconds)
	}
	fmt.Fprintln(t)
	fmt.Fprintf(t, "\nstage\tms\n")
	for _, x := range i.Stages {
		fmt.Fprintf(t, "%s\t%.1f\n", x.Name, 1000*x.Seconds)
	}
	if len(i.Passes) > 0 {
		fmt.Fprintf(t, "\npass\tgates\tnodes\tdepth\n")
		for _, p := range i.Passes {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\n", p.Name, p.Gates, p.Nodes, p.Depth)
		}
	}
	if err := t.Flush(); err != nil || len(i.Proofs) == 0 {
		return err
	}
	fmt.Fprintln(w)
	writeProofs(w, i.Proofs)
	return nil
}

// stage is a part of making a machine.
type stage struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

func staged(stages machine.Stages) []stage {
	var list []stage
	for _, x := range stages {
		list = append(list, stage{x.Name, x.Took.Seconds()})
	}
	return list
}

// passed is the circuit after a rewriting pass.
type passed struct {
	Name  string `json:"name"`
	Gates int    `json:"gates"`
	Nodes int    `json:"nodes"`
	Depth int    `json:"depth"`
}
