// Package scc finds strongly connected components. Graphs of rules come from
// outside and may be chains of a million nodes, so nothing here recurs.
package scc

// Components lists the strongly connected components of a graph of n nodes, each
// before those that lead to it. The successors of a node are asked for several times and
// must stay the same. The cost is linear in nodes and edges.
func Components(n int, successors func(node int) []int) [][]int {
	all := make([]int, n)
	for node := range all {
		all[node] = node
	}
	return Below(n, all, func(node, k int) (int, bool) {
		edges := successors(node)
		if k == len(edges) {
			return 0, false
		}
		return edges[k], true
	})
}

// Below lists the components of the nodes that the roots lead to, as Components does, in the
// order of a depth-first search (Tarjan, "Depth-first search and linear graph algorithms",
// 1972) that follows the roots, and the edges of each node as they are numbered from 0. The
// function successor is asked for an edge once, and gives false if there is none.
func Below[N int | int32](n int, roots []N, successor func(node N, edge int) (N, bool)) [][]N {
	t := tarjan[N]{index: make([]int32, n), low: make([]int32, n)}
	for _, node := range roots {
		if t.index[node] == 0 {
			t.explore(node, successor)
		}
	}
	return t.components
}

type tarjan[N int | int32] struct {
	index      []int32 // by node: the order of discovery from 1; 0 is that of a node not yet seen
	low        []int32 // by node: the smallest index that it leads to; known once its component is
	seen       int32
	path       []step[N]
	open       []N // the nodes whose component is not known yet
	order      []N // the others, by component
	components [][]N
}

// known is the low of a node whose component is known: no index is larger.
const known = 1<<31 - 1

// step is a node on the path that is being explored.
type step[N int | int32] struct {
	node N
	next int // the next edge to look at
}

func (t *tarjan[N]) explore(root N, successor func(N, int) (N, bool)) {
	t.enter(root)
	for len(t.path) > 0 {
		top := &t.path[len(t.path)-1]
		node := top.node
		if to, ok := successor(node, top.next); ok {
			top.next++
			if t.index[to] == 0 {
				t.enter(to)
			} else {
				t.low[node] = min(t.low[node], t.low[to])
			}
			continue
		}
		t.path = t.path[:len(t.path)-1]
		if len(t.path) > 0 {
			below := t.path[len(t.path)-1].node
			t.low[below] = min(t.low[below], t.low[node])
		}
		if t.low[node] == t.index[node] {
			t.close(node)
		}
	}
}

func (t *tarjan[N]) enter(node N) {
	t.seen++
	t.index[node], t.low[node] = t.seen, t.seen
	t.open = append(t.open, node)
	t.path = append(t.path, step[N]{node: node})
}

// close moves the component whose first node is root to the list of those known.
func (t *tarjan[N]) close(root N) {
	from := len(t.open) - 1
	for t.open[from] != root {
		from--
	}
	start := len(t.order)
	t.order = append(t.order, t.open[from:]...)
	for _, node := range t.open[from:] {
		t.low[node] = known
	}
	t.open = t.open[:from]
	t.components = append(t.components, t.order[start:len(t.order):len(t.order)])
}
