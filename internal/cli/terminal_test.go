package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"

	"github.com/rs/zerolog"
)

// typing has a text for standard input.
func typing(t *testing.T, text string) {
	t.Helper()
	f := must.Get(os.Open(file(t, "typed", text)))(t)
	old := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { os.Stdin = old; f.Close() })
}

func TestAPersonPlaysInAMatch(t *testing.T) {
	rules, m := gamestest.Rules(t, "ticTacToe"), gamestest.Machine(t, "ticTacToe")
	var out bytes.Buffer
	// An illegal move is asked for again; the other moves are the first cells, by number and text.
	typed := "10\nmark 2 2\n\n1\nMARK 1 3\n1\n1\n1\n"
	s := &console{ctx: t.Context()}
	persons := s.newPeople(strings.NewReader(typed), &out)
	players := []arena.Player{
		{Name: "human", New: func() protocol.Agent { return &human{people: persons} }},
		{Name: "human-2", New: func() protocol.Agent { return &human{people: persons} }},
	}
	manager := arena.NewManager("ticTacToe", rules, m, zerolog.Nop())
	r := must.Get(manager.Match(t.Context(), "m", players, arena.Setting{StartClock: time.Minute}))(t)
	want := []string{"(mark 2 2)", "(mark 1 1)", "(mark 1 3)", "(mark 1 2)"}
	for turn, move := range want {
		if got := r.Moves[turn][turn%2]; got != move {
			t.Errorf("turn %d: move %s, want %s", turn, got, move)
		}
	}
	for _, part := range []string{"found \"10\"", "1: (mark 1 1)", "x>", "o>", "Played: x (mark 2 2), o noop", "2 . x ."} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is missing in:\n%s", part, out.String())
		}
	}
}

func TestAPersonIsToldOfTheInterruption(t *testing.T) {
	for want, within := range map[string]time.Duration{"The time is over.": time.Millisecond, "The match is interrupted.": time.Hour} {
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), within)
		s := &console{ctx: t.Context()}
		m := gamestest.Machine(t, "ticTacToe")
		h := &human{people: s.newPeople(neverTyping{t.Context()}, &out)}
		must.OK(t, h.Start(t.Context(), protocol.Match{Game: gamestest.Rules(t, "ticTacToe"), Machine: m, Role: "x"}))
		if within == time.Hour {
			cancel()
		}
		if _, err := h.Play(ctx, [][]gdl.Term{nil}); err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, %q is missing in %s", err, want, out.String())
		}
		cancel()
	}
}

// neverTyping is the input of a person who types nothing until the test ends.
type neverTyping struct{ ctx context.Context }

// Read implements io.Reader.
func (n neverTyping) Read([]byte) (int, error) {
	<-n.ctx.Done()
	return 0, io.EOF
}

func TestAPersonPlaysAgainstASolution(t *testing.T) {
	exhaustive.NotUnderRace(t, "plays matches; other tests of matches and tournaments look at their goroutines")
	typing(t, "?\n9\nedge\nPLAY   2\n1\n")
	execute(t, "play", "goofspiel-3").expect(t, statusFine, "You are red.", "Turn 1", "Value for red: 50 (just computed)",
		"1: (play 1)", "(play 3) with ", `from 1 to 3 or a legal move such as (play 1), found "9"`, `found "edge"`, "Played: red (play 2)", "Turn 2", "The end. red: ")
	typing(t, "1\n1\n")
	execute(t, "match", "goofspiel-3", "--players", "solution,human", "--start-clock", "60").expect(t, statusFine, "Value for red: 50", "blue> ", "solution")
	for _, text := range []string{"", "quit\n", "?\nEXIT\n", "nonsense"} {
		typing(t, text)
		o := execute(t, "play", "goofspiel-3")
		if o.expect(t, statusFine, "The match ends here."); strings.Contains(o.out, "The end.") {
			t.Errorf("after %q the match goes on:\n%s", text, o.out)
		}
	}
	typing(t, "1\n1\n1\n1\n")
	first := execute(t, "play", "goofspiel-4", "--seed", "7").out
	typing(t, "1\n1\n1\n1\n")
	if again := execute(t, "play", "goofspiel-4", "--seed", "7").out; again != first {
		t.Errorf("the same seed gives different matches:\n%s\n%s", first, again)
	}
}

func TestASolutionDrawsItsMovesWithTheirProbabilities(t *testing.T) {
	m := gamestest.Machine(t, "goofspiel-8")
	p := &solved{seated: seated{at: play.NewHistory(m, m.Initial())}, rng: machine.NewRand(7)}
	strategy := []search.Weighted{{Move: 3, Probability: 0.2}, {Move: 5, Probability: 0.5}, {Move: 7, Probability: 0.3}}
	const draws = 100_000
	count := map[string]float64{}
	for range draws {
		count[p.draw(nil, strategy)]++
	}
	for _, w := range strategy {
		// Five standard deviations of a binomial distribution.
		if slack := 5 * math.Sqrt(w.Probability*(1-w.Probability)*draws); math.Abs(count[p.at.Names.MoveText(0, w.Move)]-w.Probability*draws) > slack {
			t.Errorf("move %d: %v of %d draws, want %v of them", w.Move, count, draws, w.Probability)
		}
	}
}

