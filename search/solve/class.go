package solve

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// Class is the class of a game as observed in playouts. It is not proved: searches check the properties that they
// assume.
type Class struct {
	Players         int     // number of roles without chance
	Chance          bool    // a role "random" has choices
	Simultaneous    bool    // two players choose simultaneously in some position
	ConstantSum     bool    // the sum of the players' goals is the same in all playouts
	Length          float64 // joint moves per game, mean
	Branching       float64 // joint moves per position, mean
	Playouts        int     // number of observed games
	StatesPerSecond float64 // speed of the playouts on one thread
}

// InTurns reports whether the game is sequential and has several players.
func (c Class) InTurns() bool { return c.Players > 1 && !c.Simultaneous }

// InMatrices reports whether the game has two players with opposite interests who choose simultaneously, and no chance.
func (c Class) InMatrices() bool {
	return c.Players == 2 && c.Simultaneous && c.ConstantSum && !c.Chance
}

// String returns a description of the class.
func (c Class) String() string {
	parts := []string{fmt.Sprintf("%d players", c.Players)}
	if c.Players == 1 {
		parts[0] = "single player"
	}
	add := func(is bool, yes, no string) {
		if is {
			parts = append(parts, yes)
		} else if no != "" {
			parts = append(parts, no)
		}
	}
	if c.Players > 1 {
		add(c.Simultaneous, "simultaneous moves", "turns")
		add(c.ConstantSum, "constant sum", "general sum")
	}
	add(c.Chance, "chance", "")
	return strings.Join(parts, ", ")
}

const (
	// classifyTime and classifyRounds bound the classification; a round is a batch of playouts. Rare positions may be
	// missed; searches detect them.
	classifyTime   = 300 * time.Millisecond
	classifyRounds = 16
	// classifyLanes is the number of lanes whose legal moves are counted in each round.
	classifyLanes = 8
)

// Classify returns the class of m by random games from its initial position, for at most classifyTime and at least one
// round of games. Properties such as turns and the sum are observed, not proved.
func Classify(ctx context.Context, m machine.Machine, seed uint64) Class {
	ctx, cancel := context.WithTimeout(ctx, classifyTime)
	defer cancel()
	p := newProbe(m, seed)
	for round := 0; round < classifyRounds && (round == 0 || ctx.Err() == nil); round++ {
		p.round(ctx)
	}
	return p.class()
}

// probe collects the observations of playouts.
type probe struct {
	machine machine.Machine
	batch   machine.Batch
	lanes   int
	rng     *machine.Rand
	players []machine.Role
	began   time.Time

	chance, simultaneous, sumVaries bool
	sum                             int32
	games, steps, states            int
	positions                       int
	joint                           float64 // sum of joint moves over positions
	goals                           []int32
	moves                           []machine.Move
}

func newProbe(m machine.Machine, seed uint64) *probe {
	batch := m.NewBatch()
	lanes := classifyLanes
	if m.Info().Parallel {
		lanes = batch.Lanes() // at the cost of one lane
	}
	return &probe{
		machine: m, batch: batch, lanes: lanes, rng: machine.NewRand(seed), players: m.Names().Players(), began: time.Now(),
		sum: -1, goals: make([]int32, len(m.Names().Roles)),
	}
}

// round plays a batch of games.
func (p *probe) round(ctx context.Context) {
	p.batch.Fill(p.machine.Initial(), nil)
	p.batch.Evaluate(p.lanes)
	play.NewLockstep(p.batch).Run(ctx, p.rng, p.lanes, func(step int, ended, playing []uint64) bool {
		for w := range ended {
			for lanes := ended[w]; lanes != 0; lanes &= lanes - 1 {
				p.ended(w<<6|bits.TrailingZeros64(lanes), step)
			}
			p.states += bits.OnesCount64(playing[w])
		}
		for lane := range classifyLanes {
			if playing[0]>>uint(lane)&1 != 0 {
				p.look(lane)
			}
		}
		return true
	})
}

// ended records a game that ended after a number of joint moves.
func (p *probe) ended(lane, steps int) {
	p.games++
	p.steps += steps
	p.batch.Goals(p.goals, lane)
	sum := int32(0)
	for _, r := range p.players {
		sum += search.Points(p.goals[r])
	}
	if p.sum < 0 {
		p.sum = sum
	}
	p.sumVaries = p.sumVaries || sum != p.sum
}

// look records the choices of all roles in a lane.
func (p *probe) look(lane int) {
	joint, choosers := 1.0, 0
	for r := range p.goals {
		p.moves = p.batch.AppendLegal(p.moves[:0], lane, machine.Role(r))
		joint *= float64(len(p.moves))
		switch {
		case len(p.moves) < 2:
		case machine.Role(r) == p.machine.Names().Chance():
			p.chance = true
		default:
			choosers++
		}
	}
	p.simultaneous = p.simultaneous || choosers > 1
	p.positions++
	p.joint += joint
}

func (p *probe) class() Class {
	return Class{
		Players: len(p.players), Chance: p.chance, Simultaneous: p.simultaneous, ConstantSum: !p.sumVaries, Playouts: p.games,
		Branching:       p.joint / float64(max(p.positions, 1)),
		Length:          float64(p.steps) / float64(max(p.games, 1)),
		StatesPerSecond: float64(p.states) / max(time.Since(p.began).Seconds(), 1e-6),
	}
}
