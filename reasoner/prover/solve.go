package prover

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// The meaning of rules is computed from the top: a question is an atom with some
// of its arguments known, its answers are the facts that match. Every question is
// asked of every rule once, and its answers are kept in a table (tabled
// resolution: Tamaki and Sato, "OLD resolution with tabulation", 1986). Questions
// that recur on each other form a fixpoint: a table is computed again whenever
// one that it has read grows, until none does. A negated atom is a question
// without unknowns of a lower stratum, so its table is complete when it is read.
//
// Invariants: answers are ground, as rules are safe; a table that is complete
// holds all answers; a table that is not has an active fixpoint in its component,
// and its answers are right as far as they go: a rule adds an answer when its
// positive conditions are answers and its negated ones are missing from tables
// that are complete. So the first answer found is an answer (see first). The cost
// is that of naive evaluation of what the questions at hand depend on.

// solver answers questions about one position and, if there are facts of `does`,
// one joint move.
type solver struct {
	program  *program
	terms    *terms
	facts    *store                     // of `true` and `does`
	tables   [lifetimes]map[term]*table // by question
	bytes    [lifetimes]int64           // of these tables, about
	active   map[int]*fixpoint          // by component
	current  *table                     // the one that is being computed
	nested   int                        // conditions that are being evaluated inside each other
	root     *table                     // the one of which wanted answers are enough, if any
	wanted   int
	maxBytes int64 // of terms and tables, 0 if not bounded
	ctx      context.Context
	work     int   // facts and conditions looked at
	err      error // why answers are not complete: that of ctx, or errEnough, or a bound
}

// errEnough is the error of a solver that has as many answers as are wanted.
var errEnough = errors.New("enough answers")

// lifetime says how long the answers of a relation stay the same.
type lifetime int

const (
	always lifetime = iota
	position
	jointMove
	lifetimes
)

// table is a question and its answers.
type table struct {
	question term // with anything for what is unknown
	answers  []term
	has      map[term]bool // the answers, once they are many
	complete bool
	readers  []*table // tables that read this one before it was complete, in order
	reads    map[*table]bool
	queued   bool
}

// fixpoint is the computation of tables that may depend on each other.
type fixpoint struct {
	tables []*table
	again  []*table // tables to be computed again, or for the first time
}

const (
	// unsolved is the number of answers, for each unknown of a question, that it is
	// thought to have: more than most relations have facts.
	unsolved = 1000

	// few is the number of terms that are searched rather than indexed.
	few = 8

	// checkEvery is how many steps of work are done between two looks at the context:
	// some hundred microseconds.
	checkEvery = 1 << 10

	// deep is the number of nested conditions past which a table that belongs to an
	// active fixpoint waits for its turn instead of being computed at once: so rules
	// that recur, however far, need a bounded stack.
	deep = 20_000
)

func newSolver(ctx context.Context, p *program, t *terms) *solver {
	s := &solver{ctx: ctx, program: p, terms: t, facts: newStore(t), active: make(map[int]*fixpoint)}
	for l := range lifetimes {
		s.forget(l)
	}
	return s
}

// forget drops the tables of a lifetime.
func (s *solver) forget(l lifetime) {
	if s.bytes[l] > 0 || s.tables[l] == nil {
		s.tables[l], s.bytes[l] = make(map[term]*table), 0
	}
}

// stored lists the facts of a relation that match an atom, and maybe others.
func (s *solver) stored(atom *pattern, binding []term) []term {
	from := s.program.facts
	if atom.functor == s.program.holds || atom.functor == s.program.does {
		from = s.facts
	}
	list := from.candidates(atom, binding)
	if len(list) > few {
		if fact := s.terms.question(atom, binding); !s.terms.open[fact] {
			return from.only(fact)
		}
	}
	return list
}

// cost guesses how many facts match the atom of a literal.
func (s *solver) cost(l *literal, binding []term) int {
	if !s.program.isDerived(l.atom.functor) {
		return len(s.stored(&l.atom, binding))
	}
	unknown := 0
	for _, v := range l.slots {
		if binding[v] == unbound {
			unknown++
		}
	}
	if unknown == 0 {
		return 1
	}
	return unknown * unsolved
}

// tired counts a step of work and tells whether to give up: answers are not
// complete then.
func (s *solver) tired() bool {
	if s.work++; s.work%checkEvery == 0 && s.err == nil {
		s.err = s.look()
	}
	return s.err != nil
}

// look finds a reason to give up.
func (s *solver) look() error {
	if s.maxBytes > 0 && s.size() > s.maxBytes {
		return fmt.Errorf("the rules derive too much in one position: more than %d MiB of terms and answers", s.maxBytes>>20)
	}
	return s.ctx.Err()
}

// size is about how many bytes the terms and tables take.
func (s *solver) size() int64 {
	size := s.terms.bytes + s.facts.bytes
	for _, b := range s.bytes {
		size += b
	}
	return size
}

