package player

import (
	"cmp"
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/arrival"
)

// root is the knowledge of a position in which a role has to move. Every search enters its results by move (note),
// and one rule chooses the move (decide).
//
// Invariant: bounds of moves are proved, by any search. Estimates come from the sampling search alone, or from
// its replacement.
type root struct {
	position
	// others holds the moves of the other roles if each has a single legal move, else it is nil.
	others []machine.Move
	alone  bool           // a game of one role without chance: the end of a line proves its goal
	moves  []search.Known // the legal moves of the role
	// exact is the exact result with the best proved value for the role, sampled the result of the sampling
	// search; nil before there is a result.
	exact, sampled *search.Result
	prover         string // title of the search that has found exact
	sampler        string // title of the search that has found sampled
	// helped: an exact search has proved the value, or has refuted a move.
	helped bool
	// arrives is the move that begins a shortest forced end with a proved goal, or nil.
	arrives *search.Known
	// waits holds the moves that were made in this position earlier in the match.
	waits []machine.Move
	nodes int64 // expanded by all searches
}

func newRoot(at position) *root {
	r := &root{position: at, moves: make([]search.Known, len(at.legal))}
	for i, m := range at.legal {
		r.moves[i] = search.Known{Move: m, Bounds: search.Interval{Lower: worstGoal, Upper: bestGoal}}
	}
	b := at.machine.NewNarrowBatch()
	b.Load(at.state, 1)
	b.Evaluate(1)
	for i := range at.machine.Names().Roles {
		switch legal := b.AppendLegal(nil, 0, machine.Role(i)); {
		case machine.Role(i) == at.role:
			r.others = append(r.others, machine.NoMove)
		case len(legal) == 1:
			r.others = append(r.others, legal[0])
		default:
			r.others = nil
			return r
		}
	}
	return r
}

// worstGoal and bestGoal are the bounds of goal values.
const (
	worstGoal = 0
	bestGoal  = machine.MaxGoal
)

// known returns the entry of a move; nil if the move is not legal.
func (r *root) known(m machine.Move) *search.Known {
	if i := slices.IndexFunc(r.moves, func(k search.Known) bool { return k.Move == m }); i >= 0 {
		return &r.moves[i]
	}
	return nil
}

// strategy returns the role's strategy in a result, or nil.
func (r *root) strategy(found *search.Result) []search.Weighted {
	if found == nil || len(found.Strategies) <= int(r.role) {
		return nil
	}
	return found.Strategies[r.role]
}

// settles reports whether a result proves the value for the role and has a strategy for it.
func (r *root) settles(found *search.Result) bool {
	return len(r.strategy(found)) > 0 && found.Proved && found.Values[r.role].Solved()
}

// settled returns a result that settles the value for the role, or nil.
func (r *root) settled() *search.Result {
	for _, found := range []*search.Result{r.sampled, r.exact} {
		if r.settles(found) {
			return found
		}
	}
	return nil
}

// follow enters the line of a result under its first move. It also enters the length of the line if the game ends
// there with the proved value. For a single player every terminal position is proof of its goal.
func (r *root) follow(found *search.Result) {
	if len(found.Line) == 0 {
		return
	}
	k, v := r.known(found.Line[0][r.role]), found.Values[r.role]
	if k == nil {
		return
	}
	if k.Plies == 0 {
		k.Line = found.Line
	}
	if !r.alone && !(found.Proved && v.Solved()) {
		return
	}
	goals, over := play.Outcome(r.machine, r.state, found.Line)
	goal := float64(goals[r.role])
	if over && r.alone {
		r.bound(k.Move, search.Interval{Lower: goal, Upper: bestGoal})
		v = search.Exact(k.Bounds.Lower)
	}
	if over && goal == v.Lower && (k.Plies == 0 || len(found.Line) < k.Plies) {
		k.Line, k.Plies = found.Line, len(found.Line)
	}
}

// note enters the result of an exact search; prover is the search's title (solve.Title).
func (r *root) note(prover string, found *search.Result) {
	r.follow(found)
	if r.exact == nil || r.settles(found) || !r.settles(r.exact) && narrower(found.Values[r.role], r.exact.Values[r.role]) {
		r.exact, r.prover = found, prover
	}
	r.narrow(found)
	known := found.Moves
	r.helped = r.helped || r.settles(found) || int(r.role) < len(known) && len(search.Mistakes(known[r.role], worstGoal)) > 0
}

