package circuit

import (
	"math/bits"
	"slices"
	"sync"

	"stackmate/reasoner/machine"
)

// Symmetries of the rules, found on the network.
//
// Inputs (fluents and moves) and roles get colours such that symmetric ones have
// equal colours: a colour is refined by the function that the network computes of
// the colours (a sweep forwards), by where its results go (a sweep backwards),
// and by the next, legal and goal signals that belong to the input, until no more
// colours appear (colour refinement). Then one input of the first colour that
// several have is told apart, once on the left, and once, for each candidate
// image, on the right; both sides are refined and so on, until all colours differ
// and match the inputs of the left with those of the right (individualisation
// and refinement: McKay, "Practical graph isomorphism", 1981).
//
// Colours are hashes and only guess. A match is a symmetry if the network, built
// anew over the images of its inputs, is the same network: gates are unique
// (structural hashing), so each output must be the very gate that belongs to its
// image. That proves the symmetry for every state, reachable or not. Symmetries
// that sharing hides are not found; so this runs on the network as it was before
// logic was shared.
//
// Cost: two sweeps for each round of a refinement, a few rounds for each
// symmetry; the budget bounds it.

const (
	// maxSymmetries bounds the symmetries returned, the identity left out.
	maxSymmetries = 31
	// symmetryBudget is the number of gates and operands that the search may visit:
	// about a tenth of a second.
	symmetryBudget = 1e7
	// sorting is what a colour costs in a round, in units of the budget.
	sorting = 10
)

// symmetries returns a function that finds the symmetries of the game, see
// machine.Machine, and remembers them. It keeps no game that is too large for it.
func (g *Game) symmetries() func() []machine.Symmetry {
	if g.plain != nil {
		g = g.plain
	}
	if len(g.Net.fan) > symmetryBudget/50 {
		return func() []machine.Symmetry { return nil }
	}
	return sync.OnceValue(g.findSymmetries)
}

// findSymmetries finds all symmetries without the identity, or some if there are
// many or the search exceeds its budget. Of those that differ in moves alone it
// returns one.
func (g *Game) findSymmetries() []machine.Symmetry {
	if len(g.Net.def) > 0 {
		return nil // the variables of loops are not determined by their operands
	}
	s := newSymmetrySearch(removeDead(g.spread()))
	start := s.start()
	s.refine(start)
	s.match(start, slices.Clone(start))
	return s.found
}

