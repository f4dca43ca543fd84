package protocol

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// maxTranscript bounds the file of one match, in bytes. The START of the largest
	// size and thousands of moves fit in.
	maxTranscript = 64 << 20
	// transcriptQueue bounds the lines that wait for a slow disk.
	transcriptQueue = 256
)

// transcript keeps what arrived in a match and what was answered, a JSON object on
// each line, in order of time. The file is written behind the match: a disk that is
// full or slow costs lines of the transcript, never time of the match.
type transcript struct {
	mu     sync.Mutex
	log    zerolog.Logger
	lines  chan TranscriptLine // nil: nothing is kept
	number int                 // of requests so far
	lost   bool                // a line
}

// TranscriptLine is one line: a request or, with a status, the answer to the one
// of the same number, and why the agent made its move.
type TranscriptLine struct {
	Time    time.Time    `json:"time"`
	Number  int          `json:"number"`
	From    string       `json:"from,omitempty"`
	Request string       `json:"request,omitempty"`
	Status  int          `json:"status,omitempty"`
	Reply   string       `json:"reply,omitempty"`
	Why     *Explanation `json:"why,omitempty"`
}

// open begins the file of a match in dir; without a dir nothing is kept. The file is
// complete when written is done.
func (t *transcript) open(dir string, s *session, written *sync.WaitGroup) {
	if dir == "" {
		return
	}
	lines := make(chan TranscriptLine, transcriptQueue)
	written.Go(func() {
		file, err := createTranscript(dir, s.match.ID, s.match.Start)
		if err != nil {
			s.log.Error().Err(err).Msg("what is said in this match is not kept")
			for range lines { // nobody is to wait
			}
			return
		}
		writeTranscript(file, lines, s.log)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log, t.lines = s.log, lines
}

// request keeps a request and returns its number.
func (t *transcript) request(at time.Time, from, text string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	t.add(TranscriptLine{Time: at, Number: t.number, From: from, Request: text})
	return t.number
}

// answer keeps what was answered to a request.
func (t *transcript) answer(number int, err error, reply string, why *Explanation) {
	if err != nil {
		reply = oneLine(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(TranscriptLine{Time: time.Now(), Number: number, Status: statusOf(err), Reply: reply, Why: why})
}

func (t *transcript) add(line TranscriptLine) {
	if t.lines == nil {
		return
	}
	select {
	case t.lines <- line:
	default:
		if !t.lost {
			t.log.Error().Msg("the disk is too slow: lines of the transcript are lost")
		}
		t.lost = true
	}
}

// close ends the file; what comes later is not kept.
func (t *transcript) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines != nil {
		close(t.lines)
		t.lines = nil
	}
}

// createTranscript makes a new file named after time and match.
func createTranscript(dir, id string, began time.Time) (*os.File, error) {
	safe := SafeID(id[:min(len(id), maxClip)])
	base := began.UTC().Format("20060102T150405.000") + "-" + safe
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		f, err := os.OpenFile(filepath.Join(dir, name+".jsonl"), os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
		if !os.IsExist(err) || n == transcriptQueue {
			return f, err
		}
	}
}

// writeTranscript writes lines until there are no more, or no room.
func writeTranscript(f *os.File, lines <-chan TranscriptLine, log zerolog.Logger) {
	var written int
	var failed error
	for line := range lines {
		if failed != nil {
			continue
		}
		text, err := json.Marshal(line)
		if err == nil && written+len(text) > maxTranscript {
			err = fmt.Errorf("%s has reached %d bytes", f.Name(), maxTranscript)
		}
		if err == nil {
			var n int
			n, err = f.Write(append(text, '\n'))
			written += n
		}
		if failed = err; failed != nil {
			log.Error().Err(err).Msg("the rest of what is said in this match is not kept")
		}
	}
	if err := f.Close(); err != nil && failed == nil {
		log.Error().Err(err).Msg("the transcript may be incomplete")
	}
}
