package circuit

import (
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Colour refinement, for the symmetries of symmetry.go: points that the rules distinguish get different colours. A
// colour is a hash. A round mixes into the colour of each input
//
//   - the colours of its users: a backward sweep sums, for each node, the colours of the gates and outputs that use it;
//   - the colour of its own output, next or legal: a forward sweep computes the colours of gates from the inputs;
//   - for a move, the colour of its role. The colour of a role is mixed with its goals and moves.
//
// Rounds repeat until the number of colours is stable.
//
// Cost of a round: each gate and operand twice, and sorting the colours.

// sortCost is the budget for sorting a colour in a round.
const sortCost = 10

func (s *symmetrySearch) sweepCost() int {
	return s.game.Net.OperandCount() + s.game.Net.Len() + sortCost*s.points
}

// initialColours returns the colouring before the first round. Fluents, moves and roles have different colours, and so
// have chance and players.
//
// Inputs without users could be exchanged freely if their own outputs are equal (next signal and initial value of
// fluents, legal signal of moves): many useless symmetries. So such inputs are numbered, and get different colours.
func (s *symmetrySearch) initialColours() []uint64 {
	g := s.game
	type kind struct {
		of      logic.Lit
		initial bool
	}
	uses := g.uses()
	rank := func(input logic.Lit, ranks map[kind]uint64, k kind) uint64 {
		if uses[input.Node()] > 0 {
			return 0
		}
		ranks[k]++
		return ranks[k]
	}
	colours := make([]uint64, s.points)
	ranks := make(map[kind]uint64)
	for f, next := range g.Next {
		colours[f] = mix(fromFluent, rank(g.Fluents[f], ranks, kind{next, g.Initial.Has(f)}))
	}
	for r, row := range g.Legal {
		ranks := make(map[kind]uint64)
		for m, legal := range row {
			colours[s.moves[r]+m] = mix(fromMove, rank(g.Does[r][m], ranks, kind{legal, false}))
		}
		chance := uint64(0)
		if machine.Role(r) == g.Names.Chance() {
			chance = 1
		}
		colours[s.roles+r] = mix(fromRole, chance)
	}
	return colours
}

// The tags of colours, by source.
const (
	fromGate = iota + 1
	fromComplement
	fromFluent
	fromMove
	fromRole
	fromOutput
	fromTerminal
	fromGoal
	fromChoice
)

// mix combines two colours; the order matters.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, bits.RotateLeft64(b, 32)^0xd1b54a32d192ed03)
	return hi ^ lo ^ bits.RotateLeft64(a, 17)
}

// literalColour returns the colour of a literal from the colour of its node.
func literalColour(l logic.Lit, node uint64) uint64 {
	if l.Complemented() {
		return mix(fromComplement, node)
	}
	return node
}

// individualise returns a copy of colours with a new colour for point at.
func individualise(colours []uint64, at int) []uint64 {
	colours = slices.Clone(colours)
	colours[at] = mix(fromChoice, colours[at])
	return colours
}

// refine splits colours until their number is stable. It returns false if the budget ends.
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

// count returns the number of different colours.
func (s *symmetrySearch) count(colours []uint64) int {
	s.sorted = append(s.sorted[:0], colours...)
	slices.Sort(s.sorted)
	return len(slices.Compact(s.sorted))
}

// sweep computes the colours of all nodes from the inputs (forward), and the colours of their users (backward).
func (s *symmetrySearch) sweep(colours []uint64) {
	net := s.game.Net
	s.budget -= s.sweepCost()
	clear(s.backward)
	for i, l := range s.inputs {
		s.forward[l.Node()] = colours[i]
	}
	for i := range int32(net.Len()) {
		if net.Op(i) == logic.OpAnd {
			sum := uint64(0)
			for _, l := range net.Operands(i) {
				sum += mix(fromGate, literalColour(l, s.forward[l.Node()]))
			}
			s.forward[i] = mix(fromGate, sum)
		}
	}
	send := func(l logic.Lit, place, colour uint64) { s.backward[l.Node()] += mix(place, literalColour(l, colour)) }
	for i, l := range s.outputs {
		send(l, fromOutput, colours[i])
	}
	send(s.game.Terminal, fromTerminal, 0)
	for _, goal := range s.game.Goals {
		send(goal.When, fromGoal, mix(colours[s.roles+int(goal.Role)], uint64(goal.Value)))
	}
	for i := int32(net.Len()) - 1; i > 0; i-- {
		at := mix(s.forward[i], s.backward[i])
		for _, l := range net.Operands(i) {
			send(l, fromGate, at)
		}
	}
}

// recolour mixes the results of a sweep into the colours.
func (s *symmetrySearch) recolour(colours []uint64) {
	for i, l := range s.inputs {
		output := s.outputs[i]
		c := mix(colours[i], literalColour(output, s.forward[output.Node()]))
		colours[i] = mix(c, s.backward[l.Node()])
	}
	roles := make([]uint64, len(s.game.Does))
	for _, goal := range s.game.Goals {
		roles[goal.Role] += mix(uint64(goal.Value), literalColour(goal.When, s.forward[goal.When.Node()]))
	}
	for r, row := range s.game.Does {
		role := colours[s.roles+r]
		for m := range row {
			i := s.moves[r] + m
			colours[i] = mix(colours[i], role)
			roles[r] += mix(fromRole, colours[i])
		}
		colours[s.roles+r] = mix(role, roles[r])
	}
}

// nextPoint returns the point to individualise next: the first role that shares its colour, otherwise the first input
// of a smallest shared colour class. It returns -1 if all colours differ.
func (s *symmetrySearch) nextPoint(colours []uint64) int {
	size := make(map[uint64]int, len(colours))
	for _, c := range colours {
		size[c]++
	}
	best := -1
	for i := range colours {
		i = (s.roles + i) % s.points
		if n := size[colours[i]]; n > 1 && (best < 0 || n < size[colours[best]]) {
			if best = i; i >= s.roles {
				break
			}
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
