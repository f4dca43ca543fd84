package simultaneous

import (
	"fmt"
	"math/big"

	"pgregory.net/rapid"

	"stackmate/reasoner/machine"
	"stackmate/search/matrix"
)

// stacked is a random stacked matrix game: a tree of positions with a matrix of
// children each, perhaps with chance, perhaps with shared subtrees.
type stacked struct {
	nodes []stackedNode // children have greater indices than parents
	roles []string
	row   int // role of the row player
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
	return g
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
	return newToy(names, machine.State{0}, func() machine.Stepper { return &stackedStepper{stacked: g} })
}

type stackedStepper struct {
	*stacked
	at int
}

func (g *stackedStepper) SetState(s machine.State) { g.at = int(s[0]) }

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
	c := 0
	for r, m := range joint {
		c = c*g.nodes[g.at].count[r] + int(m)
	}
	dst[0] = uint64(g.nodes[g.at].children[c])
}

// exact is backward induction in rationals: the value of a node for the row
// player. It is written without regard to the searches under test.
func (g *stacked) exact() *big.Rat {
	values := make([]*big.Rat, len(g.nodes))
	var value func(int) *big.Rat
	value = func(at int) *big.Rat {
		if values[at] == nil {
			values[at] = g.exactNode(at, value)
		}
		return values[at]
	}
	return value(0)
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
		i, j := 0, 0
		for r := len(g.roles) - 1; r >= 0; r-- {
			digit := c % node.count[r]
			c /= node.count[r]
			switch {
			case r == g.row:
				i = digit
			case g.roles[r] != machine.RandomRole:
				j = digit
			}
		}
		if a[i*n+j] == nil {
			a[i*n+j] = new(big.Rat)
		}
		share := new(big.Rat).Mul(value(child), big.NewRat(1, int64(k)))
		a[i*n+j].Add(a[i*n+j], share)
	}
	v, _, _ := matrix.NashExact(a, m, n)
	return v
}
