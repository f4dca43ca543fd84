package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
)

// Each command is interrupted in the middle of hours of work, and prints its partial result.
func TestCommandsInterruptedInMidWorkTellWhatTheyHave(t *testing.T) {
	// Rules of which each match is short, and the text of a megabyte of them.
	rules := file(t, "coin.kif", coin)
	long := file(t, "long.kif", coin+strings.Repeat("(<= (p ?x) (q ?x) (r ?x))\n", 40_000))
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"perft":          {[]string{"perft", "connectFour", "14"}, "not complete"},
		"slow perft":     {[]string{"perft", "ticTacToe", "9", "--engine", "reference"}, "not complete"},
		"bench":          {[]string{"bench", "connectFour", "--seconds", "3600"}, "connectFour"},
		"experiment":     {[]string{"experiment", "goofspiel", "--sizes", "10-12", "--limit", "1h"}, "interrupted after"},
		"validate":       {[]string{"validate", rules, "--simulate", "1000000000"}, "faults in"},
		"proofs":         {[]string{"validate", file(t, "hex.kif", execute(t, "export", "hex-9x9").out), "--prove", "--budget", "1h"}, "every game ends"},
		"long rules":     {[]string{"validate", long, long, long, long, long, long, long, long, long, long}, ""},
		"solve":          {[]string{"solve", "goofspiel-12"}, "proved bounds"},
		"induction":      {[]string{"solve", "goofspiel-12", "--method", "bi"}, "of red"},
		"sequential":     {[]string{"solve", "connectFour", "--method", "bab"}, "proved bounds"},
		"certificate":    {[]string{"solve", "goofspiel-8", "--certify", "--method", "smab"}, "of red"},
		"outcomes":       {[]string{"solve", "connectFour", "--method", "lattice"}, "some outcomes"},
		"bridge":         {[]string{"bridge", "N:952.T3..KT8 S:74.7.64.754 EW:JT86.AJ982.QJT93.96 trump:C lead:E tricks:5"}, "tricks left"},
		"match":          {[]string{"match", "connectFour", "--count", "1000", "--players", "mcts,random"}, "random"},
		"first match":    {[]string{"match", "connectFour", "--start-clock", "3600"}, "match connectFour."},
		"tournament":     {[]string{"tournament", "connectFour", "--players", "mcts,random"}, "elo"},
		"training":       {[]string{"train", "connectFour", "--time", "1h", "--knowledge", t.TempDir()}, "saved in"},
		"signature":      {[]string{"signature"}, "goofspiel"},
		"built-in games": {[]string{"bench", "ticTacToe", "hex-3x3", "--seconds", "3600"}, "ticTacToe"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "perft" && name != "solve" {
				exhaustive.Only(t, "takes seconds")
			}
			o := interruptWhen(t, test.args, func(o outcome) bool { return strings.Contains(o.out+o.err, test.want) })
			o.expect(t, statusBad, test.want, "stackmate: interrupted\n")
		})
	}
}

// patience is the time limit for events on a busy machine.
const patience = 2 * time.Minute

// interruptWhen interrupts a command of hours after increasing times, until told accepts its output: on a busy machine it
// takes a while to compile the game and begin.
func interruptWhen(t *testing.T, args []string, told func(o outcome) bool) outcome {
	t.Helper()
	for work := 200 * time.Millisecond; ; work *= 4 { // mostly enough
		if o := interruptAfter(t, work, args); told(o) || work >= patience {
			return o
		}
	}
}

// interruptAfter interrupts a command that has worked for a while, and fails the
// test unless it ends by that, and soon.
func interruptAfter(t *testing.T, work time.Duration, args []string) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan outcome, 1)
	go func() { ended <- executeUntil(ctx, args...) }()
	select {
	case o := <-ended:
		t.Fatalf("ended before it was interrupted, with status %d:\n%s%s", o.status, o.out, o.err)
	case <-time.After(work):
	}
	cancel()
	select {
	case o := <-ended:
		return o
	case <-time.After(patience):
		t.Fatalf("works on %v after the interruption", patience)
	}
	return outcome{}
}

func TestInterruptionEndsEveryCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"solve", "goofspiel-9"},
		{"bench", "ticTacToe", "--seconds", "60"},
		{"perft", "connectFour", "12"},
		{"experiment", "tron"},
		{"inspect", "connectFour"},
		{"match", "connectFour"},
		{"replay", file(t, "coin.kif", coin), file(t, "coin.jsonl", recorded)},
	} {
		executeUntil(ctx, args...).expect(t, statusBad, "interrupted")
	}
}
