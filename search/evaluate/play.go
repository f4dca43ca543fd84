package evaluate

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// draws is how many moves are drawn in each position. With 8, an evaluation learnt from
// 300 000 positions beats those learnt with 4, by 0 to 10 points in duels; 2 and 16 lose to 4
// in reversi and breakthrough.
const draws = 8

// longest is the most joint moves of a game: what goes on for longer is left out.
const longest = 400

// games plays games in the lanes of a batch. In each position several moves are drawn at
// random (of machines with decisive moves, from those), each in a lane of its own, and the
// one is made whose successor an evaluation likes best for whoever chooses (ahead). So play is
// as random as the number of draws makes it, and costs a pass of the machine and an
// evaluation for each draw. Where several roles choose at once, or chance does, the first
// draw is made.
type games struct {
	machine machine.Machine
	batch   machine.Batch
	rng     *machine.Rand

	all     []game
	lanes   int
	words   int
	roles   int
	players []machine.Role
	states  []uint64    // by lane
	values  [][]float64 // by evaluation, then lane, then role
	goals   []int32
	legal   []machine.Move

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
	states  []uint64     // positions, one after the other
	values  []float32    // of all but the first, by output
	opening int          // joint moves that are random at first
	chooser machine.Role // the only player with a choice, or NoRole
	side    []int        // by role: the evaluation that it follows
}

// newGames prepares to play with so many evaluations.
func newGames(m machine.Machine, evaluations int, rng *machine.Rand, bytes int64) *games {
	p := &games{machine: m, batch: m.NewBatch(), rng: rng, words: m.Words(), roles: len(m.Names().Roles), players: m.Names().Players()}
	n := max(1, min(p.batch.Lanes()/draws, int(bytes)/(longest*8*p.words)))
	p.all, p.lanes = make([]game, n), n*draws
	p.states = make([]uint64, p.batch.Lanes()*p.words)
	for range evaluations {
		p.values = append(p.values, make([]float64, p.lanes*p.roles))
	}
	p.goals = make([]int32, p.roles)
	return p
}

// restart begins a game anew.
func (p *games) restart(g *game) {
	g.states = append(g.states[:0], p.machine.Initial()...)
	g.values = g.values[:0]
	p.start(g)
}

// last is the position in which a game is.
func (p *games) last(g *game) []uint64 { return g.states[len(g.states)-p.words:] }

// step makes a move in each game.
func (p *games) step(evaluations ...*Evaluation) {
	b := p.batch
	for i := range p.all {
		g := &p.all[i]
		if len(g.states) == 0 {
			p.restart(g)
		}
		for k := range draws {
			copy(p.states[(i*draws+k)*p.words:], p.last(g))
		}
	}
	b.Load(p.states, p.lanes)
	b.Evaluate(p.lanes)
	for i := range p.all {
		p.all[i].chooser = p.whoChooses(i * draws)
	}
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
	for i := range p.all {
		g := &p.all[i]
		lane := p.choose(g, i*draws)
		word, bit := lane>>6, uint64(1)<<uint(lane&63)
		switch {
		case terminal[word]&bit != 0:
			p.ended(g, lane)
			p.restart(g)
		case stuck[word]&bit != 0 || len(g.states) >= longest*p.words:
			p.restart(g)
		default:
			g.states = append(g.states, p.states[lane*p.words:(lane+1)*p.words]...)
			p.made(g, lane)
		}
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

// whoChooses is the only player with a choice in a lane, or NoRole.
func (p *games) whoChooses(lane int) machine.Role {
	chooser := machine.NoRole
	for r := range machine.Role(p.roles) {
		p.legal = p.batch.AppendLegal(p.legal[:0], lane, r)
		if len(p.legal) < 2 {
			continue
		}
		if chooser != machine.NoRole || r == p.machine.Names().Chance() {
			return machine.NoRole
		}
		chooser = r
	}
	return chooser
}

// choose picks one of the lanes of a game.
func (p *games) choose(g *game, first int) int {
	best, r := first, int(g.chooser)
	if g.chooser == machine.NoRole || len(g.states)/p.words <= g.opening {
		return best
	}
	values := p.values[g.side[r]]
	most := p.ahead(values, first, r)
	for lane := first + 1; lane < first+draws; lane++ {
		if a := p.ahead(values, lane, r); a > most {
			best, most = lane, a
		}
	}
	return best
}

// ahead is what a lane is worth to role r, by values: its own goal and, of two players, less that
// of the other one, whatever their sum. Where both may get much, those who go for their own goal alone
// learn nothing of defence; and as moves are chosen that look best, what is learnt from them grows
// without end where it does not take from the other one what it gives (README).
func (p *games) ahead(values []float64, lane, r int) float64 {
	own := values[lane*p.roles+r]
	if len(p.players) != 2 {
		return own
	}
	other := int(p.players[0]+p.players[1]) - r
	return own - values[lane*p.roles+other]
}