// answers lists the facts that match an atom, and maybe some that do not.
func (s *solver) answers(atom *pattern, binding []term) []term {
	if s.tired() {
		return nil
	}
	if !s.program.isDerived(atom.functor) {
		return s.stored(atom, binding)
	}
	question := s.terms.question(atom, binding)
	life := s.program.relations[atom.functor].lifetime
	t := s.tables[life][question]
	if t == nil {
		t = s.table(question, life)
		for _, fact := range s.stored(atom, binding) {
			s.add(t, fact, nil)
		}
		s.solve(t, s.program.relations[atom.functor].component)
	}
	if !t.complete && s.current != nil && !t.reads[s.current] {
		if t.reads == nil {
			t.reads = make(map[*table]bool)
		}
		t.reads[s.current] = true
		t.readers = append(t.readers, s.current)
	}
	return t.answers
}

// The memory of a table and of an answer, about.
const (
	tableBytes  = 200
	answerBytes = 24
)

// table makes the table of a question.
func (s *solver) table(question term, life lifetime) *table {
	t := &table{question: question}
	s.tables[life][question] = t
	s.bytes[life] += tableBytes
	if s.root == nil {
		s.root = t
	}
	return t
}

// solve computes a new table: completely, or, inside a fixpoint of its component,
// as far as the tables that it reads go.
func (s *solver) solve(t *table, component int) {
	if f := s.active[component]; f != nil {
		f.tables = append(f.tables, t)
		if s.nested > deep {
			t.queued = true
			f.again = append(f.again, t)
		} else {
			s.compute(t, f)
		}
		return
	}
	f := &fixpoint{tables: []*table{t}}
	s.active[component] = f
	s.compute(t, f)
	for len(f.again) > 0 && s.err == nil {
		last := f.again[len(f.again)-1]
		f.again = f.again[:len(f.again)-1]
		last.queued = false
		s.compute(last, f)
	}
	if s.err != nil {
		return // the tables are not complete: abandon forgets them
	}
	delete(s.active, component)
	for _, t := range f.tables {
		t.complete, t.readers, t.reads = true, nil, nil
	}
}

// abandon forgets the tables that were left incomplete by an error, and the error.
func (s *solver) abandon() {
	for _, f := range s.active {
		for _, t := range f.tables {
			delete(s.tables[s.program.relations[s.terms.heads[t.question]].lifetime], t.question)
		}
	}
	clear(s.active)
	s.current, s.nested, s.err = nil, 0, nil
}

// compute asks all rules the question of t.
func (s *solver) compute(t *table, f *fixpoint) {
	outer := s.current
	s.current = t
	for _, r := range s.program.relations[s.terms.heads[t.question]].rules {
		j := newJoin(s, r, func(fact term) bool {
			s.add(t, fact, f)
			return s.err == nil && fact != t.question // which has one answer if nothing is unknown
		})
		s.nested += len(r.body) + 1
		more := !s.terms.adopt(&r.head, t.question, j.binding) || j.run()
		s.nested -= len(r.body) + 1
		if !more {
			break
		}
	}
	s.current = outer
}

// add adds an answer to t if the question covers it.
func (s *solver) add(t *table, fact term, f *fixpoint) {
	if t.holds(fact) || !s.terms.covers(t.question, fact) {
		return
	}
	t.insert(fact)
	s.bytes[s.program.relations[s.terms.heads[fact]].lifetime] += answerBytes
	for _, r := range t.readers {
		if !r.queued {
			r.queued = true
			f.again = append(f.again, r)
		}
	}
	if t == s.root && len(t.answers) == s.wanted {
		s.err = errEnough
	}
}

func (t *table) holds(fact term) bool {
	if t.has == nil {
		return slices.Contains(t.answers, fact)
	}
	return t.has[fact]
}

func (t *table) insert(fact term) {
	t.answers = append(t.answers, fact)
	if t.has == nil && len(t.answers) > few {
		t.has = make(map[term]bool, 4*few)
		for _, a := range t.answers {
			t.has[a] = true
		}
	} else if t.has != nil {
		t.has[fact] = true
	}
}

// ask answers a question of its own.
func (s *solver) ask(relation functor, args ...pattern) []term {
	atom := pattern{slot: -1, ground: unbound, functor: relation, args: args}
	return s.answers(&atom, newBinding(len(args)))
}

// first answers a question of its own with atMost answers, the first that are
// found. Those of a table that is not complete are answers all the same; what
// else is incomplete then is forgotten.
func (s *solver) first(atMost int, relation functor, args ...pattern) []term {
	s.root, s.wanted = nil, atMost
	facts := s.ask(relation, args...)
	s.wanted = 0
	if errors.Is(s.err, errEnough) {
		s.abandon()
	}
	return facts[:min(len(facts), atMost)]
}

// unknown is an argument that is not known, the i-th of a question, known one that is.
func unknown(i int) pattern { return pattern{slot: i, ground: unbound} }

func (t *terms) known(n term) pattern { return pattern{slot: -1, ground: n, functor: t.heads[n]} }
