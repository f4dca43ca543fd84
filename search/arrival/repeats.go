package arrival

import (
	"context"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

const (
	// dfsPositions bounds the positions that are searched for a cycle, one path first.
	dfsPositions = 512
	// sampleGames and sampleSteps bound the random games in which a position may come up twice.
	sampleGames = 8
	sampleSteps = 256
)

// Repeats reports whether a position is found that can come up twice in a match from q: by
// depth-first search of the first positions, and else in some random games. That none is found is
// no proof for larger games: it only says that looking for ways is hardly worth the time.
func Repeats(ctx context.Context, m machine.Machine, q machine.State) bool {
	d := &dfs{expander: play.NewExpander(m), onPath: make(map[string]bool), left: dfsPositions}
	d.expander.Limit(ctx, 0, 0)
	if over, _ := d.expander.Look(q); over {
		return false
	}
	if d.visit(q); d.cycle || d.left > 0 {
		return d.cycle
	}
	return repeatsInRandomGames(ctx, m, q)
}

// dfs is a depth-first search for a cycle.
type dfs struct {
	expander *play.Expander
	onPath   map[string]bool // by position visited: whether it is on the present path
	left     int             // positions that may still be visited
	cycle    bool            // one was found
}

// visit goes on from q, which is not terminal.
func (d *dfs) visit(q machine.State) {
	key := q.Key()
	if on, seen := d.onPath[key]; seen || d.left == 0 {
		d.cycle = d.cycle || on
		return
	}
	d.left--
	d.onPath[key] = true
	e := new(play.Expansion)
	if d.expander.Expand(e, q) != nil {
		d.left = 0
	}
	for c := 0; c < e.Children && d.left > 0 && !d.cycle; c++ {
		if !e.Terminal[c] {
			d.visit(e.Child(c))
		}
	}
	d.onPath[key] = false
}

// repeatsInRandomGames reports whether a position comes up twice in one of some random games from q.
func repeatsInRandomGames(ctx context.Context, m machine.Machine, q machine.State) bool {
	b, rng, repeats := m.NewNarrowBatch(), machine.NewRand(1), false
	for game := 0; game < sampleGames && !repeats; game++ {
		seen := make(map[string]bool)
		play.RandomGame(ctx, b, rng, q, func(q machine.State, _ bool) bool {
			repeats = seen[q.Key()]
			seen[q.Key()] = true
			return !repeats && len(seen) < sampleSteps
		})
	}
	return repeats
}
