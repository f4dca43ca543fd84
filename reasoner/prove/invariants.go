package prove

import (
	"context"
	"iter"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Invariants hold in every position that can be reached from the initial one:
//
//   - pairs: clauses of one or two literals over fluents; no piece in two places, one
//     player to move, no two queens in a row;
//   - groups: sets of fluents of which at least one is true, and by the pairs at most one;
//     a cell has some content;
//   - lasting: literals over fluents that are true for good once they are;
//   - equations between the numbers of fluents that are true (equations.go).
//
// Random games suggest them; induction proves them together (Houdini, Flanagan and
// Leino 2001): while there is a position in which all candidates hold and a joint move
// after which some do not, those are dropped. Each such position is put into all lanes
// of a batch, and what fails in the random games that go on from there goes with them.
// Joint moves are taken one by one (casework.go), unless they are too many.
type Invariants struct {
	pairs     []pair
	groups    [][]int32 // fluents
	lasting   []int32   // literals
	equations []*equation
}

// pair is a clause of two literals over fluents: 2*fluent, plus 1 if complemented. A
// clause of one has it twice.
type pair struct{ a, b int32 }

// clone is a copy that is not changed with the lists of inv.
func (inv *Invariants) clone() Invariants {
	return Invariants{slices.Clone(inv.pairs), slices.Clone(inv.groups), slices.Clone(inv.lasting), slices.Clone(inv.equations)}
}

// Holds tells whether the invariants of single positions hold in one.
func (inv *Invariants) Holds(s machine.State) bool {
	for _, p := range inv.pairs {
		if !p.holds(s) {
			return false
		}
	}
	for _, group := range inv.groups {
		if !slices.ContainsFunc(group, func(f int32) bool { return s.Has(int(f)) }) {
			return false
		}
	}
	return !slices.ContainsFunc(inv.equations, func(e *equation) bool { return !e.holds(s) })
}

func (p pair) holds(s machine.State) bool { return holds(s, p.a) || holds(s, p.b) }

func holds(s machine.State, l int32) bool { return s.Has(int(l>>1)) != (l&1 != 0) }

// FindInvariants finds invariants of a game, of which m is the machine, until ctx ends.
func FindInvariants(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64) *Invariants {
	var found *Invariants
	for more := range findInvariants(ctx, g, m, maxBytes, true) {
		found = more
	}
	return found
}

// findInvariants finds more and more invariants of a game: those of its clock; if equations are
// wanted, these and the groups with the pairs that belong to them, which are few and nearly all
// hold; and all others. It ends before when ctx does. In between it yields the same ones again, every
// millisecond or so, for whoever has other things to do meanwhile. Equations
// help proofs; plans take longer with them.
func findInvariants(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64, equations bool) iter.Seq[*Invariants] {
	return func(yield func(*Invariants) bool) {
		found, ticks := clock(g)
		over := false
		rest := func() bool {
			over = over || ctx.Err() != nil || !yield(found)
			return !over
		}
		if !yield(found) {
			return
		}
		s := newSample(m, ticks)
		if equations && len(s.true) <= maxColumns {
			s.hull = newHull(len(s.true))
		}
		s.suggest(rest)
		stages := []Invariants{s.Invariants}
		if equations {
			others := s.split()
			stages = []Invariants{s.Invariants, others}
		}
		w := newCasework(g, nil)
		for _, candidates := range stages {
			s.Invariants = candidates
			if !s.induce(ctx, w, g, found, maxBytes, rest) {
				return
			}
			found = &Invariants{
				pairs:     slices.Concat(found.pairs, s.pairs),
				groups:    slices.Concat(found.groups, s.groups),
				lasting:   slices.Concat(found.lasting, s.lasting),
				equations: slices.Concat(found.equations, s.equations),
			}
			s.hull = nil
			if !rest() {
				return
			}
		}
	}
}

// induce drops candidates until all that are left follow from each other, and from what is
// known. It returns false if that cannot be told.
func (s *sample) induce(ctx context.Context, w *casework, g *circuit.Game, known *Invariants, maxBytes int64, rest func() bool) bool {
	for before := -1; before != s.changes; {
		before = s.changes
		p := &pass{sample: s, ctx: ctx, game: g, known: known, maxBytes: maxBytes, rest: rest}
		ok := p.through(w)
		p.close()
		if !ok {
			return false
		}
	}
	return true
}

// pass drops candidates that do not follow from all of them, and from what is known, in
// the position before. It rests before each question.
type pass struct {
	*sample
	ctx      context.Context
	game     *circuit.Game
	known    *Invariants
	maxBytes int64
	rest     func() bool
	formula  *formula // of the game, once it is needed
}

// whole is the formula of the game, in which all candidates hold before.
func (p *pass) whole() *formula {
	if p.formula == nil {
		p.formula = newFormula(unroll(p.game, nil), sat.New())
		p.formula.assertStatic(0, p.known)
		p.formula.assertStatic(0, &p.Invariants)
		p.formula.play(1)
	}
	return p.formula
}

func (p *pass) close() {
	if p.formula != nil {
		p.formula.engine.Close()
	}
}

// through goes through all candidates. It returns false if it cannot be told whether they
// follow: there is no time, or an assignment that recursive rules do not know.
func (p *pass) through(w *casework) bool {
	if w == nil {
		return p.byCandidate()
	}
	w.say(p.known, &p.Invariants)
	turns := w.turns()
	if turns == nil {
		return p.byCandidate()
	}
	for _, t := range turns {
		w.begin(t)
		for more := true; more; more = t.next() {
			if !p.byCase(w, t) {
				return false
			}
		}
	}
	return true
}

// byCase drops what a joint move does not keep.
func (p *pass) byCase(w *casework, t *turn) bool {
	joint := t.joint()
	for !w.has(joint) {
		if !p.rest() {
			return false
		}
		before := p.changes
		for _, o := range w.suspects(p.ctx, joint) {
			if !p.settle(o, joint) {
				return false
			}
		}
		if p.changes == before {
			w.keep(joint)
			return true
		}
		w.say(p.known, &p.Invariants)
		w.begin(t)
	}
	return true
}

// settle asks of the whole game whether an obligation can fail after a joint move, until it does
// not or is dropped.
func (p *pass) settle(o obligation, joint []option) bool {
	for before := -1; before != p.changes && o.stands(p.sample); {
		if p.ctx.Err() != nil {
			return false
		}
		before = p.changes
		f := p.whole()
		question := []circuit.Lit{o.anywhere(f)}
		for r, option := range joint {
			question = append(question, f.does(0, r)[option.move])
		}
		if !p.ask(o.equation, question...) {
			return false
		}
	}
	return true
}

// ask asks whether something can be, and drops what it refutes; an equation that is not decided
// soon is dropped, too. False if that cannot be told.
func (p *pass) ask(e *equation, question ...circuit.Lit) bool {
	limits := sat.Limits{Bytes: p.maxBytes}
	if e != nil {
		limits.Conflicts = maxEquationConflicts
	}
	status := p.formula.solve(p.ctx, limits, question...)
	if status == sat.Unsat {
		return true
	}
	before := p.changes
	if status == sat.Sat {
		p.refute(p.formula)
	}
	if p.changes == before && e != nil && p.ctx.Err() == nil {
		p.ban(e)
	}
	return p.changes > before
}

// byCandidate asks for each candidate whether any joint move breaks it.
func (p *pass) byCandidate() bool {
	f := p.whole()
	began := p.changes
	for _, broken := range p.obligations(f) {
		for before := -1; before != p.changes; {
			before = p.changes
			if !p.rest() || !p.ask(nil, broken()) {
				return false
			}
		}
	}
	if p.changes > began {
		return true // the equations wait until all else is calm
	}
	for i := 0; i < len(p.equations); i++ {
		before := p.changes
		if e := p.equations[i]; !p.rest() || !p.ask(e, f.keeps(e).Not()) {
			return false
		}
		if p.changes > before {
			i = -1
		}
	}
	return true
}

// obligations lists what must be impossible after a joint move: that some pair with a
// certain literal fails, that a group does, that a literal does not last. Each is a
// function, because what was dropped meanwhile is no obligation any more.
func (s *sample) obligations(f *formula) []func() circuit.Lit {
	var list []func() circuit.Lit
	for i, p := range s.pairs {
		if i == 0 || p.a != s.pairs[i-1].a {
			list = append(list, func() circuit.Lit { return s.brokenPairs(f, p.a) })
		}
	}
	for _, group := range s.groups {
		list = append(list, func() circuit.Lit {
			if !s.hasGroup(group) {
				return circuit.False
			}
			return f.net.Or(f.fluents(1, group)...).Not()
		})
	}
	for _, l := range s.lasting {
		list = append(list, func() circuit.Lit {
			if !slices.Contains(s.lasting, l) {
				return circuit.False
			}
			return f.net.And(f.fluentLit(0, l), f.fluentLit(1, l).Not())
		})
	}
	return list
}

// hasGroup tells whether a group is one still.
func (inv *Invariants) hasGroup(group []int32) bool {
	return slices.ContainsFunc(inv.groups, func(g []int32) bool { return &g[0] == &group[0] })
}

// brokenPairs is where a pair whose first literal is a fails after a joint move.
func (s *sample) brokenPairs(f *formula, a int32) circuit.Lit {
	from, _ := slices.BinarySearchFunc(s.pairs, a, func(p pair, a int32) int { return int(p.a - a) })
	var others []circuit.Lit
	for _, p := range s.pairs[from:] {
		if p.a != a {
			break
		}
		others = append(others, f.fluentLit(1, p.b).Not())
	}
	return f.net.And(f.fluentLit(1, a).Not(), f.net.Or(others...))
}

func (f *formula) fluentLit(k int, l int32) circuit.Lit {
	return f.fluent(k, int(l>>1)) ^ circuit.Lit(l&1)
}

func (f *formula) fluentLits(k int, literals []int32) []circuit.Lit {
	lits := make([]circuit.Lit, len(literals))
	for i, l := range literals {
		lits[i] = f.fluentLit(k, l)
	}
	return lits
}

func (f *formula) fluents(k int, fluents []int32) []circuit.Lit {
	lits := make([]circuit.Lit, len(fluents))
	for i, g := range fluents {
		lits[i] = f.fluent(k, int(g))
	}
	return lits
}

// assertStatic makes the invariants of single positions true at a step.
func (f *formula) assertStatic(k int, inv *Invariants) {
	for _, p := range inv.pairs {
		f.require(f.fluentLit(k, p.a), f.fluentLit(k, p.b))
	}
	for _, g := range inv.groups {
		f.require(f.fluents(k, g)...)
	}
	for _, e := range inv.equations {
		f.require(f.equal(k, e))
	}
}

// assertAll makes the invariants true at a step, and from the step before to it.
func (f *formula) assertAll(k int, inv *Invariants) {
	f.assertStatic(k, inv)
	for _, l := range inv.lasting {
		f.require(f.fluentLit(k-1, l).Not(), f.fluentLit(k, l))
	}
}
