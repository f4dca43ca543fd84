// Package training learns the evaluation of a game by self-play, from checkpoint to checkpoint, and compares the weights. Helpers
// may play games for it; it does not know how they are reached.
package training

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/gdl/canonical"
	"stackmate/internal/guard"
	"stackmate/player"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search/evaluate"
	"stackmate/search/solve"
)

const (
	// LeastCheckpoints and mostCheckpoints bound the number of checkpoints; between them a training has one a minute.
	LeastCheckpoints = 5
	mostCheckpoints  = 20
	// duelGames is the number of games of a comparison: the error is about 5 points.
	duelGames = 1000
	// duelShare bounds the time of a comparison, as a share of the learning time before it.
	duelShare = 0.3
	// learningSlice is the time of learning between two looks for games of helpers.
	learningSlice = time.Second / 4
	// showEvery is the time between two versions of the weights that helpers get.
	showEvery = 2 * time.Second
)

// Training is one run, and its result.
type Training struct {
	Game        string       `json:"game"`
	File        string       `json:"file"`
	Checkpoints []Checkpoint `json:"checkpoints"`
	Elsewhere   int64        `json:"elsewhere,omitempty"` // games played by helpers
	// Total compares the weights at the end with the weights at the beginning.
	Total *evaluate.Score `json:"total,omitempty"`
	// Alone compares the saved weights alone with the same weights beside playouts, in pairs of matches between searches; in
	// games of turns. Players choose by it how to use the weights.
	Alone *evaluate.Score `json:"alone,omitempty"`

	rules   *canonical.Form
	game    machine.Machine // as its rules say
	machine machine.Machine // the same game with decisive moves, for self-play
	class   solve.Class
	memory  int64 // limit
	learner *evaluate.Learner
	first   *evaluate.Evaluation // at the start
	saved   *evaluate.Evaluation // of the file
	best    *evaluate.Evaluation // the latest that surely won against the best before them, or first
	elo     float64              // strength of best relative to first
	duels   uint64               // so far

	played chan *evaluate.Played  // games of helpers; nil without helpers
	known  atomic.Pointer[[]byte] // the present weights, for helpers
	shown  time.Time              // of known
	log    zerolog.Logger
}

// Checkpoint is the progress at which weights are compared with the best ones so far: the latest that surely won against
// the best before them. They are saved unless they surely lose.
type Checkpoint struct {
	Seconds float64 `json:"seconds"` // of learning
	evaluate.Progress
	Against evaluate.Score `json:"against_best"`
	Saved   bool           `json:"saved"`
	// Elo is the strength relative to the weights at the start: of the best weights, and the difference by Against. So errors
	// add up where weights become the best, and not with the number of checkpoints.
	Elo float64 `json:"elo"`
}

// New returns a training that continues from the weights in a folder, if there are any. It returns an error for games in which
// players do not use weights.
func New(ctx context.Context, folder string, rules *gdl.Game, m machine.Machine, seed uint64, memory int64) (*Training, error) {
	class := solve.Classify(ctx, m, seed)
	if !player.Learnable(class, m) {
		return nil, fmt.Errorf("players use an evaluation in games of turns, and of two players with opposite interests without chance; this game has %s", class)
	}
	c := config(ctx, m, class, seed, memory)
	c.Threads = runtime.GOMAXPROCS(0)
	form := canonical.New(rules)
	t := &Training{
		File: filepath.Join(folder, player.KnowledgeFile(form)), rules: form, game: m, machine: cmp.Or(facts.Decisive(ctx, m, false), m),
		class: class, memory: memory,
	}
	var err error
	t.learner, err = evaluate.Load(t.File, form, t.machine, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.learner, err = evaluate.New(t.machine, c)
	case errors.Is(err, evaluate.ErrDamaged):
		err = fmt.Errorf("%w; remove it to learn anew", err)
	}
	if err != nil {
		return nil, err
	}
	t.first = t.learner.Evaluation()
	t.saved, t.best = t.first, t.first
	return t, nil
}

// config returns the configuration of a learner.
func config(ctx context.Context, m machine.Machine, class solve.Class, seed uint64, memory int64) evaluate.Config {
	return evaluate.Config{Seed: seed, ConstantSum: class.ConstantSum, Bytes: memory, Signals: facts.SignalsOf(ctx, m)}
}

// Saved reports whether a file was written.
func (t *Training) Saved() bool {
	return slices.ContainsFunc(t.Checkpoints, func(c Checkpoint) bool { return c.Saved })
}

// checkpoints returns the number of checkpoints of a training.
func checkpoints(length time.Duration) int {
	return min(max(LeastCheckpoints, int(length/time.Minute)), mostCheckpoints)
}

