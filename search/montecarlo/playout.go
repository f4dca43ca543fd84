package montecarlo

import (
	"context"
	"math/bits"
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// drawnGoal, in goal points, stands for a result that is not known, as that of
// playouts that were cut off (machine.MaxPlayout).
const drawnGoal = 50

// leaf is a child that the tree does not have yet, or has not opened, and what came of
// it.
type leaf struct {
	step     int32         // of the round, which leads here
	from     machine.State // the position before it
	node     int32         // the child, if the tree has it but has not opened it; or none
	picks    []int32       // by role: which of its moves
	joint    []machine.Move
	state    machine.State    // the child
	opens    bool             // the child is opened, with moves
	moves    [][]machine.Move // by role
	priors   []float32        // of its moves, or none
	terminal bool             // the child is terminal
	over     bool             // the child is terminal, or a role has no legal move there: the goals are no proof then
	goals    []float64        // by role: mean over the playouts from the child
	count    int              // of playouts
	weight   float64          // of an estimate among them
}

// newLeaves has room for so many leaves of a game.
func newLeaves(n int, m machine.Machine) []leaf {
	leaves, roles := make([]leaf, n), len(m.Names().Roles)
	for i := range leaves {
		leaves[i] = leaf{
			node: none, picks: make([]int32, roles), moves: make([][]machine.Move, roles), joint: make([]machine.Move, roles),
			from: make(machine.State, m.Words()), state: make(machine.State, m.Words()), goals: make([]float64, roles),
		}
	}
	return leaves
}

// playouts evaluates leaves: every lane of a batch plays one game to its end,
// all in lock step. Lane i serves leaf i modulo the number of leaves, so that
// the first lanes hold one playout of each.
type playouts struct {
	batch  machine.Batch
	rng    *machine.Rand
	words  int
	roles  int
	lanes  int
	states []uint64
	games  *machine.Lockstep
	goals  []int32
	ctx    context.Context
	bytes  int64 // about what the batch and the states take

	evaluator Evaluator // nil if there is none
	weight    float64   // playouts that an estimate counts for
	alone     bool      // estimates stand for playouts
	played    bool      // the playouts of the first leaves have been made
	values    []float64 // by leaf, then role

	// check is told the goals of every game that ended.
	check  func(goals []int32)
	rave   *rave   // nil where it is not in use
	priors *priors // nil where moves begin with nothing

	// The best game of role 0 in the last run, and the state of rng when its
	// random moves began.
	bestGoal float64
	bestLane int
	began    machine.Rand
}

// newPlayouts makes playouts on a batch of the given bytes at most, if such a batch
// is wide and there are playouts; else on a narrow one.
func newPlayouts(m machine.Machine, c *Config, lanes int, rng *machine.Rand, bytes int64) *playouts {
	var b machine.Batch
	size := m.Info().Batch
	if size <= bytes && !c.estimatesAlone() {
		b = m.NewBatch()
	} else {
		b, size = m.NewNarrowBatch(), bytes
	}
	roles := len(m.Names().Roles)
	p := &playouts{
		batch: b, rng: rng, words: m.Words(), roles: roles,
		lanes:     min(lanes, b.Lanes()),
		states:    make([]uint64, b.Lanes()*m.Words()),
		games:     machine.NewLockstep(b),
		goals:     make([]int32, roles),
		evaluator: c.Evaluator, weight: c.EstimateWeight, alone: c.estimatesAlone(),
		bytes: size + int64(b.Lanes()*m.Words())*8,
	}
	if c.Rave && !c.hasPriors() {
		p.rave = newRave(b, m.Names())
	}
	return p
}

// run makes the moves of the leaves from the positions before them, finds the moves of those that are
// to be opened, and plays on at random.
func (p *playouts) run(leaves []leaf) {
	n := p.set(leaves)
	p.batch.Store(p.states, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		copy(l.state, p.states[i*p.words:])
		clear(l.goals)
		l.count, l.weight = 0, 0
		l.over, l.terminal = p.over(i>>6)>>uint(i&63)&1 != 0, p.batch.Terminal()[i>>6]>>uint(i&63)&1 != 0
		if l.opens = l.node != none && !l.over; l.opens {
			for r := range l.moves {
				l.moves[r] = p.batch.AppendLegal(l.moves[r][:0], i, machine.Role(r))
			}
			if p.priors != nil {
				l.priors = p.priors.of(l.priors[:0], l.state, l.moves)
			}
		}
	}
	if p.evaluator != nil {
		p.estimate(leaves)
	}
	p.bestGoal, p.began = -1, *p.rng
	if p.rave != nil {
		p.rave.begin(len(leaves))
	}
	p.games.Run(p.ctx, p.rng, n, func(steps int, ended, playing []uint64) bool {
		if p.rave != nil && steps > 0 {
			p.rave.watch(ended, playing)
		}
		p.harvest(leaves, ended)
		return !p.alone || !p.played
	})
	p.played = true
	if p.rave != nil {
		p.rave.divide(leaves)
	}
	for i := range leaves {
		leaves[i].average()
	}
}

// estimate adds to leaves what the evaluator thinks of them, whose positions are those at
// the beginning of states.
func (p *playouts) estimate(leaves []leaf) {
	p.values = scratch.Resize(p.values, len(leaves)*p.roles)
	p.evaluator.Values(p.values, p.states[:len(leaves)*p.words])
	for i := range leaves {
		l := &leaves[i]
		if l.over {
			continue
		}
		for r, v := range p.values[i*p.roles : (i+1)*p.roles] {
			if l.goals[r] = v; !p.alone {
				l.goals[r] *= p.weight
			}
		}
		if l.weight = p.weight; p.alone {
			l.count, l.weight = 1, 0 // it is the playout
		}
	}
}

// set puts the leaves into the lanes and returns the number of lanes in use.
func (p *playouts) set(leaves []leaf) int {
	n := max(p.lanes, len(leaves))
	for lane := range n {
		copy(p.states[lane*p.words:], leaves[lane%len(leaves)].from)
	}
	p.batch.Load(p.states, n)
	p.batch.Evaluate(n)
	for lane := range n {
		for r, m := range leaves[lane%len(leaves)].joint {
			p.batch.Choose(lane, machine.Role(r), m)
		}
	}
	p.advance(n)
	return n
}

// replay runs the last run again and returns the positions of one lane, from
// the leaf to the end of the game; nil if ctx ends meanwhile.
func (p *playouts) replay(leaves []leaf, lane int) []machine.State {
	rng := p.began
	n := p.set(leaves)
	var states []machine.State
	p.games.Run(p.ctx, &rng, n, func(_ int, ended, _ []uint64) bool {
		p.batch.Store(p.states, lane+1)
		states = append(states, slices.Clone(p.states[lane*p.words:(lane+1)*p.words]))
		return ended[lane>>6]>>uint(lane&63)&1 == 0
	})
	if p.ctx.Err() != nil {
		return nil
	}
	return states
}

// legal lists the legal moves of a position by role, unless the game is over.
func (p *playouts) legal(moves [][]machine.Move, s machine.State) bool {
	p.batch.Load(s, 1)
	p.batch.Evaluate(1)
	for r := range moves {
		moves[r] = p.batch.AppendLegal(moves[r][:0], 0, machine.Role(r))
	}
	return p.over(0)&1 == 0
}

func (p *playouts) advance(n int) {
	p.batch.Advance(n)
	p.batch.Evaluate(n)
}

// over is word i of the mask of lanes where the game has ended: properly, or
// because some role has no move.
func (p *playouts) over(i int) uint64 { return p.batch.Terminal()[i] | p.batch.Stuck()[i] }

// harvest collects the goals of the games that have just ended.
func (p *playouts) harvest(leaves []leaf, ended []uint64) {
	for i, lanes := range ended {
		for ; lanes != 0; lanes &= lanes - 1 {
			lane := i<<6 | bits.TrailingZeros64(lanes)
			l := &leaves[lane%len(leaves)]
			p.batch.Goals(p.goals, lane)
			p.check(p.goals)
			if p.rave != nil {
				p.rave.end(lane, p.goals)
			}
			for r, g := range p.goals {
				l.goals[r] += float64(search.Points(g))
			}
			l.count++
			if g := float64(p.goals[0]); g > p.bestGoal {
				p.bestGoal, p.bestLane = g, lane
			}
		}
	}
}

// average turns the sums of goals into means.
func (l *leaf) average() {
	for r := range l.goals {
		if all := l.weight + float64(l.count); all == 0 {
			l.goals[r] = drawnGoal
		} else {
			l.goals[r] /= all
		}
	}
}
