// Package prover answers questions about positions from the rules alone: what is true
// at first, what is legal, what follows, what it is worth. It compiles nothing, so no
// game is too large to begin with. Players move by it before anything better is ready,
// and the reference engine is built on it.
//
// The semantics is that of stratified logic programs (Apt, Blair and Walker,
// "Towards a Theory of Declarative Knowledge", 1988), as GDL prescribes. In order of
// reading:
//
//	term.go     ground terms, numbered
//	pattern.go  terms of rules: instances, matching, questions
//	program.go  rules by relation, and which relations recur on each other
//	facts.go    facts that are stated, found by their arguments
//	tables.go   the algorithm: tabled resolution
//	join.go     the evaluation of one rule
package prover

import (
	"context"
	"fmt"
	"slices"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// Prover answers questions about positions that are given as texts. Fluents and moves
// are spelled as in machine.Names. Errors are those of the context, a term that does
// not parse, or rules that need more than MaxBytes for one answer or depend on each
// other through too many conditions; the Prover stays usable after each. It belongs to
// one goroutine.
//
// Tables of what depends on neither position nor moves are kept, those of the
// position as long as the same fluents are asked about; all are forgotten when
// they take half of MaxBytes.
type Prover struct {
	// MaxBytes bounds the memory of terms and answers, about; that of the rules
	// themselves comes on top.
	MaxBytes int64

	roles   []string
	program *program
	solver  *solver
	numbers map[string]term // texts that were read or written
	fluents []term          // the position that the tables are about
}

// defaultBytes is the MaxBytes of a new Prover.
const defaultBytes = 512 << 20

// New makes a Prover, in time linear in the size of the rules.
func New(g *gdl.Game) *Prover {
	p := &Prover{MaxBytes: defaultBytes, program: newProgram(newTerms(), g)}
	for _, r := range g.Roles {
		p.roles = append(p.roles, r.String())
	}
	return p
}

// Initial lists the fluents of the initial position, sorted.
func (p *Prover) Initial(ctx context.Context) ([]string, error) {
	if err := p.setPosition(ctx, nil); err != nil {
		return nil, err
	}
	return p.argumentTexts(p.solver.answers(p.program.init, unknownArgument(0)), 0)
}

// Terminal reports whether the position is terminal.
func (p *Prover) Terminal(ctx context.Context, fluents []string) (bool, error) {
	if err := p.setPosition(ctx, fluents); err != nil {
		return false, err
	}
	facts := p.solver.answers(p.program.terminal)
	return len(facts) > 0, p.takeError()
}

// Legal lists legal moves of a role: all of them, sorted, or with atMost > 0 that
// many, the first that are found, which may take far less time.
func (p *Prover) Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error) {
	r, err := p.setPositionAndRole(ctx, fluents, role)
	if err != nil {
		return nil, err
	}
	if atMost > 0 {
		return p.argumentTexts(p.solver.firstAnswers(atMost, p.program.legal, r, unknownArgument(0)), 1)
	}
	return p.argumentTexts(p.solver.answers(p.program.legal, r, unknownArgument(0)), 1)
}

// Next lists the fluents of the position after a joint move, sorted. The joint
// move has one move for each role, in the order of the rules.
func (p *Prover) Next(ctx context.Context, fluents, joint []string) ([]string, error) {
	if len(joint) != len(p.roles) {
		return nil, fmt.Errorf("expected a joint move of the %d roles, found %d moves", len(p.roles), len(joint))
	}
	if err := p.setPosition(ctx, fluents); err != nil {
		return nil, err
	}
	s := p.solver
	stated := len(s.facts.log)
	defer func() {
		s.facts.truncate(stated)
		s.dropTables(jointMove)
	}()
	for i, text := range joint {
		r, err := p.term(p.roles[i])
		if err != nil {
			return nil, err
		}
		m, err := p.term(text)
		if err != nil {
			return nil, err
		}
		s.facts.insert(s.terms.term(p.program.does, r, m))
	}
	return p.argumentTexts(s.answers(p.program.next, unknownArgument(0)), 0)
}

