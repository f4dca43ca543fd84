package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/protocol/arena"
)

// outcome is what a command line led to.
type outcome struct {
	status   int
	out, err string
}

func execute(t *testing.T, args ...string) outcome {
	t.Helper()
	return executeUntil(t.Context(), args...)
}

func executeUntil(ctx context.Context, args ...string) outcome {
	var out, err bytes.Buffer
	status := Run(ctx, args, &out, &err)
	return outcome{status, out.String(), err.String()}
}

// expect fails the test unless the command ended with the status and both
// outputs together contain all the texts.
func (o outcome) expect(t *testing.T, status int, texts ...string) {
	t.Helper()
	if o.status != status {
		t.Errorf("status %d, want %d", o.status, status)
	}
	for _, text := range texts {
		if !strings.Contains(o.out+o.err, text) {
			t.Errorf("%q is missing", text)
		}
	}
	if t.Failed() {
		t.Fatalf("standard output:\n%s\nstandard error:\n%s", o.out, o.err)
	}
}

// objects reads the output as JSON, one object to a line.
func (o outcome) objects(t *testing.T) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(o.out) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		list = append(list, object)
	}
	return list
}

// file writes a file for the test and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// coin is a small valid rulesheet: one player, one choice.
const coin = `(role you)
(init choosing)
(<= (legal you heads) (true choosing))
(<= (legal you tails) (true choosing))
(<= (next won) (does you heads))
(<= (next lost) (does you tails))
(<= terminal (true won))
(<= terminal (true lost))
(<= (goal you 100) (true won))
(<= (goal you 0) (true lost))
(<= (goal you 50) (true choosing))
`

func TestWrongCommandLinesAreUsageErrors(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no command":          {nil, "expected one of"},
		"unknown command":     {[]string{"slove", "ticTacToe"}, "slove"},
		"unknown flag":        {[]string{"solve", "ticTacToe", "--quickly"}, "--quickly"},
		"missing game":        {[]string{"solve"}, "<game>"},
		"unknown game":        {[]string{"perft", "ticTacTow", "2"}, "did you mean ticTacToe"},
		"no name of a game":   {[]string{"inspect", "--", "-x"}, `unknown game "-x"`},
		"parameter too large": {[]string{"inspect", "goofspiel-1000"}, "1000"},
		"missing file":        {[]string{"solve", "no/such.kif"}, "no/such.kif"},
		"no file to check":    {[]string{"validate", "nosuch.kif"}, "nosuch.kif"},
		"unknown engine":      {[]string{"bench", "ticTacToe", "--engine", "steam"}, "steam"},
		"unknown method":      {[]string{"solve", "ticTacToe", "--method", "magic"}, "magic"},
		"unknown LP engine":   {[]string{"solve", "ticTacToe", "--lp", "abacus"}, "abacus"},
		"negative tolerance":  {[]string{"solve", "ticTacToe", "--epsilon", "-1"}, "-1"},
		"depth below one":     {[]string{"perft", "ticTacToe", "0"}, "found 0"},
		"depth without end":   {[]string{"perft", "ticTacToe", "1000000000"}, "found 1000000000"},
		"time without end":    {[]string{"bench", "ticTacToe", "--seconds", "1e300"}, "--seconds"},
		"no number":           {[]string{"bench", "ticTacToe", "--seconds", "NaN"}, "--seconds"},
		"clock without end":   {[]string{"match", "ticTacToe", "--start-clock", "99999999999"}, "clocks"},
		"no time to think":    {[]string{"play", "ticTacToe", "--think=0s"}, "--think"},
		"fewer than none":     {[]string{"validate", "x.kif", "--simulate=-5"}, "found -5"},
		"no time for proofs":  {[]string{"validate", "x.kif", "--prove", "--budget=0s"}, "found 0s"},
		"no record":           {[]string{"standings", "/dev/zero"}, "expected a match record"},
		"no time":             {[]string{"bench", "ticTacToe", "--seconds", "0"}, "--seconds"},
		"lanes of no kernel":  {[]string{"bench", "ticTacToe", "--lanes", "63"}, "63"},
		"one file, two games": {[]string{"bench", "ticTacToe", "hex", "--out", "x"}, "--out"},
		"unknown player":      {[]string{"match", "ticTacToe", "--players", "stackmate,foo"}, "foo"},
		"address not http":    {[]string{"match", "ticTacToe", "--players", "ftp://x,random"}, "ftp://x"},
		"too few players":     {[]string{"match", "ticTacToe", "--players", "random"}, "x, o"},
		"negative clock":      {[]string{"match", "ticTacToe", "--play-clock=-1"}, "clocks"},
		"half a test":         {[]string{"tournament", "ticTacToe", "--players", "random,legal", "--sprt", "5"}, "--sprt"},
		"lonely tournament":   {[]string{"tournament", "ticTacToe", "--players", "random"}, "2 players"},
		"unknown experiment":  {[]string{"experiment", "chess"}, "goofspiel"},
		"sizes reversed":      {[]string{"experiment", "tron", "--sizes", "5-3"}, "5-3"},
		"sizes of none":       {[]string{"experiment", "tron", "--sizes", "90"}, "no size"},
		"no time per game":    {[]string{"experiment", "tron", "--limit", "0s"}, "--limit"},
		"unknown role":        {[]string{"play", "ticTacToe", "--role", "z"}, "x, o"},
		"unknown log level":   {[]string{"inspect", "ticTacToe", "--log-level", "loud"}, "loud"},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, test.args...).expect(t, statusUsage, test.want)
		})
	}
}

