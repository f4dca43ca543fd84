package player

import (
	"context"
	"sync/atomic"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
)

// pupil is the learner of an evaluation that the player uses. It goes on learning in the rest of the start clock, and then
// while the player ponders, from games that mostly begin at the present position. That is worth much more than a search of
// this position, of which one reply's subtree is of use afterwards (docs/lab/evaluation.md). It evaluates by the weights of
// the latest lesson.
type pupil struct {
	learner *evaluate.Learner
	latest  atomic.Pointer[evaluate.Evaluation]
	held    int64   // memory of the learner
	rate    float64 // positions learnt a second
}

// Values implements montecarlo.Evaluator. The weights change between two searches only, but abandoned searches may
// still run.
func (p *pupil) Values(dst []float64, states []uint64) { p.latest.Load().Values(dst, states) }

// opponentsTime returns the time in which the opponents think during a match, if they use their clocks and the match is
// as long as random games.
func (t *thinker) opponentsTime() time.Duration {
	return scaled(t.class.Length*(1-1/float64(t.class.Players)), t.playClock())
}

// enrol keeps the learner of an evaluation as pupil if the memory suffices. Where both players choose at once, exact
// searches need the time.
func (t *thinker) enrol(l *evaluate.Learner, e *evaluate.Evaluation, rate float64) {
	if held := l.Bytes(); t.class.InTurns() && held <= t.memory.share() {
		t.pupil = &pupil{learner: l, held: held, rate: rate}
		t.pupil.latest.Store(e)
		t.memory.lose(held)
	}
}

// finishLearning lets the pupil learn on in a portion of the start clock if the approach uses its evaluation, and returns the
// approach with the latest evaluation. The pupil stays for the match if it will learn from as many more positions while the
// player ponders: fewer gain nothing.
func (t *thinker) finishLearning(ctx context.Context, a approach) approach {
	p := t.pupil
	if p == nil || a.evaluator == nil {
		t.dismiss()
		return a
	}
	short, cancel := half.begin(ctx)
	defer cancel()
	t.learnOn(short, t.machine.Initial())
	a.evaluator = p.latest.Load()
	if t.pupil == nil { // it panicked
		return a
	}
	t.keep(p.learner)
	if more := p.rate * t.opponentsTime().Seconds(); !t.ponders || more < float64(p.learner.Progress().Positions) {
		t.dismiss()
	}
	return a
}

// dismiss ends learning and gives the memory of the learner back. Searches keep the latest weights.
func (t *thinker) dismiss() {
	if t.pupil != nil {
		t.memory.lose(-t.pupil.held)
		t.pupil.learner, t.pupil = nil, nil
	}
}

// learnOn lets the pupil learn from games that begin at a position, until ctx is done. A panic ends learning for the
// match and costs no move.
func (t *thinker) learnOn(ctx context.Context, from machine.State) {
	l := t.pupil.learner
	err := guard.Do(func() error {
		l.BeginAt(from)
		t.runLearner(l, ctx, 0)
		t.revise(l.Evaluation())
		t.log.Info().Int64("games", l.Progress().Games).Msg("the pupil has learnt")
		return nil
	})
	if err != nil {
		guard.Log(t.log.Error(), err).Msg("learning failed and ends")
		t.dismiss()
	}
}

// revise replaces the evaluation of the searches, and of a policy that replaces this one.
func (t *thinker) revise(e *evaluate.Evaluation) {
	t.pupil.latest.Store(e)
	t.approach.evaluator = e
	if x := t.experience; x != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.machine == t.machine {
			x.approach.evaluator = e
		}
	}
}
