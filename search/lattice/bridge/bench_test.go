package bridge

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestTimes prints how long random endings take: STACKMATE_BRIDGE_TIMES of them with
// STACKMATE_BRIDGE_CARDS cards, each for as many tricks as are made with all hands open.
func TestTimes(t *testing.T) {
	n, cards := setting(t, "STACKMATE_BRIDGE_TIMES", 0), setting(t, "STACKMATE_BRIDGE_CARDS", 13)
	limit, layouts := setting(t, "STACKMATE_BRIDGE_SECONDS", 60), setting(t, "STACKMATE_BRIDGE_LAYOUTS", 0)
	if n == 0 {
		t.Skip("STACKMATE_BRIDGE_TIMES is not set")
	}
	var times []time.Duration
	exact := 0
	for i := range n {
		rng := newRand(i)
		e := randomEnding(rng, (cards+3)/4, (4-cards%4)%4)
		d := e.deal()
		d.Tricks = max(1, tricksOf(newDoubleDummy(e.trump, singles(), East), e))
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(limit)*time.Second)
		began := time.Now()
		r, err := Solve(ctx, d, Options{Layouts: layouts, Depth: 2})
		cancel()
		took := time.Since(began)
		times = append(times, took)
		g := r.Goals[0]
		if g.Exact {
			exact++
		}
		fmt.Printf("%3d %-80v: %d to %d of %d, double dummy %d, %d positions, %.3f s %v\n", i, d, g.Won, g.Upper, r.Layouts, g.DoubleDummy, g.Nodes, took.Seconds(), err)
	}
	slices.Sort(times)
	fmt.Printf("%d endings of %d cards: median %.3f s, mean %.3f, 90 %% %.3f, slowest %.3f s; %d exact\n", n, cards,
		times[n/2].Seconds(), mean(times), times[n*9/10].Seconds(), times[n-1].Seconds(), exact)
}

func mean(times []time.Duration) float64 {
	sum := 0.0
	for _, t := range times {
		sum += t.Seconds()
	}
	return sum / float64(len(times))
}
