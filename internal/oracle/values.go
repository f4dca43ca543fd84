package oracle

import (
	"cmp"
	"math/big"
	"slices"
)

// Values are numbers in goal points by position. They are Exact if backward induction came to a fixpoint; otherwise
// they are bounds of it, from the side on which it began.
type Values struct {
	At    []*big.Rat
	Exact bool
}

// rounds bounds the passes of backward induction over a game with cycles. The probabilities of a strategy lengthen the
// denominators in each pass: after a denominator of more than size bits, values are rounded to a grid of 2^grid to 1.
const (
	rounds = 400
	size   = 2048
	grid   = 256
)

// Reading says how games are valued where the rules leave it open.
type Reading struct {
	Endless int64 // the worth of a game that never ends: 0 for the least, 100 for the most that a role may hope for
	Fault   int   // the worth of a goal that is none (NoGoal)
	Pure    bool  // no mixed strategies: the others know the move of the role before they choose
}

// Guarantee returns the value that a role can guarantee, from each position, against a coalition of all other roles. The
// coalition chooses at the same time as the role.
func (g *Game) Guarantee(role int, k Reading) Values {
	return g.induce(role, k, func(_ int, a [][]*big.Rat) *big.Rat {
		if low, high := pureValues(a); k.Pure || low.Cmp(high) == 0 {
			return low
		}
		return MatrixValue(a)
	})
}

// Against returns the value of a role's strategy, from each position, against worst-case replies. The strategy gives the
// probability of each move by position; nil where the role has no choice.
func (g *Game) Against(role int, strategy [][]*big.Rat, k Reading) Values {
	return g.induce(role, k, func(at int, a [][]*big.Rat) *big.Rat { return reply(strategy[at], a) })
}

// Reply returns the value of a mixed move of a role in a position, against the worst joint move of the other roles, if the
// successors have the values v.
func (g *Game) Reply(at, role int, mix []*big.Rat, v Values) *big.Rat {
	return reply(mix, g.matrix(&g.Positions[at], role, v.At))
}

func reply(mix []*big.Rat, a [][]*big.Rat) *big.Rat {
	sums := make([]*big.Rat, len(a[0]))
	for j := range sums {
		sums[j] = new(big.Rat)
		for i := range mix {
			sums[j].Add(sums[j], new(big.Rat).Mul(mix[i], a[i][j]))
		}
	}
	return slices.MinFunc(sums, (*big.Rat).Cmp)
}

// induce computes a fixpoint: the value of a position from the matrix of its successors' values. Positions that are no
// end begin with the worth of endless games, and keep it where they have no successors.
func (g *Game) induce(role int, k Reading, value func(at int, a [][]*big.Rat) *big.Rat) Values {
	v := Values{At: make([]*big.Rat, len(g.Positions))}
	for i, p := range g.Positions {
		if v.At[i] = big.NewRat(k.Endless, 1); p.Terminal {
			v.At[i].SetInt64(int64(p.Goals[role]))
			if p.Goals[role] == NoGoal {
				v.At[i].SetInt64(int64(k.Fault))
			}
		}
	}
	rounded := false
	for pass := 0; pass < rounds && !v.Exact; pass++ {
		v.Exact = true
		for _, i := range g.order {
			if len(g.Positions[i].Next) == 0 {
				continue
			}
			now := value(i, g.matrix(&g.Positions[i], role, v.At))
			if rounded = rounded || now.Denom().BitLen() > size; rounded {
				now = round(now, k.Endless > 0)
			}
			if now.Cmp(v.At[i]) != 0 {
				v.At[i], v.Exact = now, false
			}
		}
	}
	v.Exact = v.Exact && !rounded
	return v
}

