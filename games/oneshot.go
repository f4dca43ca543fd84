package games

import "slices"

// The one-shot games: both players choose once, at the same time, and a payoff
// matrix says the rest.

// payoffs holds the goal points of the row player and of the column player for
// every pair of choices.
type payoffs [][][2]int

// constantSum gives the column player what the row player lacks of 100.
func constantSum(rows [][]int) payoffs {
	var out payoffs
	for _, row := range rows {
		var cells [][2]int
		for _, n := range row {
			cells = append(cells, [2]int{n, 100 - n})
		}
		out = append(out, cells)
	}
	return out
}

// values lists the goal points that occur, ascending.
func (m payoffs) values() []int {
	var all []int
	for _, row := range m {
		for _, cell := range row {
			all = append(all, cell[0], cell[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// oneShot makes a family of one game.
func oneShot(name, summary string, rows, columns []string, matrix payoffs) family {
	return game(name, summary).by("oneShot").prepared(func(a arguments) error {
		a["Summary"], a["Rows"], a["Columns"], a["Payoffs"] = summary, rows, columns, matrix
		a["Values"] = matrix.values()
		return nil
	})
}
