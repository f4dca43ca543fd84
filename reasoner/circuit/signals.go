package circuit

import (
	"context"
	"slices"
	"strconv"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Signals, as gates: what is worth seeing of a position beside its fluents, threats
// (threats.go) and mobility (mobility.go), computed by a machine of its own.

// maxSignalCost is how many times as many gates the signals may take as the game.
const maxSignalCost = 4

// Signals are the signals of a game, as a machine whose positions are those of the game
// and, once it has been advanced, the signals in them.
type Signals struct {
	list    []machine.Signal
	machine *Machine
	words   int // of a position of the game
}

var _ machine.Signals = (*Signals)(nil)

// FindSignals compiles the threats of an optimised game and, if asked for, its mobility. They
// are nil for a game without any, for one where finding them costs too much, and when ctx is done.
func FindSignals(ctx context.Context, g *Game, mobility bool, o Options) *Signals {
	h := removeDead(ctx, g.unshared)
	list, signals := h.threats(ctx)
	if mobility {
		moves, legal := h.mobility()
		list, signals = append(list, moves...), append(signals, legal...)
	}
	if len(list) == 0 {
		return nil
	}
	sensor := removeDead(ctx, h.sensorGame(signals)).shareLogic(ctx)
	if sensor == nil || sensor.Net.Gates() > maxSignalCost*g.Net.Gates() {
		return nil
	}
	m, err := Compile(ctx, sensor, o)
	if err != nil {
		return nil
	}
	return &Signals{list, m, len(g.Initial)}
}

// sensor is a game of one role and one move, in which signals over the fluents of g are
// the fluents after it.
func (g *Game) sensorGame(signals []logic.Lit) *Game {
	names := &machine.Names{Roles: []string{"sensor"}, Moves: [][]string{{"sense"}}, Fluents: slices.Clone(g.Names.Fluents)}
	for i := range signals {
		names.Fluents = append(names.Fluents, "signal "+strconv.Itoa(i))
	}
	h := NewGame(names, make(machine.State, (len(names.Fluents)+63)/64))
	s := logic.NewSubstitution(g.Net, h.Net)
	s.SetAll(g.Fluents, h.Fluents)
	s.Build(signals...)
	h.Next = make([]logic.Lit, len(names.Fluents))
	for i, l := range signals {
		h.Next[len(g.Fluents)+i] = s.At(l)
	}
	h.Legal = [][]logic.Lit{{logic.True}}
	return h
}

// List implements machine.Signals.
func (s *Signals) List() []machine.Signal { return s.list }

// NewSensor implements machine.Signals.
func (s *Signals) NewSensor() machine.Sensor {
	b := s.machine.newBatch(s.machine.narrow())
	return &sensor{s, b, make([]uint64, b.Lanes()*s.machine.Words())}
}

// sensor finds signals in the lanes of a batch.
type sensor struct {
	*Signals
	batch  *Batch
	states []uint64
}

// Sense implements machine.Sensor.
func (f *sensor) Sense(dst, states []uint64) {
	b, wide := f.batch, f.machine.Words()
	first, found := len(f.machine.names.Fluents)-len(f.list), (len(f.list)+63)/64
	for len(states) > 0 {
		n := min(b.Lanes(), len(states)/f.words)
		for i := range n {
			copy(f.states[i*wide:(i+1)*wide], states[i*f.words:(i+1)*f.words])
		}
		b.Load(f.states, n)
		b.Evaluate(n)
		b.Advance(n)
		b.Store(f.states, n)
		for i := range n {
			s := f.states[i*wide : (i+1)*wide]
			for k := range found {
				at, shift := first>>6+k, uint(first&63)
				word := s[at] >> shift
				if shift > 0 && at+1 < wide {
					word |= s[at+1] << (64 - shift)
				}
				dst[k] = word
			}
			dst = dst[found:]
		}
		states = states[n*f.words:]
	}
}
