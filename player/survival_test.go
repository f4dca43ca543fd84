package player

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/player/tracking"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
	"stackmate/search"
)

// stub is a policy made of functions; nil functions do nothing.
type stub struct {
	onBegin  func(at position)
	onChoose func(ctx context.Context, at position) choice
	onRest   func(ctx context.Context, at position)
}

func (s *stub) begin(_ context.Context, at position) {
	if s.onBegin != nil {
		s.onBegin(at)
	}
}

func (s *stub) choose(ctx context.Context, at position) choice {
	if s.onChoose == nil {
		return choice{move: at.legal[0], verdict: verdict{by: byKind}}
	}
	return s.onChoose(ctx, at)
}

func (s *stub) ponder(ctx context.Context, at position) {
	if s.onRest != nil {
		s.onRest(ctx, at)
	}
}

// sit starts a match of subtraction for a player whose policies are made by make.
func sit(t *testing.T, o Options, make func() policy) *Player {
	t.Helper()
	p := newPlayer(t, "legal", o)
	p.compile, p.prove = given(newSubtraction(60)), nil
	if err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
		t.Fatal(err)
	}
	p.worker = newWorker(setting{log: zerolog.Nop(), memory: &memory{total: 1 << 30}, margins: NewMargins(0, 0)}, func(setting) policy { return make() })
	return p
}

// never returns a compiler that comes to no end and is deaf to its context, until the
// test is over.
func never(t *testing.T) compiler {
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	return func(context.Context, *gdl.Game, reasoner.Options, time.Duration, func(reasoner.Attempt)) compilation {
		return pending{done}
	}
}

func TestWhatHasComeBackIsNotLeftBehind(t *testing.T) {
	var log strings.Builder
	d := newWorker(setting{log: zerolog.New(&log), memory: &memory{}}, func(setting) policy { return &stub{} })
	up := make(chan time.Time)
	close(up) // as after a pause in which the search has returned, too
	for range 100 {
		done, err := d.call(up, func(policy) {})
		if err != nil || <-done != nil {
			t.Fatal("the call fails")
		}
		d.free <- <-d.free // it has come back
	}
	if log.Len() > 0 {
		t.Errorf("the log says: %s", log.String())
	}
}

func TestThereAreLegalMovesBeforeAnythingIsCompiled(t *testing.T) {
	rules := gamestest.Rules(t, "ticTacToe")
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(t, "stackmate", Options{Ponder: true})
		p.compile = never(t)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := p.Start(ctx, Match{Game: rules, Role: "x"}); err != nil || ctx.Err() != nil {
			t.Fatalf("Start: %v, %v", err, ctx.Err())
		}
		began := time.Now()
		first := playTurn(t, p, time.Second)
		if took := time.Since(began); took >= time.Second || !strings.HasPrefix(first, "(mark ") {
			t.Errorf("plays %s after %v", first, took)
		}
		began = time.Now()
		if move := playTurn(t, p, time.Second, first, "noop"); move != "noop" || time.Since(began) != 0 {
			t.Errorf("plays %s after %v, want the only legal move at once", move, time.Since(began))
		}
		if move := playTurn(t, p, time.Second, "noop", "(mark 2 2)"); !strings.HasPrefix(move, "(mark ") || move == first || move == "(mark 2 2)" {
			t.Errorf("plays %s after %s and (mark 2 2)", move, first)
		}
		p.Stop(nil)
	})
}

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), part)
}

