package evaluate

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/search/evaluate/vector"
)

// Positions are fitted to TD(λ) returns of their game (Sutton, 1988) and, in random
// symmetric images, picked at random from a reservoir of recent ones, so that a batch of
// the fit is one of many games. The longer games are played, the less they change, and the more
// of them count as recent.
//
// Invariant: a position is evaluated by what was learnt from other games only, before
// it is learnt from; so Progress.Correlation speaks of unseen games.
const (
	// lambda is λ. At 300 000 positions, 1 loses to it by 10 (connect four) to 54 points,
	// 0.6 by 12 in reversi; from 0.7 to 0.9 nothing shows.
	lambda = 0.8
	// learningRate is that of Adam at first. 0.004 loses to it by 2 to 8 points, 0.001 by up to 12.
	// It falls noticeably after constantSteps; a rate that stays the same stops learning
	// (docs/lab/evaluation.md).
	learningRate  = 0.002
	constantSteps = 5000
	// fits is how often a position is fitted, on average. At equal time 3 are worse, by 2
	// to 7 points, and 1 is no better.
	fits = 2
	// openingShare: so many of the moves of a game, at most and about, are random at its
	// beginning.
	openingShare = 0.1
)

const (
	// Recent positions are one in recentPart of all, and so many at least; more than mostRecent, or than
	// reservoirBytes are enough for, are not kept.
	recentPart     = 32
	leastRecent    = 1 << 14
	mostRecent     = 1 << 20
	reservoirBytes = 32 << 20
	// enoughToFit is the number of positions from which on is learnt.
	enoughToFit = 1 << 12

	defaultBytes = 64 << 20
	// refreshAfter positions fitted the evaluation that chooses moves is made anew.
	refreshAfter = 4096
)

// Config says what to learn for.
type Config struct {
	Seed uint64
	// ConstantSum tells that the goals of two players add up to the same in all games.
	// Where they do not, what is learnt for the second one is wrong by as much.
	ConstantSum bool
	// Signals are those of the game, nil if there are none.
	Signals machine.Signals
	// Bytes bounds the games under way; zero means defaultBytes. The rest takes 60 MB at
	// most, and as much again for signals.
	Bytes int64
	// Threads is how many goroutines Learn uses: all but one play games, from which that one learns. Zero means one,
	// with which learning is reproducible.
	Threads int
}

// ErrUnfit is returned for machines that there is nothing to learn for: those without a
// table of fluents, of too many players or fluents.
var ErrUnfit = errors.New("no evaluation can be learnt for such a game")

// Progress is how far learning has come.
type Progress struct {
	Games     int64 `json:"games"`
	Positions int64 `json:"positions"`
	// Correlation, from -1 to 1, of evaluations with the outcomes of unseen games, over
	// the last thousands of positions.
	Correlation float64 `json:"correlation"`
	// Length is the mean of their games, in joint moves.
	Length float64 `json:"length"`
}

// Learner learns an evaluation. It belongs to one goroutine.
type Learner struct {
	games   *selfPlay
	others  []*selfPlay // in goroutines of their own, while Learn runs
	guide   atomic.Pointer[guide]
	trainer *trainer
	current Evaluation
	active  int // most fluents in a position so far
	fitted  int // positions since current was made

	view    *view
	sights  *sights       // as long as it is being found out what blocks threats
	wide    int           // words of a position as the network sees it
	inputs  vector.Inputs // of the position that is fitted
	images  [][]int32     // by symmetry: those of inputs
	pool    []uint64      // reservoir of positions, which the newest overwrite
	targets []float32     // their targets, by output
	room    int           // positions in pool
	pooled  int           // positions so far

	progress Progress
	moments  moments
}

// New makes a learner that knows nothing yet.
func New(m machine.Machine, c Config) (*Learner, error) {
	names := m.Names()
	players := names.Players()
	if fluents := len(names.Fluents); fluents == 0 || fluents > maxFluents || len(players) > maxOutputs {
		return nil, ErrUnfit
	}
	outputs := len(players)
	if outputs == 2 && c.ConstantSum {
		outputs = 1
	}
	if c.Bytes == 0 {
		c.Bytes = defaultBytes
	}
	rng, threads := machine.NewRand(c.Seed), max(1, c.Threads)
	l := &Learner{view: newView(m, c.Signals), active: 1}
	l.games = newSelfPlay(m, rng, min(c.Bytes, defaultBytes)/int64(threads), &l.guide, l.learn)
	for i := 1; i < threads; i++ {
		l.others = append(l.others, newSelfPlay(m, machine.NewRand(c.Seed+uint64(i)), min(c.Bytes, defaultBytes)/int64(threads), &l.guide, nil))
	}
	l.wide = l.view.wide()
	if slices.ContainsFunc(l.view.signals, machine.Signal.IsThreat) {
		l.sights = newSights(l.view)
	}
	for i := range m.Symmetries() {
		l.images = append(l.images, l.view.images(&m.Symmetries()[i]))
	}
	l.trainer = newTrainer(newNetwork(l.wide, l.view.inputs(), outputs, rng))
	l.current = Evaluation{players: players, roles: l.games.roles, sum: machine.MaxGoal, view: l.view, network: l.trainer.network}
	l.refresh()
	l.room = min(mostRecent, max(leastRecent, reservoirBytes/(8*l.wide+4*outputs)))
	l.pool, l.targets = make([]uint64, l.room*l.wide), make([]float32, l.room*outputs)
	return l, nil
}

