package tracking

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"stackmate/games/gamestest"
	"stackmate/gdl"
	"stackmate/internal/must"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// counted is a prover that counts its questions, or fails.
type counted struct {
	Prover
	questions *atomic.Int32
	fault     error
}

func (c counted) Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error) {
	if c.questions.Add(1); c.fault != nil {
		return nil, c.fault
	}
	return c.Prover.Legal(ctx, fluents, role, atMost)
}

// history is a match that is followed by a test.
type history struct {
	*Match
	told [][]gdl.Term
	log  bytes.Buffer
}

func newHistory(self machine.Role) *history {
	h := new(history)
	h.Match = New(zerolog.New(zerolog.SyncWriter(&h.log)), 2, self)
	return h
}

// hear delivers a joint move, or NIL without moves, waits for all sources, and returns the best standing.
func (h *history) hear(t *testing.T, joint ...string) *Standing {
	t.Helper()
	var moves []gdl.Term
	for _, text := range joint {
		moves = append(moves, must.Get(gdl.ParseTerm(text))(t))
	}
	h.told = append(h.told, moves)
	n := h.Hear(h.told)
	synctest.Wait()
	s, _ := h.Best(n)
	return s
}

func TestTheBestSourceGivesTheStanding(t *testing.T) {
	rules, fast := gamestest.Rules(t, "ticTacToe"), gamestest.Machine(t, "ticTacToe")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h, questions := newHistory(0), new(atomic.Int32)
		h.FollowRules(ctx, rules, func(g *gdl.Game) Prover { return counted{prover.New(g), questions, nil} })
		if s := h.hear(t); s == nil || s.Machine != nil || s.Turn != 0 || len(s.Legal) != 9 || !s.All || s.Over || !h.IsFollowed() || h.AwaitsBest() {
			t.Fatalf("with provers: %+v", s)
		}
		h.Answer("(mark 1 1)")
		h.FollowMachine(ctx, fast, true)
		if !h.AwaitsBest() {
			t.Error("the best machine is not followed")
		}
		s := h.hear(t, "(mark 1 1)", "noop")
		if s == nil || s.Machine != fast || s.Turn != 1 || !slices.Equal(s.Legal, []string{"noop"}) || s.Replaced || h.AwaitsBest() {
			t.Fatalf("with the machine: %+v", s)
		}
		before := questions.Load()
		h.Answer("noop")
		if s := h.hear(t, "noop", "(mark 2 2)"); s == nil || s.Turn != 2 || len(s.Legal) != 7 || s.Heard != 3 {
			t.Errorf("after two moves: %+v", s)
		}
		if questions.Load() != before {
			t.Errorf("%d questions to provers beside the best machine", questions.Load()-before)
		}
		h.Answer("(mark 3 3)")
		if s := h.hear(t, "(mark 1 3)", "noop"); s == nil || s.Turn != 3 || !s.Replaced {
			t.Errorf("after a move in place of the answer: %+v", s)
		}
		cancel()
		synctest.Wait()
	})
}

// A machine that is compiled later reads all messages once more; the first reading is logged.
func TestAnUnexpectedMessageIsLoggedOnce(t *testing.T) {
	rules, fast := gamestest.Rules(t, "ticTacToe"), gamestest.Machine(t, "ticTacToe")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := newHistory(0)
		h.FollowRules(ctx, rules, func(g *gdl.Game) Prover { return prover.New(g) })
		h.hear(t)
		h.Answer("(mark 1 1)")
		for range 2 {
			h.hear(t, "(castle long)", "(castle short)")
		}
		h.FollowMachine(ctx, fast, true)
		synctest.Wait()
		if n := strings.Count(h.log.String(), "unexpected message"); n != 2 {
			t.Errorf("two unexpected messages are logged %d times:\n%s", n, &h.log)
		}
		cancel()
		synctest.Wait()
	})
}

func TestASourceThatFailsIsReplacedByTheOthers(t *testing.T) {
	rules, _ := must.Get2(gdl.Load(t.Context(), "keys", []byte(keys)))(t) // without the end of a match it has fewer fluents
	slow := gamestest.Compiled(t, keys)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h, fault := newHistory(1), errors.New("out of memory")
		if h.IsFollowed() {
			t.Error("followed before a source has begun")
		}
		h.FollowRules(ctx, rules, func(g *gdl.Game) Prover { return counted{prover.New(g), new(atomic.Int32), fault} })
		if s := h.hear(t); s != nil || h.IsFollowed() {
			t.Errorf("standing %+v after the provers have failed", s)
		}
		if faults := h.Faults(); !errors.Is(faults[fromRules], fault) || !errors.Is(faults[fromMoves], fault) || faults[fromBest] != nil {
			t.Errorf("faults %v", faults)
		}
		h.FollowMachine(ctx, slow, false)
		synctest.Wait()
		if s, _ := h.Best(1); s == nil || s.Machine != slow || !h.IsFollowed() || h.AwaitsBest() {
			t.Errorf("standing %+v of the first machine", s)
		}
		cancel()
		synctest.Wait()
	})
}

