package reasoner_test

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/internal/toys"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
)

// A threat satisfies its definition, and in games of lines none is missing.
func TestThreatsAreFluentsThatWouldWin(t *testing.T) {
	for game, complete := range map[string]bool{"ticTacToe": true, "connectFour-5x4": true, "breakthrough-4x5": false} {
		m := gamestest.Machine(t, game)
		signals := facts.SignalsOf(t.Context(), m)
		if signals == nil {
			if complete {
				t.Errorf("%s has no threats", game)
			}
			continue
		}
		list, sensor := signals.List(), signals.NewSensor()
		words := (len(list) + 63) / 64
		states := toys.Positions(m, 20, 1)
		n := len(states) / len(m.Initial())
		found := make([]uint64, n*words)
		sensor.Sense(found, states)
		x, seen := play.NewExpander(m), 0
		for i := range n {
			s := machine.State(states[i*len(m.Initial()) : (i+1)*len(m.Initial())])
			for k, threat := range list {
				got := found[i*words+k>>6]>>uint(k&63)&1 != 0
				then := slices.Clone(s)
				then.Set(threat.Lacks)
				over, goals := x.Look(then)
				want := !s.Has(threat.Lacks) && over && goals[threat.Role] == machine.MaxGoal
				if got && !want || want && !got && complete {
					t.Fatalf("%s: in %v, %v for role %d is a threat: %v", game, m.Names().AppendFluents(nil, s),
						m.Names().Fluents[threat.Lacks], threat.Role, got)
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

// walk is a game of turns with few moves in comparison with its true fluents.
const walk = `
(role left) (role right)
(init (control left)) (init (at left 2)) (init (at right 4))
(init (mark 1)) (init (mark 2)) (init (mark 3)) (init (mark 4)) (init (mark 5))
(init (tree 1)) (init (tree 2)) (init (tree 3)) (init (tree 4)) (init (tree 5)) (init (tree 6)) (init (tree 7)) (init (tree 8))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(other left right) (other right left)
(<= (taken ?x) (true (at ?r ?x)))
(<= (legal ?r (go ?x ?y)) (true (control ?r)) (true (at ?r ?x)) (succ ?x ?y) (not (taken ?y)))
(<= (legal ?r (go ?y ?x)) (true (control ?r)) (true (at ?r ?y)) (succ ?x ?y) (not (taken ?x)))
(<= (legal ?r stay) (true (control ?r)))
(<= (legal ?r wait) (true (control ?s)) (other ?r ?s))
(<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
(<= (next (at ?r ?y)) (does ?r (go ?x ?y)))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r stay))
(<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r wait))
(<= (next (mark ?x)) (true (mark ?x)) (not (taken ?x)))
(<= (next (tree ?x)) (true (tree ?x)))
(<= some (true (mark ?x)))
(<= terminal (not some))
(<= (goal left 100) (true (control left)))
(<= (goal left 0) (true (control right)))
(<= (goal right 100) (true (control right)))
(<= (goal right 0) (true (control left)))
`

func TestMovesAreSeenWhereThereAreFew(t *testing.T) {
	g := readRules(t, "walk", walk)
	few := newMachine(t, g, reasoner.Options{})
	for name, c := range map[string]struct {
		machine machine.Machine
		want    int
	}{"walk": {few, 2 * 8}, "breakthrough": {gamestest.Machine(t, "breakthrough-4x5"), 0}} {
		moves := 0
		if signals := facts.SignalsOf(t.Context(), c.machine); signals != nil {
			for _, s := range signals.List() {
				if !s.IsThreat() {
					moves++
				}
			}
		}
		if moves != c.want {
			t.Errorf("%s: %d moves are seen, want %d", name, moves, c.want)
		}
	}
}
