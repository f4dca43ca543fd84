package tracking

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/games/gamestest"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
)

// truth is a match as the server plays it, and the messages of it that arrive.
type truth struct {
	rules   *compiled
	roles   int
	at      snapshot
	last    []string // the joint move made last; nil at first
	tracker *tracker
	told    []message
	rng     *machine.Rand
}

func newTruth(t testing.TB, m machine.Machine, self int, seed uint64) *truth {
	t.Helper()
	roles := len(m.Names().Roles)
	w := &truth{
		rules: newCompiled(m), roles: roles, rng: machine.NewRand(seed),
		tracker: newTracker(newCompiled(m), roles, self),
	}
	w.tracker.timeLimit = time.Hour // tests are bounded by questions alone
	w.at, _ = w.rules.initial(t.Context())
	if err := w.tracker.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// arrive delivers a message to the tracker and returns our answer to it, which is
// legal where the tracker believes the match to stand.
func (w *truth) arrive(t testing.TB, joint []string) string {
	t.Helper()
	w.told = append(w.told, message{joint: joint})
	if err := w.tracker.hear(t.Context(), w.told); err != nil {
		t.Fatal(err)
	}
	moves, err := w.tracker.legal(t.Context(), w.tracker.answerFrom().at, w.tracker.self)
	if err != nil {
		t.Fatal(err)
	}
	if len(moves) == 0 {
		return ""
	}
	last := &w.told[len(w.told)-1]
	last.reply = moves[w.rng.Intn(len(moves))]
	return last.reply
}

// move makes a joint move: ours if it is legal, everything else at random.
func (w *truth) move(own string) {
	w.last = nil
	for r := range w.roles {
		legal, _ := w.rules.legal(context.Background(), w.at, r, 0)
		move := legal[w.rng.Intn(len(legal))]
		if r == w.tracker.self && slices.Contains(legal, own) {
			move = own
		}
		w.last = append(w.last, move)
	}
	w.at, _ = w.rules.next(context.Background(), w.at, w.last)
}

func (w *truth) over() bool {
	over, _ := w.rules.terminal(context.Background(), w.at)
	return over
}

func (w *truth) isRight() bool { return w.tracker.account.at == w.at }

// The games of these tests: turns, simultaneous moves, chance.
var tracked = []string{"ticTacToe", "connectFour", "biddingTicTacToe-3", "goofspiel-5", "tron-5x5", "pig"}

// corruptions disturb the messages of a match: each returns the messages that replace the message with w.last.
var corruptions = map[string]func(w *truth, before [][]string) [][]string{
	"none": func(w *truth, _ [][]string) [][]string { return [][]string{w.last} },
	"duplicate": func(w *truth, _ [][]string) [][]string {
		if _, known, _ := w.tracker.legible(context.Background(), w.at, w.last); known == w.roles {
			return [][]string{w.last} // a joint move that is legal again is a new turn
		}
		return [][]string{w.last, w.last}
	},
	"stale":     func(w *truth, before [][]string) [][]string { return [][]string{w.pick(before), w.last} },
	"reordered": func(w *truth, before [][]string) [][]string { return [][]string{w.last, w.pick(before)} },
	"late NIL":  func(w *truth, _ [][]string) [][]string { return [][]string{nil, w.last} },
	"foreign": func(w *truth, _ [][]string) [][]string {
		return [][]string{slices.Repeat([]string{"(castle long)"}, w.roles), w.last}
	},
	"too short": func(w *truth, _ [][]string) [][]string { return [][]string{w.last[:1], w.last} },
	"too long":  func(w *truth, _ [][]string) [][]string { return [][]string{append(slices.Clip(w.last), w.last[0])} },
	"upper case": func(w *truth, _ [][]string) [][]string {
		var up []string
		for _, m := range w.last {
			up = append(up, strings.ToUpper(m))
		}
		return [][]string{up}
	},
	"dropped": func(*truth, [][]string) [][]string { return nil },
}

func (w *truth) pick(of [][]string) []string { return of[w.rng.Intn(len(of))] }

// disturbed plays a match in which every message is corrupted with some
// probability, in percent, at most so many times, and one own move in twenty is
// replaced. check comes after every message that tells of the last joint move.
func (w *truth) disturbed(t testing.TB, kind string, percent, times int, check func(reply string)) {
	t.Helper()
	own := w.arrive(t, nil)
	var before [][]string
	for {
		if w.rng.Intn(20) == 0 {
			own = "" // the server replaces our move
		}
		w.move(own)
		if w.over() {
			return
		}
		how := "none"
		if times > 0 && len(before) > 0 && w.rng.Intn(100) < percent {
			how = kind
			times--
		}
		own = ""
		for _, joint := range corruptions[how](w, before) {
			if reply := w.arrive(t, joint); tells(joint, w.last) {
				own = reply
				check(reply)
			}
		}
		before = append(before, w.last)
	}
}

// tells reports whether a message can be understood as a joint move.
func tells(message, joint []string) bool {
	return len(message) >= len(joint) && slices.EqualFunc(message[:len(joint)], joint, strings.EqualFold)
}

// tally counts the tracker's results over the messages of many matches.
type tally struct{ heard, right, matches, recovered int }

// hold plays matches of a game in which messages are corrupted.
func (c *tally) hold(t testing.TB, game, kind string, matches uint64, percent, times int) {
	t.Helper()
	m := gamestest.Machine(t, game)
	for seed := range matches {
		self := int(seed) % len(m.Names().Roles)
		if m.Names().Roles[self] == machine.RandomRole {
			continue
		}
		w := newTruth(t, m, self, seed)
		right := true
		w.disturbed(t, kind, percent, times, func(reply string) {
			c.heard++
			if right = w.isRight(); right {
				c.right++
			}
			if here, _ := w.tracker.legal(t.Context(), w.tracker.answerFrom().at, self); len(here) > 0 && !slices.Contains(here, reply) {
				t.Fatalf("seed %d: answers %q, which is not legal where the match is believed to stand", seed, reply)
			}
		})
		c.matches++
		if right {
			c.recovered++
		}
	}
}

func TestThePositionIsRightWhateverArrives(t *testing.T) {
	// The least share, in percent, of messages about the present after which the
	// position is right. Other messages have two readings until a later message
	// decides: a joint move that is legal again where it was made, a coin that falls
	// the same again.
	least := map[string]map[string]int{
		"pig":         {"stale": 70, "reordered": 70},
		"tron-5x5":    {"stale": 80, "reordered": 85, "too short": 80},
		"connectFour": {"reordered": 85, "stale": 93},
	}
	const matches = 24
	const slack = 3 // messages, where there are few
	games := tracked
	if !exhaustive.On() {
		games = []string{"ticTacToe", "goofspiel-5"}
	}
	for _, game := range games {
		for kind := range corruptions {
			if kind == "dropped" {
				continue
			}
			t.Run(game+"/"+kind, func(t *testing.T) {
				var c tally
				c.hold(t, game, kind, matches, 30, 1000)
				want := least[game][kind]
				if want == 0 {
					want = 96
				}
				if 100*c.right < want*c.heard-100*slack {
					t.Errorf("of %d messages %d leave the position right (want %d %%)", c.heard, c.right, want)
				}
			})
		}
	}
}

// keys is a game in which each role may say a or b in each of five turns, in any order.
const keys = `(role me) (role other) (init (step 0)) (init (score 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (right 0 a) (right 1 b) (right 2 a) (right 3 b) (right 4 a)
(<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r))
(<= good (true (step ?n)) (right ?n ?w) (does me ?w))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (score ?m)) good (true (score ?n)) (succ ?n ?m)) (<= (next (score ?n)) (not good) (true (score ?n)))
(<= terminal (true (step 5)))
(<= (goal me 100) (true (score 5))) (<= (goal me 0) (not (true (score 5)))) (<= (goal other 0) (role other))`

func TestTheTrackerIsNeverAtAnotherTurnThanAManagerThatReplacesMoves(t *testing.T) {
	games := map[string]machine.Machine{"keys": gamestest.Compiled(t, keys)}
	for _, name := range append([]string{"rockPaperScissorsMatch", "breakthrough-4x4", "nim", "reversi-4x4", "oshiZumo-10-3"}, tracked...) {
		games[name] = gamestest.Machine(t, name)
	}
	for name, m := range games {
		for seed := range uint64(20) {
			self := int(seed) % len(m.Names().Roles)
			if m.Names().Roles[self] == machine.RandomRole {
				continue
			}
			w := newTruth(t, m, self, seed)
			for own := w.arrive(t, nil); !w.over(); own = w.arrive(t, w.last) {
				if w.rng.Intn(10) == 0 {
					own = "" // late: the manager makes a random move in its place
				}
				if w.move(own); w.over() {
					break
				}
			}
			if told := len(w.told) - 1; w.tracker.account.turn != told {
				t.Fatalf("%s, seed %d: at turn %d after %d joint moves", name, seed, w.tracker.account.turn, told)
			}
		}
	}
}

func TestAMatchIsFoundBackAfterADroppedMessage(t *testing.T) {
	const matches = 60
	for game, want := range map[string]int{"ticTacToe": 65, "biddingTicTacToe-3": 70, "goofspiel-5": 75, "tron-5x5": 50} {
		t.Run(game, func(t *testing.T) {
			var c tally
			c.hold(t, game, "dropped", matches, 30, 1)
			if 100*c.recovered < want*c.matches {
				t.Errorf("%d of %d matches end with the right position, want %d %%", c.recovered, c.matches, want)
			}
			t.Logf("%+v", c)
		})
	}
}

// ring is a game of one role in which positions repeat: move a goes one position ahead, b two. Queries about moves take time.
type ring struct{ pause time.Duration }

const ringMoves, ringLength = "ab", 12

func (ring) initial(context.Context) (snapshot, error)        { return "0", nil }
func (ring) terminal(context.Context, snapshot) (bool, error) { return false, nil }
func (ring) legal(context.Context, snapshot, int, int) ([]string, error) {
	return []string{"a", "b"}, nil
}

func (r *ring) isLegal(_ context.Context, _ snapshot, _ int, move string) (bool, error) {
	time.Sleep(r.pause)
	return len(move) == 1 && strings.Contains(ringMoves, move), nil
}

func (r *ring) next(_ context.Context, s snapshot, joint []string) (snapshot, error) {
	time.Sleep(r.pause)
	at, err := strconv.Atoi(string(s))
	return snapshot(strconv.Itoa((at + 1 + strings.Index(ringMoves, joint[0])) % ringLength)), err
}

func TestANewReadingOfTheHistoryEndsInTime(t *testing.T) {
	for _, turns := range []int{3, 10, 100, 300} {
		t.Run(strconv.Itoa(turns), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rules := new(ring)
				tr := newTracker(rules, 1, 0)
				var told []message
				hear := func(move, reply string) {
					told = append(told, message{joint: []string{move}, reply: reply})
					if err := tr.hear(t.Context(), told); err != nil {
						t.Fatal(err)
					}
				}
				if err := tr.begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i := range turns {
					hear(ringMoves[i%2:][:1], ringMoves[(i+1)%2:][:1])
				}
				rules.pause = time.Millisecond
				began := time.Now()
				hear("c", "")
				if took := time.Since(began); took > questionTime+5*time.Millisecond {
					t.Errorf("a message of another match takes %v after %d turns", took, turns)
				}
			})
		})
	}
}