// narrower reports whether a has a better lower bound than b, or as good a lower bound and a better upper bound.
func narrower(a, b search.Interval) bool {
	return a.Lower > b.Lower || a.Lower == b.Lower && a.Upper < b.Upper
}

// noteSamples enters the result of a sampling search with the given title. A value that an earlier sampling search has proved is
// kept as the exact result.
func (r *root) noteSamples(sampler string, found *search.Result) {
	if r.settles(r.sampled) && !r.settles(found) {
		r.exact, r.prover = r.sampled, r.sampler
	}
	r.sampled, r.sampler = found, sampler
	r.follow(found)
	r.narrow(found)
	if int(r.role) >= len(found.Moves) {
		return
	}
	for _, k := range found.Moves[r.role] {
		if m := r.known(k.Move); m != nil {
			m.Estimate, m.Visits = min(max(k.Estimate, m.Bounds.Lower), m.Bounds.Upper), k.Visits
		}
	}
}

// narrow enters the proved bounds of moves. The only move of a proved strategy has the proved value as its lower
// bound.
func (r *root) narrow(found *search.Result) {
	if int(r.role) < len(found.Moves) {
		for _, k := range found.Moves[r.role] {
			r.bound(k.Move, k.Bounds)
		}
	}
	if s := r.strategy(found); len(s) == 1 && found.Proved && (r.settles(found) || found.Moves == nil) {
		r.bound(s[0].Move, search.Interval{Lower: found.Values[r.role].Lower, Upper: bestGoal})
	}
}

// bound intersects the bounds of a move with b.
func (r *root) bound(m machine.Move, b search.Interval) {
	if k := r.known(m); k != nil {
		if r.alone && b.Lower > k.Bounds.Lower {
			k.Plies = 0 // the line ends with a lower goal
		}
		k.Bounds.Lower, k.Bounds.Upper = max(k.Bounds.Lower, b.Lower), min(k.Bounds.Upper, b.Upper)
		k.Estimate = min(max(k.Estimate, k.Bounds.Lower), k.Bounds.Upper)
	}
}

// verdict is a strategy, its decider and reason, and its search result.
type verdict struct {
	strategy []search.Weighted
	by       decider
	why      string
	result   *search.Result
}

// decide returns the strategy to play:
//
//   - a single player follows the best proved line, unless a better value is proved;
//   - if a proved goal has a shortest forced end (arrive), the move that begins it;
//   - if the best goal is proved, the move with the shortest known line to it, else the strategy of the
//     proof;
//   - a move that is proved worse than another move is never played;
//   - if the proved value is at least the estimate, a move that guarantees it. If the samples prefer
//     such a move, that move is played, as opponents may still err;
//   - else the strategy of the samples, which may be mixed;
//   - if no search has returned, no move: see thinker.withoutSearch.
//
// In a lost position every move guarantees the same, so the samples choose the move that is hardest to answer.
// Parameter samples is the reason to give if the samples decide without a proof.
func (r *root) decide(samples string) verdict {
	soonest := r.soonest()
	if r.alone && soonest != nil && soonest.Bounds.Lower > worstGoal {
		return r.planned(soonest)
	}
	if r.arrives != nil {
		return r.nearer(r.arrives)
	}
	exact, sampled := r.strategy(r.exact), r.strategy(r.sampled)
	proved := verdict{strategy: exact, by: byExact, result: r.exact}
	liked := verdict{strategy: sampled, by: bySampling, why: samples, result: r.sampled}
	if r.settles(r.sampled) {
		liked.why = "the sampling search has proved the value"
	}
	switch {
	case exact == nil && sampled == nil:
		return verdict{by: byFallback}
	case sampled == nil:
		proved.why = "the sampling search has not returned"
		return proved
	case exact == nil:
		return r.withoutMistakes(liked)
	}
	solved, sure := r.settles(r.exact), r.exact.Values[r.role].Lower
	switch {
	case soonest != nil && soonest.Bounds.Lower >= bestGoal:
		proved.strategy, proved.result = []search.Weighted{{Move: soonest.Move, Probability: 1}}, r.reached(soonest)
		proved.why = fmt.Sprintf("the best goal is proved, in %d moves", soonest.Plies)
		return proved
	case solved && sure >= bestGoal:
		proved.why = "the exact search has proved the best goal"
		return proved
	case r.settles(r.sampled):
		return r.withoutMistakes(liked)
	case solved && sure <= worstGoal:
		liked.why = "a loss is proved: the move that is hardest to answer in playouts"
		return r.withoutMistakes(liked)
	case solved:
		proved.why = "the exact search has proved the value"
	case r.exact.Proved && sure > worstGoal && sure >= r.sampled.Values[r.role].Upper:
		proved.strategy = r.surest(exact, sure)
		proved.why = "the exact search has proved at least the estimate of the playouts"
	default:
		return r.withoutMistakes(liked)
	}
	if m, ok := r.asGood(sampled, sure); ok && (len(exact) != 1 || m != exact[0].Move) {
		liked.strategy = []search.Weighted{{Move: m, Probability: 1}}
		liked.why = "among the proved best moves, the best move by playouts"
		return liked
	}
	return proved
}

