package ground

import (
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// groundEvaluator evaluates a ground program position by position in the simplest
// way: component by component of the dependency graph, dependencies first, each
// to its fixpoint.
type groundEvaluator struct {
	p      *Program
	rules  [][]int32 // by component: its rules
	truth  []bool    // by atom
	inputs int
}

func newGroundEvaluator(p *Program) *groundEvaluator {
	e := &groundEvaluator{p: p, truth: make([]bool, p.Atoms), inputs: len(p.Names.Fluents)}
	for _, table := range p.Names.Moves {
		e.inputs += len(table)
	}
	byHead := make([][]int32, p.Atoms)
	for i, h := range p.Head {
		byHead[h] = append(byHead[h], int32(i))
	}
	// Tarjan's algorithm over atoms.
	index, low := make([]int, p.Atoms), make([]int, p.Atoms)
	onStack := make([]bool, p.Atoms)
	var stack []Atom
	counter := 0
	var visit func(s Atom)
	visit = func(s Atom) {
		counter++
		index[s], low[s] = counter, counter
		stack = append(stack, s)
		onStack[s] = true
		for _, i := range byHead[s] {
			for _, l := range p.Body[p.Start[i]:p.Start[i+1]] {
				d := l.Atom()
				if index[d] == 0 {
					visit(d)
					low[s] = min(low[s], low[d])
				} else if onStack[d] {
					low[s] = min(low[s], index[d])
				}
			}
		}
		if low[s] != index[s] {
			return
		}
		var rules []int32
		for {
			d := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			onStack[d] = false
			rules = append(rules, byHead[d]...)
			if d == s {
				break
			}
		}
		if len(rules) > 0 {
			e.rules = append(e.rules, rules)
		}
	}
	for s := range Atom(p.Atoms) {
		if index[s] == 0 {
			visit(s)
		}
	}
	return e
}

// set evaluates all atoms for a position and a joint move. Without a joint
// move only atoms that do not depend on moves are meaningful.
func (e *groundEvaluator) set(state machine.State, joint []machine.Move) {
	clear(e.truth)
	for f := range e.p.Names.Fluents {
		e.truth[f] = state.Has(f)
	}
	for r, m := range joint {
		e.truth[e.p.does(machine.Role(r), m)] = true
	}
	for _, rules := range e.rules {
		for changed := true; changed; {
			changed = false
			for _, i := range rules {
				if !e.truth[e.p.Head[i]] && e.holds(i) {
					e.truth[e.p.Head[i]] = true
					changed = true
				}
			}
		}
	}
}

func (e *groundEvaluator) holds(i int32) bool {
	for _, l := range e.p.Body[e.p.Start[i]:e.p.Start[i+1]] {
		if e.truth[l.Atom()] == l.Negated() {
			return false
		}
	}
	return true
}

func (e *groundEvaluator) is(s Atom) bool { return s == True || s >= 0 && e.truth[s] }

// The evaluator is a scalar.Stepper.
type evaluatorStepper struct {
	*groundEvaluator
	state machine.State
}

func newProgramMachine(p *Program) machine.Machine {
	initial := make(machine.State, (len(p.Names.Fluents)+63)/64)
	for _, f := range p.Init {
		initial.Set(int(f))
	}
	return scalar.New(p.Names, initial, machine.Info{Engine: "ground"}, func() scalar.Stepper {
		return &evaluatorStepper{groundEvaluator: newGroundEvaluator(p)}
	})
}

func (e *evaluatorStepper) SetState(s machine.State) {
	e.state = append(e.state[:0], s...)
	e.set(e.state, nil)
}

func (e *evaluatorStepper) Terminal() bool { return e.is(e.p.Terminal) }

func (e *evaluatorStepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	for m, s := range e.p.Legal[r] {
		if e.is(s) {
			dst = append(dst, machine.Move(m))
		}
	}
	return dst
}

func (e *evaluatorStepper) Goal(r machine.Role) int32 {
	value, found := machine.NoGoal, 0
	for _, g := range e.p.Goals {
		if g.Role == r && e.is(g.Atom) {
			value = g.Value
			found++
		}
	}
	if found != 1 {
		return machine.NoGoal
	}
	return value
}

func (e *evaluatorStepper) Next(dst machine.State, joint []machine.Move) {
	e.set(e.state, joint)
	clear(dst)
	for f, s := range e.p.Next {
		if e.is(s) {
			dst.Set(f)
		}
	}
	e.set(e.state, nil)
}
