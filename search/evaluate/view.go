package evaluate

import (
	"math/bits"
	"slices"
	"sync"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/facts"
)

// view defines the inputs of the network: the fluents of a position and, in the words behind them, its
// signals, if the machine has any. Signals carry information that single fluents and conjunctions of a
// few fluents do not: threats in line games, where one more piece wins, and legal moves in games with
// few of them.
//
// A threat is dead once its missing fluent can never become true. Self-play detects this: fluent a
// blocks fluent b if both are never true together and b never becomes true after a was true. A view is
// immutable except for the pool, and safe for concurrent use.
type view struct {
	words   int // of a position
	fluents int
	signals []facts.Signal
	source  facts.Signals
	blocks  [][]int32 // by signal: the fluents that block a threat; nil while unknown
	mirror  *mirror   // of positions in which the second player is to move, or nil
	pool    *sync.Pool
}

// sensing is the scratch memory of one goroutine for reading signals.
type sensing struct {
	sensor facts.Sensor
	seen   []uint64
	found  []uint64
}

func newView(m machine.Machine, source facts.Signals) *view {
	v := &view{words: len(m.Initial()), fluents: len(m.Names().Fluents)}
	if source != nil && len(source.List()) <= maxFluents {
		v.source, v.signals = source, source.List()
		v.pool = &sync.Pool{New: func() any { return &sensing{sensor: source.NewSensor()} }}
	}
	v.mirror = newMirror(m, v)
	return v
}

// found returns the number of words for signals, wide the number of words of a position with signals.
func (v *view) found() int { return (len(v.signals) + 63) / 64 }
func (v *view) wide() int  { return v.words + v.found() }

// inputs returns the number of the last input plus one. Inputs between the fluents and the signals are
// never true.
func (v *view) inputs() int {
	if len(v.signals) == 0 {
		return v.fluents
	}
	return v.input(len(v.signals))
}

// input returns the input of a signal.
func (v *view) input(signal int) int { return 64*v.words + signal }

// withSignals calls f with the positions of states, extended by their signals.
func (v *view) withSignals(states []uint64, f func(seen []uint64)) {
	if len(v.signals) == 0 {
		f(states)
		return
	}
	s := v.pool.Get().(*sensing)
	defer v.pool.Put(s)
	n, found, wide := len(states)/v.words, v.found(), v.wide()
	if len(s.seen) < n*wide {
		s.seen, s.found = make([]uint64, n*wide), make([]uint64, n*found)
	}
	s.sensor.Sense(s.found, states)
	for i := range n {
		at := s.seen[i*wide : (i+1)*wide]
		copy(at, states[i*v.words:(i+1)*v.words])
		copy(at[v.words:], s.found[i*found:])
		v.clearBlocked(at)
	}
	f(s.seen[:n*wide])
}

// clearBlocked clears the blocked threats of a position.
func (v *view) clearBlocked(seen []uint64) {
	if v.blocks == nil {
		return
	}
	position := seen[:v.words]
	for i, word := range seen[v.words:] {
		blocked := uint64(0)
		for w := word; w != 0; w &= w - 1 {
			k := bits.TrailingZeros64(w)
			for _, f := range v.blocks[i<<6+k] {
				blocked |= position[f>>6] >> uint(f&63) & 1 << uint(k) // without an unpredictable branch
			}
		}
		seen[v.words+i] = word &^ blocked
	}
}

// images returns the image of each input under a symmetry; -1: none.
func (v *view) images(y *facts.Symmetry) []int32 {
	number := make(map[facts.Signal]int32, len(v.signals))
	for k, s := range v.signals {
		number[s] = int32(v.input(k))
	}
	images := slices.Repeat([]int32{-1}, 64*v.wide())
	copy(images, y.Fluents)
	for k, s := range v.signals {
		image := facts.Signal{Role: y.Roles[s.Role], Move: machine.NoMove}
		if s.IsThreat() {
			image.Lacks = int(y.Fluents[s.Lacks])
		} else {
			image.Move = y.Moves[s.Role][s.Move]
		}
		if to, ok := number[image]; ok {
			images[v.input(k)] = to
		}
	}
	return images
}

// imagesSeen returns the image of each input that the network sees under a symmetry: if the symmetry exchanges the players,
// the mirror exchanges them again.
func (v *view) imagesSeen(y *facts.Symmetry) []int32 {
	images := v.images(y)
	if v.mirror == nil || slices.IsSorted(y.Roles) {
		return images
	}
	for i, to := range images {
		if to >= 0 {
			images[i] = v.mirror.images[to]
		}
	}
	return images
}

const (
	// surveyPositions is the number of random positions from which blocking fluents are derived: one or two
	// hundred games.
	surveyPositions = 1 << 13
	// mostBlocks is the maximum number of blockers of a fluent: one with more was seen too rarely, and has none
	// (docs/lab/constants.md).
	mostBlocks = 4
)

// survey are statistics of the fluents that threats lack.
type survey struct {
	*view
	positions int
	ever      []uint64         // fluents seen true
	lacking   []uint64         // fluents that threats lack
	together  map[int][]uint64 // by lacking fluent: fluents true at the same time
	before    map[int][]uint64 // by lacking fluent: fluents true before it became true
}

func newSurvey(v *view) *survey {
	s := &survey{
		view: v, ever: make([]uint64, v.words), lacking: make([]uint64, v.words),
		together: map[int][]uint64{}, before: map[int][]uint64{},
	}
	for _, t := range v.signals {
		if t.IsThreat() {
			machine.State(s.lacking).Set(t.Lacks)
			s.together[t.Lacks], s.before[t.Lacks] = make([]uint64, v.words), make([]uint64, v.words)
		}
	}
	return s
}

// game adds the positions of a game to the statistics.
func (s *survey) game(states []uint64) {
	past := make([]uint64, s.words)
	for at := 0; at < len(states); at += s.words {
		now := states[at : at+s.words]
		for i, w := range now {
			for l := w & s.lacking[i]; l != 0; l &= l - 1 {
				f := i<<6 + bits.TrailingZeros64(l)
				include(s.together[f], now)
				if at > 0 && !machine.State(states[at-s.words:at]).Has(f) {
					include(s.before[f], past)
				}
			}
		}
		include(past, now)
		s.positions++
	}
	include(s.ever, past)
}

func include(set, other []uint64) {
	for i, w := range other {
		set[i] |= w
	}
}

// blocked returns a view that clears blocked threats.
func (s *survey) blocked() *view {
	v := *s.view
	v.blocks = make([][]int32, len(v.signals))
	for k, t := range v.signals {
		if !t.IsThreat() {
			continue
		}
		var blocks []int32
		for i, w := range s.ever {
			for w &^= s.together[t.Lacks][i] | s.before[t.Lacks][i]; w != 0; w &= w - 1 {
				blocks = append(blocks, int32(i<<6+bits.TrailingZeros64(w)))
			}
		}
		if len(blocks) <= mostBlocks {
			v.blocks[k] = blocks
		}
	}
	return &v
}
