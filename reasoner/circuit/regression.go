package circuit

import (
	"context"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Regression expresses a signal after a move as a function of the position before the move. Each fluent in the signal
// is replaced by its next signal. In next signals, a role makes a given move, and each of the other roles makes its
// only legal move. If another role has no legal move or several, the result is false. The heuristic form (othersIdle)
// lets such roles do nothing instead.
//
// Nearly all of the result folds away, because of two assumptions:
//
//   - The position is not terminal, so all conditions of terminal are false: of all lines of a board, only the lines
//     through the cell of the move remain.
//   - The move is legal, which decides for instance whose turn it is.
//
// Invariant: the result of forEachMove for a move implies that the move is legal. It also implies that the signal holds
// after the move, for all legal moves of the other roles. The converse is true if each of them has a single legal move,
// unless conditions were omitted (wideCondition). With othersIdle, the result only implies that the move is legal.
//
// Cost: moves × (nodes of the roots' cone + nodes that depend on moves in the cone of its next signals).

const (
	// regressionWork limits this product: one or two seconds.
	regressionWork = 30_000_000
	// regressionGrowth limits the operands of the network, as a multiple of its operands before the regression.
	regressionGrowth = 100
	// wideCondition is the largest number of operands of a condition after the move that is not treated as false. Wider
	// conditions hardly ever matter, but take a long conjunction for every move. Examples: "no other piece is left"
	// takes seven of eight gates in breakthrough; "that board is full, so any other board will do" takes nine of ten in
	// tic-tac-toe on nine boards. Lines of five, including the blocking cells at both ends, are narrower.
	wideCondition = 7
	// refutationDepth is the depth of gates in which a condition is searched for a contradiction of the assumptions.
	// The literal of the turn is in the first or second gate.
	refutationDepth = 3
	// absorbOperands is the largest number of operands for which absorption is tried: the search is quadratic.
	absorbOperands = 16
)

// regression computes the values of roots after moves.
type regression struct {
	game       *Game
	net        *logic.Network
	othersIdle bool

	rootCone   []int32     // nodes of the roots' cone, ascending
	moveCone   []int32     // nodes that depend on moves in the cone of its next signals, ascending
	positive   []bool      // by node: it occurs in the roots, and only uncomplemented
	inTerminal []bool      // by node: it is in the cone of terminal
	omitted    []logic.Lit // omitted conditions of terminal after the present move

	value     []truth             // by node: the assumed value
	fixed     *logic.Substitution // nodes before the step, with the moves of all roles substituted
	regressed *logic.Substitution // nodes of rootCone after the step, as functions of the position before it

	excluded [][]int32   // by node of a fluent: the nodes of fluents that exclude it
	oneLegal []logic.Lit // by role: the condition that it has exactly one legal move; False if not computed
}

// truth is the assumption about a node.
type truth uint8

const (
	unknown truth = iota
	holds
	fails
)

// newRegression returns the regression of roots. Two fluents of an exclusive pair are never true together. It returns
// nil if the work exceeds regressionWork, or if loop variables are involved: loops would need a copy for each move.
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

// fluentOf returns the fluent of input node i, or -1. Inputs of fluents come first.
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

// neverComplemented marks the nodes that occur in the roots, and only uncomplemented.
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

// forEachMove returns signals for every move of every role, by signal, role and move. f returns the signals of a move;
// it may call valueAfter for the values of the roots after the move. forEachMove returns nil if ctx is done or the
// network grows too large.
func (r *regression) forEachMove(ctx context.Context, signals int, f func(role, m int) []logic.Lit) [][][]logic.Lit {
	limit := regressionGrowth * r.net.OperandCount()
	out := make([][][]logic.Lit, signals)
	for i := range out {
		out[i] = make([][]logic.Lit, len(r.game.Does))
		for role, row := range r.game.Does {
			out[i][role] = make([]logic.Lit, len(row)) // False
		}
	}
	for role, row := range r.game.Does {
		for m := range row {
			if ctx.Err() != nil || r.net.OperandCount() > limit {
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

// assumeMove calls f if move m of a role can be legal while each of the other roles has exactly one legal move. The
// conditions for f are that the move is legal, and that each of the other roles has exactly one; othersIdle drops the
// second.
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
	r.computeRoots(func(fluent int) logic.Lit { return r.fold(r.fixed.Lookup(r.game.Next[fluent])) })
	f(conditions)
}

// computeRoots computes the values of the roots after the move from the values of the fluents.
func (r *regression) computeRoots(value func(fluent int) logic.Lit) {
	r.regressed.Revert()
	for _, i := range r.rootCone {
		if f := r.game.fluentOf(i); f >= 0 {
			r.regressed.Set(r.game.Fluents[f], value(f))
		}
	}
	r.regressed.Sweep(r.rootCone)
}

// omitWide returns false instead of a value with more than wideCondition operands, if the node occurs only
// uncomplemented.
func (r *regression) omitWide(i int32, l logic.Lit) logic.Lit {
	if !r.positive[i] || l.Complemented() || len(r.net.Operands(l.Node())) <= wideCondition {
		return l
	}
	if r.inTerminal[i] {
		r.omitted = append(r.omitted, l)
	}
	return logic.False
}

// holdsAndContinues returns the condition that l holds after the move and the game continues. This includes the omitted
// conditions of terminal, except for cases of l that contradict them anyway.
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

// assume records that literals are true, with their direct implications. It returns the nodes with new assumptions.
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

// fold returns the assumed constant of a literal, or the literal itself.
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

// fixMoves substitutes the moves of all roles: the role makes move m, and each of the other roles its only legal move.
// It returns the conditions that each has exactly one. If a move is legal under the assumptions, the condition is that
// no other move is legal. With othersIdle, other roles make a move only if it is the only move legal under the
// assumptions.
func (r *regression) fixMoves(role, m int) (conditions []logic.Lit) {
	for q, row := range r.game.Does {
		if q == role {
			for k, does := range row {
				r.fixed.Set(does, logic.Constant(k == m))
			}
			continue
		}
		legal := make([]logic.Lit, len(row))
		sure := -1 // a move of q that is legal under the assumptions, or -1
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

// legalNow returns the condition that a move is legal, false if it contradicts the assumptions.
func (r *regression) legalNow(role, m int) logic.Lit {
	legal := r.fold(r.game.Legal[role][m])
	if !r.mayHold(legal, refutationDepth) {
		return logic.False
	}
	return legal
}

// mayHold reports whether a literal can be true under the assumptions. It checks gates down to a depth, and exclusive
// fluents.
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

// hasOneMove returns the condition that a role has exactly one legal move.
func (r *regression) hasOneMove(role int) logic.Lit {
	if r.oneLegal[role] == logic.False {
		legal := r.game.Legal[role]
		r.oneLegal[role] = r.net.And(r.net.AtLeastTwo(legal...).Not(), r.net.Or(legal...))
	}
	return r.oneLegal[role]
}

// valueAfter returns the value after the move of a root or a node of its cone.
func (r *regression) valueAfter(l logic.Lit) logic.Lit { return r.regressed.Lookup(l) }

// conjunction returns the conjunction of literals without absorbed operands: x and or(x, y) is x. It overwrites its
// argument.
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
