package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"stackmate/gdl"
	"stackmate/player"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
	"stackmate/search/solve"
)

// trainCommand learns an evaluation of a game.
type trainCommand struct {
	oneGame
	Time      time.Duration `default:"1m" help:"Time to learn."`
	Knowledge string        `type:"path" required:"" placeholder:"DIR" help:"Folder for the weights, for serve, match and tournament; training continues from existing weights."`
	Seed      uint64        `default:"1" help:"Seed of self-play."`
	NATS      string        `name:"nats" placeholder:"URL,…" help:"Let workers on this NATS server or cluster play games, too."`
}

const (
	// checkpoints is the number of times that a training saves and compares its network.
	checkpoints = 5
	// duelGames of a comparison: errors of about 5 points.
	duelGames = 1000
	// duelShare bounds the time for each comparison, as a part of that for learning before
	// it.
	duelShare = 0.3
)

// Run implements the command.
func (c *trainCommand) Run(s *console) error {
	if c.Time <= 0 {
		return usageError{fmt.Errorf("--time: expected a time above 0, found %v", c.Time)}
	}
	if err := checkFolder("--knowledge", c.Knowledge); err != nil {
		return err
	}
	rules, m, err := s.compile(c.Game, gdl.LoadToPlay, reasoner.Options{Engine: c.Engine})
	if err != nil {
		return err
	}
	t := training{
		Game: c.Game, digest: rules.Digest(), interval: c.Time / checkpoints,
		File: filepath.Join(c.Knowledge, player.KnowledgeFile(rules.Digest())),
	}
	if err := t.load(s.ctx, m, c.Seed, s.memory.share(1)); err != nil {
		return fmt.Errorf("%s: %w", c.Game, err)
	}
	if c.NATS != "" {
		end, err := t.invite(s, c, rules)
		if err != nil {
			return err
		}
		defer end()
	}
	line := s.progress("learning %s", c.Game)
	err = t.run(s.ctx, line)
	line.end()
	return errors.Join(show(s, c.JSON, &t, writeTraining), err)
}

// training is one run of train, and its result.
type training struct {
	Game        string       `json:"game"`
	File        string       `json:"file"`
	Checkpoints []checkpoint `json:"checkpoints"`
	Elsewhere   int64        `json:"elsewhere,omitempty"` // games played by workers
	// Total compares the network at the end with the network at the beginning.
	Total *evaluate.Score `json:"total,omitempty"`

	digest   string
	interval time.Duration
	machine  machine.Machine
	learner  *evaluate.Learner
	first    *evaluate.Evaluation

	played chan *evaluate.Played  // games from elsewhere; nil if all are played here
	known  atomic.Pointer[[]byte] // the file, for workers
	saved  time.Time              // when it was written
}

// checkpoint describes a saved network.
type checkpoint struct {
	Seconds float64 `json:"seconds"` // of learning
	evaluate.Progress
	// Against compares with the checkpoint before.
	Against evaluate.Score `json:"against_former"`
}

// load loads the saved network of the game, if it exists. It returns an error for a game in which players use no
// evaluation.
func (t *training) load(ctx context.Context, m machine.Machine, seed uint64, memory int64) (err error) {
	class := solve.Classify(ctx, m, seed)
	if !class.InTurns() {
		return fmt.Errorf("players use evaluations only in turn-based games of several players; this game has %s", class)
	}
	config := learning(ctx, m, class, seed, memory)
	config.Threads = runtime.GOMAXPROCS(0)
	t.machine = machine.Decisive(ctx, m, false)
	t.learner, err = evaluate.Load(t.File, t.digest, t.machine, config)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.learner, err = evaluate.New(t.machine, config)
	case errors.Is(err, evaluate.ErrDamaged):
		err = fmt.Errorf("%w; remove it to restart the training", err)
	}
	if err == nil {
		t.first = t.learner.Evaluation()
	}
	return err
}

// learning returns the configuration of learning a game.
func learning(ctx context.Context, m machine.Machine, class solve.Class, seed uint64, memory int64) evaluate.Config {
	return evaluate.Config{Seed: seed, ConstantSum: class.ConstantSum, Bytes: memory, Signals: m.Signals(ctx)}
}

