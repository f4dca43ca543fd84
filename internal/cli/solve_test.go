package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/player/analysis"
	"stackmate/reasoner/machine/play"
	"stackmate/search/solve"
)

func TestSolveGivesKnownValues(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for game, want := range map[string]float64{
		"ticTacToe": 50, "matchingPennies": 50, "rockPaperScissors": 50, "goofspiel-4": 50, "goofspiel-5": 50, "example2": 3,
	} {
		t.Run(game, func(t *testing.T) {
			o := execute(t, "solve", game, "--json")
			o.expect(t, statusFine)
			r := o.objects(t)[0]
			value := r["value"].(map[string]any)
			found := false
			for _, v := range value {
				bounds := v.([]any)
				if bounds[0] != bounds[1] {
					t.Errorf("value %v is no number", bounds)
				}
				found = found || bounds[0] == want
			}
			if !found {
				t.Errorf("value %v, want %v for one role", value, want)
			}
			for _, field := range []string{
				"game", "method", "value", "strategy", "proved", "nodes", "lp_calls", "lp_seconds", "table_hits", "seconds", "peak_bytes",
			} {
				if _, ok := r[field]; !ok {
					t.Errorf("no field %s in %s", field, o.out)
				}
			}
			if r["lp_seconds"].(float64) > r["seconds"].(float64) {
				t.Errorf("linear programs took %v s of %v s", r["lp_seconds"], r["seconds"])
			}
		})
	}
	execute(t, "solve", "rockPaperScissors").expect(t, statusFine, "0.333333  paper", "solved")
	execute(t, "solve", file(t, "coin.kif", coin)).expect(t, statusFine, "value of you     100", "heads")
}

func TestSolveMethodsAgreeWithBackwardInduction(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	want := execute(t, "solve", "goofspiel-4", "--method", "bi", "--json").objects(t)[0]["value"]
	for _, args := range [][]string{
		{"--method", "auto"}, {"--method", "smab"}, {"--method", "do"}, {"--method", "smab", "--order", "l"}, {"--method", "biab", "--table", "off"}, {"--method", "smab", "--table", "off", "--order", "lex", "--skip", "1"},
	} {
		o := execute(t, append([]string{"solve", "goofspiel-4", "--json"}, args...)...)
		o.expect(t, statusFine)
		if got := o.objects(t)[0]["value"]; !sameValue(got, want) {
			t.Errorf("%v: value %v, by backward induction %v", args, got, want)
		}
	}
}

// sameValue compares values by role up to rounding.
func sameValue(a, b any) bool {
	const tolerance = 1e-6
	x, y := a.(map[string]any), b.(map[string]any)
	for role := range x {
		for i, v := range x[role].([]any) {
			if d := v.(float64) - y[role].([]any)[i].(float64); d > tolerance || d < -tolerance {
				return false
			}
		}
	}
	return len(x) == len(y)
}

func TestAnEarlyEndHasItsReason(t *testing.T) {
	o := execute(t, "solve", "goofspiel-10", "--time", "50ms", "--json")
	o.expect(t, statusBad, `"unfinished":"the time of 50ms is over"`, "goofspiel-10 is not solved: the time of 50ms is over\n")
	o = interruptWhen(t, []string{"solve", "goofspiel-12", "--json"}, func(o outcome) bool { return o.out != "" })
	o.expect(t, statusBad, `"unfinished":"interrupted"`, "goofspiel-12 is not solved: interrupted\n")
}

func TestTheTimeOfASearchEndsItsCertificate(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for length := 250 * time.Millisecond; ; length *= 2 { // the search ends late on a busy machine
		o := execute(t, "solve", "connectFour-4x4", "--time", length.String(), "--certify", "--threads", "1")
		if strings.Contains(o.err, "is not solved") && length < patience {
			continue
		}
		o.expect(t, statusBad, "the certificate is not finished: the time of "+length.String()+" is over", "NOT finished")
		return
	}
}

