package evaluate

import (
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search/matrix"
)

// Where two players choose at once, self-play draws a few different moves of each, evaluates all their joint moves in the
// lanes of a pass, and draws one from the equilibrium of this matrix game. The expected values of the equilibrium are the
// estimate of the position for TD(λ): the matrix game is the optimality equation of Markov games (Littman, "Markov games
// as a framework for multi-agent reinforcement learning", 1994), and the estimate has no noise of the draw.

// mostLines is the maximum number of moves of each player: every batch has lanes for so many joint moves
// (docs/lab/atonce.md).
const mostLines = 8

// matrices is the scratch memory for the matrix games of games.
type matrices struct {
	engine   matrix.Native
	lines    [2][]machine.Move // the drawn moves of the players
	elements []float64
	mixes    [2][]float64
	expected []float64 // by role: the values that the equilibrium of the last matrix expects; empty if there was none
}

// atOnce reports whether exactly two players have several of the given moves, and nobody else has.
func (p *games) atOnce(moves [][]machine.Move) bool {
	if len(p.players) != 2 {
		return false
	}
	for r, of := range moves {
		if len(of) > 1 == (machine.Role(r) == p.machine.Names().Chance()) {
			return false
		}
	}
	return true
}

// drawMatrix draws up to mostLines different moves of each player, and all their joint moves, row by row.
func (p *games) drawMatrix(g *game, moves [][]machine.Move) {
	lines := &p.matrices.lines
	for i, r := range p.players {
		of := append(lines[i][:0], moves[r]...)
		for k := range min(len(of), mostLines) {
			other := k + p.rng.Intn(len(of)-k)
			of[k], of[other] = of[other], of[k]
		}
		lines[i] = of[:min(len(of), mostLines)]
	}
	g.columns = len(lines[1])
	for _, row := range lines[0] {
		for _, column := range lines[1] {
			joint := len(g.drawn)
			for _, of := range moves {
				g.drawn = append(g.drawn, of[0])
			}
			g.drawn[joint+int(p.players[0])], g.drawn[joint+int(p.players[1])] = row, column
		}
	}
}

// chooseMixed draws the lane of a joint move from the equilibrium of the matrix of a game. Each player plays the
// equilibrium by the evaluation that it follows.
func (p *games) chooseMixed(g *game) int {
	m, first, second := &p.matrices, p.players[0], p.players[1]
	n := g.end - g.first
	m.mixes[0], m.mixes[1] = scratch.Resize(m.mixes[0], n/g.columns), scratch.Resize(m.mixes[1], g.columns)
	if one, other := g.side[first], g.side[second]; one == other {
		p.solve(g, one, m.mixes[0], m.mixes[1])
	} else {
		p.solve(g, one, m.mixes[0], nil)
		p.solve(g, other, nil, m.mixes[1])
	}
	m.expected = scratch.Resize(m.expected, p.roles)
	clear(m.expected)
	for i, x := range m.mixes[0] {
		for j, y := range m.mixes[1] {
			lane := g.first + i*g.columns + j
			for r := range m.expected {
				m.expected[r] += x * y * p.values[0][lane*p.roles+r]
			}
		}
	}
	row, column := matrix.Pick(m.mixes[0], p.rng.Float64()), matrix.Pick(m.mixes[1], p.rng.Float64())
	return g.first + row*g.columns + column
}

// solve writes the strategies of the equilibrium to x and y, which may be nil, by one of the evaluations.
func (p *games) solve(g *game, evaluation int, x, y []float64) {
	m, n := &p.matrices, g.end-g.first
	m.elements = scratch.Resize(m.elements, n)
	for k := range n {
		m.elements[k] = p.ahead(p.values[evaluation], g.first+k, int(p.players[0]))
	}
	if _, err := m.engine.Nash(m.elements, n/g.columns, g.columns, x, y); err != nil {
		panic(err) // evaluations and goals are finite
	}
}
