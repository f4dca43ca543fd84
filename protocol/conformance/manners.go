package conformance

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"stackmate/protocol"
)

// manner is a kind of answer to PLAY.
type manner struct {
	name  string
	level Level // of the check that the manager accepts it
	// stands: the manager must make the move; otherwise it may make any legal move.
	stands bool
	// answer returns the reply for a legal move and a play clock.
	answer func(move string, clock time.Duration) answer
}

const (
	// lateBy is the delay of the late answer past the play clock.
	lateBy = 10 * time.Second
	// slowest limits the delay of the slow answer.
	slowest = 2 * time.Second
	// missing is the number of bytes that the truncated answer lacks of its Content-Length.
	missing = 2
	// hugeReply is the size of the huge answer, in bytes.
	hugeReply = 4 << 20
)

// manners are used in this order, one a turn; then the first one for ever.
var manners = []manner{
	{"at once", Required, true, func(move string, _ time.Duration) answer { return text("%s", move) }},
	{"slow", Required, true, func(move string, clock time.Duration) answer {
		return after(min(clock/2, slowest), text("%s", move))
	}},
	{"spread out", Required, true, func(move string, _ time.Duration) answer {
		return text("\r\n %s \r\n", strings.ReplaceAll(move, " ", " \t "))
	}},
	{"explained", Expected, true, func(move string, _ time.Duration) answer {
		return text("%s (explanation \"the best (so far)\") (taunt \"too slow\")", move)
	}},
	{"cut short", Robust, true, func(move string, _ time.Duration) answer {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(move)+missing))
			text("%s", move)(w, r)
		}
	}},
	{"illegal", Required, false, func(string, time.Duration) answer { return text("(no such move)") }},
	{"empty", Required, false, func(string, time.Duration) answer { return text("") }},
	{"error", Required, false, func(string, time.Duration) answer {
		return func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the player has failed", http.StatusInternalServerError)
		}
	}},
	{"closed", Required, false, func(string, time.Duration) answer {
		return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	}},
	{"late", Required, false, func(move string, clock time.Duration) answer {
		return after(clock+lateBy, text("%s", move))
	}},
	{"other case", Expected, false, func(move string, _ time.Duration) answer {
		if upper := strings.ToUpper(move); upper != move {
			return text("%s", upper)
		}
		return text("%s", strings.ToLower(move))
	}},
	{"garbage", Robust, false, func(string, time.Duration) answer {
		return text("%s", "((\x00)\x1b[2J\xff")
	}},
	{"huge", Robust, false, func(string, time.Duration) answer {
		return text("%s", strings.Repeat("((((((((((((((( ", hugeReply/16))
	}},
}

// after delays an answer, until the manager closes the connection at the latest.
func after(d time.Duration, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		protocol.Sleep(r.Context(), d)
		a(w, r)
	}
}
