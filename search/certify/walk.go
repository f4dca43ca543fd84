package certify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
	"stackmate/search/table"
)

// A check consists of two walks. In each, one player, the defender, follows its strategy, the other player, the
// attacker, makes all moves, and so does chance. A walk visits the reached positions in depth-first order. For each
// position it computes the points that the defender's strategy obtains against best replies of the attacker, at this
// position and at all later positions:
//
//	worth(q) = min over attacker's moves b of Σ x(a) · P(c) · worth(q after a, b, c)
//
// with max for min if the defender is not the first player. If the claims below q hold, the comparison of worth(q)
// with the claim at q is an induction step of the proof at the root. So the first fault found shows where the solution
// is wrong.
//
// An infinite match proves no goal, so the defender obtains the worst goal. The attacker can force a position on its
// own path to repeat for ever, unless chance decides: then the bounds may be loose, but they hold.
//
// At every step, points of the first player's strategy are rounded down, and points against the other player's
// strategy are rounded up (fixed.go). So the two results enclose the value of the game, for all claims.

// reportEvery is the number of positions between two reports of progress.
const reportEvery = 1 << 10

// side identifies the walk.
type side int

const (
	firstDefends side = iota + 1 // guaranteed points of the first player, rounded down
	firstAttacks                 // maximal points of the first player, rounded up
)

// isUp reports whether the walk rounds up.
func (s side) isUp() bool { return s == firstAttacks }

// worth is the result of the last walk at a position.
type worth struct {
	points fixed
	side   side
	open   bool // the position is on the current path: points are the points of an infinite match
	look   int  // number of the second look that computed it, 0 for the first look
}

var worthCodec = table.Codec[worth]{
	Bits: 3 * 64,
	Encode: func(dst []uint64, v worth) {
		dst[0], dst[1], dst[2] = v.points.hi, v.points.lo, uint64(v.look)<<8|uint64(v.side)
		if v.open {
			dst[2] |= openBit
		}
	},
	Decode: func(src []uint64) worth {
		return worth{fixed{src[0], src[1]}, side(src[2] & (openBit - 1)), src[2]&openBit != 0, int(src[2] >> 8)}
	},
}

const openBit = 1 << 7

// ply is the working memory of a position on the path.
type ply struct {
	expansion play.Expansion
	child     int           // current child
	claim     *search.Claim // nil if no claim is needed
	mixture   []fixed       // by defender's move; the sum is 1
	sums      []fixed       // by attacker's move: expected goal points of the first player
}

type walk struct {
	ctx      context.Context
	machine  machine.Machine
	solution search.Solution
	limits   Limits
	expander *play.Expander
	known    *table.Table[worth]
	plies    []*ply

	tableBytes int64 // limit for known; 0 without limit

	first, other, chance machine.Role // machine.NoRole if there is none
	side                 side         // of the present walk
	defender, attacker   machine.Role // of the present walk; machine.NoRole if there is none

	next func(depth int, q machine.State) fixed // points of a position after a joint move

	tolerant bool // a claim has slack
	looks    int  // number of second looks
	look     int  // number of the current second look; 0 without one
	helpless bool // a second look has not helped

	circled     bool  // a position has repeated on its own path
	checks      int64 // checked positions; a position of both walks counts twice
	sum         exact.Sum
	certificate Certificate
	err         error
}

func newWalk(ctx context.Context, m machine.Machine, s search.Solution, lim Limits) *walk {
	w := &walk{
		ctx: ctx, machine: m, solution: s, limits: lim,
		expander: play.NewExpander(m), known: table.New(m, worthCodec, 0),
		certificate: Certificate{Limit: machine.MaxGoal, Gap: machine.MaxGoal},
	}
	w.next = w.worth
	tables, stack := search.Divide(lim.MaxBytes, m.Info().Batch)
	w.tableBytes = tables
	w.expander.Limit(ctx, stack, 2*int64(unsafe.Sizeof(fixed{})))
	return w
}

// defend sets the roles of a walk.
func (w *walk) defend(s side) {
	w.side, w.defender, w.attacker = s, w.first, w.other
	if s == firstAttacks {
		w.defender, w.attacker = w.other, w.first
	}
}

// play returns the result of a walk from q.
func (w *walk) play(q machine.State, s side) fixed {
	w.defend(s)
	if over, goals := w.expander.Look(q); over {
		return w.points(goals)
	}
	return w.worth(0, q)
}

// prove records the results of complete walks.
func (w *walk) prove(guarantee, limit fixed) {
	if w.err == nil {
		c := &w.certificate
		c.Guarantee, c.Limit, c.Gap = guarantee.bound(false), limit.bound(true), limit.minus(guarantee).bound(true)
	}
}

