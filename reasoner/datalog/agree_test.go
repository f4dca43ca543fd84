package datalog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/corpus"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/reference"
)

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

// agree plays random matches on several machines in lock step and compares
// their answers.
func agree(t rapid.TB, machines []machine.Machine, seed uint64, steps int) {
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

// oracleOf returns the machine with which the other machines are compared.
func oracleOf(t rapid.TB, g *gdl.Game) machine.Machine {
	t.Helper()
	return must.Get(reference.New(context.Background(), g))(t)
}

// engines makes both machines of this package, and the oracle first.
func engines(t rapid.TB, g *gdl.Game) []machine.Machine {
	t.Helper()
	m := must.Get(NewMachine(context.Background(), g, Limits{}))(t)
	return []machine.Machine{oracleOf(t, g), newProgramMachine(ground(t, g)), m}
}

// randomGame draws a rulesheet over constants a, b and c: fluents and moves of
// arity 0 to 2, some wrapped in function terms, derived relations in layers that
// negate lower layers and recur on their own, and rules with many variables.
func randomGame(t *rapid.T) string {
	d := drawer{T: t}
	d.line("(role x) (role y) (dom a) (dom b) (dom c) (link a b) (link b c)")
	for f := range d.pick("initial fluents", 5) {
		d.line("(init %s)", d.fluent(fmt.Sprint("init", f), []string{"a", "b", "c"}))
	}
	for layer := 1; layer <= 3; layer++ {
		for range 1 + d.pick("rules", 3) {
			d.rule(fmt.Sprintf("r%d", layer), layer, false)
		}
	}
	for _, role := range []string{"x", "y"} {
		d.line("(legal %s wait)", role)
		d.rule("(legal "+role+" (m %s %s))", 4, false)
	}
	for range 2 + d.pick("next rules", 4) {
		d.rule("next", 4, true)
	}
	d.rule("(goal x 100)", 4, false)
	d.line("(goal y 50)")
	d.rule("terminal", 4, false)
	return d.String()
}

type drawer struct {
	*rapid.T
	strings.Builder
}

func (d *drawer) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(d.T, label) }

func (d *drawer) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// fluent draws a fluent over the given terms.
func (d *drawer) fluent(label string, terms []string) string {
	one := func() string { return terms[d.pick(label, len(terms))] }
	switch d.pick(label, 4) {
	case 0:
		return "flag"
	case 1:
		return fmt.Sprintf("(p %s)", one())
	case 2:
		return fmt.Sprintf("(q %s %s)", one(), one())
	}
	return fmt.Sprintf("(p (box %s))", one())
}

// rule draws a rule whose body asks for fluents, links, layers below and, if
// moves is set, moves. Its variables are bound by dom.
func (d *drawer) rule(head string, layer int, moves bool) {
	vars := []string{"?u", "?v", "?w", "?z"}[:1+d.pick("variables", 4)]
	one := func() string { return vars[d.pick("variable", len(vars))] }
	var body []string
	for _, v := range vars {
		body = append(body, fmt.Sprintf("(dom %s)", v))
	}
	for range d.pick("literals", 5) {
		body = append(body, d.literal(one, layer, moves))
	}
	switch {
	case head == "next":
		head = fmt.Sprintf("(next %s)", d.fluent("next", vars))
	case strings.HasPrefix(head, "r"):
		if d.pick("recursive", 3) == 0 {
			body = append(body, fmt.Sprintf("(%s %s %s)", head, one(), one()))
		}
		head = fmt.Sprintf("(%s %s %s)", head, one(), one())
	case strings.Contains(head, "%s"):
		head = fmt.Sprintf(head, one(), one())
	}
	d.line("(<= %s %s)", head, strings.Join(body, " "))
}

func (d *drawer) literal(one func() string, layer int, moves bool) string {
	atom := ""
	switch d.pick("literal", 5) {
	case 0:
		return fmt.Sprintf("(distinct %s %s)", one(), one())
	case 1:
		atom = fmt.Sprintf("(link %s %s)", one(), one())
	case 2:
		if layer > 1 {
			atom = fmt.Sprintf("(r%d %s %s)", 1+d.pick("layer", layer-1), one(), one())
			break
		}
		fallthrough
	case 3:
		if moves {
			atom = fmt.Sprintf("(does %s (m %s %s))", []string{"x", "y"}[d.pick("role", 2)], one(), one())
			break
		}
		fallthrough
	default:
		atom = fmt.Sprintf("(true %s)", d.fluent("true", []string{one(), one()}))
	}
	if d.pick("negated", 3) == 0 {
		return "(not " + atom + ")"
	}
	return atom
}

func TestRandomGamesMeanTheSameToAllEngines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := randomGame(t)
		t.Log(src)
		agree(t, engines(t, load(t, "random", src)), 1, 12)
	})
}

func TestShuffledRulesGiveTheSameGame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"biddingTicTacToe", "connectFour", "blocker", "eightPuzzle", "checkersSmall"} {
		t.Run(name, func(t *testing.T) {
			src := corpus.Source(t, name)
			tree := must.Get(gdl.Parse(name, src))(t)
			g := load(t, name, string(src))
			other := load(t, name, gdl.Print(rewrite.Bodies(rewrite.Rules(tree, rng), rng)))
			p, q := ground(t, g), ground(t, other)
			if diff := cmp.Diff(p.Names.Fluents, q.Names.Fluents); diff != "" {
				t.Error("fluents:", diff)
			}
			if diff := cmp.Diff(p.Names.Moves, q.Names.Moves); diff != "" {
				t.Error("moves:", diff)
			}
			m := must.Get(NewMachine(context.Background(), other, Limits{}))(t)
			agree(t, []machine.Machine{newProgramMachine(p), newProgramMachine(q), m}, 2, 60)
		})
	}
}

func ground(t rapid.TB, g *gdl.Game) *Program {
	t.Helper()
	return must.Get(Ground(context.Background(), g, Limits{}))(t)
}

// If r1 never holds, r2 is the same in all positions: the moves that its negation leaves are known, as they are
// where r2 differs.
func TestNegationsOfRelationsThatBecameStaticAreExact(t *testing.T) {
	agree(t, engines(t, load(t, "fixed", `
(role x) (dom a) (dom b)
(<= (r1 ?u) (dom ?u) (r1 ?u))
(<= (r2 a) (dom a))
(<= (r2 ?u) (dom ?u) (r1 ?u) (not (true flag)))
(legal x wait)
(<= (legal x (mark ?u)) (dom ?u) (not (r2 ?u)))
(<= (next flag) (does x wait))
(goal x 100)
(<= terminal (true flag))`)), 1, 12)
}
