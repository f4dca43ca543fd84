package prove

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Limits bounds the work of Rules, together with its context.
type Limits struct {
	MaxTime  time.Duration // for all properties together
	MaxBytes int64         // of formulas, approximately
}

const (
	// maxInduction is the greatest number of joint moves in the hypothesis of an induction step.
	maxInduction = 3
	// Shares of the time: walkShare for random games, inductionShare for invariants. Within that time, each attempt
	// to prove a property gets attemptShare. playoutShare is for playouts, if properties are still open.
	walkShare      = 0.1
	inductionShare = 0.6
	playoutShare   = 0.1
	attemptShare   = 0.02
	// maxDepth bounds the length of counterexamples in joint moves.
	maxDepth = 200
	// maxRankingConflicts bounds the conflicts of each query of ranking.
	maxRankingConflicts = 10_000
)

// Rules proves or refutes properties of all positions of a game with machine m, by k-induction with invariants
// (Sheeran, Singh and Stålmarck 2000). A property is proved if two formulas have no model: a line of up to k joint
// moves from the initial position to a position without the property; and a line from any position with the
// invariants, through k positions with the property, to a position without it. A property is refuted by a random
// game, or by a formula of joint moves from the initial position, whose line is the shortest. If all games end within
// the depth of that formula, the formula also proves the property.
func Rules(ctx context.Context, g *circuit.Game, m machine.Machine, lim Limits) ([]Finding, error) {
	if lim.MaxBytes > 0 && StepBytes*int64(g.Net.Len()) > lim.MaxBytes {
		return nil, fmt.Errorf("%w: a circuit of %d gates", ErrMemory, g.Net.Len())
	}
	began := time.Now()
	until := func(share float64) (context.Context, context.CancelFunc) {
		return context.WithDeadline(ctx, began.Add(time.Duration(share*float64(lim.MaxTime))))
	}
	w := newWalks(m)
	short, cancel := until(walkShare)
	w.play(short, maxWalks)
	cancel()
	p := newProver(ctx, g, w, lim.MaxBytes, properties(g, w.sum))
	defer p.close()
	short, cancel = until(walkShare + inductionShare)
	defer cancel()
	for range p.strengthen(short, true) {
		for i, q := range p.properties {
			within, cancel := context.WithTimeout(short, time.Duration(attemptShare*float64(lim.MaxTime)))
			p.attempt(within, i, q)
			cancel()
		}
	}
	short, cancel = context.WithTimeout(ctx, time.Duration(playoutShare*float64(lim.MaxTime)))
	p.playMany(short)
	cancel()
	last, cancel := until(1)
	defer cancel()
	p.longest, p.lengthProof = p.length(last)
	for i, q := range p.properties {
		left := time.Until(began.Add(lim.MaxTime)) / time.Duration(len(p.properties)+1-i)
		within, cancel := context.WithTimeout(ctx, left)
		p.decide(within, i, q)
		cancel()
	}
	return append(append([]Finding{p.gamesEnd(last)}, p.findings...), p.groups()), ctx.Err()
}

// prover proves or refutes properties of a game.
type prover struct {
	game       *circuit.Game
	walks      *walks
	maxBytes   int64
	properties []property
	findings   []Finding // by property
	refuted    []bool    // by property: a random game breaks it, with the line in its finding
	invariants *Invariants
	// longest is an upper bound of the joint moves of all games, 0 if unknown; lengthProof is its proof in words.
	longest     int
	lengthProof string
	cases       *caseAnalysis
	step        *Formula // from any position with the invariants
	base        *Formula // from the initial position
}

// newProver returns a prover of open properties. The lines of random games that break properties are in its findings.
func newProver(ctx context.Context, g *circuit.Game, w *walks, maxBytes int64, properties []property) *prover {
	p := &prover{game: g, walks: w, maxBytes: maxBytes, properties: properties}
	lines, broken := w.counterexamples(ctx, properties)
	p.refuted = broken
	for i, q := range properties {
		p.findings = append(p.findings, Finding{Property: q.name, Verdict: Open, Line: lines[i], Required: q.required})
	}
	return p
}

