package protocol

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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
			onStart: func(context.Context, Match) error { enter(); defer running.Add(-1); return nil },
			onPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
				enter()
				defer running.Add(-1)
				return gdl.Term{Name: "pass"}, nil
			},
			onStop: func([][]gdl.Term) { enter(); defer running.Add(-1) },
		}
	}
	e := NewEndpoint("Tester", newAgent, zlog)
	messages := []string{
		startText("Left"), "(PLAY m.1 NIL)", "(PLAY m.1 (pass pass))", "(STOP m.1 (pass pass))", "(ABORT m.1)", "(INFO)", "nonsense",
	}
	var all sync.WaitGroup
	for seed := range maxRequests / 2 {
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
		agent := &fake{onStart: func(ctx context.Context, _ Match) error { <-ctx.Done(); return ctx.Err() }}
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

func TestTooManyRequestsAreTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := NewEndpoint("Tester", always(&fake{}), zlog)
		open := make(chan struct{})
		for range maxRequests {
			go e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", blockedReader(open)))
		}
		synctest.Wait()
		if status, text := ask(t, e, "(INFO)"); status != http.StatusServiceUnavailable || text != "too many requests at once" {
			t.Errorf("%d %s", status, text)
		}
		close(open)
		synctest.Wait()
		expect(t, e, "(PING)", "available")
	})
}

// blockedReader is a body that ends when the channel is closed.
type blockedReader chan struct{}

func (r blockedReader) Read([]byte) (int, error) {
	<-r
	return 0, context.Canceled
}

func TestAJointMoveIsKeptWhateverTheAgentDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls [][]string
		agent := &fake{onPlay: func(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
			var heard []string
			for _, joint := range told {
				heard = append(heard, jointText(joint))
			}
			calls = append(calls, heard)
			if len(calls) == 1 {
				time.Sleep(time.Minute) // deaf to its clock
			}
			return gdl.Term{Name: "pass"}, nil
		}}
		e := NewEndpoint("Tester", always(agent), zlog)
		expect(t, e, startText("Left"), "ready")
		ask(t, e, "(PLAY m.1 NIL)")
		ask(t, e, "(PLAY m.1 ((say Yes) pass))") // finds the agent still at its first move
		time.Sleep(time.Minute)
		expect(t, e, "(PLAY m.1 (pass pass))", "pass")
		want := [][]string{{"()"}, {"()", "((say Yes) pass)", "(pass pass)"}}
		if diff := cmp.Diff(want, calls); diff != "" {
			t.Errorf("what the agent was told (-want +got):\n%s", diff)
		}
		expect(t, e, "(ABORT m.1)", "aborted")
	})
}
