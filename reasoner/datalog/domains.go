package datalog

import (
	"math"
	"math/bits"

	"stackmate/gdl"
)

// domains estimates how many tuples the dynamic relations may have before any of
// them is computed: which terms may stand in each of their columns, each column for
// itself. A variable may be what all columns that bind it have in common. This is a
// least fixpoint over sets of terms, thousands of times smaller than that over
// tuples, and what it says of a relation is the product of its columns: an upper
// bound of what reaching finds.
//
// Function terms that a head makes are not followed: such a column has no bound.
type domains struct {
	theory *theory
	of     map[*relation][]*domain // by column
	users  map[*relation][]*rule
	queued map[*rule]bool
	queue  []*rule
	work   int
}

// domain is a set of terms, a bit each; of unbounded ones nothing is known.
type domain struct {
	bits      []uint64
	unbounded bool
}

// domainWork is the number of words of domains that may be looked at: a tenth of a
// second. What is not known by then has no bound.
const domainWork = 50_000_000

// manyTerms is the size of a column without a bound.
const manyTerms = 10_000

// estimate gives all dynamic relations the profiles that their domains under the given
// rules allow; forget takes them away.
func (th *theory) estimate(rules []*rule) (forget func()) {
	d := &domains{theory: th, of: make(map[*relation][]*domain), users: make(map[*relation][]*rule), queued: make(map[*rule]bool)}
	for _, r := range append(th.carryRules(), rules...) {
		if !r.head.rel.dynamic {
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
		if rel.dynamic {
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

// columns are the domains of a relation; those of a static one are counted.
func (d *domains) columns(rel *relation) []*domain {
	list, ok := d.of[rel]
	if ok {
		return list
	}
	for c := range rel.arity {
		x := &domain{}
		if !rel.dynamic {
			for t := range rel.n {
				x.add(rel.row(t)[c])
			}
			d.work += int(rel.n)
		}
		list = append(list, x)
	}
	d.of[rel] = list
	return list
}

// apply adds to the columns of a head what its variables may be.
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

// add adds a term and tells whether it is new.
func (x *domain) add(t term) bool {
	if x.has(t) {
		return false
	}
	x.reach(int(t>>6) + 1)
	x.bits[t>>6] |= 1 << (t & 63)
	return true
}

// addAll adds the terms of y, which is bounded, and tells whether one is new.
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

// reach makes room for that many words.
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

// common is what two domains have in common; nil stands for everything.
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

// profile is the product of the columns.
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
