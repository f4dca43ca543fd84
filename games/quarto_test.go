package games_test

import (
	"fmt"
	"strings"
	"testing"

	"stackmate/games/gamestest"
)

func TestQuarto(t *testing.T) {
	m := gamestest.Machine(t, "quarto")
	checkPerft(t, m, m.Initial(), 16, 16*16, 16*16*15, 16*16*15*15, 16*16*15*15*14, 16*16*15*15*14*14)
	t.Run("a piece is given to the other, who places it and gives another", func(t *testing.T) {
		p := at(t, m, m.Names().AppendFluents(nil, m.Initial())...)
		p.play("(give dtrh)", "noop")
		p.play("noop", "(place 2 3)")
		if p.allows("second", "(give dtrh)") || !p.allows("second", "(give lsqf)") || p.allows("second", "(place 1 1)") {
			t.Errorf("moves %v", p.moves("second"))
		}
		p.play("noop", "(give lsqf)")
		if p.allows("first", "(place 2 3)") || !p.allows("first", "(place 1 1)") || p.allows("first", "(give dsrh)") {
			t.Errorf("moves %v", p.moves("first"))
		}
	})
	t.Run("whoever completes a line of pieces with a common property wins", func(t *testing.T) {
		pieces := []string{"dtrh", "dsqf", "dtqh"}
		for _, line := range [][]string{
			{"1 1", "2 1", "3 1", "4 1"}, {"3 4", "3 2", "3 1", "3 3"}, {"1 1", "2 2", "3 3", "4 4"}, {"1 4", "3 2", "4 1", "2 3"},
		} {
			for given, goals := range map[string][]int32{"dsrf": {0, 100}, "ltrf": nil} {
				facts := []string{"(control second)", "(given " + given + ")", "(left lsrf)"}
				for i, piece := range pieces {
					facts = append(facts, "(cell "+line[i]+" "+piece+")")
				}
				p := at(t, m, facts...)
				p.wants()
				p.play("noop", "(place "+line[3]+")")
				p.wants(goals...)
			}
		}
	})
	t.Run("a full board without a line is a draw", func(t *testing.T) {
		facts := []string{"(control first)", "(given lsqh)"}
		for y, row := range []string{"dtrh dtqh lsrh dtqf", "dsqh dsrf lsrf ltrh", "dsqf lsqf ltqf dsrh", "ltqh ltrf dtrf"} {
			for x, piece := range strings.Fields(row) {
				facts = append(facts, fmt.Sprintf("(cell %d %d %s)", x+1, y+1, piece))
			}
		}
		p := at(t, m, facts...)
		p.wants()
		p.play("(place 4 4)", "noop")
		p.wants(50, 50)
	})
}
