package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// symmetric is a machine of which a Canon needs the symmetries alone.
type symmetric struct {
	machine.Machine
	fluents    int
	words      int
	symmetries []facts.Symmetry
}

func (m *symmetric) Initial() machine.State       { return make(machine.State, m.words) }
func (m *symmetric) Symmetries() []facts.Symmetry { return m.symmetries }

// drawGroup draws a cyclic group of permutations of some fluents, every other one
// of which exchanges the players if the group is of even order.
func drawGroup(t *rapid.T) *symmetric {
	fluents := rapid.IntRange(1, 150).Draw(t, "fluents")
	ring := rapid.IntRange(1, min(fluents, 8)).Draw(t, "ring")
	places := rapid.Permutation(count(fluents)).Draw(t, "places")
	m := &symmetric{fluents: fluents, words: (fluents + 63) / 64}
	for turn := 1; turn < ring; turn++ {
		y := facts.Symmetry{Roles: []machine.Role{0, 1}, Fluents: make([]int32, fluents)}
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
		reached, even := rep.Equal(q) && !r.Exchanged, false
		for _, y := range m.symmetries {
			image := make(machine.State, m.words)
			y.Image(image, q)
			exchanges := y.Roles[0] == 1
			reached = reached || rep.Equal(image) && r.Exchanged == exchanges
			even = even || exchanges && image.Equal(q)
			other := c.Find(image)
			second := slices.Clone(other.State)
			if other.Even != r.Even || !rep.Equal(second) && c.own(rep) != c.own(second) {
				t.Fatalf("%v stands for %v, %v for its image %v", rep, q, second, image)
			}
		}
		if !reached {
			t.Fatalf("%v (exchanged: %t) is no image of %v", rep, r.Exchanged, q)
		}
		if even != r.Even {
			t.Fatalf("%v: even is %t, want %t", q, r.Even, even)
		}
		if again := c.Find(q); !again.State.Equal(rep) || again.Exchanged != r.Exchanged {
			t.Fatalf("%v stands for %v, and after other positions for %v", rep, q, again.State)
		}
	})
}

// own returns the hash of a position.
func (c *Canon) own(q machine.State) uint64 {
	c.hash(q)
	return c.hashes[0] & hashMask
}

func TestCanonLeavesOutExchangesThatNobodyAsksFor(t *testing.T) {
	m := &symmetric{words: 1, symmetries: []facts.Symmetry{
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 2, 3}},
		{Roles: []machine.Role{0, 1}, Fluents: []int32{0, 1, 3, 2}},
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 3, 2}},
	}}
	c := NewCanon(m, [2]machine.Role{0, 1}, false)
	if r := c.Find(machine.State{0b0010}); r.State[0] != 0b0010 || r.Exchanged {
		t.Errorf("the players were exchanged: %+v", r)
	}
	first := c.Find(machine.State{0b1010}).State[0]
	if second := c.Find(machine.State{0b0110}).State[0]; first != second || first != 0b1010 && first != 0b0110 {
		t.Errorf("%b and %b stand for two that are images of each other", first, second)
	}
}

func TestPositionsOfEqualHashesAreToldApart(t *testing.T) {
	c := NewCanon(&symmetric{words: 1, symmetries: []facts.Symmetry{
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 2}},
	}}, [2]machine.Role{0, 1}, true)
	clear(c.keys)
	if r := c.Find(machine.State{0b001}); r.Even || r.Exchanged || r.State[0] != 0b001 {
		t.Errorf("a position that is not its own image stands for %+v", r)
	}
	if r := c.Find(machine.State{0b011}); !r.Even {
		t.Errorf("a position that is its own image is not even: %+v", r)
	}
}

func TestCanonAllocatesNothing(t *testing.T) {
	m := &symmetric{words: 1, symmetries: []facts.Symmetry{
		{Roles: []machine.Role{1, 0}, Fluents: []int32{1, 0, 2}},
	}}
	c := NewCanon(m, [2]machine.Role{0, 1}, true)
	q := machine.State{0b110}
	if allocs := testing.AllocsPerRun(100, func() { c.Find(q) }); allocs != 0 {
		t.Errorf("%v allocations per call", allocs)
	}
}
