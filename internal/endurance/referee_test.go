package endurance

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// referee follows one match from the rules alone. It shares no machine with the
// players that it judges, and works while no clock runs.
type referee struct {
	prover   *prover.Prover
	roles    []string
	budget   time.Duration // for one position
	initial  []string
	fluents  []string
	legal    [][]string // by role
	terminal bool
	rng      *machine.Rand
}

// newReferee reads the rules and looks at the initial position. It fails where that
// takes longer than the budget.
func newReferee(ctx context.Context, rules string, budget time.Duration, seed uint64) (*referee, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	g, _, err := gdl.Load(ctx, "rules", []byte(rules))
	if err != nil {
		return nil, err
	}
	r := &referee{prover: prover.New(g), budget: budget, rng: machine.NewRand(seed)}
	for _, role := range g.Roles {
		r.roles = append(r.roles, role.String())
	}
	if r.initial, err = r.prover.Initial(ctx); err != nil {
		return nil, err
	}
	return r, r.look(ctx, r.initial)
}

func mustReferee(t testing.TB, rules string, seed uint64) *referee {
	t.Helper()
	return must.Get(newReferee(t.Context(), rules, time.Minute, seed))(t)
}

// look goes to a position.
func (r *referee) look(ctx context.Context, fluents []string) (err error) {
	r.fluents, r.legal = fluents, make([][]string, len(r.roles))
	if r.terminal, err = r.prover.Terminal(ctx, fluents); err != nil || r.terminal {
		return err
	}
	for k, role := range r.roles {
		if r.legal[k], err = r.prover.Legal(ctx, fluents, role, 0); err != nil {
			return err
		}
	}
	return nil
}

// restart goes back to the initial position.
func (r *referee) restart(ctx context.Context) error { return r.look(ctx, r.initial) }

// over reports whether the match is over, or stuck by a fault of the rules.
func (r *referee) over() bool {
	return r.terminal || slices.ContainsFunc(r.legal, func(moves []string) bool { return len(moves) == 0 })
}

// random draws a legal move of a role.
func (r *referee) random(role int) string { return r.legal[role][r.rng.Intn(len(r.legal[role]))] }

// randomJoint draws a legal move of every role.
func (r *referee) randomJoint() []string {
	joint := make([]string, len(r.roles))
	for role := range joint {
		joint[role] = r.random(role)
	}
	return joint
}

// advance makes a joint move of legal moves.
func (r *referee) advance(ctx context.Context, joint []string) error {
	ctx, cancel := context.WithTimeout(ctx, r.budget)
	defer cancel()
	next, err := r.prover.Next(ctx, r.fluents, joint)
	if err == nil {
		err = r.look(ctx, next)
	}
	if err != nil {
		return fmt.Errorf("the position after %v: %w", joint, err)
	}
	return nil
}

// replay follows a record: its moves must be legal and lead through its states.
func (r *referee) replay(ctx context.Context, m record) error {
	if err := r.restart(ctx); err != nil {
		return err
	}
	for turn := range m.States {
		if diff := cmp.Diff(slices.Sorted(slices.Values(m.States[turn])), r.fluents); diff != "" {
			return fmt.Errorf("turn %d: the state is another (-recorded +by the rules):\n%s", turn, diff)
		}
		if turn == len(m.Moves) {
			break
		}
		for role, move := range m.Moves[turn] {
			if !slices.Contains(r.legal[role], move) {
				return fmt.Errorf("turn %d: %s of %s is not one of %.200q", turn, move, r.roles[role], r.legal[role])
			}
		}
		if err := r.advance(ctx, m.Moves[turn]); err != nil {
			return err
		}
	}
	if m.Completed && !r.terminal {
		return fmt.Errorf("the match ended in a position that is not terminal")
	}
	return nil
}

// length returns the length of a random match in turns, or more than most.
func (r *referee) length(ctx context.Context, most int) (turns int, err error) {
	for turns = 0; !r.over() && turns <= most && err == nil; turns++ {
		err = r.advance(ctx, r.randomJoint())
	}
	return turns, err
}

// spaced writes a term with single blanks, as legal lists them. The spelling stays:
// game servers compare it exactly.
func spaced(text string) string {
	t, err := gdl.ParseTerm(text)
	if err != nil {
		return text
	}
	return t.String()
}
