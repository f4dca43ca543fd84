package gdl_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
)

// hostile are texts of n bytes at most that are made to cost as much as they can.
var hostile = map[string]func(n int) string{
	"opening parentheses": func(n int) string { return strings.Repeat("(", n) },
	"closing parentheses": func(n int) string { return strings.Repeat(")", n) },
	"nested parentheses":  func(n int) string { return strings.Repeat("(", n/2) + strings.Repeat(")", n/2) },
	"empty lists":         func(n int) string { return strings.Repeat("()", n/2) },
	"short facts":         func(n int) string { return strings.Repeat("(a)", n/3) },
	"short symbols":       func(n int) string { return strings.Repeat("a ", n/2) },
	"one symbol":          func(n int) string { return strings.Repeat("a", n) },
	"comments":            func(n int) string { return strings.Repeat(";\n", n/2) },
	"one comment":         func(n int) string { return strings.Repeat(";", n) },
	"blanks":              func(n int) string { return strings.Repeat(" ", n) },
	"lines":               func(n int) string { return strings.Repeat("\n", n) },
	"errors":              func(n int) string { return strings.Repeat("(init ())\n", n/10) },
	"infix":               func(n int) string { return "p(a) :- " + strings.Repeat("q(b) & ", n/7) + "r" },
	// Three such rules reach the limit of conditions: more of them cost no more.
	"disjunctions that multiply": func(int) string {
		return frame + strings.Repeat("(<= h "+strings.Repeat("a ", 200)+"(or"+strings.Repeat(" b", 250)+"))\n", 100)
	},
}

// wide are rulesheets just within the limits, or a share of that.
var wide = map[string]func(share int) string{
	"one list":             func(share int) string { return frame + "(f" + strings.Repeat(" a", 780_000/share) + ")" },
	"distinct relations":   func(share int) string { return frame + numbered("(r%[1]d)", 250_000/share) },
	"a chain of relations": func(share int) string { return frame + numbered("(<= r%[1]d r%[2]d)", 120_000/share) },
	"one relation":         func(share int) string { return frame + numbered("(succ %[1]d %[2]d)", 150_000/share) },
	"one body":             func(share int) string { return frame + "(<= h" + strings.Repeat(" a", 130_000/share) + ")" },
	"many tests": func(share int) string {
		return frame + "(<= h " + numbered("(distinct ?x%[1]d ?x%[2]d)", 40_000/share) + numbered("(d ?x%[1]d)", 40_001/share) + ")"
	},
	"many variables": func(share int) string {
		return frame + "(<= (h " + numbered("?x%[1]d ", 60_000/share) + ") " + numbered("(d ?x%[1]d)", 60_000/share) + ")"
	},
	"many roles": func(share int) string { return numbered("(role r%[1]d)", 180_000/share) + frame },
	"one disjunction": func(share int) string {
		return frame + "(<= h (d ?x) (or " + numbered("(f ?x y%[1]d)", 100_000/share) + "))"
	},
	"recursion in one disjunction": func(share int) string {
		return frame + "(<= (h ?x) (d ?x) (or " + numbered("(and (h ?x) (g ?x y%[1]d))", 40_000/share) + "))"
	},
	"disjunctions": func(share int) string {
		return frame + strings.Repeat("(<= (h ?x) (d ?x) (or "+strings.Repeat("(e ?x)", 300)+"))", 350/share)
	},
	"negation in cycles": func(share int) string {
		return frame + numbered("(<= (r%[1]d 1 ?x) (d ?x) (not (r%[1]d 2 ?x)))(<= (r%[1]d 2 ?x) (d ?x) (not (r%[1]d 3 ?x)))", 5_000/share)
	},
	"fluents that grow": func(share int) string {
		many := numbered("(true (f%[1]d ?x))", 8_000/share)
		return frame + "(<= (next (g " + strings.Repeat("(s ?x) ", 8_000/share) + ")) " + many + ")"
	},
	"rules of perception": func(share int) string {
		return frame + numbered("(role q%[1]d)", 40) + numbered("(<= (sees ?r (did ?p m%[1]d)) (role ?r) (does ?p m%[1]d))", 20_000/share)
	},
	"a chain of open relations": func(share int) string {
		return frame + numbered("(<= (r%[2]d ?x) (r%[1]d ?x))", 60_000/share) + "(<= (r0 ?x) (not (d ?x)))(<= (legal p ?x) (d ?x) (r9 ?x))"
	},
	"one body of open relations": func(share int) string {
		return frame + "(<= (o ?x) (not (d ?x)))(<= (h ?y) " + numbered("(d ?x%[1]d) (o ?x%[1]d)", 4_000/share) + "(d ?y))"
	},
	"deep terms": func(share int) string {
		deep := strings.Repeat("(f ", 400) + "?x" + strings.Repeat(")", 400)
		return frame + strings.Repeat("(<= (h "+deep+") (h ?x) (d "+deep+"))", 300/share)
	},
}

// numbered repeats a format with 0 and 1, 1 and 2, and so on.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i+1)
	}
	return b.String()
}

// peak returns how many bytes of heap f needs at most, sampled, garbage included.
func peak(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, uint64(0)
	var done atomic.Bool
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for !done.Load() {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			time.Sleep(time.Millisecond)
		}
	}()
	f()
	done.Store(true)
	<-stopped
	return max(most, before) - before
}

// perByte is how many bytes of memory each byte of the largest message may cost.
const (
	largest = 16 << 20
	perByte = 20
)

