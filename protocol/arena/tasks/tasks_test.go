package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/internal/must"
	"stackmate/player/training"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/search/experiment"
)

// open returns a queue and a worker of it.
func open(t *testing.T) (*queue.Queue, *Worker) {
	t.Helper()
	q := must.Get(queue.Embed(t.Context(), t.TempDir(), "", zerolog.Nop()))(t)
	t.Cleanup(q.Close)
	return q, &Worker{Matches: new(distributed.Worker), AtOnce: 2, Memory: 64 << 20, Layering: 64 << 20, Log: zerolog.Nop()}
}

func TestDamagedTasksFailAndTheWorkerGoesOn(t *testing.T) {
	q, w := open(t)
	rules := gamestest.Rules(t, "ticTacToe")
	play, end := must.Get2(w.SelfPlay(t.Context(), q, "ticTacToe", rules, ""))(t)
	defer end()
	published := must.Get((&helpers{queue: q}).publish(t.Context(), "ticTacToe", rules, ""))(t)
	strange := func(change func(*game)) []byte {
		task := selfPlay{game: published, Task: training.Task{Known: []byte("weights"), Seconds: 1}}
		change(&task.game)
		data, _ := json.Marshal(task)
		return data
	}
	must.OK(t, q.PutText(t.Context(), "wrong", "(role a)"))
	for name, task := range map[string]struct {
		kind string
		data []byte
		want string
	}{
		"no JSON":             {playing, []byte("{"), "unexpected end"},
		"another type":        {playing, []byte(`{"seed":"x"}`), "seed"},
		"deep":                {playing, []byte(strings.Repeat("[", 20_000)), "max depth"},
		"no rules":            {playing, []byte(`{"game":"x","rules":"none"}`), "the rules of x"},
		"rules of other hash": {playing, strange(func(g *game) { g.Rules = "wrong" }), "do not have the hash"},
		"unknown engine":      {playing, strange(func(g *game) { g.Engine = "steam" }), "steam"},
		"damaged weights":     {playing, strange(func(*game) {}), "damaged"},
		"no experiment":       {measuring, []byte(`{"experiment":"alchemy"}`), "alchemy"},
		"no line":             {measuring, []byte(`{"experiment":"goofspiel","number":-1,"max":2000000000}`), "no line -1"},
		"null":                {measuring, []byte("null"), "expected an experiment"},
	} {
		c := q.Call(t.Context(), "attack-"+strings.ReplaceAll(name, " ", "-"), task.kind)
		data, err := c.Do(t.Context(), task.data)
		var result outcome[any]
		if err == nil {
			err = json.Unmarshal(data, &result)
		}
		if err != nil || !strings.Contains(result.Failure, task.want) {
			t.Errorf("%s: %v, failure %q, want %q", name, err, result.Failure, task.want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := play(t.Context(), training.Task{Known: []byte("weights"), Seconds: 1}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the next task: %v", err)
	}
}

func TestATaskThatPanicsIsAFailure(t *testing.T) {
	work := func(context.Context, experiment.Job) (int, error) { panic("out of order") }
	data, err := do(t.Context(), queue.Task{Data: []byte("{}")}, work)
	var result outcome[int]
	if err != nil || json.Unmarshal(data, &result) != nil || !strings.Contains(result.Failure, "out of order") {
		t.Errorf("%v, %s", err, data)
	}
}

func TestATaskGoesBackWhenItsWorkerEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := do(ctx, queue.Task{Data: []byte("{}")}, func(context.Context, struct{}) (int, error) { cancel(); return 0, nil }); !errors.Is(err, queue.ErrAgain) {
		t.Errorf("the worker ends: %v", err)
	}
	if _, err := do(t.Context(), queue.Task{Data: []byte("{}")}, func(context.Context, struct{}) (int, error) { return 0, queue.ErrAgain }); !errors.Is(err, queue.ErrAgain) {
		t.Errorf("the worker gives it back: %v", err)
	}
}
