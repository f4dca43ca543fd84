package circuit

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"stackmate/reasoner/circuit/logic"
)

// maxDotGates is the size up to which a drawing can still be read.
const maxDotGates = 2000

// WriteDot draws the network of a game in the language of Graphviz: inputs as
// ellipses, conjunctions as boxes, outputs as double ellipses; a dotted edge
// stands for a complement, a dashed one for the definition of a loop variable.
func (g *Game) WriteDot(w io.Writer) error {
	live := g.live()
	if n := g.describe("").Nodes; n > maxDotGates {
		return fmt.Errorf("the circuit has %d gates, and a drawing of more than %d cannot be read", n, maxDotGates)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph circuit {\n  rankdir=LR;")
	name := func(l logic.Lit, text string) {
		fmt.Fprintf(out, "  n%d [shape=ellipse label=%s];\n", l.Node(), strconv.Quote(text))
	}
	for f, l := range g.Fluents {
		if live[l.Node()] {
			name(l, "(true "+g.Names.Fluents[f]+")")
		}
	}
	for r, row := range g.Does {
		for m, l := range row {
			if live[l.Node()] {
				name(l, fmt.Sprintf("(does %s %s)", g.Names.Roles[r], g.Names.Moves[r][m]))
			}
		}
		if p := g.partsOf(r); p != nil {
			for i, l := range slices.Concat(p.First, p.Second) {
				name(l, fmt.Sprintf("(part %s %d)", g.Names.Roles[r], i))
			}
		}
	}
	edge := func(from logic.Lit, to, style string) {
		if from.Complemented() {
			style += " style=dotted"
		}
		fmt.Fprintf(out, "  n%d -> %s [%s];\n", from.Node(), to, style)
	}
	for i := range int32(g.Net.Len()) {
		switch {
		case !live[i]:
		case g.Net.Op(i) == logic.OpConst:
			fmt.Fprintf(out, "  n%d [shape=plain label=false];\n", i)
		case g.Net.Op(i) == logic.OpLoop:
			fmt.Fprintf(out, "  n%d [shape=diamond label=loop];\n", i)
			edge(g.Net.Definition(i), fmt.Sprintf("n%d", i), "style=dashed")
		case g.Net.Op(i) == logic.OpAnd:
			fmt.Fprintf(out, "  n%d [shape=box label=and];\n", i)
			for _, o := range g.Net.Operands(i) {
				edge(o, fmt.Sprintf("n%d", i), "")
			}
		}
	}
	g.dotOutputs(func(l logic.Lit, text string) {
		fmt.Fprintf(out, "  %s [shape=ellipse peripheries=2];\n", strconv.Quote(text))
		edge(l, strconv.Quote(text), "")
	})
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// dotOutputs calls f for every output with its text.
func (g *Game) dotOutputs(f func(logic.Lit, string)) {
	for i, l := range g.Next {
		f(l, "(next "+g.Names.Fluents[i]+")")
	}
	for r, row := range g.Legal {
		for m, l := range row {
			f(l, fmt.Sprintf("(legal %s %s)", g.Names.Roles[r], g.Names.Moves[r][m]))
		}
		if p := g.partsOf(r); p != nil {
			for part, l := range p.Head {
				f(l, fmt.Sprintf("(head %s %d)", g.Names.Roles[r], part))
			}
			for m, l := range p.Tail {
				f(l, fmt.Sprintf("(tail %s %s)", g.Names.Roles[r], g.Names.Moves[r][m]))
			}
		}
	}
	f(g.Terminal, "terminal")
	for _, goal := range g.Goals {
		f(goal.When, fmt.Sprintf("(goal %s %d)", g.Names.Roles[goal.Role], goal.Value))
	}
}
