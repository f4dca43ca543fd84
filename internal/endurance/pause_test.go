//go:build unix

package endurance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// registers returns a rulesheet for two roles in which a move is legal exactly if it
// names the position, so that a legal move proves that its player has missed,
// doubled or exchanged no joint move. Each role names a register of 64 values; a
// joint move takes v to 5v + c and u to 9u + d (modulo 64). No c is a multiple of
// 4 and no d one of 8: no joint move leaves a register as it is.
func registers(steps int) string {
	var b strings.Builder
	b.WriteString("(role left) (role right) (init (v 0)) (init (u 0)) (init (step 0))\n")
	b.WriteString("(<= (legal left (add ?v ?x)) (true (v ?v)) (digit ?x)) (<= (legal right (add ?u ?x)) (true (u ?u)) (digit ?x))\n")
	b.WriteString("(<= (next (v ?w)) (does left (add ?v ?x)) (does right (add ?u ?y)) (c ?x ?y ?c) (times5 ?v ?c ?w))\n")
	b.WriteString("(<= (next (u ?w)) (does left (add ?v ?x)) (does right (add ?u ?y)) (c ?x ?y ?c) (times9 ?u ?c ?w))\n")
	b.WriteString("(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n")
	fmt.Fprintf(&b, "(<= terminal (true (step %d)))\n", steps)
	b.WriteString("(<= (goal left 100) high) (<= (goal left 0) (not high)) (<= (goal right 0) high) (<= (goal right 100) (not high))\n")
	b.WriteString("(<= high (true (v ?v)) (upper ?v)) (digit 0) (digit 1) (digit 2)\n")
	for k, c := range []int{1, 2, 3, 5, 6, 7, 9, 10, 11} {
		fmt.Fprintf(&b, "(c %d %d %d)\n", k/3, k%3, c)
		for v := range 64 {
			fmt.Fprintf(&b, "(times5 %d %d %d) (times9 %d %d %d)\n", v, c, (5*v+c)%64, v, c, (9*v+c)%64)
		}
	}
	for v := 32; v < 64; v++ {
		fmt.Fprintf(&b, "(upper %d)\n", v)
	}
	for n := range steps {
		fmt.Fprintf(&b, "(succ %d %d)\n", n, n+1)
	}
	return b.String()
}

// TestAPausedPlayerIsInTheRightPositionAtTheNextMove stops the process in mid-match, continues the match meanwhile as servers
// do, and lets the process continue. All its later answers must be legal, and the first PLAY answered in time.
func TestAPausedPlayerIsInTheRightPositionAtTheNextMove(t *testing.T) {
	begin(t)
	pauses, pause := repetitions(t, 1, 100), either(2500*time.Millisecond, 5*time.Second)
	players := either(1, 4) // paused ones take no time from others
	var mu sync.Mutex
	sum := make(map[string]int)
	t.Run("players", func(t *testing.T) {
		for k := range players {
			share := (pauses + k) / players
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				h := newPausing(t, uint64(k), share)
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					for name, n := range h.counts {
						sum[name] += n
					}
				}()
				for range share {
					h.pause(t, pause)
				}
				h.contest.end()
			})
		}
	})
	t.Logf("%d pauses of %v: %s", pauses, pause, listed(sum))
}

// turnsPerPause is more than the turns around a pause, which take half of the clock
// at least.
const turnsPerPause = 30

// pausing is a match with a player that is paused now and then.
type pausing struct {
	contest *contest
	rng     *rand.Rand
	counts  map[string]int // of PLAYs, by result
}

// showRecords shows the ends of the player's records if the test has failed.
func showRecords(t *testing.T, dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		if t.Failed() {
			t.Logf("%s:\n%s", file, tail(file))
		}
	}
}

func newPausing(t *testing.T, seed uint64, pauses int) *pausing {
	t.Helper()
	rules := registers(400 + turnsPerPause*pauses) // too long to be solved at once
	said := t.TempDir()
	t.Cleanup(func() { showRecords(t, said) })
	h := &pausing{rng: rand.New(rand.NewPCG(seed, 1)), counts: make(map[string]int), contest: &contest{
		player: serve(t, "--record", said), referee: mustReferee(t, rules, seed), id: fmt.Sprintf("pause.%d", seed), rules: rules,
		playClock: time.Duration(1+seed%2) * time.Second, self: int(seed/2) % 2,
	}}
	if !full() {
		h.contest.playClock, h.contest.patience = 500*time.Millisecond, 500*time.Millisecond
	}
	if r := h.contest.start(t, either(time.Second, 5*time.Second)); !r.ok() {
		t.Fatalf("START: %v", r)
	}
	return h
}

// play makes one turn. A pause may cause a missing answer, but not a wrong one.
func (h *pausing) play(t *testing.T, when string) (answered bool) {
	t.Helper()
	turn := h.contest.play(t)
	time.Sleep(h.contest.playClock/2 - turn.took)
	switch {
	case turn.status == 0:
		h.counts["missed "+when]++
		return false
	case !turn.legal:
		t.Fatalf("%s: %v", when, turn)
	case turn.late:
		h.counts["late "+when]++
	default:
		h.counts["in time "+when]++
	}
	return true
}

// pause plays two turns, stops the player at a random moment of the next, lets it
// go on after a while, and plays until it answers.
func (h *pausing) pause(t *testing.T, length time.Duration) {
	t.Helper()
	for range 2 {
		h.play(t, "before")
	}
	moment := time.Duration(h.rng.Int64N(int64(h.contest.playClock)))
	process := h.contest.player.cmd.Process
	resumed := make(chan error, 1)
	go func() {
		time.Sleep(moment)
		err := process.Signal(syscall.SIGSTOP)
		time.Sleep(length)
		resumed <- errors.Join(err, process.Signal(syscall.SIGCONT))
	}()
	for going := true; going; {
		h.play(t, "in the pause")
		select {
		case err := <-resumed:
			if err != nil {
				t.Fatal(err)
			}
			going = false
		default:
		}
	}
	for missed := 0; !h.play(t, "next"); missed++ {
		if full() || missed > 5 {
			t.Fatal("no answer to the next PLAY")
		}
	}
}