// strengthen assumes growing sets of invariants (FindInvariants) and yields after each new set.
func (p *prover) strengthen(ctx context.Context, equations bool) iter.Seq[*Invariants] {
	return func(yield func(*Invariants) bool) {
		for found := range FindInvariants(ctx, p.game, p.walks.machine, p.maxBytes/2, equations) {
			if found == p.invariants {
				continue
			}
			if p.assume(found); !yield(found) {
				return
			}
		}
	}
}

// assume replaces the invariants and resets both formulas.
func (p *prover) assume(found *Invariants) {
	p.invariants = found
	p.resetFormulas()
}

// resetFormulas replaces both formulas by formulas without a joint move.
func (p *prover) resetFormulas() {
	p.close()
	p.step = NewFormula(p.game, nil)
	p.step.assume(0, p.invariants)
	p.base = NewFormula(p.game, p.game.Initial)
}

func (p *prover) close() {
	if p.step != nil {
		p.step.Close()
		p.base.Close()
	}
}

// unrollTo extends a formula to step k. It returns false if there is not enough time or memory.
func (p *prover) unrollTo(ctx context.Context, f *Formula, k int) bool {
	for ctx.Err() == nil && f.Bytes() <= p.maxBytes {
		if f.Played >= k {
			return true
		}
		f.Play(f.Played + 1)
		f.Assume(f.Played, p.invariants)
	}
	return false
}

// playMany plays playouts until a playout has broken each open property, or ctx ends.
func (p *prover) playMany(ctx context.Context) {
	open := map[int]property{}
	for i, q := range p.properties {
		if p.findings[i].Verdict == Open && !p.refuted[i] && q.first == 0 {
			open[i] = q
		}
	}
	r := newPlayouts(p.walks.machine)
	for len(open) > 0 && ctx.Err() == nil {
		for i, end := range r.play(ctx, open) {
			if line := r.lineTo(ctx, end); p.walks.breaks(p.properties[i], line) {
				p.findings[i].Line, p.refuted[i] = line, true
				delete(open, i)
			}
		}
	}
}

// attempt tries to prove a property by induction, unless a random game breaks it.
func (p *prover) attempt(ctx context.Context, i int, q property) {
	found := &p.findings[i]
	if p.refuted[i] || found.Verdict != Open {
		return
	}
	if q.failsWhenStuck {
		p.resetFormulas()
	}
	k, ok := p.induction(ctx, i, q)
	if !ok {
		return
	}
	if line, status := p.shortestLine(ctx, q, k-1); status == sat.Sat {
		p.refute(i, q, line, true)
	} else if status == sat.Unsat {
		found.Verdict, found.Detail = Proved, "by induction"
		if k == 0 {
			found.Detail = "the invariants imply it"
		}
	}
}

// decide proves or refutes an open property: half of the time is for induction, the rest for a counterexample.
func (p *prover) decide(ctx context.Context, i int, q property) {
	proof, cancel := ctx, context.CancelFunc(func() {})
	if end, ok := ctx.Deadline(); ok {
		proof, cancel = context.WithTimeout(ctx, time.Until(end)/2)
	}
	p.attempt(proof, i, q)
	cancel()
	found := &p.findings[i]
	if found.Verdict != Open {
		return
	}
	if q.failsWhenStuck {
		p.resetFormulas()
	}
	depth := maxDepth
	if p.longest > 0 {
		depth = p.longest
	}
	if p.refuted[i] {
		depth = len(found.Line)
	}
	line, status := p.shortestLine(ctx, q, depth)
	switch {
	case status == sat.Sat:
		p.refute(i, q, line, true)
	case p.refuted[i]:
		p.refute(i, q, found.Line, false)
	case status == sat.Unsat && (p.longest > 0 || p.allEnded(ctx, depth)):
		found.Verdict, found.Detail = Proved, "by a formula of all games to their ends"
	}
}

