package choice

import (
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Union builds disjunctions over first parts, of which exactly one is true. A family is the set of all parts with given
// words at given positions. anyOf finds the smallest family that contains the parts. If it excludes fewer members than
// it has parts, the result is the cached disjunction of the family without the excluded members. Cost: linear in the
// family.
type Union struct {
	net      gates
	parts    *Parts
	lits     []logic.Lit // by first part: input or chosen value
	families map[string]*family
	marked   []bool // by first part: scratch of anyOf
}

// family is the set of parts that agree in some words, and their disjunction.
type family struct {
	members     []int32
	disjunction logic.Lit
}

// NewUnion returns the union over the inputs First.
func NewUnion(net *logic.Network, p *Parts) *Union { return newUnion(gates{net}, p, p.First) }

func newUnion(net gates, p *Parts, lits []logic.Lit) *Union {
	return &Union{net: net, parts: p, lits: lits, families: make(map[string]*family), marked: make([]bool, len(lits))}
}

// anyWord stands for words in which the parts of a family differ.
const anyWord = -1

// familyOf returns the smallest family that contains the parts, or nil if their texts have different lengths.
func (u *Union) familyOf(parts []int32) *family {
	pattern := slices.Clone(u.parts.Texts[parts[0]])
	for _, p := range parts[1:] {
		text := u.parts.Texts[p]
		if len(text) != len(pattern) {
			return nil
		}
		for i, w := range text {
			if pattern[i] != w {
				pattern[i] = anyWord
			}
		}
	}
	key := keyOf(pattern)
	f, ok := u.families[key]
	if !ok {
		f = &family{}
		var lits []logic.Lit
		for p, text := range u.parts.Texts {
			if matches(text, pattern) {
				f.members = append(f.members, int32(p))
				lits = append(lits, u.lits[p])
			}
		}
		f.disjunction = u.net.Or(lits...)
		u.families[key] = f
	}
	return f
}

func matches(text, pattern []int32) bool {
	return slices.EqualFunc(text, pattern, func(w, p int32) bool { return w == p || p == anyWord })
}

// anyOf returns the disjunction of the parts. Parts that satisfy free are don't-cares.
func (u *Union) anyOf(parts []int32, free func(p int32) bool) logic.Lit {
	if len(parts) == 1 {
		return u.lits[parts[0]]
	}
	if f := u.familyOf(parts); f != nil {
		for _, p := range parts {
			u.marked[p] = true
		}
		var others []logic.Lit
		for _, p := range f.members {
			if !u.marked[p] && !free(p) {
				others = append(others, u.lits[p])
			}
		}
		for _, p := range parts {
			u.marked[p] = false
		}
		if len(others) < len(parts) {
			return u.net.And(f.disjunction, u.net.Or(others...).Not())
		}
	}
	lits := make([]logic.Lit, len(parts))
	for i, p := range parts {
		lits[i] = u.lits[p]
	}
	return u.net.Or(lits...)
}

func noneFree(int32) bool { return false }

// Made returns the condition that one of the sorted moves is made. It covers them by whole first parts, whole
// second parts, and products of first and second parts.
func (u *Union) Made(moves []int32) logic.Lit {
	if len(moves) == 1 {
		return u.Move(moves[0])
	}
	p := u.parts
	var count [2]map[int32]int
	for side := range count {
		count[side] = make(map[int32]int)
		for _, m := range moves {
			count[side][p.Pair[m][side]]++
		}
	}
	size := func(side int, part int32) int {
		if side == 0 {
			return len(p.FirstMoves[part])
		}
		return len(p.SecondMoves[part])
	}
	var covered [2]int
	for side := range covered {
		for part, n := range count[side] {
			if n == size(side, part) {
				covered[side] += n
			}
		}
	}
	order := [2]int{0, 1}
	if covered[1] > covered[0] {
		order = [2]int{1, 0}
	}
	remaining := moves
	var whole [2][]int32
	for _, side := range order {
		remaining = slices.DeleteFunc(slices.Clone(remaining), func(m int32) bool {
			part := p.Pair[m][side]
			if count[side][part] != size(side, part) {
				return false
			}
			whole[side] = append(whole[side], part)
			return true
		})
		slices.Sort(whole[side])
		whole[side] = slices.Compact(whole[side])
	}
	terms := u.products(remaining)
	if len(whole[0]) > 0 {
		terms = append(terms, u.anyOf(whole[0], noneFree))
	}
	for _, part := range whole[1] {
		terms = append(terms, p.Second[part])
	}
	return u.net.Or(terms...)
}

// Move returns the condition that move m is made.
func (u *Union) Move(m int32) logic.Lit {
	pair := u.parts.Pair[m]
	return u.net.And(u.lits[pair[0]], u.parts.Second[pair[1]])
}

// products returns the disjunctions of moves by second part; second parts with equal unions of first parts share a
// product.
func (u *Union) products(moves []int32) []logic.Lit {
	p := u.parts
	firsts := make(map[int32][]int32) // by second part
	var order []int32
	for _, m := range moves {
		q := p.Pair[m][1]
		if firsts[q] == nil {
			order = append(order, q)
		}
		firsts[q] = append(firsts[q], p.Pair[m][0])
	}
	slices.Sort(order)
	unions := make(map[logic.Lit][]logic.Lit) // second parts by the union of their first parts
	var out, terms []logic.Lit
	for _, q := range order {
		here := make(map[int32]bool, len(p.SecondMoves[q]))
		for _, m := range p.SecondMoves[q] {
			here[p.Pair[m][0]] = true
		}
		l := u.anyOf(firsts[q], func(part int32) bool { return !here[part] })
		if unions[l] == nil {
			out = append(out, l)
		}
		unions[l] = append(unions[l], p.Second[q])
	}
	for _, l := range out {
		terms = append(terms, u.net.And(l, u.net.Or(unions[l]...)))
	}
	return terms
}
