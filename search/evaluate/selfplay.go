package evaluate

import (
	"context"
	"sync"
	"sync/atomic"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// guide configures the play of games. It is immutable.
type guide struct {
	evaluation Evaluation
	random     bool // all moves are random, to sample positions
}

// selfPlay plays games by the latest guide of a learner. It belongs to one goroutine.
type selfPlay struct {
	*games
	latest *atomic.Pointer[guide]
	now    *guide
	over   func(PlayedGame) // called with each finished game, whose memory is reused afterwards
}

func newSelfPlay(m machine.Machine, rng *machine.Rand, bytes int64, latest *atomic.Pointer[guide], over func(PlayedGame)) *selfPlay {
	p := &selfPlay{games: newGames(m, 1, rng, bytes), latest: latest, over: over}
	p.start, p.made, p.ended = p.begin, p.goOn, p.end
	return p
}

// step makes a move in each game.
func (p *selfPlay) step() {
	p.now = p.latest.Load()
	p.games.step(&p.now.evaluation)
}

// begin sets up a game. Every second game begins with a random joint move. Without such games an evaluation is worse by up to
// 27 points, and longer openings gain nothing (docs/lab/constants.md).
func (p *selfPlay) begin(g *game) {
	g.side = make([]int, p.roles)
	if g.opening = p.rng.Intn(2); p.now.random {
		g.opening = longest
	}
}

func (p *selfPlay) goOn(g *game, lane int) {
	values := p.values[0][lane*p.roles : (lane+1)*p.roles]
	if len(p.expected) > 0 {
		values = p.expected
	}
	g.values = append(g.values, p.outputs(values)...)
}

func (p *selfPlay) end(g *game, lane int) {
	sum, goals := 0.0, p.values[0][lane*p.roles:(lane+1)*p.roles]
	for _, r := range p.players {
		sum += goals[r]
	}
	p.over(PlayedGame{g.states, g.values, p.outputs(goals), sum})
}

// outputs returns values, by role, in the order and scale of the network's outputs.
func (p *selfPlay) outputs(values []float64) []float32 {
	outputs := make([]float32, 0, maxOutputs)
	for _, r := range p.players[:p.now.evaluation.network.outputs] {
		outputs = append(outputs, float32(values[r]/100))
	}
	return outputs
}

// waitingGames is the maximum number of games queued for learning: about as many as one pass ends.
const waitingGames = 128

// playAside lets the other players play until end is called. end panics if one of them panicked.
func (l *Learner) playAside(ctx context.Context) (played <-chan PlayedGame, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	games, faults := make(chan PlayedGame, waitingGames), make([]error, len(l.others))
	var group sync.WaitGroup
	for i, p := range l.others {
		p.over = func(g PlayedGame) {
			select {
			case games <- g.clone():
			case <-ctx.Done():
			}
		}
		group.Go(func() {
			faults[i] = guard.Do(func() error {
				for ctx.Err() == nil {
					p.step()
				}
				return nil
			})
		})
	}
	return games, func() {
		cancel()
		group.Wait()
		for _, err := range faults {
			if err != nil {
				panic(err)
			}
		}
	}
}
