// Package prover answers queries about positions from the rules alone: the initial position, terminal, legal moves,
// next positions and goals. It compiles nothing, so it can begin with a game of any size. Players use it until a
// compiled machine is ready, and the reference engine is built on it.
//
// The semantics is the standard model of stratified logic programs (Apt, Blair and Walker, "Towards a Theory of
// Declarative Knowledge", 1988), as GDL prescribes. In order of reading:
//
//	term.go     numbered ground terms
//	pattern.go  terms of rules: instances, matching, queries
//	program.go  rules by relation, and mutually recursive relations
//	facts.go    stated facts, with an index by their arguments
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

// Prover answers queries about positions given as text. Fluents and moves are spelled as in machine.Names. A query
// fails if its context ends, if a term does not parse, or if the rules need more than MaxBytes or too many nested
// conditions. The Prover stays usable after an error. It belongs to one goroutine.
//
// Tables that depend neither on the position nor on moves are kept. Tables of a position are kept until the next
// query has other fluents. All tables are dropped when they exceed half of MaxBytes.
type Prover struct {
	// MaxBytes bounds the approximate memory of terms and answers. The memory of the rules comes on top.
	MaxBytes int64

	roles   []string
	program *program
	solver  *solver
	numbers map[string]term // by text
	fluents []term          // the position of the tables
}

// defaultBytes is the MaxBytes of a new Prover.
const defaultBytes = 512 << 20

// New returns a Prover of a game, in time linear in the size of the rules.
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
	return p.argumentTexts(p.solver.query(p.program.init, unknownArgument(0)), 0)
}

// Terminal reports whether the position is terminal.
func (p *Prover) Terminal(ctx context.Context, fluents []string) (bool, error) {
	if err := p.setPosition(ctx, fluents); err != nil {
		return false, err
	}
	facts := p.solver.query(p.program.terminal)
	return len(facts) > 0, p.takeError()
}

// Legal lists the legal moves of a role, sorted. With atMost > 0 it lists the first moves that it finds, at most that
// number, which may take far less time.
func (p *Prover) Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error) {
	r, err := p.setPositionAndRole(ctx, fluents, role)
	if err != nil {
		return nil, err
	}
	if atMost > 0 {
		return p.argumentTexts(p.solver.firstAnswers(atMost, p.program.legal, r, unknownArgument(0)), 1)
	}
	return p.argumentTexts(p.solver.query(p.program.legal, r, unknownArgument(0)), 1)
}

// IsLegal reports whether a move of a role is legal, without a list of moves. A text that is not a ground term is no
// legal move.
func (p *Prover) IsLegal(ctx context.Context, fluents []string, role, move string) (bool, error) {
	r, err := p.setPositionAndRole(ctx, fluents, role)
	if err != nil {
		return false, err
	}
	m, err := p.term(move)
	if err != nil {
		return false, nil
	}
	atom := pattern{slot: -1, ground: unbound, functor: p.program.legal, args: []pattern{r, {slot: -1, ground: m}}}
	isLegal := p.solver.proves(&atom, nil)
	return isLegal, p.takeError()
}

// Next lists the fluents of the position after a joint move, sorted. The joint move has a move for each role, in the
// order of the rules.
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
	return p.argumentTexts(s.query(p.program.next, unknownArgument(0)), 0)
}

// Goal returns the goal of a role in goal points, or machine.NoGoal.
func (p *Prover) Goal(ctx context.Context, fluents []string, role string) (int, error) {
	r, err := p.setPositionAndRole(ctx, fluents, role)
	if err != nil {
		return 0, err
	}
	facts := p.solver.query(p.program.goal, r, unknownArgument(0))
	if err := p.takeError(); err != nil || len(facts) != 1 {
		return int(machine.NoGoal), err
	}
	if text, err := p.solver.terms.text(p.solver.terms.arguments[facts[0]][1]); err == nil {
		return int(machine.GoalOf(text)), nil
	}
	return int(machine.NoGoal), nil // a text beyond the limit is not a number
}

// Facts returns the argument lists of the facts of a relation with the given arity. The relation must not depend on
// moves.
func (p *Prover) Facts(ctx context.Context, fluents []string, relation string, arity int) ([][]string, error) {
	if err := p.setPosition(ctx, fluents); err != nil {
		return nil, err
	}
	s := p.solver
	args := make([]pattern, arity)
	for i := range args {
		args[i] = unknownArgument(i)
	}
	list := s.query(s.terms.functor(relation, arity), args...)
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

// setPosition sets the position of the next query, and drops tables of another position.
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

// setPositionAndRole sets the position, and returns the role as an argument of the next query.
func (p *Prover) setPositionAndRole(ctx context.Context, fluents []string, role string) (pattern, error) {
	if err := p.setPosition(ctx, fluents); err != nil {
		return pattern{}, err
	}
	n, err := p.term(role)
	return pattern{slot: -1, ground: n}, err
}

// unknownArgument returns the i-th unknown argument of a query.
func unknownArgument(i int) pattern { return pattern{slot: i, ground: unbound} }

// takeError returns and clears the error of the last query.
func (p *Prover) takeError() error {
	err := p.solver.err
	if err != nil {
		p.solver.dropIncomplete()
	}
	return err
}

// term returns the number of a term given as text.
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

// argumentTexts returns the texts of an argument of facts, sorted, or the error of the last query.
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
