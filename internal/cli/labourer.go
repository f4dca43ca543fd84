package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/player"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/hall"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
	"stackmate/search/experiment"
)

// The kinds of tasks beside hall.Matches.
const (
	measuring = "measure" // an experiment.Job
	playing   = "play"    // a lesson
)

// labourer does the tasks of a queue, whoever has submitted them.
type labourer struct {
	*console
	matches *hall.Worker
	lab     experiment.Lab
	tasks   int   // at a time
	memory  int64 // of a task, in bytes

	mu      sync.Mutex
	game    string // the hash of the rules that lessons were of last
	machine func() (machine.Machine, error)
}

// newLabourer makes a labourer of so many tasks at a time, none of which takes more than
// its part of the memory; a task has so many players at most.
func (s *console) newLabourer(tasks, players int, o player.Options) *labourer {
	l := &labourer{console: s, tasks: tasks, memory: s.memory.share(tasks * (players + 1))}
	o.Memory = l.memory
	roster := s.newRoster(o)
	l.matches = &hall.Worker{
		Player: func(spec string, seed uint64) (arena.Player, error) {
			return roster.player(spec, func() uint64 { return seed })
		},
		Memory: l.memory, Log: s.log,
	}
	l.lab = s.newLab(l.memory)
	return l
}

// work does tasks until ctx ends.
func (l *labourer) work(ctx context.Context, q *queue.Queue) error {
	return q.Work(ctx, l.tasks, func(ctx context.Context, t queue.Task) ([]byte, error) {
		switch t.Kind {
		case hall.Matches:
			return l.matches.Do(ctx, q, t)
		case measuring:
			return answered(ctx, t, l.lab.Measure)
		case playing:
			return answered(ctx, t, func(ctx context.Context, lesson lesson) (*evaluate.Played, error) {
				return l.play(ctx, q, lesson)
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
		_ = s.newLabourer(1, 2, player.Options{Threads: 1}).work(ctx, q) // being stopped is how it ends
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
func (l *labourer) play(ctx context.Context, q *queue.Queue, lesson lesson) (*evaluate.Played, error) {
	text, err := q.Text(ctx, lesson.Rules)
	if err != nil {
		return nil, fmt.Errorf("the rules of %s: %w", lesson.Game, err)
	}
	rules, _, err := gdl.Load(ctx, lesson.Game, []byte(text))
	if err != nil {
		return nil, err
	}
	m, err := l.compiled(lesson, rules)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "stackmate-lesson-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, player.KnowledgeFile(rules.Digest()))
	if err := os.WriteFile(path, lesson.Known, 0o600); err != nil {
		return nil, err
	}
	learner, err := newLearner(ctx, path, rules.Digest(), m, lesson.Seed, l.memory)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(min(lesson.Seconds, maxLesson)*float64(time.Second)))
	defer cancel()
	return learner.Play(ctx), nil
}

// maxLesson bounds a lesson, in seconds.
const maxLesson = 60

// compiled is the machine of a lesson, which others are likely to be of, too.
func (l *labourer) compiled(lesson lesson, rules *gdl.Game) (machine.Machine, error) {
	l.mu.Lock()
	if key := lesson.Rules + lesson.Engine; l.game != key {
		l.game = key
		l.machine = sync.OnceValues(func() (machine.Machine, error) {
			return reasoner.New(l.ctx, rules, reasoner.Options{Engine: lesson.Engine, Memory: l.memory})
		})
	}
	compile := l.machine
	l.mu.Unlock()
	return compile()
}
