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
	// run makes the new game. When its context is done it may return any game.
	run func(context.Context, *Game) *Game
	// shares says that the pass shares logic as it finds it, so that symmetric
	// parts of a game may look different after it.
	shares bool
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
		name: "fluents",
		doc:  "a fluent that always equals another, its complement or a constant → that",
		why:  "early: it makes logic equal, constant or dead",
		run:  mergeFluents,
	},
	{
		name: "one-move",
		doc:  "or of does(r, m) over most moves m of r → not the or over the others; assumes that every role makes exactly one move",
		why:  "before any sharing, which would hide the moves inside common parts",
		run:  complementMoves,
	},
	{
		name: "flatten",
		doc:  "and(and(a, b), c) → and(a, b, c) where nothing else uses and(a, b)",
		why:  "makes whole terms visible to factoring",
		run:  flattenGates,
	},
	{
		name: "factor",
		doc:  "or(and(a, x), and(a, y)) → and(a, or(x, y))",
		why:  "before pairs are shared, since it removes operands and sharing only moves them",
		run:  factorTerms, shares: true,
	},
	{
		name: "flatten-again",
		doc:  "as flatten",
		why:  "factoring leaves conjunctions of conjunctions",
		run:  flattenGates, shares: true,
	},
	{
		name: "pairs",
		doc:  "a pair of operands that four or more gates share → a gate of its own",
		why:  "last, because shared gates can be neither flattened nor factored",
		run:  sharePairs, shares: true,
	},
}

// PassInfo describes the network after a pass.
type PassInfo struct {
	Name     string
	Gates    int // two-input gates
	Nodes    int // gates of any width
	Operands int
	Depth    int
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
			o.Trace(g.describe(name))
		}
	}
	trace("lowered")
	plain := g
	for _, p := range passes {
		if slices.Contains(o.Without, p.name) {
			continue
		}
		g = p.run(ctx, g)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("optimising the circuit stopped at pass %q: %w", p.name, err)
		}
		if !p.shares {
			plain = g
		}
		trace(p.name)
	}
	g.plain = plain
	return g, nil
}

// describe sums up the live part of the network.
func (g *Game) describe(name string) PassInfo {
	info := PassInfo{Name: name, Depth: g.Net.Depth()}
	for i, live := range g.live() {
		if k := len(g.Net.Operands(int32(i))); live && k > 0 {
			info.Nodes++
			info.Operands += k
		}
	}
	info.Gates = info.Operands - info.Nodes
	return info
}

func removeDead(ctx context.Context, g *Game) *Game {
	return g.rebuild(ctx, func(h *Game, _ int32, operands []Lit) Lit { return h.Net.And(operands...) })
}