func TestHelpAndVersionAreFine(t *testing.T) {
	execute(t, "--help").expect(t, statusFine, "solve", "validate", "perft")
	execute(t, "inspect", "--help").expect(t, statusFine, "biddingTicTacToe", "connectFour-WxH")
	execute(t, "--version").expect(t, statusFine, "stackmate")
}

func TestBadRulesheetsAreNamedWithTheirPlace(t *testing.T) {
	for name, test := range map[string]struct {
		rules string
		want  string
	}{
		"syntax error":           {"(role you", "bad.kif:1:1: E"},
		"unsafe rule":            {coin + "(<= (next (seen ?x)) (true choosing))\n", "bad.kif:12:"},
		"unstratified":           {coin + "(<= p (not q))\n(<= q (not p))\n", "bad.kif:12:"},
		"no role":                {strings.Replace(coin, "(role you)", "", 1), "`role`"},
		"hidden information":     {coin + "(<= (sees you it) (true won))\n", "imperfect information is not supported"},
		"binary instead of text": {"\x7fELF\x00\x01(", "bad.kif:"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "bad.kif", test.rules)
			execute(t, "validate", path).expect(t, statusBad, test.want, "not valid")
			execute(t, "inspect", path).expect(t, statusBad, test.want)
			found := execute(t, "validate", "--json", path).objects(t)
			if len(found) != 1 || found[0]["valid"] != false || found[0]["errors"].(float64) < 1 {
				t.Errorf("found %v", found)
			}
		})
	}
}

func TestValidateGoesOnAfterABadFileAndIsStrictOnRequest(t *testing.T) {
	good, bad := file(t, "good.kif", coin), file(t, "bad.kif", "(role you")
	execute(t, "validate", good).expect(t, statusFine, "good.kif: valid")
	execute(t, "validate", bad, good).expect(t, statusBad, "bad.kif: not valid", "good.kif: valid")
	warned := execute(t, "validate", "--json", good).objects(t)[0]["warnings"].(float64) > 0
	if strict := execute(t, "validate", "--strict", good); (strict.status == statusBad) != warned {
		t.Errorf("status %d of a file with warnings: %v", strict.status, warned)
	}
}

