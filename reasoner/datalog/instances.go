package datalog

import (
	"fmt"
	"slices"

	"stackmate/gdl"
)

// instances are the rule instances over the possible atoms. Atoms are numbered by dynamic relation, then by tuple.
// Instance i is head[i] ← body[start[i]:start[i+1]]. A literal is 2*atom, plus 1 if negated.
type instances struct {
	theory *theory
	tables []*relation // the dynamic relations
	base   []int32     // by table: its first atom; the last element is the number of atoms
	first  map[*relation]int32
	head   []int32
	start  []int32
	body   []int32
}

// recorder stores the matches of rules during the fixpoint. Once all possible atoms are numbered, the matches
// become instances. The fixpoint finds each match of a rule without negation exactly once.
type recorder struct {
	joiner  *joiner
	theory  *theory
	records map[*rule]*record
	n       int // matches of all rules
	limit   int // of n
}

// record holds the matches of one rule, row by row: the tuple number of the head, then the tuple number of each
// dynamic literal, or -1 for a negated atom that is not possible.
type record struct {
	literals []int // indices of the dynamic literals in the body
	rows     []int32
}

func (rec *record) width() int { return 1 + len(rec.literals) }

func (gr *grounder) newRecorder() *recorder {
	rc := &recorder{joiner: gr.joiner, theory: gr.theory, records: make(map[*rule]*record), limit: gr.limits.MaxInstances}
	gr.joiner.meter.bytes = func() int64 { return gr.theory.bytes() + rc.bytes() }
	return rc
}

func (rc *recorder) bytes() int64 {
	words := 0
	for _, rec := range rc.records {
		words += cap(rec.rows)
	}
	return 4 * int64(words)
}

// startRecord starts the record of a rule.
func (rc *recorder) startRecord(r *rule) {
	rec := &record{}
	for i := range r.body {
		if l := &r.body[i]; l.isDynamic() && !l.implied {
			rec.literals = append(rec.literals, i)
		}
	}
	rc.records[r] = rec
}

// matches records the matches of a plan, and inserts their heads into the relation.
func (rc *recorder) matches(p *plan) error {
	rec, j := rc.records[p.rule], rc.joiner
	last, tuple := int32(-1), make([]int32, len(p.rule.head.args)) // the tuple of the last match: consecutive matches often have the same head
	return j.matches(p, func() {
		if key := j.gather(p.head); last < 0 || !equalTuples(key, tuple) {
			copy(tuple, key)
			last = j.insert(p, key)
		}
		rec.rows = append(withRoom(rec.rows, rec.width()), last)
		for _, i := range rec.literals {
			rec.rows = append(rec.rows, j.at[i])
		}
		if rc.n++; rc.n > rc.limit {
			j.meter.exceed(p.rule, "more than %d rule instances", int64(rc.limit))
		}
	})
}

// instantiate records the matches of the dynamic rules that have no record yet, over the possible atoms. It then
// makes instances of all matches. Negated literals of impossible atoms are true and are dropped.
func (rc *recorder) instantiate() (*instances, error) {
	for _, r := range rc.theory.dynamicRules() {
		if rc.records[r] == nil {
			rc.startRecord(r)
			if err := rc.matches(planning{watch: rc.theory.watch}.newPlan(r, wholeRule, nil)); err != nil {
				return nil, err
			}
		}
	}
	in := newInstances(rc.theory)
	in.head, in.start = slices.Grow(in.head, rc.n), slices.Grow(in.start, rc.n)
	for _, r := range rc.theory.dynamicRules() {
		in.add(r, rc.records[r])
		delete(rc.records, r)
	}
	return in, nil
}

// newInstances numbers the possible atoms.
func newInstances(th *theory) *instances {
	in := &instances{theory: th, first: make(map[*relation]int32)}
	atoms := int32(0)
	for _, rel := range th.relations {
		if rel.dynamic {
			in.tables = append(in.tables, rel)
			in.base = append(in.base, atoms)
			in.first[rel] = atoms
			atoms += rel.n
		}
	}
	in.base = append(in.base, atoms)
	in.start = append(in.start, 0)
	return in
}

// add makes instances of the matches of a rule.
func (in *instances) add(r *rule, rec *record) {
	type condition struct {
		column     int
		base, sign int32
	}
	var conditions []condition
	for k, i := range rec.literals {
		l := &r.body[i]
		if !l.isDynamic() {
			continue // a demand relation, which has become static
		}
		c := condition{column: 1 + k, base: in.first[l.atom.rel]}
		if l.op == gdl.Not {
			c.sign = 1
		}
		conditions = append(conditions, c)
	}
	base := in.first[r.head.rel]
	in.body = withRoom(in.body, len(rec.rows)/rec.width()*len(conditions))
	for row := range slices.Chunk(rec.rows, rec.width()) {
		in.head = append(in.head, base+row[0])
		for _, c := range conditions {
			if at := row[c.column]; at >= 0 {
				in.body = append(in.body, 2*(c.base+at)+c.sign)
			}
		}
		in.start = append(in.start, int32(len(in.body)))
	}
}

func (in *instances) atoms() int32 { return in.base[len(in.tables)] }

func (in *instances) bytes() int64 {
	return 4 * int64(cap(in.head)+cap(in.start)+cap(in.body))
}

// Estimated memory of simplification and of the program: copies of the instances, and bytes per atom with its
// name.
const (
	instanceCopies = 3
	atomBytes      = 150
)

// fits returns an error if the remaining stages of grounding would exceed the memory limit.
func (in *instances) fits(lim Limits) error {
	need := in.theory.bytes() + (1+instanceCopies)*in.bytes() + atomBytes*int64(in.atoms())
	if need <= lim.MaxBytes {
		return nil
	}
	return fmt.Errorf("%w: %d MiB for %d rule instances and %d atoms, %d MiB are allowed",
		ErrLimit, need>>20, len(in.head), in.atoms(), lim.MaxBytes>>20)
}

func (in *instances) bodyOf(i int) []int32 { return in.body[in.start[i]:in.start[i+1]] }
