package games

import (
	"fmt"
	"slices"
	"strings"
)

// Goofspiel, the game of pure strategy: cards are bids, prizes are known.

// maxCards keeps the rulesheet small; solving stops far below it.
const maxCards = 13

// goofspiel returns a family of goofspiel with up to `most` cards. If proportional, the goals are proportional to points; otherwise the game is won,
// drawn or lost.
func goofspiel(pattern, summary string, most int, proportional bool) family {
	return game(pattern, summary,
		number("N", "cards of each player", 1, most, 5), numbers("PRIZES", "prizes in the order of the rounds; the largest first by default", 1, maxCards),
	).by("goofspiel").prepared(func(a arguments) error {
		a["Proportional"] = proportional
		return preparePrizes(a)
	})
}

// joined returns a list of numbers as it stands in a name.
func joined(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ".")
}

// preparePrizes checks the order of the prizes and adds the points in the game
// and, for each round, the largest lead with which it can be played.
func preparePrizes(a arguments) error {
	n, order := a["N"].(int), a["PRIZES"].([]int)
	if order == nil {
		order = count(1, n)
		slices.Reverse(order)
		a["PRIZES"] = order
	}
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, count(1, n)) {
		return fmt.Errorf("PRIZES: expected each number from 1 to %d once, found %s", n, joined(order))
	}
	total, given := n*(n+1)/2, 0
	var limits []int
	for _, prize := range order {
		if a["Proportional"].(bool) {
			limits = append(limits, given)
		} else {
			limits = append(limits, min(given, total-given))
		}
		given += prize
	}
	a["Total"], a["Limits"] = total, limits
	return nil
}
