package circuit

import (
	"context"
	"fmt"
	"slices"
)

// A pass rewrites a game into one with the same rules and a smaller or faster
// network. Constant folding and structural hashing are no passes: every network
// is built that way, so each pass gets them for free.
type pass struct {
	name string
	// doc says what the pass does, before → after, and what it assumes.
	doc string
	// why says why it stands where it stands in the table.
	why string
	run func(*Game) *Game
}

// passes is the table of contents of the optimiser, in order.
var passes = []pass{
	{
		name: "dead",
		doc:  "gates that no output needs → nothing",
		why:  "first, so that the others count the uses of live gates alone",
		run:  removeDead,
	},
	{
		name: "one-move",
		doc:  "or of does(r, m) over most moves m of r → not the or over the others; assumes that every role makes exactly one move",
		why:  "before any sharing, which would hide the moves inside common parts",
		run:  complementMoves,
	},
}

// PassInfo describes the network after a pass.
type PassInfo struct {
	Name  string
	Gates int // two-input gates
	Nodes int
	Depth int
}

// PassOptions steer Optimise.
type PassOptions struct {
	Without []string       // names of passes to leave out
	Trace   func(PassInfo) // called with the input ("lowered") and after each pass
}

// PassNames lists the passes in order.
func PassNames() []string {
	var names []string
	for _, p := range passes {
		names = append(names, p.name)
	}
	return names
}

// Optimise runs the table of passes.
func Optimise(ctx context.Context, g *Game, o PassOptions) (*Game, error) {
	for _, name := range o.Without {
		if !slices.Contains(PassNames(), name) {
			return nil, fmt.Errorf("no circuit pass %q: they are %q", name, PassNames())
		}
	}
	trace := func(name string) {
		if o.Trace != nil {
			o.Trace(PassInfo{Name: name, Gates: g.Net.Gates(), Nodes: g.Net.Len(), Depth: g.Net.Depth()})
		}
	}
	trace("lowered")
	for _, p := range passes {
		if slices.Contains(o.Without, p.name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("optimising the circuit stopped at pass %q: %w", p.name, err)
		}
		g = p.run(g)
		trace(p.name)
	}
	return g, nil
}

func removeDead(g *Game) *Game {
	return g.rebuild(func(h *Game, _ int32, operands []Lit) Lit { return h.Net.And(operands...) })
}
