package ground

import (
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
)

// instances are the rule instances over the possible atoms. Atoms are numbered by open relation, then by tuple.
// Instance i is head[i] ← body[start[i]:start[i+1]]. A literal is 2*atom, plus 1 if negated.
type instances struct {
	theory *rules.Theory
	tables []*rules.Relation // the open relations
	base   []int32           // by table: its first atom; the last element is the number of atoms
	first  map[*rules.Relation]int32
	head   []int32
	start  []int32
	body   []int32
}

// recorder stores the matches of rules during the fixpoint. Once all possible atoms are numbered, the matches
// become instances. The fixpoint finds each match of a rule without negation exactly once.
type recorder struct {
	joiner  *join.Joiner
	theory  *rules.Theory
	records map[*rules.Rule]*record
	n       int // matches of all rules
	limit   int // of n
}

// record holds the matches of one rule, row by row: the tuple number of the head, then the tuple number of each
// open literal, or -1 for a negated atom that is not possible.
type record struct {
	literals []int     // indices of the open literals in the body
	chunks   [][]int32 // the rows: full slices are never copied into longer slices
	words    int       // capacity of the chunks
}

// leastRows and mostChunk bound the length of a chunk: in rows, and in words.
const (
	leastRows = 16
	mostChunk = 1 << 16
)

func (rec *record) width() int { return 1 + len(rec.literals) }

// add appends a row.
func (rec *record) add(head int32, at []int32) {
	last := len(rec.chunks) - 1
	if last < 0 || cap(rec.chunks[last])-len(rec.chunks[last]) < rec.width() {
		size := max(leastRows*rec.width(), min(rec.words, mostChunk)) // each chunk doubles the capacity, up to a limit
		rec.chunks, rec.words, last = append(rec.chunks, make([]int32, 0, size)), rec.words+size, last+1
	}
	row := append(rec.chunks[last], head)
	for _, i := range rec.literals {
		row = append(row, at[i])
	}
	rec.chunks[last] = row
}

func (gr *grounder) newRecorder() *recorder {
	rc := &recorder{
		joiner: gr.joiner, theory: gr.Theory, records: make(map[*rules.Rule]*record),
		limit: gr.Limits.MaxInstances,
	}
	gr.joiner.Meter.Bytes = func() int64 { return gr.Theory.Bytes() + rc.bytes() }
	return rc
}

func (rc *recorder) bytes() int64 {
	words := 0
	for _, rec := range rc.records {
		words += rec.words
	}
	return 4 * int64(words)
}

// startRecord starts the record of a rule.
func (rc *recorder) startRecord(r *rules.Rule) {
	rec := &record{}
	for i := range r.Body {
		if l := &r.Body[i]; l.IsOpen() && !l.Implied {
			rec.literals = append(rec.literals, i)
		}
	}
	rc.records[r] = rec
}

// take records the matches of a plan if its rule has a record, and reports whether it has.
func (rc *recorder) take(p *join.Plan) (bool, error) {
	if rc.records[p.Rule] == nil {
		return false, nil
	}
	return true, rc.matches(p)
}

// matches records the matches of a plan, and inserts their heads into the relation. The head of a match is mostly the
// head of the previous match, or the tuple after it: rules with equal heads derive tuples in the same order. So most
// matches need no hash probe.
func (rc *recorder) matches(p *join.Plan) error {
	rec, j, rel := rc.records[p.Rule], rc.joiner, p.Rule.Head.Rel
	head := int32(-1)
	return j.Matches(p, func(key, at []int32) {
		switch {
		case head >= 0 && tuples.Equal(key, rel.Row(head)):
		case head+1 < rel.Len() && tuples.Equal(key, rel.Row(head+1)):
			head++
		default:
			head = j.Insert(p, key)
		}
		rec.add(head, at)
		if rc.n++; rc.n > rc.limit {
			j.Meter.Exceed(p.Rule, "more than %d rule instances", int64(rc.limit))
		}
	})
}

// instantiate records the matches of the rules of open relations that have no record yet, over the possible atoms. It then
// makes instances of all matches. Negated literals of impossible atoms are true and are dropped.
func (rc *recorder) instantiate() (*instances, error) {
	for _, r := range rc.theory.OpenRules() {
		if rc.records[r] == nil {
			rc.startRecord(r)
			if err := rc.matches(join.Planning{Watch: rc.theory.Watch, Possible: true}.NewPlan(r, join.WholeRule, nil)); err != nil {
				return nil, err
			}
		}
	}
	in := newInstances(rc.theory)
	in.head, in.start, in.body = slices.Grow(in.head, rc.n), slices.Grow(in.start, rc.n), slices.Grow(in.body, rc.literals())
	for _, r := range rc.theory.OpenRules() {
		in.add(r, rc.records[r])
		delete(rc.records, r)
	}
	return in, nil
}

// literals returns the number of literals of all recorded matches.
func (rc *recorder) literals() int {
	n := -rc.n
	for _, rec := range rc.records {
		for _, rows := range rec.chunks {
			n += len(rows)
		}
	}
	return n
}

// newInstances numbers the possible atoms.
func newInstances(th *rules.Theory) *instances {
	in := &instances{theory: th, first: make(map[*rules.Relation]int32)}
	atoms := int32(0)
	for _, rel := range th.Relations {
		if rel.IsOpen() {
			in.tables = append(in.tables, rel)
			in.base = append(in.base, atoms)
			in.first[rel] = atoms
			atoms += rel.Len()
		}
	}
	in.base = append(in.base, atoms)
	in.start = append(in.start, 0)
	return in
}

// add makes instances of the matches of a rule.
func (in *instances) add(r *rules.Rule, rec *record) {
	type condition struct {
		column     int
		base, sign int32
	}
	var conditions []condition
	for k, i := range rec.literals {
		l := &r.Body[i]
		if !l.IsOpen() {
			continue // a demand relation, which has become static
		}
		c := condition{column: 1 + k, base: in.first[l.Atom.Rel]}
		if l.Op == gdl.Not {
			c.sign = 1
		}
		conditions = append(conditions, c)
	}
	base := in.first[r.Head.Rel]
	for _, rows := range rec.chunks {
		for row := range slices.Chunk(rows, rec.width()) {
			in.head = append(in.head, base+row[0])
			for _, c := range conditions {
				if at := row[c.column]; at >= 0 {
					in.body = append(in.body, 2*(c.base+at)+c.sign)
				}
			}
			in.start = append(in.start, int32(len(in.body)))
		}
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
func (in *instances) fits(lim datalog.Limits) error {
	need := in.theory.Bytes() + (1+instanceCopies)*in.bytes() + atomBytes*int64(in.atoms())
	if need <= lim.MaxBytes {
		return nil
	}
	return fmt.Errorf("%w: %d MiB for %d rule instances and %d atoms, %d MiB are allowed",
		datalog.ErrLimit, need>>20, len(in.head), in.atoms(), lim.MaxBytes>>20)
}

func (in *instances) bodyOf(i int) []int32 { return in.body[in.start[i]:in.start[i+1]] }