// spread merges gates into all their users where both are conjunctions, within
// reason: whatever the rules conjoin in one order or another becomes one gate.
func (g *Game) spread() *Game {
	const limit = 32
	return g.rebuild(func(h *Game, _ int32, operands []Lit) Lit {
		var flat []Lit
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

// symmetrySearch looks for symmetries of one game. Its colours are those of the
// fluents, then of the moves by role, then of the roles.
type symmetrySearch struct {
	game    *Game
	colours int
	moves   []int // where the colours of the moves of each role begin
	budget  int

	forward, backward []uint64 // by node
	sorted, other     []uint64
	image             []Lit // by node
	found             []machine.Symmetry
}

func newSymmetrySearch(g *Game) *symmetrySearch {
	s := &symmetrySearch{game: g, budget: symmetryBudget, colours: len(g.Fluents)}
	for _, row := range g.Does {
		s.moves = append(s.moves, s.colours)
		s.colours += len(row)
	}
	s.colours += len(g.Does)
	s.forward, s.backward = make([]uint64, g.Net.Len()), make([]uint64, g.Net.Len())
	s.image = make([]Lit, g.Net.Len())
	return s
}

// start is what colours begin with: chance, and for inputs on which nothing
// depends the rank among those that are equal, so that symmetries which only
// exchange these are not found. Such fluents are equal if their next signals and
// initial values are, moves if their legal signals are.
func (s *symmetrySearch) start() []uint64 {
	g := s.game
	colours := make([]uint64, s.colours)
	type kind struct {
		of      Lit
		initial bool
	}
	uses := g.uses()
	rank := func(input Lit, ranks map[kind]uint64, k kind) uint64 {
		if uses[input.Node()] > 0 {
			return 0
		}
		ranks[k]++
		return ranks[k]
	}
	ranks := make(map[kind]uint64)
	for f, next := range g.Next {
		colours[f] = rank(g.Fluents[f], ranks, kind{next, g.Initial.Has(f)})
	}
	for r, row := range g.Legal {
		ranks := make(map[kind]uint64)
		for m, legal := range row {
			colours[s.moves[r]+m] = rank(g.Does[r][m], ranks, kind{legal, false})
		}
		if g.Names.Roles[r] == machine.RandomRole {
			colours[s.roleColour(r)] = 1
		}
	}
	return colours
}

func (s *symmetrySearch) roleColour(r int) int { return s.colours - len(s.game.Does) + r }

// The places that a colour can come from.
const (
	fromGate = iota + 1
	fromComplement
	fromFluent
	fromMove
	fromRole
	fromNext
	fromLegal
	fromTerminal
	fromGoal
)

// blend mixes two colours; the order matters.
func blend(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, bits.RotateLeft64(b, 32)^0xd1b54a32d192ed03)
	return hi ^ lo ^ bits.RotateLeft64(a, 17)
}

// colour is that of a literal whose node has the given colour.
func (l Lit) colour(node uint64) uint64 {
	if l.Complemented() {
		return blend(fromComplement, node)
	}
	return node
}

// refine splits colours until their number stays the same. It returns false if
// the budget is used up.
func (s *symmetrySearch) refine(colours []uint64) bool {
	count := s.count(colours)
	for s.budget > 0 {
		s.sweep(colours)
		s.recolour(colours)
		before := count
		if count = s.count(colours); count == before {
			return true
		}
	}
	return false
}

// count is the number of different colours.
func (s *symmetrySearch) count(colours []uint64) int {
	s.sorted = append(s.sorted[:0], colours...)
	slices.Sort(s.sorted)
	return len(slices.Compact(s.sorted))
}

// sweep computes what the network makes of the colours of the inputs, and where
// the results go.
func (s *symmetrySearch) sweep(colours []uint64) {
	g, net := s.game, s.game.Net
	s.budget -= len(net.fan) + net.Len() + sorting*s.colours
	clear(s.backward)
	for f, l := range g.Fluents {
		s.forward[l.Node()] = blend(fromFluent, colours[f])
	}
	for r, row := range g.Does {
		for m, l := range row {
			s.forward[l.Node()] = blend(fromMove, colours[s.moves[r]+m])
		}
	}
	for i := range int32(net.Len()) {
		if net.op[i] == OpAnd {
			sum := uint64(0)
			for _, l := range net.Operands(i) {
				sum += blend(fromGate, l.colour(s.forward[l.Node()]))
			}
			s.forward[i] = blend(fromGate, sum)
		}
	}
	send := func(l Lit, place, colour uint64) { s.backward[l.Node()] += blend(place, l.colour(colour)) }
	for f, l := range g.Next {
		send(l, fromNext, colours[f])
	}
	for r, row := range g.Legal {
		for m, l := range row {
			send(l, fromLegal, colours[s.moves[r]+m])
		}
	}
	send(g.Terminal, fromTerminal, 0)
	for _, goal := range g.Goals {
		send(goal.When, fromGoal, blend(colours[s.roleColour(int(goal.Role))], uint64(goal.Value)))
	}
	for i := int32(net.Len()) - 1; i > 0; i-- {
		at := blend(s.forward[i], s.backward[i])
		for _, l := range net.Operands(i) {
			send(l, fromGate, at)
		}
	}
}

// recolour refines the colours by what the sweep found.
func (s *symmetrySearch) recolour(colours []uint64) {
	g := s.game
	roles := make([]uint64, len(g.Does))
	for _, goal := range g.Goals {
		roles[goal.Role] += blend(uint64(goal.Value), goal.When.colour(s.forward[goal.When.Node()]))
	}
	for f, l := range g.Fluents {
		next := g.Next[f]
		c := blend(colours[f], next.colour(s.forward[next.Node()]))
		colours[f] = blend(c, s.backward[l.Node()])
	}
	for r, row := range g.Does {
		role := colours[s.roleColour(r)]
		for m, l := range row {
			legal := g.Legal[r][m]
			c := blend(colours[s.moves[r]+m], legal.colour(s.forward[legal.Node()]))
			c = blend(blend(c, s.backward[l.Node()]), role)
			colours[s.moves[r]+m] = c
			roles[r] += blend(fromRole, c)
		}
		colours[s.roleColour(r)] = blend(role, roles[r])
	}
}

// match tells inputs apart until the colours of the left and of the right pair
// them off, in every way that there is. It returns false when it has to stop.
func (s *symmetrySearch) match(left, right []uint64) bool {
	at := s.first(left)
	if at < 0 {
		s.take(left, right)
		return len(s.found) < maxSymmetries
	}
	const apart = 1
	l := slices.Clone(left)
	l[at] = blend(apart, l[at])
	if !s.refine(l) {
		return false
	}
	for to, colour := range right {
		if colour != left[at] {
			continue
		}
		r := slices.Clone(right)
		r[to] = blend(apart, colour)
		if !s.refine(r) {
			return false
		}
		if s.sameColours(l, r) && !s.match(l, r) {
			return false
		}
	}
	return true
}

// first is the first of the smallest set of inputs that share a colour; -1 if all
// colours differ.
func (s *symmetrySearch) first(colours []uint64) int {
	size := make(map[uint64]int, len(colours))
	for _, c := range colours {
		size[c]++
	}
	best := -1
	for i, c := range colours {
		if size[c] > 1 && (best < 0 || size[c] < size[colours[best]]) {
			best = i
		}
	}
	return best
}

func (s *symmetrySearch) sameColours(left, right []uint64) bool {
	s.sorted = append(s.sorted[:0], left...)
	s.other = append(s.other[:0], right...)
	slices.Sort(s.sorted)
	slices.Sort(s.other)
	return slices.Equal(s.sorted, s.other)
}

// take adds the symmetry that the colours describe, if it is one and new.
func (s *symmetrySearch) take(left, right []uint64) {
	to := make(map[uint64]int, len(right))
	for i, c := range right {
		to[c] = i
	}
	y := machine.Symmetry{Fluents: make([]int32, len(s.game.Fluents))}
	identity := true
	for f := range y.Fluents {
		image := to[left[f]]
		y.Fluents[f] = int32(image)
		identity = identity && image == f
	}
	for r := range s.game.Does {
		image := to[left[s.roleColour(r)]] - s.roleColour(0)
		y.Roles = append(y.Roles, machine.Role(image))
		identity = identity && image == r
	}
	for r, row := range s.game.Does {
		moves := make([]machine.Move, len(row))
		for m := range moves {
			moves[m] = machine.Move(to[left[s.moves[r]+m]] - s.moves[y.Roles[r]])
		}
		y.Moves = append(y.Moves, moves)
	}
	same := func(x machine.Symmetry) bool {
		return slices.Equal(x.Fluents, y.Fluents) && slices.Equal(x.Roles, y.Roles)
	}
	if !identity && !slices.ContainsFunc(s.found, same) && s.proves(y) {
		s.found = append(s.found, y)
	}
}

// proves tells whether y is a symmetry: whether the network over the images of
// the inputs is the same network.
func (s *symmetrySearch) proves(y machine.Symmetry) bool {
	g, net := s.game, s.game.Net
	for f, image := range y.Fluents {
		s.image[g.Fluents[f].Node()] = g.Fluents[image]
	}
	for r, row := range y.Moves {
		for m, image := range row {
			if image < 0 || int(image) >= len(g.Does[y.Roles[r]]) {
				return false
			}
			s.image[g.Does[r][m].Node()] = g.Does[y.Roles[r]][image]
		}
	}
	at := func(l Lit) Lit { return s.image[l.Node()] ^ l&1 }
	s.budget -= len(net.fan) + net.Len() + sorting*s.colours
	var operands []Lit
	for i := range int32(net.Len()) {
		if net.op[i] != OpAnd {
			continue
		}
		operands = operands[:0]
		for _, l := range net.Operands(i) {
			operands = append(operands, at(l))
		}
		slices.Sort(operands)
		node := net.table[net.probe(operands)]
		if node == 0 {
			return false
		}
		s.image[i] = Lit(node) << 1
	}
	for f, l := range g.Next {
		if at(l) != g.Next[y.Fluents[f]] {
			return false
		}
	}
	for r, row := range g.Legal {
		for m, l := range row {
			if at(l) != g.Legal[y.Roles[r]][y.Moves[r][m]] {
				return false
			}
		}
	}
	return at(g.Terminal) == g.Terminal && s.provesGoals(y, at)
}

// provesGoals tells whether the goals of a role are those of its image.
func (s *symmetrySearch) provesGoals(y machine.Symmetry, at func(Lit) Lit) bool {
	left, right := make([]Goal, 0, len(s.game.Goals)), slices.Clone(s.game.Goals)
	for _, goal := range s.game.Goals {
		left = append(left, Goal{y.Roles[goal.Role], goal.Value, at(goal.When)})
	}
	order := func(a, b Goal) int {
		return slices.Compare([]int{int(a.Role), int(a.Value), int(a.When)}, []int{int(b.Role), int(b.Value), int(b.When)})
	}
	slices.SortFunc(left, order)
	slices.SortFunc(right, order)
	return slices.Equal(left, right)
}
