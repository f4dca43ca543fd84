package player

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// patient is a search that returns a given result when it is stopped, and deaf a search that stops late.
type patient struct {
	result search.Result
	deaf   time.Duration
}

func (p *patient) Search(ctx context.Context, _ machine.Machine, _ machine.State, _ search.Limits) (search.Result, error) {
	<-ctx.Done()
	time.Sleep(p.deaf)
	return p.result, nil
}

// pure returns a result in which the first of two roles plays a move for a value.
func pure(move machine.Move, v search.Interval, proved bool) search.Result {
	return search.Result{
		Values: []search.Interval{v, {Lower: 100 - v.Upper, Upper: 100 - v.Lower}}, Proved: proved,
		Strategies: [][]search.Weighted{{{Move: move, Probability: 1}}, {{Move: 0, Probability: 1}}},
	}
}

// seated returns a player on machine m whose searches are given.
func seated(t *testing.T, m machine.Machine, sampler, exact search.Searcher) *Player {
	t.Helper()
	p := newPlayer(t, "stackmate", Options{Threads: 1})
	p.compile, p.prove = given(m), nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := p.Start(ctx, Match{Game: rolesOf(m.Names().Roles...), Role: m.Names().Roles[0]}); err != nil {
		t.Fatal(err)
	}
	searchBy(p.worker.policy.(*thinker), sampler, exact)
	return p
}

// searchBy replaces the searches of a thinker; nil means no search.
func searchBy(t *thinker, sampler, exact search.Searcher) {
	t.sampler, t.exact, t.methods = sampler, nil, nil
	if exact != nil {
		t.exact, t.methods = []search.Searcher{exact}, []string{solve.BoundedAlphaBeta}
	}
}

func playTurn(t *testing.T, p *Player, clock time.Duration, joint ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), clock)
	defer cancel()
	move, err := p.Play(ctx, tell(t, p, joint...))
	if err != nil {
		t.Fatal(err)
	}
	return move.String()
}

// tell adds a joint move, or NIL, to the history of the player.
func tell(t *testing.T, p *Player, joint ...string) [][]gdl.Term {
	t.Helper()
	told := 0
	if p.match != nil {
		told = p.match.Hear(nil)
	}
	return append(make([][]gdl.Term, told), terms(t, joint...))
}

func terms(t *testing.T, texts ...string) []gdl.Term {
	t.Helper()
	var joint []gdl.Term
	for _, text := range texts {
		term, err := gdl.ParseTerm(text)
		if err != nil {
			t.Fatal(err)
		}
		joint = append(joint, term)
	}
	return joint
}

func TestTheMoveComesAMarginBeforeTheDeadline(t *testing.T) {
	for name, c := range map[string]struct{ clock, margin time.Duration }{
		"long clock":  {10 * time.Second, firstMargin},
		"short clock": {400 * time.Millisecond, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := seated(t, newSubtraction(9), &patient{result: pure(2, search.Exact(60), false)}, nil)
				began := time.Now()
				if move := playTurn(t, p, c.clock); move != "(take 2)" {
					t.Errorf("plays %s, want (take 2)", move)
				}
				if left := c.clock - time.Since(began); left != c.margin {
					t.Errorf("%v before the deadline, want %v", left, c.margin)
				}
			})
		})
	}
}

func TestASearchThatDoesNotStopIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seated(t, newSubtraction(9), nil, nil)
		for _, clock := range []time.Duration{2 * time.Second, 200 * time.Millisecond} {
			searchBy(p.worker.policy.(*thinker), &patient{pure(2, search.Exact(60), false), time.Hour},
				&patient{result: pure(1, search.Interval{Lower: 30, Upper: 100}, true)})
			began := time.Now()
			if move := playTurn(t, p, clock); move != "(take 1)" {
				t.Errorf("plays %s, want what the other search found", move)
			}
			if by := p.Explain().By; by != solve.Title(solve.BoundedAlphaBeta) {
				t.Errorf("decided by %s, want %s", by, solve.Title(solve.BoundedAlphaBeta))
			}
			if took := time.Since(began); took >= clock {
				t.Errorf("took %v of %v", took, clock)
			}
		}
		time.Sleep(2 * time.Hour) // the search comes home at last
	})
}

