package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"stackmate/protocol"
	"stackmate/reasoner/machine"
)

// managerCheck is a rule for managers, tested on the requests of a manager.
type managerCheck struct {
	name, rule string
	level      Level
	look       func(v *view)
}

// view is the input and the result of a check.
type view struct {
	*log
	result Result
	seen   bool // a request or match to which the rule applies
}

// judge runs the check.
func (c managerCheck) judge(l *log) Result {
	v := &view{log: l, result: Result{Check: c.name, Level: c.level, Rule: c.rule, Source: cmp.Or(managerSources[c.name], replaced), Verdict: Pass}}
	c.look(v)
	if v.result.Verdict == Pass && !v.seen {
		v.result.Verdict, v.result.Reason = NotRun, "the match did not reach this point"
	}
	return v.result
}

// want fails the check if ok is false; the first failure counts. Sent is the kit's reply, got the manager's request.
func (v *view) want(ok bool, sent, expected, got string) {
	v.seen = true
	if v.result.Verdict != Pass {
		return
	}
	v.result.Sent, v.result.Expected, v.result.Got = "", shown(expected), shown(got)
	if sent != "" {
		v.result.Sent = shown(sent)
	}
	if !ok {
		v.result.Verdict = Fail
	}
}

// grace is the time past a clock that managers may take.
const grace = 5 * time.Second

var managerChecks = slices.Concat(formChecks, courseChecks, mannerChecks())

// formChecks are the rules on the form of requests.
var formChecks = []managerCheck{
	{"request", "Messages are the bodies of POST requests that announce their length.", Required, func(v *view) {
		for _, q := range v.all {
			v.want(q.method == "POST" && q.length == int64(len(q.body)), "", "a POST with the Content-Length of its body",
				fmt.Sprintf("%s with %d bytes announced: %s", q.method, q.length, q.body))
		}
	}},
	{"message", "Every request is a message of the protocol.", Expected, func(v *view) {
		for _, q := range v.all {
			v.want(q.err == nil, "", "a message of the protocol", fmt.Sprintf("%v: %s", q.err, q.body))
		}
	}},
	{"start", "START has an id, one of the roles of the rules, valid rules, and the clocks.", Required, func(v *view) {
		for _, s := range v.matches {
			v.want(s.startErr == nil, "", "valid rules and one of their roles", fmt.Sprint(s.startErr))
		}
	}},
	{"role", "Nobody is asked to play the role random.", Required, func(v *view) {
		for _, s := range v.matches {
			v.want(!strings.EqualFold(s.start.message.Role, machine.RandomRole), "", "another role", s.start.message.Role)
		}
	}},
	{"clocks", "The clocks are whole seconds.", Required, func(v *view) {
		for _, s := range v.matches {
			for _, clock := range []time.Duration{s.start.message.StartClock, s.start.message.PlayClock} {
				v.want(clock%time.Second == 0, "", "a clock in whole seconds", clock.String())
			}
		}
	}},
	{"match id", "Every message is of a match that has begun and not ended.", Required, func(v *view) {
		v.seen = len(v.matches) > 0
		for _, q := range v.strays {
			v.want(false, "", "the id of a match under way", q.body)
		}
	}},
}

