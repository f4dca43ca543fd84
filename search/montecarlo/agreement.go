package montecarlo

import (
	"context"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// Agreement samples up to agreementPositions positions of random games, 1 to agreementStride joint moves
// apart. In each it draws up to agreementMoves moves and plays agreementGames random games for each move.
const (
	agreementGames     = 128
	agreementMoves     = 16
	agreementPositions = 2000
	agreementStride    = 6
)

// agreement accumulates, over positions, first-move values q (the mean goal of random games that begin
// with the move) and all-moves-as-first values a. Both are centred on the mean of the moves of a position.
type agreement struct {
	*playouts
	leaves []leaf  // one by move
	spread float64 // Σ q², less the expected sampling noise
	apart  float64 // Σ (q−a)², less the expected sampling noise
}

// Agreement returns 1 − Σ(q−a)²/Σq²: the share of the variance of first-move values (q) that
// all-moves-as-first values (a) explain. Noise can make it exceed 1. It returns 0 if batches of m do not
// record their moves, or ctx ends before the first result. It predicts the gain of Config.Rave before a
// search (docs/lab/sampling.md). Cost: at most four million games.
func Agreement(ctx context.Context, m machine.Machine, seed uint64) float64 {
	g := &agreement{playouts: newPlayouts(m, &Config{Rave: true}, math.MaxInt, machine.NewRand(seed), m.Info().Batch)}
	if g.rave == nil {
		return 0
	}
	g.ctx, g.leaves = ctx, newLeaves(agreementMoves, m)
	s, moves := slices.Clone(m.Initial()), make([][]machine.Move, g.roles)
	for range agreementPositions {
		if !g.legal(moves, s) {
			copy(s, m.Initial())
			continue
		}
		if c := machine.Role(onlyChooser(moves)); c >= 0 && c != m.Names().Chance() && !g.addPosition(s, moves, c) {
			break
		}
		g.walk(s, 1+g.rng.Intn(agreementStride))
	}
	if g.spread <= 0 {
		return 0
	}
	return 1 - g.apart/g.spread
}

// walk makes up to moves random joint moves from s, and stops at the end of the game.
func (g *agreement) walk(s machine.State, moves int) {
	play.RandomGame(g.ctx, g.batch, g.rng, s, func(q machine.State, over bool) bool {
		copy(s, q)
		moves--
		return !over && moves >= 0
	})
}

// tally is a sum of goals and the number of games.
type tally struct{ sum, count float64 }

func (t *tally) add(sum, count float64) { t.sum, t.count = t.sum+sum, t.count+count }

func (t tally) mean() float64 { return t.sum / t.count }

// addPosition adds the values of a position in which role c alone chooses. It returns false if ctx ends,
// or a batch finishes no game.
func (g *agreement) addPosition(s machine.State, moves [][]machine.Move, c machine.Role) bool {
	own := moves[c]
	for i := range min(len(own), agreementMoves) {
		j := i + g.rng.Intn(len(own)-i)
		own[i], own[j] = own[j], own[i]
	}
	own = own[:min(len(own), agreementMoves)]
	leaves := g.leaves[:len(own)]
	for i := range leaves {
		copy(leaves[i].from, s)
		for r, all := range moves {
			leaves[i].joint[r] = all[0]
		}
		leaves[i].joint[c] = own[i]
	}
	squares, all := 0.0, tally{}
	g.check = func(goals []int32) {
		v := float64(search.Points(goals[c]))
		squares += v * v
		all.add(v, 1)
	}
	first, later := make([]tally, len(own)), make([]tally, len(own))
	for all.count < float64(agreementGames*len(own)) {
		before := all.count
		if g.run(leaves); g.ctx.Err() != nil || all.count == before {
			return false
		}
		for i := range leaves {
			l := &leaves[i]
			first[i].add(l.goals[c]*float64(l.count), float64(l.count))
			for j, m := range own { // with any first move
				at := i*g.rave.all + g.rave.first[c] + int(m)
				later[j].add(float64(g.rave.sums[at]), float64(g.rave.counts[at]))
			}
		}
	}
	g.compare(first, later, squares/all.count-all.mean()*all.mean())
	return true
}

// compare adds the first-move and all-moves-as-first values of a position. variance is the variance of the
// goal of one game.
func (g *agreement) compare(first, later []tally, variance float64) {
	n, q, a := 0., 0., 0.
	isKnown := func(i int) bool { return min(first[i].count, later[i].count) >= agreementGames/2 }
	for i := range first {
		if isKnown(i) {
			n, q, a = n+1, q+first[i].mean(), a+later[i].mean()
		}
	}
	if n < 2 {
		return
	}
	left := variance * (n - 1) / (n * n) // factor of the noise of a mean that is left after centring
	for i := range first {
		if isKnown(i) {
			x, noise := first[i].mean()-q/n, left/first[i].count
			d := x - (later[i].mean() - a/n)
			g.spread, g.apart = g.spread+x*x/n-noise, g.apart+d*d/n-noise-left/later[i].count
		}
	}
}