func TestValidateFindsFaultsByPlaying(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"no fault":       {"", "", "faults in 20 matches: 0"},
		"no legal move":  {"(<= terminal (true won))\n", "", "expected a legal move for you"},
		"no goal":        {"(<= (goal you 100) (true won))\n", "", "expected one goal for you"},
		"two goals":      {"(<= (goal you 0) (true lost))", "(<= (goal you 0) (true lost)) (<= (goal you 1) (true lost))", "expected one goal for you"},
		"goal too large": {"(goal you 100)", "(goal you 101)", "101"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "game.kif", strings.Replace(coin, test.old, test.new, 1))
			status := statusBad
			if name == "no fault" {
				status = statusFine
			}
			execute(t, "validate", path, "--simulate", "20").expect(t, status, test.want)
		})
	}
	endless := "(role you) (init here) (legal you wait) (next here) (<= terminal (true there)) (<= (next there) (does you leave)) (goal you 50)"
	execute(t, "validate", file(t, "endless.kif", endless), "--simulate", "1").
		expect(t, statusBad, "expected the match to end", "after 10000 joint moves", "state: here")
}

func TestFmtIsIdempotentAndWritesOnRequest(t *testing.T) {
	path := file(t, "game.kif", strings.ReplaceAll(coin, "\n(", "   ( "))
	once := execute(t, "fmt", path)
	once.expect(t, statusFine, "(init choosing)\n")
	execute(t, "fmt", "-w", path).expect(t, statusFine)
	written, err := os.ReadFile(path)
	if err != nil || string(written) != once.out {
		t.Errorf("fmt prints\n%s\nand writes\n%s (%v)", once.out, written, err)
	}
	if again := execute(t, "fmt", path); again.out != once.out {
		t.Errorf("formatted again:\n%s", again.out)
	}
	execute(t, "fmt", file(t, "bad.kif", "(role you")).expect(t, statusBad, "bad.kif:1:1")
}

func TestFmtShowsWhatWouldChange(t *testing.T) {
	path := file(t, "game.kif", "(role you)\n   ( init here)\n")
	execute(t, "fmt", "-d", path).expect(t, statusBad, "--- "+path+".orig", "+++ "+path, "-   ( init here)", "+(init here)")
	if src, err := os.ReadFile(path); err != nil || !strings.Contains(string(src), "( init") {
		t.Errorf("-d wrote the file: %s (%v)", src, err)
	}
	execute(t, "fmt", "-w", path).expect(t, statusFine)
	if again := execute(t, "fmt", "-d", path); again.status != statusFine || again.out != "" {
		t.Errorf("status %d, a difference of a formatted file:\n%s", again.status, again.out)
	}
}

