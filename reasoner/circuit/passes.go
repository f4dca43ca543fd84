package circuit

import (
	"context"
	"fmt"
	"slices"

	"stackmate/internal/passorder"
)

// pass is a rewriting of a game into an equivalent game with a smaller or faster network. Constant folding and
// structural hashing happen in every construction of a network, so they are no passes.
type pass struct {
	name string
	// doc is the rewriting, before → after, and its assumptions.
	doc string
	// run returns the rewritten game. When its context is done, it may return any game.
	run func(context.Context, *Game) *Game
	// shares marks passes that share logic as they find it, so that symmetric parts of a game may get different gates.
	shares bool
}

// passes is the optimiser's table of passes, in order; constraints gives the reasons for the order. Rewritings that
// depend on the kernel come later, in Compile: it splits wide gates (splitGate) and adds the choice of random moves
// with parts (withChoice). The kernel covers the result by gates of three inputs (kernel/cover.go).
var passes = []pass{
	{
		name: "fluents",
		doc:  "a fluent that always equals another fluent, its complement or a constant → that signal",
		run:  mergeFluents,
	},
	{
		name: "one-move",
		doc:  "or of does(r, m) over most moves m of r → complement of the or over the remaining moves; assumes that every role makes exactly one move",
		run:  complementMoves,
	},
	{
		name: "flatten",
		doc:  "and(and(a, b), c) → and(a, b, c) if and(a, b) has no other user",
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
}

// constraints are the required orders of passes. Besides, passes that share logic come last (see Optimise).
var constraints = []passorder.Constraint{
	{"fluents", "one-move", "rewriting equal, constant or dead logic would be wasted"},
	{"one-move", "factor", "factoring hides moves inside common parts"},
	{"one-move", "parts", "one-move needs rows of moves"},
	{"flatten", "parts", "common conditions of moves appear as operands of flat conjunctions only"},
	{"parts", "factor", "factoring hides moves inside common parts"},
	{"flatten", "factor", "factoring compares flat terms only"},
}

func init() {
	if err := checkOrder(passes); err != nil {
		panic(err) // the tables above contradict each other
	}
}

// checkOrder returns an error if a pass that shares logic does not come last, or for the first violated constraint.
func checkOrder(passes []pass) error {
	for i, p := range passes[1:] {
		if passes[i].shares && !p.shares {
			return fmt.Errorf("pass %q follows %q, which shares logic; passes that share logic must come last, since symmetries are searched before them", p.name, passes[i].name)
		}
	}
	return passorder.Check(names(passes), constraints)
}

func names(passes []pass) (names []string) {
	for _, p := range passes {
		names = append(names, p.name)
	}
	return names
}

// PassInfo is the size of the network after a pass.
type PassInfo struct {
	Name  string
	Gates int // two-input gates
	Nodes int // gates, each counted once
	Depth int
}

// loweredName is the name of the network before the first pass.
const loweredName = "lowered"

// PassOptions are the options of Optimise.
type PassOptions struct {
	Without []string          // names of skipped passes
	Trace   func(PassInfo)    // called for the input ("lowered") and after each pass; may be nil
	Done    func(pass string) // called after each pass; may be nil
}

// PassNames returns the names of the passes in order.
func PassNames() []string { return names(passes) }

// Optimise runs the passes on a game, and returns it after all passes and before the passes that share logic.
func Optimise(ctx context.Context, g *Game, o PassOptions) (*Optimised, error) {
	for _, name := range o.Without {
		if !slices.Contains(PassNames(), name) {
			return nil, fmt.Errorf("unknown circuit pass %q; the passes are %q", name, PassNames())
		}
	}
	trace := func(name string, g *Game) {
		if o.Trace != nil {
			o.Trace(g.describe(name))
		}
	}
	trace(loweredName, g)
	unshared := g // the result of the last pass that does not share: symmetries are searched on it
	g, err := g.run(ctx, func(p *pass) bool { return !slices.Contains(o.Without, p.name) }, func(p *pass, after *Game) {
		if !p.shares {
			unshared = after
		}
		if o.Done != nil {
			o.Done(p.name)
		}
		trace(p.name, after)
	})
	if err != nil {
		return nil, err
	}
	return &Optimised{g, unshared}, nil
}

// run applies the wanted passes, and calls done after each. It returns an error if ctx ends.
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

// shareLogic runs the passes that share logic, after a change of an optimised game. It returns nil if ctx is done.
func (g *Game) shareLogic(ctx context.Context) *Game {
	h, err := g.run(ctx, func(p *pass) bool { return p.shares }, func(*pass, *Game) {})
	if err != nil {
		return nil
	}
	return h
}

// describe returns the size of the live part of the network.
func (g *Game) describe(name string) PassInfo {
	info := PassInfo{Name: name, Depth: g.Net.Depth()}
	for i, live := range g.live() {
		if k := len(g.Net.Operands(int32(i))); live && k > 0 {
			info.Nodes++
			info.Gates += k - 1
		}
	}
	return info
}

// removeDead returns the game without dead gates.
func removeDead(ctx context.Context, g *Game) *Game { return g.rebuild(ctx, copyGate) }
