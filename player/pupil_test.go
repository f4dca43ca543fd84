package player

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/evaluate"
	"stackmate/search/montecarlo"
)

// withPupil returns a thinker whose pupil has learnt from 300 games and learns from 200 more in each lesson, and the
// position after the first legal moves.
func withPupil(t *testing.T) (*thinker, position) {
	t.Helper()
	m := gamestest.Machine(t, "connectFour-4x4")
	p := onOneThread(0, 1<<30, exactSearch, "decisive")
	p.ponders, p.experience = true, new(experience)
	p.runLearner = func(l *evaluate.Learner, ctx context.Context, _ int64) { l.Learn(ctx, 200) }
	b, state := m.NewNarrowBatch(), make(machine.State, len(m.Initial()))
	b.Load(m.Initial(), 1)
	b.Evaluate(1)
	play.Step(b, []machine.Move{b.AppendLegal(nil, 0, 0)[0], b.AppendLegal(nil, 0, 1)[0]})
	b.Store(state, 1)
	b.Evaluate(1)
	at := position{machine: m, state: state, role: 1, legal: b.AppendLegal(nil, 0, 1)}
	p.prepare(ctxOf(t, time.Minute), at)
	l := learnerOf(t, m, nil, 300)
	e := l.Evaluation()
	p.enrol(l, e, 1e9)
	p.begun = m
	p.adopt(approach{evaluator: e, alone: true})
	p.exactShare = leastExactShare
	return p, at
}

// valuesOf returns the values of a position and of the initial one.
func valuesOf(e montecarlo.Evaluator, at position) []float64 {
	values := make([]float64, 2*len(at.machine.Names().Roles))
	e.Values(values, slices.Concat(at.state, at.machine.Initial()))
	return values
}

// A lesson is about the position that is pondered about, and the search, the thinker and its successor evaluate by its weights.
func TestPonderingTeaches(t *testing.T) {
	p, at := withPupil(t)
	before := p.approach.evaluator
	p.ponder(ctxOf(t, time.Minute), at)
	twin := learnerOf(t, at.machine, nil, 300)
	twin.BeginAt(at.state)
	twin.Learn(t.Context(), 200)
	want := valuesOf(twin.Evaluation(), at)
	if slices.Equal(valuesOf(before, at), want) {
		t.Fatal("the lesson changes nothing")
	}
	s := p.sampling(p.approach, 1)
	for i, e := range []montecarlo.Evaluator{p.approach.evaluator, s.Evaluator, p.experience.approach.evaluator} {
		if got := valuesOf(e, at); !slices.Equal(got, want) {
			t.Errorf("place %d: the values are %v, want %v", i, got, want)
		}
	}
	if s.Evaluator != montecarlo.Evaluator(p.pupil) {
		t.Error("the search would not see the next lesson")
	}
	if c := p.choose(ctxOf(t, 50*time.Millisecond), at); c.by != bySampling || !slices.Contains(at.legal, c.move) {
		t.Errorf("chooses %v by %s", c.move, c.by)
	}
}

func TestALessonEndsWithThePondering(t *testing.T) {
	p, at := withPupil(t)
	p.runLearner = (*evaluate.Learner).Learn
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	p.ponder(ctx, at) // else it does not return
	if p.pupil == nil {
		t.Error("the pupil has left")
	}
}

// After a move that exact search has helped, pondering goes on with the proof.
func TestNoLessonInterruptsAProof(t *testing.T) {
	p, at := withPupil(t)
	e := p.approach.evaluator
	p.adapt(true)
	if p.ponder(ctxOf(t, 20*time.Millisecond), at); p.approach.evaluator != e {
		t.Error("the pupil has learnt")
	}
	p.adapt(false)
	if p.ponder(ctxOf(t, time.Minute), at); p.approach.evaluator == e {
		t.Error("the pupil has not learnt")
	}
}

