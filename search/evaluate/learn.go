package evaluate

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate/vector"
)

// Positions are fitted to the TD(λ) returns of their game (Sutton, 1988). They are drawn at random
// from a reservoir of recent positions, in random symmetric images, so a batch mixes many games. The reservoir holds
// positions from the view of the player to move (mirror.go).
// Later games change less, so the reservoir counts more of them as recent.
//
// Invariant: each position is evaluated before it is learnt from, by a network trained on other
// games only. So Progress.Correlation describes unseen games.
const (
	// lambda is λ. After 300 000 positions, 0.8 beats 1 by 10 (connect four) to 54 points, and 0.6 by 12
	// in reversi; from 0.7 to 0.9 no difference shows.
	lambda = 0.8
	// learningRate is Adam's first learning rate. 0.002 beats 0.004 by 2 to 8 points and 0.001 by up to
	// 12. The rate falls noticeably after constantSteps; with a constant rate, learning stops
	// (docs/lab/evaluation.md).
	learningRate  = 0.002
	constantSteps = 5000
	// fits is the mean number of fits of a position. At equal time 3 lose 2 to 7 points, and 1 gains
	// nothing.
	fits = 2
	// firstGrowth is the number of positions after which the network gets a second block. It gets block n+1 after n² times
	// as many (docs/lab/evaluation.md).
	firstGrowth = 16_000_000
)

const (
	// One in recentPart of all positions counts as recent, and at least leastRecent. The reservoir holds
	// at most mostRecent positions and reservoirBytes.
	recentPart     = 32
	leastRecent    = 1 << 14
	mostRecent     = 1 << 20
	reservoirBytes = 32 << 20
	// enoughToFit is the number of positions in the reservoir at which fitting starts.
	enoughToFit = 1 << 12

	defaultBytes = 64 << 20
	// refreshAfter is the number of fitted positions between updates of the evaluation in self-play.
	refreshAfter = 4096
)

// Config configures a learner.
type Config struct {
	Seed uint64
	// ConstantSum asserts that the goals of two players have the same sum in all games. If the
	// assertion is wrong, values of the second player are wrong by the difference.
	ConstantSum bool
	// Signals are the signals of the game; nil: none.
	Signals facts.Signals
	// Bytes bounds the games in progress; 0 means defaultBytes. All else takes up to 60 MB, and up to
	// 60 MB more for signals and for a network that has grown.
	Bytes int64
	// Threads is the number of goroutines of Learn: one learns and plays, the others play. 0 means 1,
	// for which learning is reproducible.
	Threads int
}

// ErrUnfit is returned for machines without a table of fluents, or with too many players or fluents.
var ErrUnfit = errors.New("no evaluation can be learnt for such a game")

// Progress describes the state of learning.
type Progress struct {
	Games     int64 `json:"games"`
	Positions int64 `json:"positions"`
	// Correlation, from -1 to 1, of evaluations with the outcomes of unseen games, over the last 20 000
	// positions, about.
	Correlation float64 `json:"correlation"`
}

// Learner learns an evaluation. It belongs to one goroutine.
type Learner struct {
	games   *selfPlay
	others  []*selfPlay // players in goroutines of their own, while Learn runs
	guide   atomic.Pointer[guide]
	trainer *trainer
	current Evaluation
	active  int // most fluents in a position so far
	fitted  int // positions since current was refreshed

	view    *view
	survey  *survey       // until the blocking fluents are known
	wide    int           // words of a position with signals
	inputs  vector.Inputs // true inputs of the position being fitted
	images  [][]int32     // by symmetry, then input
	pool    []uint64      // reservoir of positions, which the newest overwrite
	targets []float32     // targets of the positions in pool, by output
	room    int           // capacity of pool, in positions
	pooled  int           // positions so far

	progress Progress
	moments  moments
}

// New returns an untrained learner.
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
	if slices.ContainsFunc(l.view.signals, facts.Signal.IsThreat) {
		l.survey = newSurvey(l.view)
	}
	for i := range facts.Symmetries(m) {
		l.images = append(l.images, l.view.imagesSeen(&facts.Symmetries(m)[i]))
	}
	l.trainer = newTrainer(newNetwork(l.wide, l.view.inputs(), outputs, rng))
	l.current = Evaluation{players: players, roles: l.games.roles, sum: machine.MaxGoal, view: l.view, network: l.trainer.network}
	l.refresh()
	l.room = min(mostRecent, max(leastRecent, reservoirBytes/(8*l.wide+4*outputs)))
	l.pool, l.targets = make([]uint64, l.room*l.wide), make([]float32, l.room*outputs)
	return l, nil
}

// Learn plays and learns until ctx is done or games games are over (0 means no limit).
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

// BeginAt makes new games of self-play begin at a position, but one in initialPart, which begins at the initial position,
// so that the evaluation does not forget the rest of the game. A position in which the game is over has no effect.
func (l *Learner) BeginAt(s machine.State) {
	l.games.beginAt(s)
	for _, p := range l.others {
		p.beginAt(s)
	}
}

// networks is the number of copies of the network that a learner holds: in use, mean, gradient and two means of it.
const networks = 5

