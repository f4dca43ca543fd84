package prove

import (
	"context"
	"iter"
	"slices"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
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
// Joint moves are taken one by one (caseanalysis.go), unless they are too many.
type Invariants struct {
	pairs     []pair
	groups    [][]int32   // fluents
	lasting   []logic.Lit // over fluents
	equations []*equation
}

// pair is a clause of two literals over fluents, the greater one first. A clause of one has
// it twice.
type pair struct{ a, b logic.Lit }

// literal is a fluent of a game, whose first inputs are the fluents.
func literal(f int32) logic.Lit { return logic.Lit(2*f + 2) }

// fluent is that of a literal over fluents.
func fluent(l logic.Lit) int32 { return l.Node() - 1 }

// clone is a copy that is not changed with the lists of inv.
func (inv *Invariants) clone() Invariants {
	return Invariants{slices.Clone(inv.pairs), slices.Clone(inv.groups), slices.Clone(inv.lasting), slices.Clone(inv.equations)}
}

// and are the invariants of two sets.
func (inv *Invariants) and(other *Invariants) *Invariants {
	return &Invariants{
		slices.Concat(inv.pairs, other.pairs), slices.Concat(inv.groups, other.groups),
		slices.Concat(inv.lasting, other.lasting), slices.Concat(inv.equations, other.equations),
	}
}

// Lasting are literals over the fluents of the game that are true for good once they are.
func (inv *Invariants) Lasting() []logic.Lit { return inv.lasting }

// Exclusive lists the pairs of fluents that are never true together.
func (inv *Invariants) Exclusive() (list [][2]int32) {
	for _, p := range inv.pairs {
		if p.a != p.b && p.a.Complemented() && p.b.Complemented() {
			list = append(list, [2]int32{fluent(p.a), fluent(p.b)})
		}
	}
	return list
}

// Holds tells whether the invariants of single positions hold in one.
func (inv *Invariants) Holds(s machine.State) bool {
	for _, p := range inv.pairs {
		if !Holds(s, p.a) && !Holds(s, p.b) {
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

// Holds tells whether a literal over fluents is true in a position.
func Holds(s machine.State, l logic.Lit) bool { return s.Has(int(fluent(l))) != l.Complemented() }

// FindInvariants finds more and more invariants of a game, of which m is the machine: those of
// its clock; if equations are wanted, these and the groups with the pairs that belong to them,
// which are few and nearly all hold; and all others. It ends before when ctx does. In between
// it yields the same ones again, every millisecond or so, for whoever has other things to do
// meanwhile. Equations help proofs; plans take longer with them.
func FindInvariants(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64, equations bool) iter.Seq[*Invariants] {
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
		if s.suggest(rest); over {
			return
		}
		stages := []Invariants{s.Invariants}
		if equations {
			others := s.split()
			stages = []Invariants{s.Invariants, others}
		}
		w := newCaseAnalysis(g, nil)
		for _, candidates := range stages {
			s.Invariants = candidates
			if !s.induce(ctx, w, g, found, maxBytes, rest) {
				return
			}
			found = found.and(&s.Invariants)
			s.hull = nil
			if !rest() {
				return
			}
		}
	}
}

// induce drops candidates until a whole pass drops none: then each candidate left follows, in all positions
// after a joint move, from the candidates left and the known invariants in the position before. It returns false
// if that cannot be told.
func (s *sample) induce(ctx context.Context, w *caseAnalysis, g *circuit.Game, known *Invariants, maxBytes int64, rest func() bool) bool {
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
	formula  *Formula // of the game, once it is needed
	version  int      // of the candidates that the formula assumes (caseAnalysis)
}

// whole returns the formula of the game, made once a pass: it assumes the candidates of that moment before the joint
// move. Candidates that are dropped later stay assumed, so a proof by the formula counts in a pass that
// drops nothing alone (induce); what it refutes is refuted in any case.
func (p *pass) whole() *Formula {
	if p.formula == nil {
		p.formula = NewFormula(p.game, nil)
		p.formula.assume(0, p.known)
		p.formula.assume(0, &p.Invariants)
		p.formula.Play(1)
	}
	return p.formula
}

func (p *pass) close() {
	if p.formula != nil {
		p.formula.Close()
	}
}

// through goes through all candidates. It returns false if it cannot be told whether they
// follow: there is no time, or an assignment that recursive rules do not know.
func (p *pass) through(w *caseAnalysis) bool {
	if w == nil {
		return p.byCandidate()
	}
	w.suppose(p.known, &p.Invariants)
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

// byCase drops the candidates that a joint move does not keep.
func (p *pass) byCase(w *caseAnalysis, t *turn) bool {
	joint := t.joint()
	for !w.isKept(joint) {
		if !p.rest() {
			return false
		}
		before := p.changes
		suspects := w.suspects(p.ctx, joint)
		if p.formula == nil {
			p.version = w.version
		}
		for _, o := range suspects {
			if !p.settle(joint, o) {
				return false
			}
		}
		if p.changes == before {
			if len(suspects) > 0 {
				w.keepByAll(joint, p.version)
			} else {
				w.keep(joint)
			}
			return true
		}
		w.suppose(p.known, &p.Invariants)
		w.begin(t)
	}
	return true
}

// maxQuestion is the number of obligations that are asked about at once.
const maxQuestion = 100

// byCandidate asks whether any joint move breaks some candidates, of which equations wait until
// all else is calm.
func (p *pass) byCandidate() bool {
	began := p.changes
	for some := range slices.Chunk(p.obligations(), maxQuestion) {
		if !p.settle(nil, some...) {
			return false
		}
	}
	for i := 0; i < len(p.equations) && p.changes == began; i++ {
		if !p.settle(nil, obligation{equation: p.equations[i]}) {
			return false
		}
	}
	return true
}

// settle asks of the whole game whether one of some obligations can fail after a joint move, or
// after any if none is given, until none does or all are dropped.
func (p *pass) settle(joint []option, obligations ...obligation) bool {
	for before := -1; before != p.changes; {
		if !p.rest() {
			return false
		}
		before = p.changes
		var fails []logic.Lit
		f := p.whole()
		for _, o := range obligations {
			if p.stands(o) {
				fails = append(fails, o.fails(f))
			}
		}
		question := []logic.Lit{f.net.Or(fails...)}
		for r, option := range joint {
			question = append(question, f.Does(0, r)[option.move])
		}
		if !p.ask(obligations[0].equation, question...) {
			return false
		}
	}
	return true
}

// ask asks whether something can be, and drops what it refutes; an equation that is not decided
// soon is dropped, too. False if that cannot be told.
func (p *pass) ask(e *equation, question ...logic.Lit) bool {
	limits := sat.Limits{MaxBytes: p.maxBytes}
	if e != nil {
		limits.MaxConflicts = maxEquationConflicts
	}
	status := p.formula.Solve(p.ctx, limits, question...)
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

// obligation is a candidate that a joint move has to keep: one of its kinds is set.
type obligation struct {
	pair     pair
	group    []int32
	lasting  logic.Lit
	equation *equation
}

// transition is a game before and after a joint move, as signals of a network.
type transition interface {
	network() *logic.Network
	// before and after are a literal over fluents.
	before(l logic.Lit) logic.Lit
	after(l logic.Lit) logic.Lit
	// alters tells whether a fluent may be another one after.
	alters(fluent int32) bool
}

// The transition of an unrolling is its first step.
func (u *unrolling) network() *logic.Network      { return u.net }
func (u *unrolling) before(l logic.Lit) logic.Lit { return u.At(0, l) }
func (u *unrolling) after(l logic.Lit) logic.Lit  { return u.At(1, l) }
func (u *unrolling) alters(int32) bool            { return true }

// fails is where a transition does not keep the candidate.
func (o obligation) fails(t transition) logic.Lit {
	net := t.network()
	switch {
	case o.equation != nil:
		return o.equation.isKept(t).Not()
	case o.group != nil:
		var some []logic.Lit
		for _, f := range o.group {
			some = append(some, t.after(literal(f)))
		}
		return net.Or(some...).Not()
	case o.lasting != logic.False:
		return net.And(t.before(o.lasting), t.after(o.lasting).Not())
	}
	return net.And(t.after(o.pair.a).Not(), t.after(o.pair.b).Not())
}

// stands tells whether it is still a candidate.
func (inv *Invariants) stands(o obligation) bool {
	switch {
	case o.equation != nil:
		return slices.Contains(inv.equations, o.equation)
	case o.group != nil:
		return slices.ContainsFunc(inv.groups, func(g []int32) bool { return &g[0] == &o.group[0] })
	case o.lasting != logic.False:
		return slices.Contains(inv.lasting, o.lasting)
	}
	return inv.hasPair(o.pair.a, o.pair.b)
}

// obligations lists the candidates but for the equations.
func (inv *Invariants) obligations() []obligation {
	var list []obligation
	for _, p := range inv.pairs {
		list = append(list, obligation{pair: p})
	}
	for _, group := range inv.groups {
		list = append(list, obligation{group: group})
	}
	for _, l := range inv.lasting {
		list = append(list, obligation{lasting: l})
	}
	return list
}

// assume makes the invariants of single positions true at a step.
func (f *Formula) assume(k int, inv *Invariants) {
	for _, p := range inv.pairs {
		f.Require(f.At(k, p.a), f.At(k, p.b))
	}
	for _, g := range inv.groups {
		f.Require(f.fluents(k, g)...)
	}
	for _, e := range inv.equations {
		f.Require(e.holdsAt(f.net, func(l logic.Lit) logic.Lit { return f.At(k, l) }))
	}
}

// Assume makes the invariants true at a step, and from the step before to it.
func (f *Formula) Assume(k int, inv *Invariants) {
	f.assume(k, inv)
	if k == 0 {
		return
	}
	for _, l := range inv.lasting {
		f.Require(f.At(k-1, l).Not(), f.At(k, l))
	}
}

// fluents are some fluents at a step.
func (f *Formula) fluents(k int, fluents []int32) []logic.Lit {
	lits := make([]logic.Lit, len(fluents))
	for i, g := range fluents {
		lits[i] = f.At(k, literal(g))
	}
	return lits
}