func TestSolveGivesKnownValues(t *testing.T) {
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
	for _, game := range []string{"goofspiel-4", "oshiZumo-5-1", "tron-4x4"} {
		want := execute(t, "solve", game, "--method", "bi", "--json").objects(t)[0]["value"]
		for _, args := range [][]string{
			{"--method", "auto"}, {"--method", "smab"}, {"--method", "do"}, {"--method", "best"}, {"--method", "biab", "--table", "off"}, {"--method", "smab", "--table", "off", "--order", "lex", "--skip", "1"},
		} {
			o := execute(t, append([]string{"solve", game, "--json"}, args...)...)
			o.expect(t, statusFine)
			if got := o.objects(t)[0]["value"]; !sameValue(got, want) {
				t.Errorf("%s %v: value %v, by backward induction %v", game, args, got, want)
			}
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

func TestSolveCertifiesItsStrategies(t *testing.T) {
	for _, game := range []string{
		"goofspiel-5", // simultaneous moves
		"ticTacToe",   // sequential, two players
		"pig-10-2",    // chance
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
	execute(t, "solve", "goofspiel-4", "--certify", "--epsilon", "1").expect(t, statusBad, "expected an exact solution")
	execute(t, "solve", "copsAndRobber-4x4-1-6", "--certify", "--epsilon", "40", "--method", "dfs").
		expect(t, statusFine, "certified: the strategies hold the value to [")
}

func TestASavedSolutionCanBePlayedAgainst(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "four.solution")
	execute(t, "solve", "goofspiel-4", "--save", saved).expect(t, statusFine, "certified: exploitability 0")
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	var err error
	if os.Stdin, err = os.Open(file(t, "moves", "1\n1\n1\n")); err != nil {
		t.Fatal(err)
	}
	defer os.Stdin.Close()
	execute(t, "play", "goofspiel-4", "--from", saved, "--role", "blue").expect(t, statusFine, "Value for red: 50", "hand blue: 1 2 3 4", "The end.")
	execute(t, "play", "goofspiel-5", "--from", saved).expect(t, statusBad, "found one of goofspiel-4")
	execute(t, "play", "goofspiel-4", "--from", saved+"2").expect(t, statusBad, "cannot read the solution")
	execute(t, "play", "goofspiel-4", "--role", "green").expect(t, statusUsage, "green")
}

func TestExperimentsShowTheFiguresOfThePaper(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "plot.svg")
	execute(t, "experiment", "goofspiel", "--sizes", "4", "--plot", picture).expect(t, statusFine,
		"Table 2", "109", "Saffidine", "Table 4", "points")
	if svg, err := os.ReadFile(picture); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("plot: %v", err)
	}
	for _, row := range execute(t, "experiment", "tron", "--sizes", "3-4", "--json").objects(t) {
		if row["finished"] != true || row["experiment"] != "tron" {
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

func TestAnInterruptedExperimentSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	executeUntil(ctx, "experiment", "tron").expect(t, statusBad, "interrupted")
}

func TestSolveRefusesWhatItCannotSolve(t *testing.T) {
	execute(t, "solve", "trio").expect(t, statusBad, "trio")
	execute(t, "solve", "goofspiel-4", "--method", "bab").expect(t, statusBad, "both roles choose at once")
	// Nobody has a choice, and there is no end.
	endless := file(t, "endless.kif", `
		(role a) (role b) (init here)
		(<= (legal ?r on) (role ?r)) (<= (next here) (true here))
		(<= terminal (not (true here))) (<= (goal ?r 50) (role ?r))`)
	for _, method := range []string{"auto", "bi", "smab", "best", "anytime"} {
		execute(t, "solve", endless, "--method", method).expect(t, statusBad, "is not solved: there are positions more than")
	}
}

func TestBenchMeasuresEveryGame(t *testing.T) {
	o := execute(t, "bench", "ticTacToe", "hex-3x3", "--seconds", "0.02", "--json")
	o.expect(t, statusFine)
	results := o.objects(t)
	if len(results) != 2 {
		t.Fatalf("%d results, want 2", len(results))
	}
	for _, r := range results {
		for _, field := range []string{"init_seconds", "seconds", "states", "playouts", "states_per_second", "playouts_per_second", "threads", "lanes", "legal_ns", "step_ns", "expand_ns"} {
			if v, ok := r[field].(float64); !ok || v <= 0 {
				t.Errorf("%s is %v", field, r[field])
			}
		}
		if r["engine"] != "circuit" {
			t.Errorf("engine %v", r["engine"])
		}
	}
	execute(t, "bench", "ticTacToe", "--seconds", "0.02").expect(t, statusFine, "states/s", "ticTacToe")
}

func TestBenchWritesTheHarnessFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "result")
	keys := func() []string {
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for line := range strings.Lines(string(text)) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
			if !ok || value == "" {
				t.Errorf("no key=value: %q", line)
			}
			keys = append(keys, key)
		}
		return keys
	}
	execute(t, "bench", "ticTacToe", "--seconds", "0.02", "--out", out).expect(t, statusFine)
	if got, want := keys(), []string{"version", "millisecondsTaken", "numStateChanges", "numRollouts"}; !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
	execute(t, "bench", file(t, "bad.kif", "(role you"), "--out", out).expect(t, statusBad)
	if got, want := keys(), []string{"version", "errorMessage"}; !slices.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
}

func TestPerftCountsTicTacToe(t *testing.T) {
	o := execute(t, "perft", "ticTacToe", "5", "--json")
	o.expect(t, statusFine)
	r := o.objects(t)[0]
	if r["joint_moves"] != 15120.0 || r["terminals"] != 1440.0 || r["depth"] != 5.0 {
		t.Errorf("found %v", r)
	}
	execute(t, "perft", "ticTacToe", "3", "--engine", "reference").expect(t, statusFine, "504")
}

