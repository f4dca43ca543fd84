package evaluate

import (
	"math"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// drawnPart says how many moves are drawn in a position: so many for each one that is there, mostDraws at most. So the best
// one is among them in every second position, if there are no more than 32. With more draws, games are too much alike and too few, with
// fewer too badly played (docs/lab/evaluation.md).
const (
	drawnPart = 0.75
	mostDraws = 24
)

// longest is the most joint moves of a game: what goes on for longer is left out.
const longest = 400

// lanesPerGame: so many games are under way that a pass finds enough of them to move.
const lanesPerGame = 4

// games plays games in the lanes of a batch. In each position several moves are drawn at
// random (of machines with decisive moves, from those), each in a lane of its own, and the
// one is made whose successor an evaluation likes best for whoever chooses (ahead). So play is
// as random as the number of draws makes it, and costs a lane of a pass and an evaluation for each
// draw. Where several roles choose at once, or chance does, one move is drawn. Games for which no
// lanes are left wait for the next pass.
type games struct {
	machine machine.Machine
	batch   machine.Batch
	rng     *machine.Rand

	all     []game
	moving  []*game // those that are in lanes
	next    int     // the one that gets lanes first
	lanes   int     // in use
	words   int
	roles   int
	players []machine.Role
	states  []uint64    // by lane
	values  [][]float64 // by evaluation, then lane, then role
	goals   []int32
	moves   []machine.Move
	initial choice

	// ended is told of games that are over, and the lane in whose values the goals are.
	ended func(g *game, lane int)
	// made is told of joint moves after which the game goes on, and the lane of the
	// position.
	made func(g *game, lane int)
	// start sets up a game that begins.
	start func(g *game)
}

// game is one of those under way.
type game struct {
	states  []uint64  // positions, one after the other
	values  []float32 // of all but the first, by output
	opening int       // joint moves that are random at first
	choice            // in the last one
	side    []int     // by role: the evaluation that it follows

	first, end int // its lanes
}

// choice is what there is to choose in a position.
type choice struct {
	chooser machine.Role // the only player with a choice, or NoRole
	draws   int          // how many moves are drawn
}

// newGames prepares to play with so many evaluations.
func newGames(m machine.Machine, evaluations int, rng *machine.Rand, bytes int64) *games {
	p := &games{machine: m, batch: m.NewBatch(), rng: rng, words: m.Words(), roles: len(m.Names().Roles), players: m.Names().Players()}
	lanes := p.batch.Lanes()
	p.all = make([]game, max(1, min(lanes/lanesPerGame, int(bytes)/(longest*8*p.words))))
	p.states = make([]uint64, lanes*p.words)
	for range evaluations {
		p.values = append(p.values, make([]float64, lanes*p.roles))
	}
	p.goals = make([]int32, p.roles)
	p.batch.Evaluate(1) // of the initial position
	p.initial = p.choiceIn(0)
	return p
}

// restart begins a game anew.
func (p *games) restart(g *game) {
	g.states = append(g.states[:0], p.machine.Initial()...)
	g.values = g.values[:0]
	g.choice = p.initial
	p.start(g)
}

// last is the position in which a game is.
func (p *games) last(g *game) []uint64 { return g.states[len(g.states)-p.words:] }

// step makes a move in each game that has lanes.
func (p *games) step(evaluations ...*Evaluation) {
	b := p.batch
	p.place()
	b.Load(p.states, p.lanes)
	b.Evaluate(p.lanes)
	b.ChooseRandom(p.rng, p.lanes)
	b.Advance(p.lanes)
	b.Store(p.states, p.lanes)
	b.Evaluate(p.lanes)
	for k, e := range evaluations {
		e.Values(p.values[k], p.states[:p.lanes*p.words])
	}
	p.readGoals()
	p.readDecided(evaluations)
	terminal, stuck := b.Terminal(), b.Stuck()
	for _, g := range p.moving {
		lane := p.choose(g)
		word, bit := lane>>6, uint64(1)<<uint(lane&63)
		switch {
		case terminal[word]&bit != 0:
			p.ended(g, lane)
			p.restart(g)
		case stuck[word]&bit != 0 || len(g.states) >= longest*p.words:
			p.restart(g)
		default:
			g.states = append(g.states, p.states[lane*p.words:(lane+1)*p.words]...)
			g.choice = p.choiceIn(lane)
			p.made(g, lane)
		}
	}
}

// place gives games lanes for what they draw, as long as there are any.
func (p *games) place() {
	p.moving, p.lanes = p.moving[:0], 0
	for range p.all {
		g := &p.all[p.next]
		if len(g.states) == 0 {
			p.restart(g)
		}
		draws := g.draws
		if len(g.states)/p.words <= g.opening {
			draws = 1
		}
		if p.lanes+draws > p.batch.Lanes() {
			return
		}
		g.first, g.end = p.lanes, p.lanes+draws
		for ; p.lanes < g.end; p.lanes++ {
			copy(p.states[p.lanes*p.words:], p.last(g))
		}
		p.moving, p.next = append(p.moving, g), (p.next+1)%len(p.all)
	}
}

// readGoals puts the goals into the values of terminal positions.
func (p *games) readGoals() {
	terminal := p.batch.Terminal()
	for lane := range p.lanes {
		if terminal[lane>>6]>>uint(lane&63)&1 == 0 {
			continue
		}
		p.batch.Goals(p.goals, lane)
		for _, values := range p.values {
			for r, g := range p.goals {
				values[lane*p.roles+r] = float64(search.Points(g))
			}
		}
	}
}

// readDecided puts what two opponents get into the values of positions in which one of them wins for sure within two
// joint moves, if the machine knows of such. So nobody is led into what a sparing policy of decisive moves does not avoid.
func (p *games) readDecided(evaluations []*Evaluation) {
	if e := evaluations[0]; p.roles != 2 || len(e.players) != 2 || e.network.outputs != 1 {
		return
	}
	for r := range machine.Role(2) {
		goal, wins := p.batch.Wins(r)
		value := float64(search.Points(goal))
		for lane := range p.lanes {
			if wins[lane>>6]>>uint(lane&63)&1 == 0 {
				continue
			}
			for k, values := range p.values {
				values[2*lane+int(r)], values[2*lane+1-int(r)] = value, evaluations[k].rest(value)
			}
		}
	}
}

// choiceIn is what there is to choose in a lane, of the moves that are drawn from.
func (p *games) choiceIn(lane int) choice {
	c := choice{machine.NoRole, 1}
	for r := range machine.Role(p.roles) {
		p.moves = p.batch.AppendSensible(p.moves[:0], lane, r)
		if len(p.moves) < 2 {
			continue
		}
		if c.chooser != machine.NoRole || r == p.machine.Names().Chance() {
			return choice{machine.NoRole, 1}
		}
		c = choice{r, min(int(math.Ceil(drawnPart*float64(len(p.moves)))), mostDraws)}
	}
	return c
}

// choose picks one of the lanes of a game.
func (p *games) choose(g *game) int {
	best := g.first
	if g.end == best+1 {
		return best
	}
	values, r := p.values[g.side[g.chooser]], int(g.chooser)
	most := p.ahead(values, best, r)
	for lane := best + 1; lane < g.end; lane++ {
		if a := p.ahead(values, lane, r); a > most {
			best, most = lane, a
		}
	}
	return best
}

// ahead is what a lane is worth to role r, by values: its own goal and, of two players, less that
// of the other one, whatever their sum. Where both may get much, those who go for their own goal alone
// learn nothing of defence; and as moves are chosen that look best, what is learnt from them grows
// without end where it does not take from the other one what it gives (docs/lab/evaluation.md).
func (p *games) ahead(values []float64, lane, r int) float64 {
	own := values[lane*p.roles+r]
	if len(p.players) != 2 {
		return own
	}
	other := int(p.players[0]+p.players[1]) - r
	return own - values[lane*p.roles+other]
}