// Bytes returns the approximate memory of the learner when its network has grown.
func (l *Learner) Bytes() int64 {
	weights := int64(unsafe.Sizeof(vector.Floats{}))*networks + 2*int64(unsafe.Sizeof(vector.Shorts{}))
	bytes := 8*int64(len(l.pool)) + 4*int64(len(l.targets)) + weights*int64(l.trainer.maxBlocks()*l.trainer.rows())
	for _, p := range append([]*selfPlay{l.games}, l.others...) {
		bytes += p.machine.Info().Batch + 8*int64(len(p.states)) + int64(len(p.all)*longest*8*p.words)
	}
	return bytes
}

// Progress returns the present state of learning.
func (l *Learner) Progress() Progress {
	p := l.progress
	if l.moments.n > 0 { // else the loaded correlation stands
		p.Correlation = l.moments.correlation()
	}
	return p
}

// Evaluation returns an evaluation with the present mean weights.
func (l *Learner) Evaluation() *Evaluation {
	e := l.current
	e.network = l.trainer.mean()
	e.quantise(2 * l.active)
	return &e
}

// refresh publishes the present weights as the guide of self-play.
func (l *Learner) refresh() {
	l.fitted = 0
	l.current.quantise(2 * l.active)
	l.guide.Store(&guide{l.current, l.survey != nil})
}

// learn adds a game to the reservoir and fits positions of the reservoir.
func (l *Learner) learn(g PlayedGame) {
	n, outputs := len(g.States)/l.view.words, l.trainer.outputs
	if l.progress.Games++; l.progress.Games == 1 {
		l.current.sum = g.Sum
		l.refresh()
	}
	l.progress.Positions += int64(n)
	for i := range n - 1 {
		l.moments.add(float64(g.Values[i*outputs]), float64(g.Outcome[0]))
	}
	if l.survey != nil {
		if l.survey.game(g.States); l.survey.positions >= surveyPositions {
			l.view = l.survey.blocked()
			l.current.view, l.survey = l.view, nil
			l.refresh()
		}
		return
	}
	l.view.withSignals(g.States, func(seen []uint64) { l.store(seen, g.Values, slices.Clone(g.Outcome)) })
	if l.pooled < enoughToFit {
		return
	}
	l.grow()
	for range fits * n {
		l.fit((l.pooled - 1 - l.games.rng.Intn(l.recent())) % l.room)
	}
	if l.fitted += fits * n; l.fitted >= max(refreshAfter, 4*len(l.trainer.blocks)*l.trainer.rows()) {
		l.refresh()
	}
}

// grow adds blocks until the network is wide enough for the positions so far.
func (l *Learner) grow() {
	wanted := func(blocks int64) int64 { return firstGrowth * blocks * blocks }
	for l.progress.Positions >= wanted(int64(len(l.trainer.blocks))) && l.trainer.grow(l.view.inputs(), l.games.rng) {
	}
}

// recent returns the number of positions that fits draw from: the last ones of the reservoir.
func (l *Learner) recent() int {
	return min(l.pooled, l.room, max(leastRecent, l.pooled/recentPart))
}

// store adds the positions of a game to the reservoir with their TD(λ) targets. values are the
// estimates of all positions but the first, target is the outcome of the game; take overwrites it.
func (l *Learner) store(seen []uint64, values, target []float32) {
	outputs := len(target)
	for i := len(seen)/l.wide - 1; i >= 0; i-- {
		s := seen[i*l.wide : (i+1)*l.wide]
		l.active = max(l.active, count(s))
		at := l.pooled % l.room
		l.pooled++
		copy(l.targets[at*outputs:], target)
		if m := l.view.mirror; m.see(l.pool[at*l.wide:(at+1)*l.wide], s) {
			copy(l.targets[at*outputs:], l.imageOf(m.exchange, target))
		}
		if i > 0 {
			for o := range target {
				target[o] = lambda*target[o] + (1-lambda)*values[(i-1)*outputs+o]
			}
		}
	}
}

// fit trains the network on position i of the reservoir, or on a random symmetric image of it.
func (l *Learner) fit(i int) {
	outputs := l.trainer.outputs
	s, target := l.pool[i*l.wide:(i+1)*l.wide], l.targets[i*outputs:(i+1)*outputs]
	if k := l.games.rng.Intn(len(l.images) + 1); k == 0 {
		l.inputs.SetBits(s)
	} else {
		l.inputs.SetImages(s, l.images[k-1])
		if l.view.mirror == nil { // else the player to move gets as much
			target = l.imageOf(&facts.Symmetries(l.games.machine)[k-1], target)
		}
	}
	l.trainer.fit(&l.inputs, target)
}

// imageOf returns the targets of the symmetric image of a position.
func (l *Learner) imageOf(y *facts.Symmetry, target []float32) []float32 {
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

// moments are exponentially decaying moments of two quantities.
type moments struct{ n, x, y, xx, yy, xy float64 }

// memory is the effective number of pairs.
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

// correlation returns Pearson's correlation coefficient.
func (m *moments) correlation() float64 {
	vx, vy := m.xx*m.n-m.x*m.x, m.yy*m.n-m.y*m.y
	if vx <= 0 || vy <= 0 {
		return 0
	}
	return (m.xy*m.n - m.x*m.y) / math.Sqrt(vx*vy)
}
