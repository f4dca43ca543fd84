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
	in := &instances{theory: gr.theory, first: make(map[*relation]int32)}
	atoms, fluents := int32(0), 0
	for _, rel := range gr.theory.relations {
		if rel.name.name == "true" {
			fluents += int(rel.n)
		}
		if rel.dynamic {
			in.tables = append(in.tables, rel)
			in.base = append(in.base, atoms)
			in.first[rel] = atoms
			atoms += rel.n
		}
	}
	in.base = append(in.base, atoms)
	in.head, in.start = make([]int32, 0, atoms), append(make([]int32, 0, atoms+1), 0) // most are heads
	m := gr.joiner.meter
	limit, kind := gr.limits.MaxInstances, ErrLimit
	worth, few := gr.limits.Worth, largeInstances
	if fluents > manyFluents {
		few = 0
	}
	m.bytes = func() int64 { return gr.theory.bytes() + in.bytes() }
	for _, r := range gr.theory.rules {
		if !r.head.rel.dynamic {
			continue
		}
		p := newPlan(gr.joiner.meter.watch, r, -1, nothing)
		add := in.adder(r, gr.joiner, p)
		visit := func() {
			add()
			switch n := len(in.head); {
			case n > limit:
				m.exceed(kind, r, "more than %d rule instances", int64(limit))
			case n > few && worth != nil:
				if most := worth(fluents); most < limit {
					if limit = most; few == 0 {
						kind = errWorth // other rules have the same fluents
					}
				}
				worth = nil
			}
		}
		if err := gr.joiner.matches(p, visit); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// adder returns a function that records the match of a rule that the joiner has found.
func (in *instances) adder(r *rule, j *joiner, p *plan) func() {
	type condition struct {
		literal    int
		base, sign int32
	}
	var conditions []condition
	for i := range r.body {
		if l := &r.body[i]; l.isDynamic() && !l.implied {
			c := condition{literal: i, base: in.first[l.atom.rel]}
			if l.op == gdl.Not {
				c.sign = 1
			}
			conditions = append(conditions, c)
		}
	}
	head, base := r.head.rel, in.first[r.head.rel]
	last, tuple := int32(-1), make([]int32, len(r.head.args)) // many matches in a row have one head
	return func() {
		if key := j.gather(p.head); last < 0 || !equalTuples(key, tuple) {
			copy(tuple, key)
			last = base + head.find(key)
		}
		in.head = append(withRoom(in.head, 1), last)
		in.body = withRoom(in.body, len(conditions))
		for _, c := range conditions {
			if at := j.at[c.literal]; at >= 0 {
				in.body = append(in.body, 2*(c.base+at)+c.sign)
			}
		}
		in.start = append(withRoom(in.start, 1), int32(len(in.body)))
	}
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
