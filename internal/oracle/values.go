package oracle

import (
	"math/big"
	"slices"
)

// Values are numbers in goal points by position. They are Exact if backward induction came to a fixpoint; otherwise
// they are bounds of it, from the side on which it began.
type Values struct {
	At    []*big.Rat
	Exact bool
}

// rounds bounds the passes of backward induction over a game with cycles.
const rounds = 400

// induce computes a fixpoint: the values of positions from the values of their successors. Terminal positions have the
// value that end gives, all others begin with start, and positions without successors keep it.
func (g *Game) induce(start int64, end func(p *Position) int, at func(p *Position, v []*big.Rat) *big.Rat) Values {
	v := Values{At: make([]*big.Rat, len(g.Positions))}
	for i := range g.Positions {
		v.At[i] = big.NewRat(start, 1)
		if p := &g.Positions[i]; p.Terminal {
			v.At[i].SetInt64(int64(end(p)))
		}
	}
	order := g.postorder()
	for round := 0; round < rounds && !v.Exact; round++ {
		v.Exact = true
		for _, i := range order {
			if len(g.Positions[i].Next) == 0 {
				continue
			}
			if now := at(&g.Positions[i], v.At); now.Cmp(v.At[i]) != 0 {
				v.At[i], v.Exact = now, false
			}
		}
	}
	return v
}

// postorder lists all positions, successors first where there are no cycles.
func (g *Game) postorder() (order []int) {
	seen := make([]bool, len(g.Positions))
	type step struct{ p, child int }
	for stack := []step{{}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		seen[top.p] = true
		if next := g.Positions[top.p].Next; top.child < len(next) {
			child := next[top.child]
			if top.child++; !seen[child] {
				stack = append(stack, step{p: child})
			}
			continue
		}
		order = append(order, top.p)
		stack = stack[:len(stack)-1]
	}
	return order
}

// Reading says how games are valued where the rules leave it open.
type Reading struct {
	// Endless is the worth of a game that never ends, in goal points of the role in question: 0 for what it can
	// bring about for certain, 100 for what it can hope for.
	Endless int64
	// Fault is the worth of a goal that is none (NoGoal).
	Fault int
	// Pure forbids mixed strategies: the others know the move of the role before they choose.
	Pure bool
}

func (k Reading) points(goal int) int {
	if goal == NoGoal {
		return k.Fault
	}
	return goal
}

// Guarantee returns what a role can make sure of, from each position, if all others join against it. They choose
// together, at the same time as the role.
func (g *Game) Guarantee(role int, k Reading) Values {
	return g.induce(k.Endless, func(p *Position) int { return k.points(p.Goals[role]) }, func(p *Position, v []*big.Rat) *big.Rat {
		a := g.matrix(p, role, v)
		if k.Pure {
			value, _ := PureValues(a)
			return value
		}
		return MatrixValue(a)
	})
}

// matrix returns the mean values of the successors: a row for each move of a role, a column for each joint move of the
// other players, means over the moves of chance.
func (g *Game) matrix(p *Position, role int, v []*big.Rat) [][]*big.Rat {
	a := make([][]*big.Rat, len(p.Moves[role]))
	draws := int64(1)
	if g.Chance >= 0 {
		draws = int64(len(p.Moves[g.Chance]))
	}
	columns := p.Joints() / len(a) / int(draws)
	for i := range a {
		a[i] = make([]*big.Rat, columns)
		for j := range a[i] {
			a[i][j] = new(big.Rat)
		}
	}
	for joint, next := range p.Next {
		digits, column := p.Digits(joint), 0
		for _, other := range g.Players {
			if other != role {
				column = column*len(p.Moves[other]) + digits[other]
			}
		}
		x := a[digits[role]][column]
		x.Add(x, v[next])
	}
	share := big.NewRat(1, draws)
	for i := range a {
		for _, x := range a[i] {
			x.Mul(x, share)
		}
	}
	return a
}

// Reply returns what a role gets in a position by a mix of its moves, against the joint move of the others that is worst
// for it, if the successors are worth v.
func (g *Game) Reply(position, role int, mix []*big.Rat, v Values) *big.Rat {
	return g.reply(&g.Positions[position], role, mix, v.At)
}

func (g *Game) reply(p *Position, role int, mix, v []*big.Rat) *big.Rat {
	a := g.matrix(p, role, v)
	sums := make([]*big.Rat, len(a[0]))
	for j := range sums {
		sums[j] = new(big.Rat)
		for i, w := range mix {
			sums[j].Add(sums[j], new(big.Rat).Mul(w, a[i][j]))
		}
	}
	return least(sums)
}

// Strategy returns the probability of each move of a role in a position, by the numbers of the moves.
type Strategy func(position int) []*big.Rat

// Against returns what a role gets by a strategy, from each position, against the replies that are worst for it. It
// asks for the strategy in the positions alone that follow from the initial one under the strategy.
func (g *Game) Against(role int, s Strategy, k Reading) (values Values, reached []int) {
	weights := make(map[int][]*big.Rat)
	weights[0] = nil
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		reached = append(reached, at)
		p := &g.Positions[at]
		if len(p.Next) == 0 {
			continue
		}
		weights[at] = s(at)
		for joint, next := range p.Next {
			if _, known := weights[next]; !known && weights[at][p.Digits(joint)[role]].Sign() > 0 {
				weights[next] = nil
				queue = append(queue, next)
			}
		}
	}
	part := &Game{Roles: g.Roles, Players: g.Players, Chance: g.Chance, Positions: slices.Clone(g.Positions)}
	for i := range part.Positions {
		if weights[i] == nil {
			part.Positions[i].Next = nil
		}
	}
	number := make(map[*Position]int)
	for i := range part.Positions {
		number[&part.Positions[i]] = i
	}
	values = part.induce(k.Endless, func(p *Position) int { return k.points(p.Goals[role]) }, func(p *Position, v []*big.Rat) *big.Rat {
		return part.reply(p, role, weights[number[p]], v)
	})
	return values, reached
}
