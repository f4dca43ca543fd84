package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
)

// symmetric is a machine of which a Canon needs the symmetries alone.
type symmetric struct {
	machine.Machine
	fluents    int
	words      int
	symmetries []machine.Symmetry
}

func (m *symmetric) Words() int                     { return m.words }
func (m *symmetric) Symmetries() []machine.Symmetry { return m.symmetries }

// drawGroup draws a cyclic group of permutations of some fluents, every other one
// of which exchanges the players if the group is of even order.
func drawGroup(t *rapid.T) *symmetric {
	fluents := rapid.IntRange(1, 150).Draw(t, "fluents")
	ring := rapid.IntRange(1, min(fluents, 8)).Draw(t, "ring")
	places := rapid.Permutation(count(fluents)).Draw(t, "places")
	m := &symmetric{fluents: fluents, words: (fluents + 63) / 64}
	for turn := 1; turn < ring; turn++ {
		y := machine.Symmetry{Roles: []machine.Role{0, 1}, Fluents: make([]int32, fluents)}
		for i, f := range places {
			block := i / ring * ring
			y.Fluents[f] = int32(f)
			if block+ring <= fluents {
				y.Fluents[f] = int32(places[block+(i-block+turn)%ring])
			}
		}
		if ring%2 == 0 && turn%2 == 1 {
			y.Roles = []machine.Role{1, 0}
		}
		m.symmetries = append(m.symmetries, y)
	}
	return m
}

func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestSymmetricPositionsHaveOneRepresentative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawGroup(t)
		c := NewCanon(m, [2]machine.Role{0, 1}, true)
		q := make(machine.State, m.words)
		for _, f := range rapid.SliceOf(rapid.IntRange(0, m.fluents-1)).Draw(t, "position") {
			q.Set(f)
		}
		r := c.Find(q)
		rep := slices.Clone(r.State)
		reached := rep.Equal(q) && !r.Exchanged
		for _, y := range m.symmetries {
			image := make(machine.State, m.words)
			y.Image(image, q)
			exchanges := y.Roles[0] == 1
			reached = reached || rep.Equal(image) && r.Exchanged == exchanges
			if exchanges && image.Equal(q) && !r.Even {
				t.Fatalf("%v is its own image under an exchange and not even", q)
			}
			if other := c.Find(image); !rep.Equal(other.State) || other.Even != r.Even {
				t.Fatalf("%v stands for %v, %v for its image %v", rep, q, other.State, image)
			}
		}
		if !reached {
			t.Fatalf("%v (exchanged: %t) is no image of %v", rep, r.Exchanged, q)
		}
	})
}

func TestCanonLeavesOutExchangesThatNobodyAsksFor(t *testing.T) {
	m := &symmetric{words: 1, symmetries: []machine.Symmetry{
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 2, 3}},
		{Roles: []machine.Role{0, 1}, Fluents: []int32{0, 1, 3, 2}},
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 3, 2}},
	}}
	c := NewCanon(m, [2]machine.Role{0, 1}, false)
	if r := c.Find(machine.State{0b0010}); r.State[0] != 0b0010 || r.Exchanged {
		t.Errorf("the players were exchanged: %+v", r)
	}
	if r := c.Find(machine.State{0b1010}); r.State[0] != 0b0110 {
		t.Errorf("%+v is not the least of two", r)
	}
}

func TestCanonAllocatesNothing(t *testing.T) {
	m := &symmetric{words: 1, symmetries: []machine.Symmetry{
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 2}},
	}}
	c := NewCanon(m, [2]machine.Role{0, 1}, true)
	q := machine.State{0b110}
	if allocs := testing.AllocsPerRun(100, func() { c.Find(q) }); allocs != 0 {
		t.Errorf("%v allocations per call", allocs)
	}
}
