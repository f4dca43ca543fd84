package simultaneous

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search/matrix"
)

// stacked is a random stacked matrix game: a tree of positions with a matrix of
// children each, perhaps with chance, perhaps with shared subtrees.
// A position is the fluent of its node.
type stacked struct {
	nodes      []stackedNode
	roles      []string
	row        int // role of the row player
	symmetries []facts.Symmetry

	values []*big.Rat // by node, as far as asked for
}

type stackedNode struct {
	goal     int32  // of the row player, in terminal positions
	count    [3]int // legal moves by role; count[r] = 0 in terminal positions
	children []int  // by joint move, the first role being the slowest digit
}

// drawStacked draws a game: unequal move counts, few distinct payoffs so that
// ties are common, or many.
func drawStacked(t *rapid.T) *stacked {
	g := &stacked{roles: []string{"left", "right"}}
	chance := rapid.IntRange(-1, 2).Draw(t, "chance role")
	if chance >= 0 {
		g.roles = append(g.roles[:0:0], "left", "right")
		g.roles = append(g.roles[:chance], append([]string{machine.RandomRole}, g.roles[chance:]...)...)
	}
	for g.row < len(g.roles) && g.roles[g.row] == machine.RandomRole {
		g.row++
	}
	payoffs := rapid.SampledFrom([]int{2, 3, 5, 101}).Draw(t, "payoffs")
	depth := rapid.IntRange(1, 4).Draw(t, "depth")
	rng := machine.NewRand(rapid.Uint64().Draw(t, "seed"))
	budget := 300
	g.nodes = make([]stackedNode, 1)
	g.grow(rng, 0, depth, payoffs, &budget)
	if rapid.Bool().Draw(t, "mirrored") {
		g.mirror(rng)
	}
	return g
}

// mirror adds a second copy of all nodes, in which the players have changed
// places, and a node between both copies that is its own image: nodes of small
// numbers lead to it, and it leads to nodes of large ones. The exchange of the
// copies is a symmetry.
func (g *stacked) mirror(rng *machine.Rand) {
	n := len(g.nodes)
	middle, low := 2*n, n/2
	left, right := g.row, len(g.roles)-1
	if g.roles[right] == machine.RandomRole {
		right--
	}
	for i := range low {
		for c := range g.nodes[i].children {
			if rng.Intn(4) == 0 {
				g.nodes[i].children[c] = middle
			}
		}
	}
	for i := range n {
		g.nodes = append(g.nodes, g.nodes[i].exchanged(left, right, func(child int) int {
			if child == middle {
				return middle
			}
			return child + n
		}))
	}
	below := low + rng.Intn(n-low)
	g.nodes = append(g.nodes, g.between(left, right, middle+1, below, below+n), stackedNode{goal: 50})
	y := facts.Symmetry{}
	for i := range g.nodes {
		y.Fluents = append(y.Fluents, int32(i))
	}
	for i := range n {
		y.Fluents[i], y.Fluents[n+i] = int32(n+i), int32(i)
	}
	for r := range g.roles {
		y.Roles = append(y.Roles, machine.Role(r))
		y.Moves = append(y.Moves, []machine.Move{0, 1, 2, 3})
	}
	y.Roles[left], y.Roles[right] = machine.Role(right), machine.Role(left)
	g.symmetries = []facts.Symmetry{y}
}

// exchanged returns a node with the players in each other's place and its children
// replaced.
func (a stackedNode) exchanged(left, right int, image func(int) int) stackedNode {
	b := stackedNode{goal: 100 - a.goal, count: a.count}
	if a.children == nil {
		return b
	}
	b.count[left], b.count[right] = a.count[right], a.count[left]
	b.children = make([]int, len(a.children))
	for c, child := range a.children {
		joint := a.joint(c)
		joint[left], joint[right] = joint[right], joint[left]
		b.children[b.child(joint)] = image(child)
	}
	return b
}

// between returns a node that is its own image if draw is: a matrix with draws on the
// diagonal, a node on the one side of it and its image on the other.
func (g *stacked) between(left, right, draw, node, image int) stackedNode {
	var a stackedNode
	for r := range g.roles {
		a.count[r] = 1
	}
	a.count[left], a.count[right] = 2, 2
	for c := range 4 {
		joint := a.joint(c)
		child := draw
		if joint[left] < joint[right] {
			child = node
		} else if joint[left] > joint[right] {
			child = image
		}
		a.children = append(a.children, child)
	}
	return a
}

// joint returns the joint move that leads to child c.
func (a stackedNode) joint(c int) (joint [3]int) {
	for r := len(a.count) - 1; r >= 0; r-- {
		n := max(a.count[r], 1) // a role that the game has not
		joint[r] = c % n
		c /= n
	}
	return joint
}

