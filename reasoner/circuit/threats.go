package circuit

import (
	"context"
	"slices"
	"strconv"

	"stackmate/reasoner/machine"
)

// Threats, as gates: for a role and a fluent that is not true, "if it were, the game would
// be over with the best goal of the role". That is the cofactor of a win, terminal and best
// goal, with respect to the fluent, asked only where the position is not terminal. As in
// regression nearly all of it folds away: of all lines of a board only those through one
// cell are left, less that cell.
//
// Cost: fluents that wins depend on × the nodes that wins need.

// maxThreatCost is how many times as many gates the threats may take as the game.
const maxThreatCost = 4

// Threats are the threats of a game, as a machine whose positions are those of the game
// and, once it has been advanced, the threats in them.
type Threats struct {
	list    []machine.Threat
	machine *Machine
	words   int // of a position of the game
}

var _ machine.Threats = (*Threats)(nil)

// FindThreats compiles the threats of an optimised game. They are nil for a game without
// any, for one where finding them costs too much or takes recursion, and when ctx is done.
func FindThreats(ctx context.Context, g *Game, o Options) *Threats {
	h := removeDead(ctx, g.plain)
	list, signals := h.threats(ctx)
	if len(list) == 0 {
		return nil
	}
	sensor := removeDead(ctx, h.sensor(signals))
	for _, p := range passes {
		if p.shares && ctx.Err() == nil {
			sensor = p.run(ctx, sensor)
		}
	}
	if ctx.Err() != nil || sensor.Net.Gates() > maxThreatCost*g.Net.Gates() {
		return nil
	}
	m, err := Compile(ctx, sensor, o)
	if err != nil {
		return nil
	}
	return &Threats{list, m, len(g.Initial)}
}

// threats adds to the network where each fluent is a threat, but for those that are
// threats in all positions or in none.
func (g *Game) threats(ctx context.Context) (list []machine.Threat, signals []Lit) {
	_, best := g.bestGoals()
	r := g.newRegression(append(slices.Clone(best), g.Terminal), false)
	if r == nil {
		return nil, nil
	}
	limit := regressionGrowth * len(r.net.fan)
	for f, fluent := range g.Fluents {
		if ctx.Err() != nil || len(r.net.fan) > limit {
			return nil, nil
		}
		if _, needed := slices.BinarySearch(r.ends, fluent.Node()); !needed {
			continue
		}
		assumed := r.assume(g.Terminal.Not(), fluent.Not())
		r.suppose(fluent.Node())
		for role := range best {
			won := r.conjunction([]Lit{r.later(g.Terminal), r.later(best[role])})
			if won = g.Net.And(won, fluent.Not()); won != False && won != fluent.Not() {
				list = append(list, machine.Threat{Role: machine.Role(role), Fluent: f})
				signals = append(signals, won)
			}
		}
		for _, i := range assumed {
			r.value[i] = unknown
		}
	}
	return list, signals
}

// suppose computes the roots with an input that is true.
func (r *regression) suppose(input int32) {
	for _, i := range r.ends {
		switch {
		case i == input:
			r.then[i] = True
		case r.net.op[i] == OpAnd:
			r.then[i] = r.and(i, r.later)
			r.leaveOutWide(i)
		default:
			r.then[i] = r.fold(Lit(i) << 1)
		}
	}
}

// sensor is a game of one role and one move, in which signals over the fluents of g are
// the fluents after it.
func (g *Game) sensor(signals []Lit) *Game {
	names := &machine.Names{Roles: []string{"sensor"}, Moves: [][]string{{"sense"}}, Fluents: slices.Clone(g.Names.Fluents)}
	for i := range signals {
		names.Fluents = append(names.Fluents, "threat "+strconv.Itoa(i))
	}
	h := NewGame(names, make(machine.State, (len(names.Fluents)+63)/64))
	image := make([]Lit, g.Net.Len())
	for f, l := range g.Fluents {
		image[l.Node()] = h.Fluents[f]
	}
	at := func(l Lit) Lit { return image[l.Node()] ^ l&1 }
	var operands []Lit
	for i, live := range g.Net.cone(signals) {
		if !live || g.Net.op[i] != OpAnd {
			continue
		}
		operands = operands[:0]
		for _, l := range g.Net.Operands(int32(i)) {
			operands = append(operands, at(l))
		}
		image[i] = h.Net.And(operands...)
	}
	h.Next = make([]Lit, len(names.Fluents))
	for i, l := range signals {
		h.Next[len(g.Fluents)+i] = at(l)
	}
	h.Legal = [][]Lit{{True}}
	return h
}

// List implements machine.Threats.
func (t *Threats) List() []machine.Threat { return t.list }

// NewFinder implements machine.Threats.
func (t *Threats) NewFinder() machine.ThreatFinder {
	b := t.machine.newBatch(t.machine.narrow())
	return &finder{t, b, make([]uint64, b.Lanes()*t.machine.Words())}
}

// finder finds threats in the lanes of a batch.
type finder struct {
	*Threats
	batch  *Batch
	states []uint64
}

// Find implements machine.ThreatFinder.
func (f *finder) Find(dst, states []uint64) {
	b, wide := f.batch, f.machine.Words()
	first, found := len(f.machine.names.Fluents)-len(f.list), (len(f.list)+63)/64
	for len(states) > 0 {
		n := min(b.Lanes(), len(states)/f.words)
		for i := range n {
			copy(f.states[i*wide:(i+1)*wide], states[i*f.words:(i+1)*f.words])
		}
		b.Load(f.states, n)
		b.Evaluate(n)
		b.Advance(n)
		b.Store(f.states, n)
		for i := range n {
			s := f.states[i*wide : (i+1)*wide]
			for k := range found {
				at, shift := first>>6+k, uint(first&63)
				word := s[at] >> shift
				if shift > 0 && at+1 < wide {
					word |= s[at+1] << (64 - shift)
				}
				dst[k] = word
			}
			dst = dst[found:]
		}
		states = states[n*f.words:]
	}
}
