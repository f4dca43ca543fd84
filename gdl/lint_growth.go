package gdl

import "stackmate/internal/scc"

// slot is an argument of a fluent.
type slot struct {
	fluent   relation
	argument int
}

// growing is a step of a value from one argument of a fluent to another, wrapped in function terms.
type growing struct {
	from, to int // slots
	term     Term
}

// maxGrowthSteps limits the examined steps between arguments of fluents.
const maxGrowthSteps = 1 << 16

// growth warns of fluents whose terms grow with each joint move: a term of `next` contains a variable of `true`
// inside a function term, and only fluents bind the variable. Values bound by other relations come from a finite
// table. A cycle with a step that unwraps a term is not reported.
func (c *checker) growth() {
	slots := make(map[slot]int)
	var edges [][]int
	id := func(s slot) int {
		n, ok := slots[s]
		if !ok {
			n = len(slots)
			slots[s] = n
			edges = append(edges, nil)
		}
		return n
	}
	var grow, shrink []growing
	count := 0
	for _, cl := range c.sound {
		if count > maxGrowthSteps {
			return
		}
		if cl.Head.Name != "next" || cl.Head.Args[0].Kind != Compound {
			continue
		}
		depths := cl.boundByFluentsOnly(func() { c.watch.Step() })
		for i, a := range cl.Head.Args[0].Args {
			to := id(slot{cl.Head.Args[0].relation(), i})
			a.depths(0, func(v string, depth int) {
				for from, wrapped := range depths[v] {
					if count++; count > maxGrowthSteps {
						return
					}
					g := growing{id(from), to, a}
					edges[g.from] = append(edges[g.from], to)
					switch {
					case depth > wrapped:
						grow = append(grow, g)
					case depth < wrapped:
						shrink = append(shrink, g)
					}
				}
			})
		}
	}
	c.warnOfGrowth(edges, grow, shrink)
}

// warnOfGrowth warns of the growing steps in cycles without shrinking steps, once per cycle.
func (c *checker) warnOfGrowth(edges [][]int, grow, shrink []growing) {
	component, done := make([]int, len(edges)), make(map[int]bool)
	for i, members := range scc.Components(len(edges), func(v int) []int { return edges[v] }) {
		for _, v := range members {
			component[v] = i
		}
	}
	for _, g := range shrink {
		if component[g.from] == component[g.to] {
			done[component[g.from]] = true
		}
	}
	for _, g := range grow {
		if component[g.from] != component[g.to] || done[component[g.to]] {
			continue
		}
		done[component[g.to]] = true
		advice := ""
		if foreignOperators[g.term.Name] != "" {
			advice = "; it is a term, not a sum: " + noArithmetic
		}
		c.findings.add("W025", g.term.Pos, g.term.excerpt(),
			"expected a fluent of bounded size, found "+g.term.excerpt()+", which grows with every joint move"+advice)
	}
}

// boundByFluentsOnly returns, for each variable bound only by `true`, its arguments of fluents with the number of
// enclosing function terms.
func (c *Clause) boundByFluentsOnly(step func()) map[string]map[slot]int {
	out := make(map[string]map[slot]int)
	var others []Term
	for _, f := range c.Body {
		f.atoms(false, func(atom Term, negated bool) {
			step()
			switch {
			case negated:
			case atom.Name == "true" && atom.Args[0].Kind == Compound:
				for i, a := range atom.Args[0].Args {
					a.depths(0, func(v string, depth int) {
						if out[v] == nil {
							out[v] = make(map[slot]int)
						}
						out[v][slot{atom.Args[0].relation(), i}] = depth
					})
				}
			default:
				others = atom.variables(others)
			}
		})
	}
	for _, v := range others {
		delete(out, v.Name)
	}
	return out
}

// depths visits the variables of t with their number of enclosing function terms.
func (t Term) depths(depth int, visit func(variable string, depth int)) {
	if t.Kind == Variable {
		visit(t.Name, depth)
	}
	for _, a := range t.Args {
		a.depths(depth+1, visit)
	}
}
