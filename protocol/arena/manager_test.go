package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/protocol"
	"stackmate/protocol/wiretest"
	"stackmate/reasoner/machine"

	"github.com/google/go-cmp/cmp"
)

func manager(t testing.TB, rules string) *Manager {
	t.Helper()
	g := game(t, rules)
	return NewManager("test", g, compile(t, g), zlog)
}

// builtIn returns the manager of a game of package games.
func builtIn(t testing.TB, name string) *Manager {
	t.Helper()
	_, src := must.Get2(games.Source(name))(t)
	m := manager(t, string(src))
	m.name = name
	return m
}

var quick = Setting{StartClock: 10 * time.Second, PlayClock: 5 * time.Second, Grace: time.Second, Seed: 7}

func at(name, url string) Player { return Player{Name: name, URL: url} }

func in(name string, a protocol.Agent) Player { return Player{Name: name, New: always(a)} }

// play holds a match that must be possible.
func playMatch(t testing.TB, m *Manager, s Setting, players ...Player) *Record {
	t.Helper()
	return must.Get(m.Match(t.Context(), "m.1", players, s))(t)
}

// verify replays a record: its moves must lead through its states to its goals.
func verify(t testing.TB, m *Manager, r *Record) {
	t.Helper()
	if !r.Completed || r.Aborted {
		t.Fatalf("completed: %v, aborted: %v, %s", r.Completed, r.Aborted, r.Reason)
	}
	if len(r.States) != r.Turns+1 || len(r.StateTimes) != r.Turns+1 || len(r.Moves) != r.Turns || len(r.Errors) != r.Turns {
		t.Fatalf("%d states, %d times, %d moves, %d errors for %d turns",
			len(r.States), len(r.StateTimes), len(r.Moves), len(r.Errors), r.Turns)
	}
	b, names := m.machine.NewBatch(), m.machine.Names()
	for turn := range r.States {
		want := must.Get(names.State(r.States[turn]))(t)
		got := make(machine.State, len(m.machine.Initial()))
		b.Store(got, 1)
		if !got.Equal(want) {
			t.Fatalf("turn %d: state %v, recorded %v", turn, names.AppendFluents(nil, got), r.States[turn])
		}
		b.Evaluate(1)
		if turn == r.Turns {
			break
		}
		for role, text := range r.Moves[turn] {
			move, _ := names.Move(machine.Role(role), text)
			b.Choose(0, machine.Role(role), move)
		}
		b.Advance(1)
	}
	goals := make([]int32, len(r.Roles))
	b.Goals(goals, 0)
	if b.Terminal()[0]&1 == 0 || fmt.Sprint(goals) != fmt.Sprint(r.Goals) {
		t.Fatalf("terminal: %v, goals %v, recorded %v", b.Terminal()[0]&1 != 0, goals, r.Goals)
	}
}

// clean checks that nobody made an error.
func clean(t testing.TB, r *Record) {
	t.Helper()
	for role, n := range r.Result().Errors {
		if n != 0 {
			t.Errorf("player %s made %d errors: %v %v", r.Players[role], n, r.StartErrors, r.Errors)
		}
	}
}

func TestMatchesOfAllKindsAreRecordedAsPlayed(t *testing.T) {
	for _, name := range []string{"ticTacToe", "biddingTicTacToe", "goofspiel-4", "pig-6-2", "slidingPuzzle-2x2-5", "trio"} {
		for _, scramble := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s scrambled %v", name, scramble), func(t *testing.T) {
				m := builtIn(t, name)
				s := quick
				s.Scramble = scramble
				var players []Player
				for range m.PlayerRoles() {
					newAgent := drifters(t, m.machine)
					if scramble {
						newAgent = func() protocol.Agent { return &compiling{t: t} }
					}
					players = append(players, Player{Name: "drifter", New: newAgent})
				}
				r := playMatch(t, m, s, players...)
				verify(t, m, r)
				clean(t, r)
			})
		}
	}
}

// compiling is a drifter that knows only the contents of START.
type compiling struct {
	drifter
	t     testing.TB
	words []string // the rules as they came
}

