// Package exhaustive divides the tests into two tiers. The fast tier is "go test ./..." in a clone: no corpus, no browser, nothing that
// takes more than seconds. The exhaustive tier, with STACKMATE_EXHAUSTIVE set, runs all tests in full.
package exhaustive

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// On reports whether the exhaustive tier runs.
func On() bool { return os.Getenv("STACKMATE_EXHAUSTIVE") != "" }

// Only skips a test of the exhaustive tier in the fast tier; why is the reason, such as the time of the test.
func Only(t testing.TB, why string) {
	t.Helper()
	if !On() {
		t.Skipf("%s; STACKMATE_EXHAUSTIVE=1 runs this test", why)
	}
}

// NotUnderRace skips a test under the race detector; why is the reason, such as its time there.
func NotUnderRace(t testing.TB, why string) {
	t.Helper()
	if race {
		t.Skipf("left out under the race detector: %s", why)
	}
}

// FewerDraws divides the number of draws of rapid.Check by four in the fast tier, until the test ends.
func FewerDraws(t testing.TB) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if On() || checks == nil {
		return
	}
	all := checks.Value.String()
	n, err := strconv.Atoi(all)
	if err == nil {
		err = checks.Value.Set(strconv.Itoa(max(n/4, 1)))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(all) })
}

// Choose returns the size or table of a test for the tier that runs.
func Choose[T any](fast, full T) T {
	if On() {
		return full
	}
	return fast
}
