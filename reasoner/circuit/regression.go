package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Regression computes the value of a signal after a move, as a function of the position before it. The
// signal is rewritten with every fluent replaced by its next signal, in which one
// role's move is fixed and each of the other roles makes its only legal move. Where another role
// has a choice, or no legal move, nothing is claimed: the result is false. The heuristic form
// (alone) lets roles that have a choice do nothing, as if they had no move.
//
// Nearly all of that folds away, because it is asked only where
//
//   - the position is not terminal: whatever would make it terminal is false, so of
//     all lines of a board only those through the place of the move are left;
//   - the move is legal: whose turn it is, for one, is known then.
//
// Invariant: what forEachMove returns for a move implies that the move is legal and
// that the signal holds after it, whatever legal moves the other roles make. The converse is true
// where each of them has one legal move, unless conditions have been given up (wideCondition). With
// alone it implies only that the move is legal.
//
// Cost: moves × (the nodes that the roots need + those nodes that their next signals
// need and that depend on moves).

const (
	// regressionWork bounds that product: a second or two.
	regressionWork = 30_000_000
	// regressionGrowth bounds what is added to the network, in operands of gates: so
	// many times what it has. Sharing makes a third or a fourth of it.
	regressionGrowth = 100
	// wideCondition is the number of operands of the widest condition that is not taken not to
	// hold. It keeps out what hardly ever matters but takes a long conjunction for every
	// move, such as "no other piece is left": in breakthrough, seven of eight gates; or "that
	// board is full, so any other one will do": in tic-tac-toe on nine boards, nine of ten. Lines
	// of five with what stops them at both ends are narrower.
	wideCondition = 7
	// refutationDepth is the depth of gates down to which a condition is looked through for a
	// contradiction of the assumptions. Whose turn it is stands in the first or second gate.
	refutationDepth = 3
	// absorbOperands bounds the conjunctions that are looked through for operands
	// that others imply: the search is quadratic.
	absorbOperands = 16
)

// regression computes the roots after moves.
type regression struct {
	game       *Game
	net        *logic.Network
	othersIdle bool

	rootCone   []int32     // nodes that the roots need, ascending
	moveCone   []int32     // nodes that the next signals of ends need and that depend on moves, ascending
	positive   []bool      // by node: the roots need it as it is, never complemented
	inTerminal []bool      // by node: terminal needs it
	omitted    []logic.Lit // after the move at hand: conditions of terminal that were left out

	value     []truth             // by node: what is assumed
	fixed     *logic.Substitution // values with the move made
	regressed *logic.Substitution // of ends: values after the move

	excluded [][]int32   // by node of a fluent: the nodes of fluents that are never true with it
	oneLegal []logic.Lit // by role: it has exactly one legal move; False while not computed
}

// truth is what is assumed of a node.
type truth uint8

const (
	unknown truth = iota
	holds
	fails
)

// newRegression prepares to compute roots after moves. The exclusive pairs of fluents are never true
// together. It returns nil if the work exceeds regressionWork, or if recursion is involved: loops
// would have to be copied for each move.
func (g *Game) newRegression(roots []logic.Lit, othersIdle bool, exclusive [][2]int32) *regression {
	n := g.Net.Len()
	r := &regression{
		game: g, net: g.Net, othersIdle: othersIdle, excluded: make([][]int32, len(g.Fluents)+1), value: make([]truth, n), oneLegal: make([]logic.Lit, len(g.Does)),
		fixed: logic.NewSubstitution(g.Net, g.Net), regressed: logic.NewSubstitution(g.Net, g.Net),
	}
	r.fixed.Gate = func(_ int32, operands []logic.Lit) (logic.Lit, bool) { return r.conjunction(operands), true }
	r.regressed.Gate = func(node int32, operands []logic.Lit) (logic.Lit, bool) {
		return r.omitWide(node, r.conjunction(operands)), true
	}
	for _, pair := range exclusive {
		a, b := g.Fluents[pair[0]].Node(), g.Fluents[pair[1]].Node()
		r.excluded[a], r.excluded[b] = append(r.excluded[a], b), append(r.excluded[b], a)
	}
	var next []logic.Lit
	for i, needed := range g.Net.Cone(roots) {
		if needed && i > 0 {
			r.rootCone = append(r.rootCone, int32(i))
			if f := g.fluentOf(int32(i)); f >= 0 {
				next = append(next, g.Next[f])
			}
		}
	}
	needed := g.Net.Cone(next)
	for i, depends := range g.dependOnMoves() {
		if !depends {
			r.fixed.Set(logic.Lit(i)<<1, logic.Lit(i)<<1)
		} else if needed[i] {
			r.moveCone = append(r.moveCone, int32(i))
		}
	}
	r.fixed.Commit()
	isLoop := func(i int32) bool { return g.Net.Op(i) == logic.OpLoop }
	if slices.ContainsFunc(r.rootCone, isLoop) || slices.ContainsFunc(r.moveCone, isLoop) {
		return nil
	}
	if len(slices.Concat(g.Does...))*(len(r.rootCone)+len(r.moveCone)) > regressionWork {
		return nil
	}
	r.positive, r.inTerminal = r.neverComplemented(roots), g.Net.Cone([]logic.Lit{g.Terminal})
	return r
}