// induction looks for the least k such that the property holds after k joint moves if it held at the k steps before.
func (p *prover) induction(ctx context.Context, i int, q property) (int, bool) {
	var held []logic.Lit
	for k := q.first; k <= q.first+maxInduction; k++ {
		if k == 1 && p.byCases(ctx, i) {
			return k, true
		}
		if !p.unrollTo(ctx, p.step, k) {
			return 0, false
		}
		broken := q.violation(p.step.unrolling, k)
		switch p.step.Solve(ctx, sat.Limits{MaxBytes: p.maxBytes}, append(held, broken)...) {
		case sat.Unsat:
			return k, true
		case sat.Unknown:
			return 0, false
		}
		held = append(held, broken.Not())
	}
	return 0, false
}

// byCases proves by cases, within half of the time, that no joint move breaks a property.
func (p *prover) byCases(ctx context.Context, i int) bool {
	if end, ok := ctx.Deadline(); ok {
		half, cancel := context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
		ctx = half
	}
	if p.cases == nil && ctx.Err() == nil {
		p.cases = newCaseAnalysis(p.game, p.properties)
	}
	if p.cases == nil {
		return false
	}
	p.cases.setCandidates(p.invariants, &Invariants{})
	return p.cases.keepsProperty(ctx, i)
}

// shortestLine returns a shortest line of up to depth joint moves that breaks the property; the status is Unsat if
// there is none.
func (p *prover) shortestLine(ctx context.Context, q property, depth int) ([][]machine.Move, sat.Status) {
	for k := q.first; k <= depth; k++ {
		if !p.unrollTo(ctx, p.base, k) {
			return nil, sat.Unknown
		}
		switch p.base.Solve(ctx, sat.Limits{MaxBytes: p.maxBytes}, q.violation(p.base.unrolling, k)) {
		case sat.Sat:
			line := p.base.Line(k)
			if !p.walks.breaks(q, line) {
				return nil, sat.Unknown // the model is a fixpoint of recursive rules, but not the least
			}
			return line, sat.Sat
		case sat.Unknown:
			return nil, sat.Unknown
		}
		if p.base.SignalAt(k, p.game.Terminal) == logic.True {
			break
		}
	}
	return nil, sat.Unsat
}

// allEnded reports whether every game is proved to be over after k joint moves.
func (p *prover) allEnded(ctx context.Context, k int) bool {
	return p.unrollTo(ctx, p.base, k) &&
		p.base.Solve(ctx, sat.Limits{MaxBytes: p.maxBytes}, p.base.SignalAt(k, p.game.Terminal).Not()) == sat.Unsat
}

// refute records that a line refutes a property.
func (p *prover) refute(i int, q property, line [][]machine.Move, shortest bool) {
	now, before := p.walks.lastViews(line)
	found := &p.findings[i]
	found.Verdict, found.Line, found.Shortest, found.Detail = Refuted, line, shortest, q.explain(now, before)
}

// gamesEnd returns the finding that every game ends. A game that is stuck, because a role has no legal move, has no
// end.
func (p *prover) gamesEnd(ctx context.Context) Finding {
	moves := p.findings[0]
	if moves.Verdict == Refuted {
		return Finding{Property: gamesEndName, Verdict: Refuted, Line: moves.Line, Shortest: moves.Shortest, Detail: "a game gets stuck: a role has no legal move"}
	}
	found := p.gamesEndOrStick(ctx)
	if found.Verdict == Proved && moves.Verdict != Proved {
		found.Detail += ", unless a role has no legal move earlier"
	}
	return found
}

const gamesEndName = "every game ends"

// gamesEndOrStick returns the finding that every game ends or is stuck.
func (p *prover) gamesEndOrStick(ctx context.Context) Finding {
	found := Finding{Property: gamesEndName, Verdict: Open}
	if p.walks.cycle != nil {
		found.Verdict, found.Line, found.Detail = Refuted, p.walks.cycle, "a position is repeated"
		return found
	}
	if p.longest > 0 {
		found.Verdict, found.Detail = Proved, fmt.Sprintf("within %d joint moves: %s", p.longest, p.lengthProof)
		return found
	}
	if k := p.lengthByFormula(ctx); k > 0 {
		found.Verdict, found.Detail = Proved, fmt.Sprintf("within %d joint moves", k)
	}
	return found
}

