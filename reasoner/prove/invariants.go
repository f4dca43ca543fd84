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

// Invariants hold in every position that can be reached from the initial position:
//
//   - pairs: clauses of one or two literals over fluents; no piece in two places, one
//     player to move, no two queens in a row;
//   - groups: sets of fluents of which at least one is true, and at most one if the pairs
//     exclude the others; a cell has exactly one content;
//   - lasting: literals over fluents that stay true once they are true;
//   - equations between the numbers of true fluents in sets of fluents (equations.go).
//
// Random games suggest candidates; induction proves the candidates together (Houdini: Flanagan and Leino 2001). A
// model is a position in which all candidates hold, with a joint move that breaks a candidate. While there is a
// model, the broken candidates are dropped. The position of the model is then loaded into each lane of a batch, and
// random games from it drop further candidates. Joint moves are checked separately (caseanalysis.go), unless there
// are too many.
type Invariants struct {
	pairs     []pair
	groups    [][]int32   // fluents
	lasting   []logic.Lit // over fluents
	equations []*equation
}

// pair is a clause of two literals over fluents, the greater literal first. A unit clause repeats its literal.
type pair struct{ a, b logic.Lit }

// literal returns the positive literal of a fluent. The fluents are the first inputs of a game's network.
func literal(f int32) logic.Lit { return logic.Lit(2*f + 2) }

// fluent returns the fluent of a literal over fluents.
func fluent(l logic.Lit) int32 { return l.Node() - 1 }

// clone returns a copy whose lists are independent of inv.
func (inv *Invariants) clone() Invariants {
	return Invariants{slices.Clone(inv.pairs), slices.Clone(inv.groups), slices.Clone(inv.lasting), slices.Clone(inv.equations)}
}

// union returns the invariants of both sets.
func (inv *Invariants) union(other *Invariants) *Invariants {
	return &Invariants{
		slices.Concat(inv.pairs, other.pairs), slices.Concat(inv.groups, other.groups),
		slices.Concat(inv.lasting, other.lasting), slices.Concat(inv.equations, other.equations),
	}
}

// Lasting returns the literals over fluents that stay true once they are true.
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

// Holds reports whether the pairs, groups and equations hold in a position. Lasting literals need two positions.
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

// Holds reports whether a literal over fluents is true in a position.
func Holds(s machine.State, l logic.Lit) bool { return s.Has(int(fluent(l))) != l.Complemented() }

