package circuit

import (
	"context"
	"math"
	"slices"

	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// mergeFluents replaces fluents that equal another fluent, its complement, or a constant in all reachable positions.
//
// before: next and legal over f and g, where always g = not f
// after:  next and legal over f
//
// Random playouts suggest classes of equal fluents; induction proves them (van Eijk 2000). Base: the initial position
// agrees. Step: assume that all classes hold in a position, and replace every fluent by the representative of its
// class. Then the next signals of a class are the same literal. A class that fails is split by these literals, and the
// step is repeated. States keep all fluents; only the logic is shared.
//
// The network is built once. Later rounds rebuild only the gates with changed operands. Most rounds free one fluent
// that seemed constant, such as the next value of a counter. Replaced gates stay in the network, dead.
func mergeFluents(ctx context.Context, g *Game) *Game {
	c, err := g.suggestClasses(ctx)
	if err != nil {
		return g // ctx is done, or the game does not compile at all
	}
	budget, rounds := splitWork-g.Net.OperandCount(), math.MaxInt
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
		if !c.split(g.Next, s.Lookup) {
			return g.copyOutputs(h, s)
		}
		if budget < 0 && rounds > lastRounds {
			c.class, rounds = suggested, lastRounds+1
			c.dropConstants()
		}
		work = 0
		ok = s.Change(g.Fluents, c.representatives(g))
		s.Commit()
		budget -= work + g.Net.OperandCount()/visitsPerOperand
	}
	return g
}

const (
	// splitWork limits the work of all rounds of induction, in operands of rebuilt gates: about two seconds. To check
	// visitsPerOperand operands for changes costs as much as to rebuild one. Games above the limit have many fluents
	// that look constant because playouts hardly ever reach them. Then all fluents of the constant class are kept, and
	// the other classes get lastRounds rounds. This still merges the two fluents that mark the turn.
	splitWork        = 5_000_000
	visitsPerOperand = 30
	lastRounds       = 4
	// sampleSteps is the length of the playouts that suggest classes, in 64 lanes. More steps mean fewer rounds.
	// Large networks get fewer steps, so that the playouts visit at most sampleWork operands (some tenth of a
	// second), but at least leastSteps. usualSweeps is the assumed number of sweeps of a loop.
	sampleSteps, leastSteps = 200, 40
	sampleWork              = 50_000_000
	usualSweeps             = 10
)

// classes is a partition of the fluents. Initially true fluents are complemented, so all members of a class are
// initially false. Class 0 contains the constant.
type classes struct {
	class   []int
	initial machine.State
}

// suggestClasses groups the fluents that agree in all positions of some random games. It reads whole rows of the batch.
func (g *Game) suggestClasses(ctx context.Context) (*classes, error) {
	c := &classes{class: make([]int, len(g.Fluents)), initial: g.Initial}
	m, err := g.Compile(ctx, Options{Kernel: kernel.Brief})
	if err != nil {
		return nil, err
	}
	b := m.NewBatch().(*batch)
	walk := play.Walk{Batch: b}
	signature := make([]uint64, len(g.Fluents))
	rng := machine.NewRand(0)
	work := 1 + g.Net.OperandCount()
	if len(g.Net.Definitions()) > 0 {
		work *= usualSweeps
	}
	for range min(sampleSteps, max(leastSteps, sampleWork/work)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		walk.Evaluate()
		for f, row := range b.fluents() {
			if g.Initial.Has(f) {
				row = ^row
			}
			signature[f] = (signature[f]<<7|signature[f]>>57)*0x9e3779b97f4a7c15 ^ row
		}
		walk.ChooseRandom(rng)
		walk.Advance(g.Initial)
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

// dropConstants moves each fluent of class 0 to a class of its own.
func (c *classes) dropConstants() {
	free := slices.Max(c.class) + 1
	for f, class := range c.class {
		if class == 0 {
			c.class[f] = free + f
		}
	}
}

// representatives returns, by fluent, the first fluent of its class, complemented if they are complementary.
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

// normalize complements a literal of fluent f if f is initially true.
func (c *classes) normalize(f int, l logic.Lit) logic.Lit {
	if c.initial.Has(f) {
		return l.Not()
	}
	return l
}

// split divides classes by the images of their next signals, and reports whether a class was divided.
func (c *classes) split(next []logic.Lit, image func(logic.Lit) logic.Lit) bool {
	type key struct {
		class int
		next  logic.Lit
	}
	number := make(map[key]int, 1+len(c.class))
	number[key{0, logic.False}] = 0
	parts := make([]int, len(c.class))
	seen := make([]int, 2*len(c.class)+2) // by class: its first part + 1; dropConstants doubles the numbers at most
	changed := false
	for f, class := range c.class {
		k := key{class, c.normalize(f, image(next[f]))}
		part, ok := number[k]
		if !ok {
			part = len(number)
			number[k] = part
		}
		if seen[class] == 0 {
			seen[class] = part + 1
		}
		parts[f] = part
		changed = changed || seen[class] != part+1 || class == 0 && part != 0
	}
	c.class = parts
	return changed
}