func TestASolutionWithoutACertificateIsSolved(t *testing.T) {
	// x tosses, and after tails o may let it toss again for ever.
	coin := file(t, "coin.kif", `(role x) (role o) (role random) (init (at toss))
		(<= (legal x stop) (true (at toss))) (<= (legal x toss) (true (at toss))) (<= (legal x noop) (not (true (at toss))))
		(<= (legal random ?s) (true (at lot)) (side ?s)) (<= (legal random noop) (not (true (at lot)))) (side heads) (side tails) (side edge)
		(<= (legal o back) (true (at reply))) (<= (legal o lose) (true (at reply))) (<= (legal o noop) (not (true (at reply))))
		(<= (next (at 40)) (does x stop)) (<= (next (at lot)) (does x toss)) (<= (next (at 100)) (does random heads)) (<= (next (at 10)) (does random edge))
		(<= (next (at reply)) (does random tails)) (<= (next (at toss)) (does o back)) (<= (next (at 90)) (does o lose))
		(pays 40 60) (pays 100 0) (pays 10 90) (pays 90 10)
		(<= terminal (true (at ?n)) (pays ?n ?m)) (<= (goal x ?n) (true (at ?n)) (pays ?n ?m)) (<= (goal o ?m) (true (at ?n)) (pays ?n ?m))`)
	o := execute(t, "solve", coin, "--save", filepath.Join(t.TempDir(), "saved"))
	o.expect(t, statusBad, "value of x     55\n", "NOT certified", "coin.kif is solved, but not certified: positions repeat under the strategy of x, and")
	if strings.Contains(o.err, "is not solved") {
		t.Errorf("a solved game is not solved:\n%s", o.err)
	}
}

func TestASolutionByPlansSaysThatAMatchWithoutEndCountsNothing(t *testing.T) {
	one := file(t, "one.kif", `(role x) (init here) (legal x stay) (legal x ten) (legal x thirty)
		(<= (next here) (does x stay)) (<= (next (at 10)) (does x ten)) (<= (next (at 30)) (does x thirty))
		(<= terminal (true (at ?n))) (<= (goal x ?n) (true (at ?n)))`)
	const concept = "the best goal; a match without end counts 0"
	execute(t, "solve", one, "--certify").expect(t, statusFine, "solved", concept, "value of x     30\n", "certified: exploitability 0")
	o := execute(t, "solve", one, "--method", "bab", "--json")
	o.expect(t, statusBad, `"concept":"value","value":{"x":[30,100]}`)
}

func TestSolveCertifiesItsStrategies(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	for _, game := range []string{
		"goofspiel-4", // simultaneous moves
		"nim-3.4",     // sequential, two players
		"pig-4-2",     // chance
		"slidingPuzzle-3x2-6",
	} {
		o := execute(t, "solve", game, "--certify", "--json")
		o.expect(t, statusFine)
		c := o.objects(t)[0]
		if c["certified"] != true || c["exploitability"] != 0. || c["positions_checked"].(float64) < 10 {
			t.Errorf("%s: certificate %v", game, c)
		}
		if proved := c["proved_exploitability"].(float64); proved > 1e-8 || c["complete"] != true {
			t.Errorf("%s: exploitability %v is proved, complete %v", game, proved, c["complete"])
		}
	}
	// A puzzle that is solved before it begins.
	execute(t, "solve", "slidingPuzzle-2x2", "--certify").expect(t, statusFine, "certified: exploitability 0 (proved); 0 positions")
	execute(t, "solve", "goofspiel-4", "--certify", "--epsilon", "1").expect(t, statusUsage, "expected a solution with tolerance 0")
	execute(t, "solve", "copsAndRobber-4x4-1-6", "--certify", "--epsilon", "60", "--method", "dfs").
		expect(t, statusFine, "certified: the strategies hold the value to [")
}

func TestASavedSolutionCanBePlayedAgainst(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	saved := filepath.Join(t.TempDir(), "four.solution")
	execute(t, "solve", "goofspiel-4", "--save", saved).expect(t, statusFine, "certified: exploitability 0")
	typing(t, "1\n1\n1\n")
	execute(t, "play", "goofspiel-4", "--from", saved, "--role", "blue").expect(t, statusFine, "Value for red: 50", "blue 1 2 3 4", "The end.")
	execute(t, "play", "goofspiel-5", "--from", saved).expect(t, statusBad, "found one of goofspiel-4")
	execute(t, "play", "goofspiel-4", "--from", saved+"2").expect(t, statusUsage, "cannot read the solution")
	execute(t, "play", "goofspiel-4", "--role", "green").expect(t, statusUsage, "green")
}

