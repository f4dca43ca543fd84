package prove

import (
	"fmt"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Joint moves are the cases of induction. The moves of a role are divided into parts, such as the moves of its own
// turn and noop. Most combinations of parts of different roles contradict each other, so there are about as many
// joint moves as moves.

const (
	// maxCases bounds the joint moves that are checked separately.
	maxCases = 1 << 16
	// maxAlternatives bounds the alternatives of a disjunction that are searched for common consequences.
	maxAlternatives = 16
	// maxImplied bounds the literals that are examined as consequences of a conjunction.
	maxImplied = 1 << 12
)

// option is a move of a role with the consequences of its legality.
type option struct {
	move     machine.Move
	does     logic.Lit   // the move as a signal of the unrolling
	literals []logic.Lit // implied literals over fluents, ascending
	others   []logic.Lit // implied signals of the unrolling
}

// product is a set of joint moves: the Cartesian product of one list of options for each role.
type product struct {
	options  [][]option  // by role
	literals []logic.Lit // common literals over fluents of all options
	index    []int       // by role: the option of the current joint move
}

// newProducts combines parts of the moves of all roles, and leaves out products whose common literals are excluded.
// It returns nil if there are more than maxCases joint moves.
func newProducts(parts [][][]option, excluded func(literals []logic.Lit) bool) []*product {
	list := []*product{{}}
	for _, own := range parts {
		var longer []*product
		for _, t := range list {
			for _, part := range own {
				if literals := merge(t.literals, common(part)); !excluded(literals) {
					longer = append(longer, &product{append(slices.Clip(t.options), part), literals, make([]int, len(parts))})
				}
			}
			if len(longer) > maxCases {
				return nil
			}
		}
		list = longer
	}
	cases := 0
	for _, t := range list {
		n := 1
		for _, options := range t.options {
			n = min(n*len(options), maxCases+1)
		}
		cases += n
	}
	if cases > maxCases {
		return nil
	}
	return list
}

// current returns the current joint move.
func (t *product) current() []option {
	list := make([]option, len(t.index))
	for r, i := range t.index {
		list[r] = t.options[r][i]
	}
	return list
}

// next selects the next joint move; it returns false after the last.
func (t *product) next() bool {
	for r := range t.index {
		if t.index[r]++; t.index[r] < len(t.options[r]) {
			return true
		}
		t.index[r] = 0
	}
	return false
}

// implication computes consequences of signals of a game.
type implication struct{ *unrolling }

// partition divides the moves of a role by their frequent literals: each such literal follows from more than half of
// the moves.
func (im implication) partition(r int) [][]option {
	var options []option
	count := map[logic.Lit]int{}
	for m, does := range im.does(0, r) {
		if does == logic.False {
			continue
		}
		o := im.consequences(im.game.Legal[r][m])
		o.move, o.does = machine.Move(m), does
		options = append(options, o)
		for _, l := range o.literals {
			count[l]++
		}
	}
	var parts [][]option
	indices := map[string]int{}
	for _, o := range options {
		most := slices.DeleteFunc(slices.Clone(o.literals), func(l logic.Lit) bool { return 2*count[l] <= len(options) })
		key := fmt.Sprint(most)
		index, ok := indices[key]
		if !ok {
			index = len(parts)
			indices[key], parts = index, append(parts, nil)
		}
		parts[index] = append(parts[index], o)
	}
	return parts
}

// consequences returns literals over fluents that follow from a signal of the game, and the other signals of which it
// is the conjunction.
func (im implication) consequences(l logic.Lit) option {
	literals, others := im.conjuncts(l)
	o := option{literals: literals}
	for _, l := range others {
		if operands := im.game.Net.Operands(l.Node()); len(operands) <= maxAlternatives {
			o.literals = append(o.literals, im.impliedByEach(operands)...)
		}
		o.others = append(o.others, im.SignalAt(0, l))
	}
	slices.Sort(o.literals)
	o.literals = slices.Compact(o.literals)
	return o
}

// impliedByEach returns the literals that follow from the complement of each signal.
func (im implication) impliedByEach(signals []logic.Lit) []logic.Lit {
	common, _ := im.conjuncts(signals[0].Not())
	for _, l := range signals[1:] {
		if len(common) == 0 {
			return nil
		}
		implied, _ := im.conjuncts(l.Not())
		common = slices.DeleteFunc(common, func(l logic.Lit) bool { return !slices.Contains(implied, l) })
	}
	return common
}

// conjuncts splits a conjunction into literals over fluents and disjunctions. It examines at most maxImplied signals.
func (im implication) conjuncts(l logic.Lit) (literals, others []logic.Lit) {
	net := im.game.Net
	for l := range net.Implied(l, maxImplied) {
		switch i := l.Node(); {
		case i > 0 && int(i) <= len(im.game.Fluents):
			literals = append(literals, l)
		case l.Complemented() && net.Op(i) == logic.OpAnd:
			others = append(others, l)
		}
	}
	return literals, others
}

// common returns the literals that all options imply.
func common(options []option) []logic.Lit {
	shared := slices.Clone(options[0].literals)
	for _, o := range options[1:] {
		shared = logic.Intersect(shared, o.literals)
	}
	return shared
}

func merge(a, b []logic.Lit) []logic.Lit {
	merged := slices.Concat(a, b)
	slices.Sort(merged)
	return slices.Compact(merged)
}
