package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stackmate/internal/recent"
	"stackmate/player"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
	"stackmate/search/experiment"
	"stackmate/search/layers"
	"stackmate/search/solve"
)

// The kinds of tasks beside distributed.Matches.
const (
	measuring = "measure" // an experiment.Job
	playing   = "play"    // a selfPlayTask
)

// taskWorker does the tasks of a queue.
type taskWorker struct {
	*console
	matches *distributed.Worker
	lab     experiment.Lab
	tasks   int   // at a time
	memory  int64 // of a task, in bytes

	setups  recent.Cache[string, selfPlaySetup]  // of the last game, by the hash of the rules and the engine
	helpers recent.Cache[string, *layers.Helper] // of the last search, by its run
}

// selfPlaySetup is the common state of the tasks of one game.
type selfPlaySetup struct {
	digest  string // of the rules
	machine machine.Machine
	config  evaluate.Config // without the seed
}

// newTaskWorker returns a worker that does up to the given number of tasks at a time, each with an equal part of the memory. players
// bounds the players of a task.
func (s *console) newTaskWorker(tasks, players int, o player.Options) *taskWorker {
	w := &taskWorker{console: s, setups: recent.Cache[string, selfPlaySetup]{Size: 1}, helpers: recent.Cache[string, *layers.Helper]{Size: 1}, tasks: tasks, memory: s.memory.share(tasks * (players + 1))}
	o.Memory = w.memory
	roster := s.newRoster(o)
	w.matches = &distributed.Worker{
		Player: func(spec string, seed uint64) (arena.Player, error) {
			return roster.player(spec, func() uint64 { return seed })
		},
		Memory: w.memory, Cache: s.cache, Log: s.log,
	}
	w.lab = s.newLab(w.memory)
	return w
}

// work does tasks until ctx ends.
func (w *taskWorker) work(ctx context.Context, q *queue.Queue) error {
	return q.Work(ctx, w.tasks, func(ctx context.Context, t queue.Task) ([]byte, error) {
		switch t.Kind {
		case distributed.Matches:
			result, err := w.matches.Do(ctx, q, t)
			if w.ctx.Err() != nil { // players of this process may have ended before ctx has: their moves are none
				return nil, w.ctx.Err()
			}
			return result, err
		case measuring:
			return doTask(ctx, t, w.lab.Measure)
		case playing:
			return doTask(ctx, t, func(ctx context.Context, task selfPlayTask) (*evaluate.Played, error) {
				return w.play(ctx, q, task)
			})
		case layering:
			return doTask(ctx, t, func(ctx context.Context, task layersTask) (layers.Done, error) {
				return w.layers(ctx, q, t.Run, task)
			})
		}
		return nil, fmt.Errorf("expected a task that this program knows, found %q", t.Kind)
	})
}

// taskResult is the result of a task: a value, or why there is none.
type taskResult[T any] struct {
	Value   T      `json:"value"`
	Failure string `json:"failure,omitempty"`
}

// doTask decodes a task, does it and encodes the result. The task goes back to the queue if ctx ends, or others must do it.
func doTask[T, R any](ctx context.Context, t queue.Task, do func(context.Context, T) (R, error)) ([]byte, error) {
	var task T
	var result taskResult[R]
	err := json.Unmarshal(t.Data, &task)
	if err == nil {
		result.Value, err = do(ctx, task)
	}
	if ctx.Err() != nil || errors.Is(err, queue.ErrAgain) {
		return nil, queue.ErrAgain
	}
	if err != nil {
		result.Failure = err.Error()
	}
	return json.Marshal(result)
}

// submitTask has a worker do a task and returns its result.
func submitTask[T, R any](ctx context.Context, c *queue.Caller, task T) (value R, err error) {
	data, err := json.Marshal(task)
	if err != nil {
		return value, err
	}
	if data, err = c.Do(ctx, data); err != nil {
		return value, err
	}
	var result taskResult[R]
	if err := json.Unmarshal(data, &result); err != nil {
		return value, fmt.Errorf("the result of a worker: %w", err)
	}
	if result.Failure != "" {
		err = errors.New(result.Failure)
	}
	return result.Value, err
}

// startWorkers connects to the queue and starts local workers for the given number of tasks at a time; stop ends them.
func (s *console) startWorkers(url, kind string, tasks int) (c *queue.Caller, q *queue.Queue, stop func(), err error) {
	if q, err = s.dial(url); err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.newTaskWorker(tasks, 2, player.Options{Threads: 1}).work(ctx, q) // being stopped is how it ends
	}()
	c = q.Call(s.ctx, fmt.Sprintf("%s-%d", kind, time.Now().UnixMilli()), kind)
	return c, q, func() {
		cancel()
		<-done
		if err := c.Close(); err != nil {
			s.log.Warn().Err(err).Msg("tasks of this command may be left in the queue")
		}
		q.Close()
	}, nil
}

// selfPlayTask asks for games of self-play with given weights.
type selfPlayTask struct {
	Game    string  `json:"game"`
	Rules   string  `json:"rules"` // the hash under which the queue has the text
	Engine  string  `json:"engine"`
	Known   []byte  `json:"known"` // a file of evaluate.Learner
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`
}

// play plays the games of a task.
func (w *taskWorker) play(ctx context.Context, q *queue.Queue, task selfPlayTask) (*evaluate.Played, error) {
	setup, err := w.setups.Get(task.Rules+task.Engine, func() (selfPlaySetup, error) { return w.makeSetup(q, task) })
	if err != nil {
		return nil, err
	}
	setup.config.Seed = task.Seed
	learner, err := evaluate.Read(bytes.NewReader(task.Known), setup.digest, setup.machine, setup.config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(min(task.Seconds, maxSelfPlay)*float64(time.Second)))
	defer cancel()
	return learner.Play(ctx), nil
}

// maxSelfPlay bounds a selfPlayTask, in seconds.
const maxSelfPlay = 60

// makeSetup compiles the game of a task.
func (w *taskWorker) makeSetup(q *queue.Queue, task selfPlayTask) (selfPlaySetup, error) {
	rules, err := distributed.Rules(w.ctx, q, task.Game, task.Rules)
	if err != nil {
		return selfPlaySetup{}, err
	}
	m, err := reasoner.New(w.ctx, rules, reasoner.Options{Engine: task.Engine, Memory: w.memory, Cache: w.cache})
	if err != nil {
		return selfPlaySetup{}, err
	}
	return selfPlaySetup{rules.Digest(), machine.Decisive(w.ctx, m, false), learning(w.ctx, m, solve.Classify(w.ctx, m, task.Seed), task.Seed, w.memory)}, nil
}
