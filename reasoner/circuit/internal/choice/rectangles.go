package choice

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"stackmate/reasoner/circuit/logic"
)

// Tables of moves with three cells are mostly free products: where a piece that has moved to a cell may shoot does not
// depend on its origin, except near the cell that it has left. So the table is divided into rectangles. A rectangle is
// a set of first parts and a set of second parts; the tail of a move in it depends only on the second part:
//
//	legal(m) = head(p) and tail(q)   for the parts p and q of m, both in the rectangle
//
// The number of legal moves in a rectangle is the product of its numbers of true heads and true tails. The choice draws
// a rectangle in proportion to this number, then uniformly a true head and a true tail of the rectangle. Cost in gates
// of three inputs: 4 for each first or second part of a rectangle, and some 20 and a product for each rectangle,
// instead of 3 for each move.
//
// Two rules enlarge rectangles. A pair of a head and a contradicting tail may be in a rectangle, although there is no
// such move. Tails that are equal under a head may replace each other. The search first groups first parts with mostly
// equal tails. Differing tails of a group, such as the cells behind the piece's origin, are cut off, restricted to true
// heads, and combined anew. Cost of the search: linear in moves, times the rectangles of a first part.

// rectangle is the set of all moves with a first part in firsts and a column in columns.
type rectangle struct {
	firsts  []int32
	columns []column
	inside  partSet // firsts, as a set
	never   partSet // first parts that every column contradicts
}

// column is a set of moves with the same second part and tail.
type column struct {
	second int32
	tail   logic.Lit
	firsts partSet
	never  partSet // first parts whose heads contradict the tail
}

// partSet is a set of first parts.
type partSet []uint64

func (s partSet) add(p int32) { s[p>>6] |= 1 << (p & 63) }

func (s partSet) has(p int32) bool { return len(s) > 0 && s[p>>6]>>(p&63)&1 != 0 }