// fluentOf is the fluent that node i is the input of, or -1: the inputs come first,
// those of fluents before those of moves.
func (g *Game) fluentOf(i int32) int {
	if f := int(i) - 1; f < len(g.Fluents) {
		return f
	}
	return -1
}

// dependOnMoves marks the nodes that depend on moves.
func (g *Game) dependOnMoves() []bool {
	marked := make([]bool, g.Net.Len())
	for _, l := range slices.Concat(g.Does...) {
		marked[l.Node()] = true
	}
	for i := range marked {
		for _, o := range g.Net.Operands(int32(i)) {
			marked[i] = marked[i] || marked[o.Node()]
		}
	}
	return marked
}

// neverComplemented marks the nodes that the roots need as they are alone.
func (r *regression) neverComplemented(roots []logic.Lit) []bool {
	used := [2][]bool{make([]bool, r.net.Len()), make([]bool, r.net.Len())} // by complement, then node
	for _, l := range roots {
		used[l&1][l.Node()] = true
	}
	for _, i := range slices.Backward(r.rootCone) {
		for _, o := range r.net.Operands(i) {
			for phase := range logic.Lit(2) {
				used[phase^o&1][o.Node()] = used[phase^o&1][o.Node()] || used[phase][i]
			}
		}
	}
	for i := range used[0] {
		used[0][i] = used[0][i] && !used[1][i]
	}
	return used[0]
}

// forEachMove computes so many signals for every move of every role, by signal, role and move: f may
// ask for the values of the roots after that move, by later. It returns nil if ctx ends or the
// network grows too large.
func (r *regression) forEachMove(ctx context.Context, signals int, f func(role, m int) []logic.Lit) [][][]logic.Lit {
	limit := regressionGrowth * r.net.Operations()
	out := make([][][]logic.Lit, signals)
	for i := range out {
		out[i] = make([][]logic.Lit, len(r.game.Does))
		for role, row := range r.game.Does {
			out[i][role] = make([]logic.Lit, len(row)) // False
		}
	}
	for role, row := range r.game.Does {
		for m := range row {
			if ctx.Err() != nil || r.net.Operations() > limit {
				return nil
			}
			r.assumeMove(role, m, func(conditions []logic.Lit) {
				for i, l := range f(role, m) {
					out[i][role][m] = r.net.And(append(slices.Clone(conditions), l)...)
				}
			})
		}
	}
	return out
}

// with calls f if move m of a role may be legal and each of the other roles may have one legal move only. The
// conditions are that both is so; with alone, the second is not asked.
func (r *regression) assumeMove(role, m int, f func(conditions []logic.Lit)) {
	legal := r.game.Legal[role][m]
	assumed := r.assume(r.game.Terminal.Not(), legal)
	defer func() {
		for _, i := range assumed {
			r.value[i] = unknown
		}
	}()
	if r.fold(legal) == logic.False {
		return
	}
	r.omitted = r.omitted[:0]
	r.fixed.Revert()
	conditions := append(r.fixMoves(role, m), legal)
	if slices.Contains(conditions, logic.False) {
		return
	}
	r.fixed.Sweep(r.moveCone)
	r.computeRoots(func(fluent int) logic.Lit { return r.fold(r.fixed.At(r.game.Next[fluent])) })
	f(conditions)
}

// after computes the values of the roots from those of the fluents.
func (r *regression) computeRoots(value func(fluent int) logic.Lit) {
	r.regressed.Revert()
	for _, i := range r.rootCone {
		if f := r.game.fluentOf(i); f >= 0 {
			r.regressed.Set(r.game.Fluents[f], value(f))
		}
	}
	r.regressed.Sweep(r.rootCone)
}

// leaveOutWide takes the value of a node for false if it is a condition of many operands.
func (r *regression) omitWide(i int32, l logic.Lit) logic.Lit {
	if !r.positive[i] || l.Complemented() || len(r.net.Operands(l.Node())) <= wideCondition {
		return l
	}
	if r.inTerminal[i] {
		r.omitted = append(r.omitted, l)
	}
	return logic.False
}

// goesOn is where l holds after the move and the game is not over by then, whatever was left
// out of that: what contradicts l costs nothing.
func (r *regression) holdsAndContinues(l logic.Lit) logic.Lit {
	cases := r.net.Disjuncts(l)
	for i, c := range cases {
		for _, end := range r.omitted {
			if !r.net.Contradict(c, end) {
				c = r.net.And(c, end.Not())
			}
		}
		cases[i] = c
	}
	return r.net.And(r.net.Or(cases...), r.valueAfter(r.game.Terminal).Not())
}

