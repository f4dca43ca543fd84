package prover

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Tabled resolution: queries are answered top-down, and their answers are kept in tables (Tamaki and Sato, "OLD
// resolution with tabulation", 1986; complete tables: Chen and Warren, "Tabled evaluation with delaying for general
// logic programs", 1996).
//
//	answer(query):
//	    if the query has no table:
//	        make a table with the stated facts
//	        evaluate(table)
//	        if no other table of its component is being evaluated:
//	            evaluate the readers of new answers until the queue is empty
//	            mark the tables of the component as complete
//	    if the table is not complete: add the current table to its readers
//	    return the answers
//
//	evaluate(table):
//	    for each rule of the relation, for each way to satisfy its body (join.go):
//	        add the instance of the head to the table
//	        if it is new: put the readers of the table into the queue
//
// A component is a set of mutually recursive relations (program.go). Rules are stratified, so a negated condition is
// a ground query about a lower component, whose table is complete when it is read. A complete table holds all
// answers. An incomplete table holds only correct answers, so the first answers can be used early (firstAnswers). The
// cost equals the cost of naive evaluation, restricted to the relations and arguments that the query depends on.

// solver answers queries about a position and, if there are facts of `does`, a joint move.
type solver struct {
	program   *program
	terms     *terms
	facts     *facts                     // of `true` and `does`
	tables    [lifetimes]map[term]*table // by query
	bytes     [lifetimes]int64           // of these tables, approximately
	fixpoints map[int]*fixpoint          // by component
	current   *table                     // the table that is being evaluated
	depth     int                        // number of nested conditions

	// Early ends of the evaluation.
	ctx        context.Context
	maxBytes   int64  // of terms and tables
	steps      int    // facts and conditions visited
	firstTable *table // the first new table of the current query
	wanted     int    // number of answers in firstTable that suffice; 0 for all
	err        error  // reason why answers are incomplete: the error of ctx, errEnough, or a bound
}

// table is a query and its answers.
type table struct {
	query    term
	answers  []term
	isAnswer map[term]bool // nil for up to maxScanned answers
	complete bool
	readers  []*table // tables that have read this table while it was incomplete
	isReader map[*table]bool
	queued   bool // in the queue of its fixpoint
}

// maxScanned is the number of facts up to which a list is scanned instead of an index lookup.
const maxScanned = 8

// fixpoint is the evaluation of the tables of a component.
type fixpoint struct {
	tables []*table
	queue  []*table // tables to evaluate
}

// answer returns the answers to an atom under a binding; the list may contain facts that do not match.
func (s *solver) answer(atom *pattern, binding []term) []term {
	if s.mustStop() {
		return nil
	}
	if !s.program.isDerived(atom.functor) {
		return s.statedFacts(atom, binding)
	}
	query, relation := s.terms.instance(atom, binding), &s.program.relations[atom.functor]
	t := s.tables[relation.lifetime][query]
	if t == nil {
		t = &table{query: query}
		s.tables[relation.lifetime][query] = t
		s.bytes[relation.lifetime] += tableBytes
		if s.firstTable == nil {
			s.firstTable = t
		}
		for _, fact := range s.statedFacts(atom, binding) {
			s.add(t, fact, nil)
		}
		s.solve(t, relation.component)
	}
	if !t.complete && s.current != nil && !t.isReader[s.current] {
		if t.isReader == nil {
			t.isReader = make(map[*table]bool)
		}
		t.isReader[s.current] = true
		t.readers = append(t.readers, s.current)
	}
	return t.answers
}

// proves reports whether an atom without unbound variables is true. The result is valid unless the solver must stop.
func (s *solver) proves(atom *pattern, binding []term) bool {
	return slices.Contains(s.answer(atom, binding), s.terms.instance(atom, binding))
}

// statedFacts returns facts that the rules, the position and the joint move state. All matches of an atom are in the
// list; further facts may be.
func (s *solver) statedFacts(atom *pattern, binding []term) []term {
	from := s.program.facts
	if atom.functor == s.program.holds || atom.functor == s.program.does {
		from = s.facts
	}
	list := from.candidates(atom, binding)
	if len(list) > maxScanned {
		if fact := s.terms.instance(atom, binding); !s.terms.hasWildcard[fact] {
			if !from.holds(fact) {
				return nil
			}
			return []term{fact}
		}
	}
	return list
}

// solve fills a new table. If another table of its component is being evaluated, the new table may stay incomplete.
func (s *solver) solve(t *table, component int) {
	if f := s.fixpoints[component]; f != nil {
		f.tables = append(f.tables, t)
		if s.depth > deferDepth {
			f.enqueue(t)
		} else {
			s.evaluate(t, f)
		}
		return
	}
	f := &fixpoint{tables: []*table{t}}
	s.fixpoints[component] = f
	s.evaluate(t, f)
	for len(f.queue) > 0 && s.err == nil {
		last := f.queue[len(f.queue)-1]
		f.queue = f.queue[:len(f.queue)-1]
		last.queued = false
		s.evaluate(last, f)
	}
	if s.err != nil {
		return // dropIncomplete removes the tables
	}
	delete(s.fixpoints, component)
	for _, t := range f.tables {
		t.complete, t.readers, t.isReader = true, nil, nil
	}
}

func (f *fixpoint) enqueue(t *table) {
	if !t.queued {
		t.queued = true
		f.queue = append(f.queue, t)
	}
}

// evaluate applies all rules of the relation to the query of t.
func (s *solver) evaluate(t *table, f *fixpoint) {
	outer := s.current
	s.current = t
	for _, r := range s.program.relations[s.terms.heads[t.query]].rules {
		j := join{solver: s, rule: r, binding: newBinding(r.slots), done: make([]bool, len(r.body))}
		j.emit = func(fact term) bool {
			s.add(t, fact, f)
			return s.err == nil && fact != t.query // a ground query has one answer
		}
		s.addDepth(len(r.body) + 1)
		more := !s.terms.bindHead(&r.head, t.query, j.binding) || j.run()
		s.depth -= len(r.body) + 1
		if !more {
			break
		}
	}
	s.current = outer
}

// add adds a fact to t if it is a new answer. Only tables of derived facts have readers.
func (s *solver) add(t *table, fact term, f *fixpoint) {
	if !s.terms.answers(t.query, fact) || !t.insert(fact) {
		return
	}
	s.bytes[s.program.relations[s.terms.heads[fact]].lifetime] += answerBytes
	for _, r := range t.readers {
		f.enqueue(r)
	}
	if t == s.firstTable && len(t.answers) == s.wanted {
		s.err = errEnough
	}
}

// insert adds an answer and reports whether it is new.
func (t *table) insert(fact term) bool {
	if t.isAnswer[fact] || t.isAnswer == nil && slices.Contains(t.answers, fact) {
		return false
	}
	t.answers = append(t.answers, fact)
	if t.isAnswer == nil && len(t.answers) > maxScanned {
		t.isAnswer = make(map[term]bool, 4*maxScanned)
		for _, a := range t.answers {
			t.isAnswer[a] = true
		}
	} else if t.isAnswer != nil {
		t.isAnswer[fact] = true
	}
	return true
}

// Bounds of an evaluation: its context, memory and stack, and the number of answers.

const (
	// checkEvery is the number of steps between two checks of the context: some hundred microseconds.
	checkEvery = 1 << 10

	// deferDepth is the number of nested conditions beyond which a component queues its new tables, and does not
	// evaluate them at once. So deep recursion needs a bounded stack.
	deferDepth = 20_000

	// maxDepth bounds nested conditions: each has a stack frame of some 400 bytes, and the runtime ends a process
	// with a stack of a gigabyte.
	maxDepth = 200_000

	// Approximate memory of a table and of an answer.
	tableBytes  = 200
	answerBytes = 24
)

// errEnough stops an evaluation that has found the wanted number of answers.
var errEnough = errors.New("enough answers")

func newSolver(p *program) *solver {
	t := p.terms.clone()
	s := &solver{program: p, terms: t, facts: newFacts(t), fixpoints: make(map[int]*fixpoint)}
	for l := range lifetimes {
		s.dropTables(l)
	}
	return s
}

// dropTables drops the tables of a lifetime.
func (s *solver) dropTables(l lifetime) {
	if s.bytes[l] > 0 || s.tables[l] == nil {
		s.tables[l], s.bytes[l] = make(map[term]*table), 0
	}
}

// size returns the approximate memory of the terms and tables in bytes.
func (s *solver) size() int64 {
	size := s.terms.bytes + s.facts.bytes
	for _, b := range s.bytes {
		size += b
	}
	return size
}

// mustStop counts a step and reports whether the evaluation must stop; its answers are then incomplete.
func (s *solver) mustStop() bool {
	if s.steps++; s.steps%checkEvery == 0 && s.err == nil {
		if s.err = s.ctx.Err(); s.err == nil && s.size() > s.maxBytes {
			s.err = fmt.Errorf("the rules derive too much in one position: more than %d MiB of terms and answers", s.maxBytes>>20)
		}
	}
	return s.err != nil
}

// addDepth counts nested conditions.
func (s *solver) addDepth(conditions int) {
	if s.depth += conditions; s.depth > maxDepth && s.err == nil {
		s.err = fmt.Errorf("the rules depend on each other through more than %d conditions in a row", maxDepth)
	}
}

// dropIncomplete drops the tables that an error has left incomplete, and the error.
func (s *solver) dropIncomplete() {
	for _, f := range s.fixpoints {
		for _, t := range f.tables {
			delete(s.tables[s.program.relations[s.terms.heads[t.query]].lifetime], t.query)
		}
	}
	clear(s.fixpoints)
	s.current, s.depth, s.err = nil, 0, nil
}

// query returns the answers to a top-level query: an atom with the given arguments.
func (s *solver) query(relation functor, args ...pattern) []term {
	return s.answer(&pattern{slot: -1, ground: unbound, functor: relation, args: args}, newBinding(len(args)))
}

// firstAnswers returns the first answers to a query, at most the given number. It drops the tables that stay
// incomplete.
func (s *solver) firstAnswers(atMost int, relation functor, args ...pattern) []term {
	s.firstTable, s.wanted = nil, atMost
	list := s.query(relation, args...)
	s.wanted = 0
	if errors.Is(s.err, errEnough) {
		s.dropIncomplete()
	}
	return list[:min(len(list), atMost)]
}