// FindInvariants yields growing sets of proved invariants of a game with machine m: first the invariants of the
// clock; then, if equations are wanted, equations and groups with their pairs, which are few and mostly proved; then
// the other pairs and the lasting literals. Every millisecond or so it yields the current set again, so that the
// caller can interleave other work. It ends early when ctx ends. Equations help proofs, but slow plans down.
func FindInvariants(ctx context.Context, g *circuit.Game, m machine.Machine, maxBytes int64, equations bool) iter.Seq[*Invariants] {
	return func(yield func(*Invariants) bool) {
		found, ticks := clock(g)
		over := false
		pause := func() bool {
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
		if s.suggest(pause); over {
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
			if !s.induce(ctx, w, g, found, maxBytes, pause) {
				return
			}
			found = found.union(&s.Invariants)
			s.hull = nil
			if !pause() {
				return
			}
		}
	}
}

// induce repeats passes until a whole pass drops no candidate: then the candidates and the known invariants before a
// joint move imply each candidate after it. It returns false if a pass is undecided.
func (s *sample) induce(ctx context.Context, w *caseAnalysis, g *circuit.Game, known *Invariants, maxBytes int64, pause func() bool) bool {
	for before := -1; before != s.changes; {
		before = s.changes
		p := &inductionPass{sample: s, ctx: ctx, game: g, known: known, maxBytes: maxBytes, pause: pause}
		ok := p.checkAll(w)
		p.close()
		if !ok {
			return false
		}
	}
	return true
}

// inductionPass drops each candidate that does not follow from all candidates and the known invariants in the
// position before. It calls pause before each query.
type inductionPass struct {
	*sample
	ctx      context.Context
	game     *circuit.Game
	known    *Invariants
	maxBytes int64
	pause    func() bool
	formula  *Formula // of the game, made by wholeFormula
	version  int      // version of the candidates that the formula assumes (caseAnalysis)
}

// wholeFormula returns the formula of the game for a joint move, built at its first use in a pass. The formula
// assumes the candidates of that moment before the joint move. Candidates that are dropped later stay assumed, so its
// proofs count only if the whole pass drops no candidate (induce). Its refutations count in any case.
func (p *inductionPass) wholeFormula() *Formula {
	if p.formula == nil {
		p.formula = NewFormula(p.game, nil)
		p.formula.assume(0, p.known)
		p.formula.assume(0, &p.Invariants)
		p.formula.Play(1)
	}
	return p.formula
}

func (p *inductionPass) close() {
	if p.formula != nil {
		p.formula.Close()
	}
}

// checkAll checks every candidate, by joint moves if w is not nil and the joint moves are few. It returns false if a
// candidate is undecided: the time is over, or a model uses a fixpoint of recursive rules that is not the least.
func (p *inductionPass) checkAll(w *caseAnalysis) bool {
	if w == nil {
		return p.checkByWholeFormula()
	}
	w.setCandidates(p.known, &p.Invariants)
	products := w.products()
	if products == nil {
		return p.checkByWholeFormula()
	}
	for _, t := range products {
		w.beginProduct(t)
		for more := true; more; more = t.next() {
			if !p.checkJointMove(w, t) {
				return false
			}
		}
	}
	return true
}

// checkJointMove drops the candidates that a joint move breaks.
func (p *inductionPass) checkJointMove(w *caseAnalysis, t *product) bool {
	joint := t.current()
	for !w.hasVerdict(joint) {
		if !p.pause() {
			return false
		}
		before := p.changes
		suspects := w.suspects(p.ctx, joint)
		if p.formula == nil {
			p.version = w.version
		}
		for _, o := range suspects {
			if !p.checkObligations(joint, o) {
				return false
			}
		}
		if p.changes == before {
			if len(suspects) > 0 {
				w.addWholeVerdict(joint, p.version)
			} else {
				w.addVerdict(joint)
			}
			return true
		}
		w.setCandidates(p.known, &p.Invariants)
		w.beginProduct(t)
	}
	return true
}

// maxObligations bounds the obligations of a query.
const maxObligations = 100

// checkByWholeFormula checks the candidates for all joint moves together. It checks equations only if it has dropped
// no other candidate.
func (p *inductionPass) checkByWholeFormula() bool {
	began := p.changes
	for chunk := range slices.Chunk(p.obligations(), maxObligations) {
		if !p.checkObligations(nil, chunk...) {
			return false
		}
	}
	for i := 0; i < len(p.equations) && p.changes == began; i++ {
		if !p.checkObligations(nil, obligation{equation: p.equations[i]}) {
			return false
		}
	}
	return true
}

// checkObligations asks the formula of the whole game whether a joint move, or any joint move if joint is nil, can
// break an obligation. It repeats the query until the answer is no or all obligations are dropped.
func (p *inductionPass) checkObligations(joint []option, obligations ...obligation) bool {
	for before := -1; before != p.changes; {
		if !p.pause() {
			return false
		}
		before = p.changes
		var fails []logic.Lit
		f := p.wholeFormula()
		for _, o := range obligations {
			if p.contains(o) {
				fails = append(fails, o.violation(f))
			}
		}
		literals := []logic.Lit{f.net.Or(fails...)}
		for r, option := range joint {
			literals = append(literals, f.does(0, r)[option.move])
		}
		if !p.query(obligations[0].equation, literals...) {
			return false
		}
	}
	return true
}

// query asks whether literals can be true together, and drops the candidates that the model breaks. An equation is
// also dropped if its query exceeds the limit of conflicts. It returns false if the query is undecided.
func (p *inductionPass) query(e *equation, literals ...logic.Lit) bool {
	limits := sat.Limits{MaxBytes: p.maxBytes}
	if e != nil {
		limits.MaxConflicts = maxEquationConflicts
	}
	status := p.formula.Solve(p.ctx, limits, literals...)
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

// obligation is a candidate that every joint move must keep. One field is set.
type obligation struct {
	pair     pair
	group    []int32
	lasting  logic.Lit
	equation *equation
}

// transition is a game before and after a joint move, as signals of a network.
type transition interface {
	network() *logic.Network
	// before and after return the signal of a literal over fluents, before and after the joint move.
	before(l logic.Lit) logic.Lit
	after(l logic.Lit) logic.Lit
	// alters reports whether the joint move may change a fluent.
	alters(fluent int32) bool
}

// unrolling implements transition with its first step.
func (u *unrolling) network() *logic.Network      { return u.net }
func (u *unrolling) before(l logic.Lit) logic.Lit { return u.SignalAt(0, l) }
func (u *unrolling) after(l logic.Lit) logic.Lit  { return u.SignalAt(1, l) }
func (u *unrolling) alters(int32) bool            { return true }

// violation returns the signal of the transitions that break the candidate.
func (o obligation) violation(t transition) logic.Lit {
	net := t.network()
	switch {
	case o.equation != nil:
		return o.equation.isKept(t).Not()
	case o.group != nil:
		var literals []logic.Lit
		for _, f := range o.group {
			literals = append(literals, t.after(literal(f)))
		}
		return net.Or(literals...).Not()
	case o.lasting != logic.False:
		return net.And(t.before(o.lasting), t.after(o.lasting).Not())
	}
	return net.And(t.after(o.pair.a).Not(), t.after(o.pair.b).Not())
}

// contains reports whether the candidate of an obligation has not been dropped.
func (inv *Invariants) contains(o obligation) bool {
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

// obligations lists the candidates except the equations.
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

// assume requires the pairs, groups and equations at step k.
func (f *Formula) assume(k int, inv *Invariants) {
	for _, p := range inv.pairs {
		f.Require(f.SignalAt(k, p.a), f.SignalAt(k, p.b))
	}
	for _, g := range inv.groups {
		f.Require(f.fluentsAt(k, g)...)
	}
	for _, e := range inv.equations {
		f.Require(e.holdsAt(f.net, func(l logic.Lit) logic.Lit { return f.SignalAt(k, l) }))
	}
}

// Assume requires the pairs, groups and equations at step k, and the lasting literals between steps k-1 and k.
func (f *Formula) Assume(k int, inv *Invariants) {
	f.assume(k, inv)
	if k == 0 {
		return
	}
	for _, l := range inv.lasting {
		f.Require(f.SignalAt(k-1, l).Not(), f.SignalAt(k, l))
	}
}

// fluentsAt returns the literals of fluents at step k.
func (f *Formula) fluentsAt(k int, fluents []int32) []logic.Lit {
	lits := make([]logic.Lit, len(fluents))
	for i, g := range fluents {
		lits[i] = f.SignalAt(k, literal(g))
	}
	return lits
}
