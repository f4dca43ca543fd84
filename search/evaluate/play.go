package evaluate

import (
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// drawnPart is the number of moves drawn in a position, as a share of the legal moves; mostDraws is the
// maximum. So the best of up to 32 moves is drawn in every second position. More draws make games too
// similar and too few, fewer draws make them too weak (docs/lab/evaluation.md).
const (
	drawnPart = 0.75
	mostDraws = 24
)

// initialPart: after beginAt one in initialPart games begins at the initial position.
const initialPart = 4

// longest is the maximum length of a game in joint moves; longer games are dropped.
const longest = 400

// lanesPerGame is the number of lanes for each game in progress: with 2 passes are full (docs/lab/evaluation.md).
const lanesPerGame = 2

// games plays games in the lanes of a batch. In each position it draws several random moves with
// replacement (on machines with decisive moves, random sensible moves) and makes the drawn move whose
// successor has the highest value for the choosing role (ahead). The number of draws sets the randomness
// of play; each different move costs one lane of a pass and one evaluation. Where two players choose at once, it plays
// the equilibrium of a small matrix (matrices.go). Where more roles or chance move at once, it draws one joint move. Games
// without lanes wait for the next pass.
type games struct {
	machine machine.Machine
	batch   machine.Batch
	able    machine.Foreseeing // the batch, or nil if it is not Foreseeing
	rng     *machine.Rand

	all     []game
	moving  []*game // games with lanes in this pass
	next    int     // index of the first game to get lanes
	lanes   int     // in use
	words   int
	roles   int
	players []machine.Role
	states  []uint64    // by lane
	values  [][]float64 // by evaluation, then lane, then role
	goals   []int32
	initial origin           // the initial position
	present *origin          // the position where most games begin; nil before beginAt
	moves   [][]machine.Move // the sensible moves of a position that has just been reached, by role
	matrices

	// ended is called at the end of a game; the values of lane are the goals.
	ended func(g *game, lane int)
	// made is called after a joint move that does not end the game; lane holds the new position.
	made func(g *game, lane int)
	// start sets up a new game.
	start func(g *game)
}

// game is a game in progress.
type game struct {
	states  []uint64  // consecutive positions
	values  []float32 // estimates of all positions but the first, by output
	opening int       // number of random joint moves at the beginning
	side    []int     // by role: the evaluation that it follows

	chooser machine.Role   // the only player with a choice in the last position, or NoRole
	drawn   []machine.Move // different joint moves, by role
	columns int            // of the matrix of drawn, if both players choose at once; else 0

	first, end int // range of its lanes, one for each joint move
}

// newGames allocates games played by the given number of evaluations.
func newGames(m machine.Machine, evaluations int, rng *machine.Rand, bytes int64) *games {
	p := &games{machine: m, batch: m.NewBatch(), rng: rng, words: len(m.Initial()), roles: len(m.Names().Roles), players: m.Names().Players()}
	p.able, _ = machine.As[machine.Foreseeing](p.batch)
	lanes := p.batch.Lanes()
	p.all = make([]game, max(1, min(lanes/lanesPerGame, int(bytes)/(longest*8*p.words))))
	p.states = make([]uint64, lanes*p.words)
	for range evaluations {
		p.values = append(p.values, make([]float64, lanes*p.roles))
	}
	p.goals, p.moves = make([]int32, p.roles), make([][]machine.Move, p.roles)
	p.initial, _ = p.originAt(m.Initial())
	return p
}

// origin is a position where games begin.
type origin struct {
	state machine.State
	moves [][]machine.Move // the sensible moves, by role
}

// originAt returns the origin at a position, and whether the game goes on there.
func (p *games) originAt(s machine.State) (origin, bool) {
	o := origin{slices.Clone(s), make([][]machine.Move, p.roles)}
	p.batch.Load(s, 1)
	p.batch.Evaluate(1)
	p.readMoves(o.moves, 0)
	return o, (p.batch.Terminal()[0]|p.batch.Stuck()[0])&1 == 0
}

// beginAt makes new games begin at a position, but one in initialPart, which begins at the initial position. A
// position in which the game is over has no effect.
func (p *games) beginAt(s machine.State) {
	if o, goesOn := p.originAt(s); goesOn {
		p.present = &o
	}
}

// nextOrigin draws the position where the next game begins.
func (p *games) nextOrigin() *origin {
	if p.present == nil || p.rng.Intn(initialPart) == 0 {
		return &p.initial
	}
	return p.present
}

// restart begins a new game in g.
func (p *games) restart(g *game) {
	from := p.nextOrigin()
	g.states = append(g.states[:0], from.state...)
	g.values = g.values[:0]
	p.start(g)
	p.draw(g, from.moves)
}

// last returns the present position of a game.
func (p *games) last(g *game) []uint64 { return g.states[len(g.states)-p.words:] }

// step makes a move in each game that has lanes.
func (p *games) step(evaluations ...*Evaluation) {
	b := p.batch
	p.assignLanes()
	b.Load(p.states, p.lanes)
	machine.Prepare(b, p.lanes)
	p.chooseDrawn()
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
			p.readMoves(p.moves, lane)
			p.draw(g, p.moves)
			p.made(g, lane)
		}
	}
}

