package join

import (
	"math"
	"math/bits"

	"stackmate/gdl"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
)

// domains bounds the sizes of the open relations before any of them is computed. It computes a set of terms for
// each column separately. The domain of a variable is the intersection of the columns that bind it. This least
// fixpoint over sets of terms is thousands of times smaller than the fixpoint over tuples. The product of its
// columns is an upper bound for the size of a relation.
//
// Function terms in heads are not followed: their columns are unbounded.
type domains struct {
	theory  *rules.Theory
	domains map[*rules.Relation][]*domain // by column
	users   map[*rules.Relation][]*rules.Rule
	queued  map[*rules.Rule]bool
	queue   []*rules.Rule
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

// Estimate assigns profiles to all open relations from their domains under the rules of list; forget removes
// them.
func Estimate(th *rules.Theory, list []*rules.Rule) (forget func()) {
	d := &domains{theory: th, domains: make(map[*rules.Relation][]*domain), users: make(map[*rules.Relation][]*rules.Rule), queued: make(map[*rules.Rule]bool)}
	for _, r := range append(th.CarryRules(), list...) {
		if !r.Head.Rel.IsOpen() {
			continue
		}
		for i := range r.Body {
			if l := &r.Body[i]; l.Op == gdl.Holds {
				d.users[l.Atom.Rel] = append(d.users[l.Atom.Rel], r)
			}
		}
		d.enqueue(r)
	}
	for len(d.queue) > 0 {
		r := d.queue[len(d.queue)-1]
		d.queue = d.queue[:len(d.queue)-1]
		d.queued[r] = false
		th.Watch.Step()
		d.apply(r)
	}
	var profiled []*rules.Relation
	for _, rel := range th.Relations {
		if rel.IsOpen() {
			rel.Profile = d.profile(rel)
			profiled = append(profiled, rel)
		}
	}
	return func() {
		for _, rel := range profiled {
			rel.Profile = nil
		}
	}
}

func (d *domains) enqueue(r *rules.Rule) {
	if !d.queued[r] {
		d.queued[r] = true
		d.queue = append(d.queue, r)
	}
}

// columns returns the domains of a relation; the columns of a static relation are read from its tuples.
func (d *domains) columns(rel *rules.Relation) []*domain {
	list, ok := d.domains[rel]
	if ok {
		return list
	}
	for c := range rel.Arity {
		x := &domain{}
		if !rel.IsOpen() {
			for t := range rel.Len() {
				x.add(rel.Row(t)[c])
			}
			d.work += int(rel.Len())
		}
		list = append(list, x)
	}
	d.domains[rel] = list
	return list
}

// apply adds the domains of the variables of r to the columns of its head.
func (d *domains) apply(r *rules.Rule) {
	vars := make([]*domain, r.Vars)
	for i := range r.Body {
		l := &r.Body[i]
		if l.Op != gdl.Holds {
			continue
		}
		columns := d.columns(l.Atom.Rel)
		for c, a := range l.Atom.Args {
			x := columns[c]
			if x.isEmpty() || a.Kind == rules.Constant && !x.has(a.Id) {
				return
			}
			if a.Kind == rules.Variable {
				vars[a.Id] = d.common(vars[a.Id], x)
			}
		}
	}
	grown := false
	head := d.columns(r.Head.Rel)
	for c, a := range r.Head.Args {
		switch {
		case a.Kind == rules.Constant:
			grown = head[c].add(a.Id) || grown
		case a.Kind == rules.Compound || vars[a.Id] == nil || vars[a.Id].unbounded || d.work > domainWork:
			grown = grown || !head[c].unbounded
			head[c].unbounded = true
		default:
			grown = head[c].addAll(vars[a.Id]) || grown
			d.work += len(vars[a.Id].bits)
		}
	}
	if grown {
		for _, user := range d.users[r.Head.Rel] {
			d.enqueue(user)
		}
	}
}

func (x *domain) isEmpty() bool { return len(x.bits) == 0 && !x.unbounded }

func (x *domain) has(t rules.Term) bool {
	return x.unbounded || int(t>>6) < len(x.bits) && x.bits[t>>6]>>(t&63)&1 != 0
}

// add adds a term and reports whether it is new.
func (x *domain) add(t rules.Term) bool {
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
func (d *domains) profile(rel *rules.Relation) *tuples.Profile {
	p := &tuples.Profile{Tuples: 1}
	for _, x := range d.columns(rel) {
		n := float64(x.size())
		if x.unbounded {
			n = manyTerms
		}
		p.Distinct = append(p.Distinct, max(1, n))
		p.Tuples = math.Min(p.Tuples*n, 1e30)
	}
	return p
}
