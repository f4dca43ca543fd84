package layers

import (
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// locate finds a position in the layers, which are solved, those first that are near the last one found: the number
// of its layer, or -1, and its value.
func (g *game) locate(q machine.State) (depth int, v float64, err error) {
	for i := range g.layers {
		d := (g.near + i) % len(g.layers)
		l := g.layers[d]
		if !g.fits(l, q) {
			continue
		}
		g.makeRoom(d)
		if err := g.recall(d, true); err != nil {
			return -1, 0, err
		}
		if v, ok := g.lookUp(l, q); ok {
			g.near = d
			return d, v, nil
		}
	}
	return -1, 0, nil
}

// valueAt is the value of a position in the layers, or terminal; depth is that of its layer, or -1.
func (g *game) valueAt(q machine.State) (v float64, depth int, err error) {
	if over, goals := g.workers[0].expander.Look(q); over {
		v, err = g.points(goals)
		return v, -1, err
	}
	if depth, v, err = g.locate(q); err == nil && depth < 0 {
		err = fmt.Errorf("the layers do not know the position %v", g.machine.Names().AppendFluents(nil, q))
	}
	return v, depth, err
}

// makeRoom leaves the layers but d and the next one to the folder, if there is not enough memory for these beside them.
func (g *game) makeRoom(d int) {
	const perPosition = 24 // key, value and index
	need := perPosition * int64(g.layers[d].len()+g.layers[min(d+1, len(g.layers)-1)].len())
	if g.limits.MaxBytes > 0 && g.bytes()+need > g.limits.MaxBytes {
		g.forget(d, d+1)
	}
}

// fits tells whether a position, or an image of it, may be in a layer, as far as can be said without its keys.
func (g *game) fits(l *layer, q machine.State) bool {
	image := q
	for i := 0; ; i++ {
		for _, p := range l.parts {
			if _, ok := p.pack(image); ok {
				return true
			}
		}
		if i == len(g.symmetries) {
			return false
		}
		image = make(machine.State, len(q))
		g.symmetries[i].apply(image, q)
	}
}

// claim is what the layers, which are solved, say of a position.
func (g *game) claim(q machine.State) (search.Claim, error) {
	v, d, err := g.valueAt(q)
	if err != nil || d < 0 {
		return search.Claim{Value: v}, err
	}
	g.makeRoom(d)
	if err := g.recall(d+1, true); err != nil {
		return search.Claim{}, err
	}
	w := g.workers[0]
	e := &w.dst[0]
	if err := w.expander.Expand(e, q); err != nil {
		return search.Claim{}, err
	}
	mixtures := make([][]float64, len(e.Moves))
	for r, moves := range e.Moves {
		mixtures[r] = make([]float64, len(moves))
	}
	var y []float64
	if g.other != machine.NoRole {
		y = mixtures[g.other]
	}
	_, err = w.value(e, g.layers[d+1], mixtures[g.first], y)
	claim := search.Claim{Value: v, Strategies: make([][]search.Weighted, len(e.Moves))}
	for r, mixture := range mixtures {
		for i, p := range mixture {
			if p > 0 {
				claim.Strategies[r] = append(claim.Strategies[r], search.Weighted{Move: e.Moves[r][i], Probability: p})
			}
		}
	}
	return claim, err
}

// line follows the most probable moves from q to the end of the game, or to a choice of chance.
func (g *game) line(q machine.State) ([][]machine.Move, error) {
	var line [][]machine.Move
	e := &g.workers[0].dst[0] // as claim leaves it
	for {
		if over, _ := g.workers[0].expander.Look(q); over {
			return line, nil
		}
		claim, err := g.claim(q)
		if err != nil || g.chance != machine.NoRole && len(e.Moves[g.chance]) > 1 {
			return line, err
		}
		child, joint := 0, make([]machine.Move, len(e.Moves))
		for r, moves := range e.Moves {
			best, highest := 0, 0.0
			for i, move := range moves {
				for _, w := range claim.Strategies[r] {
					if w.Move == move && w.Probability > highest {
						best, highest = i, w.Probability
					}
				}
			}
			joint[r] = moves[best]
			child = child*len(moves) + best
		}
		line = append(line, joint)
		q = append(machine.State(nil), e.Child(child)...)
	}
}