// surest returns a strategy, or the move that is proved to get at least sure if the strategy is a move that is not.
func (r *root) surest(strategy []search.Weighted, sure float64) []search.Weighted {
	isSure := func(k search.Known) bool { return k.Bounds.Lower >= sure }
	i := slices.IndexFunc(r.moves, isSure)
	if len(strategy) != 1 || i < 0 {
		return strategy
	}
	if k := r.known(strategy[0].Move); k != nil && isSure(*k) {
		return strategy
	}
	return []search.Weighted{{Move: r.moves[i].Move, Probability: 1}}
}

// provedBy returns the name of the search that has found exact, with its tolerance unless the value is settled.
func (r *root) provedBy() string {
	if r.exact != nil && r.exact.Epsilon > 0 && !r.settles(r.exact) {
		return fmt.Sprintf("%s, ε %.4g", r.prover, r.exact.Epsilon)
	}
	return r.prover
}

// proof returns the search that has proved an interval for the role and the interval, as text. It is empty for
// the range of all goals and for a settled value.
func (r *root) proof() string {
	if r.exact == nil || !r.exact.Proved || r.settles(r.exact) {
		return ""
	}
	v := r.exact.Values[r.role]
	if v.Lower <= worstGoal && v.Upper >= bestGoal {
		return ""
	}
	return fmt.Sprintf("%s has proved a value from %.4g to %.4g", r.provedBy(), v.Lower, v.Upper)
}

// soonest returns the move with the greatest lower bound and the shortest known line to it; nil if no line is known.
func (r *root) soonest() *search.Known {
	best := &r.moves[0]
	for i := range r.moves {
		k := &r.moves[i]
		if known := k.Plies > 0; k.Bounds.Lower > best.Bounds.Lower ||
			k.Bounds.Lower == best.Bounds.Lower && known && (best.Plies == 0 || k.Plies < best.Plies) {
			best = k
		}
	}
	if best.Plies == 0 {
		return nil
	}
	return best
}

// arrive enters a shortest forced end with a proved goal. The plies of other moves are deleted: their lines are
// not forced.
func (r *root) arrive(way arrival.Way, goal float64) {
	r.bound(way.Move, search.Interval{Lower: goal, Upper: bestGoal})
	for i := range r.moves {
		if k := &r.moves[i]; k.Move != way.Move {
			k.Plies = 0
		} else if r.arrives, k.Plies = k, way.Plies; len(k.Line) != way.Plies {
			k.Line = nil
		}
	}
}

// nearer returns the verdict for the first move of a shortest forced end.
func (r *root) nearer(k *search.Known) verdict {
	return verdict{
		strategy: []search.Weighted{{Move: k.Move, Probability: 1}}, by: byExact, result: r.reached(k),
		why: fmt.Sprintf("a goal of %.6g is proved, in %d joint moves at most", k.Bounds.Lower, k.Plies),
	}
}

// avoid stores the moves that were made in this position earlier in the match.
func (r *root) avoid(waits []machine.Move) { r.waits = waits }

// mayExceed reports whether a move may still guarantee more than a goal.
func (r *root) mayExceed(k search.Known, goal float64) bool {
	most := k.Bounds.Upper
	if found := r.settled(); found != nil {
		most = min(most, found.Values[r.role].Upper)
	}
	return most-goal > 1./rounding
}

