package play

import "stackmate/reasoner/machine"

// Walk continues games in all lanes of a batch, and begins ended games again: for samples of positions of random games.
type Walk struct {
	Batch machine.Batch
	ended []uint64 // lanes whose game had ended at the last Evaluate
}

// Evaluate evaluates all lanes, and returns the mask of the lanes whose game has ended.
func (w *Walk) Evaluate() []uint64 {
	w.Batch.Evaluate(w.Batch.Lanes())
	w.ended = append(w.ended[:0], w.Batch.Terminal()...)
	for i, stuck := range w.Batch.Stuck() {
		w.ended[i] |= stuck
	}
	return w.ended
}

// ChooseRandom chooses random moves in all lanes.
func (w *Walk) ChooseRandom(rng *machine.Rand) { w.Batch.ChooseRandom(rng, w.Batch.Lanes()) }

// Advance makes the chosen moves; lanes whose game had ended begin again at position root.
func (w *Walk) Advance(root machine.State) {
	w.Batch.Advance(w.Batch.Lanes())
	w.Batch.Fill(root, w.ended)
}