func TestLayersAreASolution(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	saved := filepath.Join(t.TempDir(), "four")
	layers := []string{"solve", "goofspiel-4", "--method", "layers", "--save", saved}
	execute(t, append(layers, "--certify")...).expect(t, statusFine, "value of red      50", "certified: exploitability 0")
	execute(t, layers...).expect(t, statusBad, "--resume continues them")
	execute(t, append(layers, "--resume", "--draws", "200")...).expect(t, statusFine, "nodes             0", "no fault at the positions drawn")
	execute(t, append(layers, "--resume", "--symmetries", "off")...).expect(t, statusBad, "expected layers by the 0 symmetries of the game, found layers by 1")
	blind := filepath.Join(t.TempDir(), "blind")
	execute(t, "solve", "goofspiel-4", "--method", "layers", "--symmetries", "off", "--save", blind).expect(t, statusFine)
	execute(t, "match", "goofspiel-4", "--players", solutionPlayer+":"+blind+",random", "--play-clock", "5").expect(t, statusFine)
	typing(t, "1\n1\n1\n")
	execute(t, "play", "goofspiel-4", "--from", saved, "--role", "blue").expect(t, statusFine, "Value for red: 50", "The end.")
	execute(t, "play", "goofspiel-5", "--from", saved).expect(t, statusBad, "found layers of goofspiel-4")
}

func TestTheAnalysisOfThePageKnowsSavedSolutions(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "four")
	execute(t, "solve", "goofspiel-4", "--method", "layers", "--save", saved).expect(t, statusFine)
	for game, want := range map[string]string{"goofspiel-4": "saved solution", "goofspiel-3": "exact"} {
		a := analysis.Analyst{Solutions: (&console{ctx: t.Context()}).savedSolutions(saved), Threads: 1, Bytes: 16 << 20}
		m := gamestest.Machine(t, game)
		var last *analysis.Analysis
		must.OK(t, a.Analyse(t.Context(), gamestest.Rules(t, game), m, m.Initial(), func(x *analysis.Analysis) { last = x }))
		if last.Method != want || !last.Solved || last.Lower[1] != 50 || last.Matrix.Value == nil || *last.Matrix.Value != 50 {
			t.Errorf("%s: %+v by %q, want the value 50 by %q", game, last.Matrix, last.Method, want)
		}
	}
}

// TestASavedSolutionTellsHowSoonEachMoveEnds: drawn games fill the board. Where o answers the solution's first move by a mistake, x
// wins, in seven plies at the most.
func TestASavedSolutionTellsHowSoonEachMoveEnds(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	saved := filepath.Join(t.TempDir(), "solution")
	execute(t, "solve", "ticTacToe", "--save", saved).expect(t, statusFine)
	a := analysis.Analyst{Solutions: (&console{ctx: t.Context()}).savedSolutions(saved), Threads: 1, Bytes: 16 << 20}
	m, rules := gamestest.Machine(t, "ticTacToe"), gamestest.Rules(t, "ticTacToe")
	know := func(moves ...[]string) *analysis.Analysis {
		t.Helper()
		h := must.Get(play.Follow(m, moves))(t)
		var last *analysis.Analysis
		early := false
		report := func(x *analysis.Analysis) {
			last, early = x, early || x.Solved && x.Moves == nil
		}
		must.OK(t, a.Analyse(t.Context(), rules, m, h.State(), report))
		if !early {
			t.Error("the value waits for the lines")
		}
		return last
	}
	root := know()
	for _, k := range root.Moves[0] {
		if k.Lower != 50 || k.Upper != 50 || k.Plies != 9 {
			t.Errorf("at the beginning %+v, want a draw in 9 plies", k)
		}
	}
	if len(root.Moves[0]) != 9 || len(root.Line) != 9 {
		t.Errorf("%d moves and a line of %d, want 9 of each", len(root.Moves[0]), len(root.Line))
	}
	lost := 0
	for _, k := range know([]string{root.Strategies[0][0].Move, "noop"}).Moves[1] {
		switch {
		case k.Upper == 0 && k.Plies >= 4 && k.Plies <= 8 && k.Plies%2 == 0:
			lost++
		case k.Lower != 50 || k.Plies != 8:
			t.Errorf("after the first move %+v, want a draw in 8 plies or a game lost in fewer", k)
		}
	}
	if lost < 4 {
		t.Errorf("%d moves lose, want four at least", lost)
	}
}

func TestASavedSolutionPlaysMatches(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	file, folder := filepath.Join(t.TempDir(), "nim"), filepath.Join(t.TempDir(), "nim")
	execute(t, "solve", "nim-3.4", "--save", file).expect(t, statusFine)
	execute(t, "solve", "nim-3.4", "--method", "layers", "--save", folder).expect(t, statusFine)
	for _, path := range []string{file, folder} { // the first player wins against all replies
		o := execute(t, "match", "nim-3.4", "--players", solutionPlayer+":"+path+",random", "--play-clock", "5", "--json")
		o.expect(t, statusFine, `"goals":[100,0]`)
	}
	execute(t, "match", "nim-3.4", "--players", solutionPlayer+":"+file+"2,random").expect(t, statusUsage, "cannot read the solution")
}