// Goal is the goal of a role in goal points, or machine.NoGoal.
func (p *Prover) Goal(ctx context.Context, fluents []string, role string) (int, error) {
	r, err := p.setPositionAndRole(ctx, fluents, role)
	if err != nil {
		return 0, err
	}
	facts := p.solver.answers(p.program.goal, r, unknownArgument(0))
	if err := p.takeError(); err != nil || len(facts) != 1 {
		return int(machine.NoGoal), err
	}
	if text, err := p.solver.terms.text(p.solver.terms.arguments[facts[0]][1]); err == nil {
		return int(machine.GoalOf(text)), nil
	}
	return int(machine.NoGoal), nil // so long a text is no number
}

// Facts lists the facts of a relation with the given number of arguments, each as its
// arguments. The relation must not depend on moves.
func (p *Prover) Facts(ctx context.Context, fluents []string, relation string, arity int) ([][]string, error) {
	if err := p.setPosition(ctx, fluents); err != nil {
		return nil, err
	}
	s := p.solver
	args := make([]pattern, arity)
	for i := range args {
		args[i] = unknownArgument(i)
	}
	list := s.answers(s.terms.functor(relation, arity), args...)
	if err := p.takeError(); err != nil {
		return nil, err
	}
	var facts [][]string
	for _, fact := range list {
		var texts []string
		for _, n := range s.terms.arguments[fact] {
			text, err := s.terms.text(n)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		facts = append(facts, texts)
	}
	return facts, nil
}

// place makes the tables those of a position.
func (p *Prover) setPosition(ctx context.Context, fluents []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.solver == nil || p.solver.size() > p.MaxBytes/2 {
		p.solver = newSolver(p.program)
		p.numbers, p.fluents = make(map[string]term), nil
	}
	s := p.solver
	s.ctx, s.maxBytes = ctx, p.MaxBytes
	list := make([]term, len(fluents))
	for i, text := range fluents {
		var err error
		if list[i], err = p.term(text); err != nil {
			return err
		}
	}
	if slices.Equal(list, p.fluents) {
		return nil
	}
	p.fluents = list
	s.facts.truncate(0)
	s.dropTables(position)
	s.dropTables(jointMove)
	for _, f := range list {
		s.facts.insert(s.terms.term(p.program.holds, f))
	}
	return nil
}

// placeRole is place, and the role as an argument of a question.
func (p *Prover) setPositionAndRole(ctx context.Context, fluents []string, role string) (pattern, error) {
	if err := p.setPosition(ctx, fluents); err != nil {
		return pattern{}, err
	}
	n, err := p.term(role)
	return pattern{slot: -1, ground: n}, err
}

// unknown is an argument of a question that is not known: the i-th of them.
func unknownArgument(i int) pattern { return pattern{slot: i, ground: unbound} }

// finish is the error of the question that was asked.
func (p *Prover) takeError() error {
	err := p.solver.err
	if err != nil {
		p.solver.dropIncomplete()
	}
	return err
}

// term reads a text.
func (p *Prover) term(text string) (term, error) {
	if n, ok := p.numbers[text]; ok {
		return n, nil
	}
	parsed, err := gdl.ParseTerm(text)
	if err != nil {
		return 0, err
	}
	n := p.solver.terms.ground(parsed)
	p.remember(text, n)
	return n, nil
}

func (p *Prover) remember(text string, n term) {
	p.numbers[text] = n
	p.solver.terms.bytes += termBytes + int64(len(text))
}

// column writes an argument of facts, sorted, or gives the error that left them incomplete.
func (p *Prover) argumentTexts(facts []term, argument int) ([]string, error) {
	if err := p.takeError(); err != nil {
		return nil, err
	}
	list := make([]string, len(facts))
	for i, fact := range facts {
		n := p.solver.terms.arguments[fact][argument]
		text, err := p.solver.terms.text(n)
		if err != nil {
			return nil, err
		}
		list[i] = text
		if _, ok := p.numbers[text]; !ok {
			p.remember(text, n)
		}
	}
	slices.Sort(list)
	return list, nil
}
