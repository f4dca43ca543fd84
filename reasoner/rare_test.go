package reasoner_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/circuit"
	"stackmate/reasoner/circuit/kernel"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/plan"
	proofs "stackmate/reasoner/prove"
	"stackmate/reasoner/reference"
)

// Games with rare events: x has to guess a key, a digit in each of many steps, and only then more fluents can
// become true. No random game of a sample finds the key. So random games suggest wrong candidates for
// invariants, and induction has to drop one after the other.

// rareGame draws a game of one or two roles. From the step after the key on, flags follow from the key, from each
// other and from moves; goals, legal moves and the end depend on flags. There are some hundred positions.
func rareGame(rng *rand.Rand, roles int) string {
	var b strings.Builder
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	key, tail := 14+rng.IntN(6), 1+rng.IntN(5)
	b.WriteString("(role x)\n(<= (legal x ?d) (digit ?d))\n(digit 0) (digit 1)\n")
	if rng.IntN(2) == 0 {
		b.WriteString("(digit 2)\n")
	}
	if roles == 2 {
		b.WriteString("(role o)\n(legal o noop)\n")
	}
	fmt.Fprintf(&b, "(init (step 0)) (init run)\n%s\n(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))\n(<= terminal (true (step %d)))\n", succession(key+tail), key+tail)
	for n := range key {
		fmt.Fprintf(&b, "(key %d %d) ", n, rng.IntN(2))
	}
	b.WriteString("\n(<= (next run) (true run) (true (step ?n)) (key ?n ?d) (does x ?d))\n")
	flags := []string{"p", "q", "r", "s"}[:2+rng.IntN(3)]
	fmt.Fprintf(&b, "(<= (next p) (true run) (true (step %d))%s)\n", key, pick("", " (does x 1)"))
	for i, f := range flags[1:] {
		fmt.Fprintf(&b, "(<= (next %s) (true %s) %s)\n", f, flags[rng.IntN(i+1)], pick("(does x 0)", "(does x 1)", "(not (true run))", "(not (does x 0))"))
	}
	for _, f := range flags {
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "(<= (next %s) (true %s))\n", f, f)
		case 1:
			fmt.Fprintf(&b, "(<= (next %s) (true %s) (not (true %s)))\n", f, f, pick(flags...))
		case 2:
			fmt.Fprintf(&b, "(<= (next %s) (true %s) (true %s))\n", f, pick(flags...), pick(flags...))
		}
	}
	rare := func() string {
		return pick("(true "+pick(flags...)+")", "(true "+pick(flags...)+") (true "+pick(flags...)+")", "(true run) (true (step "+fmt.Sprint(key)+"))",
			"(true "+pick(flags...)+") (not (true "+pick(flags...)+"))")
	}
	if rng.IntN(3) == 0 {
		fmt.Fprintf(&b, "(<= terminal %s)\n", rare())
	}
	if roles == 2 && rng.IntN(2) == 0 {
		fmt.Fprintf(&b, "(<= (legal o a) %s)\n", rare())
	}
	fmt.Fprintf(&b, "(<= rare %s)\n(<= rare %s)\n", rare(), rare())
	b.WriteString("(<= (goal x 30) (not rare))\n(<= (goal x 100) rare)\n")
	if roles == 2 {
		fmt.Fprintf(&b, "(<= (goal o 70) (not rare))\n(<= (goal o %s) rare)\n", pick("0", "0", "50"))
	}
	return b.String()
}

// rareMachine compiles a game with rare events, as a circuit and for the reference engine.
func rareMachine(t *testing.T, rng *rand.Rand, roles int) (text string, g *circuit.Game, m, slow machine.Machine) {
	t.Helper()
	text = rareGame(rng, roles)
	rules, _, err := gdl.Load(t.Context(), "rare", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	optimised := must.Get(reasoner.Circuit(t.Context(), rules, reasoner.Options{}))(t)
	m = must.Get(optimised.Compile(context.Background(), circuit.Options{Kernel: kernel.Portable64}))(t)
	slow = must.Get(reference.New(t.Context(), rules))(t)
	return text, optimised.Game, m, slow
}

func TestInvariantsOfGamesWithRareEventsHoldWhereverTheyLead(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 2))
	for n := range howMany(60, 15) {
		text, g, m, _ := rareMachine(t, rng, 1+n%2)
		for _, equations := range []bool{false, true} {
			var inv *proofs.Invariants
			for found := range proofs.FindInvariants(t.Context(), g, m, 1<<28, equations) {
				inv = found
			}
			exclusive := inv.Exclusive()
			reachable(m, func(s machine.State, _ bool, _ []int32) {
				for _, pair := range exclusive {
					if s.Has(int(pair[0])) && s.Has(int(pair[1])) {
						t.Fatalf("fluents are true together that exclude each other, %v, in the position %v of\n%s", pair, m.Names().AppendFluents(nil, s), text)
					}
				}
				if !inv.Holds(s) {
					t.Fatalf("an invariant fails in the position %v of\n%s", m.Names().AppendFluents(nil, s), text)
				}
			})
		}
	}
}