// choices is the legal moves of one role by position.
type choices map[snapshot][]string

func (c choices) initial(context.Context) (snapshot, error) { return "", nil }

func (c choices) terminal(context.Context, snapshot) (bool, error)                 { return false, nil }
func (c choices) next(_ context.Context, s snapshot, _ []string) (snapshot, error) { return s, nil }

func (c choices) legal(_ context.Context, s snapshot, _, _ int) ([]string, error) { return c[s], nil }

func (c choices) isLegal(_ context.Context, s snapshot, _ int, move string) (bool, error) {
	return slices.Contains(c[s], move), nil
}

func TestAMoveWithoutAChoiceIsNotReplaced(t *testing.T) {
	tr := newTracker(choices{"one": {"a"}, "two": {"a", "b"}}, 1, 0)
	tr.told = []message{{reply: "b"}}
	for _, c := range []struct {
		at   snapshot
		own  string
		want bool
	}{{"one", "a", false}, {"two", "a", true}, {"two", "B", false}} {
		if got, err := tr.isReplaced(t.Context(), account{at: c.at, asked: []int{0}}, c.own); err != nil || got != c.want {
			t.Errorf("%s after the reply b at %s: replaced: %v, %v, want %v", c.own, c.at, got, err, c.want)
		}
	}
}
