package reference

import (
	"context"
	"fmt"
	"slices"

	"stackmate/gdl"
)

// Prover answers questions about positions that are given as texts, from the rules
// alone: it knows no vocabulary, so nothing is computed beforehand and no game is
// too large to begin with. Fluents and moves are spelled as in machine.Names.
// Errors are those of the context, a term that does not parse, or rules that need
// more than MaxBytes for one answer; the Prover stays usable after each. It belongs
// to one goroutine.
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
	err     error // of the rules
	solver  *solver
	known   map[string]term // texts that were read or written
	fluents []term          // the position that the tables are about
}

// ProverBytes is the MaxBytes of a new Prover.
const ProverBytes = 512 << 20

// NewProver makes a Prover, in time linear in the size of the rules.
func NewProver(g *gdl.Game) *Prover {
	p := &Prover{MaxBytes: ProverBytes, program: newProgram(newTerms(), g)}
	p.err = p.program.check()
	for _, r := range g.Roles {
		p.roles = append(p.roles, r.String())
	}
	return p
}

// Initial lists the fluents of the initial position, sorted.
func (p *Prover) Initial(ctx context.Context) ([]string, error) {
	if err := p.place(ctx, nil); err != nil {
		return nil, err
	}
	facts := p.solver.ask(p.program.init, unknown())
	return p.texts(facts, 0)
}

// Terminal tells whether the position is terminal.
func (p *Prover) Terminal(ctx context.Context, fluents []string) (bool, error) {
	if err := p.place(ctx, fluents); err != nil {
		return false, err
	}
	facts := p.solver.ask(p.program.terminal)
	return len(facts) > 0, p.finish()
}

// Legal lists legal moves of a role: all of them, sorted, or with atMost > 0 that
// many, the first that are found, which may take far less time.
func (p *Prover) Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error) {
	if err := p.place(ctx, fluents); err != nil {
		return nil, err
	}
	r, err := p.term(role)
	if err != nil {
		return nil, err
	}
	s := p.solver
	if atMost > 0 {
		return p.texts(s.first(atMost, p.program.legal, s.terms.known(r), unknown()), 1)
	}
	return p.texts(s.ask(p.program.legal, s.terms.known(r), unknown()), 1)
}

// Next lists the fluents of the position after a joint move, sorted. The joint
// move has one move for each role, in the order of the rules.
func (p *Prover) Next(ctx context.Context, fluents, joint []string) ([]string, error) {
	if len(joint) != len(p.roles) {
		return nil, fmt.Errorf("expected a joint move of the %d roles, found %d moves", len(p.roles), len(joint))
	}
	if err := p.place(ctx, fluents); err != nil {
		return nil, err
	}
	s := p.solver
	position := len(s.facts.log)
	defer func() {
		s.facts.truncate(position)
		s.forget(jointMove)
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
		s.facts.insert(s.terms.make(p.program.does, r, m))
	}
	return p.texts(s.ask(p.program.next, unknown()), 0)
}

// Goal is the goal of a role in goal points, or machine.NoGoal.
func (p *Prover) Goal(ctx context.Context, fluents []string, role string) (int, error) {
	if err := p.place(ctx, fluents); err != nil {
		return 0, err
	}
	r, err := p.term(role)
	if err != nil {
		return 0, err
	}
	facts := p.solver.ask(p.program.goal, p.solver.terms.known(r), unknown())
	return int(p.solver.terms.goal(facts)), p.finish()
}

// place makes the tables those of a position.
func (p *Prover) place(ctx context.Context, fluents []string) error {
	if p.err != nil {
		return p.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.solver == nil || p.solver.size() > p.MaxBytes/2 {
		p.solver = newSolver(ctx, p.program, p.program.terms.clone())
		p.known, p.fluents = make(map[string]term), nil
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
	s.forget(position)
	s.forget(jointMove)
	for _, f := range list {
		s.facts.insert(s.terms.make(p.program.holds, f))
	}
	return nil
}

// finish is the error of the question that was asked.
func (p *Prover) finish() error {
	err := p.solver.err
	if err != nil {
		p.solver.abandon()
	}
	return err
}

// term reads a text.
func (p *Prover) term(text string) (term, error) {
	if n, ok := p.known[text]; ok {
		return n, nil
	}
	parsed, err := gdl.ParseTerm(text)
	if err != nil {
		return 0, err
	}
	n := p.solver.terms.ground(parsed)
	p.learn(text, n)
	return n, nil
}

func (p *Prover) learn(text string, n term) {
	p.known[text] = n
	p.solver.terms.bytes += termBytes + int64(len(text))
}

// texts writes an argument of facts, or gives the error that left them incomplete.
func (p *Prover) texts(facts []term, argument int) ([]string, error) {
	if err := p.finish(); err != nil {
		return nil, err
	}
	t := p.solver.terms
	list := make([]string, len(facts))
	for i, fact := range facts {
		n := t.arguments[fact][argument]
		if !t.isWritable(n) {
			return nil, errTooLong
		}
		list[i] = t.string(n)
		if _, ok := p.known[list[i]]; !ok {
			p.learn(list[i], n)
		}
	}
	slices.Sort(list)
	return list, nil
}
