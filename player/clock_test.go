package player

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

const ms = time.Millisecond

func TestMarginsOfAnIdleMachineLeaveMostOfTheClock(t *testing.T) {
	m := NewMargins(0, 0)
	for range 20 {
		m.moved(0, 1*ms)
	}
	for clock, want := range map[time.Duration]time.Duration{
		time.Second: DefaultMinMargin, 10 * time.Second: DefaultMinMargin, 200 * ms: 30 * ms,
	} {
		if got := m.reserve(clock); got != want {
			t.Errorf("%v of a clock of %v kept in reserve, want %v", got, clock, want)
		}
	}
}

func TestMarginsGrowWithEveryKindOfDelayAndForgetIt(t *testing.T) {
	for name, delayed := range map[string]func(*Margins){
		"goroutines run late":        func(m *Margins) { m.late(200 * ms) },
		"decisions come late":        func(m *Margins) { m.moved(0, 300*ms) },
		"messages reach us late":     func(m *Margins) { m.moved(150*ms, 0) },
		"the server replaces a move": func(m *Margins) { m.replaced() },
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMargins(50*ms, 2*time.Second)
			for range 20 {
				m.moved(0, 0)
			}
			before := m.reserve(5 * time.Second)
			delayed(m)
			after := m.reserve(5 * time.Second)
			if before != 50*ms || after < 250*ms {
				t.Errorf("%v before, %v after", before, after)
			}
			for range 200 {
				m.moved(0, 0)
			}
			if got := m.reserve(5 * time.Second); got != before {
				t.Errorf("%v after 200 moves without a delay, want %v", got, before)
			}
		})
	}
}

func TestMovesMadeAtOnceAreNoExperience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sit(t, Options{}, func() policy { return &stub{} })
		before := p.margins.reserve(time.Second)
		for range 5 {
			playTurn(t, p, time.Second)
		}
		if after := p.margins.reserve(time.Second); after != before {
			t.Errorf("%v of a second kept in reserve before, %v after moves that took no time", before, after)
		}
	})
}

func TestMarginsKeepTheirBounds(t *testing.T) {
	m := NewMargins(100*ms, 800*ms)
	for range 10 {
		m.replaced()
		m.late(time.Hour)
		m.moved(time.Hour, time.Hour)
	}
	for clock, want := range map[time.Duration]time.Duration{10 * time.Second: 800 * ms, time.Second: 600 * ms} {
		if got := m.reserve(clock); got != want {
			t.Errorf("%v of a clock of %v, want %v", got, clock, want)
		}
	}
}

// slowing is a search that takes its time to stop, and then all processors are
// busy for a while, before its result is worth anything.
type slowing struct {
	result search.Result
	stop   func() time.Duration
}

func (s *slowing) Search(ctx context.Context, _ machine.Machine, _ machine.State, _ search.Limits) (search.Result, error) {
	<-ctx.Done()
	time.Sleep(s.stop())
	return s.result, nil
}

func TestNoMoveIsLateWhileTheMarginsLearn(t *testing.T) {
	for name, c := range map[string]struct {
		stop func(rng *machine.Rand) time.Duration // how long searches take to stop
		used float64                               // least part of the clock that is used in the end
	}{
		"idle":  {func(*machine.Rand) time.Duration { return ms }, 0.84},
		"slow":  {func(*machine.Rand) time.Duration { return 80 * ms }, 0.7},
		"noisy": {func(rng *machine.Rand) time.Duration { return time.Duration(rng.Intn(120)) * ms }, 0.55},
		"stuck": {func(*machine.Rand) time.Duration { return 500 * ms }, 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const clock = time.Second
				rng := machine.NewRand(1)
				p := seated(t, newSubtraction(60), nil, nil)
				p.options.Ponder = false
				searched, took := 0, time.Duration(0)
				for move := range 60 {
					p.worker.policy.(*thinker).sampler = &slowing{pure(2, search.Exact(60), false), func() time.Duration { return c.stop(rng) }}
					began := time.Now()
					text := playTurn(t, p, clock)
					if took = time.Since(began); took > clock {
						t.Fatalf("move %d is late: %v", move, took)
					}
					if text == "(take 2)" {
						searched++
					}
				}
				if took < scaled(c.used, clock) {
					t.Errorf("only %v of %v are used in the end", took, clock)
				}
				if name != "stuck" && searched < 55 {
					t.Errorf("%d of 60 moves are those of the search", searched)
				}
				p.Abort()
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestAReplacedMoveEnlargesTheMargin(t *testing.T) {
	p := newPlayer(t, "legal", Options{})
	p.compile, p.prove = given(newSubtraction(60)), nil
	if err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left"}); err != nil {
		t.Fatal(err)
	}
	playTurn(t, p, 10*time.Second)
	before := p.margins.penalty
	playTurn(t, p, 10*time.Second, "(take 3)", "noop") // we have sent (take 1)
	if before != 0 || p.margins.penalty < firstPenalty/2 {
		t.Errorf("penalty %v before, %v after", before, p.margins.penalty)
	}
	playTurn(t, p, 10*time.Second, "noop", "(take 1)")
	playTurn(t, p, 10*time.Second, "(take 1)", "noop")
	if p.margins.penalty > firstPenalty {
		t.Errorf("penalty %v after a move that was taken", p.margins.penalty)
	}
}
