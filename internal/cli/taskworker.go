package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/player"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
	"stackmate/search/experiment"
)

// The kinds of tasks beside distributed.Matches.
const (
	measuring = "measure" // an experiment.Job
	playing   = "play"    // a lesson
)

// taskWorker does the tasks of a queue, whoever has submitted them.
type taskWorker struct {
	*console
	matches *distributed.Worker
	lab     experiment.Lab
	tasks   int   // at a time
	memory  int64 // of a task, in bytes

	mu     sync.Mutex
	game   string // what the last lessons were of: the hash of the rules, and the engine
	school func() (school, error)
}

// school is what the lessons of a game have in common.
type school struct {
	digest  string // of the rules
	machine machine.Machine
	config  evaluate.Config // but for the seed
}

// newTaskWorker makes a worker for so many tasks at a time, none of which takes more than
// its part of the memory; a task has so many players at most.
func (s *console) newTaskWorker(tasks, players int, o player.Options) *taskWorker {
	w := &taskWorker{console: s, tasks: tasks, memory: s.memory.share(tasks * (players + 1))}
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
			return w.matches.Do(ctx, q, t)
		case measuring:
			return answered(ctx, t, w.lab.Measure)
		case playing:
			return answered(ctx, t, func(ctx context.Context, lesson lesson) (*evaluate.Played, error) {
				return w.play(ctx, q, lesson)
			})
		}
		return nil, fmt.Errorf("expected a task that this program knows, found %q", t.Kind)
	})
}

// answer is the result of a task of ours: a value, or why there is none.
type answer[T any] struct {
	Value   T      `json:"value"`
	Failure string `json:"failure,omitempty"`
}

// answered does a task. It is given back if ctx ends.
func answered[Q, A any](ctx context.Context, t queue.Task, do func(context.Context, Q) (A, error)) ([]byte, error) {
	var question Q
	var a answer[A]
	err := json.Unmarshal(t.Data, &question)
	if err == nil {
		a.Value, err = do(ctx, question)
	}
	if ctx.Err() != nil {
		return nil, queue.ErrAgain
	}
	if err != nil {
		a.Failure = err.Error()
	}
	return json.Marshal(a)
}

// asked has a task done and returns its answer.
func asked[Q, A any](ctx context.Context, c *queue.Caller, question Q) (value A, err error) {
	data, err := json.Marshal(question)
	if err != nil {
		return value, err
	}
	if data, err = c.Do(ctx, data); err != nil {
		return value, err
	}
	var a answer[A]
	if err := json.Unmarshal(data, &a); err != nil {
		return value, fmt.Errorf("what a worker has answered: %w", err)
	}
	if a.Failure != "" {
		err = errors.New(a.Failure)
	}
	return a.Value, err
}

// help has the tasks of a run done by whoever works on the queue, and by this process, one
// at a time. Stop ends that.
func (s *console) help(url, kind string) (c *queue.Caller, q *queue.Queue, stop func(), err error) {
	if q, err = queue.Dial(s.ctx, url, s.log); err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.newTaskWorker(1, 2, player.Options{Threads: 1}).work(ctx, q) // being stopped is how it ends
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

// lesson asks for games that are played by what is known of a game.
type lesson struct {
	Game    string  `json:"game"`
	Rules   string  `json:"rules"` // the hash under which the queue has the text
	Engine  string  `json:"engine"`
	Known   []byte  `json:"known"` // a file of evaluate.Learner
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"`
}

// play plays the games of a lesson.
func (w *taskWorker) play(ctx context.Context, q *queue.Queue, lesson lesson) (*evaluate.Played, error) {
	school, err := w.schoolOf(q, lesson)
	if err != nil {
		return nil, err
	}
	school.config.Seed = lesson.Seed
	learner, err := evaluate.Read(bytes.NewReader(lesson.Known), school.digest, school.machine, school.config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(min(lesson.Seconds, maxLesson)*float64(time.Second)))
	defer cancel()
	return learner.Play(ctx), nil
}

// maxLesson bounds a lesson, in seconds.
const maxLesson = 60

// schoolOf is made once for lessons of the same game that follow each other, unless that
// fails.
func (w *taskWorker) schoolOf(q *queue.Queue, lesson lesson) (school, error) {
	key := lesson.Rules + lesson.Engine
	w.mu.Lock()
	if w.game != key {
		w.game = key
		w.school = sync.OnceValues(func() (school, error) { return w.found(q, lesson) })
	}
	found := w.school
	w.mu.Unlock()
	s, err := found()
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.game == key {
			w.game = ""
		}
	}
	return s, err
}

// found makes what the lessons of a game have in common.
func (w *taskWorker) found(q *queue.Queue, lesson lesson) (school, error) {
	text, err := q.Text(w.ctx, lesson.Rules)
	if err != nil {
		return school{}, fmt.Errorf("the rules of %s: %w", lesson.Game, err)
	}
	rules, _, err := gdl.Load(w.ctx, lesson.Game, []byte(text))
	if err != nil {
		return school{}, err
	}
	m, err := reasoner.New(w.ctx, rules, reasoner.Options{Engine: lesson.Engine, Memory: w.memory, Cache: w.cache})
	if err != nil {
		return school{}, err
	}
	return school{rules.Digest(), machine.Decisive(w.ctx, m, false), learning(w.ctx, m, lesson.Seed, w.memory)}, nil
}