func TestInspectShowsWhatTheCompilerFound(t *testing.T) {
	o := execute(t, "inspect", "ticTacToe", "--json")
	o.expect(t, statusFine)
	r := o.objects(t)[0]
	for _, field := range []string{"game", "roles", "fluents", "moves", "gates", "engine", "class"} {
		if v, ok := r[field]; !ok || v == "" {
			t.Errorf("%s is %v", field, v)
		}
	}
	execute(t, "inspect", "ticTacToe", "--circuit").expect(t, statusFine, "fluents", "gates", "pass")
	execute(t, "inspect", "ticTacToe", "--prove").expect(t, statusFine, "proved   the goals of the players add up to 100 at the end", "proved   one player at most has a choice")
	execute(t, "inspect", "ticTacToe", "--prove", "--budget", "0s").expect(t, statusUsage, "--budget")
	execute(t, "inspect", "matchingPennies", "--dot").expect(t, statusFine, "digraph", "heads")
	execute(t, "inspect", "tron-12x12", "--dot").expect(t, statusBad, "cannot be read")
}

func TestMatchesAreHeldAndRecorded(t *testing.T) {
	records := t.TempDir()
	o := execute(t, "match", "ticTacToe", "--players", "legal,random", "--count", "2", "--json", "--record", records)
	o.expect(t, statusFine)
	results := o.objects(t)
	if len(results) != 2 {
		t.Fatalf("%d results, want 2", len(results))
	}
	for i, r := range results {
		for _, field := range []string{"match", "game", "players", "goals", "turns", "errors"} {
			if _, ok := r[field]; !ok {
				t.Errorf("no field %s in %s", field, o.out)
			}
		}
		if first := r["players"].([]any)[0]; first != []string{"legal", "random"}[i] {
			t.Errorf("match %d: %v has the first role", i, first)
		}
		record, err := arena.ReadRecord(filepath.Join(records, r["match"].(string)+".jsonl"))
		if err != nil || !record.Completed {
			t.Errorf("record of match %d: %v, %+v", i, err, record)
		}
	}
	execute(t, "match", "ticTacToe", "--players", "legal,random").expect(t, statusFine, "player", "share", "legal")
}

func TestAPlayerThatDoesNotAnswerIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	execute(t, "match", "ticTacToe", "--players", "random,"+address, "--start-clock", "1", "--play-clock", "1").
		expect(t, statusBad, address)
}

func TestTournamentsRateThePlayers(t *testing.T) {
	args := []string{"tournament", "ticTacToe", "--players", "legal,random", "--rounds", "2"}
	execute(t, args...).expect(t, statusFine, "elo", "legal", "random")
	r := execute(t, append(args, "--json")...).objects(t)[0]
	if n := len(r["results"].([]any)); n != 4 {
		t.Errorf("%d matches, want 4", n)
	}
}

// serve starts a player on a free port and returns its address. It ends with the
// test, which then sees that it ended well.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan outcome, 1)
	go func() {
		ended <- executeUntil(ctx, append([]string{"serve", "--listen", address, "--name", "Tester"}, args...)...)
	}()
	t.Cleanup(func() {
		cancel()
		if o := <-ended; o.status != statusFine {
			t.Errorf("serve ended with status %d: %s", o.status, o.err)
		}
	})
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the player does not listen")
	return ""
}