func TestTheOnlyMoveIsMadeBeforeThePolicyHasSeenTheGame(t *testing.T) {
	p := newPlayer(t, "stackmate", Options{Ponder: true, Threads: 1})
	p.prove = nil
	p.compile = arriving(coming{100 * time.Millisecond, reasoner.Attempt{Machine: newSubtraction(60), Best: true}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	log := &lines{}
	if err := p.Start(ctx, Match{Game: rolesOf("left", "right"), Role: "right", Log: zerolog.New(log)}); err != nil {
		t.Fatal(err)
	}
	if move := playTurn(t, p, 10*time.Second); move != "noop" {
		t.Errorf("plays %s", move)
	}
	for range 6000 {
		if log.has(`"message":"class"`) || log.has("panic") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !log.has(`"message":"class"`) || log.has("panic") {
		t.Errorf("the policy does not ponder: it has not made its searches\n%s", log.text.String())
	}
	p.Abort()
}

// slowProver is a prover of noughts and crosses that needs for ever for all legal
// moves, but not for some.
type slowProver struct{ tracking.Prover }

func (s slowProver) Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error) {
	if atMost == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Prover.Legal(ctx, fluents, role, atMost)
}

func TestOneLegalMoveIsEnoughWhereAllTakeTooLong(t *testing.T) {
	rules := gamestest.Rules(t, "ticTacToe")
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(t, "stackmate", Options{})
		p.compile = never(t)
		p.prove = func(g *gdl.Game, memory int64) tracking.Prover { return slowProver{proveGame(g, memory)} }
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := p.Start(ctx, Match{Game: rules, Role: "x"}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		first := playTurn(t, p, time.Second)
		if took := time.Since(began); took >= time.Second || !strings.HasPrefix(first, "(mark ") {
			t.Errorf("plays %s after %v", first, took)
		}
		began = time.Now()
		if move := playTurn(t, p, time.Second, first, "noop"); move != "noop" || time.Since(began) >= time.Second {
			t.Errorf("plays %s after %v, want the only legal move", move, time.Since(began))
		}
		began = time.Now()
		move := playTurn(t, p, time.Second, "noop", "(mark 2 2)")
		if took := time.Since(began); took >= time.Second || !strings.HasPrefix(move, "(mark ") || move == first || move == "(mark 2 2)" {
			t.Errorf("plays %s after %v, %s and (mark 2 2)", move, took, first)
		}
		p.Abort()
	})
}

// drowsy is subtraction on a machine that takes its time for every position.
type drowsy struct {
	scalar.Stepper
	nap *time.Duration
}

func (d *drowsy) SetState(s machine.State) {
	time.Sleep(*d.nap)
	d.Stepper.SetState(s)
}

func TestAMoveThatIsLateIsLegalAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nap, quick := time.Duration(0), newSubtraction(60)
		p := newPlayer(t, "legal", Options{})
		p.compile, p.prove = given(scalar.New(quick.Names(), quick.Initial(), quick.Info(),
			func() scalar.Stepper { return &drowsy{subtraction(60).Stepper(), &nap} })), nil
		if err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
			t.Fatal(err)
		}
		first := playTurn(t, p, time.Second)
		nap = 1200 * time.Millisecond // as if every processor were busy with something else
		if move := playTurn(t, p, time.Second, first, "noop"); move != "noop" {
			t.Errorf("plays %s, which was legal a move ago", move)
		}
		p.Abort()
	})
}

func TestAPolicyThatPanicsCostsNoMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		p := sit(t, Options{}, func() policy {
			return &stub{onChoose: func(context.Context, position) choice { calls++; panic("broken") }}
		})
		for turn := range 3 {
			if move := playTurn(t, p, time.Second); !strings.HasPrefix(move, "(take ") || calls != turn+1 {
				t.Errorf("turn %d: plays %s after %d calls", turn, move, calls)
			}
		}
	})
}

func TestAPolicyThatPanicsWhileItRestsIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policies := 0
		p := sit(t, Options{Ponder: true}, func() policy {
			policies++
			return &stub{onRest: func(context.Context, position) { panic("broken") }}
		})
		playTurn(t, p, time.Second)
		synctest.Wait()
		playTurn(t, p, time.Second)
		if policies != 2 {
			t.Errorf("%d policies, want a new one for the second move", policies)
		}
		p.Abort()
	})
}

func TestPoliciesThatHangAreLeftBehindButNotWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policies := 0
		var calls atomic.Int32
		p := sit(t, Options{}, func() policy {
			policies++
			return &stub{onChoose: func(_ context.Context, at position) choice {
				calls.Add(1)
				time.Sleep(time.Hour)
				return choice{move: at.legal[2], verdict: verdict{by: byKind}}
			}}
		})
		for turn := range 20 {
			began := time.Now()
			if move := playTurn(t, p, time.Second); !strings.HasPrefix(move, "(take ") || time.Since(began) >= time.Second {
				t.Fatalf("turn %d: plays %s after %v", turn, move, time.Since(began))
			}
		}
		if policies != maxAbandoned+1 || calls.Load() != maxAbandoned+1 {
			t.Errorf("%d calls of %d policies hang, want %d", calls.Load(), policies, maxAbandoned+1)
		}
		began := time.Now()
		p.Abort()
		p.Stop(nil)
		if err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil || time.Since(began) > 0 {
			t.Errorf("the next match begins after %v: %v", time.Since(began), err)
		}
		p.Stop(nil)
		time.Sleep(2 * time.Hour) // they come home at last
	})
}

func TestThePoliciesThatComeHomeMakeRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(t, Options{}, func() policy {
			return &stub{onChoose: func(_ context.Context, at position) choice {
				time.Sleep(10 * time.Second)
				return choice{move: at.legal[2], verdict: verdict{by: byKind}}
			}}
		})
		for range 6 {
			playTurn(t, p, time.Second)
		}
		time.Sleep(time.Minute)
		if move := playTurn(t, p, time.Minute); move != "(take 3)" {
			t.Errorf("plays %s, want what the policy says at last", move)
		}
		if p.worker.abandoned.Load() != 0 {
			t.Errorf("%d calls count as hanging", p.worker.abandoned.Load())
		}
	})
}

// talkative is a search that hangs after it has reported a result.
type talkative struct{ known search.Result }

