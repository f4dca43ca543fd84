package circuit

import (
	"context"
	"slices"
	"strconv"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// Signals are inputs of evaluations besides fluents: threats (threats.go) and mobility (mobility.go). A separate
// machine computes them.

// maxSignalCost limits the gates of the signals, as a multiple of the gates of the game.
const maxSignalCost = 4

// signalMachine is a machine that computes the signals of a game. Its fluents are the fluents of the game and, after
// Advance, the signals.
type signalMachine struct {
	list    []facts.Signal
	machine *Machine
	words   int // length of a position of the game
}

var _ facts.Signals = (*signalMachine)(nil)

// FindSignals compiles the threats of an optimised game and, if mobility is set, its mobility. It returns nil if the
// game has no signals, if they exceed maxSignalCost or cannot be compiled, or when ctx is done.
func FindSignals(ctx context.Context, g *Optimised, mobility bool, o Options) facts.Signals {
	h := removeDead(ctx, g.Unshared)
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
	m, err := sensor.Compile(ctx, o)
	if err != nil {
		return nil
	}
	return &signalMachine{list, m, len(g.Initial)}
}

// sensorGame returns a game of one role with one move. Its next position contains the signals, which are functions of
// the fluents of g.
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
		h.Next[len(g.Fluents)+i] = s.Lookup(l)
	}
	h.Legal = [][]logic.Lit{{logic.True}}
	return h
}

// List implements facts.Signals.
func (s *signalMachine) List() []facts.Signal { return s.list }

// NewSensor implements facts.Signals.
func (s *signalMachine) NewSensor() facts.Sensor {
	b := s.machine.newBatch(s.machine.narrow())
	return &sensor{s, b, make([]uint64, b.Lanes()*len(s.machine.Initial()))}
}

// sensor computes the signals of positions, a batch at a time.
type sensor struct {
	*signalMachine
	batch  *batch
	states []uint64
}

// Sense implements facts.Sensor.
func (f *sensor) Sense(dst, states []uint64) {
	b, wide := f.batch, len(f.machine.Initial())
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
