package reasoner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// degenerate holds valid games without parts that nearly all games have.
var degenerate = map[string]string{
	"no fluents":                 "(role p) (legal p a) (legal p b) (goal p 50) (<= terminal (true never))",
	"no fluents, over at once":   "(role p) (legal p a) (goal p 50) terminal",
	"no moves of one role":       "(role p) (role q) (legal p a) (goal p 1) (goal q 2) (init x) (<= terminal (true x))",
	"no moves of any role":       "(role p) (<= (legal p a) (true never)) (goal p 1) (init x) (<= (next x) (true x)) (<= terminal (true y))",
	"no goals of one role":       "(role p) (role q) (legal p a) (legal q b) (goal p 1) (init x) (<= terminal (true x))",
	"no goals":                   "(role p) (legal p a) (<= (goal p 1) (true never)) (init x) (<= terminal (not (true x)))",
	"nothing is ever true":       "(role p) (<= (legal p a) (true n)) (<= (goal p 1) (true n)) (<= terminal (true n))",
	"fluents that vanish":        "(role p) (init x) (legal p a) (goal p 7) (<= terminal (not (true x)))",
	"moves and goals of no role": "(role p) (legal p a) (legal q b) (goal p 7) (goal q 9) (init x) (<= terminal (not (true x)))",
}

func TestEnginesAgreeOnDegenerateGames(t *testing.T) {
	for name, src := range degenerate {
		t.Run(name, func(t *testing.T) {
			g := readRules(t, name, src)
			rng := rand.New(rand.NewPCG(1, 2))
			var walkers []*walker
			for _, engine := range []string{"reference", "datalog", "circuit"} {
				m := newMachine(t, g, reasoner.Options{Engine: engine})
				walkers = append(walkers, newWalker(m, same, rng))
				for range 3 {
					play.NewPlayouts(m, m.Initial(), 1).Step()
				}
			}
			if err := lockstep(walkers, rng, 10); err != nil {
				t.Error(err)
			}
		})
	}
}

// chained returns a game whose rules depend on each other through a chain of relations.
func chained(n int) string {
	var b strings.Builder
	b.WriteString("(role p) (legal p a) (legal p b) (goal p 1) (init s) (<= (next s) (true s))" +
		"(<= terminal (true q) (not r0)) (<= (next q) (does p a))")
	for i := range n {
		fmt.Fprintf(&b, "(<= r%d r%d)", i, i+1)
	}
	fmt.Fprintf(&b, "(<= r%d (true s))", n)
	return b.String()
}

func TestEveryEngineCompilesLongChainsOfRelations(t *testing.T) {
	g := readRules(t, "chain", chained(exhaustive.Choose(500, 5_000)))
	for _, engine := range []string{"circuit", "datalog", "reference"} {
		m := newMachine(t, g, reasoner.Options{Engine: engine, Budget: 10 * time.Minute})
		if m.Info().Parallel != (engine == "circuit") {
			t.Errorf("%s: parallel is %t", engine, m.Info().Parallel)
		}
		w := newWalker(m, same, rand.New(rand.NewPCG(1, 2)))
		if v := w.look(); v.Terminal || len(v.Legal[0]) != 2 {
			t.Errorf("%s: %+v", engine, v)
		}
	}
}

func TestTheErrorNamesTheBudgetThatIsExceeded(t *testing.T) {
	g := readRules(t, "chain", chained(exhaustive.Choose(5_000, 20_000)))
	for engine, words := range map[string]string{"circuit": "budget of 1ns", "datalog": "budget of 1ns", "auto": "budget of 1ns"} {
		_, err := reasoner.New(t.Context(), g, reasoner.Options{Engine: engine, Budget: time.Nanosecond})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: error %v, want %q", engine, err, words)
		}
	}
	if _, err := reasoner.New(t.Context(), g, reasoner.Options{Engine: "circuit", Memory: 1 << 20}); err == nil || !strings.Contains(err.Error(), "memory limit of 1 MiB") {
		t.Errorf("error %v, want one of memory", err)
	}
}

func TestAutoFallsBackToTheInterpreter(t *testing.T) {
	g := readRules(t, "chain", chained(2_000))
	m := newMachine(t, g, reasoner.Options{Memory: 1 << 10})
	if info := m.Info(); info.Engine != "reference" || !strings.Contains(info.Reason, "datalog: ") {
		t.Errorf("engine %s, because %s", info.Engine, info.Reason)
	}
}

// Searches and players recognise the machine of a game of every engine.
func TestMachinesAreComparable(t *testing.T) {
	stacks := readRules(t, "stacks", `(role x) (init (at nil)) (item a) (item b) (goal x 0)
		(<= (legal x (take ?i)) (item ?i)) (<= terminal (true (at (list a (list b nil)))))
		(<= (next (at (list ?i ?tail))) (does x (take ?i)) (true (at ?tail)))`)
	chain := readRules(t, "chain", chained(2_000))
	for want, of := range map[string]struct {
		game   *gdl.Game
		memory int64
	}{"circuit": {chain, 0}, "datalog": {stacks, 0}, "reference": {chain, 1 << 10}} {
		m := newMachine(t, of.game, reasoner.Options{Memory: of.memory})
		other := newMachine(t, of.game, reasoner.Options{Memory: of.memory})
		if known := map[machine.Machine]bool{m: true}; m.Info().Engine != want || !known[m] || known[other] {
			t.Errorf("%s, expected %s; known again: %t; taken for another: %t", m.Info().Engine, want, known[m], known[other])
		}
	}
}
