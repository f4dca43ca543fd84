package certify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// drawnTogether is the number of positions in a block of one goroutine.
const drawnTogether = 1 << 8

// draw checks positions of random games from q on. All games make their first joint move, then all make their second,
// so that solutions by layers need few layers at a time.
func (w *walk) draw(q machine.State) {
	walks := []*walk{w}
	for range w.limits.Threads - 1 {
		other := newWalk(w.ctx, w.machine, w.solution, w.limits)
		other.first, other.other, other.chance = w.first, w.other, w.chance
		walks = append(walks, other)
	}
	solution := w.solution
	for _, v := range walks {
		v.solution, v.next = &latest{Solution: solution}, v.claimed
	}
	games := w.limits.Draws // upper bound: one position per game
	if length := w.random(machine.NewRand(w.limits.Seed), q); length > 0 {
		games = max(1, games/length)
	}
	if need := games * int64(8*len(w.machine.Initial())+24); w.tableBytes > 0 && need > w.tableBytes {
		w.err = fmt.Errorf("%w: %d games at the same time need more than %d MiB", search.ErrMemory, games, w.limits.MaxBytes>>20)
		return
	}
	population := slices.Repeat([]machine.State{slices.Clone(q)}, int(games))
	if over, _ := w.expander.Look(q); over {
		population = nil
	}
	var drawn atomic.Int64
	for seed := w.limits.Seed; len(population) > 0 && w.err == nil; seed++ {
		population = w.drawPly(walks, population, seed, &drawn)
	}
}

// drawPly checks the positions of all games and makes a joint move in each. It returns the non-terminal positions
// after it.
func (w *walk) drawPly(walks []*walk, population []machine.State, seed uint64, drawn *atomic.Int64) []machine.State {
	slices.SortFunc(population, func(a, b machine.State) int { return slices.Compare(a, b) })
	blocks := (len(population) + drawnTogether - 1) / drawnTogether
	begin := func(block int) int { // equal positions share a block
		at := min(block*drawnTogether, len(population))
		for at > 0 && at < len(population) && population[at].Equal(population[at-1]) {
			at++
		}
		return at
	}
	next := make([][]machine.State, blocks)
	var taken atomic.Int64
	var all sync.WaitGroup
	for _, v := range walks {
		all.Go(func() {
			for i := int(taken.Add(1)) - 1; i < blocks && v.err == nil; i = int(taken.Add(1)) - 1 {
				list := population[begin(i):begin(i+1)]
				next[i] = v.drawFrom(list, machine.NewRand(seed<<32+uint64(i)))
				if n := drawn.Add(int64(len(list))); v == w && w.limits.Progress != nil {
					w.limits.Progress(w.certificate.Positions, min(1, float64(n)/float64(w.limits.Draws)))
				}
			}
		})
	}
	all.Wait()
	for _, v := range walks[1:] {
		w.join(v)
	}
	return slices.Concat(next...)
}

// drawFrom checks the different positions of a block, and makes a random joint move in each.
func (w *walk) drawFrom(list []machine.State, rng *machine.Rand) (next []machine.State) {
	for i, q := range list {
		if i == 0 || !q.Equal(list[i-1]) {
			w.certificate.Positions++
			w.step(q)
		}
		if w.err != nil {
			return next
		}
		e := &w.plies[0].expansion
		if c := rng.Intn(e.Children); !e.Terminal[c] {
			next = append(next, slices.Clone(e.Child(c)))
		}
	}
	return next
}

// join adds the findings of another walk.
func (w *walk) join(v *walk) {
	if w.certificate.Faults == 0 {
		w.certificate.First = v.certificate.First
	}
	w.certificate.Faults += v.certificate.Faults
	w.certificate.Positions += v.certificate.Positions
	v.certificate.Faults, v.certificate.Positions = 0, 0
	w.agree(v.sum.Code())
	w.err = cmp.Or(w.err, v.err)
}

// latest caches the last claim of a solution: both strategies of a position are requested in succession.
type latest struct {
	search.Solution
	at    machine.State
	claim search.Claim
}

// At implements search.Solution.
func (l *latest) At(ctx context.Context, q machine.State) (search.Claim, error) {
	if l.at != nil && q.Equal(l.at) {
		return l.claim, nil
	}
	claim, err := l.Solution.At(ctx, q)
	if l.at = nil; err == nil {
		l.at, l.claim = append(machine.State(nil), q...), claim
	}
	return claim, err
}

// random returns the length of a random game from q.
func (w *walk) random(rng *machine.Rand, q machine.State) (length int64) {
	var e play.Expansion
	for ; ; length++ {
		if over, _ := w.expander.Look(q); over || length == search.MaxPlies {
			return length
		}
		if w.err = w.expander.Expand(&e, q); w.err != nil {
			return 0
		}
		q = slices.Clone(e.Child(rng.Intn(e.Children)))
	}
}

// step checks both strategies at q against the claims at the positions after it.
func (w *walk) step(q machine.State) {
	for _, s := range []side{firstDefends, firstAttacks} {
		w.defend(s)
		p := w.open(0, q)
		if w.err != nil {
			return
		}
		if v := w.reply(p, 0); w.err == nil && p.claim != nil {
			w.compare(q, w.defender, *p.claim, v)
		}
	}
}

// claimed returns the claimed value of a position.
func (w *walk) claimed(_ int, q machine.State) fixed {
	var v float64
	if w.err != nil {
		return fixed{}
	}
	if s, ok := w.solution.(*latest).Solution.(search.Valuer); ok {
		v, w.err = s.ValueAt(w.ctx, q)
	} else {
		var claim search.Claim
		if claim, w.err = w.solution.At(w.ctx, q); w.side.isUp() {
			claim.Value += claim.Slack
		}
		v = claim.Value
	}
	if w.err != nil || !(v >= 0 && v <= machine.MaxGoal) {
		return fixed{}
	}
	return fixedPoints(v)
}
