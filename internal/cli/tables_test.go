package cli

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/protocol/conformance"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prove"
	"stackmate/search"
	"stackmate/search/certify"
	"stackmate/search/experiment"
	"stackmate/search/solve"
)

// expectTable compares the written text with a table, which begins with a line feed.
func expectTable(t *testing.T, want string, write func(io.Writer) error) {
	t.Helper()
	var got strings.Builder
	must.OK(t, write(&got))
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// pennies returns the solution of matching pennies.
func pennies() solve.Solution {
	half := []search.Weighted{{Move: 0, Probability: 0.5}, {Move: 1, Probability: 0.5}}
	return solve.Solution{
		Game: "pennies", Method: "bi", Proved: true, Solved: true,
		Names: &machine.Names{
			Roles: []string{"row", "column"}, Moves: [][]string{{"a", "b"}, {"c", "d"}}, Fluents: []string{"start"},
		},
		Result: search.Result{
			Values:     []search.Interval{{Lower: 50, Upper: 50}, {Lower: 50, Upper: 50}},
			Strategies: [][]search.Weighted{half, half},
		},
	}
}

func TestTheTableOfASolutionShowsValuesAndStrategies(t *testing.T) {
	const want = `
game                pennies
method              bi
status              solved
value of row        50
value of column     50
strategy of row     0.500000  a
                    0.500000  b
strategy of column  0.500000  c
                    0.500000  d
nodes               0
LP calls            0 in 0.000 s
table hits          0
memory              0.0 MB
time                0.000 s
`
	expectTable(t, want, func(w io.Writer) error { return writeSolution(w, pennies()) })
}

func TestAnExplanationIsReadable(t *testing.T) {
	half := 51.5
	x := &protocol.Explanation{
		Move: "a", By: "sampled", Why: "of two moves the better one", Nodes: 1000, PlayoutsPerSecond: 2e6, Seconds: 0.25,
		Values: []protocol.RoleValue{
			{Role: "row", Lower: 50, Upper: 50, Estimate: 50, Kind: protocol.Proved},
			{Role: "column", Lower: 25, Upper: 75, Estimate: 40, Kind: protocol.Proved},
			{Role: "third", Lower: 40, Upper: 40, Estimate: 40, Kind: protocol.Estimated},
		},
		Strategy: []protocol.MoveShare{{Move: "a", Probability: 1, Value: &half}, {Move: "b"}},
		Line:     [][]string{{"a", "c", "e"}, {"b", "c", "e"}},
	}
	const want = `
row                a
  why              of two moves the better one (sampled, 0.25 s)
  value of row     50, proved
  value of column  from 25 to 75, proved; about 40.0
  value of third   40.0, estimated
  moves            1.000  a, 51.5 by sampling
                   0.000  b
  line             a c e, b c e
  nodes            1000, 2000000 playouts/s
`
	expectTable(t, want, func(w io.Writer) error { return writeExplanation(w, "row", x) })
}

func TestTheTableOfASearchThatWasBrokenOffShowsBoundsAndEstimates(t *testing.T) {
	s := pennies()
	s.Solved, s.Evictions = false, 7
	s.Result.Values = []search.Interval{{Lower: 0, Upper: 100}, {Lower: 0, Upper: 100}}
	s.Result.Strategies = nil
	s.Estimate, s.Result.Estimates = map[string]float64{"row": 51}, []float64{51, 49}
	const want = `
game             pennies
method           bi
status           proved bounds
value of row     [0, 100], estimate 51
value of column  [0, 100], estimate 49
nodes            0
LP calls         0 in 0.000 s
table hits       0
memory           0.0 MB, too little: 7 positions were forgotten (--memory)
time             0.000 s
`
	expectTable(t, want, func(w io.Writer) error { return writeSolution(w, s) })
}

func TestCertificatesAreToldInASentence(t *testing.T) {
	for want, c := range map[string]solve.Certificate{
		"certified: exploitability 0 (proved: at most 1e-12); 3 positions, 0.000 s": {
			Certified: true, ProvedExploitability: 1.11e-14, PositionsChecked: 3,
		},
		"NOT finished: no fault found yet, the value is proved to lie in [0, 100]; 0 positions, 0.000 s": {
			ProvedBounds: [2]float64{0, 100},
		},
		"NOT certified: exploitability 50 (proved); 2 claims do not hold, one at start: claimed 50, " +
			"the strategy of row obtains 0 (points of row); 1 positions, 0.000 s": {
			Exploitability: 50, Faults: 2, PositionsChecked: 1,
			First: &certify.Fault{Position: machine.State{1}, Role: 0, Claimed: 50},
		},
		"NOT certified: exploitability 0 (proved); 1 claims do not hold, one at : claimed 20, " +
			"a lone player obtains 30 (points of row); 1 positions, 0.000 s": {
			Faults: 1, PositionsChecked: 1,
			First: &certify.Fault{Position: machine.State{0}, Role: -1, Claimed: 20, Obtained: 30},
		},
	} {
		s := pennies()
		s.Certificate = &c
		if got := certificate(s); got != want {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
}

func TestTheTableOfASeriesListsStandingsAndAbortedMatches(t *testing.T) {
	s := &arena.Ranking{
		Standings: []arena.Standing{
			{Player: "p", Matches: 4, Points: 200, Wins: 2, Losses: 2},
			{Player: "p-2", Matches: 4, Points: 200, Wins: 2, Losses: 2, Late: 1},
		},
		Results: []arena.Result{{Match: "s.0"}, {Match: "s.1", Reason: "interrupted"}},
	}
	const want = `
  player  matches  points   share  wins  draws  losses  late  illegal  failed
       p        4     200  50.0 %     2      0       2     0        0       0
     p-2        4     200  50.0 %     2      0       2     1        0       0
match s.1: interrupted
`
	expectTable(t, want, func(w io.Writer) error { return writeStandings(w, s) })
}

func TestTheTableOfARankingEndsWithRatingsAndVerdict(t *testing.T) {
	llr := 2.95
	r := &arena.Ranking{
		Standings: []arena.Standing{{Player: "a", Matches: 1, Points: 100, Wins: 1}},
		Ratings:   []arena.Rating{{Player: "a", Elo: 12.4, Error: 3}}, LLR: &llr, Outcomes: arena.Sample{{Score: 0.25, Pairs: 3}, {Score: 1, Pairs: 40}},
	}
	for verdict, text := range map[arena.Verdict]string{
		arena.AcceptH0:  "the first player is no stronger than elo0",
		arena.AcceptH1:  "the first player is stronger, as elo1 says",
		arena.Undecided: "undecided",
	} {
		r.Verdict = verdict
		want := `
  player  matches  points    share  wins  draws  losses  late  illegal  failed
       a        1     100  100.0 %     1      0       0     0        0       0

  player    elo  95 %
       a  +12.4  ±3.0

mean scores of pairs:  0.25 × 3  1 × 40
log-likelihood ratio 2.95: ` + text + "\n"
		expectTable(t, want, func(w io.Writer) error { return writeRanking(w, r) })
	}
}

func TestTheTableOfAReportExplainsWhatDidNotPass(t *testing.T) {
	r := &conformance.Report{Subject: "http://player", Passed: 1, Failed: 1, NotRun: 1, Broken: 1, Checks: []conformance.Result{
		{Check: "info", Level: conformance.Required, Rule: "INFO is answered.", Verdict: conformance.Pass, Sent: "( INFO )", Got: "available"},
		{
			Check: "stop", Level: conformance.Required, Rule: "STOP is answered.", Source: "the protocol", Verdict: conformance.Fail,
			Sent: "( STOP m NIL )", Expected: "done", Got: "status 200: ?", Reason: "the reply is ? instead of done",
		},
		{Check: "ping", Level: conformance.Expected, Rule: "PING is answered.", Verdict: conformance.NotRun, Reason: "the player has died"},
	}}
	const want = `
required  pass     info  INFO is answered.
required  fail     stop  STOP is answered.
                           sent: ( STOP m NIL )
                           expected: done
                           got: status 200: ?
                           because: the reply is ? instead of done
                           source: the protocol
expected  not run  ping  PING is answered.
                           because: the player has died

http://player: 1 passed, 1 failed, 1 of them required, 1 not run
`
	expectTable(t, want, func(w io.Writer) error { return writeReport(w, r) })
}

func TestRowsThatAreNotFinishedAreShownAsSuch(t *testing.T) {
	rows := []experiment.Row{
		{Table: "First", Size: 3, Method: "bi", Finished: true, Nodes: 12, Paper: &experiment.Published{Source: "a paper", Nodes: 10}},
		{Table: "First", Size: 4, Method: "bi", Nodes: 5, Seconds: 2, Note: "stopped after 2 s"},
		{Table: "Second", Size: 5, Method: "do", Note: "not tried: size 4 was not finished"},
	}
	var lines []string
	var got strings.Builder
	p := rowPrinter{w: &got}
	for _, r := range rows {
		must.OK(t, p.print(r))
	}
	for line := range strings.Lines(got.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	heading := "size method nodes LPs seconds MB | paper: nodes LPs seconds"
	want := []string{
		"First", heading,
		"3 bi 12 0 0.000 0.0 | 10 a paper",
		"4 bi > 5 > 0 > 2.000 > 0.0 | stopped after 2 s",
		"", "Second", heading,
		"5 do - - - - | not tried: size 4 was not finished",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProofsAreATableWithTheLinesThatRefuteUnderIt(t *testing.T) {
	list := []proof{
		{Property: "it ends", Verdict: prove.Proved, Detail: "within 9 joint moves"},
		{Property: "goals rise", Verdict: prove.Refuted, Detail: "the goal of a role falls", Line: [][]string{{"a", "noop"}, {"noop", "b"}}, Shortest: true},
		{Property: "by turns", Verdict: prove.Refuted},
		{Property: "a sum", Verdict: prove.Open},
	}
	const want = `
proved   it ends     within 9 joint moves
refuted  goals rise  the goal of a role falls
refuted  by turns
open     a sum
"goals rise" fails after 2 joint moves, no fewer: (a noop) (noop b)
"by turns" fails in the initial position
`
	expectTable(t, want, func(w io.Writer) error {
		writeProofs(w, list)
		return nil
	})
}

func TestFiguresWithoutMeasurementsAreDashes(t *testing.T) {
	none := &arena.Ranking{Standings: []arena.Standing{{Player: "a"}}, Ratings: []arena.Rating{{Player: "a"}}}
	expectTable(t, `
  player  matches  points  share  wins  draws  losses  late  illegal  failed
       a        0       0      -     0      0       0     0        0       0

  player  elo  95 %
       a    -     -
`, func(w io.Writer) error { return writeRanking(w, none) })
	if line := scoreLine(none, 100); line != "match 1 of 100  a -" {
		t.Error(line)
	}
	var bench, inspected strings.Builder
	must.OK(t, writeBench(&bench, benchResult{}))
	if fields := strings.Fields(bench.String()); !slices.Equal(fields[len(fields)-3:], []string{"-", "-", "-"}) {
		t.Error(bench.String())
	}
	must.OK(t, writeInspection(&inspected, inspection{Class: observed(solve.Class{})}))
	if !strings.Contains(inspected.String(), "class        -\n") {
		t.Error(inspected.String())
	}
}