func (c *compiling) Start(ctx context.Context, m protocol.Match) error {
	c.words = words(RulesText(m.Game))
	g := compile(c.t, m.Game)
	c.drifter = drifter{wiretest.NewDrifter(c.t, g, 3)}
	return c.drifter.Start(ctx, m)
}

func TestWholeMatchesRunOverHTTP(t *testing.T) {
	m := builtIn(t, "biddingTicTacToe")
	newAgent := func() protocol.Agent { return &compiling{t: t} }
	one, two := serve(t, newAgent), serve(t, newAgent)
	for _, scramble := range []bool{false, true} {
		s := quick
		s.Scramble = scramble
		r := playMatch(t, m, s, at("one", one), at("two", two))
		verify(t, m, r)
		clean(t, r)
		if r.Roles[0] != "x" || r.Players[0] != "one" {
			t.Errorf("roles %v, players %v", r.Roles, r.Players)
		}
	}
}

// httpPlayer returns a player that answers START as it should and PLAY as told.
func httpPlayer(t *testing.T, OnPlay http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch m, err := protocol.ParseMessage(string(text)); {
		case err != nil:
			t.Errorf("the manager sent %q: %v", text, err)
		case m.Command == protocol.Start:
			fmt.Fprint(w, "READY\n")
		case m.Command == protocol.Play:
			OnPlay(w, r)
		default:
			fmt.Fprint(w, "done")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestMisbehavingPlayersAreReplacedAndRecorded(t *testing.T) {
	hijack := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprint(c, text)
			c.Close()
		}
	}
	reply := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	for name, c := range map[string]struct {
		OnPlay http.HandlerFunc
		want   string
	}{
		"legal":                    {reply("(say Yes)"), ""},
		"upper case":               {reply(" ( SAY\tYES )\r\n"), ""},
		"illegal":                  {reply("(say Maybe)"), "IL (say Maybe)"},
		"garbage":                  {reply("((\x00)"), "IL ((?)"},
		"empty":                    {reply(""), "IL "},
		"enormous":                 {reply(strings.Repeat("x", 2*maxReply)), "IL " + strings.Repeat("x", maxExcerpt) + "..."},
		"no HTTP":                  {hijack("(say Yes)"), "CE"},
		"disconnected":             {hijack(""), "CE"},
		"cut off":                  {hijack("HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\n(say Yes)"), "CE"},
		"to the end of the stream": {hijack("HTTP/1.0 200 OK\r\n\r\n(say Yes)"), ""},
		"error":                    {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) }, "CE"},
		"redirect":                 {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }, "CE"},
		"chunked": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "(say ")
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "Yes)")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := manager(t, choosing)
			r := playMatch(t, m, quick, at("odd", httpPlayer(t, c.OnPlay)), in("good", &fake{}))
			verify(t, m, r)
			want := [][]string{{c.want, ""}, {c.want, ""}}
			if diff := cmp.Diff(want, r.Errors); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if c.want == "" && r.Moves[0][0] != "(say Yes)" {
				t.Errorf("move %s", r.Moves[0][0])
			}
		})
	}
}

func TestRepliesOfTheFieldAreMovesWithRemarks(t *testing.T) {
	for reply, c := range map[string]struct {
		move string
		why  string
	}{
		`(go) (explanation "the best (so far), \"I\" say") (taunt "too slow")`: {"go", `explanation: the best (so far), \"I\" say; taunt: too slow`},
		"go\n(taunt \"ha\")\n":                    {"go", "taunt: ha"},
		`( go ( EXPLANATION "x" ) ( Taunt "" ) )`: {"go", "explanation: x; taunt:"},
		`go (explanation no more to say)`:         {"go", "explanation: no more to say"},
		`go (taunt "ha") pass`:                    {"", ""},
		`(explanation "I have no move")`:          {"", ""},
		"go":                                      {"go", ""},
		"(say (taunt loudly))":                    {"", ""},
	} {
		url := httpPlayer(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, reply) })
		m := manager(t, "(role a) (init s) (legal a go) (legal a pass) (<= (next t) (true s)) (<= terminal (true t)) (goal a 100)")
		r := playMatch(t, m, quick, at("p", url))
		why := ""
		if r.Explanations[0] != nil {
			why = strings.TrimSpace(r.Explanations[0][0].Why)
		}
		if fault := r.Errors[0][0]; (fault == "") != (c.move != "") || c.move != "" && r.Moves[0][0] != c.move || why != c.why {
			t.Errorf("%q: %s %q, explained %q", reply, r.Moves[0][0], fault, why)
		}
	}
}

