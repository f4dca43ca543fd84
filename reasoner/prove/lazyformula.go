package prove

import (
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/prove/sat"
)

// maxBroken is the number of models with an illegal move of a role after which all its moves have to be legal.
const maxBroken = 3

// lazyFormula is a formula of one position and the joint move from there, with the conditions of a joint
// move as far as its models have broken them.
type lazyFormula struct {
	*Formula
	fluents      []int32       // on which the signals asked for depend
	visited      marks         // the nodes on which the signals asked for depend
	roleOf       map[int32]int // by node of a move: its role; nil before a signal depends on a move
	moving       []bool        // by role: the formula says that it makes exactly one move
	legal        marks         // nodes of moves of which the formula says that they are legal if they are made
	broken       []int         // by role: how often a model has broken the condition that its move is legal
	loopsVisited int           // loops whose definitions were met
	notOver      bool          // the formula says that the position is not terminal
}

func newLazyFormula(g *circuit.Game) *lazyFormula {
	return &lazyFormula{Formula: NewFormula(g, nil), moving: make([]bool, len(g.Does)), broken: make([]int, len(g.Does))}
}

// after returns literals over fluents after the joint move.
func (f *lazyFormula) after(literals []logic.Lit) []logic.Lit {
	list := make([]logic.Lit, len(literals))
	for i, l := range literals {
		list[i] = f.SignalAt(0, f.game.Next[fluent(l)]) ^ l&1
	}
	return list
}

// suppose makes a lemma true before the joint move.
func (f *lazyFormula) assumeLemma(l *lemma) {
	f.Require(l.literals...)
	if l.exactly {
		var lits []sat.Lit
		for _, l := range l.literals {
			lits = append(lits, f.variable(l))
		}
		f.atMostOne(lits)
	}
}

// ask notes the fluents and moves on which a signal depends. Each role that has such a move makes exactly one move from now on.
func (f *lazyFormula) include(signal logic.Lit) {
	queue := []logic.Lit{signal}
	for ; len(queue) > 0 || f.loopsVisited < len(f.loops); queue = queue[:len(queue)-1] {
		if len(queue) == 0 {
			queue = append(queue, f.loops[f.loopsVisited].definition)
			f.loopsVisited++
		}
		i := queue[len(queue)-1].Node()
		if !f.visited.add(i) {
			continue
		}
		switch {
		case f.net.Op(i) == logic.OpAnd:
			queue = append(append(queue[:len(queue)-1], f.net.Operands(i)...), logic.False)
		case i > 0 && int(i) <= len(f.game.Fluents):
			f.fluents = append(f.fluents, i-1)
		default:
			f.includeMove(i)
		}
	}
}

// move makes the role of a move make exactly one move, if the node is that of a move.
func (f *lazyFormula) includeMove(node int32) {
	if f.roleOf == nil {
		f.roleOf = map[int32]int{}
		for role := range f.game.Does {
			for _, does := range f.Does(0, role) {
				f.roleOf[does.Node()] = role
			}
		}
	}
	role, ok := f.roleOf[node]
	if !ok || node == 0 || f.moving[role] {
		return
	}
	f.moving[role] = true
	var some []logic.Lit
	var lits []sat.Lit
	for _, does := range f.Does(0, role) {
		if does != logic.False {
			some, lits = append(some, does), append(lits, f.variable(does))
		}
	}
	f.Require(some...)
	f.atMostOne(lits)
}

// restrict adds conditions of a joint move that the last model breaks, and reports whether there are any: that the moves of
// the model are legal, and then that the position is not terminal.
func (f *lazyFormula) restrict() bool {
	var made [][2]logic.Lit
	for role, moving := range f.moving {
		if !moving {
			continue
		}
		before := len(made)
		for m, does := range f.Does(0, role) {
			if does != logic.False && (f.broken[role] >= maxBroken || f.Value(does)) && f.legal.add(does.Node()) {
				made = append(made, [2]logic.Lit{does, f.SignalAt(0, f.game.Legal[role][m])})
			}
		}
		if len(made) > before {
			f.broken[role]++
		}
	}
	for _, move := range made {
		f.include(move[1])
		f.Require(move[0].Not(), move[1])
	}
	if len(made) > 0 || f.notOver {
		return len(made) > 0
	}
	f.notOver = true
	going := f.SignalAt(0, f.game.Terminal).Not()
	f.include(going)
	f.Require(going)
	return true
}
