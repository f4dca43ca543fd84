package player

import (
	"context"
	"sync/atomic"
	"time"

	"stackmate/internal/guard"
	"stackmate/search/evaluate"
)

// pupil is the learner of the start clock, which goes on learning while the player ponders, from games that mostly begin
// at the present position. That is worth much more than a search of this position, of which one reply's subtree is of
// use afterwards (docs/lab/evaluation.md). It evaluates by the weights of the latest lesson.
type pupil struct {
	learner *evaluate.Learner
	latest  atomic.Pointer[evaluate.Evaluation]
	held    int64 // memory of the learner
}

// Values implements montecarlo.Evaluator. The weights change between two searches only, but abandoned searches may
// still run.
func (p *pupil) Values(dst []float64, states []uint64) { p.latest.Load().Values(dst, states) }

// opponentsTime returns the time in which the opponents think during a match, if they use their clocks and the match is
// as long as random games.
func (t *thinker) opponentsTime() time.Duration {
	return scaled(t.class.Length*(1-1/float64(t.class.Players)), t.playClock())
}

// enrol keeps the learner of an evaluation as pupil, if the player ponders, the memory suffices, and the match is long
// enough to learn from as many more positions as it has learnt from so far: less than that gains nothing. Where both
// players choose at once, hardly any time is left to ponder, and it goes into the search.
func (t *thinker) enrol(l *evaluate.Learner, e *evaluate.Evaluation, more float64) {
	if held := l.Bytes(); t.ponders && t.class.InTurns() && held <= t.memory.share() && more >= float64(l.Progress().Positions) {
		t.pupil = &pupil{learner: l, held: held}
		t.pupil.latest.Store(e)
		t.memory.lose(held)
	}
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
func (t *thinker) learnOn(ctx context.Context, at position) {
	l := t.pupil.learner
	err := guard.Do(func() error {
		l.BeginAt(at.state)
		t.runLearner(l, ctx, 0)
		t.revise(l.Evaluation())
		t.log.Info().Int64("games", l.Progress().Games).Msg("learning while pondering")
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
