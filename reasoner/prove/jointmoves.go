package prove

import (
	"fmt"
	"slices"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Joint moves, as the cases that induction distinguishes. Roles have moves that go together:
// those of their own turn, and waiting. Most joint moves contradict themselves then, and
// those that are left are about as many as there are moves.

const (
	// maxCases is the number of joint moves up to which each is a case.
	maxCases = 1 << 16
	// maxAlternatives is the number of ways to be true of a signal of which it is asked what
	// follows in each of them.
	maxAlternatives = 16
	// maxImplied is the number of literals that are looked at for what a conjunction implies.
	maxImplied = 1 << 12
)

// option is a legal move of a role, and what is true where it is.
type option struct {
	move     machine.Move
	does     logic.Lit   // that it is made, in an unrolling
	literals []logic.Lit // over fluents, ascending
	others   []logic.Lit // signals of the unrolling
}

// turn is a set of joint moves: all of one option of each role.
type turn struct {
	options  [][]option  // by role
	literals []logic.Lit // over fluents, that all of them imply
	at       []int       // by role: the option of the joint move that is looked at
}

// joinTurns lists the joint moves, of the parts of the moves of each role; none if they are too
// many. Literals contradict each other where excluded says so.
func joinTurns(parts [][][]option, excluded func(literals []logic.Lit) bool) []*turn {
	list := []*turn{{}}
	for _, own := range parts {
		var longer []*turn
		for _, t := range list {
			for _, part := range own {
				if literals := merge(t.literals, common(part)); !excluded(literals) {
					longer = append(longer, &turn{append(slices.Clip(t.options), part), literals, make([]int, len(parts))})
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

// joint is the joint move that is looked at.
func (t *turn) joint() []option {
	list := make([]option, len(t.at))
	for r, i := range t.at {
		list[r] = t.options[r][i]
	}
	return list
}

// next goes on to the next joint move; false after the last one.
func (t *turn) next() bool {
	for r := range t.at {
		if t.at[r]++; t.at[r] < len(t.options[r]) {
			return true
		}
		t.at[r] = 0
	}
	return false
}

// implication tells what follows from signals of a game.
type implication struct{ *unrolling }

// partition divides the moves of a role by those literals that most of them imply.
func (im implication) partition(r int) [][]option {
	var options []option
	count := map[logic.Lit]int{}
	for m, does := range im.Does(0, r) {
		if does == logic.False {
			continue
		}
		o := im.of(im.game.Legal[r][m])
		o.move, o.does = machine.Move(m), does
		options = append(options, o)
		for _, l := range o.literals {
			count[l]++
		}
	}
	var parts [][]option
	place := map[string]int{}
	for _, o := range options {
		most := slices.DeleteFunc(slices.Clone(o.literals), func(l logic.Lit) bool { return 2*count[l] <= len(options) })
		key := fmt.Sprint(most)
		at, ok := place[key]
		if !ok {
			at = len(parts)
			place[key], parts = at, append(parts, nil)
		}
		parts[at] = append(parts[at], o)
	}
	return parts
}

// of is what follows from a signal of the game: literals over fluents, and the other signals of
// which it is the conjunction.
func (im implication) of(l logic.Lit) option {
	literals, others := im.conjuncts(l)
	o := option{literals: literals}
	for _, l := range others {
		if operands := im.game.Net.Operands(l.Node()); len(operands) <= maxAlternatives {
			o.literals = append(o.literals, im.inEach(operands)...)
		}
		o.others = append(o.others, im.At(0, l))
	}
	slices.Sort(o.literals)
	o.literals = slices.Compact(o.literals)
	return o
}

// inEach lists the literals that follow from the complement of each of some signals.
func (im implication) inEach(signals []logic.Lit) []logic.Lit {
	all, _ := im.conjuncts(signals[0].Not())
	for _, l := range signals[1:] {
		if len(all) == 0 {
			return nil
		}
		some, _ := im.conjuncts(l.Not())
		all = slices.DeleteFunc(all, func(l logic.Lit) bool { return !slices.Contains(some, l) })
	}
	return all
}

// conjuncts takes a conjunction apart: into literals over fluents, and disjunctions. Of the largest
// it leaves out some.
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

// common are the literals that all options imply.
func common(options []option) []logic.Lit {
	all := slices.Clone(options[0].literals)
	for _, o := range options[1:] {
		all = logic.Intersect(all, o.literals)
	}
	return all
}

func merge(a, b []logic.Lit) []logic.Lit {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
