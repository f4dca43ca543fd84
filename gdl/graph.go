package gdl

import (
	"slices"
	"strings"

	"stackmate/internal/guard"
	"stackmate/internal/scc"
)

// relation identifies a relation of a rulesheet: a name with an arity.
type relation struct {
	name  string
	arity int
}

func (t Term) relation() relation { return relation{t.Name, len(t.Args)} }

// graph is the dependency graph: an edge leads from the head of a clause to every relation in its body, negated or
// not.
type graph struct {
	watch     *guard.Watch
	ids       map[relation]int
	names     []string
	edges     [][]int
	component []int // strongly connected component, by relation
	cyclic    []bool
}

func newGraph(w *guard.Watch, clauses []*Clause) *graph {
	g := &graph{watch: w, ids: make(map[relation]int)}
	for _, cl := range clauses {
		w.Step()
		from := g.id(cl.Head)
		for _, f := range cl.Body {
			f.atoms(false, func(atom Term, _ bool) {
				w.Step()
				to := g.id(atom)
				g.edges[from] = append(g.edges[from], to)
			})
		}
	}
	for i := range g.edges {
		w.Step()
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

// connect computes the strongly connected components and marks the cyclic ones.
func (g *graph) connect() {
	n := len(g.names)
	g.component, g.cyclic = make([]int, n), make([]bool, n)
	for i, component := range scc.Components(n, func(v int) []int {
		g.watch.Step()
		return g.edges[v]
	}) {
		for _, v := range component {
			g.component[v] = i
			g.cyclic[v] = len(component) > 1 || slices.Contains(g.edges[v], v)
		}
	}
}

// inCycle reports whether the two atoms are in one cycle.
func (g *graph) inCycle(a, b Term) bool {
	i, j := g.id(a), g.id(b)
	return g.component[i] == g.component[j] && g.cyclic[i]
}

const (
	pathSearch = 10_000 // limit of the relations searched for a path
	pathLength = 12     // limit of the relations named in a path
)

// path returns a shortest chain of relations from a to b, shortened to pathLength, or only both ends if the search
// exceeds pathSearch.
func (g *graph) path(a, b relation) string {
	start, goal := g.ids[a], g.ids[b]
	before := map[int]int{start: -1}
	for queue := []int{start}; len(queue) > 0 && len(before) < pathSearch; queue = queue[1:] {
		v := queue[0]
		if v == goal {
			var names []string
			for ; v >= 0; v = before[v] {
				names = append(names, clip(g.names[v]))
			}
			slices.Reverse(names)
			if n := len(names); n > pathLength {
				names = append(append(names[:pathLength/2:pathLength/2], "…"), names[n-pathLength/2:]...)
			}
			return strings.Join(names, " → ")
		}
		for _, w := range g.edges[v] {
			if _, seen := before[w]; !seen {
				before[w] = v
				queue = append(queue, w)
			}
		}
	}
	return clip(a.name) + " → … → " + clip(b.name)
}

// dependents marks the relations that depend on the given relation.
func (g *graph) dependents(on relation) []bool {
	out := make([]bool, len(g.names))
	start, ok := g.ids[on]
	if !ok {
		return out
	}
	reverse := make([][]int, len(g.names))
	for v, edges := range g.edges {
		g.watch.Step()
		for _, w := range edges {
			reverse[w] = append(reverse[w], v)
		}
	}
	out[start] = true
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		g.watch.Step()
		for _, v := range reverse[queue[0]] {
			if !out[v] {
				out[v] = true
				queue = append(queue, v)
			}
		}
	}
	return out
}