func TestProofsAboutGamesWithRareEventsHoldAndRefutationsFail(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 3))
	proved, refuted := 0, 0
	for n := range howMany(24, 6) {
		text, g, m, slow := rareMachine(t, rng, 1+n%2)
		findings := must.Get(proofs.Rules(t.Context(), g, m, proofs.Limits{MaxTime: 5 * time.Second, MaxBytes: 1 << 28}))(t)
		sum, sumProved := proofs.GoalSum(t.Context(), g, m, 1<<28)
		length, ends := proofs.Length(t.Context(), g, m, 1<<28)
		findings = findings[1 : len(findings)-1] // the first speaks of the end, the last of groups
		fails := make([]bool, len(findings))
		everywhere(slow, func(now seenPosition, before *seenPosition) {
			for i, f := range findings {
				fails[i] = fails[i] || breaks(t, f.Property, m.Names(), now, before)
			}
			if total := sumOf(now.goals); sumProved && now.terminal && total != sum {
				t.Fatalf("the sum of goals is %d, proved to be %d in\n%s", total, sum, text)
			}
		})
		if moves := longest(slow); !ends || length < moves {
			t.Errorf("a game takes %d joint moves, and %d are proved to be enough (%v) in\n%s", moves, length, ends, text)
		}
		for i, f := range findings {
			switch {
			case f.Verdict == proofs.Open:
				continue
			case (f.Verdict == proofs.Refuted) != fails[i]:
				t.Fatalf("%s: %s, but fails somewhere: %v, in\n%s", f.Property, f.Verdict, fails[i], text)
			case f.Verdict == proofs.Proved:
				proved++
			default:
				refuted++
			}
		}
	}
	t.Logf("%d proofs, %d refutations", proved, refuted)
}

// longest returns the number of joint moves of the longest game of a machine whose positions do not come back.
func longest(m machine.Machine) (moves int) {
	x := play.NewExpander(m)
	for layer := []machine.State{m.Initial()}; ; moves++ {
		var next []machine.State
		seen := map[string]bool{}
		for _, s := range layer {
			var e play.Expansion
			if terminal, _ := x.Look(s); terminal || x.Expand(&e, s) != nil {
				continue
			}
			for c := range e.Children {
				if child := e.Child(c); !seen[child.Key()] {
					seen[child.Key()] = true
					next = append(next, append(machine.State(nil), child...))
				}
			}
		}
		if len(next) == 0 {
			return moves
		}
		layer = next
	}
}

func sumOf(goals []int32) (total int32) {
	for _, v := range goals {
		total += v
	}
	return total
}

func TestPlansOfGamesWithRareEventsHaveTheBestGoal(t *testing.T) {
	rng := rand.New(rand.NewPCG(58, 4))
	for range howMany(30, 10) {
		text, g, m, slow := rareMachine(t, rng, 1)
		best := machine.NoGoal
		reachable(slow, func(_ machine.State, terminal bool, goals []int32) {
			if terminal {
				best = max(best, goals[0])
			}
		})
		p := must.Get(plan.New(g, m))(t)
		found := must.Get(p.Plan(t.Context(), m.Initial(), facts.PlanLimits{MaxBytes: 1 << 28}))(t)
		if found.Goal > best || found.Bound < best {
			t.Fatalf("best goal %d, found a plan of %d and a bound of %d in\n%s", best, found.Goal, found.Bound, text)
		}
	}
}

// The joint moves that a formula makes from a position exclude that a role is stuck there. So a proof that
// fails once must not be tried again with the same formula.
func TestARoleThatIsStuckAfterARareEventIsFoundInAnyTime(t *testing.T) {
	rules, _, err := gdl.Load(t.Context(), "stuck", []byte(`
(role x) (role o) (role z) (init (step 0)) (init run) (digit 0) (digit 1)
(<= (legal x ?n) (digit ?n))
(legal z noop) (<= (legal z other) late)
(<= (goal z 10) (not late)) (<= (goal z 0) late)
(<= (legal o noop) (not (late)))
(<= late (true run) (true (step 18)))
(<= (next run) (true run) (does x 0))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 19)))
(goal x 100) (goal o 0)`+succession(18)))
	if err != nil {
		t.Fatal(err)
	}
	g := must.Get(reasoner.Circuit(t.Context(), rules, reasoner.Options{}))(t)
	m := must.Get(g.Compile(t.Context(), circuit.Options{Kernel: kernel.Portable64}))(t)
	for _, budget := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond, time.Second, 4 * time.Second} {
		findings := must.Get(proofs.Rules(t.Context(), g.Game, m, proofs.Limits{MaxTime: budget, MaxBytes: 1 << 28}))(t)
		for _, f := range findings {
			switch f.Property {
			case "every role has a legal move until the end", "at most one player has a choice", "no goal ever falls":
				if f.Verdict == proofs.Proved {
					t.Errorf("within %v: %s: %s, %s", budget, f.Property, f.Verdict, f.Detail)
				}
			}
		}
	}
}
