package experiment

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"stackmate/search"
)

// The matches of the paper: players with tolerance against players without, at cops and robber without
// chance. A player has a budget of expansions for each move, deepens iteratively until it is spent, and
// makes the best move of the last completed iteration. Each position is played twice, with sides changed;
// the player that survives longer as the robber wins.

const (
	playPositions = 50  // 100 games
	playMoves     = 100 // the robber has escaped
)

var playBudgets = []int64{2_000, 20_000, 200_000}

// playRuns returns the lines of the table, by ε.
func playRuns() []run {
	published := map[float64]string{1: "won 11, lost 6, drawn 33", 2: "won 6, lost 12, drawn 32"}
	var runs []run
	for _, budget := range playBudgets {
		for _, epsilon := range []float64{1, 2, 4, 8} {
			r := run{
				table: "Play against ε = 0 at cops and robber, by ε", method: fmt.Sprintf("%d nodes", budget), size: int(epsilon),
				special: &duel{epsilon, budget},
			}
			if note := published[epsilon]; note != "" && budget == 200_000 {
				r.paper = &Published{Source: babPaper, Note: note}
			}
			runs = append(runs, r)
		}
	}
	return runs
}

// duel measures one line of the table.
type duel struct {
	epsilon float64
	budget  int64
}

// measure implements special.
func (d *duel) measure(ctx context.Context, row *Row) error {
	began := time.Now()
	row.Epsilon = d.epsilon
	var next atomic.Uint64
	var players sync.WaitGroup
	var mu sync.Mutex
	var results [3]int // lost, drawn, won
	var points mean
	for range runtime.GOMAXPROCS(0) {
		players.Go(func() {
			for seed := next.Add(1) - 1; seed < playPositions; seed = next.Add(1) - 1 {
				start, _ := newChase(mixed(seed, 1), 0)
				result := 1 + cmp.Compare(d.game(ctx, start, d.epsilon, 0), d.game(ctx, start, 0, d.epsilon))
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				results[result]++
				points.add(50 * float64(result))
				mu.Unlock()
			}
		})
	}
	players.Wait()
	if points.count < playPositions {
		row.Note = fmt.Sprintf("stopped after %.0f of %d games; ", 2*points.count, 2*playPositions)
	}
	if points.count == 0 {
		return nil
	}
	row.Finished, row.Seconds = row.Note == "", time.Since(began).Seconds()
	row.Note += fmt.Sprintf("won %d, lost %d, drawn %d: %.1f ± %.1f %%", results[2], results[0], results[1], points.value(), points.error())
	return nil
}

// game returns the number of moves that the robber survives.
func (d *duel) game(ctx context.Context, n chase, robber, cops float64) int {
	tolerances := [2]float64{robber, cops}
	for moves := range playMoves {
		if n.isCaught() || ctx.Err() != nil {
			return moves
		}
		n = d.move(n, tolerances[moves%2])
		n.made %= 2
	}
	return playMoves
}

// move returns the position after the move of the side to move at n.
func (d *duel) move(n chase, epsilon float64) chase {
	t := &copsAndRobber{steps: openSteps}
	children := t.children(nil, n)
	best, left := 0, d.budget
	for depth := int(n.made) + 1; depth <= gridGoal; depth++ {
		t.depth = depth
		s := printed[chase]{tree: t, goals: chaseGoals, epsilon: epsilon, limit: left}
		s.root(n)
		if left -= s.expansions; left <= 0 {
			break
		}
		best = preferred(s.actions, n.made%2 == 0)
	}
	return children[best]
}

// openSteps are the steps on the empty grid.
var openSteps = stepsAround(0)

// preferred returns the first child with the best guarantee: the highest L, or for MIN the lowest U.
func preferred(actions []search.Interval, maximise bool) int {
	best := 0
	for i, v := range actions {
		if maximise && v.Lower > actions[best].Lower || !maximise && v.Upper < actions[best].Upper {
			best = i
		}
	}
	return best
}
