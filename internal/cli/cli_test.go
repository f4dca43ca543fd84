package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// outcome is the result of a command line.
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
	must.OK(t, os.WriteFile(path, []byte(text), 0o644))
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
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
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
		"clock without end":   {[]string{"match", "ticTacToe", "--start-clock", "1e9"}, "clocks of 0 to 604800"},
		"no time to think":    {[]string{"play", "ticTacToe", "--think=0s"}, "--think"},
		"fewer than none":     {[]string{"validate", "x.kif", "--simulate=-5"}, "found -5"},
		"no time for proofs":  {[]string{"validate", "x.kif", "--prove", "--budget=0s"}, "found 0s"},
		"no record":           {[]string{"rate", "/dev/zero"}, "not a match record"},
		"another file":        {[]string{"show", "cli_test.go"}, "cli_test.go:1: not a match record in JSON, as --record writes it: invalid character 'p'"},
		"a folder":            {[]string{"show", "../cli"}, "stackmate: read "},
		"JSON, no record":     {[]string{"rate", file(t, "list.json", "[1]")}, "list.json:1: not a match record in JSON, as --record writes it: expected object, found array"},
		"no time":             {[]string{"bench", "ticTacToe", "--seconds", "0"}, "--seconds"},
		"unknown kernel":      {[]string{"bench", "ticTacToe", "--kernel", "steam"}, "steam"},
		"kernel elsewhere":    {[]string{"inspect", "ticTacToe", "--kernel", elsewhere()}, "which this machine lacks"},
		"unknown player":      {[]string{"match", "ticTacToe", "--players", "stackmate,foo"}, "foo"},
		"no room to learn":    {[]string{"match", "ticTacToe", "--knowledge", "/dev/null/x"}, "--knowledge: cannot write /dev/null/x"},
		"nor to serve":        {[]string{"serve", "--knowledge", "/dev/null/x"}, "--knowledge: cannot write /dev/null/x"},
		"nor to work":         {[]string{"worker", "--nats", "x", "--knowledge", "/dev/null/x"}, "--knowledge: cannot write /dev/null/x"},
		"no URL to check":     {[]string{"check-player", "localhost:9147"}, "a player's address such as http://localhost:9147"},
		"address not http":    {[]string{"match", "ticTacToe", "--players", "ftp://x,random"}, "ftp://x"},
		"too few players":     {[]string{"match", "ticTacToe", "--players", "random"}, "x, o"},
		"negative clock":      {[]string{"match", "ticTacToe", "--play-clock=-1"}, "clocks"},
		"half a test":         {[]string{"tournament", "ticTacToe", "--players", "random,legal", "--sprt", "5"}, "--sprt"},
		"lonely tournament":   {[]string{"tournament", "ticTacToe", "--players", "random"}, "2 players"},
		"unknown experiment":  {[]string{"experiment", "chess"}, "goofspiel"},
		"sizes reversed":      {[]string{"experiment", "tron", "--sizes", "5-3"}, "5-3"},
		"sizes of none":       {[]string{"experiment", "tron", "--sizes", "90"}, "no size"},
		"no time per game":    {[]string{"experiment", "tron", "--limit", "0s"}, "--limit"},
		"a million threads":   {[]string{"solve", "ticTacToe", "--threads", "1000000"}, "--threads: expected 0 to 1024"},
		"threads of a player": {[]string{"match", "ticTacToe", "--players", "mcts:threads=1000000,random"}, "from 1 to 1024"},
		"threads to serve on": {[]string{"serve", "--threads", "1000000"}, "--threads: expected 1 to 1024"},
		"threads of workers":  {[]string{"worker", "--nats", "x", "--threads", "1000000"}, "1 to 1024"},
		"endless tournament":  {[]string{"tournament", "ticTacToe", "--players", "random,legal", "--rounds", "99999999999"}, "at most 1000000"},
		"unknown role":        {[]string{"play", "ticTacToe", "--role", "z"}, "x, o"},
		"memory without end":  {[]string{"solve", "ticTacToe", "--memory", "9223372036854775807"}, "expected 64 to 8796093022207 MiB"},
		"unknown log level":   {[]string{"inspect", "ticTacToe", "--log-level", "loud"}, "loud"},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, test.args...).expect(t, statusUsage, test.want)
		})
	}
}

func TestAnEmptyPathIsNoFolder(t *testing.T) {
	for _, args := range [][]string{
		{"match", "ticTacToe", "--record", ""},
		{"match", "ticTacToe", "--record="},
		{"inspect", "ticTacToe", "--cache", ""},
		{"match", "ticTacToe", "--knowledge", ""},
		{"solve", "ticTacToe", "--save", ""},
		{"rate", ""},
		{"rate", "x", ""},
		{"arena", ""},
		{"arena", "--solutions", ""},
		{"show", ""},
	} {
		execute(t, args...).expect(t, statusUsage, "expected a path, found an empty one")
	}
}

func TestAGameThatIsNotMeasuredHasNoHeading(t *testing.T) {
	for _, game := range []string{"nofile", "./nofile.kif"} {
		if o := execute(t, "bench", game); o.status != statusUsage || o.out != "" {
			t.Errorf("%s: status %d, %s%s", game, o.status, o.out, o.err)
		}
	}
	if o := execute(t, "bench", "nim-2", "nim-3", "--seconds", "0.01"); strings.Count(o.out, benchHeading) != 1 || strings.Count(o.out, "\n") != 3 {
		t.Error(o.out)
	}
}

func TestHelpAndVersionAreFine(t *testing.T) {
	execute(t, "--help").expect(t, statusFine, "solve", "validate", "perft")
	execute(t, "help", "games").expect(t, statusFine, "biddingTicTacToe", "connectFour-WxH", "W: columns, 4 to 20")
	execute(t, "--version").expect(t, statusFine, "stackmate")
}

// recorded is a match of coin.
const recorded = `{"game":"coin","playout":0,"roles":["you"],` +
	`"steps":[{"state":["choosing"],"legal":[["heads","tails"]],"joint":["heads"]}],` +
	`"final":{"terminal":true,"state":["won"],"goals":[100]}}` + "\n"

// elsewhere returns a kernel that this processor lacks.
func elsewhere() string {
	if runtime.GOARCH == "arm64" {
		return "native"
	}
	return "neon"
}