// assignLanes assigns lanes to games for their drawn moves, as long as lanes are free.
func (p *games) assignLanes() {
	p.moving, p.lanes = p.moving[:0], 0
	for range p.all {
		g := &p.all[p.next]
		if len(g.states) == 0 {
			p.restart(g)
		}
		g.first, g.end = p.lanes, p.lanes+len(g.drawn)/p.roles
		if g.end > p.batch.Lanes() {
			return
		}
		for ; p.lanes < g.end; p.lanes++ {
			copy(p.states[p.lanes*p.words:], p.last(g))
		}
		p.moving, p.next = append(p.moving, g), (p.next+1)%len(p.all)
	}
}

// chooseDrawn chooses a drawn joint move in each lane.
func (p *games) chooseDrawn() {
	for _, g := range p.moving {
		for i, move := range g.drawn {
			if move != machine.NoMove {
				p.batch.Choose(g.first+i/p.roles, machine.Role(i%p.roles), move)
			}
		}
	}
}

// readGoals overwrites the values of terminal positions with the goals.
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

// readDecided overwrites the values of two opponents where one of them wins for sure within two joint
// moves, if the machine detects such wins. So play avoids losses that a policy with few decisive moves
// overlooks.
func (p *games) readDecided(evaluations []*Evaluation) {
	if e := evaluations[0]; p.able == nil || p.roles != 2 || len(e.players) != 2 || e.network.outputs != 1 {
		return
	}
	for r := range machine.Role(2) {
		goal, wins := p.able.Wins(r)
		value := float64(search.Points(goal))
		for lane := range p.lanes {
			if wins[lane>>6]>>uint(lane&63)&1 == 0 {
				continue
			}
			for k, values := range p.values {
				values[2*lane+int(r)], values[2*lane+1-int(r)] = value, evaluations[k].opponentValue(value)
			}
		}
	}
}

// readMoves writes the moves in a lane that ChooseRandom draws from, by role.
func (p *games) readMoves(moves [][]machine.Move, lane int) {
	for r := range moves {
		if p.able != nil {
			moves[r] = p.able.AppendSensible(moves[r][:0], lane, machine.Role(r))
		} else {
			moves[r] = p.batch.AppendLegal(moves[r][:0], lane, machine.Role(r))
		}
	}
}

// draw draws joint moves in the last position of a game, with the given moves by role.
func (p *games) draw(g *game, moves [][]machine.Move) {
	g.chooser, g.drawn, g.columns = p.chooserOf(moves), g.drawn[:0], 0
	draws, opens := 1, len(g.states)/p.words <= g.opening
	if !opens && p.atOnce(moves) {
		p.drawMatrix(g, moves)
		return
	}
	if g.chooser != machine.NoRole && !opens {
		draws = min(int(math.Ceil(drawnPart*float64(len(moves[g.chooser])))), mostDraws)
	}
	for range draws {
		joint := len(g.drawn)
		for _, of := range moves {
			move := machine.NoMove // if the initial position is terminal
			if len(of) > 0 {
				move = of[p.rng.Intn(len(of))]
			}
			g.drawn = append(g.drawn, move)
		}
		for other := 0; other < joint; other += p.roles {
			if g.drawn[other+int(g.chooser)] == g.drawn[joint+int(g.chooser)] {
				g.drawn = g.drawn[:joint]
				break
			}
		}
	}
}

// chooserOf returns the only player with several moves, or NoRole.
func (p *games) chooserOf(moves [][]machine.Move) machine.Role {
	chooser := machine.NoRole
	for r, of := range moves {
		switch {
		case len(of) < 2:
		case chooser != machine.NoRole || machine.Role(r) == p.machine.Names().Chance():
			return machine.NoRole
		default:
			chooser = machine.Role(r)
		}
	}
	return chooser
}

// choose returns the lane of the best move of a game.
func (p *games) choose(g *game) int {
	p.expected = p.expected[:0]
	if g.columns > 0 {
		return p.chooseMixed(g)
	}
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

// ahead returns the value of a lane for role r: its goal or, with two players, its goal minus the
// opponent's, also in general-sum games. There, training on one's own goal ignores defence and diverges;
// the difference of goals does not (docs/lab/evaluation.md).
func (p *games) ahead(values []float64, lane, r int) float64 {
	own := values[lane*p.roles+r]
	if len(p.players) != 2 {
		return own
	}
	other := int(p.players[0]+p.players[1]) - r
	return own - values[lane*p.roles+other]
}
