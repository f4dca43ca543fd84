package prove

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove/sat"
)

// Limits bound a proof besides its context.
type Limits struct {
	MaxTime  time.Duration // for all properties together
	MaxBytes int64         // that formulas may take, about
}

const (
	// maxInduction is the greatest number of joint moves that an induction step looks
	// back.
	maxInduction = 3
	// Of the time, walkShare goes to random games, inductionShare to invariants, and
	// attemptShare of it to each attempt to prove a property while there may be more
	// invariants, and playoutShare to many more random games, if there are properties left.
	walkShare      = 0.1
	inductionShare = 0.6
	playoutShare   = 0.1
	attemptShare   = 0.02
	// maxDepth is the longest line that a counterexample is looked for at.
	maxDepth = 200
	// maxRankingConflicts is what the engine may take to find that games end.
	maxRankingConflicts = 10_000
)

// Rules tells what holds in all positions of a game, of which m is the machine, by
// k-induction (Sheeran, Singh and Stålmarck 2000) with invariants: a property holds if no
// line of up to k joint moves from the initial position breaks it, and none that begins
// in any position with the invariants, k positions with the property, and ends in one
// without. What random games break is refuted, and so is what a formula of some joint
// moves from the initial position breaks; that line is the shortest. A game that ends
// within them has no other lines.
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
	p := newProver(g, w, lim.MaxBytes, properties(g, w.sum))
	defer p.close()
	short, cancel = until(walkShare + inductionShare)
	defer cancel()
	for found := range FindInvariants(short, g, m, lim.MaxBytes/2, true) {
		if found == p.invariants {
			continue
		}
		p.assume(found)
		for i, q := range p.properties {
			within, cancel := context.WithTimeout(short, time.Duration(attemptShare*float64(lim.MaxTime)))
			p.attempt(within, i, q)
			cancel()
		}
	}
	short, cancel = context.WithTimeout(ctx, time.Duration(playoutShare*float64(lim.MaxTime)))
	p.playMany(short)
	cancel()
	p.longest = p.ranking(ctx)
	for i, q := range p.properties {
		left := time.Until(began.Add(lim.MaxTime)) / time.Duration(len(p.properties)+1-i)
		within, cancel := context.WithTimeout(ctx, left)
		p.decide(within, i, q)
		cancel()
	}
	last, cancel := until(1)
	defer cancel()
	return append(append([]Finding{p.ends(last)}, p.findings...), p.groups()), ctx.Err()
}

// prover proves properties of one game.
type prover struct {
	game       *circuit.Game
	walks      *walks
	bytes      int64
	properties []property
	findings   []Finding // by property
	broken     []bool    // by property: random games have met the line of its finding
	invariants *Invariants
	longest    int // no game takes more joint moves; 0 if that is not known
	cases      *caseAnalysis
	step       *Formula // from any position with the invariants
	base       *Formula // from the initial one
}

// newProver returns the prover of some properties, all of them open, with the lines of random games that break them.
func newProver(g *circuit.Game, w *walks, maxBytes int64, properties []property) *prover {
	p := &prover{game: g, walks: w, bytes: maxBytes, properties: properties}
	for _, q := range properties {
		line, broken := w.broken(q)
		p.findings, p.broken = append(p.findings, Finding{Property: q.name, Verdict: Open, Line: line, Required: q.required}), append(p.broken, broken)
	}
	return p
}

// assume begins anew with other invariants.
func (p *prover) assume(found *Invariants) {
	p.invariants = found
	p.unplay()
}

