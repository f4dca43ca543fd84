package circuit

import (
	"context"
	"slices"
	"sync"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Symmetries are permutations of fluents, moves and roles that map the rules to themselves. They are found on the
// network.
//
// Algorithm: individualisation and refinement (McKay, "Practical graph isomorphism", 1981). The permuted points are the
// inputs (fluents and moves) and the roles. Points that a symmetry can exchange get equal colours (refine.go). Two
// copies of the colouring, left and right, lead to a symmetry. On the left, a point x that shares its colour gets a new
// colour. On the right, a point y of the same colour gets it, which means "y is the image of x". Both copies are
// refined, and so on, until all colours differ. The image of each point on the left is then the point with its colour
// on the right.
//
// Colours are hashes, so a permutation is a conjecture. It is a symmetry if the network, rebuilt over the images of the
// inputs, is the same network. Structural hashing makes gates unique, so each output must become the gate of the
// image's output. This proves the symmetry for every state, reachable or not. The proof fails if symmetric parts of the
// game have different gates, as after passes that share logic; so the search uses the network before these passes.
//
// Invariant: the symmetries found, with the identity, are a group at any time. A symmetry that would make the group too
// large is dropped. A candidate is skipped if a symmetry of the group has the same image already. Roles are
// individualised first, because an exchange of the players helps a search most: it joins the group before other
// symmetries fill it.
//
// Cost: two sweeps over the network for each round of a refinement, a few rounds for each generator of the group. A
// budget limits the total.

const (
	// maxSymmetries limits the symmetries returned, without the identity.
	maxSymmetries = 31
	// symmetryBudget limits the gates and operands that the search visits: about a tenth of a second.
	symmetryBudget = 1e7
)

// symmetries returns a function that finds the symmetries of the game at its first call (see machine.Machine). The
// function does not keep a game that is too large for the search.
func (g *Game) symmetries() func() []facts.Symmetry {
	if g.Net.OperandCount() > symmetryBudget/50 {
		return func() []facts.Symmetry { return nil }
	}
	return sync.OnceValue(g.findSymmetries)
}

// findSymmetries returns all symmetries but the identity, or a subgroup if there are many or the budget ends. Of
// symmetries that differ only in moves, it returns one.
func (g *Game) findSymmetries() []facts.Symmetry {
	if len(g.Net.Definitions()) > 0 {
		return nil // structural hashing does not identify loop variables
	}
	ctx := context.Background() // the game is small and the search has a budget
	s := newSymmetrySearch(removeDead(ctx, g.mergeConjunctions(ctx)))
	s.run()
	found := make([]facts.Symmetry, len(s.group))
	for i, p := range s.group {
		found[i] = s.symmetry(p)
	}
	return found
}

// mergeConjunctions merges short conjunctions into all conjunctions that use them. So and(and(a, b), c) and
// and(a, and(b, c)), which differ only by the order of conditions in rules, become the same gate and(a, b, c).
func (g *Game) mergeConjunctions(ctx context.Context) *Game {
	const limit = 32
	return g.rebuild(ctx, func(h *Game, _ int32, operands []logic.Lit) logic.Lit {
		var flat []logic.Lit
		for _, l := range operands {
			parts := h.Net.Operands(l.Node())
			if l.Complemented() || len(parts) == 0 || len(parts) > limit {
				flat = append(flat, l)
			} else {
				flat = append(flat, parts...)
			}
		}
		return h.Net.And(flat...)
	})
}

// permutation maps each point to its image. The points are the inputs, followed by the roles.
type permutation []int32

// compose returns the permutation that applies p, then q.
func (p permutation) compose(q permutation) permutation {
	product := make(permutation, len(p))
	for i, to := range p {
		product[i] = q[to]
	}
	return product
}

// twoPart returns the power pᵏ that restricts p to its 2-part: k is a multiple of the odd part of the length of each
// cycle, and 1 modulo its even part. So points in cycles of odd length stay fixed, and points that p exchanges are
// still exchanged. The group that pᵏ generates is no larger than the group of p.
func (p permutation) twoPart() permutation {
	power := make(permutation, len(p))
	done := make([]bool, len(p))
	for i := range p {
		if done[i] {
			continue
		}
		cycle := []int32{}
		for at := int32(i); !done[at]; at = p[at] {
			done[at] = true
			cycle = append(cycle, at)
		}
		// exponent is k modulo the length of this cycle.
		even := len(cycle) & -len(cycle)
		odd := len(cycle) / even
		exponent := odd
		for exponent%even != 1%even {
			exponent += odd
		}
		for j, at := range cycle {
			power[at] = cycle[(j+exponent)%len(cycle)]
		}
	}
	return power
}

// symmetrySearch looks for symmetries of one game.
type symmetrySearch struct {
	game    *Game
	inputs  []logic.Lit // fluents, then moves by role
	outputs []logic.Lit // by input: its next or legal signal
	moves   []int       // the first point of the moves of each role
	roles   int         // the first point of the roles
	points  int
	budget  int

	forward, backward []uint64 // by node
	sorted, other     []uint64
	image             *logic.Substitution
	nodes             []int32 // all nodes of the network
	fixed             []int   // individualised points, fixed by the symmetries still to be found
	group             []permutation
	generators        []permutation
}

func newSymmetrySearch(g *Game) *symmetrySearch {
	s := &symmetrySearch{
		game:     g,
		budget:   symmetryBudget,
		inputs:   slices.Clone(g.Fluents),
		outputs:  slices.Clone(g.Next),
		forward:  make([]uint64, g.Net.Len()),
		backward: make([]uint64, g.Net.Len()),
		image:    logic.NewSubstitution(g.Net, g.Net),
	}
	s.image.Gate = func(_ int32, operands []logic.Lit) (logic.Lit, bool) { return g.Net.Find(operands) }
	for i := range int32(g.Net.Len()) {
		s.nodes = append(s.nodes, i)
	}
	for r, row := range g.Does {
		s.moves = append(s.moves, len(s.inputs))
		s.inputs = append(s.inputs, row...)
		s.outputs = append(s.outputs, g.Legal[r]...)
	}
	s.roles = len(s.inputs)
	s.points = s.roles + len(g.Does)
	return s
}

// run finds the group.
func (s *symmetrySearch) run() {
	if start := s.initialColours(); s.refine(start) {
		s.generate(start)
	}
}

// generate finds symmetries that fix all points in fixed. For every possible image of the next point, it searches one
// symmetry with this image. Then it fixes the point, too.
func (s *symmetrySearch) generate(colours []uint64) {
	at := s.nextPoint(colours)
	if at < 0 {
		return
	}
	left := individualise(colours, at)
	if !s.refine(left) {
		return
	}
	for to, colour := range colours {
		if to == at || colour != colours[at] || s.covers(at, to) {
			continue
		}
		s.search(left, colours, to)
		if len(s.group) > maxSymmetries/2 || s.budget <= 0 {
			return // a larger group has at least twice the size
		}
	}
	s.fixed = append(s.fixed, at)
	s.generate(left)
}

// search adds a symmetry that maps the point individualised last on the left to `to`. It returns false if it adds none.
func (s *symmetrySearch) search(left, right []uint64, to int) bool {
	right = individualise(right, to)
	if !s.refine(right) || !s.sameColours(left, right) {
		return false
	}
	at := s.nextPoint(left)
	if at < 0 {
		p := s.matchColours(left, right)
		return s.isSymmetry(p) && (s.addGenerator(p) || s.addGenerator(p.twoPart()))
	}
	next := individualise(left, at)
	if !s.refine(next) {
		return false
	}
	for to, colour := range right {
		if colour == left[at] && s.search(next, right, to) {
			return true
		}
	}
	return false
}

// covers reports whether a symmetry of the group fixes all points in fixed and maps `at` to `to`.
func (s *symmetrySearch) covers(at, to int) bool {
	return slices.ContainsFunc(s.group, func(p permutation) bool {
		moves := func(i int) bool { return p[i] != int32(i) }
		return p[at] == int32(to) && !slices.ContainsFunc(s.fixed, moves)
	})
}

// addGenerator adds p to the generators, unless this makes the group too large. It reports whether the group has grown.
func (s *symmetrySearch) addGenerator(p permutation) bool {
	generators := append(slices.Clip(s.generators), p)
	group := []permutation{s.identity()}
	for i := 0; i < len(group); i++ {
		for _, g := range generators {
			s.budget -= s.points
			product := group[i].compose(g)
			if slices.ContainsFunc(group, func(q permutation) bool { return s.equalButMoves(product, q) }) {
				continue
			}
			if len(group) > maxSymmetries {
				return false
			}
			group = append(group, product)
		}
	}
	larger := len(group)-1 > len(s.group)
	if larger {
		s.generators, s.group = generators, group[1:]
	}
	return larger
}

func (s *symmetrySearch) identity() permutation {
	p := make(permutation, s.points)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// equalButMoves reports whether p and q differ only in moves.
func (s *symmetrySearch) equalButMoves(p, q permutation) bool {
	fluents := len(s.game.Fluents)
	return slices.Equal(p[:fluents], q[:fluents]) && slices.Equal(p[s.roles:], q[s.roles:])
}

// matchColours maps each point on the left to the point with its colour on the right.
func (s *symmetrySearch) matchColours(left, right []uint64) permutation {
	to := make(map[uint64]int32, len(right))
	for i, c := range right {
		to[c] = int32(i)
	}
	p := make(permutation, s.points)
	for i, c := range left {
		p[i] = to[c]
	}
	return p
}

// isSymmetry reports whether p is a symmetry: whether the network over the images of the inputs is the same network.
func (s *symmetrySearch) isSymmetry(p permutation) bool {
	g, at := s.game, s.image.Lookup
	s.budget -= s.sweepCost()
	if !s.preservesKinds(p) {
		return false
	}
	s.image.Revert()
	for i, l := range s.inputs {
		s.image.Set(l, s.inputs[p[i]])
	}
	if !s.image.Sweep(s.nodes) {
		return false
	}
	for i, l := range s.outputs {
		if at(l) != s.outputs[p[i]] {
			return false
		}
	}
	return at(g.Terminal) == g.Terminal && s.preservesGoals(p)
}

// preservesKinds reports whether p maps fluents to fluents, roles to roles, and moves of a role to moves of its image.
func (s *symmetrySearch) preservesKinds(p permutation) bool {
	within := func(points permutation, from, count int) bool {
		return !slices.ContainsFunc(points, func(to int32) bool {
			return int(to) < from || int(to) >= from+count
		})
	}
	for r, row := range s.game.Does {
		image := int(p[s.roles+r]) - s.roles
		if image < 0 || !within(p[s.moves[r]:s.moves[r]+len(row)], s.moves[image], len(s.game.Does[image])) {
			return false
		}
	}
	return within(p[:len(s.game.Fluents)], 0, len(s.game.Fluents))
}

// preservesGoals reports whether the goals of each role become the goals of its image.
func (s *symmetrySearch) preservesGoals(p permutation) bool {
	left, right := make([]Goal, 0, len(s.game.Goals)), slices.Clone(s.game.Goals)
	for _, goal := range s.game.Goals {
		image := machine.Role(int(p[s.roles+int(goal.Role)]) - s.roles)
		left = append(left, Goal{image, goal.Value, s.image.Lookup(goal.When)})
	}
	order := func(a, b Goal) int {
		return slices.Compare([]int{int(a.Role), int(a.Value), int(a.When)}, []int{int(b.Role), int(b.Value), int(b.When)})
	}
	slices.SortFunc(left, order)
	slices.SortFunc(right, order)
	return slices.Equal(left, right)
}

// symmetry converts p to numbers of fluents, roles and moves.
func (s *symmetrySearch) symmetry(p permutation) facts.Symmetry {
	y := facts.Symmetry{Fluents: p[:len(s.game.Fluents)]}
	for r, row := range s.game.Does {
		role := int(p[s.roles+r]) - s.roles
		moves := make([]machine.Move, len(row))
		for m := range moves {
			moves[m] = machine.Move(int(p[s.moves[r]+m]) - s.moves[role])
		}
		y.Roles = append(y.Roles, machine.Role(role))
		y.Moves = append(y.Moves, moves)
	}
	return y
}