// courseChecks are the rules on the order and content of the messages of a match.
var courseChecks = []managerCheck{
	{"ready first", "The first PLAY is sent when START has been answered.", Expected, func(v *view) {
		for _, s := range v.matches {
			if len(s.turns) > 0 {
				v.want(!s.start.answered.IsZero() && !s.turns[0].arrived.Before(s.start.answered), "ready", "PLAY after the reply",
					fmt.Sprintf("PLAY %.2f s after START, which was not answered yet", s.turns[0].arrived.Sub(s.start.arrived).Seconds()))
			}
		}
	}},
	{"first PLAY", "The first PLAY has no joint move, and comes soon after the start clock at the latest.", Required, func(v *view) {
		for _, s := range v.matches {
			if len(s.turns) == 0 {
				continue
			}
			first := s.turns[0]
			v.want(first.joint == nil, "ready", "NIL", first.body)
			if clock := s.start.message.StartClock; clock > 0 {
				took := first.arrived.Sub(s.start.arrived)
				v.want(took <= clock+grace, "ready", fmt.Sprintf("PLAY within %v", clock+grace), fmt.Sprintf("PLAY after %v", took))
			}
		}
	}},
	{"one PLAY a turn", "PLAY is not sent again before it is answered, or its clock has ended.", Required, func(v *view) {
		eachTurn(v, func(s *seated, t *turn, next *turn) {
			early := t.answered.IsZero() || next.arrived.Before(t.answered)
			ended := next.arrived.Sub(t.arrived) >= s.start.message.PlayClock && s.start.message.PlayClock > 0
			v.want(!early || ended, "", "the next message after the reply or the end of the clock", next.body)
		})
	}},
	{"joint move", "PLAY and STOP hold one legal move for each role, in order of the roles and spelled as in the rules.", Required, func(v *view) {
		eachTurn(v, func(_ *seated, _ *turn, next *turn) {
			v.want(next.joint != nil && next.fault == "", "", "a legal joint move", fmt.Sprintf("%s: %s", next.fault, next.body))
		})
	}},
	{"end", "STOP comes when the position is terminal, and no PLAY then.", Required, func(v *view) {
		for _, s := range v.matches {
			for _, t := range s.turns {
				v.want(!t.terminal, "", "STOP in a terminal position", t.body)
			}
			if s.last != nil && s.last.fault == "" {
				v.want(s.last.terminal, "", "no STOP before the position is terminal", s.last.body)
			}
		}
	}},
}

// eachTurn calls f for every turn before another turn or STOP.
func eachTurn(v *view, f func(s *seated, t, next *turn)) {
	for _, s := range v.matches {
		for i, t := range s.turns {
			switch {
			case i+1 < len(s.turns):
				f(s, t, s.turns[i+1])
			case s.last != nil:
				f(s, t, s.last)
			}
		}
	}
}

// replaced is the source of the rules on failing players.
const replaced = "the protocol: an illegal, late or failed move is replaced by a legal one; ggp-base: PlayRequestThread"

// mannerChecks returns the rules on the manager's reaction to each manner.
func mannerChecks() []managerCheck {
	var checks []managerCheck
	for i := range manners {
		m := &manners[i]
		rule := "After a move that is answered this way, it stands in the next joint move."
		if !m.stands {
			rule = "After an answer like this, the match goes on with a legal move."
		}
		checks = append(checks, managerCheck{"move: " + m.name, rule, m.level, func(v *view) { m.look(v) }})
	}
	return append(checks, managerCheck{
		"waiting", "A late move is waited for until the play clock has ended, and not much longer.",
		Required, func(v *view) {
			eachTurn(v, func(s *seated, t, next *turn) {
				if t.manner == nil || t.manner.name != "late" || s.start.message.PlayClock == 0 {
					return
				}
				clock, took := s.start.message.PlayClock, next.arrived.Sub(t.arrived)
				v.want(took >= clock && took <= clock+grace, "no move", fmt.Sprintf("the next message after %v to %v", clock, clock+grace),
					fmt.Sprintf("after %v: %s", took, next.body))
			})
		},
	})
}

// look checks the manager's reaction to answers in this manner.
func (m *manner) look(v *view) {
	for _, s := range v.matches {
		if n := len(s.turns); n > 0 && s.turns[n-1].manner != nil && s.turns[n-1].manner.name == m.name && s.end != nil && s.end.message.Command == protocol.Abort {
			v.want(false, m.name+": "+s.turns[n-1].move, "the match to go on", s.end.body)
		}
	}
	eachTurn(v, func(s *seated, t, next *turn) {
		switch {
		case t.manner == nil || t.manner.name != m.name:
		case next.fault != "" || len(next.joint) != len(s.at.Roles):
			v.want(false, m.name+": "+t.move, "a legal joint move", next.body)
		case m.stands:
			v.want(next.joint[s.role] == t.move, m.name+": "+t.move, "a joint move with "+t.move, next.body)
		default:
			v.want(slices.Contains(t.legal, next.joint[s.role]), m.name+": "+t.move, "a joint move with one of "+few(t.legal), next.body)
		}
	})
}
