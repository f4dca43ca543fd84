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
	// run makes the new game. When its context is done it may return any game.
	run func(context.Context, *Game) *Game
	// shares says that the pass shares logic as it finds it, so that symmetric
	// parts of a game may look different after it.
	shares bool
}

// passes is the table of contents of the optimiser, in order; constraints says why
// in this one. What depends on the kernel comes last and is no pass: Compile splits
// wide gates (splitAnd) and adds what chooses among moves with parts (withChoice), and
// the kernel covers all that by gates of three inputs (kernel/cover.go).
var passes = []pass{
	{
		name: "fluents",
		doc:  "a fluent that always equals another, its complement or a constant → that",
		run:  mergeFluents,
	},
	{
		name: "one-move",
		doc:  "or of does(r, m) over most moves m of r → not the or over the others; assumes that every role makes exactly one move",
		run:  complementMoves,
	},
	{
		name: "flatten",
		doc:  "and(and(a, b), c) → and(a, b, c) where nothing else uses and(a, b)",
		run:  flattenGates,
	},
	{
		name: "parts",
		doc:  "does(r, m) of a large table of moves → first(r, p) and second(r, q), the parts of m; assumes that every role makes exactly one move",
		run:  splitMoves, shares: true,
	},
	{
		name: "factor",
		doc:  "or(and(a, x), and(a, y)) → and(a, or(x, y))",
		run:  factorTerms, shares: true,
	},
	{
		name: "pairs",
		doc:  "a pair of operands that four or more gates share → a gate of its own",
		run:  sharePairs, shares: true,
	},
}

// constraint says that one pass stands before another, and why.
type constraint struct{ before, after, reason string }

// constraints are what the order of the passes must obey. Passes that share logic
// come after all others besides (see Optimise).
var constraints = []constraint{
	{"fluents", "one-move", "logic that turns out to be equal, constant or dead is not rewritten for nothing"},
	{"one-move", "factor", "factoring hides moves inside common parts"},
	{"one-move", "pairs", "shared pairs hide moves inside common parts"},
	{"one-move", "parts", "it looks for rows of moves"},
	{"flatten", "parts", "what the conditions of moves have in common shows in whole conjunctions"},
	{"parts", "factor", "factoring hides moves inside common parts"},
	{"parts", "pairs", "shared pairs hide moves inside common parts"},
	{"flatten", "factor", "factoring sees whole terms only"},
	{"factor", "pairs", "factoring removes operands, sharing only moves them"},
	{"flatten", "pairs", "a gate that is shared cannot be flattened"},
}

func init() {
	if err := checkOrder(passes, constraints); err != nil {
		panic(err) // a mistake in the tables above, whatever the program does
	}
}

// checkOrder tells which constraint a table of passes violates, if any.
func checkOrder(passes []pass, constraints []constraint) error {
	at := make(map[string]int)
	for i, p := range passes {
		if _, ok := at[p.name]; ok {
			return fmt.Errorf("there are two passes %q", p.name)
		}
		at[p.name] = i
		if i > 0 && passes[i-1].shares && !p.shares {
			return fmt.Errorf("pass %q stands after %q: symmetries are found on the last game before passes that share", p.name, passes[i-1].name)
		}
	}
	for _, c := range constraints {
		before, ok := at[c.before]
		after, found := at[c.after]
		switch {
		case !ok || !found:
			return fmt.Errorf("a constraint speaks of the passes %q and %q, and one of them does not exist", c.before, c.after)
		case before > after:
			return fmt.Errorf("pass %q must stand before %q: %s", c.before, c.after, c.reason)
		}
	}
	return nil
}

// PassInfo describes the network after a pass.
type PassInfo struct {
	Name     string
	Gates    int // two-input gates
	Nodes    int // gates of any width
	Operands int
	Depth    int
}

// loweredName is the name under which the network before the first pass is described.
const loweredName = "lowered"

// PassOptions steer Optimise.
type PassOptions struct {
	Without []string          // names of passes to leave out
	Trace   func(PassInfo)    // called with the input ("lowered") and after each pass
	Done    func(pass string) // called after each pass
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
	trace := func(name string, g *Game) {
		if o.Trace != nil {
			o.Trace(g.describe(name))
		}
	}
	trace(loweredName, g)
	plain := g // after the last pass that does not share: symmetries are found on it
	g, err := g.run(ctx, func(p *pass) bool { return !slices.Contains(o.Without, p.name) }, func(p *pass, after *Game) {
		if !p.shares {
			plain = after
		}
		if o.Done != nil {
			o.Done(p.name)
		}
		trace(p.name, after)
	})
	if err != nil {
		return nil, err
	}
	g.unshared = plain
	return g, nil
}

// run runs those of the passes that are wanted, and calls done after each.
func (g *Game) run(ctx context.Context, wanted func(*pass) bool, done func(*pass, *Game)) (*Game, error) {
	for i := range passes {
		p := &passes[i]
		if !wanted(p) {
			continue
		}
		g = p.run(ctx, g)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("optimising the circuit stopped at pass %q: %w", p.name, err)
		}
		done(p, g)
	}
	return g, nil
}

// share runs the passes that share logic, for a game that was made of an optimised one; nil
// if ctx is done.
func (g *Game) shareLogic(ctx context.Context) *Game {
	h, err := g.run(ctx, func(p *pass) bool { return p.shares }, func(*pass, *Game) {})
	if err != nil {
		return nil
	}
	return h
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

// removeDead leaves out gates that no output needs.
func removeDead(ctx context.Context, g *Game) *Game { return g.rebuild(ctx, copyGate) }