// child returns the number of the child that a joint move leads to.
func (a stackedNode) child(joint [3]int) int {
	c := 0
	for r, move := range joint {
		c = c*max(a.count[r], 1) + move
	}
	return c
}

func (g *stacked) grow(rng *machine.Rand, at, depth, payoffs int, budget *int) {
	if depth == 0 || at > 0 && (rng.Intn(5) == 0 || *budget <= 0) {
		g.nodes[at].goal = int32(rng.Intn(payoffs) * 100 / max(payoffs-1, 1))
		return
	}
	children := 1
	for r, name := range g.roles {
		limit := 4
		if name == machine.RandomRole {
			limit = 3
		}
		g.nodes[at].count[r] = 1 + rng.Intn(limit)
		children *= g.nodes[at].count[r]
	}
	*budget -= children
	var list []int
	for range children {
		if len(list) > 0 && rng.Intn(6) == 0 {
			list = append(list, list[rng.Intn(len(list))])
			continue
		}
		child := len(g.nodes)
		g.nodes = append(g.nodes, stackedNode{})
		list = append(list, child)
		g.grow(rng, child, depth-1, payoffs, budget)
	}
	g.nodes[at].children = list
}

func (g *stacked) machine() machine.Machine {
	names := &machine.Names{Roles: g.roles}
	for range g.roles {
		var moves []string
		for m := range 4 {
			moves = append(moves, fmt.Sprint(m))
		}
		names.Moves = append(names.Moves, moves)
	}
	initial := make(machine.State, (len(g.nodes)+63)/64)
	initial.Set(0)
	m := newToy(names, initial, func() scalar.Stepper { return &stackedStepper{stacked: g} })
	return &symmetric{m, g.symmetries}
}

// symmetric is a machine that knows its symmetries.
type symmetric struct {
	machine.Machine
	symmetries []facts.Symmetry
}

func (m *symmetric) Symmetries() []facts.Symmetry { return m.symmetries }

type stackedStepper struct {
	*stacked
	at int
}

func (g *stackedStepper) SetState(s machine.State) { g.at = g.node(s) }

// node returns the node of a position.
func (g *stacked) node(s machine.State) int {
	for i, w := range s {
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

func (g *stackedStepper) Terminal() bool { return g.nodes[g.at].children == nil }

func (g *stackedStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for m := range g.nodes[g.at].count[r] {
		dst = append(dst, machine.Move(m))
	}
	return dst
}

func (g *stackedStepper) Goal(r machine.Role) int32 {
	switch {
	case int(r) == g.row:
		return g.nodes[g.at].goal
	case g.roles[r] == machine.RandomRole:
		return 0
	}
	return 100 - g.nodes[g.at].goal
}

func (g *stackedStepper) Next(dst machine.State, joint []machine.Move) {
	var moves [3]int
	for r, m := range joint {
		moves[r] = int(m)
	}
	clear(dst)
	dst.Set(g.nodes[g.at].children[g.nodes[g.at].child(moves)])
}

// exact returns backward induction in rationals: the value of a node for the row
// player. It is written without regard to the searches under test.
func (g *stacked) exact() *big.Rat { return g.exactFrom(0) }

func (g *stacked) exactFrom(at int) *big.Rat {
	if g.values == nil {
		g.values = make([]*big.Rat, len(g.nodes))
	}
	if g.values[at] == nil {
		g.values[at] = g.exactNode(at, g.exactFrom)
	}
	return g.values[at]
}

func (g *stacked) exactNode(at int, value func(int) *big.Rat) *big.Rat {
	node := g.nodes[at]
	if node.children == nil {
		return big.NewRat(int64(node.goal), 1)
	}
	m, n, k := node.count[g.row], 1, 1
	for r, name := range g.roles {
		switch {
		case name == machine.RandomRole:
			k = node.count[r]
		case r != g.row:
			n = node.count[r]
		}
	}
	a := make([]*big.Rat, m*n)
	for c, child := range node.children {
		joint := node.joint(c)
		i, j := joint[g.row], 0
		for r, name := range g.roles {
			if r != g.row && name != machine.RandomRole {
				j = joint[r]
			}
		}
		if a[i*n+j] == nil {
			a[i*n+j] = new(big.Rat)
		}
		share := new(big.Rat).Mul(value(child), big.NewRat(1, int64(k)))
		a[i*n+j].Add(a[i*n+j], share)
	}
	v, _, _ := matrix.NashExact(context.Background(), a, m, n)
	return v
}
