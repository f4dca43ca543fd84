package player

import (
	"context"
	"testing"
	"time"

	"stackmate/internal/toys"
	"stackmate/reasoner/machine"
	"stackmate/search/sequential"
)

// newTrap is a game of turns in which the first role gets so many goal points: after its first
// move whatever is answered, after its second one by one answer of many only.
func newTrap(value int32) *toys.Tree {
	const answers = 30
	const won, fair, plain, trap = 1, 2, 3, 4
	game := &toys.Tree{Roles: []string{"a", "b"}, Nodes: make([]toys.Node, 5)}
	game.Nodes[0] = toys.Node{Moves: []int{2, 1}, Kids: []int{plain, trap}}
	game.Nodes[won].Goals, game.Nodes[fair].Goals = []int32{100, 0}, []int32{value, 100 - value}
	for n, goes := range map[int]int{plain: fair, trap: won} {
		game.Nodes[n] = toys.Node{Moves: []int{1, answers}, Kids: []int{fair}}
		for range answers - 1 {
			game.Nodes[n].Kids = append(game.Nodes[n].Kids, goes)
		}
	}
	return game
}

func TestWhatIsProvedLostOrDrawnIsPlayedForMistakes(t *testing.T) {
	for _, value := range []int32{worstGoal, 50} {
		m := newTrap(value).Machine()
		for want, without := range [][]string{{resistance}, nil} {
			p := onOneThread(0, 64<<20, without...)
			at := position{machine: m, state: m.Initial(), legal: []machine.Move{0, 1}}
			p.prepare(t.Context(), at)
			p.candidate.deepens, p.sampler = true, sequential.New(sequential.Config{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			c := p.choose(ctx, at)
			if int(c.move) != want {
				t.Errorf("without %v: plays move %d, want move %d of those worth %d", without, c.move, want, value)
			}
			if v := explain(at, c, "", 0).Values[0]; !v.Proved || v.Lower != float64(value) || v.Estimate != float64(value) {
				t.Errorf("without %v: the value is explained as %+v, want %d, proved", without, v, value)
			}
			cancel()
		}
	}
}