// unplay makes both formulas anew, without a joint move.
func (p *prover) unplay() {
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

// reach makes a formula speak of step k, unless there is no time or memory.
func (p *prover) reach(ctx context.Context, f *Formula, k int) bool {
	for f.Played < k {
		if ctx.Err() != nil || f.Bytes() > p.bytes {
			return false
		}
		f.Play(f.Played + 1)
		f.Assume(f.Played, p.invariants)
	}
	return true
}

// playMany plays random games until they have broken all properties that are open, or ctx
// ends.
func (p *prover) playMany(ctx context.Context) {
	open := map[int]property{}
	for i, q := range p.properties {
		if p.findings[i].Verdict == Open && !p.broken[i] && q.first == 0 {
			open[i] = q
		}
	}
	r := newPlayouts(p.walks.machine)
	for len(open) > 0 && ctx.Err() == nil {
		for i, end := range r.play(ctx, open) {
			if line := r.line(ctx, end); p.walks.breaks(p.properties[i], line) {
				p.findings[i].Line, p.broken[i] = line, true
				delete(open, i)
			}
		}
	}
}

// attempt tries to prove a property that no random game breaks.
func (p *prover) attempt(ctx context.Context, i int, q property) {
	found := &p.findings[i]
	if p.broken[i] || found.Verdict != Open {
		return
	}
	if q.ofStuck {
		p.unplay()
	}
	k, ok := p.induction(ctx, i, q)
	if !ok {
		return
	}
	if line, status := p.shortest(ctx, q, k-1); status == sat.Sat {
		p.refute(i, q, line, true)
	} else if status == sat.Unsat {
		found.Verdict, found.Detail = Proved, "by induction"
		if k == 0 {
			found.Detail = "in every position with the invariants"
		}
	}
}

// decide finds out about one property that is open: half of the time for the proof, and the
// rest, after a proof has failed, for a counterexample.
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
	if q.ofStuck {
		p.unplay()
	}
	depth := maxDepth
	if p.longest > 0 {
		depth = p.longest
	}
	if p.broken[i] {
		depth = len(found.Line)
	}
	line, status := p.shortest(ctx, q, depth)
	switch {
	case status == sat.Sat:
		p.refute(i, q, line, true)
	case p.broken[i]:
		p.refute(i, q, found.Line, false)
	case status == sat.Unsat && (p.longest > 0 || p.ended(ctx, depth)):
		found.Verdict, found.Detail = Proved, "in all games, to their ends"
	}
}

// induction looks for a number of joint moves after which the property holds if it held
// before.
func (p *prover) induction(ctx context.Context, i int, q property) (int, bool) {
	var held []logic.Lit
	for k := q.first; k <= q.first+maxInduction; k++ {
		if k == 1 && p.byCases(ctx, i) {
			return k, true
		}
		if !p.reach(ctx, p.step, k) {
			return 0, false
		}
		broken := q.broken(p.step.unrolling, k)
		switch p.step.Solve(ctx, sat.Limits{MaxBytes: p.bytes}, append(held, broken)...) {
		case sat.Unsat:
			return k, true
		case sat.Unknown:
			return 0, false
		}
		held = append(held, broken.Not())
	}
	return 0, false
}

// byCases takes half of the time to prove by cases that no joint move breaks a property.
func (p *prover) byCases(ctx context.Context, i int) bool {
	if end, ok := ctx.Deadline(); ok {
		half, cancel := context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
		ctx = half
	}
	if p.cases == nil {
		if p.cases = newCaseAnalysis(p.game, p.properties); p.cases == nil {
			return false
		}
	}
	p.cases.suppose(p.invariants, &Invariants{})
	return p.cases.keptProperty(ctx, i)
}

// shortest looks for the shortest line of up to so many joint moves that breaks the
// property. If there is none the answer is Unsat.
func (p *prover) shortest(ctx context.Context, q property, depth int) ([][]machine.Move, sat.Status) {
	for k := q.first; k <= depth; k++ {
		if !p.reach(ctx, p.base, k) {
			return nil, sat.Unknown
		}
		switch p.base.Solve(ctx, sat.Limits{MaxBytes: p.bytes}, q.broken(p.base.unrolling, k)) {
		case sat.Sat:
			line := p.base.Line(k)
			if !p.walks.breaks(q, line) {
				return nil, sat.Unknown // an assignment that recursive rules do not know
			}
			return line, sat.Sat
		case sat.Unknown:
			return nil, sat.Unknown
		}
		if p.base.At(k, p.game.Terminal) == logic.True {
			break
		}
	}
	return nil, sat.Unsat
}

// ended tells whether every game is over after so many joint moves.
func (p *prover) ended(ctx context.Context, k int) bool {
	return p.reach(ctx, p.base, k) &&
		p.base.Solve(ctx, sat.Limits{MaxBytes: p.bytes}, p.base.At(k, p.game.Terminal).Not()) == sat.Unsat
}

