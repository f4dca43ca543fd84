package evaluate

import (
	"math/bits"
	"slices"
	"sync"

	"stackmate/reasoner/machine"
)

// view is a position as the network sees it: its fluents and, in the words behind them, its
// signals, where the machine knows of any. They are what single fluents and few conjunctions of
// them do not tell: threats in games of lines, where one more piece would win, and moves in
// games where few are legal.
//
// A threat tells of nothing where the fluent that it lacks can never be true again, since
// another piece is in its place. That is found out by games: a fluent blocks another one if
// they are never true together and this one has never become true after that one was. It is
// immutable but for the pool, and safe for concurrent use.
type view struct {
	words   int // of a position
	fluents int
	signals []machine.Signal
	source  machine.Signals
	blocks  [][]int32 // by signal: the fluents that block it, of a threat; nil while not known
	pool    *sync.Pool
}

// seer is what looks at positions, for one goroutine.
type seer struct {
	sensor machine.Sensor
	seen   []uint64
	found  []uint64
}

func newView(m machine.Machine, source machine.Signals) *view {
	v := &view{words: m.Words(), fluents: len(m.Names().Fluents)}
	if source != nil && len(source.List()) <= maxFluents {
		v.source, v.signals = source, source.List()
		v.pool = &sync.Pool{New: func() any { return &seer{sensor: source.NewSensor()} }}
	}
	return v
}

// found is the number of words for signals, and wide that of a position with them.
func (v *view) found() int { return (len(v.signals) + 63) / 64 }
func (v *view) wide() int  { return v.words + v.found() }

// inputs is one more than the number of the last input; those between the fluents and the
// signals are never true.
func (v *view) inputs() int {
	if len(v.signals) == 0 {
		return v.fluents
	}
	return v.input(len(v.signals))
}

// input is the number of that of a signal.
func (v *view) input(signal int) int { return 64*v.words + signal }

// look calls f with positions, laid out one after the other, as the network sees them.
func (v *view) look(states []uint64, f func(seen []uint64)) {
	if len(v.signals) == 0 {
		f(states)
		return
	}
	s := v.pool.Get().(*seer)
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
		v.leaveOut(at)
	}
	f(s.seen[:n*wide])
}

// leaveOut takes the threats that are blocked out of a position.
func (v *view) leaveOut(seen []uint64) {
	if v.blocks == nil {
		return
	}
	position := seen[:v.words]
	for i, word := range seen[v.words:] {
		blocked := uint64(0)
		for w := word; w != 0; w &= w - 1 {
			k := bits.TrailingZeros64(w)
			for _, f := range v.blocks[i<<6+k] {
				blocked |= position[f>>6] >> uint(f&63) & 1 << uint(k) // which no branch could foretell
			}
		}
		seen[v.words+i] = word &^ blocked
	}
}

// images are the inputs that are the images of inputs under a symmetry; -1 where there is none.
func (v *view) images(y *machine.Symmetry) []int32 {
	number := make(map[machine.Signal]int32, len(v.signals))
	for k, s := range v.signals {
		number[s] = int32(v.input(k))
	}
	images := slices.Repeat([]int32{-1}, 64*v.wide())
	copy(images, y.Fluents)
	for k, s := range v.signals {
		image := machine.Signal{Role: y.Roles[s.Role], Move: machine.NoMove}
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

const (
	// sightings is the number of positions of the games that show what blocks threats: one or two
	// hundred games.
	sightings = 1 << 13
	// leastBecome is how often a fluent must have become true to tell what blocks it, mostBlocks
	// the most that do: of more, the games have shown too few.
	leastBecome = 16
	mostBlocks  = 4
)

// sights is what games show of the fluents that threats lack.
type sights struct {
	*view
	positions int
	ever      []uint64         // fluents that were true
	lacking   []uint64         // fluents that threats lack
	together  map[int][]uint64 // by those: fluents that were true at the same time
	before    map[int][]uint64 // by those: fluents that were true before they became so
	become    map[int]int      // by those: how often they became true
}

func newSights(v *view) *sights {
	s := &sights{
		view: v, ever: make([]uint64, v.words), lacking: make([]uint64, v.words),
		together: map[int][]uint64{}, before: map[int][]uint64{}, become: map[int]int{},
	}
	for _, t := range v.signals {
		if t.IsThreat() {
			machine.State(s.lacking).Set(t.Lacks)
			s.together[t.Lacks], s.before[t.Lacks] = make([]uint64, v.words), make([]uint64, v.words)
		}
	}
	return s
}

// game takes note of the positions of a game, laid out one after the other.
func (s *sights) game(states []uint64) {
	past := make([]uint64, s.words)
	for at := 0; at < len(states); at += s.words {
		now := states[at : at+s.words]
		for i, w := range now {
			for l := w & s.lacking[i]; l != 0; l &= l - 1 {
				f := i<<6 + bits.TrailingZeros64(l)
				include(s.together[f], now)
				if at > 0 && !machine.State(states[at-s.words:at]).Has(f) {
					include(s.before[f], past)
					s.become[f]++
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

// blocked is the view that leaves out what is blocked.
func (s *sights) blocked() *view {
	v := *s.view
	v.blocks = make([][]int32, len(v.signals))
	for k, t := range v.signals {
		if !t.IsThreat() || s.become[t.Lacks] < leastBecome {
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