func TestACertificateSaysFirstThatItIsNotFinished(t *testing.T) {
	for want, c := range map[string]solve.Certificate{
		"NOT finished: no fault at the positions drawn so far; 7 positions": {Drawn: true, PositionsChecked: 7},
		"no fault at the positions drawn: 7 positions":                      {Drawn: true, Complete: true, PositionsChecked: 7},
		"NOT finished: no fault found yet":                                  {PositionsChecked: 7},
	} {
		if said := certificate(solve.Solution{Certificate: &c}); !strings.HasPrefix(said, want) {
			t.Errorf("%+v: says %q, want %q", c, said, want)
		}
	}
}

func TestProvedGainsAreRoundedUp(t *testing.T) {
	for gain, want := range map[float64]string{0: "0", 2.524354896707238e-29: "1e-12", 5.51e-10: "5.6e-10", 0.5: "0.5", 34: "34"} {
		if got := atMost(gain); got != want {
			t.Errorf("at most %g: %s, want %s", gain, got, want)
		}
	}
	said := certificate(solve.Solution{Certificate: &solve.Certificate{Certified: true, Complete: true, ProvedExploitability: 2.5e-29}})
	if !strings.Contains(said, "nobody gains more than 1e-12 (proved)") {
		t.Error(said)
	}
}

func TestADamagedSolutionIsNotPlayedInSilence(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	folder := filepath.Join(t.TempDir(), "four")
	execute(t, "solve", "goofspiel-4", "--method", "layers", "--save", folder).expect(t, statusFine)
	damage := func(name string) {
		path := filepath.Join(folder, name)
		content := must.Get(os.ReadFile(path))(t)
		content[len(content)/2] ^= 1
		must.OK(t, os.WriteFile(path, content, 0o600))
	}
	match := []string{"match", "goofspiel-4", "--players", solutionPlayer + ":" + folder + ",random", "--play-clock", "5"}
	damage("2.values.0")
	execute(t, match...).expect(t, statusFine, "the file is damaged", "a position is searched")
	damage("0.values.0")
	execute(t, match...).expect(t, statusBad, "the file is damaged")
}

func TestExperimentsShowTheFiguresOfThePaper(t *testing.T) {
	exhaustive.Only(t, "searches for seconds")
	picture := filepath.Join(t.TempDir(), "plot.svg")
	execute(t, "experiment", "goofspiel", "--sizes", "4", "--plot", picture).expect(t, statusFine,
		"Table 2", "109", "Saffidine", "Table 4", "points")
	if svg, err := os.ReadFile(picture); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("plot: %v", err)
	}
	nodes := map[any]float64{3.: 9, 4.: 263} // of backward induction without a table, by size
	for _, row := range execute(t, "experiment", "tron", "--sizes", "3-4", "--json").objects(t) {
		if row["finished"] != true || row["experiment"] != "tron" || row["method"] == "bi" && row["nodes"] != nodes[row["size"]] {
			t.Errorf("row %v", row)
		}
	}
}

func TestExperimentsRefuseWhatTheyCannotDoBeforeTheyBegin(t *testing.T) {
	for want, args := range map[string][]string{
		"some of 3 4 5": {"tron", "--sizes", "1-2"},
		"such as 4-7":   {"tron", "--sizes", "four"},
		".svg":          {"tron", "--plot", filepath.Join(t.TempDir(), "plot.png")},
		"above 0":       {"tron", "--limit", "0s"},
		"goofspiel":     {"chess"},
	} {
		execute(t, append([]string{"experiment"}, args...)...).expect(t, statusUsage, want)
	}
}

func TestSolveRefusesWhatItCannotSolve(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	dice := file(t, "dice.kif", `(role a) (role b) (role c) (role random) (init here) (<= (legal ?r x) (role ?r)) (<= (legal ?r y) (role ?r))
		(<= (next there) (true here)) (<= terminal (true there)) (<= (goal ?r 50) (role ?r))`)
	execute(t, "solve", dice).expect(t, statusBad, "more than two roles with simultaneous moves and chance")
	execute(t, "solve", "goofspiel-4", "--method", "bab").expect(t, statusBad, "two roles choose simultaneously")
	// Nobody has a choice, and there is no end.
	endless := file(t, "endless.kif", `
		(role a) (role b) (init here)
		(<= (legal ?r on) (role ?r)) (<= (next here) (true here))
		(<= terminal (not (true here))) (<= (goal ?r 50) (role ?r))`)
	for _, method := range []string{"auto", "bi", "smab", "do"} {
		execute(t, "solve", endless, "--method", method).expect(t, statusBad, "is not solved: the tree is deeper than")
	}
}