// refute takes note that a line refutes a property.
func (p *prover) refute(i int, q property, line [][]machine.Move, shortest bool) {
	now, before := p.walks.last(line)
	found := &p.findings[i]
	found.Verdict, found.Line, found.Shortest, found.Detail = Refuted, line, shortest, q.said(now, before)
}

// ends finds out whether there is a number of joint moves within which every game ends. One in which
// a role has no legal move does not: it gets stuck.
func (p *prover) ends(ctx context.Context) Finding {
	moves := p.findings[0]
	if moves.Verdict == Refuted {
		return Finding{Property: gamesEnd, Verdict: Refuted, Line: moves.Line, Shortest: moves.Shortest, Detail: "it gets stuck: a role has no legal move"}
	}
	found := p.endsOrIsStuck(ctx)
	if found.Verdict == Proved && moves.Verdict != Proved {
		found.Detail += ", unless a role has no legal move before"
	}
	return found
}

const gamesEnd = "every game ends"

// endsOrIsStuck finds out whether there is a number of joint moves after which no game goes on.
func (p *prover) endsOrIsStuck(ctx context.Context) Finding {
	found := Finding{Property: gamesEnd, Verdict: Open}
	if p.walks.circle != nil {
		found.Verdict, found.Line, found.Detail = Refuted, p.walks.circle, "a position comes back"
		return found
	}
	if p.longest > 0 {
		found.Verdict, found.Detail = Proved, fmt.Sprintf("within %d joint moves: each makes something true for good", p.longest)
		return found
	}
	if k := p.endsWithin(ctx); k > 0 {
		found.Verdict, found.Detail = Proved, fmt.Sprintf("within %d joint moves", k)
	}
	return found
}

// endsWithin returns a number of joint moves after which no game goes on, by a formula of all of them; 0 if none is
// proved.
func (p *prover) endsWithin(ctx context.Context) int {
	for k := max(1, p.walks.longest); k <= 4*maxDepth && p.reach(ctx, p.base, k); k = k + k/8 + 1 {
		if p.ended(ctx, k) {
			return k
		}
	}
	return 0
}

// ranking returns a number of joint moves within which every game ends, or 0 if it finds none. It
// looks for literals that are true for good once they are and of which every joint move makes one
// true. The game ends within as many joint moves as there are, and of fluents that exclude each
// other only one counts.
func (p *prover) ranking(ctx context.Context) int {
	if p.step.Played > 1 {
		p.unplay() // more joint moves exclude one after which a role is stuck
	}
	if !p.reach(ctx, p.step, 1) {
		return 0
	}
	best := 0
	for _, use := range []func(logic.Lit) bool{
		logic.Lit.Complemented, func(l logic.Lit) bool { return !l.Complemented() }, func(logic.Lit) bool { return true },
	} {
		fluents, falls, same := map[int32]int{}, 0, []logic.Lit{p.step.At(0, p.game.Terminal).Not()}
		for _, l := range p.invariants.lasting {
			if !use(l) || Holds(p.game.Initial, l) {
				continue
			}
			if l.Complemented() {
				falls++
			} else {
				fluents[fluent(l)] = len(fluents)
			}
			same = append(same, p.step.net.Or(p.step.At(0, l), p.step.At(1, l).Not()))
		}
		n := falls + len(fluents)
		if len(fluents) <= maxCounted {
			n = falls + len(excluding(p.invariants.pairs, fluents))
		}
		if n > 0 && (best == 0 || n < best) && p.step.Solve(ctx, sat.Limits{MaxBytes: p.bytes, MaxConflicts: maxRankingConflicts}, same...) == sat.Unsat {
			best = n
		}
	}
	return best
}

// groups returns the finding about the groups of fluents of which exactly one is true at a time. At least one is, by the
// invariant; that two are not, each pair of the group must say.
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
		Property: "groups of fluents of which one is true", Verdict: Proved,
		Detail: fmt.Sprintf("%d groups with %d of %d fluents", groups, fluents, len(p.game.Fluents)),
	}
	if fluents == 0 {
		found.Verdict, found.Detail = Open, "none found"
	}
	return found
}
