package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
)

// The verdicts depend on the speed of the machine: package conformance has a test of the player by a clock that does not.
func TestAPlayerIsCheckedByEveryRule(t *testing.T) {
	exhaustive.Only(t, "waits for clocks")
	t.Parallel()
	address := "http://" + serve(t)
	report := execute(t, "check-player", address, "--start-clock", "3", "--play-clock", "2", "--hostile", "--json").objects(t)[0]
	checks := report["checks"].([]any)
	for _, c := range checks {
		if check := c.(map[string]any); check["verdict"] == "not run" {
			t.Errorf("%v", check)
		}
	}
	if report["subject"] != address || len(checks) < 35 {
		t.Errorf("%d checks of %v", len(checks), report["subject"])
	}
}

// The verdicts depend on the speed of the machine: package arena has a test of them by a clock that does not.
func TestAManagerIsCheckedOverASeriesOfMatches(t *testing.T) {
	exhaustive.NotUnderRace(t, "the tests of package conformance look at its goroutines")
	t.Parallel()
	var out, faults lockedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(t.Context(), []string{"check-manager", "--listen", "127.0.0.1:0", "--hostile", "--json"}, &out, &faults)
	}()
	address := awaitAddress(t, `let the manager play against (http://127\.0\.0\.1:[0-9]+)`, &faults)
	ctx, cancel := context.WithCancel(t.Context())
	matches := make(chan outcome, 1)
	go func() {
		matches <- executeUntil(ctx, "match", "connectFour", "--players", address+",random",
			"--start-clock", "1", "--play-clock", "1", "--count", "100", "--log-level", "disabled")
	}()
	<-ended
	cancel()
	<-matches
	report := outcome{out: out.String()}.objects(t)[0]
	checks := report["checks"].([]any)
	for _, c := range checks {
		if check := c.(map[string]any); check["verdict"] == "not run" {
			t.Errorf("%v", check)
		}
	}
	if subject := report["subject"].(string); len(checks) != 25 || !strings.HasPrefix(subject, "the manager of ") {
		t.Errorf("%d checks of %s", len(checks), subject)
	}
}

// deafPlayer returns the address of a player that answers "no" to each message.
func deafPlayer(t *testing.T) string {
	t.Helper()
	player := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "no")
	}))
	t.Cleanup(player.Close)
	return player.URL
}

func TestChecksThatFailAreShown(t *testing.T) {
	execute(t, "check-player", deafPlayer(t), "--start-clock", "1", "--play-clock", "1", "--level", "required").
		expect(t, statusBad, "required  fail  info ", "got: status 200: no", "because: the status is no instead of available", " of them required, ")
	execute(t, "check-player", deafPlayer(t), "--level", "all").expect(t, statusUsage, "required")
	execute(t, "check-player", "http://localhost:1").expect(t, statusBad, "cannot be checked")
	execute(t, "check-player", "http://localhost:1", "--play-clock", "0").expect(t, statusUsage, "clocks")
	execute(t, "check-manager", "--listen", "localhost:0", "--wait", "10ms").expect(t, statusBad, "no START was received")
	execute(t, "check-manager", "--wait=-1s").expect(t, statusUsage, "wait")
}
