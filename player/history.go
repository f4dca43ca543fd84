package player

import (
	"slices"
	"sync"

	"stackmate/gdl"
)

// message is what one PLAY or STOP has told, and what was answered.
type message struct {
	joint []string // the joint move as text, one move per role; nil for NIL
	stop  bool     // told by a STOP: the match is over after it
	reply string   // our move; "" for none that could have counted
}

// isNIL tells whether the message says that nobody has moved yet.
func (m message) isNIL() bool { return m.joint == nil }

// history is everything told in a match, in order of arrival, with the replies.
// It only grows. It is safe for concurrent use.
type history struct {
	mu       sync.Mutex
	messages []message
	grown    chan struct{} // closed when there is more, and replaced
	logged   int           // messages that somebody has told the log what to make of
}

func newHistory() *history { return &history{grown: make(chan struct{})} }

// hear adds what is new in told and returns how many messages there are now.
// The last one is from a STOP if stop is set.
func (h *history) hear(told [][]gdl.Term, stop bool) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := len(h.messages); n < len(told); n++ {
		h.messages = append(h.messages, message{joint: texts(told[n]), stop: stop && n == len(told)-1})
	}
	close(h.grown)
	h.grown = make(chan struct{})
	return len(h.messages)
}

func texts(joint []gdl.Term) []string {
	if joint == nil {
		return nil
	}
	out := make([]string, len(joint))
	for r, t := range joint {
		out[r] = t.String()
	}
	return out
}

// answer takes note of the reply to the last message.
func (h *history) answer(move string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.messages); n > 0 {
		h.messages[n-1].reply = move
	}
}

// all returns all messages and a channel that is closed when there are more.
func (h *history) all() (told []message, grown <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.messages), h.grown
}

// first tells, once for each message, that nobody has spoken of message n yet.
func (h *history) first(n int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < h.logged {
		return false
	}
	h.logged = n + 1
	return true
}
