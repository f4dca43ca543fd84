package protocol

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/internal/must"

	"github.com/google/go-cmp/cmp"
)

// pass is a legal move of choosing.
var pass = gdl.Term{Name: "pass"}

func toldText(told [][]gdl.Term) string {
	var all []string
	for _, joint := range told {
		all = append(all, jointText(joint))
	}
	return strings.Join(all, " ")
}

func TestAFreeSeatIsTakenThoughTheClockHasEnded(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 {
		began := make(chan struct{})
		s := must.Get(NewSeat(always(&fake{OnStart: func(context.Context, Match) error { close(began); return nil }})))(t)
		_ = s.Start(ended, t.Context(), Match{})
		select {
		case <-began:
		case <-time.After(time.Minute):
			t.Fatal("the agent was never told of the match")
		}
	}
}

// explaining is an agent that explains its moves.
type explaining struct{ *fake }

func (explaining) Explain() *Explanation { return &Explanation{Move: "pass", Why: "it is short"} }

func TestASeatTellsWhyTheMoveThatItReturnsWasMade(t *testing.T) {
	fails := false
	s, err := NewSeat(always(explaining{&fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
		if fails {
			return gdl.Term{}, errors.New("no move")
		}
		return pass, nil
	}}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, fails = range []bool{false, true} {
		_, why, _ := s.Play(t.Context(), t.Context(), func() [][]gdl.Term { return nil })
		if (why == nil) != fails {
			t.Errorf("explained by %v, the agent fails: %v", why, fails)
		}
	}
}

func TestALateAgentIsDisturbedByTheNextPlayWhichIsToldAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		agent := &fake{OnPlay: func(ctx context.Context, history [][]gdl.Term) (gdl.Term, error) {
			told = append(told, toldText(history))
			if len(history) == 1 {
				<-ctx.Done()
			}
			return pass, nil
		}}
		e := begun(t, agent)
		began := time.Now()
		var first sync.WaitGroup
		first.Go(func() { expect(t, e, "(PLAY m.1 NIL)", "pass") })
		synctest.Wait()
		expect(t, e, "(PLAY m.1 (pass pass))", "pass")
		first.Wait()
		if took := time.Since(began); took != 0 {
			t.Errorf("the second PLAY waited for %v", took)
		}
		if diff := cmp.Diff([]string{"()", "() (pass pass)"}, told); diff != "" {
			t.Errorf("what the agent was told (-want +got):\n%s", diff)
		}
		expect(t, e, "(STOP m.1 NIL)", "done")
	})
}

func TestAPlaySentAgainWhileItIsAnsweredGetsTheSameAnswerAndIsNotToldTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, told := 0, ""
		agent := &fake{OnPlay: func(_ context.Context, history [][]gdl.Term) (gdl.Term, error) {
			calls++
			told = toldText(history)
			time.Sleep(time.Second)
			return gdl.Term{Name: fmt.Sprint("move", calls)}, nil
		}}
		e := begun(t, agent)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { expect(t, e, "(PLAY m.1 NIL)", "move1") })
		}
		all.Wait()
		expect(t, e, "(PLAY m.1 NIL)", "move2") // the first has been answered: this is a new message
		if told != "() ()" {
			t.Errorf("told %s", told)
		}
		expect(t, e, "(ABORT m.1)", "aborted")
	})
}

// playing sends a PLAY from a client that may close its connection, and returns the reply.
func playing(e *Endpoint, client context.Context, message string) string {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequestWithContext(client, http.MethodPost, "/", strings.NewReader(message)))
	return w.Body.String()
}

func TestAPlayWithTheBytesOfTheTurnBeforeIsANewTurnUnlessItIsSentAgain(t *testing.T) {
	const before = "(PLAY m.1 (pass pass))"
	for name, c := range map[string]struct {
		reply string        // to the first request
		takes time.Duration // the first answer
		leave time.Duration // after the first request its client leaves; 0: it stays
		after time.Duration // from the first request to the second one
		turns int           // that the agent is told of
	}{
		"after the reply arrived":                           {"(say Yes)", time.Second, 0, 2 * time.Second, 2},
		"before the reply":                                  {"(say Yes)", 3 * time.Second, 0, time.Second, 1},
		"after a client that left without the reply":        {"(say Yes)", 2 * time.Second, time.Second, 3 * time.Second, 1},
		"after such a client, with our move as we made it":  {"pass", 2 * time.Second, time.Second, 3 * time.Second, 2},
		"after such a client, at the end of the play clock": {"(say Yes)", 2 * time.Second, time.Second, 5*time.Second - resendMargin/2, 2},
		"late, before the reply":                            {"(say Yes)", 6 * time.Second, 0, 5 * time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := 0
				e := begun(t, &fake{OnPlay: func(ctx context.Context, history [][]gdl.Term) (gdl.Term, error) {
					if told = len(history); told == 1 {
						time.Sleep(c.takes)
					}
					return gdl.ParseTerm(c.reply)
				}})
				client, leave := context.WithCancel(t.Context())
				defer leave()
				if c.leave > 0 {
					time.AfterFunc(c.leave, leave)
				}
				var first sync.WaitGroup
				first.Go(func() { playing(e, client, before) })
				time.Sleep(c.after)
				if got := playing(e, t.Context(), before); got != c.reply {
					t.Errorf("reply %q, want %q", got, c.reply)
				}
				first.Wait()
				if told != c.turns {
					t.Errorf("%d turns, want %d", told, c.turns)
				}
				expect(t, e, "(ABORT m.1)", "aborted")
			})
		})
	}
}

