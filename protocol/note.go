package protocol

import (
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"

	"github.com/rs/zerolog"
)

// Note is an event of a match: a message with a joint move, the end of the match or, without a Command, the answer to
// a PLAY.
type Note struct {
	At      time.Time
	Command Command    // PLAY, STOP or ABORT; "" for an answer
	Joint   []gdl.Term // of PLAY and STOP, spelled as in the rules; nil for none
	Reason  string     // of ABORT
	Asked   time.Time  // of an answer: the arrival of its PLAY
	Move    gdl.Term   // of an answer
	Why     *Explanation
	Err     error // the reason for a missing move
}

// waitingNotes limits the notes queued for the recorder.
const waitingNotes = 256

// notes is the queue of notes of a match, for Endpoint.Record. The recorder runs in the background: if it is too slow
// (a full disk, an expensive game), notes are lost, never time of the match.
type notes struct {
	mu    sync.Mutex
	log   zerolog.Logger
	taken chan Note // nil if the match is not recorded
	lost  bool      // a note was lost
}

// begin starts the recorder of a match, if any. written is done once it has received all notes.
func (n *notes) begin(record func(Match) (func(Note) error, error), m Match, written *sync.WaitGroup) {
	if record == nil {
		return
	}
	taken := make(chan Note, waitingNotes)
	written.Go(func() {
		err := guard.Do(func() error {
			keep, err := record(m)
			for note := range taken {
				if err == nil {
					err = keep(note)
				}
				if err != nil {
					return err
				}
			}
			return err
		})
		if err != nil {
			m.Log.Error().Err(err).Msg("recording failed: the rest of this match is not kept")
		}
		for range taken { // so that take never blocks
		}
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log, n.taken = m.Log, taken
}

// take queues a note. After the end of a match it does nothing.
func (n *notes) take(note Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.taken == nil {
		return
	}
	select {
	case n.taken <- note:
	default:
		if !n.lost {
			n.log.Error().Msg("the disk or the rules are too slow: parts of the record are lost")
		}
		n.lost = true
	}
	if note.Command == Stop || note.Command == Abort {
		close(n.taken)
		n.taken = nil
	}
}
