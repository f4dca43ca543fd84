package prover

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Questions are answered from the top, and their answers are kept in tables (tabled
// resolution: Tamaki and Sato, "OLD resolution with tabulation", 1986; complete tables:
// Chen and Warren, "Tabled evaluation with delaying for general logic programs", 1996).
//
//	ask(question):
//	    if it has no table:
//	        make one, with the facts that the rules state
//	        evaluate(table)
//	        if no other table of its component is under way:
//	            evaluate tables that have read new answers, until there are none
//	            the tables of the component are complete
//	    return the answers; if the table is not complete, note who reads it
//
//	evaluate(table):
//	    for each rule of the relation, for each way to satisfy its body (join.go):
//	        add the instance of the head to the table
//	        if it is new: those who have read the table have new answers to read
//
// A component is a set of relations that recur on each other (program.go). What is negated
// is a question without unknowns about a lower component, as rules are stratified, so
// its table is complete when it is read. A table that is complete holds all answers.
// The answers in any other are right as far as they go, so the first ones may be taken
// before the rest is known (first). The cost is that of naive evaluation of what the question
// depends on.

// solver answers questions about one position and, if there are facts of `does`, one
// joint move.
type solver struct {
	program   *program
	terms     *terms
	facts     *facts                     // of `true` and `does`
	tables    [lifetimes]map[term]*table // by question
	bytes     [lifetimes]int64           // of these tables, about
	underWay  map[int]*fixpoint          // by component
	evaluated *table                     // the one that is being evaluated
	depth     int                        // conditions that are being evaluated inside each other

	// What may end the evaluation early.
	ctx        context.Context
	maxBytes   int64  // of terms and tables
	work       int    // facts and conditions looked at
	firstTable *table // the first table made of the question at hand
	wanted     int    // the answers in root that are enough; 0 for all
	err        error  // why answers are not complete: that of ctx, errEnough, or a bound
}

// table is a question and its answers.
type table struct {
	question term
	answers  []term
	has      map[term]bool // the answers, once they are more than a few
	complete bool
	readers  []*table // those that have read this one before it was complete, in order
	reads    map[*table]bool
	queued   bool // to be evaluated again
}

// few is the number of facts that are searched rather than looked up.
const maxScanned = 8

// fixpoint is the evaluation of tables of one component.
type fixpoint struct {
	tables []*table
	again  []*table // to be evaluated again, or for the first time
}

// ask lists the answers to an atom, and maybe facts that do not match it.
func (s *solver) ask(atom *pattern, binding []term) []term {
	if s.mustStop() {
		return nil
	}
	if !s.program.isDerived(atom.functor) {
		return s.statedFacts(atom, binding)
	}
	question, of := s.terms.instance(atom, binding), &s.program.relations[atom.functor]
	t := s.tables[of.lifetime][question]
	if t == nil {
		t = &table{question: question}
		s.tables[of.lifetime][question] = t
		s.bytes[of.lifetime] += tableBytes
		if s.firstTable == nil {
			s.firstTable = t
		}
		for _, fact := range s.statedFacts(atom, binding) {
			s.add(t, fact, nil)
		}
		s.solve(t, of.component)
	}
	if !t.complete && s.evaluated != nil && !t.reads[s.evaluated] {
		if t.reads == nil {
			t.reads = make(map[*table]bool)
		}
		t.reads[s.evaluated] = true
		t.readers = append(t.readers, s.evaluated)
	}
	return t.answers
}

// stated lists the facts that the rules, the position and the joint move state, and that match an
// atom, and maybe others.
func (s *solver) statedFacts(atom *pattern, binding []term) []term {
	from := s.program.facts
	if atom.functor == s.program.holds || atom.functor == s.program.does {
		from = s.facts
	}
	list := from.candidates(atom, binding)
	if len(list) > maxScanned {
		if fact := s.terms.instance(atom, binding); !s.terms.open[fact] {
			if !from.holds(fact) {
				return nil
			}
			return []term{fact}
		}
	}
	return list
}

// solve fills a new table: completely or, if others of its component are under way, as
// far as these go.
func (s *solver) solve(t *table, component int) {
	if f := s.underWay[component]; f != nil {
		f.tables = append(f.tables, t)
		if s.depth > deferDepth {
			f.evaluateAgain(t)
		} else {
			s.evaluate(t, f)
		}
		return
	}
	f := &fixpoint{tables: []*table{t}}
	s.underWay[component] = f
	s.evaluate(t, f)
	for len(f.again) > 0 && s.err == nil {
		last := f.again[len(f.again)-1]
		f.again = f.again[:len(f.again)-1]
		last.queued = false
		s.evaluate(last, f)
	}
	if s.err != nil {
		return // the tables are not complete: abandon forgets them
	}
	delete(s.underWay, component)
	for _, t := range f.tables {
		t.complete, t.readers, t.reads = true, nil, nil
	}
}

func (f *fixpoint) evaluateAgain(t *table) {
	if !t.queued {
		t.queued = true
		f.again = append(f.again, t)
	}
}

// evaluate asks all rules of the relation the question of t.
func (s *solver) evaluate(t *table, f *fixpoint) {
	outer := s.evaluated
	s.evaluated = t
	for _, r := range s.program.relations[s.terms.heads[t.question]].rules {
		j := join{solver: s, rule: r, binding: newBinding(r.slots), done: make([]bool, len(r.body))}
		j.found = func(fact term) bool {
			s.add(t, fact, f)
			return s.err == nil && fact != t.question // which has one answer if nothing is unknown
		}
		s.addDepth(len(r.body) + 1)
		more := !s.terms.bindHead(&r.head, t.question, j.binding) || j.run()
		s.depth -= len(r.body) + 1
		if !more {
			break
		}
	}
	s.evaluated = outer
}

// add adds an answer to t if it is new and one. Only tables of derived facts have readers.
func (s *solver) add(t *table, fact term, f *fixpoint) {
	if !s.terms.answers(t.question, fact) || !t.insert(fact) {
		return
	}
	s.bytes[s.program.relations[s.terms.heads[fact]].lifetime] += answerBytes
	for _, r := range t.readers {
		f.evaluateAgain(r)
	}
	if t == s.firstTable && len(t.answers) == s.wanted {
		s.err = errEnough
	}
}

// insert adds an answer and reports whether it is new.
func (t *table) insert(fact term) bool {
	if t.has[fact] || t.has == nil && slices.Contains(t.answers, fact) {
		return false
	}
	t.answers = append(t.answers, fact)
	if t.has == nil && len(t.answers) > maxScanned {
		t.has = make(map[term]bool, 4*maxScanned)
		for _, a := range t.answers {
			t.has[a] = true
		}
	} else if t.has != nil {
		t.has[fact] = true
	}
	return true
}

// What follows ends an evaluation early: a context, memory, the stack, and enough answers.

const (
	// checkEvery is how many steps of work are done between two looks at the context:
	// some hundred microseconds.
	checkEvery = 1 << 10

	// deep is the number of nested conditions past which a table whose component is
	// under way waits for its turn instead of being evaluated at once: so rules that
	// recur, however far, need a bounded stack.
	deferDepth = 20_000

	// deepest bounds nested conditions: each keeps a stack frame of some 400 bytes, and a
	// goroutine whose stack comes near a gigabyte ends the process.
	maxDepth = 200_000

	// The memory of a table and of an answer, about.
	tableBytes  = 200
	answerBytes = 24
)

// errEnough is the error of a solver that has as many answers as are wanted.
var errEnough = errors.New("enough answers")

func newSolver(p *program) *solver {
	t := p.terms.clone()
	s := &solver{program: p, terms: t, facts: newFacts(t), underWay: make(map[int]*fixpoint)}
	for l := range lifetimes {
		s.dropTables(l)
	}
	return s
}

// forget drops the tables of a lifetime.
func (s *solver) dropTables(l lifetime) {
	if s.bytes[l] > 0 || s.tables[l] == nil {
		s.tables[l], s.bytes[l] = make(map[term]*table), 0
	}
}

// size is about how many bytes the terms and tables take.
func (s *solver) size() int64 {
	size := s.terms.bytes + s.facts.bytes
	for _, b := range s.bytes {
		size += b
	}
	return size
}

// tired counts a step of work and reports whether to give up: answers are not
// complete then.
func (s *solver) mustStop() bool {
	if s.work++; s.work%checkEvery == 0 && s.err == nil {
		if s.err = s.ctx.Err(); s.err == nil && s.size() > s.maxBytes {
			s.err = fmt.Errorf("the rules derive too much in one position: more than %d MiB of terms and answers", s.maxBytes>>20)
		}
	}
	return s.err != nil
}

// enter begins to evaluate so many conditions inside others.
func (s *solver) addDepth(conditions int) {
	if s.depth += conditions; s.depth > maxDepth && s.err == nil {
		s.err = fmt.Errorf("the rules depend on each other through more than %d conditions in a row", maxDepth)
	}
}

// abandon forgets the tables that were left incomplete by an error, and the error.
func (s *solver) dropIncomplete() {
	for _, f := range s.underWay {
		for _, t := range f.tables {
			delete(s.tables[s.program.relations[s.terms.heads[t.question]].lifetime], t.question)
		}
	}
	clear(s.underWay)
	s.evaluated, s.depth, s.err = nil, 0, nil
}

// all lists the answers to a question of its own: an atom with the given arguments.
func (s *solver) answers(relation functor, args ...pattern) []term {
	return s.ask(&pattern{slot: -1, ground: unbound, functor: relation, args: args}, newBinding(len(args)))
}

// first is all, or atMost answers, the first that are found. Tables that are incomplete
// then are forgotten.
func (s *solver) firstAnswers(atMost int, relation functor, args ...pattern) []term {
	s.firstTable, s.wanted = nil, atMost
	list := s.answers(relation, args...)
	s.wanted = 0
	if errors.Is(s.err, errEnough) {
		s.dropIncomplete()
	}
	return list[:min(len(list), atMost)]
}
