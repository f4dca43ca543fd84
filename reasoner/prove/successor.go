package prove

import (
	"slices"

	"stackmate/reasoner/circuit"
)

// successors are the signals of a game before and after one joint move, as signals over the
// fluents before it alone: what is left of the circuit when the moves are known (Shannon). It is
// made once for no move at all, and then follows the moves through the gates that depend on
// them, which are few. That the game is over is false.
type successors struct {
	from    *unrolling
	net     *circuit.Network
	image   []circuit.Lit // by node of the unrolling
	fan     [][]int32     // by node of the unrolling: the gates that it is an operand of
	small   int           // length of net with no move at all
	known   []int32       // literals over fluents that are true
	always  []circuit.Lit // moves that are made whatever else is
	undo    []entry
	cone    []int32
	entered []bool // by node of the unrolling: in cone
	lits    []circuit.Lit
}

// entry is the image that a node had.
type entry struct {
	node  int32
	image circuit.Lit
}

// maxGrowth is the number of gates that the network may grow by until it is made anew.
const maxGrowth = 1 << 18

// newSuccessors is of an unrolling to which nothing is added any more.
func newSuccessors(u *unrolling) *successors {
	c := &successors{from: u, fan: make([][]int32, u.net.Len()), entered: make([]bool, u.net.Len())}
	for i := range int32(u.net.Len()) {
		for _, o := range u.net.Operands(i) {
			c.fan[o.Node()] = append(c.fan[o.Node()], i)
		}
	}
	return c
}

// begin makes the signals where literals over fluents are known, and of the moves none is made
// but some. Of the new network the first inputs are the fluents; recursive variables are others.
func (c *successors) begin(known []int32, always []circuit.Lit) {
	u := c.from
	c.known, c.always = known, always
	c.net = circuit.NewNetwork()
	c.image = make([]circuit.Lit, u.net.Len())
	for f := range u.game.Fluents {
		c.image[u.fluent(0, f).Node()] = c.net.Input()
	}
	for _, l := range known {
		c.image[u.fluent(0, int(l>>1)).Node()] = circuit.True ^ circuit.Lit(l&1)
	}
	for _, l := range always {
		c.image[l.Node()] = circuit.True
	}
	for _, loop := range u.loops {
		c.image[loop.variable.Node()] = c.net.Input()
	}
	ended := u.at(0, u.game.Terminal)
	for i := range int32(len(c.image)) {
		switch {
		case i > 0 && i == ended.Node():
			c.image[i] = ended & 1
		case u.net.Op(i) == circuit.OpAnd:
			c.image[i] = c.gate(i)
		}
	}
	c.small = c.net.Len()
	c.undo = c.undo[:0]
}

func (c *successors) at(l circuit.Lit) circuit.Lit { return c.image[l.Node()] ^ l&1 }

func (c *successors) gate(i int32) circuit.Lit {
	c.lits = c.lits[:0]
	for _, o := range c.from.net.Operands(i) {
		switch image := c.at(o); image {
		case circuit.False:
			return circuit.False
		case circuit.True:
		default:
			c.lits = append(c.lits, image)
		}
	}
	return c.net.And(c.lits...)
}

// make makes moves, instead of those made before.
func (c *successors) make(moves []circuit.Lit) {
	for _, e := range slices.Backward(c.undo) {
		c.image[e.node] = e.image
	}
	c.undo = c.undo[:0]
	if c.net.Len() > c.small+maxGrowth {
		c.begin(c.known, c.always)
	}
	c.cone = c.cone[:0]
	for _, l := range moves {
		if c.at(l) == circuit.True {
			continue
		}
		c.set(l.Node(), circuit.True)
		for _, i := range c.fan[l.Node()] {
			c.enter(i)
		}
	}
	for at := 0; at < len(c.cone); at++ {
		for _, i := range c.fan[c.cone[at]] {
			c.enter(i)
		}
	}
	slices.Sort(c.cone)
	for _, i := range c.cone {
		c.entered[i] = false
		c.set(i, c.gate(i))
	}
}

func (c *successors) enter(i int32) {
	if !c.entered[i] {
		c.entered[i] = true
		c.cone = append(c.cone, i)
	}
}

func (c *successors) set(node int32, image circuit.Lit) {
	if c.image[node] != image {
		c.undo = append(c.undo, entry{node, c.image[node]})
		c.image[node] = image
	}
}
