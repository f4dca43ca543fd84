package gdl

import (
	"slices"
	"strings"
)

// relation names the relations of a rulesheet: a name with an arity.
type relation struct {
	name  string
	arity int
}

func (t Term) relation() relation { return relation{t.Name, len(t.Args)} }

// graph is the dependency graph: an edge leads from the head of a clause to
// every relation in its body, negated or not.
type graph struct {
	ids       map[relation]int
	names     []string
	edges     [][]int
	component []int // strongly connected component, by relation
	cyclic    []bool
}

func newGraph(clauses []*clause) *graph {
	g := &graph{ids: make(map[relation]int)}
	for _, cl := range clauses {
		from := g.id(cl.head)
		for _, f := range cl.body {
			f.atoms(false, func(atom Term, _ bool) {
				to := g.id(atom)
				g.edges[from] = append(g.edges[from], to)
			})
		}
	}
	for i := range g.edges {
		slices.Sort(g.edges[i])
		g.edges[i] = slices.Compact(g.edges[i])
	}
	g.connect()
	return g
}

func (g *graph) id(atom Term) int {
	r := atom.relation()
	i, ok := g.ids[r]
	if !ok {
		i = len(g.names)
		g.ids[r] = i
		g.names = append(g.names, r.name)
		g.edges = append(g.edges, nil)
	}
	return i
}

// connect finds the strongly connected components (Tarjan, "Depth-first search
// and linear graph algorithms", 1972) and which of them hold a cycle.
func (g *graph) connect() {
	n := len(g.names)
	g.component = make([]int, n)
	g.cyclic = make([]bool, n)
	index, low := make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	var stack []int
	visited := 0
	var visit func(v int)
	visit = func(v int) {
		visited++
		index[v], low[v] = visited, visited
		stack = append(stack, v)
		onStack[v] = true
		for _, w := range g.edges[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		from := slices.Index(stack, v)
		for _, w := range stack[from:] {
			onStack[w] = false
			g.component[w] = v
			g.cyclic[w] = len(stack)-from > 1 || slices.Contains(g.edges[w], w)
		}
		stack = stack[:from]
	}
	for v := range n {
		if index[v] == 0 {
			visit(v)
		}
	}
}

// inCycle tells whether the two atoms are in one cycle.
func (g *graph) inCycle(a, b Term) bool {
	i, j := g.id(a), g.id(b)
	return g.component[i] == g.component[j] && g.cyclic[i]
}

// path writes a shortest chain of relations from a to b.
func (g *graph) path(a, b relation) string {
	start, goal := g.ids[a], g.ids[b]
	before := map[int]int{start: -1}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if v == goal {
			var names []string
			for ; v >= 0; v = before[v] {
				names = append(names, g.names[v])
			}
			slices.Reverse(names)
			return strings.Join(names, " → ")
		}
		for _, w := range g.edges[v] {
			if _, seen := before[w]; !seen {
				before[w] = v
				queue = append(queue, w)
			}
		}
	}
	return ""
}

// dependents is the set of relations from which the given one can be reached.
func (g *graph) dependents(on relation) []bool {
	out := make([]bool, len(g.names))
	start, ok := g.ids[on]
	if !ok {
		return out
	}
	reverse := make([][]int, len(g.names))
	for v, edges := range g.edges {
		for _, w := range edges {
			reverse[w] = append(reverse[w], v)
		}
	}
	out[start] = true
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		for _, v := range reverse[queue[0]] {
			if !out[v] {
				out[v] = true
				queue = append(queue, v)
			}
		}
	}
	return out
}
