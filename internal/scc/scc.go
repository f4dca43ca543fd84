// Package scc finds strongly connected components. Graphs of rules come from
// outside and may be chains of a million nodes, so nothing here recurs.
package scc

// Components lists the strongly connected components of a graph of n nodes, each
// before those that lead to it (Tarjan, "Depth-first search and linear graph
// algorithms", 1972). The successors of a node are asked for several times and
// must stay the same. The cost is linear in nodes and edges.
func Components(n int, successors func(node int) []int) [][]int {
	t := tarjan{index: make([]int, n), low: make([]int, n), done: make([]bool, n), order: make([]int, 0, n)}
	for node := range n {
		if t.index[node] == 0 {
			t.explore(node, successors)
		}
	}
	return t.components
}

type tarjan struct {
	index, low []int  // by node; an index of 0 is that of a node not yet seen
	done       []bool // by node: its component is known
	seen       int
	path       []step
	open       []int // the nodes whose component is not known yet
	order      []int // the others, by component
	components [][]int
}

// step is a node on the path that is being explored.
type step struct {
	node, next int // the next successor to look at
}

func (t *tarjan) explore(root int, successors func(int) []int) {
	t.enter(root)
	for len(t.path) > 0 {
		top := &t.path[len(t.path)-1]
		node := top.node
		if edges := successors(node); top.next < len(edges) {
			to := edges[top.next]
			top.next++
			switch {
			case t.index[to] == 0:
				t.enter(to)
			case !t.done[to]:
				t.low[node] = min(t.low[node], t.index[to])
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

func (t *tarjan) enter(node int) {
	t.seen++
	t.index[node], t.low[node] = t.seen, t.seen
	t.open = append(t.open, node)
	t.path = append(t.path, step{node: node})
}

// close moves the component whose first node is root to the list of those known.
func (t *tarjan) close(root int) {
	from := len(t.open) - 1
	for t.open[from] != root {
		from--
	}
	start := len(t.order)
	t.order = append(t.order, t.open[from:]...)
	for _, node := range t.open[from:] {
		t.done[node] = true
	}
	t.open = t.open[:from]
	t.components = append(t.components, t.order[start:len(t.order):len(t.order)])
}
