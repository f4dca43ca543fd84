package distributed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"stackmate/gdl"
	"stackmate/internal/recent"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
	"stackmate/reasoner"

	"github.com/rs/zerolog"
)

// Worker holds matches of tournaments, whoever runs them.
type Worker struct {
	// Player makes the player of a description for one match, with a seed of its own.
	Player func(spec string, seed uint64) (arena.Player, error)
	Memory int64 // of compiling one game, in bytes; 0 for the default
	Cache  *reasoner.Cache
	Log    zerolog.Logger

	managers recent.Cache[gameKey, *arena.Manager]
}

// gameKey is a game that a worker has compiled: its name, and the hash of its rules.
type gameKey struct{ name, rules string }

// maxTries is how often a match is begun whose workers die of it.
const maxTries = 10

// Matches is the kind of the tasks of tournaments.
const Matches = "match"

// Do holds the match of a task and returns its result, also where the match cannot be held. The error is an
// error of ctx.
func (w *Worker) Do(ctx context.Context, q *queue.Queue, t queue.Task) ([]byte, error) {
	h := held{Attempt: rand.Text()}
	o, err := decode[order](t.Data)
	switch {
	case err != nil:
	case t.Tries > maxTries:
		err = fmt.Errorf("%d workers did not come back from it", maxTries)
	default:
		h.Record, err = w.hold(ctx, q, t, o, h.Attempt)
	}
	if ctx.Err() != nil {
		return nil, queue.ErrAgain
	}
	data, unwritten := json.Marshal(h)
	if err == nil && len(data) > queue.MaxResult {
		err = fmt.Errorf("its record has %d MiB, at most %d are sent", len(data)>>20, queue.MaxResult>>20)
	}
	if err != nil {
		w.Log.Warn().Str("match", o.Match).Err(err).Msg("a match cannot be held")
		return json.Marshal(held{Attempt: h.Attempt, Failure: err.Error()})
	}
	return data, unwritten
}

// hold holds a match.
func (w *Worker) hold(ctx context.Context, q *queue.Queue, t queue.Task, o order, attempt string) (*arena.Record, error) {
	manager, err := w.managers.Get(gameKey{o.Game, o.Rules}, func() (*arena.Manager, error) { return w.compile(ctx, q, o) })
	if err != nil {
		return nil, err
	}
	var players []arena.Player
	for i, spec := range o.Specs {
		p, err := w.Player(spec, o.Setting.Seed<<8+uint64(i))
		if err != nil {
			return nil, fmt.Errorf("player %s: %w", spec, err)
		}
		p.Name = o.Names[i]
		players = append(players, p)
	}
	number := 0
	o.Setting.Tell = func(part *arena.Record) error {
		if ctx.Err() != nil { // the match is given back: this is not its end
			return nil
		}
		data, err := json.Marshal(report{attempt, number, part})
		if number++; err != nil {
			return err
		}
		_ = q.Report(t, data) // watching may fail, the match need not
		return nil
	}
	return manager.Match(ctx, o.Match, players, o.Setting)
}

func (w *Worker) compile(ctx context.Context, q *queue.Queue, o order) (*arena.Manager, error) {
	game, err := Rules(ctx, q, o.Game, o.Rules)
	if err != nil {
		return nil, err
	}
	m, err := reasoner.New(ctx, game, reasoner.Options{Memory: w.Memory, Cache: w.Cache})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Game, err)
	}
	return arena.NewManager(o.Game, game, m, w.Log), nil
}

// Rules loads the rules that the queue has under their hash (arena.HashRules). Whoever can
// write there may have put others in their place.
func Rules(ctx context.Context, q *queue.Queue, name, hash string) (*gdl.Game, error) {
	text, err := q.Text(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("the rules of %s: %w", name, err)
	}
	if arena.HashRules(text) != hash {
		return nil, fmt.Errorf("the rules of %s are not those that the task names", name)
	}
	game, _, err := gdl.LoadToPlay(ctx, name, []byte(text))
	return game, err
}
