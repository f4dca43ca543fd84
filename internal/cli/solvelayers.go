package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner"
	"stackmate/search/layers"
	"stackmate/search/matrix"
)

// layering is the kind of the tasks of solve --method layers.
const layering = "layers"

// layersTask asks for a part of a layer. Workers need the folder at the same path.
type layersTask struct {
	Game   string `json:"game"`
	Rules  string `json:"rules"` // the hash under which the queue has the text
	Engine string `json:"engine"`
	LP     string `json:"lp"`
	Folder string `json:"folder"`
	layers.Task
}

// startLayerWorkers returns a function that has parts of layers done by the workers of a queue and by this process, at most
// threads at a time here, until end is called.
func (c *solveCommand) startLayerWorkers(s *console, p problem, threads int) (do func(context.Context, layers.Task) (layers.Done, error), end func(), err error) {
	text := arena.RulesText(p.rules)
	task := layersTask{Game: c.Game, Rules: arena.HashRules(text), Engine: c.Engine, LP: c.LP}
	if task.Folder, err = filepath.Abs(c.Save); err != nil {
		return nil, func() {}, err
	}
	caller, q, end, err := s.startWorkers(c.NATS, layering, threads)
	if err != nil {
		return nil, func() {}, err
	}
	return func(ctx context.Context, t layers.Task) (layers.Done, error) {
		task := task
		task.Task = t
		return submitTask[layersTask, layers.Done](ctx, caller, task)
	}, end, q.PutText(s.ctx, task.Rules, text)
}

// layers does a part of a layer. Where the folder is not there, others must.
func (w *taskWorker) layers(ctx context.Context, q *queue.Queue, run string, task layersTask) (layers.Done, error) {
	h, err := w.helpers.Get(run, func() (*layers.Helper, error) { return w.newHelper(q, task) })
	var done layers.Done
	if err == nil {
		done, err = h.Do(ctx, task.Task)
	}
	if errors.Is(err, fs.ErrNotExist) {
		w.log.Warn().Err(err).Msg("a part of a layer is left to others")
		err = queue.ErrAgain
	}
	return done, err
}

// newHelper compiles the game of a task.
func (w *taskWorker) newHelper(q *queue.Queue, task layersTask) (*layers.Helper, error) {
	if !layers.Holds(task.Folder) {
		return nil, fmt.Errorf("%s: expected a folder that is shared with solve --save: %w", task.Folder, fs.ErrNotExist)
	}
	rules, err := distributed.Rules(w.ctx, q, task.Game, task.Rules)
	if err != nil {
		return nil, err
	}
	m, err := reasoner.New(w.ctx, rules, reasoner.Options{Engine: task.Engine, Memory: w.memory, Cache: w.cache})
	if err != nil {
		return nil, err
	}
	lp := func() (matrix.Engine, error) { return matrix.NewEngine(task.LP) }
	return layers.NewHelper(task.Folder, m, rules.ExactDigest(), lp, w.tasks, w.console.memory.share(2))
}
