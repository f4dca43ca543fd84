package reasoner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/internal/guard"
	"stackmate/reasoner/machine"
)

// fake describes the compilation of a fake engine: it works for a while and then panics, fails, or makes a
// machine.
type fake struct {
	takes time.Duration
	panic bool
	err   error
}

// attempts compiles by fakes, by engine, and lists the reports with their times. It returns when the
// compilation is done.
func attempts(ctx context.Context, soon time.Duration, fakes map[string]fake) (seen []string, c *Compilation) {
	var mu sync.Mutex
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf(format, args...))
	}
	began := time.Now()
	c = begin(ctx, Options{Memory: 300}, soon, func(a Attempt) {
		switch {
		case a.Err != nil:
			note("%v: no %s", time.Since(began), a.Engine)
		case a.Best:
			note("%v: best %s", time.Since(began), a.Engine)
		default:
			note("%v: %s", time.Since(began), a.Engine)
		}
	}, func(ctx context.Context, o Options) (machine.Machine, error) {
		note("%v: %s begins with %d bytes", time.Since(began), o.Engine, o.Memory)
		f := fakes[o.Engine]
		select {
		case <-time.After(f.takes):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if f.panic {
			panic("broken")
		}
		return nil, f.err
	})
	<-c.Done()
	return seen, c
}

func TestAFallbackIsThereSoonAndTheBestMachineLater(t *testing.T) {
	tooLarge := errors.New("too large")
	for _, c := range []struct {
		name  string
		soon  time.Duration
		fakes map[string]fake
		want  []string
	}{
		{
			"the best in time", time.Minute,
			map[string]fake{"circuit": {takes: 900 * time.Millisecond}},
			[]string{"0s: circuit begins with 200 bytes", "900ms: best circuit"},
		},
		{
			"the best late", time.Minute,
			map[string]fake{"circuit": {takes: 9 * time.Second}, "datalog": {takes: time.Second}},
			[]string{
				"0s: circuit begins with 200 bytes", "1s: datalog begins with 100 bytes",
				"2s: datalog", "9s: best circuit",
			},
		},
		{
			"little time", time.Second,
			map[string]fake{"circuit": {takes: 9 * time.Second}, "datalog": {takes: time.Second, err: tooLarge}, "reference": {takes: time.Second}},
			[]string{
				"0s: circuit begins with 200 bytes", "200ms: datalog begins with 100 bytes",
				"1.2s: no datalog", "1.2s: reference begins with 100 bytes", "2.2s: reference", "9s: best circuit",
			},
		},
		{
			"the best fails", time.Minute,
			map[string]fake{"circuit": {takes: 100 * time.Millisecond, panic: true}, "datalog": {takes: time.Second}},
			[]string{
				"0s: circuit begins with 200 bytes", "100ms: no circuit",
				"100ms: datalog begins with 100 bytes", "1.1s: datalog",
			},
		},
		{
			"a fallback that is needless", time.Minute,
			map[string]fake{"circuit": {takes: 2 * time.Second}, "datalog": {takes: time.Minute}},
			[]string{"0s: circuit begins with 200 bytes", "1s: datalog begins with 100 bytes", "2s: best circuit"},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			seen, compilation := attempts(t.Context(), c.soon, c.fakes)
			if !slices.Equal(seen, c.want) {
				t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(seen, "\n"), strings.Join(c.want, "\n"))
			}
			if err := compilation.Err(); err != nil {
				t.Errorf("%s: error %v where there is a machine", c.name, err)
			}
		})
	}
}

func TestAGameThatNoEngineTakesIsAnErrorWithTheReasonOfEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooLarge := errors.New("too large")
		_, c := attempts(t.Context(), time.Minute, map[string]fake{"circuit": {err: tooLarge}, "datalog": {panic: true}, "reference": {err: tooLarge}})
		var panicked *guard.Panic
		for _, words := range []string{"circuit: too large", "datalog: panic", "reference: too large"} {
			if err := c.Err(); err == nil || !strings.Contains(err.Error(), words) || !errors.As(err, &panicked) {
				t.Errorf("error %v, want %q in it", err, words)
			}
		}
	})
}

func TestACompilationThatIsCalledOffReportsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		seen, c := attempts(ctx, time.Minute, map[string]fake{"circuit": {takes: time.Hour}, "datalog": {takes: time.Hour}})
		if len(seen) != 2 || time.Since(began) != 3*time.Second || !errors.Is(c.Err(), context.DeadlineExceeded) {
			t.Errorf("after %v: %q, error %v", time.Since(began), seen, c.Err())
		}
	})
}
