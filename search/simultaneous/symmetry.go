package simultaneous

import (
	"context"

	"stackmate/internal/scratch"
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
// that are images of each other are searched once (twins). Cells of the same
// position are twins, too.
type symmetry struct {
	canon *table.Canon
	sum   float64
	// merges tells that different moves lead to the same position, as far as the
	// root of the search shows.
	merges bool
	first  map[uint64]int32 // scratch: the first cell with a hash
}

// newSymmetry asks the machine for its symmetries. Exchanges of the players are
// left out if the sum of the goals cannot be found out.
func (s *solver) newSymmetry(ctx context.Context) *symmetry {
	exchange := len(s.machine.Symmetries()) > 0 && s.findGoalSum(ctx)
	return &symmetry{
		canon: table.NewCanon(s.machine, [2]machine.Role{s.row, s.column}, exchange),
		sum:   s.sum,
		first: make(map[uint64]int32),
	}
}

// findGoalSum plays a random game from the initial position to learn what the goals
// add up to. It returns false if that game does not end before ctx does or within
// machine.MaxPlayout, or its goals are outside of the range.
func (s *solver) findGoalSum(ctx context.Context) bool {
	b := s.machine.NewNarrowBatch()
	b.Evaluate(1)
	terminal := false
	machine.NewLockstep(b).Run(ctx, machine.NewRand(1), 1, func(int, []uint64, []uint64) bool {
		terminal = b.Terminal()[0]&1 != 0
		return true
	})
	if !terminal {
		return false
	}
	goals := make([]int32, len(s.machine.Names().Roles))
	b.Goals(goals, 0)
	s.payoff(goals)
	return s.err == nil
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

// findTwins looks for twins among the cells of a frame, which positions have that
// are their own images under a symmetry.
func (s *solver) findTwins(f *frame, depth int) {
	y := s.symmetry
	f.twins.class = f.twins.class[:0]
	if !s.usesTwins() || f.k > 1 {
		return
	}
	if depth == 0 {
		y.merges = s.merge(f)
	}
	if y.canon.Find(f.position).Own {
		s.classify(f, y.canon.Find)
	}
}

// findMerged makes twins of the cells of a frame that are the same position, if
// the game has such cells and the frame has no twins.
func (s *solver) findMerged(f *frame) {
	if s.symmetry.merges && s.usesTwins() && f.k == 1 && len(f.twins.class) == 0 {
		s.classify(f, itself)
	}
}

// itself is a position as the representative of its class.
func itself(q machine.State) table.Representative { return table.Representative{State: q} }

// classify makes twins of the cells of a frame whose representatives are equal, or
// none if the search stops meanwhile.
func (s *solver) classify(f *frame, representative func(machine.State) table.Representative) {
	t, y := &f.twins, s.symmetry
	cells, words := f.m*f.n, len(f.position)
	t.class, t.kind, t.states = scratch.Resize(t.class, cells), scratch.Resize(t.kind, cells), t.states[:0]
	clear(y.first)
	for at := range cells {
		if s.isOverdue(at) {
			t.class = t.class[:0]
			return
		}
		r := representative(f.expansion.Child(f.first(at/f.n, at%f.n)))
		t.kind[at] = kind{r.Exchanged, r.Even}
		t.states = append(t.states, r.State...)
		t.class[at] = int32(at)
		hash := table.Hash(r.State)
		if c, ok := y.first[hash]; !ok {
			y.first[hash] = int32(at)
		} else if r.State.Equal(t.states[int(c)*words : (int(c)+1)*words]) {
			t.class[at] = c
		}
	}
}

// merge tells whether two cells of a frame are the same position, not terminal. It
// leaves the frame without twins.
func (s *solver) merge(f *frame) bool {
	s.classify(f, itself)
	class := f.twins.class
	f.twins.class = class[:0]
	for at, c := range class {
		if int(c) != at && !f.expansion.Terminal[f.first(at/f.n, at%f.n)] {
			return true
		}
	}
	return false
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
