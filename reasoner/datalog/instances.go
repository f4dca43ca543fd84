package datalog

import (
	"fmt"
	"sort"

	"stackmate/gdl"
)

// instances are the rule instances over the possible atoms. The atoms of the
// dynamic relations are numbered relation by relation, in the order of their
// tuples. Instance i is head[i] ← body[start[i]:start[i+1]]; a literal is 2*atom,
// plus 1 if negated.
type instances struct {
	theory *theory
	tables []*relation // the dynamic relations
	base   []int32     // by table: its first atom; one more for the end
	first  map[*relation]int32
	head   []int32
	start  []int32
	body   []int32
}

// instantiate enumerates the matches of every dynamic rule over the possible
// atoms. Negated literals on atoms that are not possible hold and are dropped.
func (gr *grounder) instantiate() (*instances, error) {
	in := &instances{theory: gr.theory, first: make(map[*relation]int32), start: []int32{0}}
	atoms := int32(0)
	for _, rel := range gr.theory.relations {
		if rel.dynamic {
			in.tables = append(in.tables, rel)
			in.base = append(in.base, atoms)
			in.first[rel] = atoms
			atoms += rel.n
		}
	}
	in.base = append(in.base, atoms)
	m := gr.joiner.meter
	limit, worth := gr.limits.MaxInstances, gr.limits.Worth
	m.bytes = func() int64 { return gr.theory.bytes() + in.bytes() }
	for _, r := range gr.theory.rules {
		if !r.head.rel.dynamic {
			continue
		}
		p := newPlan(gr.joiner.meter.watch, r, -1, nothing)
		visit := func() {
			in.add(r, gr.joiner, p)
			if len(in.head) > plainInstances && worth != nil {
				limit, worth = min(limit, worth()), nil
			}
			if len(in.head) > limit {
				m.exceed(r, "more than %d rule instances", int64(limit))
			}
		}
		if err := gr.joiner.matches(p, visit); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// add records the match that the joiner has found.
func (in *instances) add(r *rule, j *joiner, p *plan) {
	in.head = append(in.head, in.first[r.head.rel]+r.head.rel.find(j.gather(p.head)))
	for i := range r.body {
		l := &r.body[i]
		if !l.isDynamic() || j.at[i] < 0 {
			continue
		}
		lit := 2 * (in.first[l.atom.rel] + j.at[i])
		if l.op == gdl.Not {
			lit++
		}
		in.body = append(in.body, lit)
	}
	in.start = append(in.start, int32(len(in.body)))
}

func (in *instances) atoms() int32 { return in.base[len(in.tables)] }

func (in *instances) bytes() int64 {
	return 4 * int64(cap(in.head)+cap(in.start)+cap(in.body))
}

// What simplification and the program take beside the instances, about: copies of
// these, and bytes of an atom with its name.
const (
	instanceCopies = 3
	atomBytes      = 150
)

// fits tells whether the rest of grounding fits the memory.
func (in *instances) fits(lim Limits) error {
	need := in.theory.bytes() + (1+instanceCopies)*in.bytes() + atomBytes*int64(in.atoms())
	if need <= lim.MaxBytes {
		return nil
	}
	return fmt.Errorf("%w: %d MiB for %d rule instances and %d atoms, %d MiB are allowed",
		ErrLimit, need>>20, len(in.head), in.atoms(), lim.MaxBytes>>20)
}

func (in *instances) bodyOf(i int) []int32 { return in.body[in.start[i]:in.start[i+1]] }

// locate is the relation and the tuple of an atom.
func (in *instances) locate(atom int32) (*relation, int32) {
	k := sort.Search(len(in.tables), func(k int) bool { return in.base[k+1] > atom })
	return in.tables[k], atom - in.base[k]
}

// name writes an atom.
func (in *instances) name(atom int32) string {
	rel, t := in.locate(atom)
	return in.theory.terms.atomName(rel.name, rel.row(t))
}
