package factor

import (
	"context"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/arrival"
)

// proof is the exact search of a subgame, and its result at the present position. A solved subgame that a role wins has
// a line: the winner ends the subgame as soon as possible, the loser as late as possible. So the shorter of two lines
// shows which subgame ends first.
type proof struct {
	search.Searcher // nil: none, or it has failed
	finder          *arrival.Finder

	result search.Result
	line   [][]machine.Move
	spent  int64 // nodes at this position
	next   int64 // node limit of the next search
}

const (
	// exactShare is the number of nodes of the exact search for each node of the sampling search.
	exactShare = 0.5
	// firstProof is the first node limit of the exact search of a position; the limit doubles with each search.
	firstProof = 2000
	// lineNodes bounds the expansions of each distance that a line asks for.
	lineNodes = 1 << 12
)

// begin clears the result for a new position.
func (p *proof) begin() {
	p.result, p.line, p.spent, p.next = search.Result{}, nil, 0, firstProof
}

// isDue reports whether the exact search has nodes left for another search after the given number of nodes of the sampling search.
func (p *proof) isDue(sampled int64) bool {
	return p.Searcher != nil && !p.result.Solved() && float64(p.spent+p.next) <= exactShare*float64(sampled)
}

// search goes on with the exact search of position q of subgame m. A failed search is not used again.
func (p *proof) search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) {
	lim.MaxNodes, p.next = p.next, 2*p.next
	r, err := p.Searcher.Search(ctx, m, q, lim)
	if err != nil {
		p.Searcher = nil
		return
	}
	p.spent += max(r.Nodes, 1)
	if p.result = r; !r.Solved() {
		return
	}
	goals, names := make([]int32, len(r.Values)), m.Names()
	for _, role := range names.Players() {
		goals[role] = int32(r.Values[role].Lower)
	}
	if p.finder == nil {
		p.finder = arrival.New(m, lim.MaxBytes/lineMemory)
	}
	if slices.Contains(goals, machine.MaxGoal) {
		p.line, _ = p.finder.Line(ctx, q, goals, lineNodes)
	}
}

// lineMemory divides the memory of a subgame: the quotient is for distances.
const lineMemory = 16

// value returns the value of a role by the proof, or else by the sampling search within the proved bounds.
func (p *part) value(role machine.Role) float64 {
	v := p.result.Guess(role)
	if int(role) < len(p.proof.result.Values) {
		known := p.proof.result.Values[role]
		v = known.Clamp(v)
	}
	return v
}

// strategy returns the first move of the line, or the strategy of the sampling search without proved mistakes.
func (p *part) strategy(role machine.Role) []search.Weighted {
	if p.proof.line != nil {
		return []search.Weighted{{Move: p.proof.line[0][role], Probability: 1}}
	}
	sampled, known := p.result.Strategies[role], p.proof.result
	if int(role) >= len(known.Moves) || len(known.Moves[role]) == 0 {
		return sampled
	}
	if kept := search.Without(sampled, search.Mistakes(known.Moves[role], 0)); kept != nil {
		return kept
	}
	return known.Strategies[role]
}

// isSettled reports whether further search of the subgame gains nothing.
func (p *part) isSettled() bool { return p.proof.line != nil || p.result.Solved() }

// first returns the solved subgames whose lines are the shortest; nil if no line is known.
func first(active []*part) (list []*part) {
	for _, p := range active {
		switch {
		case p.proof.line == nil || len(list) > 0 && len(p.proof.line) > len(list[0].proof.line):
		case len(list) > 0 && len(p.proof.line) == len(list[0].proof.line):
			list = append(list, p)
		default:
			list = []*part{p}
		}
	}
	return list
}

// Solved returns, for the last position, the number of subgames whose value a search has proved, and the number of
// subgames with a choice.
func (s *Searcher) Solved() (solved, subgames int) {
	for _, p := range s.last {
		if p.proof.result.Solved() || p.result.Solved() {
			solved++
		}
	}
	return solved, len(s.last)
}
