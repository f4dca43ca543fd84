package simultaneous

import (
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// symmetry is what the searches know of the symmetries of a game. Where one
// exchanges the players, a value v of a position is sum-v in the image, sum being
// what the goals of both players add up to; a position that is its own image is
// worth sum/2 to both, without any search. Nothing but the number of positions
// searched depends on which symmetries the machine knows.
//
// The methods of the papers use symmetries with a table only, in which symmetric
// positions share an entry. The others also use them inside of a matrix: cells
// that are images of each other are searched once (twins).
type symmetry struct {
	canon *table.Canon
	sum   float64
}

// newSymmetry asks the machine for its symmetries. Exchanges of the players are
// left out if the sum of the goals cannot be found out.
func (s *solver) newSymmetry() *symmetry {
	exchange := len(s.machine.Symmetries()) > 0 && s.survey()
	return &symmetry{
		canon: table.NewCanon(s.machine, [2]machine.Role{s.row, s.column}, exchange),
		sum:   s.sum,
	}
}

// survey plays a random game from the initial position to learn what the goals
// add up to. It returns false if that game does not end, or ends without goals.
func (s *solver) survey() bool {
	b, rng := s.machine.NewNarrowBatch(), machine.NewRand(1)
	for range maxPlies {
		b.Evaluate(1)
		switch {
		case b.Terminal()[0]&1 != 0:
			goals := make([]int32, len(s.machine.Names().Roles))
			b.Goals(goals, 0)
			s.payoff(goals)
			return s.err == nil
		case b.Stuck()[0]&1 != 0:
			return false
		}
		b.ChooseRandom(rng, 1)
		b.Advance(1)
	}
	return false
}

// even is the value of a position that is its own image under an exchange.
func (y *symmetry) even() search.Interval { return search.Exact(y.sum / 2) }

// exchange is v as the other player sees it, if the players are exchanged.
func (y *symmetry) exchange(v search.Interval, exchanged bool) search.Interval {
	if !exchanged {
		return v
	}
	return search.Interval{Lower: y.sum - v.Upper, Upper: y.sum - v.Lower}
}

// twins says which cells of a matrix are images of each other.
type twins struct {
	class  []int32 // by cell: the first cell of its class; empty if there are no twins
	kind   []kind
	states []uint64 // representatives by cell
}

// kind tells how a position stands to the representative of its class.
type kind struct{ exchanged, even bool }

// findTwins looks for twins among the cells of a frame, which only positions have
// that are their own images under a symmetry.
func (s *solver) findTwins(f *frame) {
	t := &f.twins
	t.class = t.class[:0]
	if !s.usesTwins() || f.k > 1 || !s.symmetry.canon.Find(f.position).Own {
		return
	}
	cells := f.m * f.n
	t.class, t.kind, t.states = resize(t.class, cells), resize(t.kind, cells), t.states[:0]
	words := len(f.position)
	for at := range cells {
		r := s.symmetry.canon.Find(f.expansion.Child(f.first(at/f.n, at%f.n)))
		t.kind[at] = kind{r.Exchanged, r.Even}
		t.states = append(t.states, r.State...)
		t.class[at] = int32(at)
		for c := range at {
			if r.State.Equal(t.states[c*words : (c+1)*words]) {
				t.class[at] = int32(c)
				break
			}
		}
	}
}

// usesTwins tells whether the method searches twins once, see symmetry. Anytime
// search does not: it finds the strategies of a proved position in what its table
// holds of the children, all of them.
func (s *solver) usesTwins() bool {
	return s.horizon == nil && (s.config.Method == DoubleOracle || s.config.Method == BestFirst)
}

// fillTwins writes the value of even positions into the matrices.
func (s *solver) fillTwins(f *frame) {
	for at := range f.twins.class {
		if f.twins.kind[at].even {
			f.p[at], f.o[at] = s.symmetry.sum/2, s.symmetry.sum/2
		}
	}
}

// shareWithTwins gives the twins of a cell the bounds that the cell has.
func (s *solver) shareWithTwins(f *frame, at int) {
	t := &f.twins
	for c, class := range t.class {
		if c != at && class == t.class[at] {
			v := search.Interval{Lower: f.p[at], Upper: f.o[at]}
			v = s.symmetry.exchange(v, t.kind[c].exchanged != t.kind[at].exchanged)
			f.p[c], f.o[c] = v.Lower, v.Upper
		}
	}
}