// partial is a prover that lists some legal moves but not all of them.
type partial struct {
	Prover
	all func(ctx context.Context) error // error of a list of all legal moves
}

func (p partial) Legal(ctx context.Context, fluents []string, role string, atMost int) ([]string, error) {
	if atMost == 0 {
		return nil, p.all(ctx)
	}
	return p.Prover.Legal(ctx, fluents, role, atMost)
}

// No list of all legal moves delays the next message or fails a source: one legal move and the joint moves of the
// messages are queried alone.
func TestAMatchIsFollowedWithoutListsOfAllMoves(t *testing.T) {
	rules := gamestest.Rules(t, "ticTacToe")
	for name, all := range map[string]func(context.Context) error{
		"endless": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"failing": func(context.Context) error { return errors.New("too many moves") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				h := newHistory(0)
				h.FollowRules(ctx, rules, func(g *gdl.Game) Prover { return partial{prover.New(g), all} })
				synctest.Wait()
				for _, m := range []struct {
					joint []string
					turn  int
					legal string
				}{
					{nil, 0, "(mark "},
					{[]string{"(mark 1 1)", "noop"}, 1, "noop"},
					{[]string{"(castle long)", "(castle short)"}, 1, "noop"},
					{[]string{"noop", "(castle long)"}, 1, "noop"}, // the move of the opponent is illegible
					{[]string{"noop", "(mark 2 2)"}, 2, "(mark "},
				} {
					h.hear(t, m.joint...)
					time.Sleep(3 * questionTime)
					s, _ := h.Best(len(h.told))
					if s == nil || s.Turn != m.turn || s.All || len(s.Legal) != 1 || !strings.HasPrefix(s.Legal[0], m.legal) || !h.IsFollowed() {
						t.Errorf("after %v: %+v", m.joint, s)
					}
				}
				cancel()
				synctest.Wait()
			})
		})
	}
}

// slow is a machine whose batches need a time for each position.
type slow struct {
	machine.Machine
	pause *atomic.Int64
}

func (s slow) NewNarrowBatch() machine.Batch { return slowBatch{s.Machine.NewNarrowBatch(), s.pause} }

type slowBatch struct {
	machine.Batch
	pause *atomic.Int64
}

func (b slowBatch) Evaluate(n int) {
	time.Sleep(time.Duration(b.pause.Load()))
	b.Batch.Evaluate(n)
}

func TestProversReadMessagesThatTheMachineReadsTooSlowly(t *testing.T) {
	rules, fast := gamestest.Rules(t, "ticTacToe"), gamestest.Machine(t, "ticTacToe")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h, questions, on := newHistory(0), new(atomic.Int32), slow{fast, new(atomic.Int64)}
		h.FollowRules(ctx, rules, func(g *gdl.Game) Prover { return counted{prover.New(g), questions, nil} })
		h.FollowMachine(ctx, on, true)
		on.pause.Store(int64(patience / 4))
		h.hear(t)
		time.Sleep(patience)
		if s, _ := h.Best(1); s == nil || s.Machine != on {
			t.Fatalf("standing %+v of a machine", s)
		}
		before := questions.Load()
		h.hear(t, "(mark 1 1)", "noop")
		time.Sleep(2 * patience)
		if s, _ := h.Best(2); s == nil || s.Machine != on || s.Turn != 1 || questions.Load() != before {
			t.Errorf("standing %+v of a machine in time, %d questions to provers", s, questions.Load()-before)
		}
		on.pause.Store(int64(time.Minute))
		h.hear(t, "noop", "(mark 2 2)")
		time.Sleep(2 * patience)
		if s, _ := h.Best(3); s == nil || s.Machine != nil || s.Turn != 2 || len(s.Legal) != 7 {
			t.Errorf("standing %+v beside a slow machine", s)
		}
		time.Sleep(time.Hour)
		if s, _ := h.Best(3); s == nil || s.Machine != on || s.Turn != 2 || len(s.Legal) != 7 {
			t.Errorf("standing %+v after an hour", s)
		}
		cancel()
		synctest.Wait()
	})
}
