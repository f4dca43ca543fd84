package training

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/search/evaluate"
)

// begin returns a training of a game with a helper of the same game.
func begin(t *testing.T, game string) (*Training, *Helper) {
	t.Helper()
	rules, m := gamestest.Rules(t, game), gamestest.Machine(t, game)
	training, err := New(t.Context(), t.TempDir(), rules, m, 1, 16<<20)
	if err != nil {
		t.Fatal(err)
	}
	return training, NewHelper(t.Context(), rules, m, 1, 16<<20)
}

// play returns games that a helper has played for a training.
func play(t *testing.T, x *Training, h *Helper) *evaluate.Played {
	t.Helper()
	if err := x.show(); err != nil {
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
	x, h := begin(t, "ticTacToe")
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

func TestMovesChosenAtOnceAreTrained(t *testing.T) {
	x, h := begin(t, "biddingTicTacToe-3")
	x.take(play(t, x, h))
	x.learner.Learn(t.Context(), 5000)
	if err := x.checkpoint(t.Context(), 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	if c := x.Checkpoints[0]; !c.Saved || x.Elsewhere == 0 || c.Against.Points-c.Against.Error <= 0 {
		t.Errorf("after %d games, %d of them of a helper: %+v; want a gain on random weights", c.Games, x.Elsewhere, c)
	}
}

func TestDamagedWeightsOfATaskAreRefused(t *testing.T) {
	x, h := begin(t, "ticTacToe")
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

func TestEachTaskOfAHelperHasItsSeed(t *testing.T) {
	x, _ := begin(t, "ticTacToe")
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

func TestWeakerWeightsDoNotReplaceTheFile(t *testing.T) {
	x, _ := begin(t, "connectFour-4x4")
	untrained := x.learner
	learnt, err := evaluate.New(x.machine, evaluate.Config{Seed: 1, ConstantSum: true})
	if err != nil {
		t.Fatal(err)
	}
	learnt.Learn(t.Context(), 5000)
	for i, c := range []struct {
		learner *evaluate.Learner
		saved   bool
	}{{learnt, true}, {untrained, false}, {learnt, true}} {
		x.learner = c.learner
		if err := x.checkpoint(t.Context(), 1, time.Hour); err != nil {
			t.Fatal(err)
		}
		got := x.Checkpoints[i]
		known, err := evaluate.Learnt(x.File)
		if err != nil || got.Saved != c.saved || known.Games != learnt.Progress().Games || got.Against.Games < duelGames {
			t.Errorf("checkpoint %d: %+v, the file is from %d games, %v", i, got, known.Games, err)
		}
	}
	if x.best == x.saved {
		t.Error("weights become the best that have not won against the best")
	}
	if c := x.Checkpoints[0]; c.Elo == c.Against.Elo() {
		t.Error("the games that made weights the best give their strength")
	}
	first, weaker, again := x.Checkpoints[0].Elo, x.Checkpoints[1].Elo, x.Checkpoints[2].Elo
	if first < 50 || weaker > first-50 || math.Abs(again-first) > 15 {
		t.Errorf("Elo %.0f, %.0f without learning, %.0f with the first weights again", first, weaker, again)
	}
	if plot := string(x.Plot()); !strings.Contains(plot, "weaker, not saved") || !strings.Contains(plot, "Elo") {
		t.Errorf("plot: %s", plot)
	}
}