func TestAReplyThatIsCutShortByALittleCounts(t *testing.T) {
	for _, c := range []struct {
		reply   string
		missing int
		want    string
	}{{"go", 2, ""}, {"go (taunt \"ha\")", 1, ""}, {"(go", 1, Unreadable}, {"go", maxMissing + 1, Unreadable}, {"", 2, Unreadable}} {
		url := httpPlayer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(c.reply)+c.missing))
			fmt.Fprint(w, c.reply)
		})
		m := manager(t, "(role a) (init s) (legal a go) (legal a pass) (<= (next t) (true s)) (<= terminal (true t)) (goal a 100)")
		if r := playMatch(t, m, quick, at("p", url)); r.Errors[0][0] != c.want {
			t.Errorf("%+v: %q", c, r.Errors[0][0])
		}
	}
}

func TestASlowPlayerOnTheWireTimesOut(t *testing.T) {
	m := manager(t, choosing)
	url := httpPlayer(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := quick
	s.PlayClock = time.Millisecond
	r := playMatch(t, m, s, at("slow", url), in("good", &fake{}))
	if r.Errors[0][0] != TimedOut || r.Errors[1][0] != TimedOut {
		t.Errorf("errors %v", r.Errors)
	}
}

func TestSlowAndFailingAgentsInProcessAreReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		slow := &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) {
			if calls++; calls == 1 {
				time.Sleep(7 * time.Second)
			}
			return gdl.Term{Name: "pass"}, nil
		}}
		failing := &fake{OnPlay: func(context.Context, [][]gdl.Term) (gdl.Term, error) { panic("crash") }}
		m := manager(t, choosing)
		began := time.Now()
		r := playMatch(t, m, quick, in("slow", slow), in("failing", failing))
		if diff := cmp.Diff([][]string{{"TO", "CE"}, {"", "CE"}}, r.Errors); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != 7*time.Second {
			t.Errorf("took %v: 6s for the first turn, and the slow player is back after 7s", took)
		}
		verify(t, m, r)
	})
}

func TestAPlayerNotReadyInTimeMayCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &fake{OnStart: func(context.Context, protocol.Match) error { time.Sleep(12 * time.Second); return nil }}
		m := manager(t, choosing)
		r := playMatch(t, m, quick, in("slow", slow), in("good", &fake{}))
		if diff := cmp.Diff(Result{
			Match: "m.1", Game: "test", Players: []string{"slow", "good"},
			Goals: r.Goals, Turns: 2, Errors: []int{1, 0},
			Late: []int{1, 0}, Illegal: []int{0, 0}, Failed: []int{0, 0}, Slowest: []float64{1, 0},
		}, r.Result()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		verify(t, m, r)
	})
}

func TestAMatchThatCannotBeginIsAbortedWithTheReason(t *testing.T) {
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "Busy") }))
	defer busy.Close()
	broken := &fake{OnStart: func(context.Context, protocol.Match) error { return errors.New("too hard") }}
	for want, p := range map[string]Player{
		"player x cannot start: dial tcp 127.0.0.1:1:": at("x", "http://127.0.0.1:1"),
		"player x cannot start: the player is busy":    at("x", busy.URL),
		"player x cannot start: too hard":              in("x", broken),
		"player x cannot be made: panic: none":         {Name: "x", New: func() protocol.Agent { panic("none") }},
	} {
		aborted := make(chan bool, 1)
		good := &fake{OnAbort: func() { aborted <- true }}
		r := playMatch(t, manager(t, choosing), quick, in("good", good), p)
		if !r.Aborted || r.Completed || !strings.HasPrefix(r.Reason, want) || len(r.Goals) != 0 {
			t.Errorf("%+v, want the reason %s", r, want)
		}
		if strings.Contains(want, "start") {
			<-aborted
		}
	}
}

