package reasoner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prover"
)

func loadClass(t testing.TB, c class, size int) *gdl.Game {
	t.Helper()
	return readRules(t, fmt.Sprintf("%s %d", c.name, size), c.write(size))
}

// prove queries the rules about a position by the prover.
func prove(ctx context.Context, p *prover.Prover, g *gdl.Game, fluents []string) (v view, err error) {
	v.Fluents = fluents
	if v.Terminal, err = p.Terminal(ctx, fluents); err != nil {
		return v, err
	}
	for _, r := range g.Roles {
		goal, err := p.Goal(ctx, fluents, r.String())
		if err != nil {
			return v, err
		}
		v.Goals = append(v.Goals, int32(goal))
		if v.Terminal {
			continue
		}
		legal, err := p.Legal(ctx, fluents, r.String(), 0)
		if err != nil {
			return v, err
		}
		v.Legal, v.Stuck = append(v.Legal, append([]string(nil), legal...)), v.Stuck || len(legal) == 0
	}
	return v, nil
}

// followProver plays random joint moves with the prover, which needs no vocabulary, and compares the
// machines' views of every position.
func followProver(ctx context.Context, g *gdl.Game, walkers []*walker, rng *rand.Rand, steps int) error {
	p := prover.New(g)
	initial, err := p.Initial(ctx)
	if err != nil {
		return err
	}
	fluents := initial
	for step := range steps {
		want, err := prove(ctx, p, g, fluents)
		if err != nil {
			return err
		}
		for _, w := range walkers {
			if diff := cmp.Diff(want, w.look()); diff != "" {
				return fmt.Errorf("step %d: the prover and %s differ, -prover +%[2]s:\n%s", step, w.machine.Info().Engine, diff)
			}
		}
		if want.Terminal || want.Stuck {
			fluents = initial
			for _, w := range walkers {
				w.restart()
			}
			continue
		}
		var joint []string
		for r, legal := range want.Legal {
			joint = append(joint, legal[rng.IntN(len(legal))])
			for _, w := range walkers {
				w.batch.Choose(w.lane, machine.Role(r), w.moves[r][joint[r]])
			}
		}
		for _, w := range walkers {
			w.batch.Advance(w.lane + 1)
		}
		if fluents, err = p.Next(ctx, fluents, joint); err != nil {
			return err
		}
	}
	return nil
}

// TestClassesOfRulesMeanTheSameToAllEngines plays games of every class in lock step
// with the prover: the smallest of each, or with -corpus.table all.
func TestClassesOfRulesMeanTheSameToAllEngines(t *testing.T) {
	for _, c := range classes {
		sizes := c.sizes[:1]
		if *corpusTable {
			sizes = c.sizes[:]
		}
		for _, size := range sizes {
			t.Run(fmt.Sprint(c.name, " ", size), func(t *testing.T) {
				t.Parallel()
				g := loadClass(t, c, size)
				rng := rand.New(rand.NewPCG(1, uint64(size)))
				var walkers []*walker
				for _, engine := range []string{"auto", "datalog"} {
					m := newMachine(t, g, reasoner.Options{Engine: engine})
					walkers = append(walkers, newWalker(m, same, rng))
				}
				if err := followProver(t.Context(), g, walkers, rng, 30); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// endless has a fluent for each number, and a move for each fluent.
const endless = `(role p) (init (n zero)) (init (left 3))
(<= (legal p (add ?x)) (true (n ?x))) (legal p wait)
(<= (next (n (s ?x))) (does p (add ?x)))
(<= (next (n ?x)) (true (n ?x)) (does p wait))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (next (left ?x)) (true (left ?y)) (succ ?x ?y))
(<= terminal (true (left 0)))
(<= (goal p 100) (true (n (s (s (s zero))))))
(<= (goal p 0) (not (true (n (s (s (s zero)))))))`

func TestGamesThatNobodyCanListArePlayed(t *testing.T) {
	g := readRules(t, "endless", endless)
	m := newMachine(t, g, reasoner.Options{Memory: 32 << 20})
	if info := m.Info(); info.Engine != "datalog" || !strings.Contains(info.Reason, "no circuit") {
		t.Errorf("engine %s: %s", info.Engine, info.Reason)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	if err := followProver(t.Context(), g, []*walker{newWalker(m, same, rng)}, rng, 40); err != nil {
		t.Error(err)
	}
	count, err := play.Perft(t.Context(), m, m.Initial(), 3)
	if err != nil || len(count) != 3 || count[2].Terminals != 8 {
		t.Errorf("%+v (%v), want 8 ends after 3 moves", count, err)
	}
}

// BenchmarkClasses loads games of every class in three sizes and plays random
// matches with them.
func BenchmarkClasses(b *testing.B) {
	for _, c := range classes {
		for _, size := range c.sizes {
			for _, engine := range []string{"auto", "datalog"} {
				name := strings.Join([]string{strings.ReplaceAll(c.name, " ", "-"), fmt.Sprint(size), engine}, "/")
				b.Run(name, func(b *testing.B) { benchmarkClass(b, loadClass(b, c, size), engine) })
			}
		}
	}
}

func benchmarkClass(b *testing.B, g *gdl.Game, engine string) {
	for b.Loop() {
		start := time.Now()
		m := newMachine(b, g, reasoner.Options{Engine: engine})
		b.ReportMetric(time.Since(start).Seconds(), "load-s")
		b.ReportMetric(float64(m.Info().Gates), "gates")
		b.ReportMetric(float64(slices.Index(reasoner.Engines, m.Info().Engine)), "engine")
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		p := play.NewPlayouts(m, m.Initial(), 1)
		start = time.Now()
		p.Run(ctx, 0)
		cancel()
		b.ReportMetric(float64(p.States)/time.Since(start).Seconds(), "states/s")
	}
}
