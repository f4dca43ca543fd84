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

// Worker plays matches of tournaments for any runner.
type Worker struct {
	// Player returns a constructor of the player with a description for one match, with its own seed.
	Player func(spec string, seed uint64) (arena.Player, error)
	Memory int64 // limit for compiling a game, in bytes; 0 for the default
	Cache  *reasoner.Cache
	Log    zerolog.Logger

	managers recent.Cache[gameKey, *arena.Manager]
}

// gameKey identifies a compiled game: its name, and the hash of its rules.
type gameKey struct{ name, rules string }

// maxTries limits the attempts at a match whose workers crash.
const maxTries = 10

// Matches is the kind of the tasks of tournaments.
const Matches = "match"

// Do plays the match of a task and returns its result, even if the match fails. The error is ctx's.
func (w *Worker) Do(ctx context.Context, q *queue.Queue, t queue.Task) ([]byte, error) {
	h := held{Attempt: rand.Text()}
	o, err := decode[order](t.Data)
	switch {
	case err != nil:
	case t.Tries > maxTries:
		err = fmt.Errorf("%d workers crashed or disconnected during the match", maxTries)
	default:
		h.Record, err = w.hold(ctx, q, t, o, h.Attempt)
	}
	if ctx.Err() != nil {
		return nil, queue.ErrAgain
	}
	data, unwritten := json.Marshal(h)
	if err == nil && len(data) > queue.MaxResult {
		err = fmt.Errorf("expected a record of at most %[2]d MiB, found %[1]d MiB", len(data)>>20, queue.MaxResult>>20)
	}
	if err != nil {
		w.Log.Warn().Str("match", o.Match).Err(err).Msg("match failed")
		return json.Marshal(held{Attempt: h.Attempt, Failure: err.Error()})
	}
	return data, unwritten
}

// hold plays a match.
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
		if ctx.Err() != nil { // the match is given back: no last part
			return nil
		}
		data, err := json.Marshal(report{attempt, number, part})
		if number++; err != nil {
			return err
		}
		_ = q.Report(t, data) // a lost report does not affect the match
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

// Rules loads the rules with a hash (arena.HashRules) from the queue. It checks the hash, as other workers can write
// there.
func Rules(ctx context.Context, q *queue.Queue, name, hash string) (*gdl.Game, error) {
	text, err := q.Text(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("the rules of %s: %w", name, err)
	}
	if arena.HashRules(text) != hash {
		return nil, fmt.Errorf("the rules of %s in the queue do not have the hash in the task", name)
	}
	game, _, err := gdl.LoadToPlay(ctx, name, []byte(text))
	return game, err
}
