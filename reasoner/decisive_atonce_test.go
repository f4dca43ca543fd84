package reasoner_test

import (
	"maps"
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

var twoRows = gamestest.TwoRows(4, 2)

// lone computes the effect of moves if the other roles did nothing, as far as they have a choice.
type lone struct{ machine.Machine }

// after returns the position after a move of a role, and reports whether it wins.
func (l lone) after(s machine.State, role machine.Role, move machine.Move) (next machine.State, over, won bool) {
	b := l.NewNarrowBatch() // a fresh batch has no chosen moves
	b.Load(s, 1)
	b.Evaluate(1)
	if other := b.AppendLegal(nil, 0, 1-role); len(other) == 1 {
		b.Choose(0, 1-role, other[0])
	}
	b.Choose(0, role, move)
	b.Advance(1)
	next = make(machine.State, len(l.Initial()))
	b.Store(next, 1)
	b.Evaluate(1)
	if over = b.Terminal()[0]&1 != 0; !over {
		return next, false, false
	}
	goals := make([]int32, 2)
	b.Goals(goals, 0)
	return next, true, goals[role] == 100
}

func (l lone) legal(s machine.State, role machine.Role) []machine.Move {
	b := l.NewNarrowBatch()
	b.Load(s, 1)
	b.Evaluate(1)
	return b.AppendLegal(nil, 0, role)
}

// sensible returns the winning moves of a role; else the moves after which the other role cannot win; else
// every legal move.
func (l lone) sensible(s machine.State, role machine.Role) map[machine.Move]bool {
	wins, safe, all := map[machine.Move]bool{}, map[machine.Move]bool{}, map[machine.Move]bool{}
	for _, move := range l.legal(s, role) {
		next, over, won := l.after(s, role, move)
		all[move] = true
		if won {
			wins[move] = true
		}
		if over || !l.canWin(next, 1-role) {
			safe[move] = true
		}
	}
	switch {
	case len(wins) > 0:
		return wins
	case len(safe) > 0:
		return safe
	}
	return all
}

func (l lone) canWin(s machine.State, role machine.Role) bool {
	return slices.ContainsFunc(l.legal(s, role), func(move machine.Move) bool {
		_, _, won := l.after(s, role, move)
		return won
	})
}

func TestDecisiveMovesOfSimultaneousGamesAssumeIdleOpponents(t *testing.T) {
	m := machineOf(t, twoRows)
	d := facts.Decisive(t.Context(), m, true)
	if d == nil {
		t.Fatal("no decisive moves")
	}
	rng, x, e := machine.NewRand(1), play.NewExpander(m), new(play.Expansion)
	judge := lone{m}
	foresight, narrowed := d.NewNarrowBatch(), 0
	for range 30 {
		s := slices.Clone(m.Initial())
		for over := false; !over; over, _ = x.Look(s) {
			must.OK(t, x.Expand(e, s))
			foresight.Load(s, 1)
			foresight.Evaluate(1)
			for r := range machine.Role(2) {
				want := judge.sensible(s, r)
				if got := choices(d, e, s, r, rng); !maps.Equal(got, want) {
					t.Fatalf("in %v role %d chooses among %v, want %v", m.Names().AppendFluents(nil, s), r, got, want)
				}
				if len(want) < len(e.Moves[r]) {
					narrowed++
				}
				_, wins := machine.Wins(foresight, r)
				if legal := machine.AppendSensible(foresight, nil, 0, r); wins[0]&1 != 0 || !slices.Equal(legal, e.Moves[r]) {
					t.Fatalf("a rule of thumb says that role %d wins (%v), or that of %v only %v make sense", r, wins[0]&1 != 0, e.Moves[r], legal)
				}
			}
			s = slices.Clone(e.Child(rng.Intn(e.Children)))
		}
	}
	if narrowed < 30 {
		t.Errorf("moves are left out in %d positions only: the test shows nothing", narrowed)
	}
}
