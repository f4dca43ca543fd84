package plan

import (
	"math/rand/v2"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// A random tree of a thousand positions must have each masked position once, with the line of its first insertion.
func TestATreeHoldsEachPositionOnceWithItsLine(t *testing.T) {
	const masked = 0xff
	rng := rand.New(rand.NewPCG(1, 1))
	tr := newTree(machine.State{^uint64(masked), ^uint64(0)})
	root, _ := tr.add(machine.State{0, 0}, none, machine.NoMove)
	known := map[[2]uint64]int32{{0, 0}: root}
	lines := map[int32][]machine.Move{root: nil}
	for range 5000 {
		from, move := int32(rng.IntN(tr.len())), machine.Move(rng.IntN(10))
		s := machine.State{uint64(rng.IntN(64 << 8)), uint64(rng.IntN(64))}
		key := [2]uint64{s[0] &^ masked, s[1]}
		number, isNew := tr.add(s, from, move)
		if want, ok := known[key]; ok == isNew || ok && number != want {
			t.Fatalf("position %x has number %d, new: %t; expected %d, known: %t", s, number, isNew, want, ok)
		}
		if isNew {
			known[key] = number
			lines[number] = append(append([]machine.Move(nil), lines[from]...), move)
		}
		if found := tr.find(s); found != number {
			t.Fatalf("position %x is found as %d, expected %d", s, found, number)
		}
	}
	if tr.len() < 1000 {
		t.Errorf("%d positions: expected more", tr.len())
	}
	for number, want := range lines {
		line := tr.line(number)
		if len(line) != len(want) {
			t.Fatalf("the line to %d is %v, expected %v", number, line, want)
		}
		for i, joint := range line {
			if joint[0] != want[i] {
				t.Fatalf("the line to %d is %v, expected %v", number, line, want)
			}
		}
	}
}

func TestAPlanFromTheEndIsEmpty(t *testing.T) {
	names := &machine.Names{Roles: []string{"x"}, Fluents: []string{"a"}, Moves: [][]string{{"wait"}}}
	g := circuit.NewGame(names, names.NewState())
	g.Next, g.Legal, g.Terminal = []logic.Lit{logic.True}, [][]logic.Lit{{logic.True}}, logic.True
	g.Goals = []circuit.Goal{{Value: 30, When: g.Fluents[0].Not()}, {Value: 100, When: g.Fluents[0]}}
	m := compiled(t, g)
	p := must.Get(New(g, m))(t)
	found, err := p.Plan(t.Context(), m.Initial(), facts.PlanLimits{})
	if err != nil || found.Goal != 30 || found.Bound != 30 || len(found.Line) > 0 {
		t.Errorf("found %+v, %v; expected the goal 30 at once", found, err)
	}
}

// Breadth first expands all positions; a beam reports that it left positions out.
func TestABeamReportsThatItIsNarrow(t *testing.T) {
	names := &machine.Names{Roles: []string{"x"}, Fluents: []string{"a", "b", "c"}, Moves: [][]string{{"a", "b", "c"}}}
	g := circuit.NewGame(names, names.NewState())
	g.Legal = [][]logic.Lit{nil}
	for i, lit := range g.Fluents {
		g.Next, g.Legal[0] = append(g.Next, g.Net.Or(lit, g.Does[0][i])), append(g.Legal[0], lit.Not())
	}
	g.Terminal = g.Net.And(g.Fluents...)
	g.Goals = []circuit.Goal{{Value: 100, When: logic.False}, {Value: 50, When: logic.True}}
	p := must.Get(New(g, compiled(t, g)))(t)
	for width, want := range map[int]bool{1: true, 2: true, 3: false} {
		q := p.newPlanning(g.Initial, facts.PlanLimits{})
		narrow, fits := q.newExplorer(t.Context()).breadthFirst(func() bool { return true }, width, maxBreadth, q.allFluents())
		if narrow != want || !fits || q.plan.Goal != 50 {
			t.Errorf("width %d: narrow %t, fits %t, goal %d", width, narrow, fits, q.plan.Goal)
		}
	}
}
