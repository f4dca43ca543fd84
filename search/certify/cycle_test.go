package certify

import (
	"testing"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// walkOrWait returns a game in which left waits (move 0) or walks two steps to a goal of 100 (move 1),
// and right has two moves that change nothing. Positions 0, 1, 2, 3 by steps and turn.
func walkOrWait() *toys.Tree {
	return &toys.Tree{Roles: []string{"left", "right"}, Nodes: []toys.Node{
		{Moves: []int{2, 1}, Kids: []int{1, 3}},
		{Moves: []int{1, 2}, Kids: []int{0, 0}},
		{Moves: []int{2, 1}, Kids: []int{3, 4}},
		{Moves: []int{1, 2}, Kids: []int{2, 2}},
		{Goals: []int32{100, 0}},
	}}
}

// playing returns the solution that claims 100 and always makes the same moves.
func playing(move machine.Move) search.Solution {
	return solutionFunc(func(machine.State) (search.Claim, error) {
		always := func(m machine.Move) []search.Weighted { return []search.Weighted{{Move: m, Probability: 1}} }
		return search.Claim{Value: 100, Strategies: [][]search.Weighted{always(move), always(0)}}, nil
	})
}

func TestAStrategyThatWalksRoundInCirclesIsAFault(t *testing.T) {
	m := walkOrWait().Machine()
	if c := check(t, m, playing(1)); !c.Certified() || c.Guarantee != 100 {
		t.Errorf("a strategy that arrives: %+v, %+v", c, c.First)
	}
	c := check(t, m, playing(0))
	if c.Certified() || !c.Complete || c.First == nil || !c.First.Endless || c.Guarantee != 0 || c.First.Obtained != 0 {
		t.Errorf("a strategy that waits: %+v, %+v", c, c.First)
	}
}

// A role without a claim may go on forever, and so may an opponent's move that a strategy never allows.
func TestGoingOnForEverIsNoFaultOfWhoClaimsNothing(t *testing.T) {
	g := walkOrWait()
	g.Nodes[4].Goals = []int32{0, 100}
	g.Nodes[0].Kids[1] = 0 // left waits by both moves
	nothing := solutionFunc(func(machine.State) (search.Claim, error) {
		first := []search.Weighted{{Move: 0, Probability: 1}}
		return search.Claim{Value: 0, Slack: 100, Strategies: [][]search.Weighted{first, first}}, nil
	})
	if c := check(t, g.Machine(), nothing); c.Faults != 0 || c.Guarantee != 0 || c.Limit != 100 {
		t.Errorf("found %+v, %+v", c, c.First)
	}
}

// All positions but two reach each other; a lone player may go round for ever.
func TestAMatchWithoutEndCountsNothingForALonePlayerOnRequest(t *testing.T) {
	m := (&toys.Tree{Roles: []string{"lone"}, Nodes: []toys.Node{
		{Moves: []int{3}, Kids: []int{1, 2, 0}}, {Moves: []int{2}, Kids: []int{2, 0}}, {Moves: []int{2}, Kids: []int{0, 3}}, {Goals: []int32{30}},
	}}).Machine()
	s := solutionFunc(func(q machine.State) (search.Claim, error) {
		return search.Claim{Value: 30, Strategies: [][]search.Weighted{{{Move: 1, Probability: 1}}}}, nil
	})
	for _, is := range []bool{false, true} {
		c, err := Check(t.Context(), m, m.Initial(), s, Limits{EndlessIsNothing: is})
		if err != nil || c.Certified() != is || c.Guarantee != 30 || is && c.Limit != 30 {
			t.Errorf("%v: %+v, error %v", is, c, err)
		}
	}
}