// assume records that literals are true, and the literals that follow from them at sight. It returns
// the nodes that are known now.
func (r *regression) assume(lits ...logic.Lit) (assumed []int32) {
	for len(lits) > 0 {
		l := lits[len(lits)-1]
		lits = lits[:len(lits)-1]
		i := l.Node()
		if i == 0 || r.value[i] != unknown {
			continue
		}
		assumed = append(assumed, i)
		if l.Complemented() {
			r.value[i] = fails
			lits = append(lits, r.net.Common(l)...)
		} else {
			r.value[i] = holds
			lits = append(lits, r.net.Conjuncts(l)...)
		}
	}
	return assumed
}

// fold is a literal, or the constant that it is assumed to be.
func (r *regression) fold(l logic.Lit) logic.Lit {
	i := int(l.Node())
	switch {
	case i >= len(r.value) || r.value[i] == unknown:
		return l
	case r.value[i] == holds:
		return logic.True ^ l&1
	}
	return logic.False ^ l&1
}

// fix sets the moves of all roles: the role makes move m, and each of the others its only legal move. It
// returns the conditions under which it has exactly one. A move that is surely legal is the only
// one if no other move can be legal then. With alone, other roles do nothing, but for a move that is
// the only one surely legal.
func (r *regression) fixMoves(role, m int) (conditions []logic.Lit) {
	for q, row := range r.game.Does {
		if q == role {
			for k, does := range row {
				r.fixed.Set(does, logic.Constant(k == m))
			}
			continue
		}
		legal := make([]logic.Lit, len(row))
		sure := -1 // the only move of q that is surely legal
		several := false
		for k := range row {
			if legal[k] = r.legalNow(q, k); legal[k] == logic.True {
				sure, several = k, sure >= 0
			}
		}
		switch {
		case r.othersIdle:
			if several {
				sure = -1
			}
		case sure >= 0:
			for k, l := range legal {
				if k != sure {
					conditions = append(conditions, l.Not())
				}
			}
		default:
			conditions = append(conditions, r.fold(r.hasOneMove(q)))
		}
		for k, does := range row {
			if sure >= 0 || r.othersIdle {
				r.fixed.Set(does, logic.Constant(k == sure))
			} else {
				r.fixed.Set(does, legal[k])
			}
		}
	}
	return conditions
}

// legalNow returns the condition under which a move is legal: false if it contradicts the assumptions.
func (r *regression) legalNow(role, m int) logic.Lit {
	legal := r.fold(r.game.Legal[role][m])
	if !r.mayHold(legal, refutationDepth) {
		return logic.False
	}
	return legal
}

// mayHold reports whether a literal may be true under the assumptions, as far as its gates down to a
// depth show, and the fluents that exclude each other.
func (r *regression) mayHold(l logic.Lit, depth int) bool {
	switch l = r.fold(l); {
	case l <= logic.True:
		return l == logic.True
	case r.game.fluentOf(l.Node()) >= 0:
		return l.Complemented() || !slices.ContainsFunc(r.excluded[l.Node()], func(i int32) bool { return r.value[i] == holds })
	case depth == 0 || r.net.Op(l.Node()) != logic.OpAnd:
		return true
	case l.Complemented():
		return slices.ContainsFunc(r.net.Operands(l.Node()), func(o logic.Lit) bool { return r.mayHold(o.Not(), depth-1) })
	}
	return !slices.ContainsFunc(r.net.Operands(l.Node()), func(o logic.Lit) bool { return !r.mayHold(o, depth-1) })
}

// hasOneMove returns the condition under which a role has exactly one legal move.
func (r *regression) hasOneMove(role int) logic.Lit {
	if r.oneLegal[role] == logic.False {
		legal := r.game.Legal[role]
		r.oneLegal[role] = r.net.And(r.net.AtLeastTwo(legal...).Not(), r.net.Or(legal...))
	}
	return r.oneLegal[role]
}

// later is the value of a root, or of what it needs, after the move.
func (r *regression) valueAfter(l logic.Lit) logic.Lit { return r.regressed.At(l) }

// conjunction is that of literals, less what the others imply: of x and or(x, y), x
// is enough. It overwrites its argument.
func (r *regression) conjunction(lits []logic.Lit) logic.Lit {
	out := lits[:0]
	for _, l := range lits {
		if l = r.fold(l); l == logic.False {
			return logic.False
		} else if l != logic.True {
			out = append(out, l)
		}
	}
	if len(out) <= absorbOperands {
		out = slices.DeleteFunc(out, func(l logic.Lit) bool {
			if !l.Complemented() {
				return false
			}
			return slices.ContainsFunc(r.net.Operands(l.Node()), func(o logic.Lit) bool { return slices.Contains(out, o.Not()) })
		})
	}
	return r.fold(r.net.And(out...))
}
