package reasoner_test

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
)

// A threat is what its definition says, and in games of lines none is missing.
func TestThreatsAreFluentsThatWouldWin(t *testing.T) {
	for game, complete := range map[string]bool{"ticTacToe": true, "connectFour-5x4": true, "breakthrough-4x5": false} {
		m := gamestest.Machine(t, game)
		threats := m.(machine.Threatener).Threats(t.Context())
		if threats == nil {
			if complete {
				t.Errorf("%s has no threats", game)
			}
			continue
		}
		list, finder := threats.List(), threats.NewFinder()
		words := (len(list) + 63) / 64
		states := toys.Positions(m, 20, 1)
		n := len(states) / m.Words()
		found := make([]uint64, n*words)
		finder.Find(found, states)
		x, seen := machine.NewExpander(m), 0
		for i := range n {
			s := machine.State(states[i*m.Words() : (i+1)*m.Words()])
			for k, threat := range list {
				got := found[i*words+k>>6]>>uint(k&63)&1 != 0
				then := slices.Clone(s)
				then.Set(threat.Fluent)
				over, goals := x.Look(then)
				want := !s.Has(threat.Fluent) && over && goals[threat.Role] == machine.MaxGoal
				if got && !want || want && !got && complete {
					t.Fatalf("%s: in %v, %v for role %d is a threat: %v", game, m.Names().AppendFluents(nil, s),
						m.Names().Fluents[threat.Fluent], threat.Role, got)
				}
				if got {
					seen++
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no threats in %d positions", game, n)
		}
	}
}
