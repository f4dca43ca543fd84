package tasks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"stackmate/gdl"
	"stackmate/player/training"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
	"stackmate/search/evaluate"
	"stackmate/search/experiment"
	"stackmate/search/layers"
	"stackmate/search/matrix"
)

// selfPlay asks for games to learn from.
type selfPlay struct {
	game
	training.Task
}

// selfPlay plays the games of a task.
func (w *Worker) selfPlay(ctx context.Context, q *queue.Queue, task selfPlay) (*evaluate.Played, error) {
	partner, err := w.partners.Get(task.Rules+task.Engine, func() (*training.Helper, error) {
		rules, m, err := w.compile(ctx, q, task.game)
		if err != nil {
			return nil, err
		}
		return training.NewHelper(ctx, rules, m, task.Seed, w.Memory), nil
	})
	if err != nil {
		return nil, err
	}
	return partner.Play(ctx, task.Task)
}

// layersTask asks for a part of a layer. All workers see the folder at the same path.
type layersTask struct {
	game
	LP     string `json:"lp"`
	Folder string `json:"folder"`
	layers.Task
}

// layer does a part of a layer. It returns the task to the queue if the folder does not exist here.
func (w *Worker) layer(ctx context.Context, q *queue.Queue, run string, task layersTask) (done layers.Done, err error) {
	h, err := w.layers.Get(run, func() (*layers.Helper, error) { return w.newLayers(ctx, q, task) })
	if err == nil {
		done, err = h.Do(ctx, task.Task)
	}
	if errors.Is(err, fs.ErrNotExist) {
		w.Log.Warn().Err(err).Msg("a part of a layer is left to others")
		err = queue.ErrAgain
	}
	return done, err
}

// newLayers opens the folder of a task.
func (w *Worker) newLayers(ctx context.Context, q *queue.Queue, task layersTask) (*layers.Helper, error) {
	if !layers.Holds(task.Folder) {
		return nil, fmt.Errorf("%s: expected a folder that is shared with solve --save: %w", task.Folder, fs.ErrNotExist)
	}
	rules, m, err := w.compile(ctx, q, task.game)
	if err != nil {
		return nil, err
	}
	lp := func() (matrix.Engine, error) { return matrix.NewEngine(task.LP) }
	return layers.NewHelper(task.Folder, m, rules.ExactDigest(), lp, w.AtOnce, w.Layering)
}

// Measure returns a function that has the jobs of an experiment done, and a function that ends it.
func (w *Worker) Measure(ctx context.Context, q *queue.Queue) (func(context.Context, experiment.Job) (experiment.Measured, error), func()) {
	h := w.help(ctx, q, measuring)
	return func(ctx context.Context, j experiment.Job) (experiment.Measured, error) {
		return submit[experiment.Job, experiment.Measured](ctx, h, j)
	}, h.close
}

// SelfPlay returns a function that has the tasks of a training done, and a function that ends it.
func (w *Worker) SelfPlay(ctx context.Context, q *queue.Queue, name string, rules *gdl.Game, engine string) (func(context.Context, training.Task) (*evaluate.Played, error), func(), error) {
	h := w.help(ctx, q, playing)
	g, err := h.publish(ctx, name, rules, engine)
	return func(ctx context.Context, t training.Task) (*evaluate.Played, error) {
		return submit[selfPlay, *evaluate.Played](ctx, h, selfPlay{g, t})
	}, h.close, err
}

// Layers publishes the rules and returns a function that submits a task of a layered solution (package layers, files in
// folder) to the queue and waits for its result, and a function that releases the resources. It returns an error if the
// rules cannot be published.
func (w *Worker) Layers(ctx context.Context, q *queue.Queue, name string, rules *gdl.Game, engine, lp, folder string) (func(context.Context, layers.Task) (layers.Done, error), func(), error) {
	h := w.help(ctx, q, layering)
	g, err := h.publish(ctx, name, rules, engine)
	folder, wrong := filepath.Abs(folder)
	return func(ctx context.Context, t layers.Task) (layers.Done, error) {
		return submit[layersTask, layers.Done](ctx, h, layersTask{g, lp, folder, t})
	}, h.close, errors.Join(err, wrong)
}

// publish puts the rules of a game into the queue.
func (h *helpers) publish(ctx context.Context, name string, rules *gdl.Game, engine string) (game, error) {
	text := arena.RulesText(rules)
	g := game{Game: name, Rules: arena.HashRules(text), Engine: engine}
	return g, h.queue.PutText(ctx, g.Rules, text)
}
