package player

import (
	"cmp"
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/arrival"
	"stackmate/search/solve"
)

// root is what is known of the position in which a role has to move. Every search writes
// what it finds out of each move (note), and one rule reads it (decide).
//
// Invariant: the bounds of moves are proved, whoever proved them. Estimates are those of
// the sampling search alone, or of the one that takes its place.
type root struct {
	position
	// others are the moves of the other roles if none of them has a choice, else nil.
	others []machine.Move
	alone  bool           // nobody else ever moves, nor chance: a line that ends the game is proved by itself
	moves  []search.Known // the legal moves of the role
	// exact is the result that proves most for the role, sampled that of the sampling
	// search; nil where there is none.
	exact, sampled *search.Result
	prover         string // title of the search that exact is the result of
	// helped tells that exact searches have proved the value, or a move a mistake.
	helped bool
	// arrives reports that the plies of the soonest move are proved to be the fewest.
	arrives bool
	// waits are the moves that were made when the position came up before, and did not end the match.
	waits []machine.Move
	nodes int64 // that all searches have expanded
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

// worstGoal and bestGoal are the ends of the range of goals.
const (
	worstGoal = 0
	bestGoal  = machine.MaxGoal
)

// of is what is known of a move; nil if it is not legal.
func (r *root) of(m machine.Move) *search.Known {
	if i := slices.IndexFunc(r.moves, func(k search.Known) bool { return k.Move == m }); i >= 0 {
		return &r.moves[i]
	}
	return nil
}

// strategy is that of the role in a result, nil if it has none.
func (r *root) strategy(found *search.Result) []search.Weighted {
	if found == nil || len(found.Strategies) <= int(r.role) {
		return nil
	}
	return found.Strategies[r.role]
}

// settles tells whether a result proves the value for the role and says how to get it.
func (r *root) settles(found *search.Result) bool {
	return len(r.strategy(found)) > 0 && found.Proved && found.Values[r.role].Solved()
}

// settled is the result that settles the value for the role, or nil.
func (r *root) settled() *search.Result {
	for _, found := range []*search.Result{r.sampled, r.exact} {
		if r.settles(found) {
			return found
		}
	}
	return nil
}

// follow takes over the line of a result as that of the move it begins with, and how soon the game ends by
// it, if it is proved that there is no more to get than there. A player alone can be sure of where a line ends.
func (r *root) follow(found *search.Result) {
	if len(found.Line) == 0 {
		return
	}
	k, v := r.of(found.Line[0][r.role]), found.Values[r.role]
	if k == nil {
		return
	}
	if k.Plies == 0 {
		k.Line = found.Line
	}
	if !r.alone && !(found.Proved && v.Solved()) {
		return
	}
	goal, over := outcome(r.position, found.Line)
	if over && r.alone {
		r.bound(k.Move, search.Interval{Lower: goal, Upper: bestGoal})
		v = search.Exact(k.Bounds.Lower)
	}
	if over && goal == v.Lower && (k.Plies == 0 || len(found.Line) < k.Plies) {
		k.Line, k.Plies = found.Line, len(found.Line)
	}
}

// note takes over the result of an exact search with a title, see solve.Title.
func (r *root) note(prover string, found *search.Result) {
	r.follow(found)
	if r.exact == nil || r.settles(found) || found.Values[r.role].Lower > r.exact.Values[r.role].Lower {
		r.exact, r.prover = found, prover
	}
	r.narrow(found)
	known := found.Moves
	r.helped = r.helped || r.settles(found) || int(r.role) < len(known) && len(search.Mistakes(known[r.role], worstGoal)) > 0
}

// noteSamples takes over what a sampling search has found; what an earlier one has proved
// stays.
func (r *root) noteSamples(found *search.Result) {
	if r.settles(r.sampled) && !r.settles(found) {
		r.exact, r.prover = r.sampled, solve.Title(solve.MonteCarlo)
	}
	r.sampled = found
	r.follow(found)
	r.narrow(found)
	if int(r.role) >= len(found.Moves) {
		return
	}
	for _, k := range found.Moves[r.role] {
		if m := r.of(k.Move); m != nil {
			m.Estimate, m.Visits = min(max(k.Estimate, m.Bounds.Lower), m.Bounds.Upper), k.Visits
		}
	}
}

// narrow takes over the bounds of moves that a search has proved. A move that makes sure of
// the value has it for a lower bound.
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

// bound takes over bounds of a move.
func (r *root) bound(m machine.Move, b search.Interval) {
	if k := r.of(m); k != nil {
		if r.alone && b.Lower > k.Bounds.Lower {
			k.Plies = 0 // the line brings less
		}
		k.Bounds.Lower, k.Bounds.Upper = max(k.Bounds.Lower, b.Lower), min(k.Bounds.Upper, b.Upper)
		k.Estimate = min(max(k.Estimate, k.Bounds.Lower), k.Bounds.Upper)
	}
}

// verdict is what to play: a strategy, who has decided on it and why, and the result that
// it comes from.
type verdict struct {
	strategy []search.Weighted
	by       decider
	why      string
	result   *search.Result
}

// decide is the rule by which a move is picked:
//
//   - a player alone follows the line that is known to bring most, unless more is proved;
//   - a proved goal by the move that ends the match with it soonest, where that is known (arrive);
//   - the best goal, where it is proved, by the move that is known to get it soonest, else as the
//     search that proved it gets it;
//   - never a move that is proved to be worse than another one;
//   - where more is proved than is promised, a move that makes sure of it: of those that
//     do, the one that the samples prefer, as others may still go wrong;
//   - else what the samples prefer, mixed where they mix;
//   - no move, if no search has come back: see thinker.withoutSearch.
//
// Where all is proved lost every move makes sure of the same, so that samples choose the
// one that is hardest to answer. Samples is why they decide, where nothing is proved.
func (r *root) decide(samples string) verdict {
	soonest := r.soonest()
	if r.alone && soonest != nil && soonest.Bounds.Lower > worstGoal {
		return r.planned(soonest)
	}
	if r.arrives {
		return r.nearer(soonest)
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
		proved.why = "the sampling search has not come back"
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
		liked.why = "all is proved lost: the move that playouts find hardest to answer"
		return r.withoutMistakes(liked)
	case solved:
		proved.why = "the exact search has proved the value"
	case r.exact.Proved && sure > worstGoal && sure >= r.sampled.Values[r.role].Upper:
		proved.why = "the exact search has proved as much as the playouts promise"
	default:
		return r.withoutMistakes(liked)
	}
	if m, ok := r.asGood(sampled, sure); ok && (len(exact) != 1 || m != exact[0].Move) {
		liked.strategy = []search.Weighted{{Move: m, Probability: 1}}
		liked.why = "of the moves that are proved best, the one that is best by playouts"
		return liked
	}
	return proved
}

// soonest is the move that is proved to bring most, and known to do so before others; nil if of none it is known.
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

// arrive takes over a way to a proved goal. The plies of other moves are lengths of lines, of which
// it is not proved that others cannot make them longer.
func (r *root) arrive(way arrival.Way, goal float64) {
	r.bound(way.Move, search.Interval{Lower: goal, Upper: bestGoal})
	for i := range r.moves {
		if k := &r.moves[i]; k.Move != way.Move {
			k.Plies = 0
		} else if k.Plies = way.Plies; len(k.Line) != way.Plies {
			k.Line = nil
		}
	}
	r.arrives = true
}

// nearer returns the verdict that a proved goal comes nearer by a move.
func (r *root) nearer(k *search.Known) verdict {
	return verdict{
		strategy: []search.Weighted{{Move: k.Move, Probability: 1}}, by: byExact, result: r.reached(k),
		why: fmt.Sprintf("a goal of %.6g is proved, in %d joint moves at most", k.Bounds.Lower, k.Plies),
	}
}

// avoid takes note of moves that were made when the position came up before.
func (r *root) avoid(waits []machine.Move) { r.waits = waits }

// unwaiting returns v, or with a move that was not made before if v makes one that was: only a move
// that is proved to be as good takes its place.
func (r *root) unwaiting(v verdict) verdict {
	if len(v.strategy) != 1 || !slices.Contains(r.waits, v.strategy[0].Move) {
		return v
	}
	sure := search.Sure(r.moves)
	for _, k := range r.ranking() {
		if k.Bounds.Lower >= sure && !slices.Contains(r.waits, k.Move) {
			v.strategy, v.why = []search.Weighted{{Move: k.Move, Probability: 1}}, "proved to be as good as the move that led back here"
			return v
		}
	}
	return v
}

// planned is the verdict that a player alone goes on with the line of a move.
func (r *root) planned(k *search.Known) verdict {
	return verdict{
		strategy: []search.Weighted{{Move: k.Move, Probability: 1}},
		by:       byPlan, why: "the next move of a line that leads to this goal for sure", result: r.reached(k),
	}
}

// reached is the result that the line of a move leads to what is proved of it.
func (r *root) reached(k *search.Known) *search.Result {
	goal := k.Bounds.Lower
	found := &search.Result{Proved: goal >= bestGoal || r.settled() != nil, Line: k.Line}
	if found.Values = make([]search.Interval, len(r.machine.Names().Roles)); r.exact != nil {
		copy(found.Values, r.exact.Values)
	}
	found.Values[r.role] = search.Exact(goal)
	return found
}

// asGood is the move that samples prefer, if it is one and proved to make sure of as much.
func (r *root) asGood(sampled []search.Weighted, sure float64) (machine.Move, bool) {
	if r.others == nil || len(sampled) != 1 {
		return machine.NoMove, false
	}
	k := r.of(sampled[0].Move)
	return sampled[0].Move, k != nil && k.Bounds.Lower >= sure
}

// withoutMistakes is a verdict without moves that are proved to be mistakes: where all of
// its moves are, the best of the others by visits and by estimates, if there is one.
func (r *root) withoutMistakes(v verdict) verdict {
	mistakes := search.Mistakes(r.moves, worstGoal)
	isMistake := func(w search.Weighted) bool { return slices.Contains(mistakes, w.Move) }
	if !slices.ContainsFunc(v.strategy, isMistake) {
		return v
	}
	bad := v.strategy[slices.IndexFunc(v.strategy, isMistake)].Move
	kept, sum := slices.DeleteFunc(slices.Clone(v.strategy), isMistake), 0.0
	for _, w := range kept {
		sum += w.Probability
	}
	for i := range kept {
		kept[i].Probability /= sum
	}
	if len(kept) == 0 {
		m, ok := r.nextBest(mistakes)
		if !ok {
			return v
		}
		kept = []search.Weighted{{Move: m, Probability: 1}}
	}
	v.strategy = kept
	v.why = fmt.Sprintf("the best by playouts that is not proved a mistake, as %s is", r.machine.Names().MoveText(r.role, bad))
	return v
}

// nextBest is the move with the most visits, or the best estimate, that is no mistake and by
// which samples have gained something, or at last any that is no mistake.
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

// ranking are the moves, those that were tried most first.
func (r *root) ranking() []search.Known {
	list := slices.Clone(r.moves)
	slices.SortStableFunc(list, func(a, b search.Known) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Estimate, a.Estimate))
	})
	return list
}
