// Package gametest draws games, and compares machines with each other and with recorded matches. It serves the tests of
// grounding and of the Datalog machine.
package gametest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
	"stackmate/reasoner/trace"
)

// Rulesheets returns every stride-th rulesheet of the corpus by name; in short mode,
// every shortStride-th.
func Rulesheets(t testing.TB, stride int) []string {
	t.Helper()
	if !exhaustive.On() {
		stride = shortStride
	}
	var names []string
	for i, sheet := range corpus.Rulesheets(t) {
		if i%stride == 0 {
			names = append(names, sheet.Name)
		}
	}
	return names
}

// shortStride is the stride of the fast tests.
const shortStride = 12

// LoadRulesheet loads a rulesheet of the corpus.
func LoadRulesheet(t testing.TB, name string) *gdl.Game {
	t.Helper()
	return Load(t, name+".kif", string(corpus.Source(t, name)))
}

// Load loads rules.
func Load(t rapid.TB, name, src string) *gdl.Game {
	t.Helper()
	g, _ := must.Get2(gdl.Load(context.Background(), name, []byte(src)))(t)
	return g
}

// Replay compares m with all recorded matches of a rulesheet.
func Replay(t *testing.T, name string, m machine.Machine) {
	t.Helper()
	file, ok := corpus.Trace(t, name)
	if !ok {
		t.Log("no recorded matches")
		return
	}
	for match, err := range trace.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		must.OK(t, trace.Replay(m, match))
	}
}

// SkipTooLarge skips a game that exceeds the default limits.
func SkipTooLarge(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, datalog.ErrLimit) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// view is a machine's answer about a position, as texts.
type view struct {
	Fluents  []string
	Terminal bool
	Legal    [][]string
	Goals    []int32
}

func look(m machine.Machine, b machine.Batch) view {
	n := m.Names()
	state := make(machine.State, len(m.Initial()))
	b.Store(state, 1)
	v := view{Fluents: sorted(n.AppendFluents(nil, state)), Goals: make([]int32, len(n.Roles))}
	b.Evaluate(1)
	v.Terminal = b.Terminal()[0]&1 != 0
	for r := range n.Roles {
		var moves []string
		for _, mv := range b.AppendLegal(nil, 0, machine.Role(r)) {
			moves = append(moves, n.MoveText(machine.Role(r), mv))
		}
		v.Legal = append(v.Legal, sorted(moves))
	}
	b.Goals(v.Goals, 0)
	return v
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// Agree plays random matches on several machines in lock step and compares
// their answers.
func Agree(t rapid.TB, machines []machine.Machine, seed uint64, steps int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	batches := make([]machine.Batch, len(machines))
	for i, m := range machines {
		batches[i] = m.NewBatch()
	}
	for step := range steps {
		want := look(machines[0], batches[0])
		over := want.Terminal
		for _, legal := range want.Legal {
			over = over || len(legal) == 0
		}
		for i, m := range machines[1:] {
			if diff := cmp.Diff(want, look(m, batches[i+1])); diff != "" {
				t.Fatalf("step %d: machine %d differs:\n%s", step, i+1, diff)
			}
		}
		if over {
			for i, m := range machines {
				batches[i].Fill(m.Initial(), nil)
			}
			continue
		}
		for r, legal := range want.Legal {
			text := legal[rng.IntN(len(legal))]
			for i, m := range machines {
				mv, ok := m.Names().Move(machine.Role(r), text)
				if !ok {
					t.Fatalf("machine %d has no move %s", i, text)
				}
				batches[i].Choose(0, machine.Role(r), mv)
			}
		}
		for _, b := range batches {
			b.Advance(1)
		}
	}
}

// OracleOf returns the machine with which the other machines are compared.
func OracleOf(t rapid.TB, g *gdl.Game) machine.Machine {
	t.Helper()
	return must.Get(reference.New(context.Background(), g))(t)
}

// DrawGame draws a game of a kind, with its oracle.
func DrawGame(t *rapid.T, kind func(*rapid.T) string) (*gdl.Game, machine.Machine) {
	src := kind(t)
	t.Log(src)
	g := Load(t, "drawn", src)
	return g, OracleOf(t, g)
}

// CheckUntil draws games until the rewriting under test occurs in one; -short draws few at a time.
func CheckUntil(t *testing.T, something string, check func(t *rapid.T) (has bool)) {
	t.Helper()
	has := false
	for round := 0; !has; round++ {
		if round == 20 {
			t.Fatalf("no game with %s", something)
		}
		rapid.Check(t, func(t *rapid.T) { has = check(t) || has })
	}
}

// CheckLimit checks that an error names a limit and the rule of explosive.
func CheckLimit(t *testing.T, err error, what string) {
	t.Helper()
	if !errors.Is(err, datalog.ErrLimit) {
		t.Fatalf("error is %v, want a limit", err)
	}
	for _, part := range []string{what, "legal", "explosive.kif:4:1"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error %q does not mention %q", err, part)
		}
	}
}
