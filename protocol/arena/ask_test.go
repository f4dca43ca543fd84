package arena

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
)

// TestAnyPlayerIsAskedForOneMove asks players in this process and at an address in the
// middle of a match: the former are told all of it, the latter of one that begins there.
func TestAnyPlayerIsAskedForOneMove(t *testing.T) {
	m := builtIn(t, "ticTacToe")
	joints := [][]string{{"(mark 1 1)", "noop"}, {"noop", "(mark 2 2)"}, {"(mark 1 3)", "noop"}}
	b, state := m.machine.NewBatch(), make(machine.State, m.machine.Words())
	for _, joint := range joints {
		b.Evaluate(1)
		for r, text := range joint {
			move, _ := m.machine.Names().Move(machine.Role(r), text)
			b.Choose(0, machine.Role(r), move)
		}
		b.Advance(1)
	}
	b.Store(state, 1)
	q := Question{Match: "a table", Role: 1, Joints: joints, State: state, Clock: time.Minute}

	var match protocol.Match
	var said []string
	a := &fake{
		OnStart: func(_ context.Context, m protocol.Match) error { match = m; return nil },
		OnPlay: func(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
			said = nil
			for _, joint := range told {
				for _, move := range joint {
					said = append(said, move.String())
				}
			}
			return term(t, "(mark 1 2)"), nil
		},
	}
	for name, test := range map[string]struct {
		player Player
		told   string
		begins bool // in the position
	}{
		"in this process": {in("here", a), "(mark 1 1) noop noop (mark 2 2) (mark 1 3) noop", false},
		"at an address":   {at("there", serve(t, always(a))), "", true},
	} {
		move, _, err := m.Ask(t.Context(), test.player, q)
		if err != nil || move != "(mark 1 2)" || strings.Join(said, " ") != test.told || match.Role != "o" {
			t.Errorf("%s: move %s (%v), as %s, told %v", name, move, err, match.Role, said)
		}
		if begins := strings.Contains(RulesText(match.Game), "(init (cell 2 2 o))"); begins != test.begins {
			t.Errorf("%s: the match begins in the position: %v", name, begins)
		}
	}
	slow := &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
		<-t.Context().Done() // that of the question does not wake it
		return gdl.Term{}, nil
	}}
	q.Clock = 10 * time.Millisecond
	if _, _, err := m.Ask(t.Context(), in("slow", slow), q); !errors.Is(err, protocol.ErrLate) {
		t.Errorf("a player that hangs: %v", err)
	}
}
