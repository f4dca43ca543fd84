package datalog

import (
	"math"
	"math/bits"

	"stackmate/gdl"
)

// domains bounds the sizes of the dynamic relations before any of them is computed. It computes a set of terms for
// each column separately. The domain of a variable is the intersection of the columns that bind it. This least
// fixpoint over sets of terms is thousands of times smaller than the fixpoint over tuples. The product of its
// columns is an upper bound for the size of a relation.
//
// Function terms in heads are not followed: their columns are unbounded.
type domains struct {
	theory  *theory
	domains map[*relation][]*domain // by column
	users   map[*relation][]*rule
	queued  map[*rule]bool
	queue   []*rule
	work    int
}

// domain is a set of terms as a bitmap; an unbounded domain contains all terms.
type domain struct {
	bits      []uint64
	unbounded bool
}

// domainWork limits the work of the fixpoint, in words of domains: a tenth of a second. Columns that are not
// finished by then are unbounded.
const domainWork = 50_000_000

// manyTerms is the assumed size of an unbounded column.
const manyTerms = 10_000

// estimate assigns profiles to all dynamic relations from their domains under the given rules; forget removes
// them.
func estimate(th *theory, rules []*rule) (forget func()) {
	d := &domains{theory: th, domains: make(map[*relation][]*domain), users: make(map[*relation][]*rule), queued: make(map[*rule]bool)}
	for _, r := range append(th.carryRules(), rules...) {
		if !r.head.rel.isOpen() {
			continue
		}
		for i := range r.body {
			if l := &r.body[i]; l.op == gdl.Holds {
				d.users[l.atom.rel] = append(d.users[l.atom.rel], r)
			}
		}
		d.enqueue(r)
	}
	for len(d.queue) > 0 {
		r := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		d.queued[r] = false
		th.watch.Step()
		d.apply(r)
	}
	var profiled []*relation
	for _, rel := range th.relations {
		if rel.isOpen() {
			rel.profile = d.profile(rel)
			profiled = append(profiled, rel)
		}
	}
	return func() {
		for _, rel := range profiled {
			rel.profile = nil
		}
	}
}

func (d *domains) enqueue(r *rule) {
	if !d.queued[r] {
		d.queued[r] = true
		d.queue = append(d.queue, r)
	}
}

// columns returns the domains of a relation; the columns of a static relation are read from its tuples.
func (d *domains) columns(rel *relation) []*domain {
	list, ok := d.domains[rel]
	if ok {
		return list
	}
	for c := range rel.arity {
		x := &domain{}
		if !rel.isOpen() {
			for t := range rel.len() {
				x.add(rel.row(t)[c])
			}
			d.work += int(rel.len())
		}
		list = append(list, x)
	}
	d.domains[rel] = list
	return list
}

// apply adds the domains of the variables of r to the columns of its head.
func (d *domains) apply(r *rule) {
	vars := make([]*domain, r.vars)
	for i := range r.body {
		l := &r.body[i]
		if l.op != gdl.Holds {
			continue
		}
		columns := d.columns(l.atom.rel)
		for c, a := range l.atom.args {
			x := columns[c]
			if x.isEmpty() || a.kind == constant && !x.has(a.id) {
				return
			}
			if a.kind == variable {
				vars[a.id] = d.common(vars[a.id], x)
			}
		}
	}
	grown := false
	head := d.columns(r.head.rel)
	for c, a := range r.head.args {
		switch {
		case a.kind == constant:
			grown = head[c].add(a.id) || grown
		case a.kind == compound || vars[a.id] == nil || vars[a.id].unbounded || d.work > domainWork:
			grown = grown || !head[c].unbounded
			head[c].unbounded = true
		default:
			grown = head[c].addAll(vars[a.id]) || grown
			d.work += len(vars[a.id].bits)
		}
	}
	if grown {
		for _, user := range d.users[r.head.rel] {
			d.enqueue(user)
		}
	}
}

func (x *domain) isEmpty() bool { return len(x.bits) == 0 && !x.unbounded }

func (x *domain) has(t term) bool {
	return x.unbounded || int(t>>6) < len(x.bits) && x.bits[t>>6]>>(t&63)&1 != 0
}

// add adds a term and reports whether it is new.
func (x *domain) add(t term) bool {
	if x.has(t) {
		return false
	}
	x.reach(int(t>>6) + 1)
	x.bits[t>>6] |= 1 << (t & 63)
	return true
}

// addAll adds the terms of y, which is bounded, and reports whether x has grown.
func (x *domain) addAll(y *domain) bool {
	if x.unbounded {
		return false
	}
	grown := false
	x.reach(len(y.bits))
	for i, w := range y.bits {
		grown = grown || w&^x.bits[i] != 0
		x.bits[i] |= w
	}
	return grown
}

// reach extends the bitmap to the given number of words.
func (x *domain) reach(words int) {
	if missing := words - len(x.bits); missing > 0 {
		x.bits = append(x.bits, make([]uint64, missing)...)
	}
}

func (x *domain) size() int {
	n := 0
	for _, w := range x.bits {
		n += bits.OnesCount64(w)
	}
	return n
}

// common returns the intersection of two domains; nil stands for the set of all terms.
func (d *domains) common(x, y *domain) *domain {
	switch {
	case x == nil || x.unbounded:
		return y
	case y.unbounded:
		return x
	}
	both := &domain{bits: make([]uint64, min(len(x.bits), len(y.bits)))}
	for i := range both.bits {
		both.bits[i] = x.bits[i] & y.bits[i]
	}
	d.work += len(both.bits)
	return both
}

// profile returns the sizes of the columns and their product.
func (d *domains) profile(rel *relation) *profile {
	p := &profile{tuples: 1}
	for _, x := range d.columns(rel) {
		n := float64(x.size())
		if x.unbounded {
			n = manyTerms
		}
		p.distinct = append(p.distinct, max(1, n))
		p.tuples = math.Min(p.tuples*n, 1e30)
	}
	return p
}

// project returns the profile of the keys of a relation.
func (p *profile) project(columns []int32) *profile {
	if p == nil {
		return nil
	}
	out := &profile{tuples: p.tuples}
	for _, c := range columns {
		out.distinct = append(out.distinct, p.distinct[c])
	}
	return out
}
