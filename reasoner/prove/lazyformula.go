package prove

import (
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
)

// maxBroken is the number of models with an illegal move of a role after which all moves of the role must be legal.
const maxBroken = 3

// lazyFormula is a formula of one position and a joint move from it. Conditions of the joint move are added only when
// a model breaks them.
type lazyFormula struct {
	*Formula
	fluents      []int32       // on which the included signals depend
	visited      marks         // nodes on which the included signals depend
	roleOf       map[int32]int // by node of a move: its role; nil before the first move
	moving       []bool        // by role: the formula requires exactly one move
	legal        marks         // by node of a move: the formula requires that it is legal
	broken       []int         // by role: the number of models with an illegal move
	loopsVisited int           // number of loops whose definitions were visited
	notOver      bool          // the formula requires that the position is not terminal
}

func newLazyFormula(g *circuit.Game) *lazyFormula {
	return &lazyFormula{Formula: NewFormula(g, nil), moving: make([]bool, len(g.Does)), broken: make([]int, len(g.Does))}
}

// after returns the signals of literals over fluents after the joint move.
func (f *lazyFormula) after(literals []logic.Lit) []logic.Lit {
	list := make([]logic.Lit, len(literals))
	for i, l := range literals {
		list[i] = f.SignalAt(0, f.game.Next[fluent(l)]) ^ l&1
	}
	return list
}

// assumeLemma requires a lemma before the joint move.
func (f *lazyFormula) assumeLemma(l *lemma) {
	if l.exactly {
		f.requireOne(l.literals, logic.False)
	} else {
		f.Require(l.literals...)
	}
}

// include adds the fluents and moves on which a signal depends. A role with such a move must make exactly one move.
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

// includeMove requires that a role makes exactly one move, if the node is a move of the role.
func (f *lazyFormula) includeMove(node int32) {
	if f.roleOf == nil {
		f.roleOf = map[int32]int{}
		for role := range f.game.Does {
			for _, does := range f.does(0, role) {
				f.roleOf[does.Node()] = role
			}
		}
	}
	role, ok := f.roleOf[node]
	if !ok || node == 0 || f.moving[role] {
		return
	}
	f.moving[role] = true
	f.requireOne(f.does(0, role), logic.False)
}

// restrict adds conditions of a joint move that the last model breaks, and reports whether it has added any: first
// that the moves of the model are legal, then that the position is not terminal.
func (f *lazyFormula) restrict() bool {
	var made [][2]logic.Lit
	for role, moving := range f.moving {
		if !moving {
			continue
		}
		before := len(made)
		for m, does := range f.does(0, role) {
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
