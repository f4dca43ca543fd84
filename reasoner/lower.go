package reasoner

import (
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/machine"
)

// lower turns a ground program into signals of a network: an atom is the
// disjunction of the bodies of its rules. Mutually recursive atoms become loops:
// in each strongly connected component of the dependency graph, the targets of
// the depth-first search's back edges are made variables, so that every cycle
// passes through one. Recursion is positive (the program is stratified), so the
// least fixpoint of the variables is the meaning of the rules.
func lower(p *datalog.Program) *circuit.Game {
	initial := make(machine.State, max(1, (len(p.Names.Fluents)+63)/64))
	for _, f := range p.Init {
		initial.Set(int(f))
	}
	g := circuit.NewGame(p.Names, initial)
	l := newLowering(p, g)
	for _, next := range p.Next {
		g.Next = append(g.Next, l.signal(next))
	}
	for _, row := range p.Legal {
		legal := make([]circuit.Lit, len(row))
		for m, s := range row {
			legal[m] = l.signal(s)
		}
		g.Legal = append(g.Legal, legal)
	}
	g.Terminal = l.signal(p.Ends)
	for _, goal := range p.Goals {
		g.Goals = append(g.Goals, circuit.Goal{Role: goal.Role, Value: goal.Value, When: l.signal(goal.Signal)})
	}
	l.define()
	return g
}

// lowering is one run of lower. A signal is white (not seen), grey (being
// built) or black (done); a grey signal met again closes a cycle.
type lowering struct {
	p     *datalog.Program
	net   *circuit.Network
	lit   []circuit.Lit // by signal, once black
	state []uint8
	vars  map[datalog.Signal]circuit.Lit // the variables of cycles
	first []int32                        // by signal: its first rule, or -1
	chain []int32                        // by rule: the next rule with the same head, or -1
}

const (
	white = iota
	grey
	black
)

func newLowering(p *datalog.Program, g *circuit.Game) *lowering {
	l := &lowering{
		p:     p,
		net:   g.Net,
		lit:   make([]circuit.Lit, p.Signals),
		state: make([]uint8, p.Signals),
		vars:  make(map[datalog.Signal]circuit.Lit),
		first: make([]int32, p.Signals),
		chain: make([]int32, len(p.Head)),
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
	for i := len(p.Head) - 1; i >= 0; i-- {
		l.chain[i] = l.first[p.Head[i]]
		l.first[p.Head[i]] = int32(i)
	}
	return l
}

func (l *lowering) signal(s datalog.Signal) circuit.Lit {
	switch {
	case s == datalog.NoSignal:
		return circuit.False
	case s == datalog.True:
		return circuit.True
	case l.state[s] == black:
		return l.lit[s]
	case l.state[s] == grey:
		v, ok := l.vars[s]
		if !ok {
			v = l.net.LoopVar()
			l.vars[s] = v
		}
		return v
	}
	l.state[s] = grey
	var bodies, body []circuit.Lit
	for i := l.first[s]; i >= 0; i = l.chain[i] {
		body = body[:0]
		for _, b := range l.p.Body[l.p.Start[i]:l.p.Start[i+1]] {
			lit := l.signal(b.Signal())
			if b.Negated() {
				lit = lit.Not()
			}
			body = append(body, lit)
		}
		bodies = append(bodies, l.net.And(body...))
	}
	l.lit[s], l.state[s] = l.net.Or(bodies...), black
	return l.lit[s]
}

// define closes the cycles. An atom that was built while one of its operands
// was grey refers to that operand's variable, whose definition is the operand's
// own literal.
func (l *lowering) define() {
	for s, v := range l.vars {
		l.net.Define(v, l.lit[s])
	}
}
