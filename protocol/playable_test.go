package protocol

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"stackmate/gdl"
)

// walk is a game whose terminal rule reads does, and whose helper binds nothing.
const walk = `(role Left) (init (at 0)) (succ 0 1)
(<= (open ?x) (not (true (at ?x))))
(<= (legal Left pass) (true (at ?x)) (succ ?x ?y) (open ?y))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= moves (does Left pass))
(<= terminal (true (at 1)) (not moves))
(goal Left 100)`

func TestRulesWithFaultsThatManagersReadAreStarted(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	expect(t, e, "( START m.1 Left ("+walk+") 10 5 )", "ready")
	expect(t, e, "( ABORT m.1 )", "aborted")
	expect(t, e, "( START m.1 Left (("+walk+")) 10 5 )", "ready")
	expect(t, e, "( ABORT m.1 )", "aborted")
	status, text := ask(t, e, "( START m.1 Left ("+walk+" (<= p (not q)) (<= q (not p))) 10 5 )")
	if status != http.StatusBadRequest || !strings.Contains(text, "E0") {
		t.Errorf("%d %q", status, text)
	}
}

// dice is a game of GDL-II in which all is seen, by percepts of several forms.
const dice = `(role Left) (role random) (role Right) (init roll) (face 1) (face 2)
(<= (legal random (roll ?f)) (face ?f)) (legal Left pass) (legal Left bet) (legal Right pass)
(<= (sees ?r (rolled ?f)) (role ?r) (does random (roll ?f)))
(<= (sees Left (other ?m)) (does Right ?m)) (<= (sees Right (other ?m)) (does Left ?m))
(<= (next roll) (true roll)) (<= terminal (true over)) (<= (next over) (does Left never)) (goal Left 50) (goal Right 50) (goal random 0)`

func TestPerceptsOfGDL2TellTheJointMove(t *testing.T) {
	for name, test := range map[string]struct {
		rules, first, percepts, want string
	}{
		"by rules for sees":      {dice, "0 NIL NIL", "1 bet ((other pass) (rolled 2))", "bet (roll 2) pass"},
		"in upper case":          {dice, "0 NIL NIL", "1 BET ((OTHER PASS) (ROLLED 2))", "bet (roll 2) pass"},
		"without rules for sees": {choosing, "1 NIL ()", "2 pass ((does Left pass) (does Right pass))", "pass pass"},
		"as GameController does": {choosing, "1 NIL ()", "2 pass ((did Left pass) (did Right pass))", "pass pass"},
	} {
		t.Run(name, func(t *testing.T) {
			var last []gdl.Term
			agent := &fake{OnPlay: func(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
				last = told[len(told)-1]
				return gdl.Term{Name: "pass"}, nil
			}}
			e := NewEndpoint("Tester", always(agent), zlog)
			expect(t, e, "( START m.1 Left ("+test.rules+") 10 5 )", "ready")
			expect(t, e, "( PLAY m.1 "+test.first+" )", "pass")
			expect(t, e, "( PLAY m.1 "+test.percepts+" )", "pass")
			if got := strings.Join(Texts(last), " "); got != test.want {
				t.Errorf("the agent was told %q, want %q", got, test.want)
			}
			if status, text := ask(t, e, "( PLAY m.1 3 pass (nothing) )"); status != http.StatusBadRequest || !strings.Contains(text, "expected a percept with the move of") {
				t.Errorf("%d %q", status, text)
			}
			expect(t, e, "( STOP m.1 3 pass ((other pass) (rolled 1) (did Right pass)) )", "done")
		})
	}
}

func TestAPlayOfANumberedTurnIsAnsweredOnce(t *testing.T) {
	turns := 0
	agent := &fake{OnPlay: func(_ context.Context, told [][]gdl.Term) (gdl.Term, error) {
		turns = len(told)
		return gdl.ParseTerm([]string{"pass", "(say Yes)", "(say No)"}[turns-1])
	}}
	e := begun(t, agent)
	first, second := "(PLAY m.1 0 NIL NIL)", "(PLAY m.1 1 pass ((did Left pass) (did Right pass)))"
	for range 2 {
		expect(t, e, first, "pass")
	}
	for range 2 {
		expect(t, e, second, "(say Yes)")
	}
	expect(t, e, first, "pass")
	expect(t, e, strings.Replace(second, " 1 ", " 2 ", 1), "(say No)")
	if turns != 3 {
		t.Errorf("%d turns, want 3", turns)
	}
}
