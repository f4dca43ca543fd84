package choice

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Parts is the move table of a role, with each move split into two parts. Parts are numbered by first occurrence.
type Parts struct {
	First, Second []logic.Lit // by part: input, true if the role's move has the part
	Head          []logic.Lit // by first part
	Tail          []logic.Lit // by move; a move is legal if its tail and the head of its first part are true

	Pair        [][2]int32 // by move: its parts
	FirstMoves  [][]int32  // by first part: the moves, ascending
	SecondMoves [][]int32  // by second part: the moves, ascending
	Texts       [][]int32  // by first part: its words, as numbers

	Random []logic.Lit    // random inputs of the choice
	Chosen [2][]logic.Lit // outputs of the choice: values for First and Second
}

// NewParts returns a table without conditions, from the parts of each move and the numbers of first and second
// parts.
func NewParts(pairs [][2]int32, count [2]int, texts [][]int32) *Parts {
	p := &Parts{
		First: make([]logic.Lit, count[0]), Second: make([]logic.Lit, count[1]), Pair: pairs, Texts: texts,
		FirstMoves: make([][]int32, count[0]), SecondMoves: make([][]int32, count[1]),
	}
	for m, parts := range pairs {
		p.FirstMoves[parts[0]] = append(p.FirstMoves[parts[0]], int32(m))
		p.SecondMoves[parts[1]] = append(p.SecondMoves[parts[1]], int32(m))
	}
	return p
}

const (
	// LeastMoves is the least size of a table that is split. In smaller tables a choice with a row for each move is as
	// fast (BenchmarkPhases).
	LeastMoves = 100
	// Costs of the choice in gates of three inputs: of a first part, a second part, a move, and a move with its own
	// row.
	firstCost, secondCost, moveCost, wholeCost = 20, 12, 3, 10
)

// Common returns, by first part, the literals common to the legal conditions of its moves. It ignores moves that are
// never legal.
func (p *Parts) Common(net *logic.Network, legal []logic.Lit) [][]logic.Lit {
	common := make([][]logic.Lit, len(p.FirstMoves))
	for part, moves := range p.FirstMoves {
		started := false
		for _, m := range moves {
			switch {
			case legal[m] == logic.False:
			case started:
				common[part] = logic.Intersect(common[part], net.Conjuncts(legal[m]))
			default:
				common[part], started = slices.Clone(net.Conjuncts(legal[m])), true
			}
		}
	}
	return common
}

// Divide sets the heads and tails. and builds a conjunction; common holds the common literals of each first part.
func (p *Parts) Divide(net *logic.Network, legal []logic.Lit, common [][]logic.Lit, and func([]logic.Lit) logic.Lit) {
	p.Head, p.Tail = make([]logic.Lit, len(p.First)), make([]logic.Lit, len(p.Pair))
	for part, lits := range common {
		if len(p.FirstMoves[part]) > 0 {
			p.Head[part] = and(lits)
		}
	}
	for m, l := range legal {
		if l != logic.False {
			p.Tail[m] = and(logic.Difference(net.Conjuncts(l), common[p.Pair[m][0]]))
		}
	}
}

// Legal returns, by first part, the condition that a move with it is legal.
func (p *Parts) Legal(net *logic.Network) []logic.Lit {
	legal := make([]logic.Lit, len(p.Head))
	for part, moves := range p.FirstMoves {
		tails := make([]logic.Lit, len(moves))
		for i, m := range moves {
			tails[i] = p.Tail[m]
		}
		legal[part] = net.And(p.Head[part], net.Or(tails...))
	}
	return legal
}

// Waiting returns the first part of the only move of a role while mine is false, or -1.
func (p *Parts) Waiting(net *logic.Network, mine logic.Lit) int {
	for part, moves := range p.FirstMoves {
		if len(moves) == 1 && p.Tail[moves[0]] == logic.True && net.Implies(p.Head[part], mine.Not()) {
			return part
		}
	}
	return -1
}