func (s *talkative) Search(_ context.Context, _ machine.Machine, _ machine.State, lim search.Limits) (search.Result, error) {
	lim.Progress(s.known)
	time.Sleep(time.Hour)
	return search.Result{}, nil
}

func TestWhatAHangingSearchHasSaidIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seated(t, newSubtraction(9), &talkative{pure(2, search.Exact(60), false)}, nil)
		began := time.Now()
		if move := playTurn(t, p, time.Second); move != "(take 2)" || time.Since(began) >= time.Second {
			t.Errorf("plays %s after %v, want (take 2) in time", move, time.Since(began))
		}
		p.Abort()
		time.Sleep(2 * time.Hour)
	})
}

// panicking is a search that does.
type panicking struct{}

func (panicking) Search(context.Context, machine.Machine, machine.State, search.Limits) (search.Result, error) {
	panic("broken")
}

func TestASearchThatPanicsLeavesTheOthersTheirWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := seated(t, newSubtraction(9), panicking{}, &patient{result: pure(1, search.Interval{Lower: 30, Upper: 100}, true)})
		if move := playTurn(t, p, time.Second); move != "(take 1)" {
			t.Errorf("plays %s, want what the other search found", move)
		}
		p.Abort()
	})
}

func TestAGameThatIsOverAtItsStartIsSaidToBe(t *testing.T) {
	const over = "(role a) (init done) (legal a noop) (<= terminal (true done)) (goal a 50)"
	g, _, err := gdl.Load(t.Context(), "over", []byte(over))
	if err != nil {
		t.Fatal(err)
	}
	for name, compile := range map[string]compiler{"compiled": compileGame, "not compiled": never(t)} {
		t.Run(name, func(t *testing.T) {
			log := &lines{}
			p := newPlayer(t, "stackmate", Options{Threads: 1})
			p.compile = compile
			for range 2 {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				if err := p.Start(ctx, Match{Game: g, Role: "a", Log: zerolog.New(log)}); err != nil {
					t.Fatal(err)
				}
				cancel()
				ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
				if _, err := p.Play(ctx, tell(t, p)); !errors.Is(err, ErrOver) {
					t.Errorf("PLAY: %v", err)
				}
				cancel()
				p.Stop(tell(t, p))
			}
			if log.has("panicked") {
				t.Error("a search of the position panicked")
			}
			p = newPlayer(t, "legal", Options{})
			p.compile, p.prove = given(newSubtraction(9)), nil
			if err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
				t.Fatal(err)
			}
			playTurn(t, p, 10*time.Second)
		})
	}
}

func TestARoleWithoutALegalMoveIsNotSearched(t *testing.T) {
	const stuck = "(role a) (init (at 0)) (<= (legal a go) (true (at 1))) (next (at 2)) (<= terminal (true (at 2))) (goal a 50)"
	g, _, err := gdl.Load(t.Context(), "stuck", []byte(stuck))
	if err != nil {
		t.Fatal(err)
	}
	log := &lines{}
	p := newPlayer(t, "stackmate", Options{Threads: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := p.Start(ctx, Match{Game: g, Role: "a", Log: zerolog.New(log)}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Play(ctx, tell(t, p)); err == nil || !strings.Contains(err.Error(), "no legal move") {
		t.Errorf("PLAY: %v", err)
	}
	if log.has("panicked") {
		t.Errorf("a search of the position panicked:\n%s", log.text.String())
	}
}

func TestNothingIsLeftAfterTheMatch(t *testing.T) {
	rules := gamestest.Rules(t, "ticTacToe")
	p := newPlayer(t, "stackmate", Options{Threads: 2, Memory: 64 << 20, Ponder: true})
	match := func(end func()) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := p.Start(ctx, Match{Game: rules, Role: "x"}); err != nil {
			t.Fatal(err)
		}
		first := playTurn(t, p, 500*time.Millisecond)
		playTurn(t, p, 500*time.Millisecond, first, "noop")
		end()
	}
	match(func() { p.Stop(nil) })
	before := runtime.NumGoroutine()
	for i := range 6 {
		match([]func(){func() { p.Stop(nil) }, p.Abort}[i%2])
	}
	p.Stop(nil)
	for range 6000 {
		if runtime.NumGoroutine() <= before+2 { // the runtime and the test may have some of their own
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines before 6 matches, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
}

func TestAMachineThatIsThereIsNotCompiledAgain(t *testing.T) {
	p := newPlayer(t, "legal", Options{})
	p.compile = func(context.Context, *gdl.Game, reasoner.Options, time.Duration, func(reasoner.Attempt)) compilation {
		t.Error("compiled again")
		return failed{err: errors.New("none")}
	}
	m := newSubtraction(9)
	if err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left", Machine: m}); err != nil {
		t.Fatal(err)
	}
	if move := playTurn(t, p, 10*time.Second); move != "(take 1)" {
		t.Errorf("plays %s", move)
	}
}
