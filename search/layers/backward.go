package layers

import (
	"fmt"
	"math"
	"time"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
)

// Values lie on a grid of 2⁻³⁰ goal points, as those of package simultaneous do, so that values that are equal by the rules are
// equal as numbers.
const grid = 1.0 / (1 << 30)

func snap(v float64) float64 { return math.RoundToEven(v/grid) * grid }

// induce solves all layers, from the last one on.
func (g *game) induce() error {
	for d := len(g.layers) - 1; d >= 0; d-- {
		l := g.layers[d]
		if l.solved {
			continue
		}
		if err := g.settle(d); err != nil {
			return err
		}
		l.solved = true
		if err := g.keep(d); err != nil {
			return err
		}
	}
	return nil
}

// settle solves the positions of layer d from the values of the next one. The last layer is empty.
func (g *game) settle(d int) error {
	if d == len(g.layers)-1 {
		return nil
	}
	g.forget(d, d+1)
	if err := g.recall(d, false); err != nil {
		return err
	}
	if err := g.recall(d+1, true); err != nil {
		return err
	}
	next := g.layers[d+1]
	values := make([][]float64, len(g.layers[d].parts))
	for i, p := range g.layers[d].parts {
		values[i] = make([]float64, p.count)
		err := g.each(d, p.count, func(w *worker, first, last int) error {
			return w.expand(p, first, last, func(at int, e *machine.Expansion) (err error) {
				values[i][at], err = w.value(e, next, nil, nil)
				return err
			})
		})
		if err != nil {
			return err
		}
		g.counters.Nodes += int64(p.count)
	}
	for i, p := range g.layers[d].parts {
		p.values = values[i]
	}
	g.counters.LPCalls, g.counters.LPTime = 0, 0
	for _, w := range g.workers {
		g.counters.LPCalls += w.games
		g.counters.LPTime += w.spent / time.Duration(len(g.workers))
	}
	return nil
}

// sampleGames: of so many matrix games the time of one is taken, on behalf of all.
const sampleGames = 64

// value is what an expansion is worth, whose children are in layer next. It writes the strategies of both players
// where they are not nil.
func (w *worker) value(e *machine.Expansion, next *layer, x, y []float64) (float64, error) {
	m, n, err := w.fill(e, next)
	if err != nil {
		return 0, err
	}
	if m == 1 && n == 1 && x == nil {
		return w.matrix[0], nil
	}
	w.games++
	if w.games%sampleGames != 0 {
		v, err := w.lp.Nash(w.matrix, m, n, x, y)
		return snap(v), err
	}
	started := time.Now()
	v, err := w.lp.Nash(w.matrix, m, n, x, y)
	w.spent += sampleGames * time.Since(started)
	return snap(v), err
}

// fill writes the m×n matrix of an expansion, whose children are in layer next, into w.matrix.
func (w *worker) fill(e *machine.Expansion, next *layer) (m, n int, err error) {
	g := w.game
	m, n = len(e.Moves[g.first]), 1
	if g.other != machine.NoRole {
		n = len(e.Moves[g.other])
	}
	w.matrix = scratch.Resize(w.matrix, m*n)
	if e.Children == m*n && (n == 1 || g.other > g.first) { // children are cells
		for c := range w.matrix {
			if w.matrix[c], err = g.child(e, c, next); err != nil {
				return m, n, err
			}
		}
		return m, n, nil
	}
	clear(w.matrix)
	rowStep, columnStep := step(e, g.first), step(e, g.other)
	for c := range e.Children {
		v, err := g.child(e, c, next)
		if err != nil {
			return m, n, err
		}
		w.matrix[c/rowStep%m*n+c/columnStep%n] += v
	}
	chances := float64(e.Children / (m * n))
	for i, v := range w.matrix {
		w.matrix[i] = snap(v / chances)
	}
	return m, n, nil
}

// step is the distance of two children that differ in neighbouring moves of a role.
func step(e *machine.Expansion, r machine.Role) int {
	if r == machine.NoRole {
		return 1
	}
	step := 1
	for _, moves := range e.Moves[r+1:] {
		step *= len(moves)
	}
	return step
}

// child is what child c of an expansion is worth.
func (g *game) child(e *machine.Expansion, c int, next *layer) (float64, error) {
	if e.Terminal[c] {
		return g.points(e.ChildGoals(c))
	}
	at := g.find(next, e.Child(c))
	if at.part == nil {
		return 0, fmt.Errorf("a position is in no layer: %v", g.machine.Names().AppendFluents(nil, e.Child(c)))
	}
	return g.valueIn(at), nil
}

// valueIn is the value of the position that was found in a place.
func (g *game) valueIn(at place) float64 {
	v := at.part.values[at.at]
	if at.exchanged {
		v = float64(g.sum.Load()-1) - v
	}
	return v
}

// find looks for position q and its images in a layer: the packing need not know all symmetries, so that of
// positions that come after one for which another one stands only images may be there.
func (g *game) find(l *layer, q machine.State) place {
	at := l.find(q)
	for i := 0; i < len(g.symmetries) && at.part == nil; i++ {
		y := &g.symmetries[i]
		image := make(machine.State, len(q))
		y.apply(image, q)
		at = l.find(image)
		at.exchanged = at.exchanged != y.exchanges
	}
	return at
}
