package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

func TestAnyPositionCanBeSolved(t *testing.T) {
	exhaustive.NotUnderRace(t, "searches for long on one goroutine")
	facts := "(cell 1 1 x) (cell 1 2 x) (cell 2 1 o) (true (cell 2 2 o)) (init (control o))"
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"facts":              {[]string{"ticTacToe", "--position", facts}, "(mark 2 3)"},
		"moves":              {[]string{"ticTacToe", "--moves", "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2)"}, "(mark 1 3)"},
		"joint moves":        {[]string{"ticTacToe", "--moves", "((mark 1 1) noop) (noop (mark 2 1)) (mark 1 2)"}, "(mark 1 3)"},
		"facts, then a move": {[]string{"ticTacToe", "--position", facts, "--moves", "(mark 3 3)", "--certify"}, "certified"},
		"at once":            {[]string{"goofspiel-3", "--moves", "(play 1) (play 2)"}, "value of red"},
		"the end":            {[]string{"ticTacToe", "--position", facts + "(cell 1 3 x)"}, "value of x  100"},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, append([]string{"solve"}, test.args...)...).expect(t, statusFine, test.want)
		})
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no fluent":      {[]string{"--position", "(cell 1 2 y)"}, "--position: (cell 1 2 y) is no fluent"},
		"no legal move":  {[]string{"--moves", "(mark 1 1) (mark 1 1)"}, "step 2: expected a legal move of o, one of (mark 1 2)"},
		"after the end":  {[]string{"--moves", "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 1 3) (mark 3 3)"}, "the match is over after 5 steps"},
		"a separator":    {[]string{"--moves", "(mark 1 1); (mark 1 2)"}, "--moves: 1:11: a semicolon begins a comment"},
		"on a line":      {[]string{"--moves", "(mark 1 1)\n (mark 1 2);"}, "--moves: 2:12: a semicolon begins a comment"},
		"no text":        {[]string{"--moves", "(mark 1"}, "--moves: expected 1 closing parenthesis"},
		"resume nothing": {[]string{"--resume"}, "--resume: expected --save FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, append([]string{"solve", "ticTacToe"}, test.args...)...).expect(t, statusUsage, test.want)
		})
	}
}

func TestAnInterruptedSearchIsKeptAndGoesOn(t *testing.T) {
	exhaustive.Only(t, "solves for a second")
	path := filepath.Join(t.TempDir(), "five")
	args := []string{"solve", "connectFour", "--save", path}
	const kept = "--resume continues from them"
	o := interruptWhen(t, args, func(o outcome) bool { return strings.Contains(o.err, kept) })
	if _, err := os.Stat(path + ".proofs"); err != nil || !strings.Contains(o.err, kept) {
		t.Fatalf("%v after\n%s", err, o.err)
	}
	execute(t, "solve", "connectFour-5x4", "--save", path, "--resume").expect(t, statusBad, "whose rules are others")
	execute(t, append(args, "--resume", "--method", "dfs")...).expect(t, statusBad, "expected a search by method dfs, found one by bab")
	execute(t, "solve", "goofspiel-4", "--method", "smab", "--save", path, "--resume").expect(t, statusBad, "method smab keeps no proofs of an unfinished search; methods bab and dfs do")
	interruptAfter(t, 500*time.Millisecond, append(args, "--resume")).expect(t, statusBad, "interrupted")
	must.OK(t, os.WriteFile(path+".proofs", []byte("nonsense"), 0o600))
	execute(t, append(args, "--resume")...).expect(t, statusBad, "found something else")
	// A search that ends leaves the solution alone.
	small := filepath.Join(t.TempDir(), "small")
	execute(t, "solve", "ticTacToe", "--save", small, "--resume").expect(t, statusFine, "certified")
	if _, err := os.Stat(small + ".proofs"); err == nil {
		t.Error("what was proved of a solved game is still there")
	}
}

func TestPositionsThatDoNotFollowFromTheInitialOneAreThoseOfTheRules(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	walls := filepath.Join(t.TempDir(), "walls.kif")
	const rules = `(role x) (init (at 0)) (init (wall 2)) (init (open 1)) (succ 0 1) (succ 1 2) (succ 2 3)
		(<= (legal x go) (true (at ?n)) (succ ?n ?m) (not (true (wall ?m))))
		(legal x wait) (<= (next (at ?m)) (does x go) (true (at ?n)) (succ ?n ?m)) (<= (next (at ?n)) (does x wait) (true (at ?n)))
		(<= (next (wall ?n)) (true (wall ?n))) (<= (next (open ?n)) (true (open ?n)))
		(init (step 0)) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 3)))
		(<= (goal x 100) (true (at 3))) (<= (goal x 0) (not (true (at 3))))`
	must.OK(t, os.WriteFile(walls, []byte(rules), 0o600))
	// The second word is declared by base alone: no match from the initial position reaches it.
	declared := file(t, "declared.kif", `(role x) (init (at 0)) (init (word 1)) (legal x go) (base (at 0)) (base (at 1)) (base (word 1)) (base (word 2))
		(<= (next (at 1)) (does x go)) (<= (next (word ?n)) (true (word ?n))) (<= terminal (true (at 1)))
		(<= (goal x 70) (true (word 2))) (<= (goal x 30) (not (true (word 2))))`)
	for _, engine := range []string{"circuit", "datalog", "reference"} {
		for _, unknown := range []string{"(word 3)", "(at (word 1))", "(word 1 2)", "(go x)"} {
			execute(t, "solve", declared, "--engine", engine, "--position", "(at 0)"+unknown).expect(t, statusUsage, "--position: "+unknown+" is no fluent of the rules")
		}
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"two words":     {[]string{"solve", declared, "--position", "(at 0) (word 2)"}, "value of x     70\n"},
		"by datalog":    {[]string{"solve", declared, "--position", "(at 0) (word 2)", "--engine", "datalog"}, "value of x     70\n"},
		"two who move":  {[]string{"perft", "ticTacToe", "2", "--position", "(control x) (control o) (cell 1 3 x)"}, "4361"},
		"with the wall": {[]string{"solve", walls}, "value of x     0\n"},
		"without it":    {[]string{"solve", walls, "--position", "(at 0) (open 1) (step 0)"}, "value of x     100"},
	} {
		t.Run(name, func(t *testing.T) { execute(t, test.args...).expect(t, statusFine, test.want) })
	}
	execute(t, "solve", "ticTacToe", "--position", "(control x) (control o)").expect(t, statusBad, "the goals of x there: 100 and 0") // both make lines
}
