package montecarlo

import (
	"context"
	"math/bits"
	"slices"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// drawnGoal, in goal points, is the goal assumed for a playout without a result because it was cut off
// (play.MaxPlayout).
const drawnGoal = 50

// leaf is a selected child that is missing from the tree or unopened, with the result of its evaluation.
type leaf struct {
	step     int32         // step of the round that leads here
	from     machine.State // the parent position
	node     int32         // the unopened child, or none if the tree does not contain it
	picks    []int32       // by role: index of its move
	joint    []machine.Move
	state    machine.State    // the child
	opens    bool             // the child is opened, and moves is set
	moves    [][]machine.Move // by role
	priors   []float32        // prior values of its moves, or empty
	terminal bool             // the game is over at the child
	over     bool             // the game is over at the child, or a role has no legal move: then goals prove nothing
	goals    []float64        // by role: mean over the playouts from the child
	count    int              // number of playouts
	weight   float64          // weight of the evaluation in goals
}

// newLeaves returns n leaves with buffers for the game of m.
func newLeaves(n int, m machine.Machine) []leaf {
	leaves, roles := make([]leaf, n), len(m.Names().Roles)
	for i := range leaves {
		leaves[i] = leaf{
			node: none, picks: make([]int32, roles), moves: make([][]machine.Move, roles), joint: make([]machine.Move, roles),
			from: make(machine.State, len(m.Initial())), state: make(machine.State, len(m.Initial())), goals: make([]float64, roles),
		}
	}
	return leaves
}

// playouts evaluates leaves: every lane of a batch plays one game to its end, in lockstep. Lane i serves
// leaf i modulo the number of leaves, so the first lanes hold one playout of each leaf.
type playouts struct {
	batch  machine.Batch
	rng    *machine.Rand
	words  int
	roles  int
	lanes  int
	states []uint64
	games  *play.Lockstep
	goals  []int32
	ctx    context.Context
	bytes  int64 // approximate size of the batch and the states

	evaluator Evaluator // nil without evaluations
	alone     bool      // evaluations replace playouts
	played    bool      // the first batch of playouts has been played
	values    []float64 // by leaf, then role

	// check receives the goals of every finished game.
	check  func(goals []int32)
	rave   *rave   // nil if all moves as first are off
	priors *priors // nil if moves have no priors

	// The best game of role 0 in the last run, and the state of rng before its random moves.
	bestGoal float64
	bestLane int
	began    machine.Rand
}

// newPlayouts returns playouts on a wide batch if it takes at most the given bytes and playouts are used,
// else on a narrow batch.
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
		batch: b, rng: rng, words: len(m.Initial()), roles: roles,
		lanes:     min(lanes, b.Lanes()),
		states:    make([]uint64, b.Lanes()*len(m.Initial())),
		games:     play.NewLockstep(b),
		goals:     make([]int32, roles),
		evaluator: c.Evaluator, alone: c.estimatesAlone(),
		bytes: size + int64(b.Lanes()*len(m.Initial()))*8,
	}
	if c.Rave && !c.hasPriors() {
		p.rave = newRave(b, m.Names())
	}
	return p
}

// run makes the joint moves of the leaves, lists the legal moves of leaves to be opened, and plays the
// games out at random.
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
		}
	}
	if p.priors != nil {
		p.priors.evaluate(leaves)
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

// estimate adds the evaluations of leaves, whose positions are at the beginning of states.
func (p *playouts) estimate(leaves []leaf) {
	p.values = scratch.Resize(p.values, len(leaves)*p.roles)
	p.evaluator.Values(p.values, p.states[:len(leaves)*p.words])
	for i := range leaves {
		l := &leaves[i]
		if l.over {
			continue
		}
		if l.count, l.weight = 0, DefaultPlayouts; p.alone {
			l.count, l.weight = 1, 0 // counts as the playout
		}
		for r, v := range p.values[i*p.roles : (i+1)*p.roles] {
			l.goals[r] = v * (float64(l.count) + l.weight)
		}
	}
}

// set loads the leaves into the lanes, makes their joint moves, and returns the number of lanes in use.
func (p *playouts) set(leaves []leaf) int {
	n := max(p.lanes, len(leaves))
	for lane := range n {
		copy(p.states[lane*p.words:], leaves[lane%len(leaves)].from)
	}
	p.batch.Load(p.states, n)
	machine.Prepare(p.batch, n)
	for lane := range n {
		for r, m := range leaves[lane%len(leaves)].joint {
			p.batch.Choose(lane, machine.Role(r), m)
		}
	}
	p.advance(n)
	return n
}

// replay repeats the last run and returns the positions of one lane from the leaf to the end of the game.
// It returns nil if ctx ends.
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

// legal lists the legal moves of a position by role. It returns false if the game is over.
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

// over returns word i of the mask of finished lanes: terminal, or stuck because a role has no legal move.
func (p *playouts) over(i int) uint64 { return p.batch.Terminal()[i] | p.batch.Stuck()[i] }

// harvest adds the goals of the games that have just ended to their leaves.
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
			if g := float64(p.goals[0]); g > p.bestGoal && p.batch.Terminal()[i]>>uint(lane&63)&1 != 0 {
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
