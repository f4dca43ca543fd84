package prove

import (
	"container/heap"
	"encoding/binary"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// What a move does is the network with that move made: the next values of fluents as
// functions of the position alone, each built once (structural hashing). Functions that are
// one gate are equal, so moves are compared without looking at any position.

// effects are those of the moves of a game for one role. The clock is left out: it goes on
// whatever is played.
type effects struct {
	net      *circuit.Network // over the fluents
	fluents  []circuit.Lit
	legal    []circuit.Lit // by move
	terminal circuit.Lit
	goals    []circuit.Lit // where they are had, in the order of the game
	changes  [][]change    // by move, by fluent: all that does not stay as it is
}

// change is the next value of a fluent.
type change struct {
	fluent int32
	next   circuit.Lit
}

const (
	// maxEffectGates bounds the game whose effects are looked for, maxCofactors the gates that are
	// built for that, and maxChanges the effects: a tenth of a second or so.
	maxEffectGates = 100_000
	maxCofactors   = 2_000_000
	maxChanges     = 500_000
)

// newEffects finds the effects of the moves of a game; nil where that takes too long, or
// rules are recursive.
func newEffects(g *circuit.Game) *effects {
	if g.Net.Len() > maxEffectGates {
		return nil
	}
	e := &effects{net: circuit.NewNetwork()}
	c := newCofactors(g, e.net)
	if c == nil {
		return nil
	}
	e.fluents, e.legal, e.terminal = c.all(g.Fluents), c.all(g.Legal[0]), c.at(g.Terminal)
	for _, goal := range g.Goals {
		e.goals = append(e.goals, c.at(goal.When))
	}
	ticks := g.Names.NewState()
	for _, f := range clockFluents(g) {
		ticks.Set(int(f))
	}
	var moving []int32           // fluents that do not stay where no move is made
	users := map[int32][]int32{} // by node: the fluents whose next value it is
	for f, next := range g.Next {
		if ticks.Has(f) {
			continue
		}
		users[next.Node()] = append(users[next.Node()], int32(f))
		if c.at(next) != e.fluents[f] {
			moving = append(moving, int32(f))
		}
	}
	left := maxChanges
	for _, does := range g.Does[0] {
		if !c.play(does.Node()) {
			return nil
		}
		fluents := slices.Clone(moving)
		for node := range c.made {
			fluents = append(fluents, users[node]...)
		}
		slices.Sort(fluents)
		var list []change
		for _, f := range slices.Compact(fluents) {
			if next := c.at(g.Next[f]); next != e.fluents[f] {
				list = append(list, change{f, next})
			}
		}
		e.changes = append(e.changes, list)
		if left -= len(list); left < 0 {
			return nil
		}
	}
	return e
}

// equal lists, by move, the first one that does the same.
func (e *effects) equal() []machine.Move {
	first := make([]machine.Move, len(e.changes))
	known := map[string]machine.Move{}
	for m, list := range e.changes {
		key := make([]byte, 0, 8*len(list))
		for _, c := range list {
			key = binary.LittleEndian.AppendUint32(key, uint32(c.fluent))
			key = binary.LittleEndian.AppendUint32(key, uint32(c.next))
		}
		if _, ok := known[string(key)]; !ok {
			known[string(key)] = machine.Move(m)
		}
		first[m] = known[string(key)]
	}
	return first
}

// cofactors are the signals of a game where one move is made.
type cofactors struct {
	game    *circuit.Game
	net     *circuit.Network
	image   []circuit.Lit // by node, where no move is made
	users   [][]int32     // by node: the gates that depend on a move through it
	made    map[int32]circuit.Lit
	waiting ascending // gates that have to be built
	turns   []int32   // by node: when it last had to
	turn    int32
	left    int
	lits    []circuit.Lit
}

// newCofactors begins with no move made; nil if rules are recursive.
func newCofactors(g *circuit.Game, net *circuit.Network) *cofactors {
	c := &cofactors{
		game: g, net: net, image: make([]circuit.Lit, g.Net.Len()), users: make([][]int32, g.Net.Len()),
		made: map[int32]circuit.Lit{}, turns: make([]int32, g.Net.Len()), left: maxCofactors,
	}
	for _, l := range g.Fluents {
		c.image[l.Node()] = net.Input()
	}
	moves := make([]bool, g.Net.Len()) // depends on a move
	for _, l := range g.Does[0] {
		moves[l.Node()] = true
	}
	for i := range int32(g.Net.Len()) {
		switch g.Net.Op(i) {
		case circuit.OpLoop:
			return nil
		case circuit.OpAnd:
			for _, o := range g.Net.Operands(i) {
				if moves[o.Node()] {
					moves[i] = true
					c.users[o.Node()] = append(c.users[o.Node()], i)
				}
			}
			c.image[i] = c.build(i)
		}
	}
	return c
}

func (c *cofactors) at(l circuit.Lit) circuit.Lit {
	if made, ok := c.made[l.Node()]; ok {
		return made ^ l&1
	}
	return c.image[l.Node()] ^ l&1
}

func (c *cofactors) all(signals []circuit.Lit) []circuit.Lit {
	images := make([]circuit.Lit, len(signals))
	for i, l := range signals {
		images[i] = c.at(l)
	}
	return images
}

func (c *cofactors) build(i int32) circuit.Lit {
	c.lits = c.lits[:0]
	for _, o := range c.game.Net.Operands(i) {
		c.lits = append(c.lits, c.at(o))
	}
	return c.net.And(c.lits...)
}

// play makes a move instead of the one before; false if that takes too long.
func (c *cofactors) play(move int32) bool {
	clear(c.made)
	c.made[move] = circuit.True
	c.turn++
	for c.push(move); len(c.waiting) > 0; {
		i := heap.Pop(&c.waiting).(int32)
		if c.left--; c.left < 0 {
			return false
		}
		if l := c.build(i); l != c.image[i] {
			c.made[i] = l
			c.push(i)
		}
	}
	return true
}

// push makes the gates wait that depend on a move through a node.
func (c *cofactors) push(node int32) {
	for _, u := range c.users[node] {
		if c.turns[u] != c.turn {
			c.turns[u] = c.turn
			heap.Push(&c.waiting, u)
		}
	}
}

// ascending is a heap of gates, the first of the network on top.
type ascending []int32

func (h ascending) Len() int           { return len(h) }
func (h ascending) Less(i, j int) bool { return h[i] < h[j] }
func (h ascending) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ascending) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *ascending) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// compareMoves finds the effects of the moves, when it is first called for a game, and which are equal.
// Those are left out of the formula.
func (q *planning) compareMoves() {
	q.compare.Do(func() {
		if q.effects = newEffects(q.game); q.effects != nil {
			q.equal = q.effects.equal()
		}
	})
	q.doubles = q.equal
	for k := range q.played {
		q.leaveOutDoubles(k, q.doubles)
	}
}

// leaveOutDoubles keeps moves from being made at step k where the first one that does the same is legal: of
// the plans that differ in such moves alone the first one is kept, as of symmetric ones (symmetry.go).
func (f *formula) leaveOutDoubles(k int, first []machine.Move) {
	for m, other := range first {
		if int(other) != m {
			f.require(f.does(k, 0)[m].Not(), f.at(k, f.game.Legal[0][other]).Not())
		}
	}
}
