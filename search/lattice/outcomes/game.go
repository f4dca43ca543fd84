package outcomes

import (
	"encoding/binary"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/lattice"
)

// position is a game position. goals is set at terminal positions only. If the role chooses simultaneously
// with others, picked is the number of its chosen move, from 1 on; the other roles then choose with
// knowledge of it.
type position struct {
	state  machine.State
	goals  []int32
	picked uint32
}

// front is a set of outcomes.
type front = lattice.Front[[]int32]

// points returns the goals of all roles in points.
func points(goals []int32) []int32 {
	out := make([]int32, len(goals))
	for i, g := range goals {
		out[i] = search.Points(g)
	}
	return out
}

// turns expands positions. An expansion error ends the search.
type turns struct {
	expander  *play.Expander
	expansion play.Expansion
	fail      func(error)
	atOnce    bool // some position has several choosing roles
}

// Key implements lattice.Game.
func (t *turns) Key(p position) string {
	return string(binary.LittleEndian.AppendUint32(p.state.AppendBytes(make([]byte, 0, 64)), p.picked))
}

// expand computes the children of p.
func (t *turns) expand(p position) {
	if err := t.expander.Expand(&t.expansion, p.state); err != nil {
		t.fail(err)
		t.expansion.Children = 0
	}
}

// children appends the children of the position expanded last.
func (t *turns) children(dst []position) []position {
	e := &t.expansion
	for c := range e.Children {
		p := position{state: slices.Clone(e.Child(c))}
		if e.Terminal[c] {
			p.goals = points(e.ChildGoals(c))
		}
		dst = append(dst, p)
	}
	return dst
}

// against is the game of one role against all other roles.
type against struct {
	*turns
	role machine.Role
}

var _ lattice.Game[position, string, float64] = against{}

// Value implements lattice.Game.
func (a against) Value(p position) (float64, bool) {
	if p.goals == nil {
		return 0, false
	}
	return float64(p.goals[a.role]), true
}

// AppendChildren implements lattice.Game.
func (a against) AppendChildren(dst []position, p position) ([]position, lattice.Turn) {
	a.expand(p)
	own := a.expansion.Moves[a.role]
	switch {
	case a.expansion.Children == len(own):
		return a.children(dst), lattice.Max
	case len(own) == 1 || a.expansion.Children == 0:
		return a.children(dst), lattice.Min
	case p.picked == 0:
		a.atOnce = true
		for i := range own {
			dst = append(dst, position{state: p.state, picked: uint32(i) + 1})
		}
		return dst, lattice.Max
	}
	first := len(dst)
	dst = a.children(dst)
	joint := make([]machine.Move, len(a.expansion.Moves))
	kept := dst[:first]
	for c, child := range dst[first:] {
		if a.expansion.Joint(joint, c); joint[a.role] == own[p.picked-1] {
			kept = append(kept, child)
		}
	}
	return kept, lattice.Min
}

// together is the game in which all roles maximise.
type together struct{ *turns }

var _ lattice.Game[position, string, front] = together{}

// Value implements lattice.Game.
func (g together) Value(p position) (front, bool) {
	if p.goals == nil {
		return nil, false
	}
	return front{p.goals}, true
}

// AppendChildren implements lattice.Game.
func (g together) AppendChildren(dst []position, p position) ([]position, lattice.Turn) {
	g.expand(p)
	return g.children(dst), lattice.Max
}
