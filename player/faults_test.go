package player

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

func TestAfterAPanicOfTheSamplingSearchTheExactOneGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exact := &patient{result: pure(1, search.Interval{Lower: 30, Upper: 100}, true)}
		p := seated(t, newSubtraction(9), panicking{}, exact)
		playTurn(t, p, time.Second)
		k := p.worker.policy.(*thinker)
		if len(k.exact) != 1 || k.exact[0] != exact {
			t.Errorf("exact searches afterwards: %v", k.exact)
		}
		if _, ok := k.sampler.(*montecarlo.Searcher); !ok {
			t.Errorf("the sampling search is a %T", k.sampler)
		}
		p.Abort()
	})
}

// mistaken is a search that the game is none for.
type mistaken struct{ error }

func (m *mistaken) Search(context.Context, machine.Machine, machine.State, search.Limits) (search.Result, error) {
	return search.Result{}, m.error
}

// misjudged has taken a game of simultaneous moves for one of turns.
func misjudged(t *testing.T) (*thinker, position) {
	m := newShot([][][2]int32{{{100, 0}, {0, 100}}, {{0, 100}, {100, 0}}})
	p := onOneThread(0, 64<<20)
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
	p.prepare(t.Context(), at)
	p.class.Simultaneous = false
	p.methods = []string{solve.BoundedAlphaBeta, solve.DepthFirst}
	p.exact = []search.Searcher{&mistaken{search.ErrNotSequential}, &mistaken{search.ErrNotSequential}}
	return p, at
}

func TestSearchesThatReportTheSameMistakeAreReplacedOnce(t *testing.T) {
	p, at := misjudged(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := p.search(ctx, at)
	if len(p.exact) != 1 || len(p.methods) != 1 || p.methods[0] != solve.SimultaneousAlphaBeta {
		t.Errorf("exact searches %v, want Simultaneous Move Alpha-Beta", p.methods)
	}
	if !r.settles(r.exact) || r.exact.Values[0] != search.Exact(50) {
		t.Errorf("Simultaneous Move Alpha-Beta is not begun for this move: %+v", r.exact)
	}
}

func TestASearchLeftBehindCostsTheOthersNothingThatTheyRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick := &greedy{patient: patient{result: pure(1, search.Exact(60), false)}}
		p := seated(t, newSubtraction(60), quick, &patient{deaf: time.Hour})
		p.worker.policy.(*thinker).memory = &memory{total: 600 << 20, compiled: closed}
		for range 3 {
			playTurn(t, p, time.Second)
		}
		quick.mu.Lock()
		defer quick.mu.Unlock()
		for _, bytes := range quick.given {
			if bytes != quick.given[0] {
				t.Errorf("the memory of the sampling search changes: %v", quick.given)
			}
		}
		p.Abort()
		time.Sleep(2 * time.Hour)
	})
}

func TestWhatWasLearntOutlivesAPanic(t *testing.T) {
	m := newSubtraction(60)
	made := 0
	d := newWorker(setting{spec: spec{threads: 1}, log: zerolog.Nop(), memory: &memory{total: 256 << 20, compiled: closed}, margins: NewMargins(0, 0)},
		func(s setting) policy { made++; return newThinker(s) })
	at := position{machine: m, state: m.Initial(), legal: []machine.Move{1, 2, 3}}
	first := d.policy.(*thinker)
	first.prepare(t.Context(), at)
	learnt := approach{rave: true}
	first.adopt(learnt)
	d.renew()
	second := d.policy.(*thinker)
	if second.prepare(t.Context(), at); made != 2 || second.approach != learnt || second.begun != m {
		t.Errorf("%d policies, the second one goes by %+v", made, second.approach)
	}
	other := newSubtraction(50)
	if second.prepare(t.Context(), position{machine: other, state: other.Initial()}); second.approach == learnt {
		t.Error("what was learnt of one machine is used for another one")
	}
}

func TestAMachineThatComesLateIsLearntOf(t *testing.T) {
	log := &lines{}
	p := newPlayer(t, "stackmate", Options{Ponder: true, Threads: 1})
	p.prove = nil
	m := gamestest.Machine(t, "connectFour")
	p.compile = arriving(coming{100 * time.Millisecond, reasoner.Attempt{Machine: m, Best: true}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.Start(ctx, Match{Game: rolesOf(m.Names().Roles...), Role: m.Names().Roles[1], Log: zerolog.New(log)}); err != nil {
		t.Fatal(err)
	}
	if !p.worker.ponders {
		t.Error("the policy is not told that it ponders")
	}
	playTurn(t, p, 10*time.Second)
	for range 6000 {
		if log.has(`"message":"learning"`) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.Abort()
	if !log.has(`"message":"learning"`) {
		t.Error("nothing is learnt")
	}
}
