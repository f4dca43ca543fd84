package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// The check is made of two walks. In each, one player, the defender, follows its
// strategy, the other one, the attacker, may do anything, and chance does
// everything. A walk visits the positions that this reaches in depth-first
// order and computes for each what the defender's strategy obtains there against
// the best replies of the attacker, at this position and at all later ones:
//
//	worth(q) = min over attacker's moves b of Σ x(a) · P(c) · worth(q after a, b, c)
//
// with max for min if the defender is not the first player. Given that the
// claims below q hold, comparing worth(q) with the claim at q is one step of
// the induction that proves the claim at the root, so the first fault found
// shows where the solution goes wrong.

// maxPlies bounds the depth of the recursion: a game that goes on for longer is
// taken for endless. The longest games of the corpus have some hundred plies.
const maxPlies = 1 << 12

// reportEvery positions progress is told.
const reportEvery = 1 << 10

// The two walks, as indexes of worth.
const (
	firstDefends = iota
	firstAttacks
)

// worth is what the two walks found out about a position.
type worth struct {
	points  [2]float64
	checked [2]bool
}

// ply is the working memory of one position on the path.
type ply struct {
	expansion machine.Expansion
	claim     *Claim    // nil where none is needed
	mixture   []float64 // by defender's move
	sums      []float64 // by attacker's move: expected goal points of the first player
}

type walk struct {
	ctx      context.Context
	machine  machine.Machine
	solution Solution
	limits   Limits
	expander *machine.Expander
	known    *table.Table[worth]
	plies    []*ply

	first, chance      machine.Role
	defender, attacker machine.Role // of the present walk; -1 if there is none
	number             int          // firstDefends or firstAttacks

	sum         int32 // of the goals of both players, in every terminal position
	sumKnown    bool
	certificate Certificate
	err         error
}

func newWalk(ctx context.Context, m machine.Machine, s Solution, lim Limits) *walk {
	return &walk{
		ctx: ctx, machine: m, solution: s, limits: lim,
		expander: machine.NewExpander(m), known: table.New[worth](m.Words(), 0),
	}
}

// play makes one walk from q.
func (w *walk) play(q machine.State, defender, attacker machine.Role) float64 {
	w.defender, w.attacker, w.number = defender, attacker, firstDefends
	if defender != w.first {
		w.number = firstAttacks
	}
	return w.worth(0, q)
}

// worth is what the defender's strategy obtains at q, in goal points of the
// first player.
func (w *walk) worth(depth int, q machine.State) float64 {
	if known := w.known.Lookup(q); known != nil && known.checked[w.number] {
		return known.points[w.number]
	}
	p := w.open(depth, q)
	if w.err != nil {
		return 0
	}
	w.reply(p, depth)
	v := p.sums[0]
	for _, sum := range p.sums {
		if w.number == firstDefends {
			v = min(v, sum)
		} else {
			v = max(v, sum)
		}
	}
	if w.err == nil {
		w.keep(q, v)
		if p.claim != nil {
			w.compare(q, w.defender, p.claim.Value, v)
		}
	}
	return v
}

// open expands q and writes the defender's strategy.
func (w *walk) open(depth int, q machine.State) *ply {
	if depth == len(w.plies) {
		w.plies = append(w.plies, new(ply))
	}
	p := w.plies[depth]
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	switch {
	case w.err != nil:
	case depth >= maxPlies:
		w.err = fmt.Errorf("the game goes on for more than %d joint moves", maxPlies)
	case !w.expander.Expand(&p.expansion, q):
		w.err = fmt.Errorf("a role has no legal move in a position that is not terminal: %v", w.fluents(q))
	default:
		w.err = w.ask(p, q)
	}
	return p
}

// ask asks the solution for its claim at q and writes the defender's strategy.
// Where no player has a choice there is nothing to claim, and where there is no
// defender, nothing that is needed.
func (w *walk) ask(p *ply, q machine.State) error {
	p.claim, p.mixture = nil, append(p.mixture[:0], 1)
	if w.defender < 0 || !w.isChoice(&p.expansion) {
		return nil
	}
	claim, err := w.solution.At(w.ctx, q)
	if err != nil {
		return err
	}
	p.claim = &claim
	moves := p.expansion.Moves[w.defender]
	if len(moves) == 1 {
		return nil
	}
	if int(w.defender) < len(claim.Strategies) {
		p.mixture, err = appendMixture(p.mixture[:0], moves, claim.Strategies[w.defender])
	} else {
		err = errors.New("there is none")
	}
	if err != nil {
		return fmt.Errorf("the strategy of %s at %v: %w", w.machine.Names().Roles[w.defender], w.fluents(q), err)
	}
	return nil
}

// isChoice tells whether a player has a choice.
func (w *walk) isChoice(e *machine.Expansion) bool {
	for r, moves := range e.Moves {
		if machine.Role(r) != w.chance && len(moves) > 1 {
			return true
		}
	}
	return false
}

