package reasoner

import (
	"context"
	"fmt"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/datalog/ground"
)

// lower translates a ground program into a network: an atom is the disjunction of the bodies of
// its rules. Mutually recursive atoms become loops: in each strongly connected component of the dependency
// graph, the targets of the depth-first search's back edges become variables, so that every cycle passes
// through a variable. Recursion is positive (the program is stratified), so the least fixpoint of the
// variables is the meaning of the rules. lower returns the error of ctx.
func lower(ctx context.Context, p *ground.Program) (*circuit.Game, error) {
	initial := p.Names.NewState()
	for _, f := range p.Init {
		initial.Set(int(f))
	}
	g := circuit.NewGame(p.Names, initial)
	g.Net.Reserve(int(p.Atoms), len(p.Body)) // in large games most rules have the body of another rule
	l := newLowering(ctx, p, g)
	for _, next := range p.Next {
		g.Next = append(g.Next, l.build(next))
	}
	for _, row := range p.Legal {
		legal := make([]logic.Lit, len(row))
		for m, s := range row {
			legal[m] = l.build(s)
		}
		g.Legal = append(g.Legal, legal)
	}
	g.Terminal = l.build(p.Terminal)
	for _, goal := range p.Goals {
		g.Goals = append(g.Goals, circuit.Goal{Role: goal.Role, Value: goal.Value, When: l.build(goal.Atom)})
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("translation into a circuit stopped: %w", err)
	}
	l.define()
	return g, nil
}

// lowering is the state of one run of lower. An atom is white (not seen), grey (in progress) or black (done). A
// reference to a grey atom closes a cycle.
type lowering struct {
	ctx   context.Context
	p     *ground.Program
	net   *logic.Network
	lit   []logic.Lit // by atom, valid for black atoms
	state []uint8
	vars  map[ground.Atom]logic.Lit // the variables of cycles
	first []int32                   // by atom: its first rule, or -1
	stack []openAtom
	lits  []logic.Lit
	steps int
}

const (
	white = iota
	grey
	black
)

func newLowering(ctx context.Context, p *ground.Program, g *circuit.Game) *lowering {
	l := &lowering{
		ctx:   ctx,
		p:     p,
		net:   g.Net,
		lit:   make([]logic.Lit, p.Atoms),
		state: make([]uint8, p.Atoms),
		vars:  make(map[ground.Atom]logic.Lit),
		first: make([]int32, p.Atoms),
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

// openAtom is a grey atom: it has untranslated rules. Chains of atoms can be as long as the program, so the waiting
// atoms are a stack, not a recursion.
type openAtom struct {
	atom ground.Atom
	rule int32 // the rule being translated, -1 after the last rule
	next int32 // the next literal of that rule
	// lowering.lits[bodies:body] holds a literal for each finished body of the atom. From body on it holds the
	// literals of the unfinished body, up to the literals of the next open atom.
	bodies, body int
}

// checkEvery is the number of steps between two checks of the context.
const checkEvery = 1 << 12

// build translates an atom and its dependencies. If the context ends first, it leaves atoms open.
func (l *lowering) build(root ground.Atom) logic.Lit {
	if _, ok := l.literal(root); !ok {
		l.push(root)
	}
	for ; len(l.stack) > 0; l.steps++ {
		if l.steps%checkEvery == 0 && l.ctx.Err() != nil {
			return logic.False
		}
		a := &l.stack[len(l.stack)-1]
		switch {
		case a.rule < 0:
			l.lit[a.atom], l.state[a.atom] = l.net.Or(l.lits[a.bodies:]...), black
			l.lits, l.stack = l.lits[:a.bodies], l.stack[:len(l.stack)-1]
		case a.next == l.p.Start[a.rule+1]:
			l.lits = append(l.lits[:a.body], l.net.And(l.lits[a.body:]...))
			a.body = len(l.lits)
			next := a.rule + 1
			if int(next) == len(l.p.Head) || l.p.Head[next] != a.atom {
				next = -1
			}
			l.startRule(a, next)
		default:
			b := l.p.Body[a.next]
			lit, ok := l.literal(b.Atom())
			if !ok {
				l.push(b.Atom()) // this literal follows once its atom is built
				continue
			}
			if b.Negated() {
				lit = lit.Not()
			}
			l.lits = append(l.lits, lit)
			a.next++
		}
	}
	lit, _ := l.literal(root)
	return lit
}

// literal returns the literal of an atom that is not white. For a grey atom it is the variable of a cycle.
func (l *lowering) literal(a ground.Atom) (logic.Lit, bool) {
	switch {
	case a == ground.False:
		return logic.False, true
	case a == ground.True:
		return logic.True, true
	case l.state[a] == black:
		return l.lit[a], true
	case l.state[a] == white:
		return 0, false
	}
	v, ok := l.vars[a]
	if !ok {
		v = l.net.LoopVar()
		l.vars[a] = v
	}
	return v, true
}

// push pushes a white atom.
func (l *lowering) push(a ground.Atom) {
	l.state[a] = grey
	l.stack = append(l.stack, openAtom{atom: a, bodies: len(l.lits), body: len(l.lits)})
	l.startRule(&l.stack[len(l.stack)-1], l.first[a])
}

// startRule starts the translation of a rule of an atom; -1 ends the atom.
func (l *lowering) startRule(a *openAtom, rule int32) {
	if a.rule = rule; rule >= 0 {
		a.next = l.p.Start[rule]
	}
}

// define closes the cycles. An atom built from a grey operand refers to the operand's variable, whose
// definition is the operand's own literal.
func (l *lowering) define() {
	for a, v := range l.vars {
		l.net.Define(v, l.lit[a])
	}
}