// Run learns for a time, from checkpoint to checkpoint. It saves the weights when ctx ends, too. Progress is called with the number of
// checkpoints before each one, and at the end before the contest.
func (t *Training) Run(ctx context.Context, length time.Duration, progress func(done, of int)) error {
	count := checkpoints(length)
	interval := length / time.Duration(count)
	learnt := 0.
	for i := range count {
		progress(i, count)
		began := time.Now()
		short, cancel := context.WithTimeout(ctx, interval)
		err := t.learn(short)
		cancel()
		learnt += time.Since(began).Seconds()
		if err := errors.Join(err, t.checkpoint(ctx, learnt, interval), ctx.Err()); err != nil {
			return err
		}
	}
	total := t.duel(ctx, interval, t.saved, t.first)
	t.Total = &total
	progress(count, count)
	err := t.decideLeaves(ctx, length)
	return errors.Join(err, ctx.Err())
}

// decideLeaves compares the saved weights alone with the saved weights beside playouts in a game of turns, and records the result in
// the file.
func (t *Training) decideLeaves(ctx context.Context, length time.Duration) error {
	if !t.class.InTurns() || !t.Saved() {
		return nil
	}
	s, err := contest(ctx, t.game, t.saved, time.Duration(contestShare*float64(length)), t.memory)
	if err != nil || s.Games == 0 {
		return err
	}
	t.Alone = &s
	return evaluate.Record(t.File, s)
}

// checkpoint compares the present weights with the best ones, and saves them unless they surely lose. If they surely win,
// they become the best, and other games give the difference in strength: the games that made them the best flatter them.
func (t *Training) checkpoint(ctx context.Context, learnt float64, interval time.Duration) error {
	present := t.learner.Evaluation()
	c := Checkpoint{Seconds: learnt, Progress: t.learner.Progress(), Against: t.duel(ctx, interval, present, t.best)}
	c.Elo = t.elo + c.Against.Elo()
	if c.Against.Centre()+c.Against.Error >= 0 { // also without a comparison
		if err := t.learner.Save(t.File, t.rules); err != nil {
			return err
		}
		c.Saved, t.saved = true, present
	}
	if c.Against.Centre() > c.Against.Error && ctx.Err() == nil {
		c.Elo = t.elo + t.duel(ctx, interval, present, t.best).Elo()
		t.best, t.elo = present, c.Elo
	}
	t.Checkpoints = append(t.Checkpoints, c)
	return nil
}

// learn learns until ctx ends, from its own games and the games of helpers.
func (t *Training) learn(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case p := <-t.played:
			t.take(p)
		default:
			slice, cancel := context.WithTimeout(ctx, learningSlice)
			t.learner.Learn(slice, 0)
			cancel()
		}
		if t.played != nil && time.Since(t.shown) > showEvery {
			if err := t.show(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take learns from games of a helper. Damaged games are dropped: helpers may be broken, and must not end the training.
func (t *Training) take(p *evaluate.Played) {
	err := guard.Do(func() error { return t.learner.Take(p) })
	if err != nil {
		guard.Log(t.log.Warn(), err).Msg("games from elsewhere are dropped")
		return
	}
	t.Elsewhere += int64(len(p.Games))
}

// show gives the present weights to helpers.
func (t *Training) show() error {
	var text bytes.Buffer
	if err := t.learner.Write(&text, t.rules); err != nil {
		return err
	}
	known := text.Bytes()
	t.known.Store(&known)
	t.shown = time.Now()
	return nil
}

// duel plays two evaluations against each other, in other games than all duels before.
func (t *Training) duel(ctx context.Context, interval time.Duration, a, b *evaluate.Evaluation) evaluate.Score {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(duelShare*float64(interval)))
	defer cancel()
	t.duels++
	return evaluate.Duel(ctx, t.machine, a, b, duelGames, t.duels)
}

const (
	// helpers is the number of tasks that are asked for at a time.
	helpers = 8
	// taskTime is the time of play of a task.
	taskTime = time.Second
)

// Invite lets helpers play games, through do, until end is called.
func (t *Training) Invite(ctx context.Context, log zerolog.Logger, seed uint64, do func(context.Context, Task) (*evaluate.Played, error)) (end func(), err error) {
	if err := t.show(); err != nil {
		return nil, err
	}
	t.played, t.log = make(chan *evaluate.Played), log
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	var number atomic.Uint64
	for range helpers {
		all.Go(func() {
			for ctx.Err() == nil {
				var played *evaluate.Played
				err := guard.Do(func() (err error) {
					played, err = do(ctx, Task{Known: *t.known.Load(), Seed: seed<<32 + number.Add(1), Seconds: taskTime.Seconds()})
					return err
				})
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					guard.Log(t.log.Warn(), err).Msg("no games from elsewhere")
					time.Sleep(taskTime)
					continue
				}
				select {
				case t.played <- played:
				case <-ctx.Done():
				}
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}, nil
}
