package circuit

import (
	"context"
	"math"
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// mergeFluents finds fluents that equal each other (or a complement, or a
// constant) in every reachable position.
//
// before: next and legal over f and g, where g = not f always
// after:  the same over f alone
//
// Random playouts suggest classes of equal fluents; induction proves them (van
// Eijk 2000): the initial position agrees, and if all classes hold in a position
// then, after replacing every fluent by the representative of its class, the next
// signals of a class are the same literal. A class that fails is split by those
// literals, and all is tried again. The states keep all their fluents; only the
// logic is shared.
//
// The network is built once. In each round after the first, only the gates are built anew
// whose operands have changed: most rounds set one fluent free that seemed constant, as the
// next number of a counter. What was there before stays behind as dead gates.
func mergeFluents(ctx context.Context, g *Game) *Game {
	c, err := g.suggestClasses(ctx)
	if err != nil {
		return g // ctx is done, or Compile will say the same of the game
	}
	budget, rounds := splitWork-g.Net.Operations(), math.MaxInt
	if budget < 0 {
		rounds = lastRounds
		c.dropConstants()
	}
	suggested := slices.Clone(c.class)
	h := newGame(g.Names, g.Initial, g.Parts)
	work := 0
	s := g.substitution(ctx, h, func(h *Game, _ int32, operands []logic.Lit) logic.Lit {
		work += len(operands)
		return h.Net.And(operands...)
	})
	s.SetAll(g.Fluents, c.representatives(g))
	for ok := s.Sweep(logic.Marked(g.live())); ok && rounds > 0; rounds-- {
		if !c.split(g.Next, s.At) {
			return g.copyOutputs(h, s)
		}
		if budget < 0 && rounds > lastRounds {
			c.class, rounds = suggested, lastRounds+1
			c.dropConstants()
		}
		work = 0
		ok = s.Change(g.Fluents, c.representatives(g))
		s.Commit()
		budget -= work + g.Net.Operations()/visitsPerOperand
	}
	return g
}

const (
	// splitWork bounds the operands of the gates that rounds of induction build, in all, some
	// two seconds of work; looking whether a gate changes is a part of building it. Games that
	// need more have many fluents that a playout hardly ever reaches, and that seem constant:
	// then all that do keep what they are, and what is left is tried for lastSplits rounds. So
	// whose turn it is, of two, becomes one fluent anyway.
	splitWork        = 5_000_000
	visitsPerOperand = 30
	lastRounds       = 4
	// sampleSteps is the length of the playouts, in 64 lanes, that suggest equal
	// fluents, and leastSteps that in networks so large that more would take more than
	// sampleWork operands, some tenth of a second. More steps mean fewer rounds of
	// splitting. Loops are swept so often.
	sampleSteps, leastSteps = 200, 40
	sampleWork              = 50_000_000
	usualSweeps             = 10
)

// classes is a partition of the fluents. A fluent is looked at complemented if it
// is true initially, so that all of a class are false initially; class 0 is that
// of the constant.
type classes struct {
	class   []int
	initial machine.State
}

// suggestClasses puts fluents together that agree all along some playouts. It reads
// whole rows of the batch, and lanes that have ended begin again at once: neither is
// what machine.Playouts and machine.Lockstep are for.
func (g *Game) suggestClasses(ctx context.Context) (*classes, error) {
	c := &classes{class: make([]int, len(g.Fluents)), initial: g.Initial}
	m, err := Compile(ctx, g, Options{Kernel: kernel.Narrow})
	if err != nil {
		return nil, err
	}
	b := m.NewBatch().(*Batch)
	signature := make([]uint64, len(g.Fluents))
	rng := machine.NewRand(0)
	work := 1 + g.Net.Operations()
	if len(g.Net.Definitions()) > 0 {
		work *= usualSweeps
	}
	for range min(sampleSteps, max(leastSteps, sampleWork/work)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.Evaluate(64)
		done := []uint64{b.terminal[0] | b.stuck[0]}
		for f, row := range b.fluents() {
			if g.Initial.Has(f) {
				row = ^row
			}
			signature[f] = (signature[f]<<7|signature[f]>>57)*0x9e3779b97f4a7c15 ^ row
		}
		b.ChooseRandom(rng, 64)
		b.Advance(64)
		b.Fill(g.Initial, done)
	}
	number := map[uint64]int{0: 0}
	for f, s := range signature {
		if _, ok := number[s]; !ok {
			number[s] = len(number)
		}
		c.class[f] = number[s]
	}
	return c, nil
}

// dropConstants takes the fluents that seem constant out of their class.
func (c *classes) dropConstants() {
	free := slices.Max(c.class) + 1
	for f, class := range c.class {
		if class == 0 {
			c.class[f] = free + f
		}
	}
}

// representatives maps every fluent to the first of its class.
func (c *classes) representatives(g *Game) []logic.Lit {
	first := map[int]logic.Lit{0: logic.False}
	out := make([]logic.Lit, len(c.class))
	for f, class := range c.class {
		if _, ok := first[class]; !ok {
			first[class] = c.normalize(f, g.Fluents[f])
		}
		out[f] = c.normalize(f, first[class])
	}
	return out
}

// normal complements a literal of fluent f if f is true initially.
func (c *classes) normalize(f int, l logic.Lit) logic.Lit {
	if c.initial.Has(f) {
		return l.Not()
	}
	return l
}

// split parts the classes whose next signals, after the translation at, differ, and tells
// whether there were any.
func (c *classes) split(next []logic.Lit, image func(logic.Lit) logic.Lit) bool {
	type key struct {
		class int
		next  logic.Lit
	}
	number := map[key]int{{0, logic.False}: 0}
	parts := make([]int, len(c.class))
	for f, class := range c.class {
		k := key{class, c.normalize(f, image(next[f]))}
		if _, ok := number[k]; !ok {
			number[k] = len(number)
		}
		parts[f] = number[k]
	}
	seen := make(map[int]int)
	changed := false
	for f, class := range c.class {
		if part, ok := seen[class]; !ok {
			seen[class] = parts[f]
		} else if part != parts[f] {
			changed = true
		}
		changed = changed || class == 0 && parts[f] != 0
	}
	c.class = slices.Clone(parts)
	return changed
}
