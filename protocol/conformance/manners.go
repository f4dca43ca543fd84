package conformance

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// manner is a way in which players answer PLAY.
type manner struct {
	name string
	// stands tells whether the move must be taken as it is; otherwise the manager may
	// choose any legal one.
	stands bool
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
	{"at once", true, func(move string, _ time.Duration) answer { return text("%s", move) }},
	{"slow", true, func(move string, clock time.Duration) answer { return after(min(clock/2, slowest), text("%s", move)) }},
	{"spread out", true, func(move string, _ time.Duration) answer {
		return text("\r\n %s \r\n", strings.ReplaceAll(move, " ", " \t "))
	}},
	{"other case", false, func(move string, _ time.Duration) answer {
		if upper := strings.ToUpper(move); upper != move {
			return text("%s", upper)
		}
		return text("%s", strings.ToLower(move))
	}},
	{"illegal", false, func(string, time.Duration) answer { return text("(no such move)") }},
	{"garbage", false, func(string, time.Duration) answer { return text("%s", "((\x00)\x1b[2J\xff") }},
	{"empty", false, func(string, time.Duration) answer { return text("") }},
	{"huge", false, func(string, time.Duration) answer {
		return text("%s", strings.Repeat("((((((((((((((( ", hugeReply/16))
	}},
	{"error", false, func(string, time.Duration) answer {
		return func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the player has failed", http.StatusInternalServerError)
		}
	}},
	{"closed", false, func(string, time.Duration) answer {
		return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	}},
	{"late", false, func(move string, clock time.Duration) answer { return after(clock+lateBy, text("%s", move)) }},
}

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
