package player

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"stackmate/games"
	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/search"
	"stackmate/search/bestfirst"
	"stackmate/search/evaluate"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/sequential"
)

// rulesOf returns the rules of a built-in game, or of one of the corpus: with ".kif", where there are both.
func rulesOf(t testing.TB, name string) *gdl.Game {
	t.Helper()
	name, rulesheet := strings.CutSuffix(name, ".kif")
	if _, _, err := games.Source(name); err == nil && !rulesheet {
		return gamestest.Rules(t, name)
	}
	g, _, err := gdl.Load(t.Context(), name, corpus.Source(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// duel is a comparison and the games that it is held in.
type duel struct {
	name   string
	rivals [2]montecarlo.Config
	nodes  int64         // for each move; 0 means clock
	clock  time.Duration // processor time for each move; 0 means duelClock
	games  []string
	// learns makes the first search value leaves by an evaluation trained for learningClock; alike makes the second do so, too.
	learns, alike bool
	// longer is the learning time of the first search, in multiples of the learningClock of the second, whose evaluation is another one.
	longer int
	// best makes the first search a best-first search by the evaluation.
	best bool
	// factors makes the first search search each subgame on its own; proves makes both do so, the first with exact searches.
	factors, proves bool
	// byTheWall makes moves take wallClock of an idle machine, with any number of threads.
	byTheWall bool
}

// learningClock is processor time.
const learningClock = 4 * time.Second

// duelClock is the processor time for each move of a duel: thousands of leaves. wallClock is the time for a move by the wall clock,
// longer than any wait of a worker.
const (
	duelClock = 12 * time.Millisecond
	wallClock = 40 * time.Millisecond
)

// metered is a search whose moves take about the processor time of clock, under any load of the machine: it sets the number of nodes by
// the rate measured so far.
type metered struct {
	search.Searcher
	clock time.Duration
	nodes int64
	took  time.Duration
}

func (s *metered) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.MaxNodes = 500
	if s.nodes > 0 {
		lim.MaxNodes = max(50, int64(float64(s.nodes)*float64(s.clock)/float64(s.took)))
	}
	began := cputime.Now()
	r, err := s.Searcher.Search(ctx, m, q, lim)
	if nodes := r.Nodes; nodes > 0 {
		s.nodes, s.took = s.nodes+nodes, s.took+max(1, cputime.Now()-began)
	}
	return r, err
}

// estimated lists games in which evaluations help, and others in which they mislead.
var estimated = strings.Fields(`
	breakthrough breakthroughHoles connectFour reversi othelloHoles checkers speedChess linesOfAction
	skirmishZeroSum kalaha6x2x4 pentago hex gomoku_11x11 tictactoe_3d_2player nineBoardTicTacToe amazons_8x8
	cubicup connect5 knightazons quarto quartoSuicide connectFourLarge nineBoardTicTacToePie pentagoSuicide
	dotsAndBoxesSuicide cephalopodMicro connectFourSuicide ticTacHeaven skirmishNew cylinder-checkers
	checkersSmall chess_200 chess`)

// duels lists, for each technique of the sampling search, the search with and without it at equal time, and the other choices.
func duels() []duel {
	turns := []string{"connectFour", "breakthrough", "reversi", "checkersSmall", "nineBoardTicTacToe"}
	atOnce := []string{"goofspiel-9", "biddingTicTacToe-5", "oshiZumo-15-3", "tron-8x8", "connectFourSimultaneous"}
	learnable := append([]string{"breakthroughHoles", "speedChess", "linesOfAction", "hex", "gomoku_11x11", "amazons_8x8"}, turns...)
	trained := []string{"breakthrough", "reversi", "connectFour", "hex", "checkers", "gomoku_11x11", "amazons_8x8", "chess"}
	sampled := append([]string{"chinook"}, learnable...) // in chinook both choose at once, for goals of any sum
	pair := func(c, against montecarlo.Config) [2]montecarlo.Config { return [2]montecarlo.Config{c, against} }
	plain := montecarlo.Config{Without: montecarlo.Plain, Playouts: 1, Exploration: textbookExploration}
	list := []duel{
		{name: "regretMatching", rivals: pair(montecarlo.Config{Rule: montecarlo.RegretMatching}, montecarlo.Config{}), nodes: 1000, games: atOnce},
		{name: "equilibria", rivals: pair(montecarlo.Config{Rule: montecarlo.RegretMatching}, montecarlo.Config{Rule: montecarlo.RegretMatching, Without: montecarlo.Equilibria}), games: atOnce},
		{name: "decisive-at-once", rivals: pair(montecarlo.Config{AtOnce: true}, montecarlo.Config{Without: montecarlo.Decisive}), games: append(atOnce, "ticTacToeParallel", "chickentictactoe", "blobwars", "racetrackcorridor", "doubletoetictac", "battlebrushes", "pacman2p", "shmup")},
		{name: factoring, rivals: pair(montecarlo.Config{}, montecarlo.Config{AtOnce: true}), games: []string{"connectFourSimultaneous", "chinook"}, factors: true},
		{name: "subgame-proofs", rivals: pair(montecarlo.Config{}, montecarlo.Config{}), nodes: 40_000, games: []string{"connectFourSimultaneous"}, proves: true},
		{name: "exploration=10", rivals: pair(montecarlo.Config{Exploration: 10}, montecarlo.Config{}), games: turns},
		{name: "exploration=40", rivals: pair(montecarlo.Config{Exploration: 40}, montecarlo.Config{}), games: turns},
		{name: "playouts=1", rivals: pair(montecarlo.Config{Playouts: 1}, montecarlo.Config{}), games: turns},
		{name: "playouts=2", rivals: pair(montecarlo.Config{Playouts: 2}, montecarlo.Config{}), games: append([]string{"biddingTicTacToe-10", "goofspiel-10", "connectFourSimultaneous", "blocker"}, sampled...)},
		{name: "playouts=4", rivals: pair(montecarlo.Config{Playouts: 4}, montecarlo.Config{}), games: turns},
		{name: "playouts=16", rivals: pair(montecarlo.Config{Playouts: 16}, montecarlo.Config{}), games: turns},
		{name: "threads=2", rivals: pair(montecarlo.Config{Workers: 2}, montecarlo.Config{}), games: append([]string{"hex-8x8"}, turns...), byTheWall: true},
		{name: "threads=2-learning", rivals: pair(montecarlo.Config{Workers: 2}, montecarlo.Config{}), games: append([]string{"hex-8x8"}, turns...), byTheWall: true, learns: true, alike: true},
		{name: "plain", rivals: pair(montecarlo.Config{}, plain), games: append([]string{"qyshinsu", "connectFourSuicide", "atariGo_7x7", "blocker", "goofspiel-10", "biddingTicTacToe-10", "oshiZumo", "tron", "connectFourSimultaneous"}, turns...)},
		{name: rave, rivals: pair(montecarlo.Config{Rave: true}, montecarlo.Config{}), games: append([]string{"hex.kif", "hex-8x8", "gomoku_11x11"}, turns...)},
		{name: "learning-both", rivals: pair(montecarlo.Config{}, montecarlo.Config{}), games: sampled, learns: true},
		{name: "alone", rivals: pair(montecarlo.Config{Alone: true}, montecarlo.Config{}), games: sampled, learns: true, alike: true},
		{name: "blend-or-rave", rivals: pair(montecarlo.Config{}, montecarlo.Config{Rave: true}), clock: 40 * time.Millisecond, games: strings.Fields("hex connect5 gomoku_11x11 atariGoVariant_7x7 atariGo_7x7 gomoku_15x15 hex-6x6 quad_5x5 pentago"), learns: true},
		{name: "longer=60", rivals: pair(montecarlo.Config{Alone: true}, montecarlo.Config{Alone: true}), games: trained, learns: true, alike: true, longer: 60},
		{name: "priors", rivals: pair(montecarlo.Config{}, montecarlo.Config{Without: montecarlo.Priors}), games: sampled, learns: true, alike: true},
		{name: "minimax", rivals: pair(montecarlo.Config{Alone: true}, montecarlo.Config{Alone: true, Without: montecarlo.Minimax}), games: estimated, clock: 60 * time.Millisecond, learns: true, alike: true},
	}
	list = append(list, duel{
		name: "best-first", rivals: pair(montecarlo.Config{}, montecarlo.Config{Rule: montecarlo.RegretMatching, AtOnce: true}), learns: true, best: true,
		games: strings.Fields("goofspiel-9 goofspiel-13 goofspielPoints-9 oshiZumo-50-3 oshiZumo-40-4 biddingTicTacToe-20 biddingTicTacToe-30 blocker tron-6x7 tron-7x7 tron-8x8 pursuit-5x5-6"),
	})
	list = append(list, duel{name: "all", rivals: pair(montecarlo.Config{}, montecarlo.Config{Without: montecarlo.Plain &^ montecarlo.Decisive &^ montecarlo.Bounds}), games: turns})
	for _, t := range techniques {
		if t.sampling != 0 && t.sampling&(montecarlo.Equilibria|montecarlo.Priors|montecarlo.Minimax) == 0 {
			list = append(list, duel{name: t.Name, rivals: pair(montecarlo.Config{}, montecarlo.Config{Without: t.sampling}), games: turns})
		}
	}
	return list
}

// BenchmarkRivals plays sampling searches against each other, sides swapped, and
// reports the share of the points of the first, in percent, with its 95 % error. An
// iteration is 20 matches.
func BenchmarkRivals(b *testing.B) {
	for _, d := range duels() {
		for _, game := range d.games {
			b.Run(d.name+"/"+game, func(b *testing.B) { d.report(b, game) })
		}
	}
}

func (d duel) report(b *testing.B, game string) {
	f := newReferee(b, game)
	at := position{machine: f.machine, state: f.machine.Initial()}
	var e *evaluate.Evaluation
	if d.learns {
		l := learnt(b, f.machine, true)
		l.Weigh(b.Context(), math.Inf(1))
		e = l.Evaluation()
		d.rivals[0].Evaluator = e
		if d.alike {
			d.rivals[1].Evaluator = e
		}
		b.ReportMetric(e.Share(), "share")
		if d.longer > 0 {
			learn(l, time.Duration(d.longer-1)*learningClock)
			l.Weigh(b.Context(), math.Inf(1))
			d.rivals[0].Evaluator = l.Evaluation()
			b.ReportMetric(l.Evaluation().Share(), "longer-share")
		}
	}
	c := comparison{opening: 2, memory: comparisonBytes, searcher: func(i int) search.Searcher {
		s := search.Searcher(montecarlo.New(d.rivals[i]))
		if i == 0 && d.best {
			s = bestfirst.New(e)
		}
		if i == 0 && d.factors || d.proves {
			s = factor.New(s, func(machine.Machine) search.Searcher { return montecarlo.New(d.rivals[0]) }, func(machine.Machine) search.Searcher {
				if i > 0 || d.factors {
					return nil
				}
				return sequential.New(sequential.Config{Falling: true})
			})
		}
		if d.nodes > 0 {
			return limited{s, d.nodes}
		}
		if d.byTheWall {
			return timed{s, wallClock}
		}
		return &metered{Searcher: s, clock: cmp.Or(d.clock, duelClock)}
	}}
	c.report(b, at, 20*b.N)
}

// report plays matches from a position and reports the share of the points of the first of the two candidates, in percent, with its
// 95 % error, and its shares in the seat of the first role and of the second: where the seat decides, equal players get half, and much
// better ones little more. After six wins of one candidate it stops.
func (c *comparison) report(b *testing.B, at position, matches int) {
	b.Helper()
	var sum, squares, n float64
	var seat [2]float64 // see seats
	for seed := range uint64(matches) {
		share, over := newDuelMatch(c, seed, at).play(context.Background())
		if !over {
			b.Fatal("the match did not end")
		}
		points := 100 * share
		sum, squares, n = sum+points, squares+points*points, n+1
		seat[seed&1] += points
		if n == 6 && (sum == 0 || sum == 600) {
			break
		}
	}
	mean := sum / n
	b.ReportMetric(mean, "points")
	b.ReportMetric(1.96*math.Sqrt((squares/n-mean*mean)/n), "±")
	b.ReportMetric(n, "matches")
	b.ReportMetric(seat[0]/math.Ceil(n/2), "first")
	b.ReportMetric(seat[1]/max(1, math.Floor(n/2)), "second")
	b.ReportMetric(0, "ns/op")
}

// learnt has learnt a game of two with constant sum for learningClock.
func learnt(b *testing.B, m machine.Machine, signals bool) *evaluate.Learner {
	var known facts.Signals
	if signals {
		known = facts.SignalsOf(context.Background(), m)
	}
	l := learner(b, withDecisive(m), known)
	learn(l, learningClock)
	return l
}

// withDecisive returns the machine with decisive moves, if there is one.
func withDecisive(m machine.Machine) machine.Machine {
	return cmp.Or(facts.Decisive(context.Background(), m, false), m)
}

// learner returns a learner of a game of two in turns with constant sum.
func learner(b *testing.B, m machine.Machine, signals facts.Signals) *evaluate.Learner {
	b.Helper()
	l, err := evaluate.New(m, evaluate.Config{ConstantSum: true, Seed: 5, Signals: signals})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// learn lets a learner learn for a processor time.
func learn(l *evaluate.Learner, clock time.Duration) {
	for began := cputime.Now(); cputime.Now()-began < clock; {
		l.Learn(context.Background(), 100)
	}
}

// BenchmarkShares reports how a start clock decides between playouts and an evaluation: the share of the evaluation, its leaves a second
// in leaves a second of the blend, and their product, from which on 1 the evaluation is used alone.
func BenchmarkShares(b *testing.B) {
	for _, game := range estimated {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			t := onOneThread(0, 1<<30)
			t.clock = time.Second
			t.prepare(b.Context(), position{machine: m, state: m.Initial()})
			l := learnt(b, m, true)
			l.Weigh(b.Context(), decisionShare*t.playoutsIn(t.clock))
			e := l.Evaluation()
			faster := t.rate(b.Context(), approach{evaluator: e, alone: true}) / t.rate(b.Context(), approach{evaluator: e})
			b.ReportMetric(l.Progress().Correlation, "r")
			b.ReportMetric(e.Share(), "share")
			b.ReportMetric(faster, "faster")
			b.ReportMetric(faster*e.Share(), "product")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSignals plays evaluations trained with signals against evaluations trained without, in equal processor time, in thousands of
// quick games: points from -100 to 100, with their 95 % error, and the correlations with outcomes of unseen games.
func BenchmarkSignals(b *testing.B) {
	for _, game := range []string{"connectFour", "gomoku_11x11", "nineBoardTicTacToe", "quad_5x5", "connectFourSimultaneous", "reversi", "checkersSmall", "cubicup", "qyshinsu"} {
		b.Run(game, func(b *testing.B) {
			m := newReferee(b, game).machine
			for range b.N {
				with, without := learnt(b, m, true), learnt(b, m, false)
				s := evaluate.Duel(context.Background(), withDecisive(m), with.Evaluation(), without.Evaluation(), 2000, 7)
				b.ReportMetric(s.Points, "points")
				b.ReportMetric(s.Error, "±")
				b.ReportMetric(with.Progress().Correlation, "r-with")
				b.ReportMetric(without.Progress().Correlation, "r-without")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func TestParametersReachTheSamplingSearch(t *testing.T) {
	for _, p := range parameters {
		if _, err := parse(fmt.Sprintf("mcts:%s=%v", p.Name, p.Default)); err != nil || !(p.Low < p.Default && p.Default < p.High) {
			t.Errorf("the default of %s, %v, is not between its bounds: %v", p.Name, p.Default, err)
		}
	}
	s, err := parse("stackmate:exploration=33.5,threads=1,playouts=3,puct=44")
	if err != nil {
		t.Fatal(err)
	}
	thinker := newThinker(setting{spec: spec{values: s.values}})
	want := montecarlo.Config{Rule: montecarlo.RegretMatching, AtOnce: true, Exploration: 33.5, Playouts: 3, PolicyExploration: 44}
	if got := thinker.sampling(approach{}, 0); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	learnt := approach{evaluator: new(evaluate.Evaluation)}
	if got := thinker.sampling(learnt, 0); got.Exploration != 0 || got.PolicyExploration != 44 {
		t.Errorf("with estimates %+v", got)
	}
}

func TestNamesOfPlayers(t *testing.T) {
	for name, want := range map[string]spec{
		"stackmate":                            {},
		"mcts":                                 {without: []string{"exact"}},
		"stackmate:threads=1,without=decisive": {threads: 1, without: []string{"decisive"}},
		"mcts:without=decisive+bounds":         {without: []string{"exact", "decisive", "bounds"}},
		"mcts-plain":                           {threads: 1, without: allTechniques()},
	} {
		got, err := parse(name)
		if err != nil || got.threads != want.threads || strings.Join(got.without, "+") != strings.Join(want.without, "+") {
			t.Errorf("%s: %d threads without %v, %v; want %d without %v", name, got.threads, got.without, err, want.threads, want.without)
		}
	}
	for name, reason := range map[string]string{
		"mystic":                 "stackmate, mcts, mcts-plain, greedy",
		"mcts:":                  "threads=N",
		"mcts:threads=0":         "from 1 to 1024",
		"mcts:without=elegance":  "expected one of exact",
		"mcts:threads=1,depth=3": "depth=3",
		"mcts:exploration=0.5":   "from 1 to 100 (goal points)",
		"mcts:playouts=2.5":      "playouts: expected a number",
		"greedy:puct=30":         "for a player that samples",
		"mcts:puct=NaN":          `found "NaN"`,
	} {
		if _, err := parse(name); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: error %v, want one that mentions %q", name, err, reason)
		}
	}
}
