package player

import (
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
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
)

// In many games what a position is worth can be learnt within seconds, and a search that estimates
// leaves by that is far ahead of one that plays them out; in others, where all depends on who is one
// move ahead, it is far behind (docs/lab/evaluation.md). So most of the start clock goes into
// learning, and what comes of it decides how it is used (approachBy), unless matches show that playouts are better (trial.go).
const (
	// learningShare is the part of the start clock for learning.
	learningShare = 0.6
	// weighingShare is in which part of the time of learning, at most, estimates are weighed against playouts.
	weighingShare = 0.25
	// leastCorrelation with the outcomes of unseen games is what is of use.
	leastCorrelation = 0.03
	// leastLearning is the start clock below which there is nothing to be learnt in time.
	leastLearning = 2 * time.Second
)

// newLearner makes what learns what positions are worth; nil where players choose at once, which gains nothing
// (docs/lab/evaluation.md), or where there is too little time or memory for it.
func (t *thinker) newLearner(ctx context.Context) *evaluate.Learner {
	left, memory := timeLeft(ctx, time.Now()), t.memory.share()
	if !t.has(learning) || !t.class.InTurns() || left < leastLearning || memory == 0 {
		return nil
	}
	config := evaluate.Config{Seed: t.seed, ConstantSum: t.class.ConstantSum, Bytes: memory, Threads: t.threads}
	short, cancel := context.WithTimeout(ctx, min(decisiveTime, left/4))
	config.Signals = t.machine.Signals(short)
	cancel()
	m := t.playouts(ctx, t.machine)
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

// learn finds out for so long what positions are worth; nil if nothing can be learnt (newLearner), or nothing of use is by then.
func (t *thinker) learn(ctx context.Context, clock time.Duration) *evaluate.Evaluation {
	l := t.newLearner(ctx)
	if l == nil {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, clock)
	t.runLearner(l, short, 0)
	cancel()
	p := l.Progress()
	t.log.Info().Int64("games", p.Games).Float64("correlation", p.Correlation).Msg("learning")
	if p.Games == 0 || p.Correlation <= leastCorrelation {
		return nil
	}
	t.keep(l)
	short, cancel = context.WithTimeout(ctx, scaled(weighingShare, clock))
	defer cancel()
	l.Weigh(short)
	e := l.Evaluation()
	t.log.Info().Float64("playouts", e.Weight()).Msg("what an estimate is worth")
	return e
}

// playouts is the machine whose random moves are those of playouts.
func (t *thinker) playouts(ctx context.Context, m machine.Machine) machine.Machine {
	if t.hasDecisive {
		return machine.Decisive(ctx, m, !t.class.InTurns())
	}
	return m
}

// knowledge is where what was learnt of a game is kept.
type knowledge struct{ file, rules string } // file is "" if there is none

// damagedSuffix is what is added to the name of a file that is set aside.
const damagedSuffix = ".damaged"

// KnowledgeFile is the name of the file of what was learnt of the rules of a digest.
func KnowledgeFile(digest string) string { return digest + ".learnt" }

// knowledge is what the player knows of a game.
func (p *Player) knowledge(g *gdl.Game) knowledge {
	if p.options.Knowledge == "" {
		return knowledge{}
	}
	digest := g.Digest()
	return knowledge{filepath.Join(p.options.Knowledge, KnowledgeFile(digest)), digest}
}

// keep saves what was learnt for the next match, unless more is known there by now, or what is there cannot be read.
// Of two players who do so in the same moment the later one wins.
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
		t.log.Warn().Err(err).Msg("knowledge")
	}
}

// recall loads what was learnt of the game before; nil if there is nothing of use. What is of use to nobody is set
// aside, so that what is learnt now can be kept; what others may be able to use stays, and nothing is kept.
func (t *thinker) recall(m machine.Machine, c evaluate.Config) *evaluate.Learner {
	if t.knowledge.file == "" {
		return nil
	}
	l, err := evaluate.Load(t.knowledge.file, t.knowledge.rules, m, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, evaluate.ErrDamaged):
		aside := t.knowledge.file + damagedSuffix
		t.log.Warn().Err(err).Str("aside", aside).Msg("knowledge is set aside")
		if err := os.Rename(t.knowledge.file, aside); err != nil && !errors.Is(err, fs.ErrNotExist) { // another player was faster
			t.log.Warn().Err(err).Msg("knowledge")
		}
	case err != nil:
		t.log.Warn().Err(err).Msg("knowledge is not used, and nothing is kept")
		t.knowledge = knowledge{}
	default:
		return l
	}
	return nil
}

// experience holds the results of learning in a match, for a policy that takes the place of one
// that panicked or hangs. It is safe for concurrent use.
type experience struct {
	favourite atomic.Pointer[favourite]

	mu       sync.Mutex
	of       machine.Machine
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

// inherit takes over from the policy before, if that had the same machine.
func (t *thinker) inherit() {
	e := t.experience
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == t.machine {
		t.begun, t.approach, t.parts = t.machine, e.approach, e.parts
	}
}