func TestTheExactSearchTakesOverWhenItProvesMore(t *testing.T) {
	for name, c := range map[string]struct {
		exact search.Result
		want  string
	}{
		"nothing proved":            {pure(1, search.Interval{Lower: 0, Upper: 100}, true), "(take 2)"},
		"less than estimated":       {pure(1, search.Interval{Lower: 50, Upper: 100}, true), "(take 2)"},
		"more than estimated":       {pure(1, search.Interval{Lower: 70, Upper: 100}, true), "(take 1)"},
		"an estimate is not enough": {pure(1, search.Exact(100), false), "(take 2)"},
		"a win":                     {pure(1, search.Exact(100), true), "(take 1)"},
		"a loss: keep trying":       {pure(1, search.Exact(0), true), "(take 2)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := seated(t, newSubtraction(9), &patient{result: pure(2, search.Exact(60), false)}, &patient{result: c.exact})
				if move := playTurn(t, p, 2*time.Second); move != c.want {
					t.Errorf("plays %s, want %s", move, c.want)
				}
			})
		})
	}
}

func TestAMatchStartsOnTheFallbackAndGoesOnOnTheFastEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, fast := newSubtraction(9), newSubtraction(9)
		p := newPlayer(t, "legal", Options{})
		p.prove = nil
		p.compile = arriving(
			coming{2 * time.Second, reasoner.Attempt{Machine: slow}},
			coming{10 * time.Second, reasoner.Attempt{Machine: fast, Best: true}})
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		began := time.Now()
		if err := p.Start(ctx, Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil || time.Since(began) >= 5*time.Second {
			t.Fatalf("Start: %v after %v", err, time.Since(began))
		}
		playTurn(t, p, time.Second)
		if s, _ := p.match.Best(1); s.Machine != slow {
			t.Error("the first move is not made on the fallback")
		}
		time.Sleep(10 * time.Second)
		playTurn(t, p, time.Second, "(take 1)", "noop")
		if s, _ := p.match.Best(2); s.Machine != fast || s.State()[0] != 8<<1|1 {
			t.Errorf("on the fast engine the state is %v, want 8 counters and right's turn", s.State())
		}
		p.Stop(nil)
	})
}

// tardy is a machine on which the match is followed late.
type tardy struct{ machine.Machine }

func (m tardy) Unwrap() machine.Machine { return m.Machine }

func (m tardy) NewNarrowBatch() machine.Batch {
	time.Sleep(time.Second)
	return m.Machine.NewNarrowBatch()
}

func TestTheStartClockGoesToTheBestMachineThatIsThere(t *testing.T) {
	for _, clock := range []time.Duration{500 * time.Millisecond, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			slow, fast := newSubtraction(9), tardy{newSubtraction(9)}
			p := newPlayer(t, "stackmate", Options{Threads: 1})
			p.prove = nil
			p.compile = arriving(coming{0, reasoner.Attempt{Machine: fast, Best: true}}, coming{0, reasoner.Attempt{Machine: slow}})
			p.spec.kind.make = func(setting) policy {
				return &stub{onBegin: func(at position) {
					if at.machine != machine.Machine(fast) && clock > time.Second {
						t.Error("the policy begins on the fallback")
					}
				}}
			}
			ctx, cancel := context.WithTimeout(context.Background(), clock)
			defer cancel()
			began := time.Now()
			if err := p.Start(ctx, Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil || time.Since(began) > clock {
				t.Errorf("Start: %v after %v of %v", err, time.Since(began), clock)
			}
			p.Stop(nil)
			time.Sleep(time.Minute)
		})
	}
}

func TestStartWaitsForNoMachineButPlayDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(t, "random", Options{})
		p.prove = nil
		p.compile = arriving(coming{7 * time.Second, reasoner.Attempt{Machine: newSubtraction(9), Best: true}})
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := p.Start(ctx, Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
			t.Fatalf("Start: %v", err)
		}
		if move := playTurn(t, p, 5*time.Second); !strings.HasPrefix(move, "(take ") {
			t.Errorf("plays %s", move)
		}
		p.Stop(nil)
		time.Sleep(time.Minute) // compiling ends
	})
}

func TestAGameThatNoEngineTakesIsAnError(t *testing.T) {
	p := newPlayer(t, "stackmate", Options{})
	p.prove = nil
	p.compile = func(context.Context, *gdl.Game, reasoner.Options, time.Duration, func(reasoner.Attempt)) compilation {
		return failed{err: errors.New("circuit: too large\nreference: too large")}
	}
	err := p.Start(context.Background(), Match{Game: rolesOf("left", "right"), Role: "left"})
	if err == nil || !strings.Contains(err.Error(), "circuit: too large") || !strings.Contains(err.Error(), "reference: too large") {
		t.Errorf("error %v, want the reason of each engine", err)
	}
}

func TestAnUnknownRoleIsAnError(t *testing.T) {
	p := newPlayer(t, "legal", Options{})
	p.compile, p.prove = given(newSubtraction(9)), nil
	if err := p.Start(context.Background(), Match{Game: rolesOf("left", "right"), Role: "middle"}); err == nil || !strings.Contains(err.Error(), "left") {
		t.Errorf("error %v, want one that lists the roles", err)
	}
}

func TestAbortEndsAMoveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seated(t, newSubtraction(9), &patient{result: pure(2, search.Exact(60), false)}, nil)
		time.AfterFunc(time.Second, p.Abort)
		began := time.Now()
		playTurn(t, p, time.Hour)
		if took := time.Since(began); took != time.Second {
			t.Errorf("the move took %v, Abort came after 1 s", took)
		}
	})
}

func TestUnknownKindsAreRefused(t *testing.T) {
	if _, err := New("grandmaster", Options{}); err == nil || !strings.Contains(err.Error(), "stackmate") {
		t.Errorf("error %v, want one that lists the kinds", err)
	}
}

