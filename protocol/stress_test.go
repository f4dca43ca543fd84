package protocol

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

func TestConcurrentRequestsNeverOverlapInTheAgent(t *testing.T) {
	newAgent := func() Agent {
		var running atomic.Int32
		enter := func() {
			if running.Add(1) > 1 {
				t.Error("two calls of one agent at once")
			}
		}
		return &fake{
			OnStart: func(context.Context, Match) error { enter(); defer running.Add(-1); return nil },
			OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
				enter()
				defer running.Add(-1)
				return gdl.Term{Name: "pass"}, nil
			},
			OnStop: func([][]gdl.Term) { enter(); defer running.Add(-1) },
		}
	}
	e := NewEndpoint("Tester", newAgent, zlog)
	messages := []string{
		startText("Left"), "(PLAY m.1 NIL)", "(PLAY m.1 (pass pass))", "(STOP m.1 (pass pass))", "(ABORT m.1)", "(INFO)", "nonsense",
	}
	var all sync.WaitGroup
	for seed := range 8 {
		all.Go(func() {
			rng := machine.NewRand(uint64(seed))
			for range 100 {
				ask(t, e, messages[rng.Intn(len(messages))])
			}
		})
	}
	all.Wait()
	ask(t, e, "(ABORT m.1)")
	expect(t, e, "(PING)", "available")
}

func TestAnAbortEndsAStartUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &fake{OnStart: func(ctx context.Context, _ Match) error { <-ctx.Done(); return ctx.Err() }}
		e := NewEndpoint("Tester", always(agent), zlog)
		began := time.Now()
		go func() {
			time.Sleep(time.Second)
			expect(t, e, "(ABORT m.1)", "aborted")
		}()
		if status, text := ask(t, e, startText("Left")); status == http.StatusOK || !strings.HasPrefix(text, "START: ") {
			t.Errorf("%d %s", status, text)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("the start ended after %v, the abort came after 1s", took)
		}
		expect(t, e, "(PING)", "available")
	})
}
