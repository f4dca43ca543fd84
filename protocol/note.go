package protocol

import (
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"

	"github.com/rs/zerolog"
)

// Note is something that happens in a match that an endpoint plays: a message that tells a joint
// move or ends the match or, without a Command, the answer to the last PLAY.
type Note struct {
	At      time.Time
	Command Command    // PLAY, STOP or ABORT; "" for an answer
	Joint   []gdl.Term // of PLAY and STOP, spelled as in the rules; nil for none
	Reason  string     // of ABORT
	Move    gdl.Term   // of an answer
	Why     *Explanation
	Err     error // why there is no move
}

// waitingNotes bounds the notes that wait for whoever keeps them.
const waitingNotes = 256

// notes are taken of one match, for Endpoint.Record. They are kept behind the match: what takes long,
// a full disk or positions that are found by the rules, costs notes, never time of the match.
type notes struct {
	mu    sync.Mutex
	log   zerolog.Logger
	taken chan Note // nil: none are
	lost  bool      // one of them
}

// begin has the notes of a match kept, if anybody keeps them: all that are taken, when written is done.
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
			m.Log.Error().Err(err).Msg("the rest of this match is not kept")
		}
		for range taken { // nobody is to wait
		}
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log, n.taken = m.Log, taken
}

// take takes a note. After the end of a match there are none.
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
