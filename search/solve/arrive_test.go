package solve

import (
	"slices"
	"testing"

	"stackmate/games/gamestest"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

func TestALineLosesItsCircles(t *testing.T) {
	m := gamestest.Compiled(t, `(role x) (init s)
		(<= (legal x go) (true s)) (<= (legal x stay) (true s)) (<= (legal x back) (true u)) (<= (legal x end) (true u))
		(<= (next u) (does x go)) (<= (next s) (does x stay)) (<= (next s) (does x back)) (<= (next t) (does x end))
		(<= terminal (true t)) (goal x 100)`)
	for _, c := range []struct {
		moves, want []string
		over        bool
	}{
		{[]string{"go", "back", "go", "end"}, []string{"go", "end"}, true},
		{[]string{"stay", "stay", "go", "back", "stay", "go", "end"}, []string{"go", "end"}, true},
		{[]string{"go", "end"}, []string{"go", "end"}, true},
		{[]string{"go", "back", "go", "back"}, nil, false},
	} {
		var line [][]machine.Move
		for _, text := range c.moves {
			move, _ := m.Names().Move(0, text)
			line = append(line, []machine.Move{move})
		}
		texts := m.Names().LineTexts(withoutCircle(m, m.Initial(), line))
		h, err := play.Follow(m, texts)
		if got := slices.Concat(texts...); err != nil || h.IsOver() != c.over || !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v (over %v, error %v)", c.moves, got, c.want, h.IsOver(), err)
		}
	}
}