// worth returns the points of the first player under the defender's strategy at q.
func (w *walk) worth(depth int, q machine.State) fixed {
	if known, ok := w.known.Lookup(q); ok && known.side == w.side && known.look >= w.look {
		w.circled = w.circled || known.open
		return known.points
	}
	p := w.open(depth, q)
	if w.err != nil {
		return fixed{}
	}
	w.known.Store(q, worth{w.endless(), w.side, true, w.look}, 1)
	v := w.reply(p, depth)
	if w.err == nil && p.claim != nil && !w.holds(*p.claim, v) && w.tolerant && !w.helpless {
		v = w.lookAgain(p, depth)
	}
	if w.err == nil {
		w.keep(q, v)
		if p.claim != nil {
			w.compare(q, w.defender, *p.claim, v)
		}
	}
	return v
}

// endless returns the defender's result of an infinite match: its worst goal, or 0 with Limits.EndlessIsNothing. A walk of a lone
// player without chance then finds the best of all ends, as it visits each position.
func (w *walk) endless() fixed {
	if w.side == firstDefends || w.limits.EndlessIsNothing {
		return fixedGoal(0)
	}
	return fixedGoal(machine.MaxGoal)
}

// lookAgain recomputes the points of a position with new strategies. With a tolerance, a search may have proved better
// bounds since the first request, and have used them in a claim above; then it also has a better strategy. Better
// strategies never invalidate the checks of the old strategies.
func (w *walk) lookAgain(p *ply, depth int) fixed {
	before := w.look
	w.looks++
	w.look = w.looks
	v := w.reply(p, depth)
	w.look = before
	w.helpless = !w.holds(*p.claim, v)
	return v
}

// open expands q and sets the defender's strategy.
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
	case depth >= search.MaxPlies:
		w.err = fmt.Errorf("expected matches of at most %d joint moves, found a longer one", search.MaxPlies)
	default:
		if w.err = w.expander.Expand(&p.expansion, q); w.err == nil {
			w.err = w.ask(p, q)
		} else if errors.Is(w.err, play.ErrStuck) {
			w.err = fmt.Errorf("%w: %v", w.err, w.fluents(q))
		}
	}
	return p
}

// ask requests the claim at q and sets the defender's strategy. If no player has a choice there is no claim; without a
// defender no claim is needed.
func (w *walk) ask(p *ply, q machine.State) error {
	p.claim, p.mixture = nil, append(p.mixture[:0], fixedOne)
	if w.defender < 0 || !w.isChoice(&p.expansion) {
		return nil
	}
	claim, err := w.solution.At(w.ctx, q)
	if err != nil {
		return err
	}
	p.claim = &claim
	w.tolerant = w.tolerant || claim.Slack > 0
	moves := p.expansion.Moves[w.defender]
	if len(moves) == 1 {
		return nil
	}
	if int(w.defender) < len(claim.Strategies) {
		p.mixture, err = appendMixture(p.mixture[:0], moves, claim.Strategies[w.defender])
	} else {
		err = errors.New("expected a strategy, found none")
	}
	if err != nil {
		return fmt.Errorf("the strategy of %s at %v: %w", w.machine.Names().Roles[w.defender], w.fluents(q), err)
	}
	return nil
}

// isChoice reports whether a player has a choice.
func (w *walk) isChoice(e *play.Expansion) bool {
	for r, moves := range e.Moves {
		if machine.Role(r) != w.chance && len(moves) > 1 {
			return true
		}
	}
	return false
}

// appendMixture appends the probability of each legal move; their sum is exactly 1. It returns an error if the
// strategy is not a distribution over legal moves; the sum may differ by 1e-9, ten times the error of the LP engines.
func appendMixture(dst []fixed, legal []machine.Move, strategy []search.Weighted) ([]fixed, error) {
	const allowed = 1e-9
	total, played := 0.0, 0
	missing, best, highest := fixedOne, 0, 0.0
	for i, move := range legal {
		probability := 0.0
		for _, w := range strategy {
			if w.Move == move {
				probability += w.Probability
				played++
			}
		}
		if !(probability >= 0 && probability <= 1+allowed) {
			return nil, fmt.Errorf("expected probabilities from 0 to 1, found %v", probability)
		}
		if probability > highest {
			best, highest = i, probability
		}
		dst = append(dst, fixedProbability(probability))
		missing = missing.minus(dst[len(dst)-1])
		total += probability
	}
	if played < len(strategy) {
		return nil, errors.New("expected legal moves, found an illegal one")
	}
	if !(total >= 1-allowed && total <= 1+allowed) {
		return nil, fmt.Errorf("expected probabilities that add up to 1, found %v", total)
	}
	dst[best] = dst[best].plus(missing)
	return dst, nil
}

