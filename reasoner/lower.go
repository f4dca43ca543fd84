package reasoner

import (
	"context"
	"fmt"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/datalog"
)

// lower turns a ground program into signals of a network: an atom is the
// disjunction of the bodies of its rules. Mutually recursive atoms become loops:
// in each strongly connected component of the dependency graph, the targets of
// the depth-first search's back edges are made variables, so that every cycle
// passes through one. Recursion is positive (the program is stratified), so the
// least fixpoint of the variables is the meaning of the rules. The error is that of
// ctx.
func lower(ctx context.Context, p *datalog.Program) (*circuit.Game, error) {
	initial := p.Names.NewState()
	for _, f := range p.Init {
		initial.Set(int(f))
	}
	g := circuit.NewGame(p.Names, initial)
	g.Net.Reserve(int(p.Signals), len(p.Body)) // most rules of large games are those of others, too
	l := newLowering(ctx, p, g)
	for _, next := range p.Next {
		g.Next = append(g.Next, l.signal(next))
	}
	for _, row := range p.Legal {
		legal := make([]logic.Lit, len(row))
		for m, s := range row {
			legal[m] = l.signal(s)
		}
		g.Legal = append(g.Legal, legal)
	}
	g.Terminal = l.signal(p.Ends)
	for _, goal := range p.Goals {
		g.Goals = append(g.Goals, circuit.Goal{Role: goal.Role, Value: goal.Value, When: l.signal(goal.Signal)})
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("making the circuit stopped: %w", err)
	}
	l.define()
	return g, nil
}

// lowering is one run of lower. A signal is white (not seen), grey (being
// built) or black (done); a grey signal met again closes a cycle.
type lowering struct {
	ctx   context.Context
	p     *datalog.Program
	net   *logic.Network
	lit   []logic.Lit // by signal, once black
	state []uint8
	vars  map[datalog.Signal]logic.Lit // the variables of cycles
	first []int32                      // by signal: its first rule, or -1
	open  []openAtom
	lits  []logic.Lit
	steps int
}

const (
	white = iota
	grey
	black
)

func newLowering(ctx context.Context, p *datalog.Program, g *circuit.Game) *lowering {
	l := &lowering{
		ctx:   ctx,
		p:     p,
		net:   g.Net,
		lit:   make([]logic.Lit, p.Signals),
		state: make([]uint8, p.Signals),
		vars:  make(map[datalog.Signal]logic.Lit),
		first: make([]int32, p.Signals),
	}
	s := 0
	for _, fluent := range g.Fluents {
		l.lit[s], l.state[s] = fluent, black
		s++
	}
	for _, row := range g.Does {
		for _, does := range row {
			l.lit[s], l.state[s] = does, black
			s++
		}
	}
	for i := range l.first {
		l.first[i] = -1
	}
	for i, head := range slices.Backward(p.Head) {
		l.first[head] = int32(i)
	}
	return l
}

// openAtom is a grey signal: an atom of which some rules are translated. Chains of
// atoms can be as long as the program, so those that wait for each other are a
// slice, not a recursion.
type openAtom struct {
	signal datalog.Signal
	rule   int32 // the rule being translated, -1 once all are
	next   int32 // the literal of that rule to look at next
	// What is translated is at the end of lowering.lits: the finished bodies, and
	// then the literals of the present one.
	bodies, body int
}

// lowerEvery steps signal looks at its context.
const lowerEvery = 1 << 12

// signal builds an atom and all that it depends on. When the context is done it
// leaves atoms open.
func (l *lowering) signal(root datalog.Signal) logic.Lit {
	if _, ok := l.known(root); !ok {
		l.begin(root)
	}
	for ; len(l.open) > 0; l.steps++ {
		if l.steps%lowerEvery == 0 && l.ctx.Err() != nil {
			return logic.False
		}
		a := &l.open[len(l.open)-1]
		switch {
		case a.rule < 0:
			l.lit[a.signal], l.state[a.signal] = l.net.Or(l.lits[a.bodies:]...), black
			l.lits, l.open = l.lits[:a.bodies], l.open[:len(l.open)-1]
		case a.next == l.p.Start[a.rule+1]:
			l.lits = append(l.lits[:a.body], l.net.And(l.lits[a.body:]...))
			a.body = len(l.lits)
			next := a.rule + 1
			if int(next) == len(l.p.Head) || l.p.Head[next] != a.signal {
				next = -1
			}
			l.enter(a, next)
		default:
			b := l.p.Body[a.next]
			lit, ok := l.known(b.Signal())
			if !ok {
				l.begin(b.Signal()) // and then the same literal again
				continue
			}
			if b.Negated() {
				lit = lit.Not()
			}
			l.lits = append(l.lits, lit)
			a.next++
		}
	}
	lit, _ := l.known(root)
	return lit
}

// known is the literal of a signal that is not white.
func (l *lowering) known(s datalog.Signal) (logic.Lit, bool) {
	switch {
	case s == datalog.NoSignal:
		return logic.False, true
	case s == datalog.True:
		return logic.True, true
	case l.state[s] == black:
		return l.lit[s], true
	case l.state[s] == white:
		return 0, false
	}
	v, ok := l.vars[s]
	if !ok {
		v = l.net.LoopVar()
		l.vars[s] = v
	}
	return v, true
}

// begin opens an atom.
func (l *lowering) begin(s datalog.Signal) {
	l.state[s] = grey
	l.open = append(l.open, openAtom{signal: s, bodies: len(l.lits), body: len(l.lits)})
	l.enter(&l.open[len(l.open)-1], l.first[s])
}

// enter turns to a rule of an atom, or to none.
func (l *lowering) enter(a *openAtom, rule int32) {
	if a.rule = rule; rule >= 0 {
		a.next = l.p.Start[rule]
	}
}

// define closes the cycles. An atom that was built while one of its operands
// was grey refers to that operand's variable, whose definition is the operand's
// own literal.
func (l *lowering) define() {
	for s, v := range l.vars {
		l.net.Define(v, l.lit[s])
	}
}