func TestTheStateFollowsTheJointMovesToldNotTheOwnReplies(t *testing.T) {
	p := newPlayer(t, "legal", Options{})
	p.compile, p.prove = given(newSubtraction(9)), nil
	if err := p.Start(context.Background(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name  string
		joint []string
		left  uint64
	}{
		{"nothing yet", nil, 9},
		{"another move than the reply", []string{"(take 3)", "noop"}, 6},
		{"upper case", []string{"NOOP", "(TAKE 2)"}, 4},
		{"a turn told twice", []string{"NOOP", "(TAKE 2)"}, 4},
		{"an unknown move", []string{"(take seventeen)", "noop"}, 3},
		{"too few moves", []string{"noop"}, 2},
	} {
		if move := playTurn(t, p, time.Minute, step.joint...); move == "" {
			t.Errorf("%s: no move", step.name)
		}
		s, _ := p.match.Best(p.match.Hear(nil))
		if left := s.State()[0] >> 1; left != step.left {
			t.Errorf("%s: %d counters left, want %d", step.name, left, step.left)
		}
	}
}

func TestMovesAfterTheEndAreAnErrorNotACrash(t *testing.T) {
	p := newPlayer(t, "legal", Options{})
	p.compile, p.prove = given(newSubtraction(1)), nil
	if _, err := p.Play(context.Background(), nil); err == nil {
		t.Error("PLAY before START gives no error")
	}
	if err := p.Start(context.Background(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Play(context.Background(), tell(t, p, "(take 1)", "noop")); err == nil {
			t.Error("PLAY after the end gives no error")
		}
	}
	p.Stop(tell(t, p, "(take 1)", "noop"))
	p.Stop(nil)
	p.Abort()
}

func TestMixedStrategiesAreSampled(t *testing.T) {
	pennies := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	seen := map[string]int{}
	for seed := range uint64(40) {
		p := newPlayer(t, "stackmate", Options{Seed: seed, Threads: 1})
		p.compile, p.prove = given(pennies), nil
		if err := p.Start(context.Background(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
			t.Fatal(err)
		}
		seen[playTurn(t, p, 5*time.Second)]++
		p.Stop(nil)
	}
	if seen["m0"] < 8 || seen["m1"] < 8 {
		t.Errorf("in 40 matches %v, want both moves about as often", seen)
	}
}

func TestAPuzzleIsPlayedToItsBestGoal(t *testing.T) {
	m := newLock(9)
	p := newPlayer(t, "stackmate", Options{Threads: 1})
	p.compile, p.prove = given(m), nil
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := p.Start(ctx, Match{Game: rolesOf("robot"), Role: "robot"}); err != nil {
		t.Fatal(err)
	}
	var last []string
	for step := range 9 {
		move := playTurn(t, p, 20*time.Second, last...)
		if want := m.Names().MoveText(0, machine.Move(step%3)); move != want {
			t.Fatalf("step %d: plays %s, want %s", step, move, want)
		}
		last = []string{move}
	}
}

func TestThePlanIsDroppedWhenTheMatchTakesAnotherWay(t *testing.T) {
	m := newLock(9)
	legal := []machine.Move{0, 1, 2}
	at := position{machine: m, state: m.Initial(), legal: legal}
	var line [][]machine.Move
	for i := range 9 {
		line = append(line, []machine.Move{machine.Move(i % 3)})
	}
	p := onOneThread(0, 64<<20)
	p.prepare(t.Context(), at)
	found := func(line [][]machine.Move) *search.Result {
		return &search.Result{Line: line, Values: []search.Interval{{Upper: bestGoal}}}
	}
	r := p.newRoot(at)
	if r.follow(found(line[:4])); r.soonest() != nil {
		t.Fatal("a line that does not end the game is taken for a plan")
	}
	r.follow(found(line))
	if k := r.soonest(); k == nil || k.Move != 0 || k.Bounds.Lower != bestGoal || !p.isSettled(r) {
		t.Fatalf("got %+v; want the first move of the line", k)
	}
	if v := r.decide(""); !slices.Equal(v.strategy, []search.Weighted{{Move: 0, Probability: 1}}) {
		t.Errorf("strategy %v; want the first move of the line", v.strategy)
	}
	p.plan = plan{line, at.state}
	if c := p.choose(t.Context(), at); c.move != 0 || c.by != byPlan || c.root.nodes != 0 {
		t.Fatalf("plays %d by %s after %d nodes, want the plan", c.move, c.by, c.root.nodes)
	}
	if r := p.newRoot(at); r.soonest() != nil {
		t.Error("the plan goes on although the position did not change")
	}
	r = p.newRoot(position{machine: m, state: machine.State{1}, legal: legal})
	if k := r.soonest(); k == nil || k.Move != 1 || k.Plies != 8 {
		t.Fatalf("after the first move %+v is known, want the rest of the line", k)
	}
	worse := append([][]machine.Move(nil), line[1:]...)
	worse[3] = []machine.Move{0}
	if r.follow(found(worse)); r.soonest().Bounds.Lower != bestGoal || len(r.soonest().Line) != 8 || r.soonest().Line[3][0] == 0 {
		t.Errorf("a line worth less takes the place of one worth 100: %+v", r.soonest())
	}
	r.bound(2, search.Interval{Lower: bestGoal, Upper: bestGoal})
	if k := r.soonest(); k == nil || k.Move != 1 {
		t.Errorf("a move of which no line is known takes the place of one: %+v", k)
	}
}