func TestAPupilThatPanicsLeaves(t *testing.T) {
	p, at := withPupil(t)
	e := p.approach.evaluator
	p.runLearner = func(*evaluate.Learner, context.Context, int64) { panic("broken") }
	p.ponder(ctxOf(t, time.Minute), at)
	if p.pupil != nil || p.memory.lost != 0 || p.approach.evaluator != e {
		t.Errorf("pupil %v, %d bytes lost", p.pupil, p.memory.lost)
	}
	if c := p.choose(ctxOf(t, 50*time.Millisecond), at); c.by != bySampling {
		t.Errorf("chooses by %s afterwards", c.by)
	}
	p.ponder(ctxOf(t, 20*time.Millisecond), at) // by the searches
}

func TestOnlyAPupilOfUseHoldsMemory(t *testing.T) {
	p, at := withPupil(t)
	l := p.pupil.learner
	if held := p.memory.lost; held != l.Bytes() || held < 1<<20 {
		t.Errorf("%d bytes are held, the learner has %d", held, l.Bytes())
	}
	if p.adopt(approach{rave: true}); p.pupil != nil || p.memory.lost != 0 {
		t.Errorf("a search by playouts keeps a pupil and %d bytes", p.memory.lost)
	}
	p.memory.total = 64 << 20
	if p.enrol(l, l.Evaluation(), 1e9); p.pupil != nil || p.memory.lost != 0 {
		t.Error("a pupil takes the memory of the searches")
	}
	p, at = withPupil(t)
	at.machine = newSubtraction(9)
	at.state = at.machine.Initial()
	if p.prepare(ctxOf(t, time.Minute), at); p.pupil != nil || p.memory.lost != 0 {
		t.Errorf("the pupil of another machine stays, with %d bytes", p.memory.lost)
	}
}

// In half of the rest of the start clock the pupil learns on, and the evaluation that it has then is used and saved.
func TestAPupilLearnsInTheRestOfTheStartClock(t *testing.T) {
	p, at := withPupil(t)
	p.knowledge = knowledgeOf(t, gamestest.Rules(t, "connectFour-4x4"))
	var left float64
	p.runLearner = func(l *evaluate.Learner, ctx context.Context, _ int64) {
		left = timeLeft(ctx, time.Now()).Seconds()
		l.Learn(ctx, 200)
	}
	a := p.finishLearning(ctxOf(t, time.Minute), p.approach)
	twin := learnerOf(t, at.machine, nil, 300)
	twin.BeginAt(at.machine.Initial())
	twin.Learn(t.Context(), 200)
	if !a.alone || !slices.Equal(valuesOf(a.evaluator, at), valuesOf(twin.Evaluation(), at)) {
		t.Errorf("the approach is %v, with other values than after 500 games: %v", a, valuesOf(a.evaluator, at))
	}
	if left < 25 || left > 30 {
		t.Errorf("%v seconds of a minute to learn on, want half", left)
	}
	if known, err := evaluate.Learnt(p.knowledge.file); err != nil || known.Games != p.pupil.learner.Progress().Games {
		t.Errorf("%d games are saved, %v", known.Games, err)
	}
}

func TestAPupilWhoseEvaluationIsNotUsedLeavesInTheStartClock(t *testing.T) {
	p, _ := withPupil(t)
	p.runLearner = func(*evaluate.Learner, context.Context, int64) { t.Error("it learns on") }
	if a := p.finishLearning(ctxOf(t, time.Minute), approach{rave: true}); !a.rave || p.pupil != nil || p.memory.lost != 0 {
		t.Errorf("the approach is %v, the pupil %v, %d bytes are lost", a, p.pupil, p.memory.lost)
	}
}

// A pupil stays for a match in which it learns from as many positions as before, if the player ponders.
func TestAPupilStaysForALongMatch(t *testing.T) {
	for i, c := range []struct {
		ponders bool
		share   float64 // of its positions that it learns from in the opponents' time
		stays   bool
	}{{true, 1.01, true}, {true, 0.99, false}, {false, 1.01, false}} {
		p, _ := withPupil(t)
		p.runLearner = func(*evaluate.Learner, context.Context, int64) {}
		p.ponders = c.ponders
		p.pupil.rate = c.share * float64(p.pupil.learner.Progress().Positions) / p.opponentsTime().Seconds()
		if p.finishLearning(ctxOf(t, time.Minute), p.approach); (p.pupil != nil) != c.stays || (p.memory.lost > 0) != c.stays {
			t.Errorf("case %d: the pupil stays: %v, with %d bytes", i, p.pupil != nil, p.memory.lost)
		}
	}
}