// coveredBy reports whether every element of s is in a or in b.
func (s partSet) coveredBy(a, b partSet) bool {
	for i, w := range s {
		if w&^a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

func (s partSet) members() (out []int32) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, int32(64*i+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// rectangleFinder cuts a table of moves into rectangles.
type rectangleFinder struct {
	net          gates
	parts        *Parts
	implications [][]logic.Lit             // by first part: the literals that its heads, of all roles, imply
	denied       []map[logic.Lit]partSet   // by role and literal: first parts whose heads imply its complement
	absent       []partSet                 // by role: first parts with a false head
	restricted   []map[logic.Lit]logic.Lit // by first part: results of restrict
	conditions   map[logic.Lit][]logic.Lit // by literal: its conditions, for restrict
}

// rectangles divides a table of moves into rectangles, with the given heads by role and first part. It returns nil
// for small tables, and if a choice by first parts costs less.
func (n gates) rectangles(p *Parts, heads [][]logic.Lit) []*rectangle {
	if len(p.Pair) < LeastMoves {
		return nil
	}
	f := &rectangleFinder{net: n, parts: p, restricted: make([]map[logic.Lit]logic.Lit, len(p.First)), conditions: make(map[logic.Lit][]logic.Lit)}
	tails := f.tails()
	if 2*len(tails) > len(p.Pair) {
		return nil // most tails belong to one move
	}
	f.indexHeads(heads)
	columns, shared := f.columns(tails, f.groups(tails))
	best, cost := []*rectangle(nil), moveCost*len(p.Pair)+firstCost*len(p.First)+secondCost*len(p.Second)
	for _, rest := range [][]column{columns[shared:], f.splitByColumns(columns[shared:])} {
		list := f.combine(slices.Concat(columns[:shared], rest))
		if c := costOf(list); c < cost {
			best, cost = list, c
		}
	}
	return best
}

// costOf returns the number of gates of a choice among rectangles.
func costOf(list []*rectangle) (cost int) {
	for _, r := range list {
		a, b := len(r.firsts), len(r.columns)
		cost += firstCost + 4*(a+b) + 3*bits.Len(uint(a))*bits.Len(uint(b))
	}
	return cost
}

func (f *rectangleFinder) newSet() partSet { return make(partSet, (len(f.parts.First)+63)/64) }

// equalTails is the set of moves with the same second part and tail.
type equalTails struct {
	second int32
	tail   logic.Lit
	firsts []int32
}

// tails lists the moves by second part and tail.
func (f *rectangleFinder) tails() (list []equalTails) {
	number := numbering[[2]int32]{}
	for m, t := range f.parts.Tail {
		if t == logic.False {
			continue
		}
		of := f.parts.Pair[m]
		at := number.index([2]int32{of[1], int32(t)})
		if int(at) == len(list) {
			list = append(list, equalTails{second: of[1], tail: t})
		}
		list[at].firsts = append(list[at].firsts, of[0])
	}
	return list
}

// groups returns the leader of each first part: a first part that shares more than half of its tails.
func (f *rectangleFinder) groups(tails []equalTails) []int32 {
	has := make([][]int32, len(f.parts.First)) // by first part: tails
	for i, t := range tails {
		for _, p := range t.firsts {
			has[p] = append(has[p], int32(i))
		}
	}
	groups := make([]int32, len(has))
	leaders := make([][]int32, len(tails)) // by tail: the leaders with it
	common := make([]int, len(has))
	for p, list := range has {
		best := int32(p)
		for _, t := range list {
			for _, l := range leaders[t] {
				if common[l]++; 2*common[l] > max(len(list), len(has[l])) {
					best = l
				}
			}
		}
		for _, t := range list {
			for _, l := range leaders[t] {
				common[l] = 0
			}
			if best == int32(p) {
				leaders[t] = append(leaders[t], best)
			}
		}
		groups[p] = best
	}
	return groups
}

// indexHeads sets implications, denied and absent from the implications of the heads.
func (f *rectangleFinder) indexHeads(heads [][]logic.Lit) {
	f.implications = make([][]logic.Lit, len(f.parts.First))
	known := make([]bool, len(f.implications))
	for role, row := range heads {
		f.denied, f.absent = append(f.denied, make(map[logic.Lit]partSet)), append(f.absent, f.newSet())
		for part, head := range row {
			if head == logic.False {
				f.absent[role].add(int32(part))
				continue
			}
			implied := f.net.Conditions(head)
			for _, l := range implied {
				if f.denied[role][l.Not()] == nil {
					f.denied[role][l.Not()] = f.newSet()
				}
				f.denied[role][l.Not()].add(int32(part))
			}
			if known[part] {
				implied = logic.Intersect(implied, f.implications[part])
			}
			f.implications[part], known[part] = implied, true
		}
	}
}

// contradictions returns the first parts whose heads, for every role, contradict one of the implied literals.
func (f *rectangleFinder) contradictions(implied []logic.Lit) partSet {
	out := f.newSet()
	for role, absent := range f.absent {
		never := slices.Clone(absent)
		for _, l := range implied {
			for i, w := range f.denied[role][l] {
				never[i] |= w
			}
		}
		for i, w := range never {
			if role > 0 {
				w &= out[i]
			}
			out[i] = w
		}
	}
	return out
}

// contradicts reports whether the heads of first part p, for every role, contradict one of the literals.
func (f *rectangleFinder) contradicts(lits []logic.Lit, p int32) bool {
	for role, absent := range f.absent {
		if !absent.has(p) && !slices.ContainsFunc(lits, func(l logic.Lit) bool { return f.denied[role][l].has(p) }) {
			return false
		}
	}
	return true
}

// restrict returns l simplified under the assumption that a head of first part p is true. Results are cached: tails of
// moves along a line contain each other.
func (f *rectangleFinder) restrict(l logic.Lit, p int32) logic.Lit {
	if out, ok := f.restricted[p][l]; ok {
		return out
	}
	if f.restricted[p] == nil {
		f.restricted[p] = make(map[logic.Lit]logic.Lit)
	}
	implied, known := f.conditions[l]
	if !known {
		implied = f.net.Conditions(l)
		f.conditions[l] = implied
	}
	unknown := func(c logic.Lit) bool {
		_, found := slices.BinarySearch(f.implications[p], c)
		return !found
	}
	out := l
	switch {
	case !slices.ContainsFunc(implied, unknown):
		out = logic.True
	case f.contradicts(implied, p):
		out = logic.False
	case l.Complemented():
		out = f.restrict(l.Not(), p).Not()
	case f.net.Op(l.Node()) == logic.OpAnd:
		operands := slices.Clone(f.net.Operands(l.Node()))
		for i, o := range operands {
			operands[i] = f.restrict(o, p)
		}
		out = f.net.And(operands...)
	}
	f.restricted[p][l] = out
	return out
}

// columns divides the tails at the borders of groups. The first `shared` columns belong to groups. Tails that at most
// half of a group shares are restricted.
func (f *rectangleFinder) columns(tails []equalTails, groups []int32) (out []column, shared int) {
	size := make(map[int32]int)
	for _, g := range groups {
		size[g]++
	}
	var remaining []equalTails
	ofGroup := make(map[[2]int32][]int) // by group and second part: columns
	for _, t := range tails {
		byGroup := make(map[int32][]int32)
		for _, p := range t.firsts {
			byGroup[groups[p]] = append(byGroup[groups[p]], p)
		}
		for _, g := range slices.Sorted(maps.Keys(byGroup)) {
			firsts := byGroup[g]
			if len(firsts) <= max(1, size[g]/2) {
				remaining = append(remaining, equalTails{t.second, t.tail, firsts})
				continue
			}
			ofGroup[[2]int32{g, t.second}] = append(ofGroup[[2]int32{g, t.second}], len(out))
			out = append(out, f.column(t.second, t.tail, firsts))
		}
	}
	return f.appendRestricted(out, remaining, func(p, second int32) []int { return ofGroup[[2]int32{groups[p], second}] }), len(out)
}

// splitByColumns splits columns so that two first parts in the same column are in exactly the same columns.
func (f *rectangleFinder) splitByColumns(columns []column) (out []column) {
	in := make([][]int32, len(f.parts.First)) // by first part: columns
	for i, c := range columns {
		for _, p := range c.firsts.members() {
			in[p] = append(in[p], int32(i))
		}
	}
	firsts := make(map[string]partSet)
	var order []string
	for p, list := range in {
		key := keyOf(list)
		if firsts[key] == nil {
			firsts[key] = f.newSet()
			order = append(order, key)
		}
		firsts[key].add(int32(p))
	}
	for _, key := range order {
		for _, i := range in[firsts[key].members()[0]] {
			c := columns[i]
			c.firsts = firsts[key]
			out = append(out, c)
		}
	}
	return out
}

// appendRestricted adds each move to a column of its group with an equal restricted tail, or to a new column.
func (f *rectangleFinder) appendRestricted(out []column, remaining []equalTails, ofGroup func(p, second int32) []int) []column {
	number, first := numbering[string]{}, len(out)
	for _, t := range remaining {
		for _, p := range t.firsts {
			tail := f.restrict(t.tail, p)
			if columns := ofGroup(p, t.second); len(columns) > 0 {
				same := func(c int) bool { return f.restrict(out[c].tail, p) == tail }
				if i := slices.IndexFunc(columns, same); i >= 0 {
					out[columns[i]].firsts.add(p)
					continue
				}
			}
			key := []int32{t.second}
			for _, l := range f.net.Conditions(tail) {
				key = append(key, int32(l))
			}
			at := first + int(number.index(keyOf(key)))
			if at == len(out) {
				out = append(out, f.column(t.second, tail, nil))
			}
			out[at].firsts.add(p)
		}
	}
	return out
}

func (f *rectangleFinder) column(second int32, tail logic.Lit, firsts []int32) column {
	c := column{second: second, tail: tail, firsts: f.newSet(), never: f.contradictions(f.net.Conditions(tail))}
	for _, p := range firsts {
		c.firsts.add(p)
	}
	return c
}

// combine combines columns to rectangles, columns with the most first parts first.
func (f *rectangleFinder) combine(columns []column) []*rectangle {
	slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(len(b.firsts.members()), len(a.firsts.members())) })
	var list []*rectangle
	byFirst := make([][]*rectangle, len(f.parts.First)) // by first part
	for _, c := range columns {
		firsts := c.firsts.members()
		r := findRectangle(&c, firsts, byFirst)
		if r == nil {
			r = &rectangle{inside: f.newSet(), never: slices.Clone(c.never)}
			list = append(list, r)
		}
		for _, p := range firsts {
			if !r.inside.has(p) {
				r.inside.add(p)
				r.firsts = append(r.firsts, p)
				byFirst[p] = append(byFirst[p], r)
			}
		}
		for i, w := range c.never {
			r.never[i] &= w
		}
		r.columns = append(r.columns, c)
	}
	return list
}

// findRectangle returns a rectangle that contains one of the first parts and can take the column, or nil.
func findRectangle(c *column, firsts []int32, byFirst [][]*rectangle) *rectangle {
	for _, p := range firsts {
		for _, r := range byFirst[p] {
			if c.firsts.coveredBy(r.inside, r.never) && r.inside.coveredBy(c.firsts, c.never) {
				return r
			}
		}
	}
	return nil
}

// chooseRectangle returns the parts of a random legal move.
func (n gates) chooseRectangle(p *Parts, list []*rectangle) [2][]logic.Lit {
	var sides [2][][]partLit // by rectangle
	leaves := make([]*sumTree, len(list))
	for i, r := range list {
		var lits [2][]partLit
		for _, part := range r.firsts {
			lits[0] = append(lits[0], partLit{part, p.Head[part]})
		}
		for _, c := range r.columns {
			lits[1] = append(lits[1], partLit{c.second, c.tail})
		}
		for k := range sides {
			sides[k] = append(sides[k], lits[k])
		}
		most := len(lits[0]) * len(lits[1])
		leaves[i] = &sumTree{leaf: i, head: logic.True, most: most, count: n.multiply(n.count(litsOf(lits[0])), n.count(litsOf(lits[1])))}
	}
	chosen, _ := n.drawLeaf(p, n.balanced(leaves), len(leaves))
	return [2][]logic.Lit{n.chooseSide(p, chosen, sides[0], len(p.First)), n.chooseSide(p, chosen, sides[1], len(p.Second))}
}

// partLit is a part and where it can be chosen.
type partLit struct {
	part int32
	when logic.Lit
}

func litsOf(list []partLit) (out []logic.Lit) {
	for _, l := range list {
		out = append(out, l.when)
	}
	return out
}

// chooseSide draws a true part of the chosen list. The lists are overlaid: it draws an index, and takes the part
// at this index in the chosen list.
func (n gates) chooseSide(p *Parts, chosen []logic.Lit, lists [][]partLit, parts int) []logic.Lit {
	var places []*sumTree
	for i, list := range lists {
		for k, l := range list {
			if k == len(places) {
				places = append(places, &sumTree{leaf: k, head: logic.True, most: 1, count: []logic.Lit{logic.False}})
			}
			places[k].count[0] = n.Or(places[k].count[0], n.And(chosen[i], l.when))
		}
	}
	at, _ := n.drawLeaf(p, n.balanced(places), len(places))
	out := make([]logic.Lit, parts)
	for i, list := range lists {
		for k, l := range list {
			out[l.part] = n.Or(out[l.part], n.And(chosen[i], at[k]))
		}
	}
	return out
}
