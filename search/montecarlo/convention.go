package montecarlo

import (
	"math"

	"stackmate/reasoner/machine"
)

// Where several roles choose at once and their interests are not opposed, there may be
// several joint moves that are good for all, and each role on its own cannot tell which of
// them the others will make. So players that think alike keep to a convention: of the joint
// moves from which nobody gains by going alone (pure equilibria of the means at the root),
// the first from which nobody would rather go to another (payoff dominance; Harsanyi and
// Selten, 1988). Where there is none, each role follows its rule of selection.
//
// Means within a tolerance count as equal: what is the same by the rules differs by chance
// in the samples of each player.

const (
	// sameMean is that tolerance in goal points for joint moves that were tried often, and
	// fewTried what is added to it for one that was tried once; it shrinks as errors do.
	sameMean = 2
	fewTried = 4
	// leastTried is how often each joint move must have been tried: UCT may leave some
	// out for long, regret matching does not.
	leastTried = 8
	// conventionCells bounds the joint moves that are looked at.
	conventionCells = 1024
)

// sampledGame is what samples say of the joint moves at the root.
type sampledGame struct {
	widths []int32
	visits []float64   // by joint move
	means  [][]float64 // by role, then joint move
}

// convention is the joint move that all roles should make by convention, or nil.
func (s *Searcher) convention() []machine.Move {
	w := s.workers[0]
	t := w.tree
	if w.adversarial || t.isSolved(t.root) || t.at(t.root).moves == none || !t.at(t.root).numbered || w.choosers(t.root) < 2 {
		return nil
	}
	g := s.sampledGame()
	if g == nil {
		return nil
	}
	var stable []int
	for c := range g.visits {
		if g.isStable(c) {
			stable = append(stable, c)
		}
	}
	for _, c := range stable {
		if !g.isDominant(c, stable) {
			continue
		}
		picks, joint := make([]int32, t.roles), make([]machine.Move, t.roles)
		t.split(t.root, int64(c), picks)
		t.decode(t.root, picks, joint)
		return joint
	}
	return nil
}

// sampledGame collects the joint moves at the root; nil if there are too many, some were
// hardly tried, or chance chooses, too.
func (s *Searcher) sampledGame() *sampledGame {
	t := s.workers[0].tree
	g := &sampledGame{widths: t.widthsOf(t.root), means: make([][]float64, t.roles)}
	cells := int64(1)
	for r, width := range g.widths {
		cells *= int64(width)
		if cells > conventionCells || machine.Role(r) == t.random && width > 1 {
			return nil
		}
	}
	g.visits = make([]float64, cells)
	for r := range g.means {
		g.means[r] = make([]float64, cells)
	}
	for c := range cells {
		kid := t.kid(t.root, c)
		if kid == none {
			return nil
		}
		g.visits[c] = float64(t.at(kid).done)
		for r := range g.means {
			g.means[r][c] = t.value(kid, r)
		}
	}
	for _, visits := range g.visits {
		if visits < leastTried {
			return nil
		}
	}
	return g
}

// prefers tells whether role r clearly gets more by joint move a than by b.
func (g *sampledGame) prefers(r, a, b int) bool {
	return g.means[r][a]-g.means[r][b] > sameMean+fewTried/math.Sqrt(min(g.visits[a], g.visits[b]))
}

// isStable tells whether no role clearly gains by departing alone from joint move c.
func (g *sampledGame) isStable(c int) bool {
	step := 1
	for r := len(g.widths) - 1; r >= 0; r-- {
		width := int(g.widths[r])
		base := c - c/step%width*step
		for i := range width {
			if g.prefers(r, base+i*step, c) {
				return false
			}
		}
		step *= width
	}
	return true
}

// isDominant tells whether no role clearly prefers another of the stable joint moves to c.
func (g *sampledGame) isDominant(c int, stable []int) bool {
	for _, other := range stable {
		for r := range g.means {
			if g.prefers(r, other, c) {
				return false
			}
		}
	}
	return true
}
