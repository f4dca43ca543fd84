package player

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

func TestEveryMoveIsOneLineOfJSON(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		p := newPlayer(t, "stackmate", Options{Threads: 1})
		p.compile, p.prove = given(newSubtraction(9)), nil
		log := zerolog.New(&out).With().Str("match", "m.1").Logger()
		err := p.Start(t.Context(), Match{Game: rolesOf("left", "right"), Role: "left", Log: log, PlayClock: 2 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		thinker := p.worker.policy.(*thinker)
		thinker.sampler, thinker.exact = &patient{result: pure(2, search.Exact(60), false)}, nil
		playTurn(t, p, 2*time.Second)
		playTurn(t, p, 2*time.Second, "(take 2)", "noop")
		p.Stop(nil)
	})
	var moves []map[string]any
	for line := range strings.Lines(out.String()) {
		for _, key := range []string{`"message":`, `"level":`, `"match":"m.1"`} {
			if strings.Count(line, key) != 1 {
				t.Errorf("not one %s in %s", key, line)
			}
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if fields["message"] == "move" {
			moves = append(moves, fields)
		}
	}
	if len(moves) != 2 {
		t.Fatalf("%d lines about moves, want 2:\n%s", len(moves), out.String())
	}
	for key, want := range map[string]any{
		"level": "info", "turn": 0.0, "clock": 2000.0, "took": 1700.0, "engine": "toy",
		"by": "Monte Carlo", "value": 60.0, "kind": "estimated", "move": "(take 2)",
	} {
		if moves[0][key] != want {
			t.Errorf("%s: %v, want %v", key, moves[0][key], want)
		}
	}
	if x := moves[0]; x["why"] == "" || x["strategy"] != "1.00 (take 2)" {
		t.Errorf("why %v, strategy %v", x["why"], x["strategy"])
	}
	if moves[1]["by"] != "only move" || moves[1]["turn"] != 1.0 || moves[1]["took"] != 0.0 {
		t.Errorf("second move: %v, want the only one at once", moves[1])
	}
}

// greedy is a search that notes the memory it is given.
type greedy struct {
	patient
	mu    sync.Mutex
	given []int64
}

func (g *greedy) Search(ctx context.Context, m machine.Machine, s machine.State, lim search.Limits) (search.Result, error) {
	g.mu.Lock()
	g.given = append(g.given, lim.MaxBytes)
	g.mu.Unlock()
	return g.patient.Search(ctx, m, s, lim)
}

func TestTheSearchesTogetherStayWithinTheMemory(t *testing.T) {
	exhaustive.NotUnderRace(t, "waits for many abandoned searches; other tests of abandoned searches look at their goroutines")
	synctest.Test(t, func(t *testing.T) {
		const total = 600 << 20
		hanging, quick := &greedy{patient: patient{deaf: time.Hour}}, &greedy{patient: patient{result: pure(1, search.Exact(60), false)}}
		p := seated(t, newSubtraction(60), quick, hanging)
		memory := &memory{total: total, compiled: closed}
		thinker := p.worker.policy.(*thinker)
		thinker.memory = memory
		first := memory.share()
		for range 8 {
			searchBy(thinker, quick, hanging)
			playTurn(t, p, time.Second)
		}
		hanging.mu.Lock()
		defer hanging.mu.Unlock()
		quick.mu.Lock()
		defer quick.mu.Unlock()
		sum := quick.given[len(quick.given)-1]
		for i, n := range hanging.given {
			if n <= 0 || i > 0 && n >= hanging.given[i-1] {
				t.Errorf("a search gets %d bytes after %d", n, hanging.given[:i])
			}
			sum += n
		}
		if sum > total {
			t.Errorf("searches that run hold %d bytes of %d", sum, total)
		}
		p.Abort()
		time.Sleep(2 * time.Hour)
		if share := memory.share(); share != first {
			t.Errorf("when all have come home a search gets %d bytes, %d before", share, first)
		}
	})
}

func TestAMoveWaitsForTheMemoryOfAbandonedSearches(t *testing.T) {
	for name, c := range map[string]struct {
		from  int           // counters
		lost  int64         // of the memory, at first
		until time.Duration // the lost memory comes back
		move  string
		takes time.Duration // at least
	}{
		"all lost, back in time": {5, 600 << 20, 3 * time.Second, "(take 2)", 3 * time.Second},
		"all but the floor":      {5, 530 << 20, time.Hour, "(take 2)", 0},
		"all lost for ever":      {3, 600 << 20, time.Hour, "(take 3)", 3 * time.Second}, // wins
		"the same, 2 counters":   {2, 600 << 20, time.Hour, "(take 2)", 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := seated(t, newSubtraction(c.from), &patient{result: pure(2, search.Exact(60), false)}, nil)
				m := &memory{total: 600 << 20, compiled: closed}
				p.worker.policy.(*thinker).memory = m
				p.worker.experience.favourite.Store(nil) // of the start clock, in which a search may or may not report
				m.lose(c.lost)
				time.AfterFunc(c.until, func() { m.lose(-c.lost) })
				began := time.Now()
				if move := playTurn(t, p, 5*time.Second); move != c.move || time.Since(began) < c.takes {
					t.Errorf("plays %s after %v, want %s after %v", move, time.Since(began), c.move, c.takes)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

func TestTheFavouriteOfASearchThatHangsIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := pure(3, search.Exact(60), false)
		p := seated(t, newSubtraction(60), &telling{patient{deaf: time.Hour}, told}, nil)
		for range 10 {
			if move := playTurn(t, p, time.Second); move != "(take 3)" {
				t.Fatalf("plays %s, want the favourite", move)
			}
			p.worker.policy.(*thinker).sampler = &patient{deaf: time.Hour} // says nothing at the next move in this position
		}
		time.Sleep(20 * time.Hour)
	})
}

// telling is a search that says something on the way.
type telling struct {
	patient
	told search.Result
}

func (s *telling) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	lim.Progress(s.told)
	return s.patient.Search(ctx, m, q, lim)
}

func TestPonderingUsesTheTimeOfTheOthersAndEndsWithIt(t *testing.T) {
	for _, ponder := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var thought time.Duration
			var about []machine.Move
			p := sit(t, Options{Ponder: ponder}, func() policy {
				return &stub{onRest: func(ctx context.Context, at position) {
					about = at.legal
					began := time.Now()
					<-ctx.Done()
					thought += time.Since(began)
				}}
			})
			want := time.Duration(0)
			if ponder {
				want = 3 * time.Second
			}
			playTurn(t, p, time.Second)
			time.Sleep(3 * time.Second)
			playTurn(t, p, time.Second, "(take 1)", "noop")
			synctest.Wait()
			if thought != want {
				t.Errorf("ponder %v: thought for %v between the moves, want %v", ponder, thought, want)
			}
			if ponder && !slices.Equal(about, []machine.Move{0}) {
				t.Errorf("thinks about a position with the moves %v, want that of the last move", about)
			}
			p.Stop(nil)
		})
	}
}

func TestPonderingGoesOnWithBothSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sampler := &greedy{patient: patient{result: pure(2, search.Exact(60), false)}}
		exact := &greedy{patient: patient{result: pure(2, search.Interval{Lower: 0, Upper: 100}, true)}}
		p := seated(t, newSubtraction(60), sampler, exact)
		p.options.Ponder = true
		playTurn(t, p, time.Second)
		synctest.Wait()
		if len(sampler.given) != 2 || len(exact.given) != 2 {
			t.Errorf("%d and %d searches, want one for the move and one that goes on after it", len(sampler.given), len(exact.given))
		}
		p.Stop(nil)
	})
}
