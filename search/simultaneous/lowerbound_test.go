package simultaneous

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/must"
	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/matrix"
)

// How many positions must any solver expand that learns about a position only by expanding it or its parent, and knows only the range of the
// goals about all others?
//
// Let U be a set of positions such that the value of the game differs between all of U having the least value of the range and all of U having
// the greatest. A solver that expands none of U cannot distinguish these two games, so its answer is wrong in one of them: it must expand a
// position of U. So the number of disjoint sets of this kind is a lower bound on the number of expansions. The family is greedy: first single
// positions of this kind, then sets that are minimal. It need not be the largest one.

// skeleton is a game as a list of positions, children before parents.
type skeleton struct {
	nodes []skeletonNode
	lp    matrix.Engine
	low   []float64 // values of the nodes with the left-out positions at the least value
	high  []float64 // and the most
	a     []float64
}

type skeletonNode struct {
	m, n, k  int
	children []child // m×n×k
}

// child is a node, or a payoff if node is negative.
type child struct {
	node   int
	payoff float64
}

// newSkeleton lists the positions of a game in which a player has a choice. The
// game is expanded by a solver, which passes through all others.
func newSkeleton(tb rapid.TB, m machine.Machine) *skeleton {
	tb.Helper()
	config := must.Get(Config{Method: BackwardInduction}.complete())(tb)
	s := must.Get(newSolver(context.Background(), config, m, 0))(tb)
	s.begin(context.Background(), search.Limits{})
	g := &skeleton{lp: matrix.NewNative()}
	known := make(map[string]child)
	var visit func(depth int, q machine.State) child
	visit = func(depth int, q machine.State) child {
		key := fmt.Sprint(q)
		if c, found := known[key]; found {
			return c
		}
		f, v, open := s.open(depth, q)
		c := child{-1, v.Lower}
		if open {
			node := skeletonNode{m: f.m, n: f.n, k: f.k}
			for at := range f.p {
				for t := range f.k {
					at := f.first(at/f.n, at%f.n) + t*f.chanceStep
					if f.expansion.Terminal[at] {
						node.children = append(node.children, child{-1, s.payoff(f.expansion.ChildGoals(at))})
					} else {
						node.children = append(node.children, visit(depth+1, f.expansion.Child(at)))
					}
				}
			}
			c.node = len(g.nodes)
			g.nodes = append(g.nodes, node)
		}
		known[key] = c
		return c
	}
	visit(0, m.Initial())
	if s.err != nil {
		tb.Fatal(s.err)
	}
	g.low, g.high = make([]float64, len(g.nodes)), make([]float64, len(g.nodes))
	return g
}

// isOpen reports whether the value of the game depends on the left-out positions.
func (g *skeleton) isOpen(out []bool) bool {
	for i, left := range out {
		if left {
			g.low[i], g.high[i] = 0, 100
			continue
		}
		g.low[i] = g.solve(&g.nodes[i], g.low)
		g.high[i] = g.low[i]
		if g.dependsOnGap(&g.nodes[i]) {
			g.high[i] = g.solve(&g.nodes[i], g.high)
		}
	}
	root := len(g.nodes) - 1
	return root >= 0 && g.high[root]-g.low[root] > tolerance
}

func (g *skeleton) dependsOnGap(node *skeletonNode) bool {
	for _, c := range node.children {
		if c.node >= 0 && g.low[c.node] != g.high[c.node] {
			return true
		}
	}
	return false
}

// solve returns the value of a node, given the values of the nodes before it.
func (g *skeleton) solve(node *skeletonNode, values []float64) float64 {
	g.a = scratch.Resize(g.a, node.m*node.n)
	for at := range g.a {
		sum := 0.0
		for _, c := range node.children[at*node.k : (at+1)*node.k] {
			if c.node >= 0 {
				sum += values[c.node]
			} else {
				sum += c.payoff
			}
		}
		g.a[at] = sum / float64(node.k)
	}
	v, err := g.lp.Nash(g.a, node.m, node.n, nil, nil)
	if err != nil {
		panic(err)
	}
	return v
}

// expansions returns a lower bound on the positions that any solver expands, and how
// many of them are expanded by every solver.
func (g *skeleton) expansions() (bound, necessary int) {
	free := make([]bool, len(g.nodes)) // in no set yet
	out := make([]bool, len(g.nodes))
	for i := range g.nodes {
		out[i] = true
		free[i] = !g.isOpen(out)
		if !free[i] {
			necessary++
		}
		out[i] = false
	}
	for bound = necessary; ; bound++ {
		copy(out, free)
		if !g.isOpen(out) {
			return bound, necessary
		}
		g.shrink(out)
		for i, in := range out {
			free[i] = free[i] && !in
		}
	}
}

// shrink removes positions from a set as long as the value depends on the rest,
// in runs of halving length. The first positions are the deepest.
func (g *skeleton) shrink(out []bool) {
	removed := make([]int, 0, len(out))
	for run := len(out); run > 0; run /= 2 {
		for from := 0; from < len(out); from += run {
			removed = removed[:0]
			for i := from; i < min(from+run, len(out)); i++ {
				if out[i] {
					out[i] = false
					removed = append(removed, i)
				}
			}
			if len(removed) > 0 && !g.isOpen(out) {
				for _, i := range removed {
					out[i] = true
				}
			}
		}
	}
}

func TestNoMethodExpandsLessThanTheLowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawStacked(t)
		g.symmetries = nil // the bound knows none
		m := g.machine()
		bound, necessary := newSkeleton(t, m).expansions()
		if necessary > bound {
			t.Fatalf("bound %d, necessary %d", bound, necessary)
		}
		for _, config := range methods {
			searcher := must.Get(New(config))(t)
			nodes := solveWith(t, searcher, m).Nodes + searcher.SerializedNodes()
			if nodes < int64(bound) {
				t.Fatalf("%s expands %d positions, the bound is %d", config.name(), nodes, bound)
			}
		}
	})
}

func BenchmarkLowerBound(b *testing.B) {
	for n := 3; n <= 6; n++ {
		for _, points := range []bool{false, true} {
			b.Run(fmt.Sprintf("N=%d/points=%t", n, points), func(b *testing.B) {
				m := newGoofspiel(descending(n), points)
				g := newSkeleton(b, m)
				var bound, necessary int
				for range b.N {
					bound, necessary = g.expansions()
				}
				b.ReportMetric(float64(len(g.nodes)), "positions")
				b.ReportMetric(float64(necessary), "necessary")
				b.ReportMetric(float64(bound), "bound")
				for _, config := range methods {
					searcher := must.Get(New(config))(b)
					nodes := solveWith(b, searcher, m).Nodes + searcher.SerializedNodes()
					b.ReportMetric(float64(nodes), strings.ReplaceAll(config.name(), " ", "-"))
				}
			})
		}
	}
}
