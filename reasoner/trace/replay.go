package trace

import (
	"fmt"
	"slices"
	"strings"

	"stackmate/reasoner/machine"
)

// Replay plays a recorded match on a machine. It compares roles, states, legal moves, the end and the goals as
// complete sets, without the fluents that the machine leaves out. If legal moves were not recorded, the recorded
// moves must be legal. The error names the first difference, or wraps machine.ErrLost.
func Replay(m machine.Machine, match *Match) error {
	r := replayer{names: m.Names(), batch: m.NewBatch(), state: make(machine.State, len(m.Initial()))}
	if !slices.Equal(match.Roles, r.names.Roles) {
		return fmt.Errorf("%s, match %d: recorded roles %v, the machine has %v",
			match.Game, match.Playout, match.Roles, r.names.Roles)
	}
	r.batch.Fill(m.Initial(), nil)
	for i := range match.Steps {
		if err := r.step(&match.Steps[i]); err != nil {
			return fmt.Errorf("%s, match %d, step %d: %w", match.Game, match.Playout, i, err)
		}
	}
	if err := r.final(&match.Final); err != nil {
		return fmt.Errorf("%s, match %d, step %d (the last): %w",
			match.Game, match.Playout, len(match.Steps), err)
	}
	return nil
}

// replayer replays a match in lane 0.
type replayer struct {
	names *machine.Names
	batch machine.Batch
	state machine.State
	moves []machine.Move
}

func (r *replayer) step(s *Step) error {
	if s.State == nil {
		if err := r.evaluate(); err != nil {
			return err
		}
	} else if err := r.position(s.State, false); err != nil {
		return err
	}
	if s.Legal != nil && len(s.Legal) != len(r.names.Roles) || len(s.Joint) != len(r.names.Roles) {
		return fmt.Errorf("recorded legal moves of %d roles, the machine has %d", len(s.Legal), len(r.names.Roles))
	}
	for role, want := range s.Legal {
		if err := compare("legal moves of "+r.names.Roles[role], want, r.legal(machine.Role(role))); err != nil {
			return err
		}
	}
	for role, text := range s.Joint {
		move, ok := r.names.Move(machine.Role(role), text)
		if !ok {
			return fmt.Errorf("the machine has no move %s of %s", text, r.names.Roles[role])
		}
		if s.Legal == nil && !slices.Contains(r.legal(machine.Role(role)), text) {
			return fmt.Errorf("the recorded move %s of %s is not legal", text, r.names.Roles[role])
		}
		r.batch.Choose(0, machine.Role(role), move)
	}
	r.batch.Advance(1)
	return nil
}

// evaluate evaluates the position; it returns an error if the position is unknown to the machine.
func (r *replayer) evaluate() error {
	r.batch.Evaluate(1)
	return machine.Unknown(r.batch, 0)
}

// position compares the state, and whether it is terminal.
func (r *replayer) position(want []string, terminal bool) error {
	if err := r.evaluate(); err != nil {
		return err
	}
	r.batch.Store(r.state, 1)
	if r.names.LeftOut != nil {
		want = slices.DeleteFunc(slices.Clone(want), r.names.LeftOut)
	}
	if err := compare("fluents", want, r.names.AppendFluents(nil, r.state)); err != nil {
		return err
	}
	if got := r.isTerminal(); got != terminal {
		return fmt.Errorf("recorded terminal %t, the machine says %t", terminal, got)
	}
	return nil
}

// isTerminal reports whether the evaluated position is terminal.
func (r *replayer) isTerminal() bool { return r.batch.Terminal()[0]&1 != 0 }

// legal returns the legal moves of a role in the evaluated position.
func (r *replayer) legal(role machine.Role) []string {
	r.moves = r.batch.AppendLegal(r.moves[:0], 0, role)
	out := make([]string, len(r.moves))
	for i, m := range r.moves {
		out[i] = r.names.MoveText(role, m)
	}
	return out
}

// final compares the last position.
func (r *replayer) final(f *Final) error {
	if f.State == nil {
		return nil
	}
	terminal := f.Terminal
	if f.Unjudged {
		if err := r.evaluate(); err != nil {
			return err
		}
		terminal = r.isTerminal()
	}
	if err := r.position(f.State, terminal); err != nil || f.Unjudged || !f.Terminal {
		return err
	}
	goals := make([]int32, len(r.names.Roles))
	r.batch.Goals(goals, 0)
	if err := machine.Unknown(r.batch, 0); err != nil {
		return err
	}
	if len(f.Goals) != len(goals) {
		return fmt.Errorf("recorded goals of %d roles, the machine has %d", len(f.Goals), len(goals))
	}
	for role, want := range f.Goals {
		if int32(want) != goals[role] {
			return fmt.Errorf("recorded goal %d of %s, the machine says %d", want, r.names.Roles[role], goals[role])
		}
	}
	return nil
}

// compare returns an error that names the differences of two sets of terms.
func compare(kind string, want, got []string) error {
	missing, surplus := minus(want, got), minus(got, want)
	switch {
	case len(missing) > 0 && len(surplus) > 0:
		return fmt.Errorf("%s: the machine lacks %s and has %s", kind, shortList(missing), shortList(surplus))
	case len(missing) > 0:
		return fmt.Errorf("%s: the machine lacks %s", kind, shortList(missing))
	case len(surplus) > 0:
		return fmt.Errorf("%s: the machine has %s, which was not recorded", kind, shortList(surplus))
	case len(want) != len(got):
		return fmt.Errorf("%s: recorded %d, the machine has %d, as some occur twice", kind, len(want), len(got))
	}
	return nil
}

// minus returns the elements of a that b lacks, sorted.
func minus(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, s := range b {
		in[s] = true
	}
	var out []string
	for _, s := range a {
		if !in[s] {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// maxListed bounds the terms in a message.
const maxListed = 5

func shortList(terms []string) string {
	if len(terms) <= maxListed {
		return strings.Join(terms, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(terms[:maxListed], " "), len(terms)-maxListed)
}