func TestNoTextCostsMoreThanTwentyTimesTheLargestMessage(t *testing.T) {
	size, share := largest, 4 // memory grows with the text: a share of the limits is enough to see it
	if !exhaustive.On() {
		size = 4 << 20
	}
	check := func(t *testing.T, src string, size int) {
		// The amount of garbage varies by chance; a text that costs too much does so every time.
		used, limit := uint64(math.MaxUint64), perByte*uint64(size)
		for try := 0; try < 10 && used > limit; try++ {
			used = min(used, peak(func() { gdl.LoadToPlay(t.Context(), "hostile", []byte(src)) }))
		}
		t.Logf("%d KiB of text, %d MiB of memory", len(src)>>10, used>>20)
		if used > limit {
			t.Errorf("%d bytes of text took %d MiB", len(src), used>>20)
		}
	}
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) { check(t, text(size), largest) })
	}
	if !exhaustive.On() {
		return
	}
	for name, text := range wide {
		t.Run(name, func(t *testing.T) { check(t, text(share), largest/share) })
	}
}

// impatient is a context that ends after it has been looked at a number of times.
type impatient struct {
	context.Context
	looks, after int
	last         time.Time
	gap          time.Duration // the longest time between two looks
}

func (c *impatient) Err() error {
	if !c.last.IsZero() {
		c.gap = max(c.gap, time.Since(c.last))
	}
	c.last = time.Now()
	if c.looks++; c.looks > c.after {
		return context.Canceled
	}
	return nil
}

func TestReadingAndCheckingLookAtTheContext(t *testing.T) {
	check := func(t *testing.T, src string) {
		c := &impatient{Context: t.Context(), after: 1 << 60}
		start := time.Now()
		gdl.LoadToPlay(c, "hostile", []byte(src))
		c.gap = max(c.gap, time.Since(c.last))
		t.Logf("%d looks in %v, %v without one", c.looks, time.Since(start), c.gap)
		for _, after := range []int{0, c.looks / 3, c.looks - 1} {
			c := &impatient{Context: t.Context(), after: after}
			if _, _, err := gdl.LoadToPlay(c, "hostile", []byte(src)); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want that of the context after %d looks", err, after)
			}
			if c.looks != after+1 {
				t.Errorf("%d looks, want to stop after %d", c.looks, after)
			}
		}
	}
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) { check(t, text(1<<14)) })
	}
	if !exhaustive.On() {
		return
	}
	for name, text := range wide {
		t.Run(name, func(t *testing.T) { check(t, text(32)) })
	}
}

func TestFindingsAreLimitedInNumberAndLength(t *testing.T) {
	_, found, err := gdl.Load(t.Context(), "hostile", []byte(numbered("(init ("+strings.Repeat("long ", 250)+"()))\n", 1500)))
	if len(found.Errors()) != 1001 || err == nil {
		t.Fatalf("%d errors", len(found.Errors()))
	}
	for _, d := range found {
		if len(d.Detail()) > 500 {
			t.Fatalf("a finding of %d bytes: %s", len(d.Detail()), d.Detail()[:500])
		}
	}
}

// Only the first symbol of another encoding is reported. Such a game is played, since a manager may send it.
func TestSymbolsAreUTF8AndCommentsNeedNotBe(t *testing.T) {
	for src, want := range map[string]string{
		"; caf\xe9\n(init (cell 1 bose))":                  "[]",
		"; café\n(init (cell 1 b\xf6se))\n(init \xf6\xe9)": "[E034@2:15]",
		"(init (cell 1 böse))":                             "[]",
		"(init\xa0(cell 1 bose))":                          "[]", // a blank of Latin-1
	} {
		text := []byte(src + frame)
		_, found, err := gdl.Load(t.Context(), "rules", text)
		var got []string
		for _, d := range found.Errors() {
			got = append(got, fmt.Sprintf("%s@%d:%d", d.Code, d.Pos.Line, d.Pos.Column))
		}
		if fmt.Sprint(got) != want || (err != nil) != (want != "[]") {
			t.Errorf("%q: errors %v, want %s: %v", src, got, want, err)
		}
		g, _, err := gdl.LoadToPlay(t.Context(), "rules", text)
		if _, cell, _ := strings.Cut(src, "cell 1 "); err != nil || !strings.Contains(fmt.Sprint(g.Rules), cell[:4]) {
			t.Errorf("%q is not played with its symbols: %v", src, err)
		}
	}
}

func TestOneClauseThatIsTooLongLeavesTheOthers(t *testing.T) {
	long := strings.Repeat(" a", 1<<15)
	for name, src := range map[string]string{
		"prefix": "(role p q)\n(f" + long + ")\n(init)",
		"infix":  "role(p,q)\nf :- a" + strings.ReplaceAll(long, " ", "&") + "\ninit(a,b)",
	} {
		_, found, err := gdl.Load(t.Context(), name, []byte(src))
		var got []string
		for _, d := range found.Errors() {
			got = append(got, fmt.Sprintf("%s@%d:%d", d.Code, d.Pos.Line, d.Pos.Column))
		}
		if want := "[E012@1:1 E008@2:1 E012@3:1]"; err == nil || fmt.Sprint(got) != want {
			t.Errorf("%s: errors %v, want %s", name, got, want)
		}
	}
	_, _, err := gdl.Load(t.Context(), "long", []byte(frame+"(f"+strings.Repeat(" a", 1<<15-3)+")"))
	if err != nil {
		t.Errorf("a fact of as many symbols and parentheses as are allowed: %v", err)
	}
}
