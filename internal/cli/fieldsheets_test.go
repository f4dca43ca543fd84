package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/player"
	"stackmate/protocol"
)

// Parts of the rulesheets below: a role moves from place 1 to place 2.
const (
	stroll  = "(role a) (init (at 1)) (<= (legal a go) (true (at 1))) (<= (next (at 2)) (does a go)) "
	arrived = "(<= terminal (true (at 2))) "
	paid    = "(goal a 70) "
)

// fieldSheets are rulesheets with the faults that sheets of servers, tutorials and beginners have. A match of players that make the first
// legal move ends with goals; or the sheet is refused with a finding that has the words of refused.
var fieldSheets = map[string]struct{ rules, goals, refused string }{
	"no fault": {stroll + arrived + paid, "70", ""},

	"terminal asks for does":             {stroll + "(<= terminal (true (at 2)) (not (does a go))) " + paid, "70", ""},
	"terminal asks for does by a helper": {stroll + "(<= moved (does a ?m)) (<= terminal (true (at 2)) (not moved)) " + paid, "70", ""},
	"legal asks for does":                {strings.Replace(stroll, "(true (at 1))", "(true (at 1)) (not (does a stay))", 1) + arrived + paid, "70", ""},
	"goal asks for does":                 {stroll + arrived + "(<= (goal a 70) (not (does a go))) (<= (goal a 20) (does a go))", "70", ""},
	"init asks for true":                 {strings.Replace(stroll, "(init (at 1))", "(<= (init (at 1)) (not (true (at 2))))", 1) + arrived + paid, "70", ""},
	"init in a body":                     {stroll + arrived + "(<= (goal a 70) (init (at 1)))", "70", ""},
	"helper bound by its caller":         {stroll + "(place 2) (<= (free ?x) (not (true (at ?x)))) " + arrived + "(<= (goal a 70) (place ?x) (not (free ?x)))", "70", ""},
	"fact with a variable":               {stroll + "(same ?x ?x) (<= terminal (true (at ?y)) (same ?y 2)) " + paid, "70", ""},
	"variable of not alone":              {stroll + arrived + "(<= (goal a 70) (not (true (far ?x))))", "70", ""},
	"goal above 100":                     {stroll + arrived + "(goal a 1000)", "100", ""},
	"goal below 0":                       {stroll + arrived + "(goal a -5)", "0", ""},
	"goal with a sign":                   {stroll + arrived + "(goal a +50)", "50", ""},
	"goal with a fraction":               {stroll + arrived + "(goal a 49.6)", "0", ""},
	"goal that is no number":             {stroll + arrived + "(goal a many)", "0", ""},
	"no rule for goal":                   {stroll + arrived, "0", ""},
	"no goal at the end":                 {stroll + arrived + "(<= (goal a 70) (true (at 1)))", "0", ""},
	"two goals at the end":               {stroll + arrived + "(goal a 30) (goal a 90)", "30", ""},
	"goals that add up":                  {stroll + arrived + "(<= (goal a 25) (true (at 2))) (<= (goal a 75) (true (at 2)) (not (true (at 1))))", "25", ""},
	"parentheses around all":             {"(" + stroll + arrived + paid + ")", "70", ""},
	"a sum that is a term":               {stroll + "(init (n 0)) (<= (next (n (+ ?n 1))) (true (n ?n))) " + arrived + paid, "70", ""},
	"sees that tells all":                {stroll + "(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m)) " + arrived + paid, "70", ""},
	"recursion without the bound":        {stroll + "(e 1 2) (e 2 3) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (p ?x ?y) (p ?y ?z)) " + arrived + "(<= (goal a 70) (p 1 3))", "70", ""},
	"capital letters":                    {strings.ToUpper(stroll+arrived) + "(GOAL A 70)", "70", ""},
	"goals of two positions":             {stroll + arrived + "(<= (goal a 70) (true (at 2))) (<= (goal a 10) (true (at 1)))", "70", ""},

	"distinct with an open variable": {stroll + "(<= (goal a 70) (distinct ?x 1)) " + arrived, "70", ""},

	"hidden information":          {stroll + "(role b) (legal b wait) (goal b 0) (<= (sees a (at ?x)) (true (at ?x))) " + arrived + paid, "", "imperfect information"},
	"negation through itself":     {stroll + "(<= p (not q)) (<= q (not p)) " + arrived + paid, "", "E0"},
	"helper that is asked at all": {stroll + "(<= (free ?x) (not (true (at ?x)))) (<= (legal a (to ?x)) (free ?x)) " + arrived + paid, "", "E019"},
	"next with an open variable":  {stroll + "(<= (next (at ?x)) (does a go)) " + arrived + paid, "", "E019"},
	"terms that grow for ever":    {stroll + "(num 0) (<= (num (s ?x)) (num ?x)) (<= terminal (true (at 2)) (num (s 0))) " + paid, "", "E0"},
	"no role":                     {"(init (at 1)) (legal a go) " + arrived + paid, "", "role"},
	"no end":                      {stroll + paid, "", "terminal"},
	"role that is a variable":     {"(role ?r) (init (at 1)) (legal ?r go) " + arrived + paid, "", "E0"},
	"true of a whole condition":   {stroll + arrived + "(<= (goal a 70) (true (not (at 1))))", "", "E0"},
	"parenthesis too few":         {stroll + arrived + "(goal a 70", "", "1 open parentheses"},
	"not rules":                   {"hello world", "", "E0"},
}