func TestLegalMovesAreAnsweredInTimeForAnAgentThatNeverReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		agent := &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) { <-forever; return pass, nil }}
		e := begun(t, agent)
		expect(t, e, "(PLAY m.1 NIL)", "(say Yes)") // a second past the clock
		began := time.Now()
		expect(t, e, "(PLAY m.1 (pass pass))", "(say Yes)")
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("the move came after %v of 5s", took)
		}
		expect(t, e, "(ABORT m.1)", "aborted")
		close(forever)
	})
}

func TestAnAgentThatDoesNotHurryIsNotWaitedForAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		agent := &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) { <-forever; return pass, nil }}
		e := NewEndpoint("Tester", always(agent), zlog)
		expect(t, e, strings.Replace(startText("Left"), "10 5", "0 0", 1), "ready") // no limits
		var asking sync.WaitGroup
		asking.Go(func() { expect(t, e, "(PLAY m.1 NIL)", "(say Yes)") })
		synctest.Wait()
		began := time.Now()
		e.finish()
		asking.Wait()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the running move was answered after %v", took)
		}
		e.Close()
		close(forever)
	})
}

func TestAnAgentThatFailsIsMadeAnewFromAllThatWasTold(t *testing.T) {
	var agents []*fake
	var told []string
	newAgent := func() Agent {
		number := len(agents)
		a := &fake{
			OnStart: func(_ context.Context, m Match) error {
				told = append(told, fmt.Sprintf("%d start %s", number, m.Role))
				return nil
			},
			OnPlay: func(_ context.Context, history [][]gdl.Term) (gdl.Term, error) {
				told = append(told, fmt.Sprint(number, " ", toldText(history)))
				if number == 0 && len(history) == 2 {
					panic("broken")
				}
				return pass, nil
			},
		}
		agents = append(agents, a)
		return a
	}
	e := NewEndpoint("Tester", newAgent, zlog)
	expect(t, e, startText("Left"), "ready")
	expect(t, e, "(PLAY m.1 NIL)", "pass")
	expect(t, e, "(PLAY m.1 (pass pass))", "pass")
	expect(t, e, "(STOP m.1 (pass pass))", "done")
	want := []string{"0 start Left", "0 ()", "0 () (pass pass)", "1 start Left", "1 () (pass pass)"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("what the agents were told (-want +got):\n%s", diff)
	}
}

func TestAnAgentThatFailsToStartIsMadeAnewOnce(t *testing.T) {
	starts := 0
	agent := &fake{OnStart: func(context.Context, Match) error {
		if starts++; starts == 1 {
			return errors.New("broken")
		}
		return nil
	}}
	e := begun(t, agent)
	expect(t, e, "(PLAY m.1 NIL)", "pass")
}

// failing returns an agent that has no move to make.
func failing() *fake {
	return &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
		return gdl.Term{}, ErrOver
	}}
}

func TestAGameThatIsOverAtItsStartEndsInOrder(t *testing.T) {
	over := strings.Replace(choosing, "(init (round 1))", "(init (round 3))", 1)
	e := NewEndpoint("Tester", always(failing()), zlog)
	for _, end := range []string{"(STOP m.1 NIL)", "(ABORT m.1)"} {
		expect(t, e, "( START m.1 Left ("+over+") 10 5 )", "ready")
		expectRefusal(t, e, "(PLAY m.1 NIL)", "PLAY: the game is over")
		if status, text := ask(t, e, end); status != http.StatusOK || text == "busy" {
			t.Errorf("%s: %d %q", end, status, text)
		}
		for _, late := range []string{"(PLAY m.1 NIL)", "(STOP m.1 NIL)", "(ABORT m.1)"} {
			expect(t, e, late, "busy")
		}
		expect(t, e, "(PING)", "available")
	}
}

func TestAPositionWithoutLegalMovesIsNoFailureOfThePlayer(t *testing.T) {
	stuck := strings.Replace(choosing, "(role ?p) (answer ?a)", "(role ?p) (answer ?a) (distinct ?p Left)", 1)
	e := NewEndpoint("Tester", always(failing()), zlog)
	expect(t, e, "( START m.1 Left ("+stuck+") 10 5 )", "ready")
	expectRefusal(t, e, "(PLAY m.1 NIL)", "PLAY: the rules give no legal move here")
	expect(t, e, "(STOP m.1 NIL)", "done")
}