func TestAPupilThatPanicsInTheStartClockLeaves(t *testing.T) {
	p, _ := withPupil(t)
	e := p.approach.evaluator
	p.knowledge = knowledgeOf(t, gamestest.Rules(t, "connectFour-4x4"))
	p.runLearner = func(*evaluate.Learner, context.Context, int64) { panic("broken") }
	a := p.finishLearning(ctxOf(t, time.Minute), p.approach)
	if _, err := evaluate.Learnt(p.knowledge.file); a.evaluator != e || p.pupil != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the approach is %v, the pupil %v, and the broken learner is saved: %v", a, p.pupil, err)
	}
}

// The processor time of learning before a match, and of each move and of each pondering, of BenchmarkPondering.
const (
	schoolClock = 400 * time.Millisecond
	lessonClock = 50 * time.Millisecond
)

// BenchmarkPondering plays a search whose evaluation goes on learning in the opponent's time against a search that goes on in it.
func BenchmarkPondering(b *testing.B) {
	for _, game := range strings.Fields("breakthrough reversi connectFour linesOfAction checkers speedChess gomoku_11x11 hex") {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			config := montecarlo.Config{Alone: !slices.Contains([]string{"connectFour", "gomoku_11x11", "hex"}, game)}
			c := evaluate.Config{ConstantSum: true, Signals: facts.SignalsOf(b.Context(), m)}
			playing := cmp.Or(facts.Decisive(b.Context(), m, false), m)
			pondering(b, config, func() *evaluate.Learner {
				c.Seed++
				l, err := evaluate.New(playing, c)
				if err != nil {
					b.Fatal(err)
				}
				learnFor(l, schoolClock)
				return l
			}).report(b, position{machine: m, state: m.Initial()}, 16*b.N)
		})
	}
}

// pondering compares a search by a pupil with a search that ponders. Both begin with the evaluation of a new learner.
func pondering(b *testing.B, config montecarlo.Config, newLearner func() *evaluate.Learner) *comparison {
	var student *pupil
	var ponders *metered
	c := &comparison{opening: 2, memory: comparisonBytes}
	c.searcher = func(rival int) search.Searcher {
		if rival == 0 {
			student = &pupil{learner: newLearner()}
			student.latest.Store(student.learner.Evaluation())
			config.Evaluator = student
			return &metered{Searcher: montecarlo.New(config), clock: lessonClock}
		}
		config.Evaluator = student.latest.Load()
		ponders = &metered{Searcher: montecarlo.New(config), clock: lessonClock}
		return ponders
	}
	c.ponder = func(rival int, at position) {
		if rival == 0 {
			student.learner.BeginAt(at.state)
			learnFor(student.learner, lessonClock)
			student.latest.Store(student.learner.Evaluation())
		} else if _, err := ponders.Search(b.Context(), at.machine, at.state, search.Limits{MaxBytes: c.memory}); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

// learnFor has the learner learn for a processor time.
func learnFor(l *evaluate.Learner, clock time.Duration) {
	for began := cputime.Now(); cputime.Now()-began < clock; {
		l.Learn(context.Background(), 1)
	}
}

func TestTheOpponentsThinkInTheirShareOfTheMoves(t *testing.T) {
	p := onOneThread(0, 64<<20)
	p.clock, p.class.Length, p.class.Players = 2*time.Second, 60, 3
	if got := p.opponentsTime().Round(time.Millisecond); got != 80*time.Second {
		t.Errorf("%v of 60 moves of two seconds, of which the opponents of one of three players make 40", got)
	}
}
