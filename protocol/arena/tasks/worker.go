// Package tasks owns the kinds of tasks of a queue: matches of tournaments, measurements of experiments, games to learn from, and parts
// of layers. It knows players and searches, unlike the packages around it, and neither the command line nor the page.
package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/internal/recent"
	"stackmate/player/training"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/evaluate"
	"stackmate/search/experiment"
	"stackmate/search/layers"
)

// The kinds of tasks besides distributed.Matches.
const (
	measuring = "measure" // an experiment.Job
	playing   = "play"    // a selfPlay
	layering  = "layers"  // a layersTask
)

// Worker does the tasks of a queue.
type Worker struct {
	Matches  *distributed.Worker
	Lab      experiment.Lab
	AtOnce   int   // tasks
	Memory   int64 // of a task, in bytes
	Layering int64 // memory of all tasks of layers, in bytes
	Cache    *reasoner.Cache
	Log      zerolog.Logger

	sized    sync.Once
	partners recent.Cache[string, *training.Helper] // by the hash of the rules and the engine
	layers   recent.Cache[string, *layers.Helper]   // by the run
}

// Work does tasks until ctx ends.
func (w *Worker) Work(ctx context.Context, q *queue.Queue) error {
	w.sized.Do(func() { w.partners.Size, w.layers.Size = 1, 1 })
	outer := ctx
	return q.Work(ctx, w.AtOnce, func(ctx context.Context, t queue.Task) ([]byte, error) {
		switch t.Kind {
		case distributed.Matches:
			result, err := w.Matches.Do(ctx, q, t)
			if outer.Err() != nil { // players of this process may have ended before ctx has: their moves are none
				return nil, outer.Err()
			}
			return result, err
		case measuring:
			return do(ctx, t, w.Lab.Measure)
		case playing:
			return do(ctx, t, func(ctx context.Context, task selfPlay) (*evaluate.Played, error) { return w.selfPlay(ctx, q, task) })
		case layering:
			return do(ctx, t, func(ctx context.Context, task layersTask) (layers.Done, error) { return w.layer(ctx, q, t.Run, task) })
		}
		return nil, fmt.Errorf("expected a task that this program knows, found %q", t.Kind)
	})
}

// game identifies a game of tasks.
type game struct {
	Game   string `json:"game"`
	Rules  string `json:"rules"` // the hash under which the queue has the text
	Engine string `json:"engine"`
}

// compile compiles the game of a task.
func (w *Worker) compile(ctx context.Context, q *queue.Queue, g game) (*gdl.Game, machine.Machine, error) {
	rules, err := distributed.Rules(ctx, q, g.Game, g.Rules)
	if err != nil {
		return nil, nil, err
	}
	m, err := reasoner.New(ctx, rules, reasoner.Options{Engine: g.Engine, Memory: w.Memory, Cache: w.Cache})
	return rules, m, err
}

// outcome is the result of a task: a value, or the reason why there is none.
type outcome[T any] struct {
	Value   T      `json:"value"`
	Failure string `json:"failure,omitempty"`
}

// do decodes a task, does it and encodes its outcome. It returns the task to the queue if ctx ends, or for queue.ErrAgain. A panic is a
// failure: the task would end the next worker, too.
func do[T, R any](ctx context.Context, t queue.Task, work func(context.Context, T) (R, error)) ([]byte, error) {
	var task T
	var result outcome[R]
	err := json.Unmarshal(t.Data, &task)
	if err == nil {
		err = guard.Do(func() (err error) {
			result.Value, err = work(ctx, task)
			return err
		})
	}
	if ctx.Err() != nil || errors.Is(err, queue.ErrAgain) {
		return nil, queue.ErrAgain
	}
	if err != nil {
		result.Failure = err.Error()
	}
	return json.Marshal(result)
}
