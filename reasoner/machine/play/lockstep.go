package play

import (
	"context"
	"math/bits"

	"stackmate/reasoner/machine"
)

// MaxPlayout is the number of joint moves after which a playout that only serves an estimate is cut off: ten
// times the length of the longest games in common use. Beyond it, several short playouts give a better
// estimate than the end of a long one. The limit does not classify the game: a match counts as endless only
// after MaxSteps.
const MaxPlayout = 2000

// Lockstep plays the positions in the lanes of a batch to their ends by random moves, in step, each lane
// once. Playouts instead plays many matches from one position, restarts ended lanes, and measures throughput.
//
// Nothing is allocated after NewLockstep. It belongs to one goroutine.
type Lockstep struct {
	batch          machine.Batch
	limited        machine.Limited // the batch, or nil
	playing, ended []uint64
}

// NewLockstep makes a Lockstep that plays in the lanes of b.
func NewLockstep(b machine.Batch) *Lockstep {
	words := len(b.Terminal())
	limited, _ := machine.As[machine.Limited](b)
	return &Lockstep{batch: b, limited: limited, playing: make([]uint64, words), ended: make([]uint64, words)}
}

// Run continues in lanes 0..n-1, which must be evaluated. It ends when every lane has ended (terminal, stuck
// or lost), MaxPlayout joint moves are made, ctx is done, or visit returns false.
//
// Before the first joint move and after each, visit gets the number of moves made and two masks: the lanes
// that the last move ended, and the lanes that go on. A lost lane (machine.Lost) is in neither mask, like a
// lane that is cut off. visit may query the batch about lanes 0..n-1. It must not change the masks, which are
// valid until it returns.
func (l *Lockstep) Run(ctx context.Context, rng *machine.Rand, n int, visit func(steps int, ended, playing []uint64) bool) {
	for w := range l.playing {
		l.playing[w] = 1<<uint(min(64, max(0, n-w*64))) - 1
	}
	b := l.batch
	for steps := 0; ; steps++ {
		terminal, stuck := b.Terminal(), b.Stuck()
		if l.limited != nil {
			for w, lost := range l.limited.Lost() {
				l.playing[w] &^= lost
			}
		}
		going := uint64(0)
		for w, playing := range l.playing {
			l.ended[w] = playing & (terminal[w] | stuck[w])
			l.playing[w] = playing &^ l.ended[w]
			going |= l.playing[w]
		}
		if !visit(steps, l.ended, l.playing) || going == 0 || steps == MaxPlayout || ctx.Err() != nil {
			return
		}
		b.ChooseRandom(rng, n)
		b.Advance(n)
		b.Evaluate(n)
	}
}

// RandomGame plays a random game from position q in the first lane of b, of at most MaxPlayout joint moves. It calls
// visit with each position, from q on, and with whether the game is over there, until visit returns false.
func RandomGame(ctx context.Context, b machine.Batch, rng *machine.Rand, q machine.State, visit func(q machine.State, over bool) bool) {
	at := make(machine.State, len(q))
	b.Load(q, 1)
	b.Evaluate(1)
	NewLockstep(b).Run(ctx, rng, 1, func(_ int, ended, _ []uint64) bool {
		b.Store(at, 1)
		return visit(at, ended[0]&1 != 0)
	})
}

// RandomGoals returns the goals of all roles at the end of a random game from a position: the shortest game
// of a batch. It returns nil if no game ends before ctx is done.
func RandomGoals(ctx context.Context, m machine.Machine, from machine.State) []int32 {
	b := m.NewNarrowBatch()
	n := b.Lanes()
	b.Fill(from, nil)
	b.Evaluate(n)
	var goals []int32
	NewLockstep(b).Run(ctx, machine.NewRand(1), n, func(_ int, ended, _ []uint64) bool {
		for w, over := range ended {
			if over &= b.Terminal()[w]; over != 0 {
				goals = make([]int32, len(m.Names().Roles))
				b.Goals(goals, w<<6|bits.TrailingZeros64(over))
				return false
			}
		}
		return true
	})
	return goals
}
