package montecarlo

import (
	"context"
	"math/bits"
	"slices"

	"stackmate/reasoner/machine"
)

// Of a position agreementMoves moves, drawn at random, have agreementGames random games each; agreementPositions are looked
// at, one after the other in random games, up to agreementStride joint moves apart.
const (
	agreementGames     = 128
	agreementMoves     = 16
	agreementPositions = 200
	agreementStride    = 6
)

// agreement compares what moves bring in random games that begin with them, q, with what games bring in which they are made at any
// time later, a, each without its mean over the moves of a position.
type agreement struct {
	*rave
	machine machine.Machine
	games   *machine.Lockstep
	rng     *machine.Rand
	spread  float64 // Σ q² of all positions, but for what the number of games alone makes of it
	apart   float64 // Σ (q−a)², likewise
}

// Agreement is 1 − Σ(q−a)²/Σq²: how much of what random games say of moves those say as well in which they are made at any time later. It is 1
// at most, but for chance, and 0 where batches of m do not tell their moves, or ctx ends before anything was found. So it tells
// what Config.Rave is worth before anything is searched (docs/lab/sampling.md). Cost: 400 000 games at most.
func Agreement(ctx context.Context, m machine.Machine, seed uint64) float64 {
	if !Raves(m) {
		return 0
	}
	b := m.NewBatch()
	g := &agreement{rave: newRave(b, m.Names()), machine: m, games: machine.NewLockstep(b), rng: machine.NewRand(seed)}
	s := slices.Clone(m.Initial())
	for range agreementPositions {
		moves, over := g.legal(s)
		if over {
			copy(s, m.Initial())
			continue
		}
		if c := machine.Role(onlyChooser(moves)); c >= 0 && c != m.Names().Chance() && !g.look(ctx, s, moves, c) {
			break
		}
		g.walk(s, 1+g.rng.Intn(agreementStride))
	}
	if g.spread <= 0 {
		return 0
	}
	return 1 - g.apart/g.spread
}

// walk makes so many random joint moves, or fewer where the game is over before.
func (g *agreement) walk(s machine.State, moves int) {
	b := g.batch
	b.Load(s, 1)
	for b.Evaluate(1); moves > 0 && !g.isOver(); moves-- {
		b.ChooseRandom(g.rng, 1)
		b.Advance(1)
		b.Evaluate(1)
	}
	b.Store(s, 1)
}

// isOver tells whether the game has ended, or cannot go on, in the first lane.
func (g *agreement) isOver() bool { return (g.batch.Terminal()[0]|g.batch.Stuck()[0])&1 != 0 }

// legal are the legal moves of a position by role, or that the game is over.
func (g *agreement) legal(s machine.State) (moves [][]machine.Move, over bool) {
	g.batch.Load(s, 1)
	g.batch.Evaluate(1)
	if g.isOver() {
		return nil, true
	}
	for r := range g.machine.Names().Roles {
		moves = append(moves, g.batch.AppendLegal(nil, 0, machine.Role(r)))
	}
	return moves, false
}

// tally is what games brought.
type tally struct{ sum, count float64 }

func (t *tally) add(sum, count float64) { t.sum, t.count = t.sum+sum, t.count+count }

func (t tally) mean() float64 { return t.sum / t.count }

// look adds a position, in which role c alone chooses; false if ctx ends meanwhile.
func (g *agreement) look(ctx context.Context, s machine.State, moves [][]machine.Move, c machine.Role) bool {
	own := moves[c]
	for i := range min(len(own), agreementMoves) {
		j := i + g.rng.Intn(len(own)-i)
		own[i], own[j] = own[j], own[i]
	}
	own = own[:min(len(own), agreementMoves)]
	moves[c] = own
	first, later := make([]tally, len(own)), make([]tally, len(own))
	squares, all := 0.0, tally{}
	for all.count < float64(agreementGames*len(own)) {
		if g.play(ctx, s, moves, c); ctx.Err() != nil {
			return false
		}
		for i, lanes := range g.over {
			for ; lanes != 0; lanes &= lanes - 1 {
				lane := i<<6 | bits.TrailingZeros64(lanes)
				v := float64(g.goals[lane*len(g.made)+int(c)])
				first[lane%len(own)].add(v, 1)
				all.add(v, 1)
				squares += v * v
			}
		}
		if all.count == 0 { // games do not end
			return false
		}
		for i, m := range own {
			at := g.first[c] + int(m)
			later[i].add(float64(g.sums[at]), float64(g.counts[at]))
		}
	}
	g.compare(first, later, squares/all.count-all.mean()*all.mean())
	return true
}

// compare adds moves that were made first and later; variance is that of a game.
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
	left := variance * (n - 1) / (n * n) // of the noise, without that of the means
	for i := range first {
		if isKnown(i) {
			x, noise := first[i].mean()-q/n, left/first[i].count
			d := x - (later[i].mean() - a/n)
			g.spread, g.apart = g.spread+x*x/n-noise, g.apart+d*d/n-noise-left/later[i].count
		}
	}
}

// play plays one game in each lane from a position on: lane i begins with move i modulo their number.
func (g *agreement) play(ctx context.Context, s machine.State, moves [][]machine.Move, c machine.Role) {
	b, n := g.batch, g.batch.Lanes()
	b.Fill(s, nil)
	b.Evaluate(n)
	for lane := range n {
		for r, own := range moves {
			if m := own[0]; machine.Role(r) == c {
				b.Choose(lane, c, own[lane%len(own)])
			} else {
				b.Choose(lane, machine.Role(r), m)
			}
		}
	}
	b.Advance(n)
	b.Evaluate(n)
	g.begin(1)
	goals := make([]int32, len(moves))
	g.games.Run(ctx, g.rng, n, func(steps int, ended, playing []uint64) bool {
		if steps > 0 {
			g.watch(ended, playing)
		}
		for i, lanes := range ended {
			for ; lanes != 0; lanes &= lanes - 1 {
				lane := i<<6 | bits.TrailingZeros64(lanes)
				b.Goals(goals, lane)
				g.end(lane, goals)
			}
		}
		return true
	})
	g.divide(make([]leaf, 1)) // whichever move they began with
}
