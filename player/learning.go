package player

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/gdl"
	"stackmate/gdl/canonical"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/bestfirst"
	"stackmate/search/evaluate"
	"stackmate/search/solve"
)

// decisionShare is the share of a move's playouts that decide between the moves of a node in the tree. It matters where
// a move has few playouts (docs/lab/evaluation.md).
const decisionShare = 1. / 500

// newLearner returns the learner of an evaluation. It returns nil where no search uses one (Learnable), and where time
// or memory is over.
func (t *thinker) newLearner(ctx context.Context) *evaluate.Learner {
	memory := t.memory.share()
	if !t.has(learning) || !Learnable(t.class, t.machine) || memory == 0 || ctx.Err() != nil {
		return nil
	}
	config := evaluate.Config{Seed: t.seed, ConstantSum: t.class.ConstantSum, Bytes: memory, Threads: t.threads}
	short, cancel := factTime.begin(ctx)
	config.Signals = facts.SignalsOf(short, t.machine)
	cancel()
	m := t.machine
	if t.class.InTurns() {
		m = t.playouts(ctx, m)
	}
	if l := t.recall(m, config); l != nil {
		return l
	}
	l, err := evaluate.New(m, config)
	if err != nil {
		t.log.Info().Err(err).Msg("learning")
		return nil
	}
	return l
}

// widestAtOnce is the maximum mean number of joint moves of games in which a best-first search uses an evaluation: matrices
// of 64×64. Wider games were not measured.
const widestAtOnce = 64 * 64

// Learnable reports whether a search uses a learnt evaluation of a game of class c: a game of turns, or of two opponents who
// choose at once.
func Learnable(c solve.Class, m machine.Machine) bool {
	return c.InTurns() || c.InMatrices() && bestfirst.Fits(m) && c.Branching <= widestAtOnce
}

// learn trains an evaluation. It returns nil without a learner (newLearner) or a game.
//
// In many games an evaluation can be trained within seconds. As leaf evaluation it is much stronger than playouts. In
// others, such as parity games, it is much weaker (docs/lab/evaluation.md). So half of the start clock goes into training.
// The measured quality of the evaluation decides how it is used (approachBy). A learner whose evaluation is used goes on in
// the rest of the start clock and in the opponents' time (pupil.go).
func (t *thinker) learn(ctx context.Context) *evaluate.Evaluation {
	most := half
	if !t.class.InTurns() {
		most = quarter
	}
	short, cancel := most.begin(ctx) // with the time that newLearner takes
	defer cancel()
	l := t.newLearner(ctx)
	if l == nil {
		return nil
	}
	before, began := l.Progress().Positions, time.Now()
	t.runLearner(l, short, 0)
	p := l.Progress()
	rate := float64(p.Positions-before) / max(time.Since(began), 1).Seconds()
	t.log.Info().Int64("games", p.Games).Float64("correlation", p.Correlation).Msg("learning")
	if p.Games == 0 {
		return nil
	}
	t.keep(l)
	weighing, end := quarter.begin(ctx)
	defer end()
	l.Weigh(weighing, decisionShare*t.playoutsIn(t.playClock()))
	e := l.Evaluation()
	t.log.Info().Float64("share", e.Share()).Msg("share of the evaluation in the best blend with playouts")
	t.enrol(l, e, rate)
	return e
}

// playouts returns the machine whose random moves playouts make: they prefer decisive moves where the machine finds them.
func (g *subject) playouts(ctx context.Context, m machine.Machine) machine.Machine {
	if g.hasDecisive {
		return cmp.Or(facts.Decisive(ctx, m, !g.class.InTurns()), m)
	}
	return m
}

// knowledge locates the stored evaluation of a game.
type knowledge struct {
	file  string // "" if there is none
	rules evaluate.Rules
}

// damagedSuffix is appended to the name of an unreadable file before a new file is written.
const damagedSuffix = ".damaged"

// KnowledgeFile returns the name of the file with the evaluation of a game, however its names are spelled.
func KnowledgeFile(game *canonical.Form) string { return game.Digest() + ".learnt" }

// knowledge returns the location of the stored evaluation of a game.
func (p *Player) knowledge(g *gdl.Game) knowledge {
	if p.options.Knowledge == "" {
		return knowledge{}
	}
	form := canonical.New(g)
	return knowledge{filepath.Join(p.options.Knowledge, KnowledgeFile(form)), form}
}

// keep saves the evaluation for later matches, unless the file is from more games or cannot be read.
// Of two players that save at the same time the later one wins.
func (t *thinker) keep(l *evaluate.Learner) {
	k := t.knowledge
	if k.file == "" {
		return
	}
	known, err := evaluate.Learnt(k.file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && known.Games < l.Progress().Games {
		err = l.Save(k.file, k.rules)
	}
	if err != nil {
		t.log.Warn().Err(err).Msg("the evaluation is not saved")
	}
}

// recall loads the evaluation of an earlier match; nil if there is none. It renames a damaged file, so that a new one
// can be saved. A file that other versions or configurations may read stays, and then nothing is saved.
func (t *thinker) recall(m machine.Machine, c evaluate.Config) *evaluate.Learner {
	if t.knowledge.file == "" {
		return nil
	}
	l, err := evaluate.Load(t.knowledge.file, t.knowledge.rules, m, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, evaluate.ErrDamaged):
		aside := t.knowledge.file + damagedSuffix
		t.log.Warn().Err(err).Str("aside", aside).Msg("the evaluation file is damaged and is renamed")
		if err := os.Rename(t.knowledge.file, aside); err != nil && !errors.Is(err, fs.ErrNotExist) { // another player was faster
			t.log.Warn().Err(err).Msg("the damaged evaluation file cannot be renamed")
		}
	case err != nil:
		t.log.Warn().Err(err).Msg("the evaluation file is not used, and nothing is saved")
		t.knowledge = knowledge{}
	default:
		return l
	}
	return nil
}

// experience holds the results of training in a match, for a policy that replaces an abandoned one or one that
// panicked. It is safe for concurrent use.
type experience struct {
	favourite atomic.Pointer[favourite]

	mu       sync.Mutex
	machine  machine.Machine
	approach approach
	parts    map[machine.Machine]*thinker
}

// favouriteAt returns the move that the latest search prefers at a position, and whether that search was about this
// position.
func (e *experience) favouriteAt(at position) (machine.Move, bool) {
	if e == nil {
		return machine.NoMove, false
	}
	f := e.favourite.Load()
	if f == nil || !f.at.Equal(at.state) || !slices.Contains(at.legal, f.move) {
		return machine.NoMove, false
	}
	return f.move, true
}

// inherit takes over the approach and the subgames of the previous policy if they belong to the same machine.
func (t *thinker) inherit() {
	e := t.experience
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.machine == t.machine {
		t.begun, t.approach, t.parts = t.machine, e.approach, e.parts
	}
}
