package training

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/search/evaluate"
)

// begin returns a training of ticTacToe with a helper of the same game.
func begin(t *testing.T) (*Training, *Helper) {
	t.Helper()
	rules, m := gamestest.Rules(t, "ticTacToe"), gamestest.Machine(t, "ticTacToe")
	training, err := New(t.Context(), t.TempDir(), rules, m, 1, 16<<20)
	if err != nil {
		t.Fatal(err)
	}
	return training, NewHelper(t.Context(), rules, m, 1, 16<<20)
}

// play returns games that a helper has played for a training.
func play(t *testing.T, x *Training, h *Helper) *evaluate.Played {
	t.Helper()
	if err := x.save(); err != nil {
		t.Fatal(err)
	}
	for seconds := 0.02; ; seconds *= 2 {
		p, err := h.Play(t.Context(), Task{Known: *x.known.Load(), Seed: 1, Seconds: seconds})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Games) > 0 {
			return p
		}
	}
}

func TestDamagedGamesOfHelpersAreDropped(t *testing.T) {
	x, h := begin(t)
	good := play(t, x, h)
	damage := func(change func(*evaluate.PlayedGame)) *evaluate.Played {
		g := good.Games[0]
		g.States, g.Values, g.Outcome = slices.Clone(g.States), slices.Clone(g.Values), slices.Clone(g.Outcome)
		change(&g)
		return &evaluate.Played{Layout: good.Layout, Games: []evaluate.PlayedGame{g}}
	}
	attacks := []*evaluate.Played{
		nil,
		{},
		{Layout: "another"},
		damage(func(g *evaluate.PlayedGame) { g.States = nil }),
		damage(func(g *evaluate.PlayedGame) { g.States = g.States[1:] }),
		damage(func(g *evaluate.PlayedGame) { g.Values = append(g.Values, 1) }),
		damage(func(g *evaluate.PlayedGame) { g.Outcome = nil }),
		damage(func(g *evaluate.PlayedGame) { g.Outcome[0] = float32(math.Inf(1)) }),
		damage(func(g *evaluate.PlayedGame) {
			for i := range g.States {
				g.States[i] = math.MaxUint64
			}
		}),
	}
	x.played = make(chan *evaluate.Played, len(attacks)+1)
	for _, p := range append(attacks, good) {
		x.played <- p
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	go func() {
		for len(x.played) > 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := x.learn(ctx); err != nil || x.Elsewhere < int64(len(good.Games)) || x.Elsewhere > int64(len(good.Games)+1) {
		t.Errorf("%v; %d games were taken, want the %d good ones", err, x.Elsewhere, len(good.Games))
	}
}

func TestDamagedWeightsOfATaskAreRefused(t *testing.T) {
	x, h := begin(t)
	play(t, x, h)
	whole := *x.known.Load()
	for name, known := range map[string][]byte{"none": nil, "half": whole[:len(whole)/2], "text": []byte("weights")} {
		if p, err := h.Play(t.Context(), Task{Known: known, Seconds: 1}); err == nil {
			t.Errorf("%s: %d games", name, len(p.Games))
		}
	}
	if p, err := h.Play(t.Context(), Task{Known: whole, Seconds: -1e300}); err != nil || len(p.Games) > 0 {
		t.Errorf("no time: %v", err)
	}
}

func TestATrainingSavesItsCheckpoints(t *testing.T) {
	x, _ := begin(t)
	var told []int
	for length := Checkpoints * time.Millisecond; x.learner.Progress().Games == 0 && length < time.Minute; length *= 2 {
		x.Checkpoints, x.Total, told = nil, nil, nil
		if err := x.Run(t.Context(), length, func(done, of int) { told = append(told, done, of) }); err != nil {
			t.Fatal(err)
		}
	}
	last := x.Checkpoints[len(x.Checkpoints)-1]
	if len(x.Checkpoints) != Checkpoints || x.Total == nil || !x.Saved() || last.Games == 0 || last.Seconds <= x.Checkpoints[0].Seconds {
		t.Errorf("%d checkpoints, the last one %+v, in all %+v", len(x.Checkpoints), last, x.Total)
	}
	if want := []int{0, 5, 1, 5, 2, 5, 3, 5, 4, 5}; !slices.Equal(told, want) {
		t.Errorf("progress %v, want %v", told, want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := New(t.Context(), filepath.Dir(x.File), gamestest.Rules(t, "ticTacToe"), gamestest.Machine(t, "ticTacToe"), 1, 16<<20)
	if err != nil || again.learner.Progress().Games != last.Games {
		t.Fatalf("continued: %v", err)
	}
	if err := again.Run(ended, time.Hour, func(_, _ int) {}); !errors.Is(err, context.Canceled) || len(again.Checkpoints) != 1 || !again.Saved() {
		t.Errorf("ended at once: %v, %d checkpoints", err, len(again.Checkpoints))
	}
}

func TestEachTaskOfAHelperHasItsSeed(t *testing.T) {
	x, _ := begin(t)
	tasks := make(chan Task)
	end, err := x.Invite(t.Context(), zerolog.Nop(), 7, func(ctx context.Context, task Task) (*evaluate.Played, error) {
		tasks <- task
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	seeds := make(map[uint64]bool)
	for range helpers {
		task := <-tasks
		if seeds[task.Seed] = true; task.Seed>>32 != 7 || task.Seconds != 1 || len(task.Known) == 0 {
			t.Errorf("seed %x for %g s", task.Seed, task.Seconds)
		}
	}
	if end(); len(seeds) != helpers {
		t.Errorf("seeds %v", seeds)
	}
}