// say sends a message to a player and returns status and reply.
func say(t *testing.T, address, message string) (int, string) {
	t.Helper()
	r, err := http.Post("http://"+address, "text/acl", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

func TestServeSurvivesNonsense(t *testing.T) {
	address := serve(t)
	for _, message := range []string{
		"", "(", "hello", "( START )", "( START m x (nonsense", "( START m x ((role x)) 10 10 )", "( PLAY )", "\x00\xff",
	} {
		if status, reply := say(t, address, message); status != http.StatusBadRequest || reply == "" {
			t.Errorf("%q: status %d, reply %q", message, status, reply)
		}
	}
	if status, reply := say(t, address, "( INFO )"); status != http.StatusOK || !strings.Contains(reply, "Tester") {
		t.Errorf("status %d, reply %q", status, reply)
	}
	execute(t, "serve", "--listen", address).expect(t, statusBad, "in use")
}

func TestServedPlayersFinishAMatch(t *testing.T) {
	players := "http://" + serve(t) + ",http://" + serve(t)
	o := execute(t, "match", "biddingTicTacToe-1", "--players", players, "--start-clock", "1", "--play-clock", "1", "--json")
	o.expect(t, statusFine)
	for _, errors := range o.objects(t)[0]["errors"].([]any) {
		if errors != 0.0 {
			t.Errorf("errors in %s", o.out)
		}
	}
}

// recorded is a match of coin.
const recorded = `{"game":"coin","playout":0,"roles":["you"],` +
	`"steps":[{"state":["choosing"],"legal":[["heads","tails"]],"joint":["heads"]}],` +
	`"final":{"terminal":true,"state":["won"],"goals":[100]}}` + "\n"

func TestReplayTellsTheFirstDifference(t *testing.T) {
	rules := file(t, "coin.kif", coin)
	for _, engine := range []string{"circuit", "reference", "auto"} {
		execute(t, "replay", rules, file(t, "coin.jsonl", recorded), "--engine", engine).
			expect(t, statusFine, "1 matches, 1 steps: no difference")
	}
	for part, other := range map[string]string{
		`"state":["won"]`:   `"state":["lost"]`,
		`"heads","tails"`:   `"heads"`,
		`"goals":[100]`:     `"goals":[0]`,
		`"terminal":true`:   `"terminal":false`,
		`"joint":["heads"]`: `"joint":["edge"]`,
		`"roles":["you"]`:   `"roles":["me"]`,
	} {
		execute(t, "replay", rules, file(t, "bad.jsonl", strings.Replace(recorded, part, other, 1))).
			expect(t, statusBad, "coin, match 0")
	}
	execute(t, "replay", rules, file(t, "bad.jsonl", recorded[:40])).expect(t, statusBad, "bad.jsonl")
	execute(t, "replay", rules, "nosuch.jsonl").expect(t, statusBad, "nosuch.jsonl")
	records := t.TempDir()
	execute(t, "match", rules, "--players", "legal", "--record", records).expect(t, statusFine)
	record, err := filepath.Glob(filepath.Join(records, "*.jsonl"))
	if err != nil || len(record) != 1 {
		t.Fatalf("records %v (%v)", record, err)
	}
	execute(t, "replay", rules, record[0]).expect(t, statusFine, "1 matches, 1 steps: no difference")
	other := file(t, "other.kif", strings.ReplaceAll(coin, "heads", "head"))
	execute(t, "replay", other, record[0]).expect(t, statusBad, "match coin", "has no move heads")
	execute(t, "replay", rules, file(t, "none.jsonl", "")).expect(t, statusBad, "none.jsonl: expected recorded matches, found none")
}

func TestInterruptionEndsEveryCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"solve", "goofspiel-9"},
		{"bench", "ticTacToe", "--seconds", "60"},
		{"perft", "connectFour", "12"},
		{"inspect", "connectFour"},
		{"match", "connectFour"},
		{"replay", file(t, "coin.kif", coin), file(t, "coin.jsonl", recorded)},
	} {
		executeUntil(ctx, args...).expect(t, statusBad, "interrupted")
	}
}

func TestAnInterruptedSearchTellsWhatItKnows(t *testing.T) {
	interruptedAfterCompiling(t, "solve", "goofspiel-12").expect(t, statusBad, "interrupted", "value of red", "proved bounds")
	interruptedAfterCompiling(t, "perft", "connectFour", "12").expect(t, statusBad, "interrupted", "not complete")
}

// interruptedAfterCompiling interrupts a command that takes minutes: after a second
// or, where even compiling takes longer on a busy machine, after twice the time.
func interruptedAfterCompiling(t *testing.T, args ...string) outcome {
	t.Helper()
	for patience := time.Second; ; patience *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		o := executeUntil(ctx, args...)
		cancel()
		if o.out != "" || patience > 10*time.Second {
			return o
		}
	}
}

func TestValidateProvesWhatHoldsInAllPositions(t *testing.T) {
	execute(t, "validate", "--prove", file(t, "good.kif", coin)).expect(t, statusFine,
		"proved   every game ends", "proved   every role has a legal move until the end", "proved   every role has one goal at the end")
}