// starter returns a function that sends the START of a match with given rules to a player as serve has it.
func starter(t *testing.T) func(rules string) (status int, reply string) {
	s := &console{ctx: t.Context(), out: newPrinter(&strings.Builder{}, nil), err: newPrinter(&strings.Builder{}, nil)}
	p := must.Get(s.newRoster(player.Options{Threads: 1, Memory: 64 << 20}).player("legal", s.nextSeed))(t)
	e := protocol.NewEndpoint("Tester", p.New, s.log)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	matches := 0
	return func(rules string) (int, string) {
		matches++
		role := regexp.MustCompile(`(?i)\( *role +([^ ()?]+)`).FindStringSubmatch(rules)
		name := "a"
		if role != nil {
			name = role[1]
		}
		status, reply := say(t, server.Listener.Addr().String(), fmt.Sprintf("( START m.%d %s (%s\n) 10 10 )", matches, name, rules))
		if status == http.StatusOK {
			say(t, server.Listener.Addr().String(), fmt.Sprintf("(ABORT m.%d)", matches))
		}
		return status, reply
	}
}

func TestRulesOfTheFieldArePlayedAsManagersReadThemOrRefusedWithAReason(t *testing.T) {
	exhaustive.NotUnderRace(t, "starts many games; other tests of the endpoint look at its goroutines")
	start := starter(t)
	for name, c := range fieldSheets {
		t.Run(name, func(t *testing.T) {
			status, reply := start(c.rules)
			if c.refused != "" {
				if status != http.StatusBadRequest || !strings.Contains(reply, c.refused) {
					t.Errorf("START: %d %s, want a refusal with %q", status, reply, c.refused)
				}
				return
			}
			if status != http.StatusOK || reply != "ready" {
				t.Errorf("START: %d %s", status, reply)
			}
			path := file(t, "sheet.kif", c.rules)
			execute(t, "match", path, "--players", "legal", "--json").expect(t, statusFine, `"goals":[`+c.goals+`]`)
		})
	}
}

// TestEveryRulesheetOfTheCorpusIsStarted reads all rulesheets as START does, and sends START for the cases of the field.
func TestEveryRulesheetOfTheCorpusIsStarted(t *testing.T) {
	for _, r := range corpus.Rulesheets(t) {
		if _, _, err := gdl.LoadToPlay(t.Context(), r.Name, corpus.Source(t, r.Name)); err != nil {
			t.Error(err)
		}
	}
	start := starter(t)
	cases, err := filepath.Glob(filepath.Join(corpus.Folder(t, "field-cases"), "*.kif"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases of the field: %v", err)
	}
	for _, path := range cases {
		text := must.Get(os.ReadFile(path))(t)
		if status, reply := start(string(text)); status != http.StatusOK {
			t.Errorf("%s: %d %.300s", path, status, reply)
		}
	}
}

func TestCounterexamplesComeOutRight(t *testing.T) {
	folder := corpus.Folder(t, "counterexamples")
	const noGoal = `white has no such goal, or several, at the end \[\(control black\) bad t0 t1 t2\].*managers read the rules: white 50, black 50`
	for _, c := range []struct {
		file   string
		args   string // the command, with FILE for the rulesheet
		status int
		want   string // matches the output
		never  string // matches nothing of it
	}{
		{"false-value", "solve FILE", statusFine, `value of white +100\n`, ""},
		{"false-value", "solve FILE --method bab", statusFine, `value of white +100\n`, ""},
		{"false-value", "solve FILE --method dfs", statusFine, `value of white +100\n`, ""},
		{"false-value", "solve FILE --method threats", statusFine, `value of white +100\n`, ""},
		// White may go to an end where the rules give it no goal. 50 and 50 are the values if no goal counts as 0, as in matches; the rules
		// do not say so, and white would go there for more than 50.
		{"false-threats", "solve FILE --method threats", statusBad, noGoal, "solved"},
		{"false-threats", "solve FILE", statusBad, noGoal, "solved"},
		{"false-threats", "match FILE --players stackmate,stackmate --start-clock 1 --play-clock 1 --json", statusFine, `"goals":\[50,50\]`, ""},
		{"false-proof", "validate --prove FILE", statusFine, `valid`, `proved +(goals add up|.*at most.*choice)`},
		{"false-plan", "solve FILE --method plan", statusFine, `value of robot +100\n`, ""},
		{"hidden-general-sum", "solve FILE", statusFine, `payoff of x +100\npayoff of o +100\n`, ""},
		{"hidden-general-sum", "solve FILE --method bab", statusFine, `guarantee of x +0\nguarantee of o +100\n`, `value of`},
		{"endless", "solve FILE", statusBad, `is not solved`, `status +solved`},
		{"endless", "solve FILE --method dfs", statusBad, `is not solved`, `status +solved`},
		{"goal-over-100", "solve FILE --certify", statusBad, `7:13: E028: expected a number from 0 to 100, found 200`, ""},
		{"two-goals", "solve FILE --certify", statusBad, `the goals of a there: 100 and 90`, ""},
		{"line-after-end", "solve FILE", statusFine, `value of x +100\n`, `line `},
		{"s1", "solve FILE", statusFine, `value of r +100\n`, ""},
		{"tilde1", "solve FILE", statusFine, `value of r +100\n`, ""},
		{"slash", "solve FILE", statusFine, `value of r +100\n`, ""},
		{"neg", "perft FILE 2", statusFine, ` 2 +4 `, ""},
	} {
		path := filepath.Join(folder, c.file+".kif")
		o := execute(t, strings.Fields(strings.ReplaceAll(c.args, "FILE", path))...)
		text := o.out + o.err
		if o.status != c.status || !regexp.MustCompile(c.want).MatchString(text) || c.never != "" && regexp.MustCompile(c.never).MatchString(text) {
			t.Errorf("%s: %s: status %d, want %d and %q, never %q:\n%s", c.file, c.args, o.status, c.status, c.want, c.never, text)
		}
	}
}
