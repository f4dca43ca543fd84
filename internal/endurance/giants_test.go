package endurance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackmate/internal/must"
)

// giant is one kind of enormous rules, of about n bytes.
type giant struct {
	name  string
	rules func(n int) string
}

var giants = []giant{
	{"nested parentheses", func(n int) string { return strings.Repeat("(", n/2) + strings.Repeat(")", n/2) }},
	{"open parentheses", func(n int) string { return strings.Repeat("(", n) }},
	{"empty lists", func(n int) string { return strings.Repeat("()", n/2) }},
	{"small atoms", func(n int) string { return strings.Repeat("a ", n/2) }},
	{"one atom", func(n int) string { return strings.Repeat("a", n) }},
	{"one deep term", func(n int) string { return strings.Repeat("(f ", n/4) + "a" + strings.Repeat(")", n/4) }},
	{"comments", func(n int) string { return repeated(n, func(i int) string { return fmt.Sprintf("; %d\n", i) }) }},
	{"noise", func(n int) string {
		rng := rand.New(rand.NewPCG(1, 4))
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return string(b)
	}},
	{"faults", func(n int) string { return repeated(n, func(int) string { return "(<= (p ?x))" }) }},
	{"facts", func(n int) string {
		return yes + repeated(n, func(i int) string { return fmt.Sprintf("(f %d)\n", i) })
	}},
	{"clauses", func(n int) string {
		return yes + repeated(n, func(i int) string { return fmt.Sprintf("(<= (p%d ?x) (succ ?x ?y) (true (step ?y)))\n", i) })
	}},
	{"a chain", func(n int) string {
		return yes + "(p0 1)" + repeated(n, func(i int) string { return fmt.Sprintf("(<= (p%d ?x) (p%d ?x))\n", i+1, i) })
	}},
	{"a product", func(n int) string {
		return yes + repeated(n, func(i int) string { return fmt.Sprintf("(n %d)\n", i) }) +
			"(<= (pair ?x ?y ?z) (n ?x) (n ?y) (n ?z))"
	}},
}

// repeated makes n bytes of pieces.
func repeated(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(piece(i))
	}
	return b.String()
}

// spare is the memory of a process apart from its memory limit, for any message, in bytes.
const spare = 64 << 20

// memoryLimit is the memory limit of the players, in MiB.
const memoryLimit = 1024

// TestAnEnormousStartTakesBoundedMemoryAndCanBeEnded sends START with enormous rules
// of all kinds: of the largest size of messages, and of a size that is as much as
// most of them may have to be read. Once it waits for the answer, then ABORT, a closed
// connection and ABORT, or SIGTERM come soon after. INFO is answered meanwhile.
func TestAnEnormousStartTakesBoundedMemoryAndCanBeEnded(t *testing.T) {
	begin(t)
	const largest = 16<<20 - 1000
	kinds := either([]giant{giants[0], giants[9], giants[11]}, giants)
	for _, size := range either([]int{512 << 10}, []int{largest, 2_000_000}) {
		limit := int64(memoryLimit<<20 + spare)
		if size == largest {
			limit = 20 * largest
		}
		for _, g := range kinds {
			t.Run(fmt.Sprintf("%s of %d bytes", g.name, size), func(t *testing.T) {
				rules := g.rules(size)
				digest(t, rules, limit)
				for _, way := range either([]string{"ABORT"}, []string{"ABORT", "close and ABORT", "SIGTERM"}) {
					abandon(t, rules, way)
				}
			})
		}
	}
}

// digest lets a player read the rules and looks at the most memory that it takes.
func digest(t *testing.T, rules string, limit int64) {
	t.Helper()
	p := serve(t, fmt.Sprintf("--memory=%d", memoryLimit))
	before := p.resident(t, "VmRSS")
	startClock := either(time.Second, 10*time.Second)
	answer := p.begin(startMessage("giant.1", "left", rules, startClock, time.Second), time.Minute)
	var infos []time.Duration
	var start reply
	for waiting := true; waiting; {
		select {
		case start = <-answer:
			waiting = false
		case <-time.After(20 * time.Millisecond):
			r := p.info()
			infos = append(infos, r.took)
			if !r.ok() || r.took > either(leniency, serverPatience/2) {
				t.Errorf("INFO meanwhile: %v", r)
			}
		}
	}
	if !p.alive() {
		t.Fatal(p.death())
	}
	taken := p.resident(t, "VmHWM") - before
	t.Logf("%d bytes: START %v; %d MiB taken at most, %.1f times its size; INFO meanwhile %s",
		len(rules), start, taken>>20, float64(taken)/float64(len(rules)), spread(infos))
	if taken > limit {
		t.Errorf("%d MiB taken, expected %d at most", taken>>20, limit>>20)
	}
	if start.status == 0 || start.took > startClock+either(6*leniency, time.Second) {
		t.Errorf("START is not answered in time: %v", start)
	}
}

// abandon ends a START that is being worked on.
func abandon(t *testing.T, rules, way string) {
	t.Helper()
	prompt := either(leniency, 100*time.Millisecond)
	p := serve(t, fmt.Sprintf("--memory=%d", memoryLimit))
	c := must.Get(p.dial(time.Minute))(t)
	defer c.Close()
	answer := make(chan reply, 1)
	go func() { answer <- exchange(c, startMessage("giant.2", "left", rules, 30*time.Second, time.Second)) }()
	for waiting := true; waiting; { // until it has arrived, or is answered already
		select {
		case r := <-answer:
			t.Logf("%s: answered before: %v", way, r)
			answer <- r
			waiting = false
		case <-time.After(10 * time.Millisecond):
			waiting = p.available()
		}
	}
	if way == "SIGTERM" {
		began := time.Now()
		must.OK(t, p.cmd.Process.Signal(syscall.SIGTERM))
		select {
		case <-p.ended:
		case <-time.After(20 * time.Second):
		}
		// Answers under way may take their time at the end.
		if took := time.Since(began); took > prompt+3*time.Second {
			t.Errorf("SIGTERM ends the process after %v", took)
		}
		return
	}
	if way != "ABORT" {
		c.Close()
	}
	r := p.send("(ABORT giant.2)", time.Minute)
	gone, ok := p.awaitAvailable(time.Minute)
	t.Logf("%s: ABORT %v, available after another %v", way, r, gone.Round(100*time.Microsecond))
	if !r.ok() || r.took > prompt || !ok || gone > prompt {
		t.Errorf("%s: %v; available after %v, expected both within %v", way, r, gone, prompt)
	}
	began := time.Now()
	<-answer
	if took := time.Since(began); took > prompt {
		t.Errorf("%s: START is answered %v later", way, took)
	}
	if busy := p.busyFor(t); busy > either(time.Second, 300*time.Millisecond) {
		t.Errorf("%s: the player works on: %v of processor time within the next second", way, busy)
	}
}
