package endurance

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestIdleAndSlowSendersDisturbNoMatch keeps connections open that send nothing,
// half a head, half a body, or a byte at a time, and opens them again when the
// player closes them, while it plays a match and is asked for its status.
func TestIdleAndSlowSendersDisturbNoMatch(t *testing.T) {
	begin(t)
	senders, turns := repetitions(t, 200, 1000), either(3, 30)
	rules := builtIn(t, "connectFour")
	p := serve(t)
	c := &contest{
		player: p, referee: mustReferee(t, rules, 1), id: "senders.1", rules: rules,
		playClock: either(500*time.Millisecond, time.Second), patience: either(leniency, time.Second),
	}
	if r := c.start(t, 2*time.Second); !r.ok() {
		t.Fatalf("START: %v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	var opened atomic.Int64
	for k := range senders {
		all.Go(func() { annoy(ctx, p.address, k, &opened) })
	}
	var infos []time.Duration
	var failed int
	all.Go(func() {
		for ctx.Err() == nil {
			if r := p.info(); r.ok() {
				infos = append(infos, r.took)
			} else {
				failed++
				t.Errorf("INFO: %v", r)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	var plays []time.Duration
	late := 0
	for range turns {
		turn := c.play(t)
		plays = append(plays, turn.took)
		if turn.late {
			late++
		}
		if !turn.legal || (full() && turn.late) {
			t.Errorf("PLAY: %v", turn)
		}
		if c.referee.over() {
			c.end()
			c.start(t, 2*time.Second)
		}
	}
	cancel()
	all.Wait()
	c.end()
	t.Logf("%d senders, %d connections: PLAY %s, %d late; INFO %s, %d failed",
		senders, opened.Load(), spread(plays), late, spread(infos), failed)
	limit := either(leniency, 50*time.Millisecond)
	for _, took := range infos {
		if took > limit {
			t.Errorf("INFO took %v, expected %v at most", took, limit)
			break
		}
	}
}

// annoy runs one sender, of a kind that depends on k.
func annoy(ctx context.Context, address string, k int, opened *atomic.Int64) {
	beginnings := []string{
		"",                              // says nothing
		"POST / HTTP/1.0\r\nAccept: te", // half a head
		head(1000) + "(START m.1 x (",   // half a body
		head(1000),                      // a byte at a time
		head(16<<20) + "((((",           // half of an enormous body
	}
	kind := k % len(beginnings)
	// A thousand connections opened in one instant take 60 to 80 ms of two cores in
	// the dialling alone, and INFO would measure that: they come within a second.
	pause := time.Duration(rand.Int64N(int64(time.Second)))
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = 500*time.Millisecond + time.Duration(rand.Int64N(int64(time.Second)))
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			opened.Add(1)
			unhook := context.AfterFunc(ctx, func() { c.Close() })
			_, _ = io.WriteString(c, beginnings[kind])
			if kind == 3 {
				go drip(c)
			}
			_, _ = io.Copy(io.Discard, c) // until the player closes
			unhook()
			c.Close()
		}
	}
}

// drip sends a byte at a time until the connection is closed.
func drip(c net.Conn) {
	for {
		if _, err := io.WriteString(c, "("); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}
