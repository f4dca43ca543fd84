package reference

import "context"

// The meaning of rules is computed from the top: a question is an atom with some
// of its arguments known, its answers are the facts that match. Every question is
// asked of every rule once, and its answers are kept in a table (tabled
// resolution: Tamaki and Sato, "OLD resolution with tabulation", 1986). Questions
// that recur on each other form a fixpoint: a table is computed again whenever
// one that it has read grows, until none does. A negated atom is a question
// without unknowns of a lower stratum, so its table is complete when it is read.
//
// Invariants: answers are ground, as rules are safe; a table that is complete
// holds all answers; a table that is not has an active fixpoint in its component.
// The cost is that of naive evaluation of what the questions at hand depend on.

// solver answers questions about one position and, if there are facts of `does`,
// one joint move.
type solver struct {
	program *program
	terms   *terms
	facts   *store                     // of `true` and `does`
	tables  [lifetimes]map[term]*table // by question
	active  map[functor]*fixpoint      // by component
	current *table                     // the one that is being computed
	ctx     context.Context
	work    int   // questions asked, and facts that a search has found
	err     error // that of ctx, once it is done: answers are not complete
}

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
	has      map[term]bool
	complete bool
	readers  map[*table]bool // tables that read this one before it was complete
	queued   bool
}

// fixpoint is the computation of tables that may depend on each other.
type fixpoint struct {
	tables []*table
	again  []*table // tables to be computed again
}

// unsolved is the number of answers, for each unknown of a question, that it is
// thought to have: more than most relations have facts.
const unsolved = 1000

func newSolver(ctx context.Context, p *program, t *terms) *solver {
	s := &solver{ctx: ctx, program: p, terms: t, facts: newStore(t), active: make(map[functor]*fixpoint)}
	for l := range lifetimes {
		s.forget(l)
	}
	return s
}

// forget drops the tables of a lifetime.
func (s *solver) forget(l lifetime) { s.tables[l] = make(map[term]*table) }

func (p *program) lifetime(f functor) lifetime {
	switch {
	case p.onMoves[f]:
		return jointMove
	case p.onState[f]:
		return position
	}
	return always
}

// stored lists the facts of a relation that match an atom, and maybe others.
func (s *solver) stored(atom *pattern, binding []term) []term {
	if atom.functor == s.program.holds || atom.functor == s.program.does {
		return s.facts.candidates(atom, binding)
	}
	return s.program.facts.candidates(atom, binding)
}

// cost implements source.
func (s *solver) cost(l *literal, binding []term) int {
	if len(s.program.rules[l.atom.functor]) == 0 {
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

// patience is how many questions are asked between two looks at the context:
// some milliseconds.
const patience = 1 << 12

// tired tells whether the work is to be given up.
func (s *solver) tired() bool {
	if s.work++; s.work%patience == 0 && s.err == nil {
		s.err = s.ctx.Err()
	}
	return s.err != nil
}

// answers implements source.
func (s *solver) answers(atom *pattern, binding []term) []term {
	if s.tired() {
		return nil
	}
	if len(s.program.rules[atom.functor]) == 0 {
		return s.stored(atom, binding)
	}
	question := s.terms.question(atom, binding)
	tables := s.tables[s.program.lifetime(atom.functor)]
	t := tables[question]
	if t == nil {
		t = &table{question: question, has: make(map[term]bool), readers: make(map[*table]bool)}
		tables[question] = t
		for _, fact := range s.stored(atom, binding) {
			s.add(t, fact, nil)
		}
		s.solve(t, s.program.component[atom.functor])
	}
	if !t.complete {
		t.readers[s.current] = true
	}
	return t.answers
}

// solve computes a new table: completely, or, inside a fixpoint of its component,
// as far as the tables that it reads go.
func (s *solver) solve(t *table, component functor) {
	if f := s.active[component]; f != nil {
		f.tables = append(f.tables, t)
		s.compute(t, f)
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
	delete(s.active, component)
	for _, t := range f.tables {
		t.complete, t.readers = true, nil
	}
}

// compute asks all rules the question of t.
func (s *solver) compute(t *table, f *fixpoint) {
	outer := s.current
	s.current = t
	for _, r := range s.program.rules[s.terms.heads[t.question]] {
		j := newJoin(s.terms, s, r, func(fact term) bool {
			s.add(t, fact, f)
			return fact != t.question // which has one answer if nothing is unknown
		})
		if s.terms.adopt(&r.head, t.question, j.binding) && !j.run() {
			break
		}
	}
	s.current = outer
}

// add adds an answer to t if the question covers it.
func (s *solver) add(t *table, fact term, f *fixpoint) {
	if t.has[fact] || !s.terms.covers(t.question, fact) {
		return
	}
	t.has[fact] = true
	t.answers = append(t.answers, fact)
	for r := range t.readers {
		if !r.queued {
			r.queued = true
			f.again = append(f.again, r)
		}
	}
}

// ask answers a question of its own.
func (s *solver) ask(relation functor, args ...pattern) []term {
	atom := pattern{slot: -1, ground: unbound, functor: relation, args: args}
	return s.answers(&atom, []term{unbound})
}

// unknown is an argument that is not known, known one that is.
func unknown() pattern { return pattern{slot: 0, ground: unbound} }

func (t *terms) known(n term) pattern { return pattern{slot: -1, ground: n, functor: t.heads[n]} }