// appendMixture appends the probability of each legal move. It returns an error
// if the strategy is no distribution over them; sums are allowed an error of
// 1e-9, ten times that of the LP engines.
func appendMixture(dst []float64, legal []machine.Move, strategy []search.Weighted) ([]float64, error) {
	const allowed = 1e-9
	total, played := 0.0, 0
	for _, move := range legal {
		probability := 0.0
		for _, w := range strategy {
			if w.Move == move {
				probability += w.Probability
				played++
			}
		}
		if !(probability >= 0) {
			return nil, fmt.Errorf("expected probabilities ≥ 0, found %v", probability)
		}
		dst = append(dst, probability)
		total += probability
	}
	if played < len(strategy) {
		return nil, errors.New("expected legal moves, found others")
	}
	if !(total >= 1-allowed && total <= 1+allowed) {
		return nil, fmt.Errorf("expected probabilities that add up to 1, found %v", total)
	}
	return dst, nil
}

// reply computes what each reply of the attacker is worth.
func (w *walk) reply(p *ply, depth int) {
	e := &p.expansion
	replies := 1
	if w.attacker >= 0 {
		replies = len(e.Moves[w.attacker])
	}
	p.sums = p.sums[:0]
	for range replies {
		p.sums = append(p.sums, 0)
	}
	for c := range e.Children {
		weight, reply := w.weigh(p, c)
		if weight == 0 || w.err != nil {
			continue
		}
		if e.Terminal[c] {
			p.sums[reply] += weight * w.points(e.ChildGoals(c))
		} else {
			p.sums[reply] += weight * w.worth(depth+1, e.Child(c))
		}
	}
}

// weigh splits the joint move to child c into its probability, which the
// defender and chance decide, and the attacker's part.
func (w *walk) weigh(p *ply, c int) (weight float64, reply int) {
	weight = 1
	for r := len(p.expansion.Moves) - 1; r >= 0; r-- {
		n := len(p.expansion.Moves[r])
		digit := c % n
		c /= n
		switch machine.Role(r) {
		case w.defender:
			weight *= p.mixture[digit]
		case w.attacker:
			reply = digit
		default:
			weight /= float64(n)
		}
	}
	return weight, reply
}

// points is the goal of the first player in a terminal position. With two
// players the goals must have the same sum everywhere: one number then tells
// both.
func (w *walk) points(goals []int32) float64 {
	sum := int32(0)
	for r, goal := range goals {
		if machine.Role(r) == w.chance {
			continue
		}
		if goal == machine.NoGoal {
			w.err = fmt.Errorf("a terminal position gives %s no goal, or several", w.machine.Names().Roles[r])
		}
		sum += goal
	}
	isOne := w.defender < 0 || w.attacker < 0
	if !isOne && w.sumKnown && sum != w.sum {
		w.err = fmt.Errorf("%w: goals add up to %d here and to %d there", search.ErrNotZeroSum, sum, w.sum)
	}
	w.sum, w.sumKnown = sum, true
	return float64(goals[w.first])
}

// keep stores what q is worth, within the limits.
func (w *walk) keep(q machine.State, v float64) {
	entry := w.known.Insert(q, 1)
	entry.points[w.number], entry.checked[w.number] = v, true
	stats := w.known.Stats()
	if w.limits.MaxBytes > 0 && stats.Bytes > w.limits.MaxBytes {
		w.err = fmt.Errorf("%w: %d positions checked need more than %d MiB", ErrMemory, stats.Entries, w.limits.MaxBytes>>20)
	}
	if w.limits.Progress != nil && stats.Entries%reportEvery == 0 {
		w.limits.Progress(stats.Entries)
	}
}

// compare books a fault if the strategy of role does not obtain what is claimed
// of q. It cannot obtain more than the value either, so the difference counts in
// both directions.
func (w *walk) compare(q machine.State, role machine.Role, claimed, obtained float64) {
	if math.Abs(claimed-obtained) <= Tolerance {
		return
	}
	if c := &w.certificate; c.Faults == 0 {
		c.First = &Fault{Position: slices.Clone(q), Role: role, Claimed: claimed, Obtained: obtained}
	}
	w.certificate.Faults++
}

// compareRoot compares the claim at the root with both walks where the walks
// have not done so: a lone player's position, or one where nobody has a choice.
func (w *walk) compareRoot(q machine.State, other machine.Role) {
	c := &w.certificate
	if c.Faults == 0 {
		w.compare(q, w.first, c.Value, c.Guarantee)
	}
	if c.Faults == 0 {
		w.compare(q, other, c.Value, c.Limit)
	}
}

func (w *walk) fluents(q machine.State) []string {
	return w.machine.Names().AppendFluents(nil, q)
}
