package reasoner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/google/go-cmp/cmp"

	"stackmate/reasoner/machine"
)

// view is the answer of a machine about a position, as texts.
type view struct {
	Fluents         []string
	Terminal, Stuck bool
	Legal           [][]string // by role; of positions that are not terminal
	Goals           []int32
}

// walker follows matches on one machine, in one lane of a batch.
type walker struct {
	machine machine.Machine
	batch   machine.Batch
	lane    int
	spell   func(string) string       // translates the machine's names to common names
	moves   []map[string]machine.Move // by role: the legal moves by common name
	state   []uint64
}

func newWalker(m machine.Machine, spell func(string) string, rng *rand.Rand) *walker {
	w := &walker{machine: m, batch: m.NewBatch(), spell: spell}
	w.lane = rng.IntN(w.batch.Lanes())
	w.state = make([]uint64, len(m.Initial())*w.batch.Lanes())
	for range m.Names().Roles {
		w.moves = append(w.moves, make(map[string]machine.Move))
	}
	w.restart()
	return w
}

// same keeps a name.
func same(name string) string { return name }

func (w *walker) restart() { w.batch.Fill(w.machine.Initial(), nil) }

func (w *walker) spelled(names []string) []string {
	for i := range names {
		names[i] = w.spell(names[i])
	}
	slices.Sort(names)
	return names
}

func (w *walker) look() view {
	names, words := w.machine.Names(), len(w.machine.Initial())
	w.batch.Store(w.state, w.lane+1)
	v := view{Goals: make([]int32, len(names.Roles))}
	v.Fluents = w.spelled(names.AppendFluents(nil, w.state[w.lane*words:(w.lane+1)*words]))
	w.batch.Evaluate(w.lane + 1)
	bit := func(mask []uint64) bool { return mask[w.lane>>6]>>(w.lane&63)&1 != 0 }
	v.Terminal, v.Stuck = bit(w.batch.Terminal()), bit(w.batch.Stuck())
	w.batch.Goals(v.Goals, w.lane)
	if v.Terminal {
		return v
	}
	for r := range names.Roles {
		var moves []string
		for _, m := range w.batch.AppendLegal(nil, w.lane, machine.Role(r)) {
			text := names.MoveText(machine.Role(r), m)
			moves = append(moves, text)
			w.moves[r][w.spell(text)] = m
		}
		v.Legal = append(v.Legal, w.spelled(moves))
	}
	return v
}

// lockstep plays random joint moves with all walkers, starting again when a match ends, and compares their
// views of every position. The error has the first difference.
func lockstep(walkers []*walker, rng *rand.Rand, steps int) error {
	for step := range steps {
		want := walkers[0].look()
		for _, w := range walkers[1:] {
			if diff := cmp.Diff(want, w.look()); diff != "" {
				return fmt.Errorf("step %d: %s and %s (lane %d) differ, -first +second:\n%s", step,
					walkers[0].machine.Info().Engine, w.machine.Info().Engine, w.lane, diff)
			}
		}
		if want.Terminal || want.Stuck {
			for _, w := range walkers {
				w.restart()
			}
			continue
		}
		for r, legal := range want.Legal {
			text := legal[rng.IntN(len(legal))]
			for _, w := range walkers {
				w.batch.Choose(w.lane, machine.Role(r), w.moves[r][text])
			}
		}
		for _, w := range walkers {
			w.batch.Advance(w.lane + 1)
		}
	}
	return nil
}