// reply computes the points of each reply of the attacker, and returns the best.
func (w *walk) reply(p *ply, depth int) fixed {
	e := &p.expansion
	moves, replies, chances := e.Choices(w.defender), e.Choices(w.attacker), e.Choices(w.chance)
	moveStep, replyStep := e.Step(w.defender), e.Step(w.attacker)
	p.sums = append(p.sums[:0], make([]fixed, replies)...)
	for c := range e.Children {
		p.child = c
		move, reply := c/moveStep%moves, c/replyStep%replies
		if p.mixture[move] == (fixed{}) || w.err != nil {
			continue
		}
		var v fixed
		if e.Terminal[c] {
			v = w.points(e.ChildGoals(c))
		} else {
			v = w.next(depth+1, e.Child(c))
		}
		p.sums[reply] = p.sums[reply].plus(v.times(p.mixture[move], w.side.isUp()))
	}
	best := fixed{}
	for i, sum := range p.sums {
		p.sums[i] = sum.over(uint64(chances), w.side.isUp())
		if i == 0 || p.sums[i].isLess(best) == (w.side == firstDefends) {
			best = p.sums[i]
		}
	}
	return best
}

// points returns the goal of the first player in a terminal position. Every player must have a goal from 0 to
// machine.MaxGoal. With two players the sum of the goals must be constant: then one goal determines the other.
func (w *walk) points(goals []int32) fixed {
	sum := int32(0)
	for r, goal := range goals {
		if machine.Role(r) == w.chance {
			continue
		}
		if (goal < 0 || goal > machine.MaxGoal) && w.err == nil {
			w.err = fmt.Errorf("%w: found no goal, or several, for %s", search.ErrGoals, w.machine.Names().Roles[r])
		}
		sum += goal
	}
	w.agree(int64(sum) + 1)
	if w.err != nil {
		return fixed{}
	}
	return fixedGoal(goals[w.first])
}

// agree checks that the sum of the goals, of which it gets the code, is the same in all terminal positions.
func (w *walk) agree(code int64) {
	if w.err == nil && w.other >= 0 {
		w.err = w.sum.Merge(code)
	}
}

// keep stores the points of q and enforces the limits.
func (w *walk) keep(q machine.State, v fixed) {
	w.known.Store(q, worth{v, w.side, false, w.look}, 1)
	stats := w.known.Stats()
	if w.tableBytes > 0 && stats.Bytes > w.tableBytes && w.err == nil {
		w.err = fmt.Errorf("%w: %d positions checked need more than %d MiB", search.ErrMemory, stats.Entries, w.limits.MaxBytes>>20)
	}
	if w.checks++; w.limits.Progress != nil && w.checks%reportEvery == 0 {
		w.limits.Progress(stats.Entries, w.share())
	}
}

// share returns the finished share of the work, see Limits.Progress.
func (w *walk) share() float64 {
	const plies = 8 // deeper parts are negligible
	done, part := 0.0, 1.0
	for _, p := range w.plies[:min(plies, len(w.plies))] {
		part /= float64(p.expansion.Children)
		done += part * float64(p.child)
	}
	return (float64(w.side-firstDefends) + done) / 2
}

// holds reports whether the obtained points agree with a claim.
func (w *walk) holds(claim search.Claim, obtained fixed) bool {
	points := obtained.nearest()
	return points >= claim.Value-Tolerance && points <= claim.Value+claim.Slack+Tolerance
}

// compare records a fault if the strategy of role does not obtain the claimed points at q. It cannot obtain more than
// the value either, so a difference counts in both directions.
func (w *walk) compare(q machine.State, role machine.Role, claim search.Claim, obtained fixed) {
	if w.holds(claim, obtained) {
		return
	}
	points := obtained.nearest()
	if c := &w.certificate; c.Faults == 0 {
		claimed := claim.Value
		if points > claimed+claim.Slack {
			claimed += claim.Slack
		}
		c.First = &Fault{Position: slices.Clone(q), Role: role, Claimed: claimed, Obtained: points, Endless: w.circled}
	}
	w.certificate.Faults++
}

// compareRoot compares the claim at the root with both walks if they have not done so: in a single player's position,
// in a position without a choice, or at the end of the game.
func (w *walk) compareRoot(q machine.State, guarantee, limit fixed) {
	c := &w.certificate
	claim := search.Claim{Value: c.Value, Slack: c.Slack}
	if c.Faults == 0 {
		w.compare(q, w.first, claim, guarantee)
	}
	if c.Faults == 0 {
		w.compare(q, w.other, claim, limit)
	}
}

func (w *walk) fluents(q machine.State) []string {
	return w.machine.Names().AppendFluents(nil, q)
}