// unwaiting returns v. If v repeats an earlier move of this position, another move that is proved equally good
// replaces it.
func (r *root) unwaiting(v verdict) verdict {
	if len(v.strategy) != 1 || !slices.Contains(r.waits, v.strategy[0].Move) {
		return v
	}
	sure := search.Sure(r.moves)
	if r.mayExceed(*r.known(v.strategy[0].Move), sure) {
		return v
	}
	for _, k := range r.ranking() {
		if k.Bounds.Lower >= sure && !slices.Contains(r.waits, k.Move) {
			v.strategy, v.why = []search.Weighted{{Move: k.Move, Probability: 1}}, "proved equal to the move that led back to this position"
			return v
		}
	}
	return v
}

// planned returns the verdict for the first move of a single player's line.
func (r *root) planned(k *search.Known) verdict {
	return verdict{
		strategy: []search.Weighted{{Move: k.Move, Probability: 1}},
		by:       byPlan, why: "the next move of a proved line to this goal", result: r.reached(k),
	}
}

// reached returns the result that the line of a move proves. Without a proof, other roles have the range of all goals; the
// end of the line is the estimate.
func (r *root) reached(k *search.Known) *search.Result {
	goal := k.Bounds.Lower
	found := &search.Result{Proved: goal >= bestGoal || r.settled() != nil, Line: k.Line}
	found.Values = slices.Repeat([]search.Interval{search.GoalRange}, len(r.machine.Names().Roles))
	for _, proof := range []*search.Result{r.exact, r.sampled} {
		if proof != nil && proof.Proved {
			copy(found.Values, proof.Values)
			break
		}
	}
	found.Values[r.role] = search.Exact(goal)
	if goals, over := play.Outcome(r.machine, r.state, k.Line); over {
		for _, g := range goals {
			found.Estimates = append(found.Estimates, float64(search.Points(g)))
		}
	}
	return found
}

// asGood returns the move that the samples prefer, and whether its lower bound is at least sure. It returns false
// for a mixed strategy, and if another role has a choice.
func (r *root) asGood(sampled []search.Weighted, sure float64) (machine.Move, bool) {
	if r.others == nil || len(sampled) != 1 {
		return machine.NoMove, false
	}
	k := r.known(sampled[0].Move)
	return sampled[0].Move, k != nil && k.Bounds.Lower >= sure
}

// withoutMistakes returns a verdict without moves that are proved to be mistakes. If no move remains, it takes the
// best other move by visits and estimates; if all moves are mistakes, it returns v.
func (r *root) withoutMistakes(v verdict) verdict {
	mistakes := search.Mistakes(r.moves, worstGoal)
	isMistake := func(w search.Weighted) bool { return slices.Contains(mistakes, w.Move) }
	if !slices.ContainsFunc(v.strategy, isMistake) {
		return v
	}
	bad := v.strategy[slices.IndexFunc(v.strategy, isMistake)].Move
	kept := search.Without(v.strategy, mistakes)
	if len(kept) == 0 {
		m, ok := r.nextBest(mistakes)
		if !ok {
			return v
		}
		kept = []search.Weighted{{Move: m, Probability: 1}}
	}
	v.strategy = kept
	v.why = fmt.Sprintf("the best move by playouts that is not a proved mistake; %s is a proved mistake", r.machine.Names().MoveText(r.role, bad))
	return v
}

// nextBest returns the best ranked move that is no mistake and has an estimate above the worst goal.
// Without such a move it returns the best ranked move that is no mistake.
func (r *root) nextBest(mistakes []machine.Move) (machine.Move, bool) {
	open := slices.DeleteFunc(r.ranking(), func(k search.Known) bool { return slices.Contains(mistakes, k.Move) })
	for _, k := range open {
		if k.Estimate > worstGoal {
			return k.Move, true
		}
	}
	if len(open) == 0 {
		return machine.NoMove, false
	}
	return open[0].Move, true
}

// ranking returns the moves by falling visits, then by falling estimates.
func (r *root) ranking() []search.Known {
	list := slices.Clone(r.moves)
	slices.SortStableFunc(list, func(a, b search.Known) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Estimate, a.Estimate))
	})
	return list
}
