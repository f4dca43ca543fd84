package conformance

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// manner is a way in which players answer PLAY.
type manner struct {
	name  string
	level Level // of the check that the manager copes with it
	// stands tells whether the move must be taken as it is; otherwise the manager may
	// choose any legal one.
	stands bool
	source string // of that check
	// answer makes the reply with a legal move, under a play clock.
	answer func(move string, clock time.Duration) answer
}

const (
	// lateBy is how long past the play clock the late answer comes.
	lateBy = 10 * time.Second
	// slowest bounds the delay of the slow answer.
	slowest = 2 * time.Second
	// hugeReply is the size of the huge answer, in bytes.
	hugeReply = 4 << 20
)

// manners are tried one a turn, in this order; then the first for ever.
var manners = []manner{
	{"at once", Required, true, "the protocol: a legal move", func(move string, _ time.Duration) answer { return text("%s", move) }},
	{"slow", Required, true, "the protocol: the play clock", func(move string, clock time.Duration) answer {
		return after(min(clock/2, slowest), text("%s", move))
	}},
	{"spread out", Required, true, "ggp-base: GdlFunction.toString writes blanks inside of parentheses", func(move string, _ time.Duration) answer {
		return text("\r\n %s \r\n", strings.ReplaceAll(move, " ", " \t "))
	}},
	{"illegal", Required, false, replaced + "PlayRequestThread.handleResponse", func(string, time.Duration) answer { return text("(no such move)") }},
	{"empty", Required, false, replaced + "PlayRequestThread.handleResponse", func(string, time.Duration) answer { return text("") }},
	{"error", Required, false, replaced + "PlayRequestThread.handleResponse", func(string, time.Duration) answer {
		return func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the player has failed", http.StatusInternalServerError)
		}
	}},
	{"closed", Required, false, replaced + "RequestThread.run", func(string, time.Duration) answer {
		return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	}},
	{"late", Required, false, replaced + "RequestThread.run", func(move string, clock time.Duration) answer {
		return after(clock+lateBy, text("%s", move))
	}},
	{"other case", Expected, false, replaced + "PlayRequestThread.handleResponse", func(move string, _ time.Duration) answer {
		if upper := strings.ToUpper(move); upper != move {
			return text("%s", upper)
		}
		return text("%s", strings.ToLower(move))
	}},
	{"garbage", Robust, false, replaced + "PlayRequestThread.handleResponse", func(string, time.Duration) answer {
		return text("%s", "((\x00)\x1b[2J\xff")
	}},
	{"huge", Robust, false, replaced + "PlayRequestThread.handleResponse", func(string, time.Duration) answer {
		return text("%s", strings.Repeat("((((((((((((((( ", hugeReply/16))
	}},
}

// replaced is the rule on failing players.
const replaced = "the protocol: an illegal, late or failed move is replaced by a legal one; ggp-base: "

// after delays an answer, or gives it up when the manager has.
func after(d time.Duration, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		sleep(r.Context(), d)
		a(w, r)
	}
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
