package simultaneous

import (
	"context"
	"time"

	"stackmate/internal/scratch"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/table"
)

// Anytime search: best-first search, or SMAB, of the game cut at a horizon, which moves
// one ply further out with each iteration.
//
// The matrices of the search hold bounds of the cut game, in which a
// position at the horizon is worth its estimate, the middle of what is proved of it. What is proved of a position of
// the real game goes into the table beside that. It follows in one of two ways:
//
//   - No estimate was used below a position: then its bounds are bounds of the
//     real game.
//   - Otherwise the values of the two matrices of what is proved of its children
//     enclose its value.
//
// What is proved confines the estimates, in this iteration and in later ones;
// the estimates of an iteration say where the next one begins.
// When an iteration uses no estimate at all, the cut game is the real one and
// the game is solved.
//
// Invariant: the value of the real game is in outlook.proved; outlook.guess is
// inside of it. Cost: that of the search of each cut game, and two
// matrix games for each position above an estimate. What is proved is never
// searched again.

// NewAnytime returns a search that has an answer at any time, an interval that is proved
// and, inside of it, an estimate; or an error that says what is wrong with the
// configuration. It is best-first unless Method is SMAB, uses a table, whatever Table is,
// and searches deeper and deeper until the interval is no wider than Config.Epsilon or
// Config.Depth is reached. Values are proved; Estimates are those of the last iteration
// that was completed.
func NewAnytime(config Config) (*Searcher, error) {
	if config.Method != SMAB {
		config.Method = BestFirst
	}
	config.Table = false // its own holds estimates, too
	config.deepens = true
	return New(config)
}

// horizon is where the game is cut, and what is known on this side of it.
type horizon struct {
	depth   int // frames from the root
	unknown search.Interval
	table   *table.Table[outlook]
	cuts    int64     // estimates used in this iteration
	p, o    []float64 // bounds proved of the children of one position
}

// outlook is what the table of an anytime search holds of a position.
type outlook struct {
	proved search.Interval
	guess  search.Interval // of the game cut so many plies on
	depth  int             // of the guess; 0 if there is none
}

var outlookCodec = table.Codec[outlook]{
	Bits: 4*endBits + depthBits,
	Encode: func(dst []uint64, v outlook) {
		encode(dst, 0, v.proved)
		encode(dst, 1, v.guess)
		put(dst, 4*endBits, uint64(v.depth))
	},
	Decode: func(src []uint64) outlook {
		return outlook{decode(src, 0), decode(src, 1), int(get(src, 4*endBits, depthBits))}
	},
}

// depthBits are enough for search.MaxPlies.
const depthBits = 13

// last is the guess of the last iteration that reached the position, or else
// what is proved.
func (b *outlook) last() search.Interval {
	if b.depth == 0 {
		return b.proved
	}
	return confine(b.guess, b.proved)
}

// look returns what is proved of position q, and what that and estimates so many
// plies on make of it.
func (h *horizon) look(q machine.State, plies int) (proved, guess search.Interval) {
	b, ok := h.table.Lookup(q)
	switch {
	case !ok:
		return h.unknown, h.unknown
	case plies > 0 && b.depth == plies:
		return b.proved, b.last()
	}
	return b.proved, b.proved
}

// recall is look for a caller who uses the guess.
func (h *horizon) recall(q machine.State, plies int) search.Interval {
	proved, guess := h.look(q, plies)
	if guess != proved {
		h.cuts++
	}
	return guess
}

// estimate is what a position at the horizon counts for.
func (h *horizon) estimate(proved search.Interval) search.Interval {
	h.cuts++
	return confine(search.Exact(snap(middle(proved))), proved)
}

// confine moves both ends of v into w.
func confine(v, w search.Interval) search.Interval {
	return search.Interval{
		Lower: min(max(v.Lower, w.Lower), w.Upper),
		Upper: min(max(v.Upper, w.Lower), w.Upper),
	}
}

func middle(v search.Interval) float64 { return v.Lower + (v.Upper-v.Lower)/2 }

// foresee is value in the cut game.
func (s *solver) foresee(depth int, q machine.State, alpha, beta float64) search.Interval {
	h := s.horizon
	plies := h.depth - depth
	guess := h.recall(q, plies)
	if s.isCloseEnough(guess, alpha, beta) {
		s.counters.TableHits++
		return guess
	}
	if s.stops(depth) {
		return guess
	}
	if plies <= 0 {
		return h.estimate(guess)
	}
	_, _, guess = s.explore(depth, q, max(alpha, guess.Lower), min(beta, guess.Upper))
	return guess
}

