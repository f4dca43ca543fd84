package certify

import (
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// draw checks positions of random games from q on: all games make their first joint move, then all their second one, so
// that solutions in layers need few of them at a time.
func (w *walk) draw(q machine.State) {
	w.next = w.claimed
	rng := machine.NewRand(w.limits.Seed)
	games := w.limits.Draws // that many positions if each game had one
	if length := w.random(rng, q); length > 0 {
		games = max(1, games/length)
	}
	if need := games * int64(8*w.machine.Words()+24); w.tableBytes > 0 && need > w.tableBytes {
		w.err = fmt.Errorf("%w: %d games at the same time need more than %d MiB", search.ErrMemory, games, w.limits.MaxBytes>>20)
		return
	}
	population := slices.Repeat([]machine.State{slices.Clone(q)}, int(games))
	if over, _ := w.expander.Look(q); over {
		population = nil
	}
	for drawn := int64(0); len(population) > 0 && w.err == nil; {
		slices.SortFunc(population, func(a, b machine.State) int { return slices.Compare(a, b) })
		var next []machine.State
		for i, q := range population {
			if i == 0 || !q.Equal(population[i-1]) {
				w.certificate.Positions++
				w.step(q)
			}
			if w.err != nil {
				return
			}
			e := &w.plies[0].expansion
			if c := rng.Intn(e.Children); !e.Terminal[c] {
				next = append(next, slices.Clone(e.Child(c)))
			}
			if drawn++; w.limits.Progress != nil && drawn%reportEvery == 0 {
				w.limits.Progress(w.certificate.Positions, min(1, float64(drawn)/float64(w.limits.Draws)))
			}
		}
		population = next
	}
}

// random is the length of a random game from q on.
func (w *walk) random(rng *machine.Rand, q machine.State) (length int64) {
	var e machine.Expansion
	for ; ; length++ {
		if over, _ := w.expander.Look(q); over || length == maxPlies {
			return length
		}
		if w.err = w.expander.Expand(&e, q); w.err != nil {
			return 0
		}
		q = slices.Clone(e.Child(rng.Intn(e.Children)))
	}
}

// step checks both strategies at q against what is claimed of the positions after it.
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

// claimed is what the solution claims of a position.
func (w *walk) claimed(_ int, q machine.State) fixed {
	var v float64
	if w.err != nil {
		return fixed{}
	}
	if s, ok := w.solution.(search.Valuer); ok {
		v, w.err = s.ValueAt(w.ctx, q)
	} else {
		var claim search.Claim
		if claim, w.err = w.solution.At(w.ctx, q); w.side.isUp() {
			claim.Value += claim.Slack
		}
		v = claim.Value
	}
	if w.err != nil || !(v >= 0 && v <= maxGoal) {
		return fixed{}
	}
	return fixedPoints(v)
}