const (
	// queuedTasks is how many tasks are in the queue at a time: more workers have nothing to do.
	queuedTasks = 8
	// taskTime is how long each of them plays.
	taskTime = time.Second
	// learningSlice is the time of local games between polls for games of workers.
	learningSlice = time.Second / 4
	// saveEvery is the interval at which the network is saved for workers.
	saveEvery = 2 * time.Second
)

// invite has workers of a queue play games, until end is called.
func (t *training) invite(s *console, c *trainCommand, rules *gdl.Game) (end func(), err error) {
	if err := t.save(); err != nil {
		return nil, err
	}
	caller, q, stop, err := s.startWorkers(c.NATS, playing, 1)
	if err != nil {
		return nil, err
	}
	text := arena.RulesText(rules)
	hash := arena.HashRules(text)
	if err := q.PutText(s.ctx, hash, text); err != nil {
		stop()
		return nil, err
	}
	t.played = make(chan *evaluate.Played)
	ctx, cancel := context.WithCancel(s.ctx)
	var all sync.WaitGroup
	var seed atomic.Uint64
	for range queuedTasks {
		all.Go(func() {
			for ctx.Err() == nil {
				played, err := submitTask[selfPlayTask, *evaluate.Played](ctx, caller, selfPlayTask{
					Game: c.Game, Rules: hash, Engine: c.Engine, Known: *t.known.Load(), Seed: c.Seed<<32 + seed.Add(1), Seconds: taskTime.Seconds(),
				})
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					s.log.Warn().Err(err).Msg("no games from elsewhere")
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
		stop()
	}, nil
}

// save saves the network.
func (t *training) save() error {
	err := t.learner.Save(t.File, t.digest)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(t.File)
	t.known.Store(&text)
	t.saved = time.Now()
	return err
}

// learn learns until ctx ends, from games that are played here and elsewhere.
func (t *training) learn(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case p := <-t.played:
			if err := t.learner.Take(p); err != nil {
				return err
			}
			t.Elsewhere += int64(len(p.Games))
		default:
			slice, cancel := context.WithTimeout(ctx, learningSlice)
			t.learner.Learn(slice, 0)
			cancel()
		}
		if t.played != nil && time.Since(t.saved) > saveEvery {
			if err := t.save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// run learns from checkpoint to checkpoint. It saves the network also when ctx ends.
func (t *training) run(ctx context.Context, line *progress) error {
	former, learnt := t.first, 0.0
	for i := range checkpoints {
		line.say("learning %s: checkpoint %d of %d", t.Game, i, checkpoints)
		began := time.Now()
		short, cancel := context.WithTimeout(ctx, t.interval)
		err := t.learn(short)
		cancel()
		learnt += time.Since(began).Seconds()
		if err := errors.Join(err, t.save()); err != nil {
			return err
		}
		present := t.learner.Evaluation()
		t.Checkpoints = append(t.Checkpoints, checkpoint{learnt, t.learner.Progress(), t.duel(ctx, present, former)})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		former = present
	}
	total := t.duel(ctx, former, t.first)
	t.Total = &total
	return nil
}

// duel plays two evaluations against each other, for duelShare of an interval at most.
func (t *training) duel(ctx context.Context, a, b *evaluate.Evaluation) evaluate.Score {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(duelShare*float64(t.interval)))
	defer cancel()
	return evaluate.Duel(ctx, t.machine, a, b, duelGames, uint64(len(t.Checkpoints)))
}

func writeTraining(w io.Writer, t *training) error {
	table := newTable(w, tabwriter.AlignRight)
	fmt.Fprintln(table, "seconds\tgames\tpositions\tcorrelation\tgain on the last checkpoint\t")
	for _, c := range t.Checkpoints {
		fmt.Fprintf(table, "%.1f\t%d\t%d\t%.3f\t%s\t\n", c.Seconds, c.Games, c.Positions, c.Correlation, score(c.Against))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if t.Total != nil {
		fmt.Fprintf(w, "gain on the weights at the start: %s points\n", score(*t.Total))
	}
	if t.Elsewhere > 0 {
		fmt.Fprintf(w, "%d games were played by workers\n", t.Elsewhere)
	}
	if t.saved.IsZero() {
		return nil
	}
	_, err := fmt.Fprintf(w, "saved in %s\n", t.File)
	return err
}

// score formats a comparison: goal points ahead, with their 95 % error.
func score(s evaluate.Score) string {
	if s.Games == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f ± %.1f", s.Points, s.Error)
}