// explore searches position q in a window of the cut game. It returns what is
// proved of it and the bounds of the cut game, and stores both; and the frame,
// nil if nobody has a choice or the search stopped.
func (s *solver) explore(depth int, q machine.State, alpha, beta float64) (f *frame, proved, guess search.Interval) {
	h := s.horizon
	plies := h.depth - depth
	proved, guess = h.look(q, plies)
	if s.poll(); s.stopped {
		return nil, proved, guess
	}
	cuts, nodes := h.cuts, s.counters.Nodes
	f, v, open := s.open(depth, q)
	if open {
		s.counters.Nodes++
		v = s.method(s, f, depth, alpha, beta)
	}
	if !open || h.cuts == cuts && guess == proved {
		proved = meet(v, proved)
	} else {
		proved = meet(s.prove(f), proved)
	}
	guess = confine(meet(v, guess), proved)
	b, _ := h.table.Lookup(q)
	b.proved = proved
	if !s.stopped {
		b.guess, b.depth = guess, plies
	}
	h.table.Store(q, b, s.counters.Nodes-nodes)
	return f, proved, guess
}

// anticipate makes the strategies of the last iteration those that the sides hope for,
// and tells whether there was one.
func (s *solver) anticipate(f *frame) bool {
	h := s.horizon
	seen := false
	s.gather(f, func(q machine.State) search.Interval {
		e, ok := h.table.Lookup(q)
		if !ok {
			return search.Exact(middle(h.unknown))
		}
		seen = true
		return search.Exact(middle(e.last()))
	})
	if seen {
		s.nash(h.p, f.m, f.n, f.choice[rowSide].hope, f.choice[columnSide].hope, s.config.Low)
	}
	return seen
}

// gather writes what is known of the cells of a frame into the bounds of the horizon.
func (s *solver) gather(f *frame, known func(q machine.State) search.Interval) {
	h := s.horizon
	h.p, h.o = scratch.Resize(h.p, f.m*f.n), scratch.Resize(h.o, f.m*f.n)
	for at := range h.p {
		v := h.unknown
		if !s.isOverdue(at) {
			v = s.mean(f, f.first(at/f.n, at%f.n), known)
		}
		h.p[at], h.o[at] = v.Lower, v.Upper
	}
}

// recallProved writes what is proved of the children of a frame into the bounds of the horizon.
func (s *solver) recallProved(f *frame) {
	s.gather(f, func(q machine.State) search.Interval {
		proved, _ := s.horizon.look(q, 0)
		return proved
	})
}

// prove computes what the bounds proved of the children prove of a position. If
// that is enough, the strategies of the frame become those that prove it.
func (s *solver) prove(f *frame) search.Interval {
	h := s.horizon
	rows, columns := &f.choice[rowSide], &f.choice[columnSide]
	f.choice.reset(f)
	s.recallProved(f)
	lower := s.nash(h.p, f.m, f.n, rows.hope, nil, s.config.Low)
	v := search.Interval{Lower: lower, Upper: max(lower, s.nash(h.o, f.m, f.n, nil, columns.hope, s.config.High))}
	if v.Upper-v.Lower <= s.config.Epsilon {
		f.x, rows.hope, f.y, columns.hope = rows.hope, f.x, columns.hope, f.y
	}
	return v
}

// deepen moves the horizon away from position q until its value is proved up to
// the tolerance, or a limit is reached.
func (s *solver) deepen(ctx context.Context, q machine.State, lim search.Limits) (search.Result, error) {
	if terminal, _ := s.expander.Look(q); terminal {
		return s.search(ctx, q, lim)
	}
	started := time.Now()
	s.begin(ctx, lim)
	h := s.horizon
	proved, _ := h.look(q, 0)
	estimate := middle(proved)
	var strategies [][]search.Weighted
	var moves [][]search.Known
	for h.depth = 1; ; h.depth++ {
		h.cuts = 0
		var guess search.Interval
		var f *frame
		f, proved, guess = s.explore(0, q, s.config.Low-1, s.config.High+1)
		if !s.stopped || strategies == nil {
			estimate, strategies = middle(guess), s.strategies(q, f)
		}
		if f != nil && !s.stopped {
			s.recallProved(f)
			moves = s.known(f, h.p, h.o)
		}
		settled := !s.stopped && h.cuts == 0 || proved.Upper-proved.Lower <= s.config.Epsilon
		if s.stopped || settled || h.depth == s.config.Depth {
			break
		}
		if lim.Progress != nil {
			lim.Progress(s.outcome(proved, estimate, strategies, moves, started))
		}
	}
	r := s.outcome(proved, estimate, strategies, moves, started)
	if !s.stopped && h.cuts == 0 {
		r.Line = s.line(q, strategies)
	}
	return r, s.err
}

// outcome is the result of an anytime search so far.
func (s *solver) outcome(proved search.Interval, estimate float64, strategies [][]search.Weighted, moves [][]search.Known, started time.Time) search.Result {
	r := search.Result{Values: s.values(proved), Proved: true, Strategies: strategies, Moves: moves, Counters: s.counters, Unfinished: s.cause}
	v := confine(search.Exact(estimate), proved).Lower
	sum := 100.0
	if s.sumKnown {
		sum = s.sum
	}
	r.Estimates = make([]float64, len(r.Values))
	r.Estimates[s.row] = v
	r.Estimates[s.column] = confine(search.Exact(sum-v), r.Values[s.column]).Lower
	r.Elapsed = time.Since(started)
	r.PeakBytes = s.bytes()
	return r
}