// length returns an upper bound of the joint moves of a game, proved by the clock or by lasting literals, with the
// proof in words; 0 if it proves none.
func (p *prover) length(ctx context.Context) (moves int, proof string) {
	if moves, found := p.game.ClockEnd(); found {
		return moves, "a counter of steps ends the game"
	}
	return p.ranking(ctx), "each makes a lasting literal true"
}

// lengthByFormula returns a number of joint moves within which every game ends or is stuck, proved by a formula of
// all joint moves; 0 if no number is proved.
func (p *prover) lengthByFormula(ctx context.Context) int {
	for k := max(1, p.walks.longest); k <= 4*maxDepth && p.unrollTo(ctx, p.base, k); k = k + k/8 + 1 {
		if p.allEnded(ctx, k) {
			return k
		}
	}
	return 0
}

// ranking returns a number of joint moves within which every game ends, or 0. It looks for lasting literals such that
// every joint move makes at least one of them true; then a game has at most as many joint moves as there are
// literals. Fluents that exclude each other count as a single literal.
func (p *prover) ranking(ctx context.Context) int {
	if len(p.invariants.lasting) == 0 {
		return 0
	}
	if p.step.Played > 1 {
		p.resetFormulas() // a formula of two joint moves excludes that a role is stuck after the first
	}
	if !p.unrollTo(ctx, p.step, 1) {
		return 0
	}
	best := 0
	for _, use := range []func(logic.Lit) bool{
		logic.Lit.Complemented, func(l logic.Lit) bool { return !l.Complemented() }, func(logic.Lit) bool { return true },
	} {
		fluents, falls, same := map[int32]int{}, 0, []logic.Lit{p.step.SignalAt(0, p.game.Terminal).Not()}
		for _, l := range p.invariants.lasting {
			if !use(l) || Holds(p.game.Initial, l) {
				continue
			}
			if l.Complemented() {
				falls++
			} else {
				fluents[fluent(l)] = len(fluents)
			}
			same = append(same, p.step.net.Or(p.step.SignalAt(0, l), p.step.SignalAt(1, l).Not()))
		}
		n := falls + len(fluents)
		if len(fluents) <= maxCounted {
			n = falls + len(exclusiveSets(p.invariants.pairs, fluents))
		}
		if n > 0 && (best == 0 || n < best) && p.step.Solve(ctx, sat.Limits{MaxBytes: p.maxBytes, MaxConflicts: maxRankingConflicts}, same...) == sat.Unsat {
			best = n
		}
	}
	return best
}

// groups returns the finding about the groups in which exactly one fluent is true. The invariant says that at least
// one fluent is true; a group counts only if the pairs exclude each two of its fluents.
func (p *prover) groups() Finding {
	excluded := map[[2]int32]bool{}
	for _, pair := range p.invariants.Exclusive() {
		excluded[pair] = true
	}
	var seen marks // a fluent may be in several groups
	groups, fluents := 0, 0
	for _, group := range p.invariants.groups {
		if slices.ContainsFunc(group, func(f int32) bool {
			return slices.ContainsFunc(group, func(h int32) bool { return f > h && !excluded[[2]int32{f, h}] })
		}) {
			continue
		}
		groups++
		for _, f := range group {
			if seen.add(f) {
				fluents++
			}
		}
	}
	found := Finding{
		Property: "groups with exactly one true fluent", Verdict: Proved,
		Detail: fmt.Sprintf("%d groups with %d of %d fluents", groups, fluents, len(p.game.Fluents)),
	}
	if fluents == 0 {
		found.Verdict, found.Detail = Open, "no groups found"
	}
	return found
}
