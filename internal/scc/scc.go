// Package scc computes strongly connected components. Input graphs may be chains of a million nodes, so the functions
// do not recurse.
package scc

// Components returns the strongly connected components of a graph of n nodes in reverse topological order: each
// before its predecessors. It calls successors several times per node, with equal results expected. The cost is
// linear in nodes and edges.
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

// Below returns the components of the nodes reachable from roots, ordered as in Components, by depth-first search in
// the order of roots and edges (Tarjan, "Depth-first search and linear graph algorithms", 1972). Edges of a node are
// numbered from 0; successor is called once per edge and returns false past the last one.
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
	index      []int32 // by node: the order of discovery from 1; 0 if undiscovered
	low        []int32 // by node: the smallest index it leads to; known once its component is complete
	seen       int32
	path       []step[N]
	open       []N // the nodes of incomplete components (Tarjan's stack)
	order      []N // the other nodes, by component
	components [][]N
}

// known is the low of a node in a complete component; it exceeds all indices.
const known = 1<<31 - 1

// step is a node on the depth-first path.
type step[N int | int32] struct {
	node N
	next int // number of its next edge
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

// close completes the component whose first node is root.
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