func TestGamesWhosePositionsRepeatAreSolvedWhereTheirBoundsMeet(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	// Rock, paper, scissors until somebody wins.
	throws := file(t, "throws.kif", `
		(role red) (role blue) (init playing)
		(beats rock scissors) (beats scissors paper) (beats paper rock)
		(<= (legal ?r ?m) (role ?r) (true playing) (beats ?m ?n))
		(<= (next (won red)) (does red ?m) (does blue ?n) (beats ?m ?n))
		(<= (next (won blue)) (does red ?m) (does blue ?n) (beats ?n ?m))
		(<= (next playing) (does red ?m) (does blue ?m))
		(<= terminal (not (true playing)))
		(<= (goal ?r 100) (true (won ?r)))
		(<= (goal red 0) (true (won blue))) (<= (goal blue 0) (true (won red)))
		(<= (goal ?r 50) (role ?r) (true playing))`)
	// Nobody wants to shoot first, and both may wait for ever.
	standoff := file(t, "standoff.kif", `
		(role red) (role blue) (init standing)
		(<= (legal ?r wait) (role ?r) (true standing)) (<= (legal ?r shoot) (role ?r) (true standing))
		(<= (next standing) (does red wait) (does blue wait)) (<= (next (shot ?r)) (does ?r shoot))
		(<= terminal (not (true standing)))
		(<= (goal red 0) (true (shot red)) (not (true (shot blue)))) (<= (goal blue 100) (true (shot red)) (not (true (shot blue))))
		(<= (goal blue 0) (true (shot blue)) (not (true (shot red)))) (<= (goal red 100) (true (shot blue)) (not (true (shot red))))
		(<= (goal ?r 50) (role ?r) (true (shot red)) (true (shot blue))) (<= (goal ?r 50) (role ?r) (true standing))`)
	for _, symmetries := range []string{"on", "off"} {
		for _, threads := range []string{"1", "2"} {
			more := []string{"--symmetries", symmetries, "--threads", threads}
			execute(t, append([]string{"solve", throws}, more...)...).expect(t, statusFine, "solved", "0.333333  rock", "value of red      50")
			execute(t, append([]string{"solve", standoff}, more...)...).expect(t, statusBad, "[0, 100]", "positions repeat")
		}
	}
}

func TestGamesThatAreNotSolvedArePlayedBySampling(t *testing.T) {
	exhaustive.Only(t, "thinks by the clock on all processors")
	typing(t, "1\n1\n")
	o := execute(t, "play", "connectFour", "--think", "200ms")
	o.expect(t, statusFine, "not solved in the time", "Turn 3")
	execute(t, "play", "trio").expect(t, statusUsage, "stackmate match trio --players human,stackmate")
}

func TestAMethodOfAnotherClassNamesTheMethodsThatFit(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	for args, want := range map[string]string{
		"trio-3x3 --method bab":            "more than two roles; methods for such games: auto, lattice, maxn, paranoid, mcts",
		"trio-3x3 --method smab":           "found 3; methods for such games: auto, lattice, maxn, paranoid, mcts",
		"goofspiel-3 --method bab":         "two roles choose simultaneously; methods for such games: auto, equilibrium, lattice, smab, mcts",
		"prisonersDilemma --method layers": "methods for such games: auto, equilibrium, lattice, mcts",
		"pig-2-1 --method threats":         "without chance; methods for such games: auto, bab, dfs, equilibrium, maxn, paranoid, mcts",
	} {
		execute(t, append([]string{"solve"}, strings.Fields(args)...)...).expect(t, statusBad, want)
	}
}

func TestARefusalForFaultyGoalsAddsTheValuesOfManagers(t *testing.T) {
	const choice = "(role a) (init (s 0)) (<= (legal a x) (true (s 0))) (<= (legal a y) (true (s 0))) (<= (next (did ?m)) (does a ?m)) (<= terminal (true (did ?m))) "
	for goals, want := range map[string]string{
		"(<= (goal a 40) (true (did x)))": "the goals of a there: none; as game managers read the rules: a 40",
		"(<= (goal a 40) (true (did x))) (<= (goal a 70) (true (did y))) (<= (goal a 90) (true (did y)))": "the goals of a there: 70 and 90; as game managers read the rules: a 70",
	} {
		o := execute(t, "solve", file(t, "choice.kif", choice+goals))
		if o.expect(t, statusBad, want); o.out != "" || strings.Count(o.err, "\n") != 1 {
			t.Errorf("want one line, got %s%s", o.out, o.err)
		}
	}
}
