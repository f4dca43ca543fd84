package prove

import (
	"context"
	"errors"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Formula is an unrolled game as clauses in a SAT engine (Tseitin 1968). Each gate has clauses only in the polarities
// that are needed (Plaisted and Greenbaum 1986): the variable of a signal that must be true implies its definition;
// for a signal that must be false the converse holds. Models have correct values for inputs; other variables may
// differ in the unconstrained polarity. A Formula belongs to one goroutine.
type Formula struct {
	*unrolling
	Played       int // number of steps whose moves have clauses
	engine       sat.Engine
	vars         []sat.Lit // by node of the network; unset before its first use
	polarity     []uint8   // by node: 1 has clauses for true, 2 for false
	loopsDefined int       // number of loops that have clauses
	queue        []logic.Lit
	scratch      []sat.Lit
}

// ErrMemory is the cause of errors about formulas that are too large.
var ErrMemory = errors.New("the formula exceeds the memory limit")

// unset is no literal.
const unset logic.Lit = -1

// NewFormula returns the formula of a game from position s, or from any position if s is nil.
func NewFormula(g *circuit.Game, s machine.State) *Formula {
	return &Formula{unrolling: unroll(g, s), engine: sat.New()}
}

// Close frees the engine.
func (f *Formula) Close() { f.engine.Close() }

// StepBytes is the memory of a step for each gate of the game.
const StepBytes = 500

// Bytes returns the approximate memory of the formula.
func (f *Formula) Bytes() int64 {
	const perNode, perStep = 60, 4
	return f.engine.Bytes() + perNode*int64(f.net.Len()) + perStep*int64(len(f.steps))*int64(f.game.Net.Len())
}

// variable returns the engine's literal for a literal of the network.
func (f *Formula) variable(l logic.Lit) sat.Lit {
	i := int(l.Node())
	for len(f.vars) <= i {
		f.vars = append(f.vars, sat.Lit(unset))
		f.polarity = append(f.polarity, 0)
	}
	if i == 0 {
		return sat.Lit(l)
	}
	if f.vars[i] == sat.Lit(unset) {
		f.vars[i] = f.engine.NewVar()
	}
	return f.vars[i] ^ sat.Lit(l&1)
}

// assert adds the clauses that define l where it is true, and returns a literal of the engine that implies l.
func (f *Formula) assert(l logic.Lit) sat.Lit {
	f.queue = append(f.queue, l)
	f.define()
	for ; f.loopsDefined < len(f.loops); f.loopsDefined++ {
		v, def := f.loops[f.loopsDefined].variable, f.loops[f.loopsDefined].definition
		f.queue = append(f.queue, def, def.Not())
		f.define()
		f.add(f.variable(v), f.variable(def).Not())
		f.add(f.variable(v).Not(), f.variable(def))
	}
	return f.variable(l)
}

// define adds the clauses that define the signals in the queue.
func (f *Formula) define() {
	for len(f.queue) > 0 {
		l := f.queue[len(f.queue)-1]
		f.queue = f.queue[:len(f.queue)-1]
		v := f.variable(l &^ 1)
		i, polarity := l.Node(), uint8(1+l&1)
		if f.polarity[i]&polarity != 0 || f.net.Op(i) != logic.OpAnd {
			continue
		}
		f.polarity[i] |= polarity
		operands := f.net.Operands(i)
		if polarity == 1 {
			for _, o := range operands {
				f.queue = append(f.queue, o)
				f.add(v.Not(), f.variable(o))
			}
			continue
		}
		f.scratch = append(f.scratch[:0], v)
		for _, o := range operands {
			f.queue = append(f.queue, o.Not())
			f.scratch = append(f.scratch, f.variable(o).Not())
		}
		f.add(f.scratch...)
	}
}

func (f *Formula) add(clause ...sat.Lit) {
	f.engine.Add(clause...)
}

// Require adds a clause: at least one literal of the network is true.
func (f *Formula) Require(lits ...logic.Lit) {
	clause := make([]sat.Lit, 0, len(lits))
	for _, l := range lits {
		if l == logic.True {
			return
		}
		if l != logic.False {
			clause = append(clause, f.assert(l))
		}
	}
	f.add(clause...)
}

// Play requires one legal move of every role in each step before k, unless the game is over.
func (f *Formula) Play(k int) {
	for ; f.Played < k; f.Played++ {
		ended := f.SignalAt(f.Played, f.game.Terminal)
		if ended == logic.True {
			continue
		}
		for role := range f.game.Does {
			f.playRole(f.Played, role, ended)
		}
		f.Require(ended.Not(), f.SignalAt(f.Played+1, f.game.Terminal)) // implied, but not by unit propagation
	}
}

func (f *Formula) playRole(k, role int, ended logic.Lit) {
	for m, does := range f.does(k, role) {
		if does == logic.False {
			continue
		}
		if legal := f.SignalAt(k, f.game.Legal[role][m]); legal != logic.True {
			f.Require(does.Not(), legal)
		}
	}
	f.requireOne(f.does(k, role), ended)
}

// requireOne requires that exactly one literal is true, or at most one if the signal unless is true.
func (f *Formula) requireOne(literals []logic.Lit, unless logic.Lit) {
	var lits []sat.Lit
	for _, l := range literals {
		if l != logic.False {
			lits = append(lits, f.variable(l))
		}
	}
	f.Require(append(slices.Clip(literals), unless)...)
	f.atMostOne(lits)
}

// pairwise is the number of literals up to which the pairwise encoding of "at most one" is the shortest.
const pairwise = 6

// atMostOne requires that at most one literal is true, in 2n + 4√n + … clauses of two literals. The literals lie in a
// grid; at most one row and at most one column may be used (Chen, "A new SAT encoding of the at-most-one constraint",
// 2010).
func (f *Formula) atMostOne(lits []sat.Lit) {
	if len(lits) <= pairwise {
		for i, l := range lits {
			for _, other := range lits[:i] {
				f.add(l.Not(), other.Not())
			}
		}
		return
	}
	columns := 1
	for columns*columns < len(lits) {
		columns++
	}
	rows := (len(lits) + columns - 1) / columns
	lines := make([]sat.Lit, rows+columns)
	for i := range lines {
		lines[i] = f.engine.NewVar()
	}
	for i, l := range lits {
		f.add(l.Not(), lines[i/columns])
		f.add(l.Not(), lines[rows+i%columns])
	}
	f.atMostOne(lines[:rows])
	f.atMostOne(lines[rows:])
}

// Line returns the joint moves of the first k steps in the model, up to the end of the game.
func (f *Formula) Line(k int) [][]machine.Move {
	var line [][]machine.Move
	for i := range k {
		joint := make([]machine.Move, len(f.game.Does))
		for role := range joint {
			joint[role] = machine.NoMove
			for m, does := range f.does(i, role) {
				if f.Value(does) {
					joint[role] = machine.Move(m)
				}
			}
			if joint[role] == machine.NoMove {
				return line
			}
		}
		line = append(line, joint)
	}
	return line
}

// Value returns the value of an input in the model. Inputs without clauses are false.
func (f *Formula) Value(l logic.Lit) bool {
	i := int(l.Node())
	if i > 0 && (i >= len(f.vars) || f.vars[i] == sat.Lit(unset)) {
		return l.Complemented()
	}
	return f.engine.Value(f.variable(l))
}

// Solve asks the engine whether the signals can be true together.
func (f *Formula) Solve(ctx context.Context, lim sat.Limits, signals ...logic.Lit) sat.Status {
	var assumptions []sat.Lit
	for _, l := range signals {
		if l == logic.False {
			return sat.Unsat
		}
		assumptions = append(assumptions, f.assert(l))
	}
	return f.engine.Solve(ctx, lim, assumptions...)
}
