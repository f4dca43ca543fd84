package protocol

import (
	"net/http"
	"strings"
	"testing"
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