// Learn learns until ctx is done or so many games are over (0 means no limit).
func (l *Learner) Learn(ctx context.Context, games int64) {
	played, end := l.playAside(ctx)
	defer end()
	for until := l.progress.Games + games; ctx.Err() == nil && (games == 0 || l.progress.Games < until); {
		select {
		case g := <-played:
			l.learn(g)
		default:
			l.games.step()
		}
	}
}

// Progress tells how far learning has come.
func (l *Learner) Progress() Progress {
	p := l.progress
	if l.moments.n > 0 { // else what was loaded says
		p.Correlation = l.moments.correlation()
	}
	return p
}

// Evaluation is what was learnt so far.
func (l *Learner) Evaluation() *Evaluation {
	e := l.current
	n := l.trainer.mean.clone()
	e.network, e.correlation = &n, l.Progress().Correlation
	e.quantise(2 * l.active)
	return &e
}

// refresh makes anew what games are played by.
func (l *Learner) refresh() {
	l.fitted = 0
	l.current.quantise(2 * l.active)
	e := l.current
	e.network = &network{e.network.outputs, e.network.in, slices.Clone(e.network.out)}
	l.guide.Store(&guide{e, l.progress.Length, l.sights != nil})
}

// learn learns from a game.
func (l *Learner) learn(g PlayedGame) {
	n, outputs := len(g.States)/l.view.words, l.trainer.outputs
	if l.progress.Games++; l.progress.Games == 1 {
		l.current.sum = g.Sum
		l.refresh()
	}
	l.progress.Positions += int64(n)
	l.progress.Length += (float64(n) - l.progress.Length) / float64(min(l.progress.Games, 1000))
	for i := range n - 1 {
		l.moments.add(float64(g.Values[i*outputs]), float64(g.Outcome[0]))
	}
	if l.sights != nil {
		if l.sights.game(g.States); l.sights.positions >= sightings {
			l.view = l.sights.blocked()
			l.current.view, l.sights = l.view, nil
			l.refresh()
		}
		return
	}
	l.view.look(g.States, func(seen []uint64) { l.take(seen, g.Values, slices.Clone(g.Outcome)) })
	if l.pooled < enoughToFit {
		return
	}
	for range fits * n {
		l.fit((l.pooled - 1 - l.games.rng.Intn(l.recent())) % l.room)
	}
	if l.fitted += fits * n; l.fitted >= max(refreshAfter, 4*len(l.trainer.in)) {
		l.refresh()
	}
}

// recent is how many of the positions in the reservoir are learnt from, those that came last.
func (l *Learner) recent() int {
	return min(l.pooled, l.room, max(leastRecent, l.pooled/recentPart))
}

// take takes the positions of a game into the reservoir: what they are worth was thought to
// be values, of all but the first, and turned out to be target.
func (l *Learner) take(seen []uint64, values, target []float32) {
	outputs := len(target)
	for i := len(seen)/l.wide - 1; i >= 0; i-- {
		s := seen[i*l.wide : (i+1)*l.wide]
		l.active = max(l.active, count(s))
		at := l.pooled % l.room
		l.pooled++
		copy(l.pool[at*l.wide:], s)
		copy(l.targets[at*outputs:], target)
		if i > 0 {
			for o := range target {
				target[o] = lambda*target[o] + (1-lambda)*values[(i-1)*outputs+o]
			}
		}
	}
}

// fit moves the network towards a position of the reservoir, or a symmetric image of it.
func (l *Learner) fit(i int) {
	outputs := l.trainer.outputs
	s, target := l.pool[i*l.wide:(i+1)*l.wide], l.targets[i*outputs:(i+1)*outputs]
	if k := l.games.rng.Intn(len(l.images) + 1); k == 0 {
		l.inputs.Of(s)
	} else {
		l.inputs.OfImages(s, l.images[k-1])
		target = l.imageOf(&l.games.machine.Symmetries()[k-1], target)
	}
	l.trainer.fit(&l.inputs, target)
}

// imageOf are the targets of the image of a position.
func (l *Learner) imageOf(y *machine.Symmetry, target []float32) []float32 {
	players := l.current.players
	if len(target) < len(players) {
		if y.Roles[players[0]] == players[0] {
			return target
		}
		return []float32{float32(l.current.sum/100) - target[0]}
	}
	image := make([]float32, len(target))
	for i, r := range players {
		image[slices.Index(players, y.Roles[r])] = target[i]
	}
	return image
}

func count(s []uint64) int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// moments are those of two quantities, of which the older ones count less and less.
type moments struct{ n, x, y, xx, yy, xy float64 }

// memory is the number of pairs that count, about.
const memory = 20_000

func (m *moments) add(x, y float64) {
	const keep = 1 - 1./memory
	m.n = keep*m.n + 1
	m.x = keep*m.x + x
	m.y = keep*m.y + y
	m.xx = keep*m.xx + x*x
	m.yy = keep*m.yy + y*y
	m.xy = keep*m.xy + x*y
}

// correlation is that of Pearson.
func (m *moments) correlation() float64 {
	vx, vy := m.xx*m.n-m.x*m.x, m.yy*m.n-m.y*m.y
	if vx <= 0 || vy <= 0 {
		return 0
	}
	return (m.xy*m.n - m.x*m.y) / math.Sqrt(vx*vy)
}
