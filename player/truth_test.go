package player

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/solve"
)

// oracle knows the values of all positions of a game of two with constant sum.
type oracle struct {
	machine  machine.Machine
	solver   *solve.Solver
	expander *play.Expander
}

func newOracle(t testing.TB, m machine.Machine) *oracle {
	o := solve.Default()
	o.Memory = 512
	s, err := solve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &oracle{machine: m, solver: s, expander: play.NewExpander(m)}
}

// value returns the value of the first role at s, a child with the given goals if it is terminal.
func (u *oracle) value(t testing.TB, s machine.State, terminal bool, goals []int32) float64 {
	if terminal {
		return float64(search.Points(goals[0]))
	}
	r, err := u.solver.Search(context.Background(), u.machine, s, search.Limits{MaxBytes: 512 << 20, NoLine: true})
	if err != nil || !r.Solved() {
		t.Fatalf("not solved: %v, %v", r.Values, err)
	}
	return r.Values[0].Lower
}

// question is a position with the values of its moves.
type question struct {
	state machine.State
	role  machine.Role
	legal []machine.Move
	value float64     // for role
	worth [][]float64 // by move of role, then of the other role
}

// loss returns how much role gets less than the value with a strategy, in goal points,
// against the best reply.
func (q *question) loss(strategy []search.Weighted) float64 {
	least := math.Inf(1)
	for j := range q.worth[0] {
		sum := 0.0
		for _, w := range strategy {
			sum += w.Probability * q.worth[slices.Index(q.legal, w.Move)][j]
		}
		least = min(least, sum)
	}
	return max(0, q.value-least)
}

// ask makes a question of position s for a role, or none where it cannot go wrong.
func (u *oracle) ask(t testing.TB, s machine.State, role machine.Role) (q question, ok bool) {
	var e play.Expansion
	if err := u.expander.Expand(&e, s); err != nil {
		t.Fatal(err)
	}
	q = question{state: slices.Clone(s), role: role, legal: slices.Clone(e.Moves[role])}
	if len(q.legal) < 2 {
		return q, false
	}
	other := len(e.Moves[1-role])
	q.value = u.value(t, s, false, nil)
	if role == 1 {
		q.value = 100 - q.value
	}
	for i := range q.legal {
		row := make([]float64, other)
		for j := range row {
			c := i*other + j
			if role == 1 {
				c = j*len(q.legal) + i
			}
			row[j] = u.value(t, e.Child(c), e.Terminal[c], e.ChildGoals(c))
			if role == 1 {
				row[j] = 100 - row[j]
			}
		}
		q.worth = append(q.worth, row)
	}
	for _, m := range q.legal {
		ok = ok || q.loss([]search.Weighted{{Move: m, Probability: 1}}) > 1
	}
	return q, ok
}

// questions returns n different positions of random matches, each asked of one role.
func (u *oracle) questions(t testing.TB, n int) []question {
	return u.questionsOf(t, n, 0, 3, func(rng *machine.Rand, _ machine.State, e *play.Expansion) int { return rng.Intn(e.Children) })
}

// questionsOf returns n different positions of matches, at most one of each match, each asked of one role. A position is
// asked about with probability 1/part, after the given number of plies at the earliest. Function next returns the child
// that a match goes to.
func (u *oracle) questionsOf(t testing.TB, n, plies, part int, next func(*machine.Rand, machine.State, *play.Expansion) int) []question {
	rng := machine.NewRand(1)
	asked := map[string]bool{} // keys of positions
	var out []question
	for len(out) < n {
		s := slices.Clone(u.machine.Initial())
		var e play.Expansion
		over := false
		for ply := 0; !over; ply++ {
			if ply >= plies && rng.Intn(part) == 0 && !asked[s.Key()] {
				asked[s.Key()] = true
				if q, ok := u.ask(t, s, machine.Role(rng.Intn(2))); ok {
					out = append(out, q)
					break
				}
			}
			if err := u.expander.Expand(&e, s); err != nil {
				t.Fatal(err)
			}
			s = slices.Clone(e.Child(next(rng, s, &e)))
			over, _ = u.expander.Look(s)
		}
	}
	return out
}

// BenchmarkTruth asks players for moves in positions of games that are solved. Clocks are of processor time, of both
// searches together.
func BenchmarkTruth(b *testing.B) {
	for _, game := range []string{"ticTacToe", "connectFour-5x4", "connectFour-5x5", "breakthrough-4x5", "hex-4x4", "biddingTicTacToe-3", "goofspiel-6", "goofspiel-7", "oshiZumo-12-3"} {
		b.Run(game, func(b *testing.B) {
			u := newOracle(b, newReferee(b, game).machine)
			asked := u.questions(b, 200)
			for _, name := range []string{"stackmate:threads=1", "mcts:threads=1", "mcts-plain"} {
				for _, clock := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, time.Second, 3 * time.Second} {
					b.Run(fmt.Sprintf("%s/%v", name, clock), func(b *testing.B) {
						grade(b, asked, func(q *question) []search.Weighted { return newcomer(b, name, u.machine).answer(b.Context(), q, clock) })
					})
				}
			}
		})
	}
}

// grade reports how many answers keep the value, in percent, and how many goal points the strategies lose against the best
// reply: their exploitability.
func grade(b *testing.B, asked []question, answer func(*question) []search.Weighted) {
	kept, lost := 0.0, 0.0
	for range b.N {
		for i := range asked {
			loss := asked[i].loss(answer(&asked[i]))
			lost += loss
			if loss < 0.01 {
				kept++
			}
		}
	}
	n := float64(b.N * len(asked))
	b.ReportMetric(100*kept/n, "%kept")
	b.ReportMetric(lost/n, "lost")
	b.ReportMetric(0, "ns/op")
}

// withProcessorTime returns a context that ends when this process has taken so much processor time
// more: a clock that does not run while others have the processors.
func withProcessorTime(ctx context.Context, clock time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	end := cputime.Now() + clock
	go func() {
		const look = 500 * time.Microsecond
		for ctx.Err() == nil && cputime.Now() < end {
			time.Sleep(look)
		}
		cancel()
	}()
	return ctx, cancel
}

// newcomer returns a player that sees a game for the first time.
func newcomer(t testing.TB, name string, m machine.Machine) *thinker {
	s, err := parse(name)
	if err != nil {
		t.Fatal(err)
	}
	thinker := newThinker(setting{
		spec: s,
		seed: 1, log: zerolog.Nop(), memory: &memory{total: 512 << 20, compiled: closed}, margins: NewMargins(0, 0),
	})
	thinker.prepare(t.Context(), position{machine: m, state: m.Initial()})
	return thinker
}

// answer returns the strategy of a player for a question after so much processor time.
func (t *thinker) answer(ctx context.Context, q *question, clock time.Duration) []search.Weighted {
	ctx, cancel := withProcessorTime(ctx, clock)
	defer cancel()
	return t.search(ctx, position{machine: t.machine, state: q.state, role: q.role, legal: q.legal}).decide("").strategy
}