func TestTheFallbackGoesOnByWhatIsLegal(t *testing.T) {
	e := NewEndpoint("Tester", always(failing()), zlog)
	expect(t, e, startText("Right"), "ready")
	expect(t, e, "(PLAY m.1 NIL)", "(say Yes)")
	expect(t, e, "(PLAY m.1 (foreign pass))", "(say Yes)")
	expect(t, e, "(PLAY m.1 (pass (SAY NO)))", "(say Yes)")
	expectRefusal(t, e, "(PLAY m.1 (pass pass))", "PLAY: the game is over")
}

func TestWhatIsToldInAMatchIsBounded(t *testing.T) {
	e := begun(t, &fake{})
	e.find("m.1").heard = maxHistory - 40
	expect(t, e, "(PLAY m.1 (pass pass))", "pass")
	expectRefusal(t, e, "(PLAY m.1 (pass pass))", "PLAY: expected at most 4194304 bytes in all messages of a match, found more")
	expect(t, e, "(STOP m.1 NIL)", "done")
}

func TestAStopWhoseJointMoveCannotBeReadEndsTheMatch(t *testing.T) {
	var told [][]gdl.Term
	agent := &fake{OnStop: func(history [][]gdl.Term) { told = history }}
	for _, message := range []string{
		"(STOP m.1)", "(STOP m.1 (() pass))", "(STOP m.1 (pass ?x))", "(STOP m.1 2 pass)", "(STOP m.1 2 pass (pass ?x))", "(STOP m.1 2 pass (pass))",
	} {
		e := begun(t, agent)
		expect(t, e, "(PLAY m.1 NIL)", "pass")
		expect(t, e, message, "done")
		expect(t, e, "(PING)", "available")
		if len(told) != 2 || told[1] != nil {
			t.Errorf("%s: told %v", message, told)
		}
	}
	expectRefusal(t, begun(t, agent), "(STOP)", "STOP: expected the match id")
}

func TestSeveralMatchesAtATimeDoNotMix(t *testing.T) {
	e := NewEndpoint("Tester", drifters(t, compile(t, game(t, choosing))), zlog)
	e.Matches = 3
	start := func(id string) string { return strings.Replace(startText("Left"), "m.1", id, 1) }
	for i := range 3 {
		expect(t, e, "(PING)", "available")
		expect(t, e, start(fmt.Sprint("m.", i)), "ready")
	}
	expect(t, e, "(PING)", "busy")
	expect(t, e, start("m.3"), "busy")
	expect(t, e, start("M.1"), "busy")
	for _, joint := range []string{"NIL", "(pass (say No))"} {
		for i := range 3 {
			if status, move := ask(t, e, fmt.Sprintf("(PLAY M.%d %s)", i, joint)); status != 200 || move == "busy" {
				t.Errorf("%d %s", status, move)
			}
		}
	}
	for i := range 3 {
		expect(t, e, fmt.Sprintf("(STOP m.%d (pass pass))", i), "done")
		expect(t, e, "(PING)", "available")
	}
}

func TestAStartWhoseRulesAreBeingReadIsEndedByAbortAndHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := NewEndpoint("Tester", always(&fake{}), zlog)
		for range maxParsed {
			e.parsing <- struct{}{} // others are being read for ever
		}
		var first sync.WaitGroup
		first.Go(func() {
			expectRefusal(t, e, startText("Left"), "START: the match has ended meanwhile")
		})
		synctest.Wait()
		expect(t, e, "(PING)", "available")
		expect(t, e, "(ABORT m.1)", "aborted")
		first.Wait()
		<-e.parsing
		expect(t, e, startText("Left"), "ready")
		expect(t, e, "(PLAY m.1 NIL)", "pass")
		expect(t, e, "(ABORT m.1)", "aborted")
	})
}

func TestRulesThatCannotBeReadInTheStartClockHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := NewEndpoint("Tester", always(&fake{}), zlog)
		for range maxParsed {
			e.parsing <- struct{}{} // others are being read for ever
		}
		began := time.Now()
		expectRefusal(t, e, startText("Left"), "START: the start clock has ended before the rules were read")
		if took := time.Since(began); took != 10*time.Second+loadGrace {
			t.Errorf("refused after %v", took)
		}
		<-e.parsing
		expect(t, e, startText("Left"), "ready")
		expect(t, e, "(ABORT m.1)", "aborted")
	})
}

func TestGamesOfImperfectInformationAreRefusedInWords(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	for _, relation := range []string{"sees", "SEES", "percept"} {
		rules := choosing + "(<= (" + relation + " Left ?a) (does Right ?a))"
		status, text := ask(t, e, "( START m.1 Left ("+rules+") 10 5 )")
		if status != http.StatusBadRequest || !strings.Contains(text, "imperfect information is not supported") {
			t.Errorf("%d %q", status, text)
		}
		expect(t, e, "(PING)", "available")
	}
}