// round returns the nearest value of the grid that is not below x, or not above it.
func round(x *big.Rat, up bool) *big.Rat {
	scale := new(big.Int).Lsh(big.NewInt(1), grid)
	n, rest := new(big.Int).DivMod(new(big.Int).Mul(x.Num(), scale), x.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(n, scale)
}

// matrix returns the mean values of the successors: a row for each move of a role, a column for each joint move of the
// other players, means over the moves of chance.
func (g *Game) matrix(p *Position, role int, v []*big.Rat) [][]*big.Rat {
	share, columns := big.NewRat(1, 1), len(p.Next)/len(p.Moves[role])
	if g.Chance >= 0 {
		share.SetFrac64(1, int64(len(p.Moves[g.Chance])))
		columns /= len(p.Moves[g.Chance])
	}
	a := make([][]*big.Rat, len(p.Moves[role]))
	for i := range a {
		for range columns {
			a[i] = append(a[i], new(big.Rat))
		}
	}
	for j, joint := range p.Joint {
		column := 0
		for _, other := range g.Players {
			if other != role {
				column = column*len(p.Moves[other]) + joint[other]
			}
		}
		x := a[joint[role]][column]
		x.Add(x, new(big.Rat).Mul(share, v[p.Next[j]]))
	}
	return a
}

// pureValues returns the pure values of a matrix game for the row player: the maximin (the row is known before the column
// is chosen) and the minimax (the column is known before the row).
func pureValues(a [][]*big.Rat) (maximin, minimax *big.Rat) {
	worst, best := make([]*big.Rat, len(a)), slices.Clone(a[0])
	for i, row := range a {
		worst[i] = slices.MinFunc(row, (*big.Rat).Cmp)
		for j, x := range row {
			best[j] = slices.MaxFunc([]*big.Rat{best[j], x}, (*big.Rat).Cmp)
		}
	}
	return slices.MaxFunc(worst, (*big.Rat).Cmp), slices.MinFunc(best, (*big.Rat).Cmp)
}

// MatrixValue returns the value of a matrix game for the player who chooses a row. The simplex method with Bland's rule
// solves
//
//	maximise Σ yⱼ  where  Σⱼ aᵢⱼ yⱼ ≤ 1 for every row i, y ≥ 0,
//
// for the matrix raised so that every element is above 0: its value is 1 / Σ yⱼ. The tableau has a column for each yⱼ,
// a slack column for each row, and the right-hand sides.
func MatrixValue(a [][]*big.Rat) *big.Rat {
	rows, columns := len(a), len(a[0])
	raise, right := big.NewRat(1, 1), rows+columns
	raise.Sub(raise, slices.MinFunc(slices.Concat(a...), (*big.Rat).Cmp))
	t, basis := make([][]*big.Rat, rows+1), make([]int, rows)
	for i := range t {
		for j := range right + 1 {
			x := new(big.Rat)
			switch {
			case i < rows && j < columns:
				x.Add(a[i][j], raise)
			case i < rows && (j == columns+i || j == right):
				x.SetInt64(1)
			case i == rows && j < columns:
				x.SetInt64(-1)
			}
			t[i] = append(t[i], x)
		}
	}
	for i := range basis {
		basis[i] = columns + i
	}
	for {
		enter, leave := slices.IndexFunc(t[rows], func(x *big.Rat) bool { return x.Sign() < 0 }), -1
		if enter < 0 {
			value := new(big.Rat).Inv(t[rows][right])
			return value.Sub(value, raise)
		}
		ratio := func(i int) *big.Rat { return new(big.Rat).Quo(t[i][right], t[i][enter]) }
		for i := range rows {
			if t[i][enter].Sign() > 0 && (leave < 0 || cmp.Or(ratio(i).Cmp(ratio(leave)), basis[i]-basis[leave]) < 0) {
				leave = i
			}
		}
		basis[leave] = enter
		pivot := new(big.Rat).Inv(t[leave][enter])
		for _, x := range t[leave] {
			x.Mul(x, pivot)
		}
		for i, row := range t {
			factor := new(big.Rat).Neg(row[enter])
			for j := range row {
				if i != leave {
					row[j].Add(row[j], new(big.Rat).Mul(factor, t[leave][j]))
				}
			}
		}
	}
}