func TestAWrongNumberOfPlayersOrABadAddressIsExplained(t *testing.T) {
	m := builtIn(t, "pig-6-2")
	_, err := m.Match(t.Context(), "m", []Player{in("a", &fake{})}, quick)
	if want := "pig-6-2 has 2 roles for players (red, blue), found 1 players"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for _, address := range []string{"localhost:9147", "https://x", "http://", "::", "", "http://x:1/admin", "http://x:1/?a=b", "http://x:1/#a", "http://me:pass@x:1"} {
		_, err = m.Match(t.Context(), "m", []Player{in("a", &fake{}), at("b", address)}, quick)
		if err == nil || !strings.HasPrefix(err.Error(), "expected a player's address") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestBrokenGamesAreAbortedWithTheReason(t *testing.T) {
	const head = "(role a) (init (p 1)) (succ 1 2) (<= (goal a 50) (true (p 1)))"
	for name, c := range map[string]struct{ rules, want string }{
		"stuck": {
			head + "(<= (legal a go) (true (p 1))) (<= (next (p 2)) (true (p 1))) (<= terminal (true (p 3)))",
			"a fault of the rules: a has no legal move",
		},
		"endless": {
			head + "(legal a go) (<= (next (p 1)) (true (p 1))) (<= terminal (not (true (p 1))))",
			"the match is not over after 20 turns",
		},
	} {
		m := manager(t, c.rules)
		s := quick
		s.MaxTurns = 20
		r := playMatch(t, m, s, in("a", saying(gdl.Term{Name: "go"})))
		if !r.Aborted || r.Reason != c.want {
			t.Errorf("%s: aborted: %v, %q", name, r.Aborted, r.Reason)
		}
	}
	m := manager(t, head+"(legal a go) (<= (next (p 2)) (true (p 1))) (<= terminal (true (p 2)))")
	r := playMatch(t, m, quick, in("a", saying(gdl.Term{Name: "go"})))
	if !r.Completed || fmt.Sprint(r.Goals) != "[0]" || r.Reason != "a fault of the rules: a has no single goal at the end" {
		t.Errorf("no goal: %+v", r)
	}
}

func TestAnInterruptedMatchEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		waiting := &fake{OnPlay: func(ctx context.Context, _ [][]gdl.Term) (gdl.Term, error) {
			<-ctx.Done()
			return gdl.Term{}, ctx.Err()
		}}
		began := time.Now()
		r, err := manager(t, choosing).Match(ctx, "m", []Player{in("a", waiting), in("b", &fake{})}, quick)
		if err != nil || !r.Aborted || r.Reason != "interrupted" || time.Since(began) != 3*time.Second {
			t.Errorf("%+v, %v, after %v", r, err, time.Since(began))
		}
	})
}

func TestTheSameSeedGivesTheSameMatch(t *testing.T) {
	m := builtIn(t, "pig-6-2")
	silent := in("silent", &fake{})
	a, b := playMatch(t, m, quick, silent, silent), playMatch(t, m, quick, silent, silent)
	if diff := cmp.Diff(a.Moves, b.Moves); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	other := quick
	other.Seed++
	if c := playMatch(t, m, other, silent, silent); cmp.Equal(a.Moves, c.Moves) {
		t.Error("another seed gave the same match")
	}
}

func TestPlayersInThisProcessGetTheCompiledGameUnlessNamesAreScrambled(t *testing.T) {
	m := builtIn(t, "biddingTicTacToe")
	for _, scramble := range []bool{false, true} {
		var got machine.Machine
		newAgent := func() protocol.Agent {
			agent := &compiling{t: t}
			return &fake{
				OnStart: func(ctx context.Context, start protocol.Match) error {
					got = start.Machine
					return agent.Start(ctx, start)
				},
				OnPlay: agent.Play,
			}
		}
		s := quick
		s.Scramble = scramble
		playMatch(t, m, s, Player{Name: "one", New: newAgent}, Player{Name: "two", New: func() protocol.Agent { return &compiling{t: t} }})
		want := m.machine
		if scramble {
			want = nil
		}
		if got != want {
			t.Errorf("scramble %v: got machine %v, want %v", scramble, got != nil, want != nil)
		}
	}
}