func TestARecordIsShown(t *testing.T) {
	dir := t.TempDir()
	execute(t, "match", "ticTacToe", "--players", "legal,random", "--play-clock", "60.9", "--record", dir).expect(t, statusFine)
	records, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	execute(t, "show", records[0]).expect(t, statusFine, "x: legal", "Turn 0 of", "1 x . .", "points")
	if o := execute(t, "show", records[0], "--turn", "1"); strings.Contains(o.out, "Turn 0") || !strings.Contains(o.out, "(mark 1 1)") {
		t.Errorf("turn 1:\n%s", o.out)
	}
	execute(t, "show", records[0], "--turn", "99").expect(t, statusUsage, "--turn: expected 0 to")
	if o := execute(t, "show", records[0], "--json").objects(t)[0]; o["play_clock"] != 60.9 || o["completed"] != true {
		t.Errorf("%v", o)
	}
	// Without rules anywhere there are the facts.
	text := must.Get(os.ReadFile(records[0]))(t)
	alone := file(t, "alone.jsonl", strings.ReplaceAll(string(text), `"game":"ticTacToe"`, `"game":"nosuch"`))
	execute(t, "show", alone).expect(t, statusFine, "(cell 1 1 x)")
	execute(t, "show", "nosuch").expect(t, statusUsage, "nosuch")
}

func TestRulesheetsComeFromStandardInputAndFolders(t *testing.T) {
	exported := execute(t, "export", "nim-3.4")
	exported.expect(t, statusFine, "(role")
	typing(t, exported.out)
	execute(t, "validate", "-").expect(t, statusFine, "-: valid")
	typing(t, "(role  x)")
	execute(t, "fmt", "-").expect(t, statusFine, "(role x)")
	execute(t, "fmt", "-w", "-").expect(t, statusUsage, "standard input cannot be written")
	typing(t, "N:AQ.2.. S:32.A.. EW:KJT9.K3.. trump:NT lead:S tricks:2")
	execute(t, "bridge", "-").expect(t, statusFine, "tricks left")
	dir := t.TempDir()
	for name, text := range map[string]string{"good.kif": execute(t, "fmt", file(t, "g", exported.out)).out, "sub/odd.kif": "(role   x)\n", "notes.txt": "("} {
		path := filepath.Join(dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	if o := execute(t, "fmt", "-l", dir); o.out != filepath.Join(dir, "sub", "odd.kif")+"\n" {
		t.Errorf("%s%s", o.out, o.err)
	}
	execute(t, "validate", dir).expect(t, statusBad, "good.kif: valid", "odd.kif: not valid")
	execute(t, "validate", t.TempDir()).expect(t, statusUsage, "found none")
}

func TestPerftDividesAndBeginsAnywhere(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	o := execute(t, "perft", "ticTacToe", "3", "--divide", "--moves", "(mark 2 2)", "--json").objects(t)[0]
	parts, sum := o["divide"].([]any), 0.0
	for _, p := range parts {
		sum += p.(map[string]any)["joint_moves"].(float64)
	}
	if len(parts) != 8 || sum != o["joint_moves"] || sum != 8*7*6 {
		t.Errorf("%v", o)
	}
	// Depths that end the game, and joint moves of several roles, are counted as without.
	for _, args := range [][]string{{"ticTacToe", "7"}, {"rockPaperScissors", "2"}, {"biddingTicTacToe-2", "2"}} {
		whole, _, _ := strings.Cut(execute(t, append([]string{"perft"}, args...)...).out, " s\n")
		divided := execute(t, append([]string{"perft", "--divide"}, args...)...).out
		if counts := whole[:strings.LastIndex(whole, "\n")]; !strings.HasPrefix(divided, counts) || strings.Contains(whole, "first") {
			t.Errorf("%v: divided\n%s\nas a whole\n%s", args, divided, whole)
		}
	}
	execute(t, "perft", "connectFour-12x4", "1", "--divide").expect(t, statusFine, "((drop 12) noop)            1")
	if out := execute(t, "perft", "connectFour-12x4", "1", "--divide").out; strings.Index(out, "drop 2)") > strings.Index(out, "drop 10)") {
		t.Errorf("the moves are in no natural order:\n%s", out)
	}
}

func TestALineThatIsTooLongIsNoMove(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	typing(t, long+"\n1\n1\n")
	o := execute(t, "play", "goofspiel-3")
	if o.expect(t, statusFine, `found "xxxx`, "The end. red: "); len(o.out) > 20_000 {
		t.Errorf("the line is printed: %d bytes", len(o.out))
	}
	_, files := recordsOf(t, "1")
	typing(t, long+"\n"+"8\nq\n")
	r := must.Get(arena.ReadRecords(files[0]))(t)[0]
	var out bytes.Buffer
	v := viewer{console: &console{ctx: t.Context(), out: newPrinter(&out, nil)}, record: r}
	must.OK(t, v.step(t.Context()))
	for _, want := range []string{`Expected Enter, b, a number or q, found "xxxx`, fmt.Sprintf("\nTurn %d of ", min(8, len(r.States)-1))} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %s", want, out.String())
		}
	}
}
